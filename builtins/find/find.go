// Package find implements find and xargs, as GNU findutils has them.
package find

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/account"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/internal/zone"
	"github.com/limpet-sh/limpet/vfs"
)

var commands builtins.Set

// Commands returns the commands of this package.
func Commands() []*builtins.Command { return commands.Commands() }

var _ = commands.Add(&builtins.Command{
	Name:     "find",
	Synopsis: "[-H] [-L] [-P] [-Olevel] [path...] [expression]",
	Summary:  "search for files in a directory hierarchy",
	Run:      runFind,
})

// A finder is one run of find.
type finder struct {
	c   *builtins.Call
	ctx context.Context
	out *bufio.Writer

	follow     walk.Follow
	oneFS      bool
	depth      bool // directories after their content
	deletes    bool // -delete is what made it so
	minDepth   int
	maxDepth   int // -1 for no bound
	warnings   bool
	now        time.Time
	dayStart   time.Time // what whole days are counted from
	fromToday  bool      // -daystart
	zone       *time.Location
	regexType  string
	pathsFrom  string // -files0-from
	paths      []string
	root       string // the path that is being searched
	expression *expression

	files   map[string]*output // of -fprint and its like
	batches []*batch           // of -exec … +
	closers []func()

	users, groups *account.Table
	failed        bool  // something went wrong that did not end the run
	err           error // what did end it
	quit          bool
	pruned        bool
	list          listWidths
}

func runFind(ctx context.Context, c *builtins.Call) error {
	f := &finder{
		c: c, ctx: ctx, out: bufio.NewWriterSize(c.Stdout, 32<<10), maxDepth: -1,
		now: c.Clock.Now(), zone: zone.Load(c.Getenv("TZ")), files: map[string]*output{},
		warnings: builtins.Interactive(c.Stdin), regexType: "emacs",
		list: listWidths{inode: 9, blocks: 6, links: 3, owner: 8, group: 8, size: 8},
	}
	f.dayStart = f.now.Add(-24 * time.Hour)
	err := f.run()
	for _, o := range f.files {
		if e := o.close(); e != nil && err == nil {
			err = e
		}
	}
	for _, done := range f.closers {
		done()
	}
	return err
}

func (f *finder) run() error {
	args, err := f.options(f.c.Args)
	if err != nil {
		return err
	}
	n := 0
	for n < len(args) && !isExpression(args[n], true) {
		n++
	}
	paths := args[:n]
	f.paths = paths
	p := &parser{finder: f, args: args[n:]}
	if f.expression, err = p.parse(); err != nil {
		return err
	}
	if f.depth && f.pruned && f.deletes {
		return errors.New("The -delete action automatically turns on -depth, but -prune does nothing when -depth is in effect.  If you want to carry on anyway, just explicitly use the -depth option.")
	}
	err = f.all(paths)
	if err == nil {
		err = f.finishBatches()
	}
	if e := f.out.Flush(); e != nil && err == nil {
		err = fmt.Errorf("standard output: %w", vfs.ErrnoOf(e))
	}
	if err != nil {
		return err
	}
	if f.failed {
		return builtins.Exit(1)
	}
	return nil
}

// options takes the options that come before the paths.
func (f *finder) options(args []string) ([]string, error) {
	for len(args) > 0 {
		switch arg := args[0]; {
		case arg == "-P":
			f.follow = walk.Never
		case arg == "-H":
			f.follow = walk.Operand
		case arg == "-L":
			f.follow = walk.Always
		case arg == "--":
			return args[1:], nil
		case arg == "-O":
			return nil, errors.New("The -O option must be immediately followed by a decimal integer")
		case strings.HasPrefix(arg, "-O"):
			if strings.Trim(arg[2:], "0123456789") != "" {
				return nil, errors.New("Please specify a decimal number immediately after -O")
			}
		default:
			return args, nil
		}
		args = args[1:]
	}
	return nil, nil
}

// isExpression reports whether arg belongs to the expression and not to the
// paths. leading says that no other argument has done so yet.
func isExpression(arg string, leading bool) bool {
	switch {
	case arg == "":
		return false
	case arg[0] == '-':
		return len(arg) > 1
	case arg == ")" || arg == ",":
		return !leading
	}
	return arg == "(" || arg == "!"
}

