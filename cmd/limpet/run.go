package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/limpet-sh/limpet"
	"github.com/spf13/cobra"
)

// A runFlags is the command line of limpet run.
type runFlags struct {
	sandboxFlags
	backend backendFlags

	command bool
	timeout time.Duration
	json    bool
	save    string

	changes bool
	diff    string
	apply   bool
}

// grace is how long jobs in the background may go on after a script that was
// run from the command line, as they would after one of bash.
const grace = 100 * time.Millisecond

func runCommand(status *int) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] [FILE [ARG...]]\n  limpet run [flags] -c SCRIPT [NAME [ARG...]]",
		Short: "run a script in a sandbox",
		Long: `Run a Bash script in a sandbox of its own: from FILE, from the text after -c, or
from standard input. The status is the script's; 124 when its time ran out, and
137 when another limit stopped it.

What a script does to the directory of --dir stays in the sandbox. --changes and
--diff show it on standard error, or in a file. --apply then writes it to the host if
the script has ended with the status 0: all of it or, where something in the
directory has changed meanwhile or cannot be made, nothing, with the status 125.`,
		Example: `  limpet run script.sh a b
  limpet run -c 'echo "$1"' name argument
  limpet run --dir . --timeout 30s build.sh
  limpet run --dir . --changes -c 'sed -i s/old/new/ *.txt'
  limpet run --dir . --apply -c 'sed -i s/old/new/ *.txt'
  limpet run --save s.limpet -c 'x=1; echo data > file'
  limpet run --load s.limpet -c 'echo $x; cat file'
  limpet run --isolate --dir . -c 'make-things.sh'
  limpet run --backend docker --image debian:12 -c 'cat /etc/os-release'`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			*status = statusUsage
			if err := f.backend.check(cmd.Flags(), "command", "timeout", "json", "cwd"); err != nil {
				return err
			}
			if f.backend.elsewhere() {
				*status, err = f.runElsewhere(args)
			} else {
				*status, err = f.run(args)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	f.register(flags, "default")
	f.backend.register(flags)
	flags.BoolVarP(&f.command, "command", "c", false, "run the script that is the first argument")
	flags.BoolVar(&f.changes, "changes", false, "list what the script has done to the directory of --dir: A, M, D or T (of another type) and a name")
	flags.StringVar(&f.diff, "diff", "", "write that as a unified patch to a `FILE` of the host; - is standard error")
	flags.BoolVar(&f.apply, "apply", false, "write that to the directory if the script succeeds")
	flags.StringVar(&f.save, "save", "", "write the files and the state of the shell, as the script leaves them, to a `FILE` of the host")
	flags.DurationVar(&f.timeout, "timeout", 0, "stop the script after a `TIME` such as 30s")
	flags.BoolVar(&f.json, "json", false, "print one JSON object: stdout, stderr, status, stopped, usage")
	return cmd
}

// run runs the script that the arguments name.
func (f *runFlags) run(args []string) (status int, err error) {
	cfg, err := f.config()
	if err != nil {
		return statusUsage, err
	}
	req, err := f.request(args)
	if err != nil {
		return statusUsage, err
	}
	sh, err := newShell(cfg)
	if err != nil {
		return statusUsage, err
	}
	defer sh.Close() // once more does no harm
	signals, stop := hostSignals(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	req.Signals = signals
	ctx := context.Background()
	signal.Ignore(syscall.SIGPIPE)
	res, err := f.exec(ctx, sh, req)
	if err != nil {
		return statusUsage, err
	}
	if err := sh.Close(); err != nil {
		return statusUsage, err
	}
	status, done := f.finish(ctx, res)
	if f.json {
		return status, printResult(os.Stdout, res, done)
	}
	return status, nil
}

// request reads the script.
func (f *runFlags) request(args []string) (limpet.Request, error) {
	req := limpet.Request{Timeout: f.timeout, Stdin: os.Stdin}
	if !f.json {
		widen(os.Stdout)
		req.Stdout, req.Stderr = hostFile{os.Stdout}, hostFile{os.Stderr}
	}
	switch {
	case f.timeout < 0:
		return req, fmt.Errorf("--timeout %s is negative", f.timeout)
	case f.command:
		if len(args) == 0 {
			return req, errors.New("-c needs a script")
		}
		req.Script = args[0]
		if len(args) > 1 {
			req.Name, req.Args = args[1], args[2:]
		}
	case len(args) > 0:
		src, err := os.ReadFile(args[0])
		if err != nil {
			return req, fmt.Errorf("cannot read the script: %w", err)
		}
		req.Script, req.Name, req.Args, req.Batch = string(src), args[0], args[1:], true
	default:
		req.FromStdin = true
	}
	return req, nil
}

// config makes a configuration of the flags.
func (f *runFlags) config() (limpet.Config, error) {
	f.watched = f.changes || f.diff != "" || f.apply
	if f.watched && f.load != "" {
		return limpet.Config{}, errors.New("--load leaves nothing to compare for --changes, --diff and --apply")
	}
	if f.watched && f.dir == "" {
		return limpet.Config{}, errors.New("--changes, --diff and --apply are of the directory of --dir: give one")
	}
	cfg, err := f.sandboxFlags.config()
	cfg.Grace = grace
	return cfg, err
}

// A result is what --json prints. Output that is not UTF-8 is in the fields that
// end in _base64 too, since a JSON string cannot hold it.
type result struct {
	Stdout      string `json:"stdout"`
	Stderr      string `json:"stderr"`
	StdoutBytes []byte `json:"stdout_base64,omitempty"`
	StderrBytes []byte `json:"stderr_base64,omitempty"`
	Status      int    `json:"status"`
	Stopped     string `json:"stopped,omitempty"`
	Usage       usage  `json:"usage"`
	outcome
}

type usage struct {
	Seconds float64 `json:"seconds"`
	Steps   int64   `json:"steps"`
	Memory  int64   `json:"memory_bytes"`
	Output  int64   `json:"output_bytes"`
}

func printResult(w io.Writer, res *limpet.Result, done outcome) error {
	r := result{
		outcome: done,
		Stdout:  string(res.Stdout), Stderr: string(res.Stderr), Status: res.Status,
		Usage: usage{res.Usage.Time.Seconds(), res.Usage.Steps, res.Usage.Memory, res.Usage.Output},
	}
	if !utf8.Valid(res.Stdout) {
		r.StdoutBytes = res.Stdout
	}
	if !utf8.Valid(res.Stderr) {
		r.StderrBytes = res.Stderr
	}
	if res.Stopped != nil {
		r.Stopped = res.Stopped.Error()
	}
	return json.NewEncoder(w).Encode(r)
}

// hostFile is a stream of the host, as a script sees it.
type hostFile struct{ *os.File }

// Write writes to the file. A reader that has gone away is the end of the
// script's pipe.
func (f hostFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		err = limpet.ErrPipe
	}
	return n, err
}

// Terminal reports whether the file is a terminal.
func (f hostFile) Terminal() bool { return isTerminal(f.File) }
