package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/tools"
	"github.com/limpet-sh/limpet/tools/mcp"
	"github.com/spf13/cobra"
)

// An mcpFlags is the command line of limpet mcp.
type mcpFlags struct {
	sandboxFlags
	backend     backendFlags
	listener    listenFlags
	token       tokenFlags
	most        int
	idle        time.Duration
	disabled    []string
	independent bool
	background  bool
	access      string
}

// mcpToken is the variable of the host with the token of clients.
const mcpToken = "LIMPET_MCP_TOKEN"

func mcpCommand(status *int) *cobra.Command {
	f := mcpFlags{token: tokenFlags{variable: mcpToken}}
	cmd := &cobra.Command{
		Use:   "mcp [flags]",
		Short: "serve the tools of sandboxes to clients of the Model Context Protocol",
		Long: `Serve the tools to one client over standard input and output, or to many over HTTP.
Each client has a sandbox of its own, with the directories and limits of the flags, or
one of another --backend.

Over HTTP clients need a token: that of --token-file or of the variable ` + mcpToken + `,
or else a random one, which is printed on standard error.`,
		Example: `  limpet mcp --dir .
  limpet mcp --http 127.0.0.1:8080 --token-file token --limits hardened
  limpet mcp --backend docker --image debian:12`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := f.backend.check(cmd.Flags(), "http", "remote", "token-file", "max-sandboxes", "idle", "disable", "independent", "background", "access")
			if err == nil {
				err = f.run()
			}
			if err != nil {
				*status = statusUsage
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listener.address, "http", "", "serve HTTP at an `ADDRESS` such as 127.0.0.1:8080, at the path /mcp")
	flags.BoolVar(&f.listener.remote, "remote", false, "allow an address that is not of this machine alone")
	f.token.register(flags)
	flags.IntVar(&f.most, "max-sandboxes", 1000, "how many sandboxes there may be at one time")
	flags.DurationVar(&f.idle, "idle", 30*time.Minute, "close a sandbox that was not used for a `TIME`")
	flags.StringArrayVar(&f.disabled, "disable", nil, "leave out tools whose names match a `PATTERN` such as process.*")
	flags.BoolVar(&f.independent, "independent", false, "begin each command of bash anew, in the workspace")
	flags.BoolVar(&f.background, "background", false, "with the tools for processes in the background")
	flags.StringVar(&f.access, "access", "full", "how much of the sandbox clients get: `LEVEL` full, files or none")
	f.register(flags, "default")
	f.backend.register(flags)
	return cmd
}

func (f *mcpFlags) run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	disabled := f.disabled
	if !f.background { // which a shell would not have, and other backends would
		disabled = append(slices.Clone(disabled), "process.*")
	}
	s, err := mcp.New(ctx, mcp.Config{
		Open: f.open, Most: f.most, Idle: f.idle,
		Tools: tools.Config{Disabled: disabled, Independent: f.independent},
	})
	if err != nil {
		return err
	}
	if f.listener.address != "" {
		return errors.Join(f.serveHTTP(ctx, s), s.Close())
	}
	err = s.ServeStdio(ctx, os.Stdin, os.Stdout)
	if ctx.Err() != nil {
		err = nil // as it was told
	}
	return errors.Join(err, s.Close())
}

// open makes a sandbox for a client.
func (f *mcpFlags) open(ctx context.Context) (limpet.Sandbox, error) {
	access, err := limpet.ParseAccess(f.access)
	if err != nil {
		return nil, err
	}
	if f.backend.elsewhere() {
		return f.backend.open(ctx, &f.sandboxFlags, access, f.background)
	}
	flags := f.sandboxFlags // each sandbox notes for itself what it mounts
	cfg, err := flags.config()
	if err != nil {
		return nil, err
	}
	cfg.Background, cfg.Access = f.background, access
	return flags.open(cfg)
}

// open makes a shell of the flags, with what --load names.
func (f *sandboxFlags) open(cfg limpet.Config) (*limpet.Shell, error) {
	sh, err := newShell(cfg)
	if err != nil || f.load == "" {
		return sh, err
	}
	session, err := sh.NewSession(context.Background(), limpet.SessionOptions{})
	if err == nil {
		err = errors.Join(loadSession(session, f.load), session.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("cannot load %s: %w", f.load, errors.Join(err, sh.Close()))
	}
	return sh, nil
}

// serveHTTP serves until ctx is done.
func (f *mcpFlags) serveHTTP(ctx context.Context, s *mcp.Server) error {
	token, err := f.token.get()
	if err != nil {
		return err
	}
	l, err := f.listener.listen("--http")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.Handler(token))
	fmt.Fprintf(os.Stderr, "limpet: serving MCP at http://%s/mcp\n", l.Addr())
	return serveUntil(ctx, l, mux, func(server *http.Server) error {
		ended := s.Close() // the streams of clients end with their sessions
		grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := server.Shutdown(grace); err != nil {
			return errors.Join(ended, server.Close())
		}
		return ended
	})
}
