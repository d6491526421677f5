package search

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "grep",
	Synopsis: "[OPTION]... PATTERNS [FILE]...",
	Summary:  "print the lines that match a pattern",
	Trouble:  2,
	Run:      func(_ context.Context, c *builtins.Call) error { return runGrep(c, "") },
})

var _ = commands.Add(&builtins.Command{
	Name:     "egrep",
	Synopsis: "[OPTION]... PATTERNS [FILE]...",
	Summary:  "print the lines that match an extended regular expression",
	Trouble:  2,
	Run:      func(_ context.Context, c *builtins.Call) error { return runGrep(c, "E") },
})

var _ = commands.Add(&builtins.Command{
	Name:     "fgrep",
	Synopsis: "[OPTION]... PATTERNS [FILE]...",
	Summary:  "print the lines that contain a string",
	Trouble:  2,
	Run:      func(_ context.Context, c *builtins.Call) error { return runGrep(c, "F") },
})

// A grep is one call of grep.
type grep struct {
	*builtins.Call
	grepOptions
	matcher  *regex.Matcher
	out      *bufio.Writer
	color    grepColors
	named    bool        // lines have the name of their file before them
	outInfo  fs.FileInfo // of standard output, where it is a regular file
	printed  bool        // a line of any file was selected, and printed if it is text
	grouped  bool        // groups of lines have a separator between them
	selected bool        // a line of any file was selected

	rg *ripgrep // what is different for rg; nil for grep

	held      int  // bytes of the files that -f and --exclude-from name
	bytesOnly bool // the locale is C: everything is text
}

// grepOptions are the options of grep as they are given.
type grepOptions struct {
	matcherKind           string // E, F, G or P
	patterns              grepPatterns
	ignoreCase            bool
	word, line, null      bool
	invert, quiet, silent bool
	count                 bool
	list                  byte // l or L
	limit                 int64
	offset, number        bool
	withName, noName      bool
	label                 string
	tab, nullName         bool
	only                  bool
	before, after         int
	context               int
	separator             string
	noSeparator           bool
	binary                string
	directories, devices  string
	follow                bool
	files                 nameFilter
	dirs                  nameFilter
	colorWhen             string
	unbuffered            bool
}

const grepHint = "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n"

// errMatched ends a quiet search that has found something.
var errMatched = builtins.Exit(0)

func runGrep(c *builtins.Call, kind string) error {
	c.Name = "grep" // egrep and fgrep are scripts that run grep
	g := &grep{Call: c, grepOptions: grepOptions{
		matcherKind: kind, limit: math.MaxInt64, before: -1, after: -1, context: -1, label: "(standard input)", separator: "--",
		binary: "binary", directories: "read", devices: "commandline", colorWhen: "never",
	}}
	f := c.Flags()
	f.Hint = grepHint
	g.declareMatching(f)
	g.declareOutput(f)
	g.declareFiles(f)
	operands, err := f.Parse()
	defer func() { g.Free(g.held) }()
	if err != nil {
		return err
	}
	if !g.patterns.given {
		if len(operands) == 0 {
			fmt.Fprint(c.Stderr, grepHint)
			return builtins.Exit(2)
		}
		g.patterns.add(operands[0], "")
		operands = operands[1:]
	}
	return g.run(operands)
}

