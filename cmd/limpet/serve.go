package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins/git"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/serve"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A serveFlags is the command line of limpet serve.
type serveFlags struct {
	listener listenFlags
	token    tokenFlags
	data     string
	clients  string
	profile  string
	limits   []string
	network  networkFlags
	memory   string
	nats     string

	natsListen string
	cfg        serve.Config
	grace      time.Duration
}

func serveCommand(status *int) *cobra.Command {
	f := serveFlags{token: tokenFlags{variable: "LIMPET_SERVE_TOKEN"}}
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "serve sandboxes over HTTP",
		Long: `Serve sessions over HTTP: clients make sandboxes, run scripts in them and come back to
them, also after a restart. The API is described at /openapi.json; /healthz, /readyz and
/metrics are for operators.

There is one client, called client, whose token is that of --token-file or of the variable
LIMPET_SERVE_TOKEN, or else a random one, which is printed on standard error; or there are those of --clients, a
file with a list in JSON: [{"name": "ada", "token": "…", "sessions": 100, "executions": 8, "rate": 50}].`,
		Example: `  limpet serve --token-file token
  limpet serve --listen 127.0.0.1:9000 --data ./sessions --limits hardened --network api.github.com`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			err := f.run()
			if err != nil {
				*status = statusUsage
			}
			return err
		},
	}
	f.register(cmd.Flags())
	return cmd
}

func (f *serveFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.listener.address, "listen", "127.0.0.1:8080", "serve at an `ADDRESS`")
	flags.BoolVar(&f.listener.remote, "remote", false, "allow an address that is not of this machine alone")
	flags.StringVar(&f.data, "data", "", "keep the sessions in the directory `DIR` (default limpet in the user's directory for data)")
	f.token.register(flags)
	flags.StringVar(&f.clients, "clients", "", "the clients, their tokens and quotas are in `FILE`")
	flags.StringVar(&f.profile, "limits", "default", "bound sessions by the limits of a `PROFILE`: hardened, default, interactive or unlimited")
	flags.StringArrayVar(&f.limits, "limit", nil, "set one limit: `NAME=VALUE`")
	f.network.register(flags)
	flags.StringVar(&f.memory, "memory", "4G", "end the scripts that hold the most memory when the process holds a `SIZE`")
	flags.StringVar(&f.nats, "nats", "", "share the sessions with other servers by the NATS cluster at a `URL`, which has JetStream; embedded is a NATS server in this process, if it was built with the tag natsd")
	flags.StringVar(&f.natsListen, "nats-listen", "127.0.0.1:4222", "the embedded NATS server is for other workers at an `ADDRESS`")
	flags.DurationVar(&f.cfg.TTL, "ttl", 24*time.Hour, "delete a session that was not used for a `TIME`")
	flags.DurationVar(&f.cfg.Idle, "idle", 5*time.Minute, "let a session leave the memory that was not used for a `TIME`; it comes back when it is used")
	flags.DurationVar(&f.grace, "grace", 30*time.Second, "when told to end, let scripts go on for a `TIME`")
}

// configure makes the configuration, but for the store.
func (f *serveFlags) configure() (err error) {
	if f.cfg.Limits, err = parseLimits(f.profile, f.limits); err != nil {
		return err
	}
	if f.cfg.Network, err = f.network.policy(); err != nil {
		return err
	}
	var memory limits.Limits
	if err := memory.Set("memory", f.memory); err != nil {
		return fmt.Errorf("--memory %s: want a size such as 512M", f.memory)
	}
	if memory.Memory > 0 {
		f.cfg.Guard = limpet.NewGuard(memory.Memory)
	}
	f.cfg.Extra = git.Commands()
	f.cfg.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	if f.clients != "" {
		return f.readClients()
	}
	token, err := f.token.get()
	f.cfg.Clients = []serve.Client{{Name: "client", Token: token}}
	return err
}

func (f *serveFlags) readClients() error {
	file, err := os.Open(f.clients)
	if err != nil {
		return err
	}
	defer file.Close()
	d := json.NewDecoder(file)
	d.DisallowUnknownFields()
	if err := d.Decode(&f.cfg.Clients); err != nil {
		return fmt.Errorf("--clients %s: %w", f.clients, err)
	}
	return nil
}

// directory returns where sessions are kept, which it makes.
func (f *serveFlags) directory() (string, error) {
	dir := f.data
	if dir == "" {
		dir = os.Getenv("XDG_DATA_HOME")
		if dir == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", fmt.Errorf("%w: say with --data where to keep the sessions", err)
			}
			dir = filepath.Join(home, ".local", "share")
		}
		dir = filepath.Join(dir, "limpet")
	}
	return dir, os.MkdirAll(dir, 0o700)
}

func (f *serveFlags) run() error {
	if err := f.configure(); err != nil {
		return err
	}
	dir := ""
	if f.nats == "" || f.nats == embedded {
		var err error
		if dir, err = f.directory(); err != nil {
			return err
		}
	}
	if f.nats != "" {
		return f.runWorker(dir)
	}
	var err error
	if f.cfg.Store, err = serve.OpenFile(filepath.Join(dir, "sessions.db")); err != nil {
		return err
	}
	s, err := serve.New(f.cfg)
	if err != nil {
		return errors.Join(err, f.cfg.Store.Close())
	}
	drain := func(ctx context.Context) error {
		s.Drain(ctx)
		return nil
	}
	return errors.Join(f.serve(s, drain), s.Close())
}

// serve serves until somebody tells it to end, and then drains.
func (f *serveFlags) serve(handler http.Handler, drain func(context.Context) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	l, err := f.listener.listen("--listen")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "limpet: serving at http://%s\n", l.Addr())
	return serveUntil(ctx, l, handler, func(server *http.Server) error {
		stop() // a second signal ends the process
		grace, cancel := context.WithTimeout(context.Background(), f.grace)
		defer cancel()
		return errors.Join(drain(grace), server.Shutdown(grace))
	})
}

// serveUntil serves what l accepts until ctx is done, and then ends by means of end.
func serveUntil(ctx context.Context, l net.Listener, handler http.Handler, end func(*http.Server) error) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return end(server)
	}
}
