// Package parallel has the command parallel.
package parallel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
)

var commands builtins.Set

// Commands returns the commands of this package.
func Commands() []*builtins.Command { return commands.Commands() }

var _ = commands.Add(&builtins.Command{
	Name:     "parallel",
	Synopsis: "[options] [command [arguments]] (::: arguments | :::: argfiles | < list_of_arguments)",
	Summary:  "run a command for each argument, several at a time",
	Trouble:  255,
	Run:      run,
})

// processors is how many commands run at a time unless -j says so: as many as
// nproc tells of.
const processors = 1

// A job list is one run of the command.
type list struct {
	*builtins.Call

	jobs           int
	keep, dry      bool
	verbose, trace bool
	ungroup, lines bool
	quote          bool
	maxArgs        int  // of one command; 0 means one record
	grouped        bool // -N: the records of a command are its arguments
	many, context  bool // -m, -X: as many as fit
	maxChars       int
	tag            string
	tagged         bool
	logFile        string
	colsep         *regex.Matcher
	trim           string
	header         bool
	names          []string // of the sources
	replace        string   // what {} is written as
	delimiter      byte
	files          []string
	delay, timeout time.Duration
	retries        int
	pipe           bool
	block          int
	recend         string
	dir            string
	shuffle        bool
	halt           halting
	template       template
	sources        *sources
}

func run(ctx context.Context, c *builtins.Call) error {
	l := &list{Call: c, jobs: processors, delimiter: '\n', replace: "{}", maxChars: 128 << 10, block: 1 << 20, recend: "\n", retries: 1}
	f := c.Flags()
	f.Ordered = true
	l.declare(f)
	args, err := f.Parse()
	if err != nil {
		return err
	}
	command, rest := split(args)
	if l.sources, err = l.inputs(rest); err != nil {
		return l.fatal(err)
	}
	defer l.sources.close()
	if l.template, err = l.parse(command); err != nil {
		return l.fatal(err)
	}
	if l.colsep != nil {
		defer l.colsep.Close()
	}
	return l.run(ctx)
}

// fatal reports an error that is a mistake in the arguments.
func (l *list) fatal(err error) error {
	if l.Ends(err) {
		return err
	}
	fmt.Fprintf(l.Stderr, "parallel: Error: %v\n", err)
	return builtins.Exit(255)
}

func (l *list) declare(f *builtins.Flags) {
	f.Info("h", "V")
	f.Func("j,jobs,P,max-procs", "run `N` commands at a time; 0 for as many as possible", l.setJobs)
	f.Bool(&l.keep, "k,keep-order", "print what commands print in their order")
	f.Bool(&l.dry, "dry-run,dryrun", "print the commands, and run none")
	f.Bool(&l.verbose, "v,verbose", "print each command before what it prints")
	f.Bool(&l.trace, "t", "print each command on standard error")
	f.Bool(&l.ungroup, "u,ungroup", "print at once what commands print")
	f.Bool(&l.lines, "line-buffer,lb,linebuffer", "print each line at once that commands print")
	f.Do("group", "print what a command prints when it has ended, as always", func() error { l.ungroup, l.lines = false, false; return nil })
	f.Bool(&l.quote, "q,quote", "quote the command")
	number := func(p *int) func(string) error {
		return func(s string) error {
			n, err := strconv.Atoi(s)
			if err != nil || n < 0 {
				return fmt.Errorf("Value %q is not a number", s)
			}
			*p = n
			return nil
		}
	}
	f.Func("n,max-args", "use `N` arguments for each command", number(&l.maxArgs))
	f.Func("N,max-replace-args", "use `N` arguments for each command, which are {1} to {N}", func(s string) error {
		l.grouped = true
		return number(&l.maxArgs)(s)
	})
	f.Func("L,max-lines", "use `N` lines for each command", number(&l.maxArgs))
	f.Bool(&l.many, "m", "use as many arguments for each command as fit")
	f.Do("X", "use as many arguments as fit, and repeat the word that they stand in", func() error { l.many, l.context = true, true; return nil })
	f.Func("s,max-chars", "let commands have `N` characters", number(&l.maxChars))
	f.Do("tag", "print the arguments before each line", func() error { l.tagged, l.tag = true, "{}"; return nil })
	f.Func("tagstring", "print `TEXT` before each line", func(s string) error { l.tagged, l.tag = true, s; return nil })
	f.String(&l.logFile, "joblog", "write a line for each command to `FILE`")
	f.Func("C,colsep", "split arguments at the regular expression `REGEXP`", l.setColsep)
	f.Func("trim", "take spaces from arguments: `n, l, r, lr`", func(s string) error { l.trim = s; return nil })
	f.Func("header", "the first argument of each source is a name for {NAME}; `REGEXP` is :", func(s string) error {
		if s != ":" {
			return errors.New("--header takes : only")
		}
		l.header = true
		return nil
	})
	f.String(&l.replace, "I", "what stands for the argument, in place of {}: `TEXT`")
	f.Do("0,null", "arguments end in NUL", func() error { l.delimiter = 0; return nil })
	f.Func("d,delimiter", "arguments end in `CHAR`", l.setDelimiter)
	f.Strings(&l.files, "a,arg-file", "read arguments from `FILE`")
	f.Func("delay", "wait `SECONDS` between the starts of commands", seconds(&l.delay))
	f.Func("timeout", "end commands after `SECONDS`", seconds(&l.timeout))
	f.Func("retries", "run a command that fails up to `N` times", number(&l.retries))
	f.Bool(&l.pipe, "pipe,spreadstdin", "give each command a part of standard input")
	f.Func("block", "parts of --pipe have about `SIZE` bytes", l.setBlock)
	f.String(&l.recend, "recend", "records of --pipe end in `TEXT`")
	f.String(&l.dir, "wd,workdir", "run commands in the directory `DIR`")
	f.Bool(&l.shuffle, "shuf", "run commands in random order")
	f.Func("halt,halt-on-error", "when to stop: `WHEN`,WHY=N such as now,fail=1", l.halt.parse)
	f.Do("r,no-run-if-empty", "run nothing if there is no argument, as always", func() error { return nil })
	f.Do("will-cite", "print no notice, as always", func() error { return nil })
}

