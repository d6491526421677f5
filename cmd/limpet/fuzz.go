package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/docker"
	"github.com/limpet-sh/limpet/adapters/koyeb"
	"github.com/limpet-sh/limpet/builtins/all"
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
	generators   string
	corpus       string
	checks       string
	statements   int
	workers      int
	maxFindings  int
	minimize     int
	stderr       string
	print        bool

	canary *fuzz.Canary // while a campaign runs
}

// statusFound is the status of limpet fuzz when it has found something.
const statusFound = 1

func fuzzCommand(status *int) *cobra.Command {
	var f fuzzFlags
	cmd := &cobra.Command{
		Use:   "fuzz [flags]",
		Short: "look for scripts that break a sandbox",
		Long: `Run scripts that are generated, and look for those that break a promise of the sandbox:
that nothing panics, every script ends in time and within its memory, leaves nothing running,
reaches nothing of the host and sees nothing of other scripts, does the same each time that it
is run, and does no more than its analysis says. The scripts come from a grammar, from changes
to a corpus, from the options of every command, from sizes that are too large, from archives and
checkpoints that lie, and from network policies that others try to get around.

With --differential, a script must do what it does in bash: the same output, status and files. With
--commands, the scripts run commands, with options and on files that are generated, and are compared
with what the programs of the host do. Findings are printed with their scripts made small. The
status is 1 when there are any.`,
		Example: `  limpet fuzz --duration 10m
  limpet fuzz --generators mutation --corpus scripts --checks promises
  limpet fuzz --backend docker --count 100
  limpet fuzz --backend 'mysandbox run --timeout 2s' --duration 1h
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
	flags.StringVar(&f.backend, "backend", "shell", "test a `SANDBOX`: shell is this program, docker a container, koyeb a machine of Koyeb, and anything else a command, to which the script's name is added")
	flags.StringVar(&f.reference, "reference", "bash", "compare with this `COMMAND`")
	flags.Uint64Var(&f.seed, "seed", 0, "choose the scripts; a random `NUMBER` unless said")
	flags.Uint64Var(&f.first, "first", 0, "begin with the script of this `NUMBER`")
	flags.Uint64Var(&f.count, "count", 0, "stop after this `NUMBER` of scripts")
	flags.DurationVar(&f.duration, "duration", 0, "stop after a `TIME` such as 10m; 1m if there is no --count either")
	flags.StringVar(&f.features, "features", "all", "what scripts of the grammar use: `NAMES` separated by commas; one that there is not is answered with those that there are")
	flags.StringVar(&f.commands, "commands", "", "compare commands: all, or `NAMES` separated by commas")
	flags.StringVar(&f.generators, "generators", "all", "where scripts come from: `NAMES` of "+strings.Join(generatorNames, ", "))
	flags.StringVar(&f.corpus, "corpus", "", "take the scripts that mutation changes from the files of a `DIR`")
	flags.StringVar(&f.checks, "checks", "all", "what is looked for: `NAMES` of promises, determinism, analysis; sandboxes other than the shell have promises only")
	flags.IntVar(&f.statements, "statements", 0, "how long scripts of the grammar are")
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
	if f.seed == 0 {
		f.seed = rand.Uint64()
	}
	if f.canary, err = fuzz.NewCanary(); err != nil {
		return statusUsage, err
	}
	defer f.canary.Close()
	trials, err := f.trials()
	if err != nil {
		return statusUsage, err
	}
	if f.print {
		for k, n := uint64(len(trials)), f.first; n < f.first+max(f.count, 1); n++ {
			fmt.Print(trials[n%k].Source(n / k))
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
	fmt.Printf("seed %d\n", f.seed)
	if f.minimize == 0 {
		f.minimize = -1
	}
	c := &fuzz.Campaign{
		Trials: trials, First: f.first, Count: f.count,
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

// trials returns what the scripts are and what judges them.
func (f *fuzzFlags) trials() ([]fuzz.Trial, error) {
	if f.differential {
		source, err := f.grammar()
		if err != nil {
			return nil, err
		}
		d := &fuzz.Differential{Reference: &fuzz.Command{Args: strings.Fields(f.reference)}, Target: &fuzz.Sandbox{}, Known: fuzz.BashFaults()}
		if f.backend != "shell" {
			d.Target = f.target().Target
		}
		return []fuzz.Trial{{Name: "differential", Source: source, Oracle: d}}, d.Stderr.Set(f.stderr)
	}
	oracles, err := f.oracles()
	if err != nil {
		return nil, err
	}
	return f.generated(oracles)
}

// grammar returns the source of the scripts of a grammar.
func (f *fuzzFlags) grammar() (func(n uint64) string, error) {
	grammar, names := fuzz.StandardGrammar(), f.features
	if f.commands != "" {
		grammar, names = fuzz.CommandGrammar(), f.commands
	}
	features, err := grammar.Select(names)
	if err != nil {
		return nil, err
	}
	return fuzz.Generator{Seed: f.seed, Grammar: grammar, Features: features, Statements: f.statements}.Scripts(), nil
}

// target returns the oracle that looks at the promises of the sandbox under test.
func (f *fuzzFlags) target() *fuzz.Promises {
	p := &fuzz.Promises{Canary: f.canary}
	switch f.backend {
	case "shell":
	case "docker":
		p.Target = &fuzz.Sandbox{Open: func(ctx context.Context) (limpet.Sandbox, error) { return docker.New(ctx, docker.Config{}) }}
	case "koyeb":
		p.Target = &fuzz.Sandbox{Open: func(ctx context.Context) (limpet.Sandbox, error) { return koyeb.New(ctx, koyeb.Config{}) }}
	default:
		p.Target = &fuzz.Command{Args: strings.Fields(f.backend)}
	}
	return p
}

// oracles returns those that judge scripts of bash.
func (f *fuzzFlags) oracles() (list fuzz.Oracles, err error) {
	names := strings.Split(f.checks, ",")
	for _, name := range names {
		if !slices.Contains([]string{"all", "promises", "determinism", "analysis"}, name) {
			return nil, fmt.Errorf("--checks %q: want promises, determinism, analysis or all", name)
		}
	}
	wants := func(name string) bool { return slices.Contains(names, name) || slices.Contains(names, "all") }
	if wants("promises") {
		list = append(list, f.target())
	}
	if f.backend != "shell" {
		return list, nil
	}
	if wants("determinism") {
		list = append(list, &fuzz.Determinism{})
	}
	if wants("analysis") {
		list = append(list, fuzz.Analysis{})
	}
	return list, nil
}

// generatorNames are those of --generators.
var generatorNames = []string{"grammar", "mutation", "commands", "sizes", "archives", "snapshots", "policies"}

// generated returns the trials of the generators.
func (f *fuzzFlags) generated(oracles fuzz.Oracles) (list []fuzz.Trial, err error) {
	grammar, err := f.grammar()
	if err != nil {
		return nil, err
	}
	var corpus []string
	if f.corpus != "" {
		if corpus, err = readCorpus(f.corpus); err != nil {
			return nil, err
		}
	}
	// What other scripts print depends on when they are stopped.
	hostile := slices.DeleteFunc(slices.Clone(oracles), func(o fuzz.Oracle) bool { _, ok := o.(*fuzz.Determinism); return ok })
	every := []fuzz.Trial{
		{Name: "grammar", Source: grammar, Oracle: oracles},
		{Name: "mutation", Source: fuzz.Mutator{Seed: f.seed, Corpus: corpus}.Script, Oracle: hostile},
		{Name: "commands", Source: fuzz.CommandLines{Seed: f.seed, Commands: all.Commands(), Hostile: true}.Script, Oracle: hostile},
		{Name: "sizes", Source: fuzz.Sizes{Seed: f.seed}.Script, Oracle: hostile},
		{Name: "archives", Source: fuzz.Archives{Seed: f.seed}.Script, Oracle: hostile},
	}
	if f.backend == "shell" {
		every = append(every,
			fuzz.Trial{Name: "snapshots", Source: fuzz.Snapshots{Seed: f.seed}.Script, Oracle: fuzz.Loading{}},
			fuzz.Trial{Name: "policies", Source: fuzz.Policies{Seed: f.seed, Address: f.canary.Addr()}.Script, Oracle: &fuzz.Reaching{Canary: f.canary}})
	}
	for _, name := range strings.Split(f.generators, ",") {
		if name == "all" {
			return every, nil
		}
		i := slices.IndexFunc(every, func(t fuzz.Trial) bool { return t.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("--generators %q: want %s or all", name, strings.Join(generatorNames, ", "))
		}
		list = append(list, every[i])
	}
	return list, nil
}

// readCorpus returns the files below a directory of the host.
func readCorpus(dir string) (list []string, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		list = append(list, string(data))
		return err
	})
	if err == nil && len(list) == 0 {
		err = errors.New("--corpus: there is no file in " + dir)
	}
	return list, err
}
