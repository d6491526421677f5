package search

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/internal/regex"
)

var _ = commands.Add(&builtins.Command{
	Name:     "diff",
	Synopsis: "[OPTION]... FILES",
	Summary:  "compare files line by line",
	Trouble:  2,
	Run:      func(_ context.Context, c *builtins.Call) error { return runDiff(c) },
})

// A diffStyle is a form of output.
type diffStyle uint8

const (
	styleNone diffStyle = iota
	styleNormal
	styleContext
	styleUnified
	styleEd
	styleForwardEd
	styleRCS
	styleSide
	styleFormat
)

// diffOptions are the options of diff.
type diffOptions struct {
	style              diffStyle
	context            int // -1 where none was given
	brief, same        bool
	recursive          bool
	newFile, oneNew    bool
	ignoreCase         bool
	space              spaceRule
	tabExpansion       bool // -E
	trailingSpace      bool // -Z
	blankLines         bool // -B
	ignoreMatching     []string
	stripCR            bool
	text               bool
	labels             []string
	exclude            []*pattern.Pattern
	start              string
	functions          []string // expressions for the line that headers show
	functionC          bool     // -p
	expandTabs         bool
	initialTab         bool
	tabSize            int
	width              int
	widthGiven         bool
	tabSizeGiven       bool
	leftColumn         bool
	suppressCommon     bool
	suppressBlankEmpty bool
	noDereference      bool
	minimal            bool
	color              string
	fromFile, toFile   string
	formats            diffFormats
	horizon            int
}

// A spaceRule says which differences in white space do not count.
type spaceRule uint8

const (
	spaceCounts spaceRule = iota
	spaceAmount           // -b
	spaceNone             // -w
)

// A differ is one call of diff.
type differ struct {
	*builtins.Call
	diffOptions
	out      *bufio.Writer
	switches string // the options, as headers of -r show them
	ignore   *regex.Matcher
	heading  *regex.Matcher
	colored  bool
	differs  bool
}

const diffHint = "diff: Try 'diff --help' for more information.\n"

func runDiff(c *builtins.Call) error {
	d := &differ{Call: c, diffOptions: diffOptions{context: -1, width: 130, tabSize: 8, color: "never"}}
	f := c.Flags()
	f.Info("", "v")
	f.Hint = diffHint
	d.declareStyles(f)
	d.declareComparison(f)
	d.declareFiles(f)
	d.declareFormats(f)
	f.Number = func(digits string) error { return d.contextLength(digits) }
	operands, err := f.Parse()
	if err != nil {
		return err
	}
	if d.style == styleNone {
		d.style = styleNormal
		if d.functionC {
			d.style = styleContext
		}
	}
	if d.context < 0 {
		d.context = 3
	}
	d.formats.settle()
	if err := d.expressions(); err != nil {
		return f.Fail(err)
	}
	pairs, err := d.pairs(operands)
	if err != nil {
		return f.Fail(err)
	}
	d.switches = switches(c.Args, operands)
	d.colored = d.color == "always" || d.color == "auto" && builtins.Interactive(c.Stdout) && c.Getenv("TERM") != "dumb"
	return d.run(pairs)
}

