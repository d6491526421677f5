package search

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "fd",
	Aliases:  []string{"fdfind"},
	Synopsis: "[OPTIONS] [pattern] [path]...",
	Summary:  "find files by name, leaving out what is hidden or ignored",
	Trouble:  2,
	Run:      func(ctx context.Context, c *builtins.Call) error { return runFd(ctx, c) },
})

// A finder is one run of fd. Which files are left out is decided as in rg.
type finder struct {
	*rgWalk
	ctx                  context.Context
	full, glob, fixed    bool
	absolutePaths, quiet bool
	minDepth             int
	maxResults           int
	kinds, extensions    []string
	command              *fdCommand // of -x, -X or -l
	filters              []fdFilter
	badDate              string
	patterns             []string // of --and
	others               []*regex.Matcher
	details              bool
	prune                bool
	batchSize            int
	base                 string
	roots                []string // of --search-path
	showErrors           bool
	results              int
	root                 string
	implied              bool // the root is the directory that nobody named
	strip                bool // and results do not begin with ./
}

// errEnough ends a search that has found what it needs.
var errEnough = errors.New("enough results")

func runFd(ctx context.Context, c *builtins.Call) error {
	r := &ripgrep{grep: &grep{Call: c}, rgFiles: rgFiles{maxDepth: -1, ownIgnore: ".fdignore"}}
	d := &finder{rgWalk: &rgWalk{ripgrep: r}, ctx: ctx, maxResults: math.MaxInt}
	defer r.close()
	d.takeCommand()
	f := c.Flags()
	f.Info("h", "V")
	f.Prefix, f.Hint = "error", "\nFor more information try '--help'\n"
	f.Unknown = func(arg string) error {
		return builtins.Usage("Found argument '%s' which wasn't expected, or isn't valid in this context\n\n"+
			"  If you tried to supply '%s' as a value rather than a flag, use '-- %s'\n\nUsage: %s [OPTIONS] [pattern] [path]...", arg, arg, arg, c.Name)
	}
	d.declare(f)
	d.declareSearch(f)
	d.declareFilters(f)
	operands, err := f.Parse()
	if err != nil {
		return err
	}
	if d.badDate != "" {
		return d.fail("'%s' is not a valid date or duration. See 'fd --help'.", d.badDate)
	}
	if err := d.settle(); err != nil {
		return err
	}
	pattern := ""
	if len(operands) > 0 {
		pattern, operands = operands[0], operands[1:]
	}
	if !d.full && strings.Contains(pattern, "/") && d.isDir(pattern) && len(operands) == 0 {
		return d.fail("The search pattern '%s' contains a path-separation character ('/') and will not lead to any search results.\n\n"+
			"If you want to search for all files inside the '%s' directory, use a match-all pattern:\n\n  fd . '%s'\n\n"+
			"Instead, if you want your pattern to match the full file path, use:\n\n  fd --full-path '%s'", pattern, pattern, pattern, pattern)
	}
	if err := d.compile(pattern); err != nil {
		return d.fail("regex parse error:\n    %s\nerror: %v\n\nNote: You can use the '--fixed-strings' option to search for a literal string instead of a regular expression. "+
			"Alternatively, you can also use the '--glob' option to match on a glob pattern.", pattern, err)
	}
	for _, p := range d.patterns {
		if err := d.compile(p); err != nil {
			return d.fail("regex parse error:\n    %s\nerror: %v", p, err)
		}
	}
	defer func() {
		for _, m := range d.others {
			m.Close()
		}
	}()
	if err := r.filters(); err != nil {
		return err
	}
	r.out = bufio.NewWriterSize(c.Stdout, 64<<10)
	return d.search(append(operands, d.roots...))
}