// all searches the paths.
func (f *finder) all(paths []string) error {
	if f.pathsFrom != "" {
		return f.allFrom(f.pathsFrom)
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, path := range paths {
		if err := f.path(path); err != nil || f.quit {
			return err
		}
	}
	return nil
}

// allFrom searches the paths that a file lists, with a NUL after each.
func (f *finder) allFrom(name string) error {
	var in io.Reader = f.c.Stdin
	if name != "-" {
		file, err := f.c.FS.Open(name)
		if err != nil {
			return fmt.Errorf("cannot open %s for reading: %w", builtins.QuoteLocale(name), vfs.ErrnoOf(err))
		}
		defer file.Close()
		in = file
	}
	lines := f.c.Lines(in, 0)
	defer lines.Close()
	for n := 1; ; n++ {
		record, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if f.c.Ends(err) {
				return err
			}
			return fmt.Errorf("%s: read error: %w", builtins.QuoteLocale(name), vfs.ErrnoOf(err))
		}
		path, _ := builtins.TrimDelim(record, 0)
		if len(path) == 0 {
			if name == "-" {
				name = "(standard input)"
			}
			f.warn(fmt.Errorf("%s:%d: invalid zero-length file name", builtins.QuoteLocale(name), n))
			continue
		}
		if err := f.path(string(path)); err != nil || f.quit {
			return err
		}
	}
}

// errQuit ends a walk for -quit.
var errQuit = errors.New("quit")

func (f *finder) path(path string) error {
	f.root = path
	err := walk.Tree(f.c, path, walk.Options{Follow: f.follow, OneFS: f.oneFS}, f.visit)
	if err == errQuit {
		return nil
	}
	return err
}

func (f *finder) visit(e *walk.Entry) error {
	if e.Post {
		if e.Err != nil {
			f.warnFile(e.Path, e.Err)
		}
		if f.depth {
			return f.evaluate(e)
		}
		return nil
	}
	switch {
	case e.Err == walk.ErrCycle:
		f.warn(fmt.Errorf("File system loop detected; %s is part of the same file system loop as %s.",
			builtins.QuoteLocale(e.Path), builtins.QuoteLocale(f.ancestor(e))))
		return nil
	case e.Err != nil:
		f.warnFile(e.Path, e.Err)
		return nil
	}
	deepest := f.maxDepth >= 0 && e.Depth >= f.maxDepth
	if f.depth && e.Type().IsDir() && !deepest {
		return nil
	}
	f.pruned = false
	if err := f.evaluate(e); err != nil {
		return err
	}
	if deepest || f.pruned {
		return walk.Skip
	}
	return nil
}

// ancestor returns the path of the directory above e that is e itself.
func (f *finder) ancestor(e *walk.Entry) string {
	info, err := e.Info()
	if info == nil {
		info, err = f.c.FS.Stat(e.Path)
	}
	for path := e.Path; err == nil; {
		i := strings.LastIndexByte(path, '/')
		if i <= 0 {
			break
		}
		path = path[:i]
		if up, err := f.c.FS.Stat(path); err == nil && vfs.SameFile(up, info) {
			return path
		}
	}
	return e.Path
}

// evaluate applies the expression to e.
func (f *finder) evaluate(e *walk.Entry) error {
	if e.Depth < f.minDepth {
		return nil
	}
	f.expression.eval(f, e)
	switch {
	case f.err != nil:
		return f.err
	case f.quit:
		return errQuit
	}
	return nil
}

// ended reports whether the search is over.
func (f *finder) ended() bool { return f.quit || f.err != nil }

// warn warns of an error that does not end the search.
func (f *finder) warn(err error) {
	if f.c.Ends(err) {
		f.err = err
		return
	}
	_ = f.out.Flush()
	f.failed = true
	f.c.Warn(err)
}

// warnFile warns of an error with a file.
func (f *finder) warnFile(path string, err error) {
	f.warn(fmt.Errorf("%s: %w", builtins.QuoteLocale(path), vfs.ErrnoOf(err)))
}

// advise prints a warning that is no failure.
func (f *finder) advise(format string, args ...any) {
	fmt.Fprintf(f.c.Stderr, "%s: warning: %s\n", f.c.Name, fmt.Sprintf(format, args...))
}

// userTable and groupTable return the names of users and groups.
func (f *finder) userTable() *account.Table {
	if f.users == nil {
		f.users = account.Users(f.c.FS)
		f.users.Add(f.c.User.Name, f.c.User.UID)
	}
	return f.users
}

func (f *finder) groupTable() *account.Table {
	if f.groups == nil {
		f.groups = account.Groups(f.c.FS)
		f.groups.Add(f.c.User.Group, f.c.User.GID)
	}
	return f.groups
}