func (l *list) setJobs(s string) error {
	text, percent := strings.CutSuffix(s, "%")
	n, err := strconv.Atoi(strings.TrimLeft(text, "+-"))
	switch {
	case err != nil:
		return errors.New("Error: Parsing of --jobs/-j/--max-procs/-P failed.")
	case percent:
		n = max(1, processors*n/100)
	case text[0] == '+':
		n += processors
	case text[0] == '-':
		n = max(1, processors-n)
	}
	l.jobs = n
	return nil
}

func (l *list) setColsep(s string) error {
	re, err := regex.Compile(s, regex.Perl, 0)
	if err != nil {
		return err
	}
	l.colsep = re.Matcher(l.Call)
	return nil
}

func (l *list) setDelimiter(s string) error {
	switch {
	case s == `\n`:
		l.delimiter = '\n'
	case s == `\t`:
		l.delimiter = '\t'
	case s == `\0`:
		l.delimiter = 0
	case len(s) == 1:
		l.delimiter = s[0]
	default:
		return fmt.Errorf("a delimiter must be one character, not %q", s)
	}
	return nil
}

func (l *list) setBlock(s string) error {
	text := strings.TrimRight(s, "kKmMgG")
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 || len(s)-len(text) > 1 {
		return fmt.Errorf("Value %q is not a size", s)
	}
	switch s[len(text):] {
	case "k", "K":
		n <<= 10
	case "m", "M":
		n <<= 20
	case "g", "G":
		n <<= 30
	}
	l.block = n
	return nil
}

func seconds(p *time.Duration) func(string) error {
	return func(s string) error {
		unit := time.Second
		switch {
		case strings.HasSuffix(s, "m"):
			unit = time.Minute
		case strings.HasSuffix(s, "h"):
			unit = time.Hour
		}
		n, err := strconv.ParseFloat(strings.TrimRight(s, "smh"), 64)
		if err != nil || n < 0 || n > 1e9 {
			return fmt.Errorf("Value %q is not a time", s)
		}
		*p = time.Duration(n * float64(unit))
		return nil
	}
}

// separators are the words that begin a source of arguments.
var separators = []string{":::", "::::", ":::+", "::::+"}

// split splits the operands into the command and the sources.
func split(args []string) (command, rest []string) {
	i := slices.IndexFunc(args, func(s string) bool { return slices.Contains(separators, s) })
	if i < 0 {
		return args, nil
	}
	return args[:i], args[i:]
}

// A halting says when no more commands are run.
type halting struct {
	now     bool
	why     string // fail, success, done; empty for never
	count   int
	percent bool
}

func (h *halting) parse(s string) error {
	switch s {
	case "0", "never":
		*h = halting{}
		return nil
	case "1":
		s = "soon,fail=1"
	case "2":
		s = "now,fail=1"
	}
	when, rest, ok := strings.Cut(s, ",")
	why, number, given := strings.Cut(rest, "=")
	digits, percent := strings.CutSuffix(number, "%")
	n, err := strconv.Atoi(digits)
	if !ok || !given || err != nil || when != "now" && when != "soon" || why != "fail" && why != "success" && why != "done" {
		return fmt.Errorf("--halt %q is not of the form now,fail=1", s)
	}
	*h = halting{when == "now", why, n, percent}
	return nil
}
