package search

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/internal/size"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "rg",
	Synopsis: "[OPTIONS] PATTERN [PATH ...]",
	Summary:  "search directories for lines that match a pattern, as ripgrep does",
	Trouble:  2,
	Run:      func(_ context.Context, c *builtins.Call) error { return runRg(c) },
})

// A ripgrep is what rg has beyond grep.
type ripgrep struct {
	*grep
	smartCase, caseSensitive bool
	includeZero              bool
	countMatches             bool
	column                   bool
	heading                  bool
	trim                     bool
	vimgrep                  bool
	passthru                 bool
	maxColumns               int
	replace                  []byte // -r
	replacing                bool
	sortReverse              bool

	globs, insensitiveGlobs []string
	types, notTypes         []string
	hidden, noIgnore        bool
	noVCS, noDot, noParent  bool
	anyRepository           bool
	unrestricted            int
	maxDepth                int
	maxSize                 int64
	listFiles               bool
	ownIgnore               string // the name of the command's own ignore files

	overrides []*ignoreRule
	wanted    []*ignoreRule // of -t and -T
	any       bool          // overrides have a glob that is not negated
	anyType   bool
	headed    string // the file whose name was printed last
}

func runRg(c *builtins.Call) error {
	g := &grep{Call: c, bytesOnly: true, grepOptions: grepOptions{
		limit: math.MaxInt64, before: -1, after: -1, context: -1, label: "<stdin>", separator: "--",
		binary: "binary", directories: "recurse", devices: "read", colorWhen: "never",
	}}
	r := &ripgrep{grep: g, ownIgnore: ".rgignore", maxDepth: -1, maxSize: math.MaxInt64}
	g.rg = r
	f := c.Flags()
	f.Hint = "\nUSAGE:\n    rg [OPTIONS] PATTERN [PATH ...]\n"
	r.declareMatching(f)
	r.declareOutput(f)
	r.declareFiles(f)
	operands, err := f.Parse()
	if err != nil {
		return err
	}
	if !g.patterns.given && !r.listFiles {
		if len(operands) == 0 {
			return f.Fail(builtins.Usage("the following required arguments were not provided:\n    <PATTERN>"))
		}
		g.patterns.add(operands[0], "")
		operands = operands[1:]
	}
	defer func() { g.Free(g.held) }()
	return r.run(operands)
}

func (r *ripgrep) declareMatching(f *builtins.Flags) {
	f.Func("e,regexp", "a `PATTERN` to search for", func(s string) error { r.patterns.add(s, ""); return nil })
	f.Func("f,file", "search for the patterns in `PATTERNFILE`", r.addPatternFile)
	f.Bool(&r.ignoreCase, "i,ignore-case", "case insensitive search")
	f.Bool(&r.smartCase, "S,smart-case", "case insensitive search unless the pattern has an upper case letter")
	f.Do("s,case-sensitive", "case sensitive search (the default)", func() error { r.ignoreCase, r.smartCase = false, false; return nil })
	f.Do("F,fixed-strings", "treat the pattern as a literal string", func() error { r.matcherKind = "F"; return nil })
	f.Do("P,pcre2", "use the syntax of Perl, which is the default here", func() error { r.matcherKind = "P"; return nil })
	f.Bool(&r.word, "w,word-regexp", "only show matches surrounded by word boundaries")
	f.Bool(&r.line, "x,line-regexp", "only show matches surrounded by line boundaries")
	f.Bool(&r.invert, "v,invert-match", "show lines that do not match")
	f.Func("m,max-count", "show at most `NUM` matching lines of each file", func(s string) error { return r.parseNumber(&r.limit, "max-count", s) })
	f.Bool(&r.null, "null-data", "a line ends in a 0 byte")
	f.Do("a,text", "search binary files as if they were text", func() error { r.binary = "text"; return nil })
	f.Info("h", "V")
}

func (r *ripgrep) parseNumber(p *int64, name, s string) error {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return fmt.Errorf("error parsing flag --%s: value is not a valid number: %s", name, s)
	}
	*p = int64(n)
	return nil
}