// settle derives from the options what follows from them.
func (d *finder) settle() error {
	if d.base != "" {
		if !d.isDir(d.base) {
			return d.fail("The '--base-directory' path '%s' is not a directory.", d.base)
		}
		view := *d.FS
		view.Dir = d.FS.Abs(d.base)
		d.FS = &view
	}
	if d.details {
		color := "--color=" + cmp.Or(d.colorWhen, "auto")
		d.command = &fdCommand{args: []string{"ls", "-l", "--human-readable", color, "-d", "{}"}, batch: true}
	}
	return nil
}

// declareSearch declares the options about what is searched and how results are
// used.
func (d *finder) declareSearch(f *builtins.Flags) {
	f.Strings(&d.patterns, "and", "show only what matches `PATTERN` too")
	f.Bool(&d.details, "l,list-details", "run ls -l for the results")
	f.Bool(&d.prune, "prune", "do not enter directories that are results")
	d.declareNumber(f, &d.batchSize, "batch-size", "run the command of -X for at most `SIZE` results at once")
	f.String(&d.base, "base-directory", "search, and show results, from the directory `PATH`")
	f.Strings(&d.roots, "search-path", "search `PATH` instead of operands")
	f.String(&d.pathSep, "path-separator", "print `SEPARATOR` between the parts of paths")
	f.Strings(&d.ignoreFiles, "ignore-file", "respect the ignore file `PATH`")
	both(f, &d.oneFS, "one-file-system,mount,xdev", "no-one-file-system", "do not search other file systems")
	f.Bool(&d.showErrors, "show-errors", "report files that cannot be read")
	f.Do("no-hidden", "undo -H", func() error { d.hidden = false; return nil })
	f.Do("ignore", "undo -I", func() error { d.noIgnore = false; return nil })
	f.Do("ignore-vcs", "undo --no-ignore-vcs", func() error { d.noVCS = false; return nil })
	f.Do("no-follow", "undo -L", func() error { d.follow = false; return nil })
	f.Do("relative-path", "undo -a", func() error { d.absolutePaths = false; return nil })
}

func (d *finder) declare(f *builtins.Flags) {
	sensitive := func(ignore, smart bool) func() error {
		return func() error { d.ignoreCase, d.smartCase = ignore, smart; return nil }
	}
	d.smartCase = true
	f.Bool(&d.hidden, "H,hidden", "search hidden files and directories")
	f.Bool(&d.noIgnore, "I,no-ignore", "do not respect ignore files")
	f.Bool(&d.noVCS, "no-ignore-vcs", "do not respect .gitignore files")
	f.Bool(&d.noParent, "no-ignore-parent", "do not respect ignore files of parent directories")
	f.Do("u,unrestricted", "search hidden and ignored files: the same as -HI", func() error { d.hidden, d.noIgnore = true, true; return nil })
	f.Do("s,case-sensitive", "case sensitive search", sensitive(false, false))
	f.Do("i,ignore-case", "case insensitive search, as is done unless the pattern has an upper case letter", sensitive(true, false))
	f.Bool(&d.glob, "g,glob", "the pattern is a glob, for whole names")
	f.Do("regex", "the pattern is a regular expression, which is the default", func() error { d.glob = false; return nil })
	f.Bool(&d.fixed, "F,fixed-strings", "the pattern is a literal string")
	f.Bool(&d.absolutePaths, "a,absolute-path", "show absolute paths")
	f.Do("L,follow", "follow symbolic links", func() error { d.follow = true; return nil })
	f.Bool(&d.full, "p,full-path", "match absolute paths and not only names")
	f.Bool(&d.nullName, "0,print0", "print a 0 byte after each result")
	d.declareNumber(f, &d.maxDepth, "d,max-depth", "descend at most `DEPTH` directories")
	d.declareNumber(f, &d.minDepth, "min-depth", "only show results at `DEPTH` or deeper")
	f.Func("exact-depth", "only show results at `DEPTH`", func(s string) error {
		n, err := parseFdNumber(s, "exact-depth <depth>")
		d.minDepth, d.maxDepth = n, n
		return err
	})
	f.Func("E,exclude", "leave out what matches the glob `PATTERN`", func(s string) error { d.globs = append(d.globs, "!"+s); return nil })
	f.Func("t,type", "only show files of `TYPE`: file, directory, symlink, executable, empty, socket or pipe, or their first letters", d.addKind)
	f.Func("e,extension", "only show files whose names end in `EXT`", func(s string) error {
		d.extensions = append(d.extensions, "."+strings.ToLower(strings.TrimLeft(s, ".")))
		return nil
	})
	d.declareNumber(f, &d.maxResults, "max-results", "show at most `COUNT` results")
	f.Do("1", "the same as --max-results=1", func() error { d.maxResults = 1; return nil })
	// A command that follows by itself is not an argument any more.
	missing := func(string) error { return errors.New("-x and -X are followed by a command, in arguments of its own") }
	f.Func("x,exec", "run `CMD`, all arguments up to a ;, for each result", missing)
	f.Func("X,exec-batch", "run `CMD` once for all results", missing)
	f.Bool(&d.quiet, "q,quiet,has-results", "print nothing; the status tells whether there is a result")
	f.Bool(&d.strip, "strip-cwd-prefix", "do not begin paths with ./ for -0, -x and -X")
	f.Enum(&d.colorWhen, "c,color", "color", []string{"never", "auto"}, "`WHEN` to use color: never, or auto, which is the same here")
	f.Func("j,threads", "how many threads to use: `NUM`; one does all the work here", func(s string) error {
		_, err := strconv.ParseUint(s, 10, 31)
		return err
	})
}