func (d *differ) declareStyles(f *builtins.Flags) {
	style := func(s diffStyle) func() error {
		return func() error { return d.setStyle(s) }
	}
	f.Do("normal", "output a normal diff (the default)", style(styleNormal))
	f.Bool(&d.brief, "q,brief", "report only when files differ")
	f.Bool(&d.same, "s,report-identical-files", "report when two files are the same")
	f.Do("c", "output 3 lines of copied context", style(styleContext))
	f.Do("u", "output 3 lines of unified context", style(styleUnified))
	d.declareContext(f, styleContext, "C", "context", "output `NUM` (default 3) lines of copied context")
	d.declareContext(f, styleUnified, "U", "unified", "output `NUM` (default 3) lines of unified context")
	f.Do("e,ed", "output an ed script", style(styleEd))
	f.Do("f,forward-ed", "output something like an ed script in forward order", style(styleForwardEd))
	f.Do("n,rcs", "output an RCS format diff", style(styleRCS))
	f.Do("y,side-by-side", "output in two columns", style(styleSide))
	f.Func("W,width", "output at most `NUM` (default 130) print columns", func(s string) error {
		n, ok := diffNumber(s)
		if !ok || n == 0 {
			return builtins.Usage("invalid width '%s'", s)
		}
		return d.setWidth(n)
	})
	f.Bool(&d.leftColumn, "left-column", "output only the left column of common lines")
	f.Bool(&d.suppressCommon, "suppress-common-lines", "do not output common lines")
	f.Do("p,show-c-function", "show which C function each change is in", func() error {
		d.functionC = true
		d.functions = append(d.functions, "^[[:alpha:]$_]")
		return nil
	})
	f.Strings(&d.functions, "F,show-function-line", "show the most recent line matching `RE`")
	f.Strings(&d.labels, "L,label", "use `LABEL` instead of file name and timestamp (can be repeated)")
	f.Bool(&d.expandTabs, "t,expand-tabs", "expand tabs to spaces in output")
	f.Bool(&d.initialTab, "T,initial-tab", "make tabs line up by prepending a tab")
	f.Func("tabsize", "tab stops every `NUM` (default 8) print columns", func(s string) error {
		n, ok := diffNumber(s)
		if !ok || n == 0 {
			return builtins.Usage("invalid tabsize '%s'", s)
		}
		return d.setTabSize(n)
	})
	f.Bool(&d.suppressBlankEmpty, "suppress-blank-empty", "suppress space or tab before empty output lines")
	f.Optional("color", "color output; `WHEN` is never, always, or auto", func(s string, ok bool) error {
		if !ok {
			s = "auto"
		}
		if s != "always" && s != "never" && s != "auto" {
			return builtins.Usage("invalid color '%s'", s)
		}
		d.color = s
		return nil
	})
}

func (d *differ) declareComparison(f *builtins.Flags) {
	f.Bool(&d.ignoreCase, "i,ignore-case", "ignore case differences in file contents")
	f.Bool(&d.tabExpansion, "E,ignore-tab-expansion", "ignore changes due to tab expansion")
	f.Bool(&d.trailingSpace, "Z,ignore-trailing-space", "ignore white space at line end")
	f.Do("b,ignore-space-change", "ignore changes in the amount of white space", func() error {
		d.space = max(d.space, spaceAmount)
		return nil
	})
	f.Do("w,ignore-all-space", "ignore all white space", func() error { d.space = spaceNone; return nil })
	f.Bool(&d.blankLines, "B,ignore-blank-lines", "ignore changes where lines are all blank")
	f.Strings(&d.ignoreMatching, "I,ignore-matching-lines", "ignore changes where all lines match `RE`")
	f.Bool(&d.text, "a,text", "treat all files as text")
	f.Bool(&d.stripCR, "strip-trailing-cr", "strip trailing carriage return on input")
	f.Bool(&d.minimal, "d,minimal", "try hard to find a smaller set of changes")
	f.Func("horizon-lines", "keep `NUM` lines of the common beginning and end", func(s string) error {
		n, ok := diffNumber(s)
		if !ok {
			return builtins.Usage("invalid horizon length '%s'", s)
		}
		d.horizon = max(d.horizon, n)
		return nil
	})
}

func (d *differ) declareFiles(f *builtins.Flags) {
	f.Bool(&d.recursive, "r,recursive", "recursively compare any subdirectories found")
	f.Bool(&d.noDereference, "no-dereference", "don't follow symbolic links")
	f.Bool(&d.newFile, "N,new-file", "treat absent files as empty")
	f.Bool(&d.oneNew, "unidirectional-new-file", "treat absent first files as empty")
	f.Func("x,exclude", "exclude files that match `PAT`", func(s string) error {
		d.exclude = append(d.exclude, pattern.Compile(s, 0))
		return nil
	})
	f.Func("X,exclude-from", "exclude files that match any pattern in `FILE`", d.excludeFrom)
	f.String(&d.start, "S,starting-file", "start with `FILE` when comparing directories")
	f.String(&d.fromFile, "from-file", "compare `FILE1` to all operands")
	f.String(&d.toFile, "to-file", "compare all operands to `FILE2`")
}

func (d *differ) setStyle(s diffStyle) error {
	if d.style != styleNone && d.style != s {
		return builtins.Usage("conflicting output style options")
	}
	d.style = s
	return nil
}

