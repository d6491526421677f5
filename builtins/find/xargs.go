package find

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "xargs",
	Synopsis: "[OPTION]... COMMAND [INITIAL-ARGS]...",
	Summary:  "build and execute command lines from standard input",
	Run:      runXargs,
})

// An xargs is one run of xargs.
type xargs struct {
	c   *builtins.Call
	ctx context.Context

	file     string // -a; "" for standard input
	delim    int    // -0, -d; -1 for blanks and quotes
	eof      *string
	replace  string // -I; "" where nothing is replaced
	maxLines int64
	maxArgs  int64
	maxProcs int64
	maxChars int64
	confirm  bool
	skip     bool // -r
	trace    bool
	exit     bool // -x
	show     bool
	slot     string // --process-slot-var

	command []string // with its first arguments
	base    int64    // the size of command
	args    []string
	size    int64 // of the command line so far
	lines   int64 // that args come from
	ran     bool
	pool    *pool
}

// The bounds on command lines, in bytes.
const (
	defaultChars = 128 << 10
	argMax       = 2 << 20
	argReserve   = 2 << 10
)

func runXargs(ctx context.Context, c *builtins.Call) error {
	x := &xargs{c: c, ctx: ctx, delim: -1, maxProcs: 1, maxChars: defaultChars}
	f := c.Flags()
	f.Ordered = true
	x.flags(f)
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"echo"}
	}
	x.command = args
	for _, arg := range args {
		x.base += int64(len(arg)) + 1
	}
	if x.replace != "" {
		x.exit = true
	}
	x.pool = newPool(x)
	return x.run()
}

func (x *xargs) flags(f *builtins.Flags) {
	f.Do("0,null", "items are separated by a null, not whitespace; disables quote and backslash processing and logical EOF processing", func() error {
		x.delim = 0
		return nil
	})
	f.String(&x.file, "a,arg-file", "read arguments from `FILE`, not standard input")
	f.Func("d,delimiter", "items in input stream are separated by `CHARACTER`, not by whitespace", func(s string) (err error) {
		x.delim, err = parseDelimiter(s)
		return err
	})
	eof := func(s string, ok bool) error {
		x.eof = nil
		if ok && s != "" {
			x.eof = &s
		}
		return nil
	}
	f.Func("E", "set logical EOF string `END`; if it occurs as a line of input, the rest of the input is ignored", func(s string) error {
		return eof(s, true)
	})
	f.Optional("e,eof", "equivalent to -E `END` if END is specified; otherwise, there is no end-of-file string", eof)
	f.Func("I", "replace `R` in INITIAL-ARGS with names read from standard input, split at newlines", func(s string) error {
		return x.setReplace(s)
	})
	f.Optional("i,replace", "same as -I `R`; where it is missing, {} is assumed", func(s string, ok bool) error {
		if !ok || s == "" {
			s = "{}"
		}
		return x.setReplace(s)
	})
	f.Func("L", "use at most `MAX-LINES` non-blank input lines per command line", func(s string) error {
		return x.setLines(s, "L", "-L")
	})
	f.Optional("l,max-lines", "similar to -L, but defaults to at most one non-blank input line if `MAX-LINES` is not specified", func(s string, ok bool) error {
		if !ok {
			s = "1"
		}
		return x.setLines(s, "l", "--max-lines/-l")
	})
	f.Func("n,max-args", "use at most `MAX-ARGS` arguments per command line", x.setArgs)
	f.Func("P,max-procs", "run at most `MAX-PROCS` processes at a time", func(s string) (err error) {
		x.maxProcs, err = number(s, "P", 0)
		return err
	})
	f.Bool(&x.confirm, "p,interactive", "prompt before running commands")
	f.String(&x.slot, "process-slot-var", "set environment variable `VAR` in child processes")
	f.Bool(&x.skip, "r,no-run-if-empty", "if there are no arguments, then do not run COMMAND; if this option is not given, COMMAND will be run at least once")
	f.Func("s,max-chars", "limit length of command line to `MAX-CHARS`", x.setChars)
	f.Bool(&x.show, "show-limits", "show limits on command-line length")
	f.Bool(&x.trace, "t,verbose", "print commands before executing them")
	f.Bool(&x.exit, "x,exit", "exit if the size (see -s) is exceeded")
}

// exclusive warns of an option that another one undoes.
func (x *xargs) exclusive(old, option, ignored string) {
	fmt.Fprintf(x.c.Stderr, "%s: warning: options %s and %s are mutually exclusive, ignoring previous %s value\n", x.c.Name, old, option, ignored)
}

func (x *xargs) setArgs(s string) error {
	n, err := number(s, "n", 1)
	if err != nil {
		return err
	}
	if n == 1 && x.replace != "" {
		return nil // which is what -I means anyway
	}
	x.maxArgs = n
	if x.maxLines != 0 {
		x.exclusive("--max-lines", "--max-args/-n", "--max-lines")
		x.maxLines = 0
	}
	if x.replace != "" {
		x.exclusive("--replace", "--max-args/-n", "--replace")
		x.replace = ""
	}
	return nil
}