func (r *ripgrep) declareOutput(f *builtins.Flags) {
	f.Bool(&r.count, "c,count", "show the number of matching lines of each file")
	f.Do("count-matches", "show the number of matches of each file", func() error { r.count, r.countMatches = true, true; return nil })
	f.Bool(&r.includeZero, "include-zero", "include files without matches in counts")
	f.Do("l,files-with-matches", "only print the paths with matches", func() error { r.list = 'l'; return nil })
	f.Do("files-without-match", "only print the paths without matches", func() error { r.list = 'L'; return nil })
	f.Bool(&r.only, "o,only-matching", "print only matched parts of a line")
	f.Bool(&r.quiet, "q,quiet", "print nothing")
	f.Do("n,line-number", "show line numbers", func() error { r.grep.number = true; return nil })
	f.Do("N,no-line-number", "suppress line numbers", func() error { r.grep.number = false; return nil })
	f.Do("H,with-filename", "print the path with matching lines", func() error { r.withName, r.noName = true, false; return nil })
	f.Do("I,no-filename", "never print the path with matching lines", func() error { r.withName, r.noName = false, true; return nil })
	f.Do("column", "show column numbers", func() error { r.column, r.grep.number = true, true; return nil })
	f.Bool(&r.offset, "b,byte-offset", "print the byte offset of each line")
	f.Bool(&r.heading, "heading", "print the path above matching lines")
	f.Do("no-heading", "print the path on each matching line", func() error { r.heading = false; return nil })
	f.Do("p,pretty", "alias for --color always --heading --line-number", func() error {
		r.colorWhen, r.heading, r.grep.number = "always", true, true
		return nil
	})
	f.Bool(&r.vimgrep, "vimgrep", "show every match on its own line, with line and column numbers")
	f.Func("r,replace", "replace matches with `TEXT`, in which $1 and ${name} are groups", func(s string) error {
		r.replace, r.replacing = []byte(s), true
		return nil
	})
	f.Bool(&r.trim, "trim", "trim leading white space of matching lines")
	r.declareCount(f, &r.maxColumns, "M,max-columns", "do not print lines longer than `NUM` bytes")
	f.Bool(&r.passthru, "passthru,passthrough", "print all lines")
	f.Bool(&r.nullName, "0,null", "print a 0 byte after paths")
	f.Bool(&r.unbuffered, "line-buffered", "flush output on every line")
	f.Enum(&r.colorWhen, "color", "color", []string{"never", "auto", "always", "ansi"}, "`WHEN` to use color: never, auto, always or ansi")
	r.declareCount(f, &r.before, "B,before-context", "show `NUM` lines before each match")
	r.declareCount(f, &r.after, "A,after-context", "show `NUM` lines after each match")
	r.declareCount(f, &r.context, "C,context", "show `NUM` lines before and after each match")
	f.String(&r.separator, "context-separator", "what separates groups of lines: `SEP`")
	f.Bool(&r.noSeparator, "no-context-separator", "print nothing between groups of lines")
}

// declareCount declares an option with a number.
func (r *ripgrep) declareCount(f *builtins.Flags, p *int, names, help string) {
	_, long, _ := strings.Cut(names, ",")
	f.Func(names, help, func(s string) error {
		var n int64
		err := r.parseNumber(&n, long, s)
		*p = int(min(n, math.MaxInt32))
		return err
	})
}

func (r *ripgrep) declareFiles(f *builtins.Flags) {
	f.Strings(&r.globs, "g,glob", "include or, with !, exclude files that match `GLOB`")
	f.Strings(&r.insensitiveGlobs, "iglob", "likewise, case insensitively: `GLOB`")
	f.Strings(&r.types, "t,type", "only search files of `TYPE`")
	f.Strings(&r.notTypes, "T,type-not", "do not search files of `TYPE`")
	f.Do("type-list", "show all types", func() error { return r.listTypes() })
	f.Bool(&r.hidden, "hidden,.", "search hidden files and directories")
	f.Do("no-hidden", "do not search hidden files", func() error { r.hidden = false; return nil })
	f.Bool(&r.noIgnore, "no-ignore", "do not respect ignore files")
	f.Do("ignore", "respect ignore files", func() error { r.noIgnore = false; return nil })
	f.Bool(&r.noVCS, "no-ignore-vcs", "do not respect .gitignore files")
	f.Bool(&r.noDot, "no-ignore-dot", "do not respect .ignore and .rgignore files")
	f.Bool(&r.noParent, "no-ignore-parent", "do not respect ignore files of parent directories")
	f.Bool(&r.anyRepository, "no-require-git", "respect .gitignore files outside of repositories")
	f.Count(&r.unrestricted, "u,unrestricted", "--no-ignore; twice: --hidden too; thrice: --text-like search of binary files too")
	f.Do("L,follow", "follow symbolic links", func() error { r.follow = true; return nil })
	r.declareCount(f, &r.maxDepth, "d,max-depth", "descend at most `NUM` directories")
	f.Func("max-filesize", "ignore files larger than `NUM`, which may end in K, M or G", func(s string) error {
		n, err := size.Parse(s, "KMG")
		if err != nil && !errors.Is(err, size.ErrOverflow) {
			return fmt.Errorf("invalid format for size '%s', which should be a sequence of digits followed by an optional 'K', 'M' or 'G' suffix", s)
		}
		r.maxSize = int64(min(n, math.MaxInt64))
		return nil
	})
	f.Bool(&r.listFiles, "files", "print the files that would be searched")
	f.Bool(&r.silent, "no-messages", "suppress messages about files that cannot be read")
	f.Enum(new(string), "sort", "sort", []string{"path", "none"}, "sort results by `KEY`: path or none, which is the same here")
	f.Func("sortr", "sort results in reverse by `KEY`: path", func(s string) error {
		if s != "path" {
			return fmt.Errorf("sorting by '%s' is not supported", s)
		}
		r.sortReverse = true
		return nil
	})
	f.Func("j,threads", "how many threads to use: `NUM`; one does all the work here", func(s string) error {
		var n int64
		return r.parseNumber(&n, "threads", s)
	})
	f.Do("no-config", "read no configuration file; there is none", func() error { return nil })
}