// declareContext declares a style with context, of which the long option may
// lack its number.
func (d *differ) declareContext(f *builtins.Flags, style diffStyle, short, long, help string) {
	set := func(s string, ok bool) error {
		if ok {
			if err := d.contextLength(s); err != nil {
				return err
			}
		}
		if err := d.setStyle(style); err != nil {
			return err
		}
		if !ok {
			d.context = max(d.context, 3)
		}
		return nil
	}
	f.Func(short, help, func(s string) error { return set(s, true) })
	f.Optional(long, help, set)
}

func (d *differ) contextLength(s string) error {
	n, ok := diffNumber(s)
	if !ok {
		return builtins.Usage("invalid context length '%s'", s)
	}
	d.context = max(d.context, n)
	return nil
}

// diffNumber parses a number, of which one that is too large is the largest.
func diffNumber(s string) (n int, ok bool) {
	u, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, 31)
	if errors.Is(err, strconv.ErrRange) {
		u, err = math.MaxInt32, nil
	}
	return int(u), err == nil
}

// excludeFrom adds the patterns in a file.
func (d *differ) excludeFrom(name string) error {
	return d.EachInput([]string{name}, func(_ string, r reader) error {
		lines := d.Lines(r, '\n')
		defer lines.Close()
		for {
			line, err := lines.Next()
			if err != nil {
				return ignoreEOF(err)
			}
			if s := strings.TrimRight(string(line), "\n"); s != "" {
				d.exclude = append(d.exclude, pattern.Compile(s, 0))
			}
		}
	})
}

// expressions compiles the regular expressions of -I and -F.
func (d *differ) expressions() error {
	compile := func(list []string) (*regex.Matcher, error) {
		re, err := regex.CompileAny(list, regex.Grep, localeFlags(d.Call))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", list[len(list)-1], err)
		}
		return re.Matcher(d.Call), nil
	}
	var err error
	if len(d.ignoreMatching) > 0 {
		if d.ignore, err = compile(d.ignoreMatching); err != nil {
			return err
		}
	}
	if len(d.functions) > 0 {
		d.heading, err = compile(d.functions)
	}
	return err
}

// pairs returns the files to compare.
func (d *differ) pairs(operands []string) ([][2]string, error) {
	var list [][2]string
	switch {
	case d.fromFile != "" && d.toFile != "":
		return nil, builtins.Usage("--from-file and --to-file both specified")
	case d.fromFile != "":
		for _, o := range operands {
			list = append(list, [2]string{d.fromFile, o})
		}
		return list, nil
	case d.toFile != "":
		for _, o := range operands {
			list = append(list, [2]string{o, d.toFile})
		}
		return list, nil
	case len(operands) == 0:
		last := "diff"
		if n := len(d.Args); n > 0 {
			last = d.Args[n-1]
		}
		return nil, builtins.Usage("missing operand after '%s'", last)
	case len(operands) == 1:
		return nil, builtins.Usage("missing operand after '%s'", operands[0])
	case len(operands) > 2:
		return nil, builtins.Usage("extra operand '%s'", operands[2])
	}
	return [][2]string{{operands[0], operands[1]}}, nil
}

// switches returns the arguments that are not operands, each after a space.
func switches(args, operands []string) string {
	var list []string
	for i := len(args) - 1; i >= 0; i-- {
		if n := len(operands); n > 0 && args[i] == operands[n-1] {
			operands = operands[:n-1]
		} else if args[i] != "--" {
			list = append(list, args[i])
		}
	}
	var b strings.Builder
	for i := len(list) - 1; i >= 0; i-- {
		b.WriteString(" " + builtins.QuoteMaybe(list[i]))
	}
	return b.String()
}

func (d *differ) run(pairs [][2]string) error {
	d.out = bufio.NewWriterSize(d.Stdout, 32<<10)
	d.FlushBefore(d.out.Flush)
	defer func() {
		for _, m := range []*regex.Matcher{d.ignore, d.heading} {
			if m != nil {
				m.Close()
			}
		}
	}()
	for _, p := range pairs {
		err := d.comparePair(p[0], p[1])
		if err == nil {
			continue
		}
		if d.Ends(err) {
			_ = d.out.Flush()
			return err
		}
		d.Warn(err)
	}
	if err := d.out.Flush(); err != nil {
		return err
	}
	switch {
	case d.Failed():
		return builtins.Exit(2)
	case d.differs:
		return builtins.Exit(1)
	}
	return nil
}