func (x *xargs) setChars(s string) error {
	n, err := number(s, "s", 1)
	if most := x.upperLimit(); err == nil && n > most {
		fmt.Fprintf(x.c.Stderr, "%s: value %d for -s option should be <= %d\n", x.c.Name, n, most)
		n = most
	}
	x.maxChars = n
	return err
}

func (x *xargs) setReplace(s string) error {
	x.replace = s
	if x.maxArgs != 0 {
		x.exclusive("--max-args", "--replace/-I/-i", "--max-args")
		x.maxArgs = 0
	}
	if x.maxLines != 0 {
		x.exclusive("--max-lines", "--replace/-I/-i", "--max-lines")
		x.maxLines = 0
	}
	return nil
}

func (x *xargs) setLines(s, letter, name string) error {
	n, err := number(s, letter, 1)
	if err != nil {
		return err
	}
	x.maxLines = n
	if x.maxArgs != 0 {
		x.exclusive("--max-args", name, "--max-args")
		x.maxArgs = 0
	}
	if x.replace != "" {
		x.exclusive("--replace", name, "--replace")
		x.replace = ""
	}
	return nil
}

// number parses the value of an option, which must be at least least.
func number(s, option string, least int64) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, builtins.Usage("invalid number \"%s\" for -%s option", s, option)
	case n < least:
		return 0, builtins.Usage("value %s for -%s option should be >= %d", s, option, least)
	}
	return n, nil
}

// upperLimit returns how long a command line may be at most.
func (x *xargs) upperLimit() int64 { return argMax - argReserve - x.environment() }

// environment returns the size of the environment.
func (x *xargs) environment() (size int64) {
	for name, value := range x.c.Env.All() {
		size += int64(len(name) + len(value) + 2)
	}
	return size
}

func (x *xargs) showLimits() {
	env, most := x.environment(), x.upperLimit()
	fmt.Fprintf(x.c.Stderr, `Your environment variables take up %d bytes
POSIX upper limit on argument length (this system): %d
POSIX smallest allowable upper limit on argument length (all systems): 4096
Maximum length of command we could actually use: %d
Size of command buffer we are actually using: %d
Maximum parallelism (--max-procs must be no greater): 2147483647
`, env, most, most-env, x.maxChars)
}

var errFit = errors.New("cannot fit single argument within argument list size limit")

// run reads the input and runs the commands.
func (x *xargs) run() error {
	if x.eof != nil && x.delim >= 0 {
		fmt.Fprintf(x.c.Stderr, "%s: warning: the -E option has no effect if -0 or -d is used.\n\n", x.c.Name)
	}
	var in io.Reader = x.c.Stdin
	if x.file != "" && x.file != "-" {
		file, err := x.c.FS.Open(x.file)
		if err != nil {
			return fmt.Errorf("Cannot open input file %s: %w", builtins.QuoteLocale(x.file), vfs.ErrnoOf(err))
		}
		defer file.Close()
		in = file
	}
	if x.show {
		x.showLimits()
	}
	if x.base > x.maxChars && x.replace == "" {
		return errFit
	}
	x.reset()
	items := newItems(x, in)
	defer items.close()
	err := x.feed(items)
	if err == nil && x.replace == "" && (len(x.args) > 0 || !x.ran && !x.skip) {
		err = x.execute(x.args)
	}
	return x.pool.finish(err)
}

// reset begins a new command line.
func (x *xargs) reset() {
	x.args, x.size, x.lines = nil, x.base, 0
}

// feed takes the items one by one, and runs a command whenever one is complete.
func (x *xargs) feed(items *items) error {
	for {
		item, lineEnd, err := items.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return x.readError(err)
		}
		if x.replace != "" {
			err = x.substitute(item)
		} else {
			err = x.add(item, lineEnd)
		}
		if err != nil {
			return err
		}
	}
}

// readError ends the run with an error of the input, after a command with what
// has been read.
func (x *xargs) readError(err error) error {
	if x.c.Ends(err) {
		return err
	}
	if len(x.args) > 0 && x.replace == "" {
		if err := x.execute(x.args); err != nil {
			return err
		}
	}
	return err
}

// add adds an item to the command line. lineEnd says that it is the last of
// its line.
func (x *xargs) add(item string, lineEnd bool) error {
	need := int64(len(item)) + 1
	if x.base+need > x.maxChars {
		return errors.New("argument line too long")
	}
	if x.size+need > x.maxChars {
		if x.exit && (x.maxArgs != 0 || x.maxLines != 0) {
			return errors.New("argument list too long")
		}
		if err := x.execute(x.args); err != nil {
			return err
		}
		x.reset()
	}
	x.args = append(x.args, item)
	x.size += need
	if lineEnd {
		x.lines++
	}
	if x.maxArgs > 0 && int64(len(x.args)) >= x.maxArgs || x.maxLines > 0 && x.lines >= x.maxLines {
		err := x.execute(x.args)
		x.reset()
		return err
	}
	return nil
}