func (g *grep) declareMatching(f *builtins.Flags) {
	for _, m := range []struct{ names, help string }{
		{"E,extended-regexp", "PATTERNS are extended regular expressions"},
		{"F,fixed-strings", "PATTERNS are strings"},
		{"G,basic-regexp", "PATTERNS are basic regular expressions"},
		{"P,perl-regexp", "PATTERNS are Perl regular expressions"},
	} {
		f.Do(m.names, m.help, func() error {
			if kind := m.names[:1]; g.matcherKind != "" && g.matcherKind != kind {
				return errors.New("conflicting matchers specified")
			}
			g.matcherKind = m.names[:1]
			return nil
		})
	}
	f.Func("e,regexp", "use `PATTERNS` for matching", func(s string) error {
		g.patterns.add(s, "")
		return nil
	})
	f.Func("f,file", "take PATTERNS from `FILE`", g.addPatternFile)
	f.Bool(&g.ignoreCase, "i,y,ignore-case", "ignore case distinctions")
	f.Do("no-ignore-case", "do not ignore case distinctions", func() error { g.ignoreCase = false; return nil })
	f.Bool(&g.word, "w,word-regexp", "match only whole words")
	f.Bool(&g.line, "x,line-regexp", "match only whole lines")
	f.Bool(&g.null, "z,null-data", "a data line ends in a 0 byte, not a newline")
	f.Bool(&g.silent, "s,no-messages", "suppress error messages")
	f.Bool(&g.invert, "v,invert-match", "select non-matching lines")
	f.Info("", "V")
}

func (g *grep) declareOutput(f *builtins.Flags) {
	f.Func("m,max-count", "stop after `NUM` selected lines", func(s string) error {
		n, err := strconv.ParseInt(s, 10, 64)
		if errors.Is(err, strconv.ErrRange) {
			n, err = math.MaxInt64, nil
		}
		if err != nil {
			return errors.New("invalid max count")
		}
		if g.limit = n; n < 0 {
			g.limit = math.MaxInt64
		}
		return nil
	})
	f.Bool(&g.offset, "b,byte-offset", "print the byte offset with output lines")
	f.Bool(&g.number, "n,line-number", "print line number with output lines")
	f.Bool(&g.unbuffered, "line-buffered", "flush output on every line")
	f.Do("H,with-filename", "print file name with output lines", func() error { g.withName, g.noName = true, false; return nil })
	f.Do("h,no-filename", "suppress the file name prefix on output", func() error { g.withName, g.noName = false, true; return nil })
	f.String(&g.label, "label", "use `LABEL` as the standard input file name prefix")
	f.Bool(&g.only, "o,only-matching", "show only nonempty parts of lines that match")
	f.Bool(&g.quiet, "q,quiet,silent", "suppress all normal output")
	f.Bool(&g.count, "c,count", "print only a count of selected lines per FILE")
	f.Do("l,files-with-matches", "print only names of FILEs with selected lines", func() error { g.list = 'l'; return nil })
	f.Do("L,files-without-match", "print only names of FILEs with no selected lines", func() error { g.list = 'L'; return nil })
	f.Bool(&g.tab, "T,initial-tab", "make tabs line up (if needed)")
	f.Bool(&g.nullName, "Z,null", "print 0 byte after FILE name")
	f.OptionalEnum(&g.colorWhen, "auto", "color,colour", "color", []string{"always,yes,force", "never,no,none", "auto,tty,if-tty"},
		"mark the matching strings; `WHEN` is always, never, or auto")
	lines := func(p *int, names, help string) {
		f.Func(names, help, func(s string) error { return g.contextLength(p, s) })
	}
	lines(&g.before, "B,before-context", "print `NUM` lines of leading context")
	lines(&g.after, "A,after-context", "print `NUM` lines of trailing context")
	lines(&g.context, "C,context", "print `NUM` lines of output context")
	f.Number = func(digits string) error { return g.contextLength(&g.context, digits) }
	f.String(&g.separator, "group-separator", "print `SEP` between groups of lines with context")
	f.Bool(&g.noSeparator, "no-group-separator", "print no separator between groups")
}

func (g *grep) contextLength(p *int, s string) error {
	n, err := strconv.ParseInt(s, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		n, err = math.MaxInt32, nil
	}
	if err != nil || n < 0 {
		return fmt.Errorf("%s: invalid context length argument", s)
	}
	*p = int(min(n, math.MaxInt32))
	return nil
}

