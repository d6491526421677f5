package search

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"strings"
	"unicode"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "rg",
	Synopsis: "[OPTIONS] PATTERN [PATH ...]",
	Summary:  "search directories for lines that match a pattern, as ripgrep does",
	Trouble:  2,
	Run:      runRg,
})

// A ripgrep is what rg has beyond grep.
type ripgrep struct {
	*grep
	rgMatching
	rgOutput
	rgFiles

	ctx       context.Context
	types     []typeChange
	typeTable rgTypes
	stats     rgStats
	overrides []*ignoreRule
	wanted    []*ignoreRule // of -t and -T
	explicit  []*ignoreRule // of --ignore-file
	global    []*ignoreRule // of git's file for the user
	any       bool          // overrides have a glob that is not negated
	anyType   bool
	headed    string // the file whose name was printed last
	found     []rgFound
}

func runRg(ctx context.Context, c *builtins.Call) error {
	g := &grep{Call: c, bytesOnly: true, grepOptions: grepOptions{
		limit: math.MaxInt64, before: -1, after: -1, context: -1, label: "<stdin>", separator: "--",
		binary: "binary", directories: "recurse", devices: "read", colorWhen: "never",
	}}
	r := &ripgrep{grep: g, ctx: ctx, typeTable: newRgTypes(), rgFiles: rgFiles{ownIgnore: ".rgignore", maxDepth: -1, maxSize: math.MaxInt64}}
	r.matchSep, r.contextSep = ":", "-"
	r.colors = defaultRgColors()
	g.rg = r
	f := c.Flags()
	f.Unknown = func(arg string) error {
		return builtins.Usage("Found argument '%s' which wasn't expected, or isn't valid in this context", arg)
	}
	r.declareMatching(f)
	r.declareOutput(f)
	r.declareForm(f)
	r.declareFiles(f)
	r.declareIgnores(f)
	f.Prefix, f.Hint = "error", rgUsage
	operands, err := f.Parse()
	if err != nil {
		return err
	}
	if r.listTypes {
		return r.printTypes()
	}
	if other := r.besidesJSON(); other != "" {
		return f.Fail(builtins.Usage("The argument '%s' cannot be used with '--json'", other))
	}
	if !g.patterns.given && !r.listFiles {
		if len(operands) == 0 {
			return f.Fail(builtins.Usage("The following required arguments were not provided:\n    <PATTERN>"))
		}
		if g.patterns.given = true; r.matcherKind == "F" || r.multiline {
			g.patterns.list = []string{operands[0]}
		} else {
			g.patterns.list = append(g.patterns.list, operands[0])
		}
		operands = operands[1:]
	}
	defer func() { g.Free(g.held) }()
	return r.run(operands)
}

// rgUsage follows the explanation of a mistake in the arguments.
const rgUsage = `
USAGE:
    
    rg [OPTIONS] PATTERN [PATH ...]
    rg [OPTIONS] -e PATTERN ... [PATH ...]
    rg [OPTIONS] -f PATTERNFILE ... [PATH ...]
    rg [OPTIONS] --files [PATH ...]
    rg [OPTIONS] --type-list
    command | rg [OPTIONS] PATTERN
    rg [OPTIONS] --help
    rg [OPTIONS] --version

For more information try --help

`

// complain prints err as rg does, which says no name before it.
func (r *ripgrep) complain(err error) error {
	_ = r.out.Flush()
	fmt.Fprintln(r.Stderr, err)
	return builtins.Exit(2)
}

// run searches.
func (r *ripgrep) run(operands []string) error {
	start := r.Clock.Now()
	counter := &countingWriter{w: r.Stdout}
	r.out = bufio.NewWriterSize(counter, 64<<10)
	r.stats.out, r.stats.buffer = counter, r.out
	defer r.close()
	if err := r.prepare(); err != nil {
		return r.complain(err)
	}
	r.FlushBefore(r.out.Flush)
	err := r.paths(operands)
	if err == nil {
		err = r.searchFound()
	}
	if err == nil || err == errMatched {
		r.summarize(r.Clock.Now().Sub(start))
	}
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
	r.searchBinary = r.searchBinary || r.unrestricted > 2
	if r.vimgrep {
		r.column, r.withName = true, !r.noName
		if !r.numberGiven {
			r.grep.number = true
		}
	}
	if r.passthru {
		r.before, r.after = math.MaxInt32, math.MaxInt32
		r.noSeparator = true
	}
	r.count = r.count || r.countMatches
	r.countMatches = r.countMatches || r.count && r.only
	if r.json {
		r.quietJSON()
	}
	if err := r.filters(); err != nil {
		return err
	}
	if err := r.checkEncoding(); err != nil {
		return err
	}
	if r.listFiles {
		return nil
	}
	if err := r.compile(); err != nil {
		return err
	}
	r.settle(0)
	r.grouped = r.before > 0 || r.after > 0
	if r.color.on {
		r.color = r.colors.sequences()
	}
	r.grep.outInfo = nil
	return nil
}

