package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"text/tabwriter"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/docker"
	"github.com/limpet-sh/limpet/adapters/host"
	"github.com/limpet-sh/limpet/adapters/koyeb"
	"github.com/spf13/cobra"
)

// patience is how long doctor waits for a backend.
const patience = 10 * time.Second

func doctorCommand(status *int) *cobra.Command {
	var reap bool
	cmd := &cobra.Command{
		Use:   "doctor [flags]",
		Short: "say which backends would work here, and why others would not",
		Long: `Say for each backend of limpet run whether it would work here, and why not. The status
is 1 where the shell itself does not work.

--reap first removes what sandboxes have left here whose programs were killed:
containers, machines, processes and directories.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if reap {
				if err := reapAll(os.Stdout); err != nil {
					*status = statusUsage
					return err
				}
			}
			ok, err := examine(os.Stdout)
			if !ok {
				*status = 1
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&reap, "reap", false, "remove what the sandboxes of programs that were killed have left")
	return cmd
}

// A finding is what is to be said of a backend.
type finding struct {
	backend string
	err     error  // why it does not work
	note    string // where it does
}

// examine writes a line for each backend, and reports whether the shell works.
func examine(w io.Writer) (ok bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	findings := []finding{examineShell(ctx), examineIsolate(ctx), examineHost(), examineDocker(ctx), examineKoyeb()}
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, f := range findings {
		state, text := "works", f.note
		if f.err != nil {
			state, text = "does not work", f.err.Error()
		}
		if _, err := fmt.Fprintf(table, "%s\t%s\t%s\n", f.backend, state, text); err != nil {
			return false, err
		}
	}
	return findings[0].err == nil, table.Flush()
}

func examineShell(ctx context.Context) finding {
	f := finding{backend: "shell", note: "in this program"}
	sh, err := newShell(limpet.Config{})
	if err != nil {
		f.err = err
		return f
	}
	res, err := sh.Exec(ctx, limpet.Request{Script: "echo works"})
	if err == nil && string(res.Stdout) != "works\n" {
		err = fmt.Errorf("status %d: %s", res.Status, res.Stderr)
	}
	f.err = errors.Join(err, sh.Close())
	return f
}

func examineHost() finding {
	f := finding{backend: "host", note: "without any isolation"}
	if os.Getenv(host.OptInName) != host.OptInValue {
		f.err = host.ErrNotAllowed
	} else if _, err := exec.LookPath("bash"); err != nil {
		f.err = err
	}
	return f
}

func examineDocker(ctx context.Context) finding {
	f := finding{backend: "docker"}
	version, err := docker.Ping(ctx, "")
	if err != nil {
		f.err = err
		return f
	}
	has, err := docker.HasImage(ctx, "", docker.DefaultImage)
	f.err = err
	f.note = "engine with API " + version + ", image " + docker.DefaultImage
	if !has {
		f.note += " has to be pulled first"
	}
	return f
}

func examineKoyeb() finding {
	f := finding{backend: "koyeb", note: "there is a token; whether it is valid was not asked"}
	_, f.err = koyeb.FindToken()
	return f
}

// reapAll removes what was left behind.
func reapAll(w io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), 6*patience)
	defer cancel()
	var errs []error
	say := func(what string, n int, err error) {
		errs = append(errs, err)
		if n > 0 {
			_, err := fmt.Fprintf(w, "%s: removed what %d left\n", what, n)
			errs = append(errs, err)
		}
	}
	n, err := host.Reap()
	say("host", n, err)
	n, err = docker.Reap(ctx, "")
	say("docker", n, err)
	n, err = docker.Strays(ctx, "")
	if errors.Is(err, docker.ErrNoEngine) {
		err = nil // then there are none
	}
	say("docker", n, err)
	n, err = koyeb.Reap(ctx, koyeb.Config{})
	say("koyeb", n, err)
	return errors.Join(errs...)
}