func (g *grep) declareFiles(f *builtins.Flags) {
	f.Func("binary-files", "assume that binary files are `TYPE`: binary, text, or without-match", func(s string) error {
		if s != "binary" && s != "text" && s != "without-match" {
			return errors.New("unknown binary-files type")
		}
		g.binary = s
		return nil
	})
	f.Do("a,text", "equivalent to --binary-files=text", func() error { g.binary = "text"; return nil })
	f.Do("I", "equivalent to --binary-files=without-match", func() error { g.binary = "without-match"; return nil })
	f.Do("U,binary", "read files as they are, as on Unix anyway", func() error { return nil })
	f.Do("u,unix-byte-offsets", "report offsets as on Unix, as is always done", func() error {
		fmt.Fprintln(g.Stderr, "grep: warning: --unix-byte-offsets (-u) is obsolete")
		return nil
	})
	f.Enum(&g.directories, "d,directories", "directories", []string{"read", "recurse", "skip"}, "how to handle directories; `ACTION` is read, recurse, or skip")
	f.Func("D,devices", "how to handle devices, FIFOs and sockets; `ACTION` is read or skip", func(s string) error {
		if s != "read" && s != "skip" {
			return errors.New("unknown devices method")
		}
		g.devices = s
		return nil
	})
	f.Do("r,recursive", "like --directories=recurse", func() error { g.directories, g.follow = "recurse", false; return nil })
	f.Do("R,dereference-recursive", "likewise, but follow all symlinks", func() error { g.directories, g.follow = "recurse", true; return nil })
	f.Func("include", "search only files that match `GLOB`", func(s string) error { g.files.add(s, true); return nil })
	f.Func("exclude", "skip files that match `GLOB`", func(s string) error { g.files.add(s, false); return nil })
	f.Func("exclude-from", "skip files that match any pattern from `FILE`", g.addExcludeFile)
	f.Func("exclude-dir", "skip directories that match `GLOB`", func(s string) error {
		if trimmed := strings.TrimRight(s, "/"); trimmed != "" {
			s = trimmed
		}
		g.dirs.add(s, false)
		return nil
	})
}

// run searches the files that operands name.
func (g *grep) run(operands []string) error {
	if g.limit == 0 && g.list != 'L' {
		return builtins.Exit(1)
	}
	re, err := g.compile()
	if err != nil {
		g.Warn(err)
		return builtins.Exit(2)
	}
	g.matcher = re.Matcher(g.Call)
	defer g.matcher.Close()
	g.settle(len(operands))
	g.out = bufio.NewWriterSize(g.Stdout, 64<<10)
	g.FlushBefore(g.out.Flush)
	err = g.search(operands)
	if flushErr := g.out.Flush(); err == nil {
		err = flushErr
	}
	if err == nil {
		err = g.matcher.Err()
	}
	switch {
	case err != nil:
		return err
	case g.Failed() && !(g.quiet && g.selected):
		return builtins.Exit(2)
	case !g.selected:
		return builtins.Exit(1)
	}
	return builtins.Exit(0)
}

// settle derives from the options what depends on several of them.
func (g *grep) settle(operands int) {
	g.grouped = g.before >= 0 || g.after >= 0 || g.context >= 0
	if g.before < 0 {
		g.before = g.context
	}
	if g.after < 0 {
		g.after = g.context
	}
	g.before, g.after = max(g.before, 0), max(g.after, 0)
	if g.quiet || g.count || g.list != 0 {
		g.before, g.after, g.only = 0, 0, false
	}
	if g.only {
		g.before, g.after = 0, 0
	}
	g.named = g.withName || !g.noName && operands > 1
	if g.colorWhen == "always" || g.colorWhen == "auto" && builtins.Interactive(g.Stdout) && g.Getenv("TERM") != "dumb" {
		g.color = g.parseColors()
	}
	if s, ok := g.Stdout.(vfs.Stream); ok && !g.quiet && g.list == 0 && g.limit > 1 {
		if info, err := s.Stat(); err == nil && info.Mode().IsRegular() {
			g.outInfo = info
		}
	}
}

// trouble reports an error with a file, unless such messages are suppressed.
func (g *grep) trouble(name string, err error) {
	if g.silent {
		g.Fail()
		return
	}
	g.Warnf("%s: %w", name, vfs.ErrnoOf(err))
}