// compile compiles the patterns.
func (r *ripgrep) compile() error {
	flags := regex.Multiline
	if !r.noUnicode {
		flags |= regex.Unicode
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
	if r.multiline && r.dotAll {
		flags |= regex.DotNewline
	}
	dialect := regex.Perl
	list := r.patterns.list
	if r.matcherKind == "F" {
		dialect = regex.Literal
	} else if r.crlf {
		list = nil
		for _, p := range r.patterns.list {
			list = append(list, crlfPattern(p))
		}
	}
	cost := compileCost(list)
	if err := r.Alloc(cost); err != nil {
		return err
	}
	defer r.Free(cost)
	re, err := regex.CompileAny(list, dialect, flags)
	if err == nil && !r.multiline {
		if _, must := re.Newlines(); must {
			return errNewline
		}
		if flags &^= regex.Multiline; !r.null {
			flags |= regex.Lines
		}
		re, err = regex.CompileAny(list, dialect, flags)
	}
	if err != nil {
		return fmt.Errorf("regex parse error:\n    %s\nerror: %w", strings.Join(r.patterns.list, "|"), err)
	}
	if r.sizeLimit > 0 && int64(re.Size()) > r.sizeLimit {
		return fmt.Errorf("Compiled regex exceeds size limit of %d bytes.", r.sizeLimit)
	}
	can, _ := re.Newlines()
	r.across = r.multiline && can
	r.matcher = re.Matcher(r.Call)
	return nil
}

// errNewline is the error of a pattern that asks for a newline, which no line has.
var errNewline = errors.New(`the literal '"\n"' is not allowed in a regex

Consider enabling multiline mode with the --multiline flag (or -U for short).
When multiline mode is enabled, new line characters can be matched.`)

// crlfPattern returns a pattern of which $ matches before a carriage return too.
func crlfPattern(p string) string {
	var b strings.Builder
	bracket := false
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\' && i+1 < len(p):
			b.WriteByte(c)
			i++
		case c == '[' && !bracket:
			bracket = true
		case c == ']' && i > 0 && p[i-1] != '[':
			bracket = false
		case c == '$' && !bracket:
			b.WriteString(`(?:\r??$)`)
			continue
		}
		b.WriteByte(p[i])
	}
	return b.String()
}

func (r *ripgrep) close() {
	if r.matcher != nil {
		r.matcher.Close()
	}
	for _, list := range [][]*ignoreRule{r.overrides, r.wanted, r.explicit, r.global} {
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
		return r.searchReader(r.decoded(r.Stdin), r.label, true)
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
		return r.printPath(r.separated(name))
	}
	if r.sortBy != "" && !r.listFiles {
		return r.keep(name, name, info)
	}
	return r.searchFile(name, r.separated(name))
}

// separated returns a name as --path-separator has it printed.
func (r *ripgrep) separated(name string) string {
	if r.pathSep == "" {
		return name
	}
	return strings.ReplaceAll(name, "/", r.pathSep)
}

// trouble reports an error with a file, in the words of rg.
func (r *ripgrep) trouble(name string, err error) {
	if r.silent {
		r.Fail()
		return
	}
	r.Fail()
	_ = r.complain(fmt.Errorf("%s: %w", name, osError(err)))
}

// osError returns err as rg prints it, which is with the number of an error of
// files.
func osError(err error) error {
	if errno, ok := errors.AsType[vfs.Errno](err); ok {
		return fmt.Errorf("%w (os error %d)", errno, int(errno))
	}
	return err
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
