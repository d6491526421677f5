package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/limpet-sh/limpet/fuzz"
	"github.com/spf13/cobra"
)

// A fuzzFlags is the command line of limpet fuzz.
type fuzzFlags struct {
	differential bool
	backend      string
	reference    string
	seed         uint64
	first        uint64
	count        uint64
	duration     time.Duration
	features     string
	commands     string
	statements   int
	workers      int
	maxFindings  int
	minimize     int
	stderr       string
	print        bool
}

// statusFound is the status of limpet fuzz when it has found something.
const statusFound = 1

func fuzzCommand(status *int) *cobra.Command {
	var f fuzzFlags
	cmd := &cobra.Command{
		Use:   "fuzz [flags]",
		Short: "look for scripts that break a sandbox",
		Long: `Run scripts that are generated from a grammar, and look for those that break a
promise: that nothing panics and every script ends in time; or, with --differential, that a
script does what it does in bash: the same output, status and files. With --commands, the
scripts run commands, with options and on files that are generated, and are compared with
what the programs of the host do. Findings are printed with their scripts made small. The
status is 1 when there are any.`,
		Example: `  limpet fuzz --duration 10m
  limpet fuzz --differential --count 100000 --seed 1
  limpet fuzz --commands sort,uniq,join --count 1000
  limpet fuzz --differential --backend 'mysandbox run' --features all,-jobs,-trace`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			st, err := f.run()
			*status = st
			return err
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.differential, "differential", false, "compare with a reference shell")
	flags.StringVar(&f.backend, "backend", "", "with --differential, test this `COMMAND` instead of limpet in this process; the script's name is added")
	flags.StringVar(&f.reference, "reference", "bash", "compare with this `COMMAND`")
	flags.Uint64Var(&f.seed, "seed", 0, "choose the scripts; a random `NUMBER` unless said")
	flags.Uint64Var(&f.first, "first", 0, "begin with the script of this `NUMBER`")
	flags.Uint64Var(&f.count, "count", 0, "stop after this `NUMBER` of scripts")
	flags.DurationVar(&f.duration, "duration", 0, "stop after a `TIME` such as 10m; 1m if there is no --count either")
	flags.StringVar(&f.features, "features", "all", "what scripts use: `NAMES` separated by commas; one that there is not is answered with those that there are")
	flags.StringVar(&f.commands, "commands", "", "compare commands: all, or `NAMES` separated by commas")
	flags.IntVar(&f.statements, "statements", 0, "how long scripts are")
	flags.IntVar(&f.workers, "workers", 0, "how many scripts run at a time; one for each processor unless said")
	flags.IntVar(&f.maxFindings, "max-findings", 20, "stop after this `NUMBER` of findings; 0 is no bound")
	flags.IntVar(&f.minimize, "minimize", 500, "run a script at most `NUMBER` times to make it small; 0 does not")
	flags.StringVar(&f.stderr, "stderr", "lines", "how standard error is compared: `MODE` is lines (in any order), exact or ignored")
	flags.BoolVar(&f.print, "print", false, "print the scripts and do not run them")
	return cmd
}

// run runs a campaign.
func (f *fuzzFlags) run() (status int, err error) {
	f.differential = f.differential || f.commands != ""
	source, err := f.source()
	if err != nil {
		return statusUsage, err
	}
	if f.backend != "" && !f.differential {
		return statusUsage, errors.New("--backend needs --differential")
	}
	if f.print {
		for n := f.first; n < f.first+max(f.count, 1); n++ {
			fmt.Print(source(n))
		}
		return 0, nil
	}
	if f.count == 0 && f.duration == 0 {
		f.duration = time.Minute
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if f.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.duration)
		defer cancel()
	}
	oracle, err := f.oracle()
	if err != nil {
		return statusUsage, err
	}
	if p, ok := oracle.(*fuzz.Promises); ok {
		if p.Canary, err = fuzz.NewCanary(); err != nil {
			return statusUsage, err
		}
		defer p.Canary.Close()
	}
	fmt.Printf("seed %d\n", f.seed)
	if f.minimize == 0 {
		f.minimize = -1
	}
	c := &fuzz.Campaign{
		Source: source, Oracle: oracle, First: f.first, Count: f.count,
		Workers: f.workers, MaxFindings: f.maxFindings, MinimizeRuns: f.minimize, Log: os.Stdout,
	}
	report, err := c.Run(ctx)
	if err != nil {
		return statusUsage, err
	}
	fmt.Println(report)
	if len(report.Findings) > 0 {
		status = statusFound
	}
	return status, nil
}

// source returns what writes the scripts.
func (f *fuzzFlags) source() (func(n uint64) string, error) {
	grammar, names := fuzz.StandardGrammar(), f.features
	if f.commands != "" {
		grammar, names = fuzz.CommandGrammar(), f.commands
	}
	features, err := grammar.Select(names)
	if err != nil {
		return nil, err
	}
	if f.seed == 0 {
		f.seed = rand.Uint64()
	}
	return fuzz.Generator{Seed: f.seed, Grammar: grammar, Features: features, Statements: f.statements}.Scripts(), nil
}

// oracle returns what judges the scripts.
func (f *fuzzFlags) oracle() (fuzz.Oracle, error) {
	if !f.differential {
		return &fuzz.Promises{}, nil
	}
	d := &fuzz.Differential{Reference: &fuzz.Command{Args: strings.Fields(f.reference)}, Target: &fuzz.Sandbox{}}
	if f.backend != "" {
		d.Target = &fuzz.Command{Args: strings.Fields(f.backend)}
	}
	return d, d.Stderr.Set(f.stderr)
}