func (d *finder) addKind(s string) error {
	long := map[string]string{"file": "f", "directory": "d", "symlink": "l", "executable": "x", "empty": "e", "socket": "s", "pipe": "p"}
	kind := cmp.Or(long[s], s)
	if !strings.Contains("f d l x e s p", kind) || len(kind) != 1 {
		return builtins.Usage("'%s' isn't a valid value for '--type <filetype>'\n  [possible values: file, directory, symlink, executable, empty, socket, pipe]", s)
	}
	d.kinds = append(d.kinds, kind)
	return nil
}

// declareNumber declares an option with a number.
func (d *finder) declareNumber(f *builtins.Flags, p *int, names, help string) {
	_, rest, _ := strings.Cut(help, "`")
	value, _, _ := strings.Cut(rest, "`")
	long := names[strings.LastIndexByte(names, ',')+1:]
	f.Func(names, help, func(s string) (err error) {
		*p, err = parseFdNumber(s, long+" <"+strings.ToLower(value)+">")
		return err
	})
}

func parseFdNumber(s, option string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return 0, fdValue(s, option, "invalid digit found in string")
	}
	return int(n), nil
}

// fail prints an error that ends the search.
func (d *finder) fail(format string, args ...any) error {
	fmt.Fprintf(d.Stderr, "[fd error]: "+format+"\n", args...)
	return builtins.Exit(1)
}

func (d *finder) isDir(name string) bool {
	info, err := d.FS.Stat(name)
	return err == nil && info.IsDir()
}

func (d *finder) compile(pattern string) error {
	dialect, flags := regex.Perl, regex.Flags(0)
	if d.ignoreCase || d.smartCase && !strings.ContainsFunc(pattern, unicode.IsUpper) {
		flags |= regex.IgnoreCase
	}
	switch {
	case d.fixed:
		dialect = regex.Literal
	case d.glob && pattern != "":
		pattern, flags = globPattern(pattern), flags|regex.WholeLine
	}
	re, err := regex.Compile(pattern, dialect, flags)
	if err != nil {
		return err
	}
	if m := re.Matcher(d.Call); d.matcher == nil {
		d.matcher = m
	} else {
		d.others = append(d.others, m)
	}
	return nil
}