// run searches.
func (r *ripgrep) run(operands []string) error {
	if err := r.prepare(); err != nil {
		r.Warn(err)
		return builtins.Exit(2)
	}
	defer r.close()
	r.out = bufio.NewWriterSize(r.Stdout, 64<<10)
	r.FlushBefore(r.out.Flush)
	err := r.paths(operands)
	if flushErr := r.out.Flush(); err == nil {
		err = flushErr
	}
	if err == nil && r.matcher != nil {
		err = r.matcher.Err()
	}
	switch {
	case err != nil:
		return err
	case r.Failed() && !(r.quiet && r.selected):
		return builtins.Exit(2)
	case !r.selected:
		return builtins.Exit(1)
	}
	return builtins.Exit(0)
}

// prepare compiles the patterns and the globs.
func (r *ripgrep) prepare() error {
	if r.unrestricted > 0 {
		r.noIgnore = true
	}
	r.hidden = r.hidden || r.unrestricted > 1
	if r.vimgrep {
		r.column, r.grep.number, r.withName = true, true, !r.noName
	}
	if r.passthru {
		r.before, r.after = math.MaxInt32, math.MaxInt32
		r.noSeparator = true
	}
	if err := r.filters(); err != nil {
		return err
	}
	if r.listFiles {
		return nil
	}
	flags := regex.Lines | regex.Unicode
	if r.null {
		flags &^= regex.Lines
	}
	if r.ignoreCase || r.smartCase && !strings.ContainsFunc(strings.Join(r.patterns.list, ""), unicode.IsUpper) {
		flags |= regex.IgnoreCase
	}
	switch {
	case r.line:
		flags |= regex.WholeLine
	case r.word:
		flags |= regex.WholeWord
	}
	dialect := regex.Perl
	if r.matcherKind == "F" {
		dialect = regex.Literal
	}
	re, err := regex.CompileAny(r.patterns.list, dialect, flags)
	if err != nil {
		return fmt.Errorf("regex parse error:\n    %s\nerror: %w", strings.Join(r.patterns.list, "|"), err)
	}
	r.matcher = re.Matcher(r.Call)
	r.settle(0)
	if r.color.on {
		r.color = rgColors
	}
	r.grep.outInfo = nil
	return nil
}

// rgColors are the colors that rg has without a configuration.
var rgColors = grepColors{on: true, match: "0m\x1b[1m\x1b[31", file: "0m\x1b[35", number: "0m\x1b[32", reset: "0", noErase: true}

func (r *ripgrep) close() {
	if r.matcher != nil {
		r.matcher.Close()
	}
	for _, list := range [][]*ignoreRule{r.overrides, r.wanted} {
		for _, rule := range list {
			rule.glob.Close()
		}
	}
}

// paths searches the operands; without any the directory, unless standard input
// is a file or a pipe.
func (r *ripgrep) paths(operands []string) error {
	trim := false
	if len(operands) == 0 {
		operands, trim = []string{"./"}, true
		if !r.listFiles && readable(r.Stdin) {
			operands = []string{"-"}
		}
	}
	r.named = r.withName || !r.noName && len(operands) > 1
	for _, name := range operands {
		err := r.operand(name, trim)
		if err == errMatched {
			return errMatched
		}
		if err != nil && r.Ends(err) {
			return err
		}
		if err != nil {
			r.trouble(name, err)
		}
	}
	return nil
}

// readable reports whether r is something that rg reads where no path is given.
func readable(r any) bool {
	s, ok := r.(vfs.Stream)
	if !ok {
		return false
	}
	info, err := s.Stat()
	return err == nil && info.Mode().Type()&^fs.ModeNamedPipe == 0
}

func (r *ripgrep) operand(name string, trim bool) error {
	if name == "-" {
		return r.searchReader(r.Stdin, r.label, true)
	}
	info, err := r.FS.Stat(name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		if !r.noName {
			r.named = true
		}
		return r.tree(name, trim)
	}
	if r.listFiles {
		return r.printPath(name)
	}
	return r.searchFile(name, name)
}

// trouble reports an error with a file, in the words of rg.
func (r *ripgrep) trouble(name string, err error) {
	if r.silent {
		r.Fail()
		return
	}
	errno, ok := errors.AsType[vfs.Errno](err)
	if !ok {
		r.Warnf("%s: %w", name, err)
		return
	}
	r.Warnf("%s: %w (os error %d)", name, errno, int(errno))
}

func (r *ripgrep) printPath(name string) error {
	r.selected = true
	if r.quiet {
		return errMatched
	}
	r.paint(r.color.file, []byte(name))
	end := byte('\n')
	if r.nullName {
		end = 0
	}
	return r.out.WriteByte(end)
}

// absolute returns the absolute form of a name, without . and ..
func (r *ripgrep) absolute(name string) string { return path.Clean(r.FS.Abs(name)) }