// search searches the directories, and returns the status.
func (d *finder) search(roots []string) error {
	if len(roots) == 0 {
		roots, d.implied = []string{"."}, true
	}
	valid := slices.DeleteFunc(slices.Clone(roots), func(root string) bool {
		if d.isDir(root) {
			return false
		}
		fmt.Fprintf(d.Stderr, "[fd error]: Search path '%s' is not a directory.\n", root)
		return true
	})
	if len(valid) == 0 {
		return d.fail("No valid search paths given.")
	}
	slices.SortStableFunc(valid, func(a, b string) int {
		return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
	})
	err := error(nil)
	for _, root := range valid {
		if err = d.tree(root); err != nil {
			break
		}
	}
	if err == errEnough {
		err = nil
	}
	if err == nil && d.command != nil {
		err = d.command.finish(d)
	}
	if flushErr := d.out.Flush(); err == nil {
		err = flushErr
	}
	if err == nil {
		err = d.matcher.Err()
	}
	switch {
	case err != nil:
		return err
	case d.Failed() || d.command != nil && d.command.failed || d.quiet && d.results == 0:
		return builtins.Exit(1)
	}
	return builtins.Exit(0)
}

func (d *finder) tree(root string) error {
	d.root, d.levels = root, nil
	defer func() {
		for _, l := range d.levels {
			l.close()
		}
	}()
	if err := d.ancestors(root); err != nil {
		return err
	}
	follow := walk.Operand
	if d.follow {
		follow = walk.Always
	}
	return walk.Tree(d.Call, root, walk.Options{Follow: follow, OneFS: d.oneFS}, d.visit)
}

// visit decides about one file.
func (d *finder) visit(e *walk.Entry) error {
	if e.Post {
		if n := len(d.levels); n > 0 && d.levels[n-1].depth == e.Depth {
			d.levels[n-1].close()
			d.levels = d.levels[:n-1]
		}
	}
	if e.Err != nil && d.showErrors && !errors.Is(e.Err, walk.ErrCycle) {
		errno, _ := errors.AsType[vfs.Errno](e.Err)
		fmt.Fprintf(d.Stderr, "[fd error]: %s: %v (os error %d)\n", e.Path, vfs.ErrnoOf(e.Err), int(errno))
	}
	if e.Post || e.Err != nil {
		return nil
	}
	dir := e.Type().IsDir()
	if e.Depth > 0 {
		if d.excluded(e, dir) {
			if dir {
				return walk.Skip
			}
			return nil
		}
		if e.Depth >= d.minDepth {
			ok, err := d.matches(e)
			if err == nil && ok {
				err = d.found(e, dir)
			}
			if err != nil {
				return err
			}
			if ok && dir && d.prune {
				return walk.Skip
			}
		}
	}
	if !dir {
		return nil
	}
	if d.maxDepth >= 0 && e.Depth >= d.maxDepth {
		return walk.Skip
	}
	l, err := d.level(d.absolute(e.Path), e.Depth)
	if err == nil {
		d.levels = append(d.levels, l)
	}
	return err
}

// matches decides whether a file is a result.
func (d *finder) matches(e *walk.Entry) (bool, error) {
	name := e.Name()
	if d.full {
		name = d.absolute(e.Path)
	}
	if !d.matcher.Match([]byte(name)) {
		return false, d.matcher.Err()
	}
	for _, m := range d.others {
		if !m.Match([]byte(name)) {
			return false, m.Err()
		}
	}
	if len(d.filters) > 0 {
		info, err := e.Info()
		if err != nil || slices.ContainsFunc(d.filters, func(f fdFilter) bool { return !f(info) }) {
			return false, nil
		}
	}
	ends := func(ext string) bool {
		name := strings.ToLower(e.Name())
		return strings.HasSuffix(name, ext) && len(name) > len(ext)
	}
	if len(d.extensions) > 0 && !slices.ContainsFunc(d.extensions, ends) {
		return false, nil
	}
	return len(d.kinds) == 0 || d.isKind(e), nil
}
