package file

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/account"
	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/internal/zone"
)

var _ = commands.Add(&builtins.Command{
	Name:     "tree",
	Synopsis: "[OPTION]... [DIRECTORY]...",
	Summary:  "list contents of directories in a tree-like format",
	Run:      runTree,
})

// A treeLister is tree with its options.
type treeLister struct {
	c    *builtins.Call
	out  *bufio.Writer
	now  time.Time
	zone *time.Location

	all, dirsOnly       bool
	followLinks         bool
	fullPaths, noIndent bool
	oneFS               bool
	level               int // -1 for no bound
	include, exclude    []*pattern.Pattern
	matchDirs           bool
	prune, du           bool
	noReport            bool
	json                bool
	metaFirst           bool
	limit               int // of entries of a directory; 0 for none
	order               string
	reverse             bool
	top                 string // "dirs" or "files" first
	charset             string

	inode, device, perms bool
	user, group          bool
	size, human, si      bool
	date, ctime          bool
	timeFormat           string
	classify             bool
	quoteNames           bool
	question, raw        bool

	users, groups *account.Table
	seen          map[identity]bool // directories, for --follow
	held          int
	dirs, files   int
	bytes         int64
	failed        bool
}

func runTree(_ context.Context, c *builtins.Call) error {
	t := &treeLister{
		c: c, out: bufio.NewWriterSize(c.Stdout, 32<<10), level: -1, order: "name", now: c.Clock.Now(),
		zone: zone.Load(c.Getenv("TZ")), seen: map[identity]bool{},
		users: userTable(c), groups: groupTable(c),
	}
	var o treeFlags
	f := c.Flags()
	o.declare(f, t)
	names, err := f.Parse()
	if err != nil {
		return err
	}
	if o.output != "" {
		file, err := c.FS.Create(o.output)
		if err != nil {
			return fmt.Errorf("invalid filename '%s'.", o.output)
		}
		defer file.Close()
		t.out = bufio.NewWriter(file)
	}
	t.compile(&o)
	if len(names) == 0 {
		names = []string{"."}
	}
	err = t.run(names)
	c.Free(t.held)
	if err = finish(t.out, err); err != nil {
		return err
	}
	if t.failed {
		return builtins.Exit(2)
	}
	return nil
}

// treeFlags are options of tree that others decide about.
type treeFlags struct {
	include, exclude []string
	ignoreCase       bool
	output           string
}

func (o *treeFlags) declare(f *builtins.Flags, t *treeLister) {
	f.Bool(&t.all, "a", "all files are listed")
	f.Bool(&t.dirsOnly, "d", "list directories only")
	f.Bool(&t.followLinks, "l", "follow symbolic links like directories")
	f.Bool(&t.fullPaths, "f", "print the full path prefix for each file")
	f.Bool(&t.oneFS, "x", "stay on current filesystem only")
	f.Func("L", "descend only `LEVEL` directories deep", func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return errors.New("Invalid level, must be greater than 0.")
		}
		t.level = n
		return nil
	})
	f.Strings(&o.include, "P", "list only those files that match the `PATTERN` given")
	f.Strings(&o.exclude, "I", "do not list files that match the given `PATTERN`")
	f.Bool(&o.ignoreCase, "ignore-case", "ignore case when pattern matching")
	f.Bool(&t.matchDirs, "matchdirs", "include directory names in -P pattern matching")
	f.Bool(&t.metaFirst, "metafirst", "print meta-data at the beginning of each line")
	f.Bool(&t.prune, "prune", "prune empty directories from the output")
	f.Bool(&t.noReport, "noreport", "turn off file/directory count at end of tree listing")
	f.String(&t.charset, "charset", "use charset `X` for terminal output")
	f.Func("filelimit", "do not descend dirs with more than `N` files in them", func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return fmt.Errorf("invalid file limit: %s", builtins.QuoteLocale(s))
		}
		t.limit = n
		return nil
	})
	f.String(&o.output, "o", "output to `FILE` instead of stdout")
	o.declareInfo(f, t)
	f.Bool(&t.quoteNames, "Q", "quote filenames with double quotes")
	f.Do("q", "print non-printable characters as '?'", func() error { t.question, t.raw = true, false; return nil })
	f.Do("N", "print non-printable characters as is", func() error { t.question, t.raw = false, true; return nil })
	f.Bool(&t.classify, "F", "append '/', '=', '*' or '|' as per ls -F")
	order := func(by string) func() error {
		return func() error { t.order = by; return nil }
	}
	f.Do("v", "sort files alphanumerically by version", order("version"))
	f.Do("t", "sort files by last modification time", order("mtime"))
	f.Do("c", "sort files by last status change time", func() error { t.order, t.ctime = "ctime", true; return nil })
	f.Do("U", "leave files unsorted", order("none"))
	f.Bool(&t.reverse, "r", "reverse the order of the sort")
	f.Enum(&t.order, "sort", "sort", []string{"name", "version", "size", "mtime", "ctime", "none"}, "select sort: `WORD`")
	f.Do("dirsfirst", "list directories before files (-U disables)", func() error { t.top = "dirs"; return nil })
	f.Do("filesfirst", "list files before directories (-U disables)", func() error { t.top = "files"; return nil })
	f.Bool(&t.noIndent, "i", "don't print indentation lines")
	f.Do("n", "turn colorization off, as it always is", func() error { return nil })
	f.Bool(&t.json, "J", "print out a JSON representation of the tree")
}

func (o *treeFlags) declareInfo(f *builtins.Flags, t *treeLister) {
	f.Bool(&t.perms, "p", "print the protections for each file")
	f.Bool(&t.user, "u", "display file owner or UID number")
	f.Bool(&t.group, "g", "display file group owner or GID number")
	f.Bool(&t.size, "s", "print the size in bytes of each file")
	f.Do("h", "print the size in a more human readable way", func() error { t.size, t.human = true, true; return nil })
	f.Do("si", "like -h, but use in SI units (powers of 1000)", func() error { t.size, t.si = true, true; return nil })
	f.Do("du", "compute size of directories by their contents", func() error { t.size, t.du = true, true; return nil })
	f.Bool(&t.date, "D", "print the date of last modification or (-c) status change")
	f.Func("timefmt", "print and format time according to the format `FMT`", func(s string) error {
		t.date, t.timeFormat = true, s
		return nil
	})
	f.Bool(&t.inode, "inodes", "print inode number of each file")
	f.Bool(&t.device, "device", "print device ID number to which each file belongs")
}

// compile prepares what the options describe.
func (t *treeLister) compile(o *treeFlags) {
	flags := pattern.Flags(0)
	if o.ignoreCase {
		flags = pattern.IgnoreCase
	}
	compile := func(texts []string) (list []*pattern.Pattern) {
		for _, text := range texts {
			for alternative := range strings.SplitSeq(text, "|") {
				list = append(list, pattern.Compile(alternative, flags))
			}
		}
		return list
	}
	t.include, t.exclude = compile(o.include), compile(o.exclude)
	if t.charset == "" {
		t.charset = t.c.Getenv("TREE_CHARSET")
	}
	if t.charset == "" {
		for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
			if v := t.c.Getenv(name); v != "" {
				_, t.charset, _ = strings.Cut(v, ".")
				break
			}
		}
	}
}

// run lists the trees of names.
func (t *treeLister) run(names []string) error {
	if t.json {
		io.WriteString(t.out, "["+t.newline())
	}
	for i, name := range names {
		if err := t.root(name, i+1 < len(names)); err != nil {
			return err
		}
	}
	switch {
	case t.json:
		t.reportJSON()
	case !t.noReport:
		t.report()
	}
	return nil
}

func (t *treeLister) root(name string, more bool) error {
	if trimmed := strings.TrimRight(name, "/"); t.fullPaths && trimmed != "" {
		name = trimmed
	}
	n := &treeNode{name: name, path: name}
	info, err := t.c.FS.Lstat(name)
	if err != nil {
		t.failed = true
		n.problem = "error opening dir"
	} else {
		t.describe(n, info)
		if err := t.read(n); err != nil {
			return err
		}
		if !n.isDir {
			n.problem = "error opening dir"
		}
	}
	if t.json {
		return t.printJSON(n, more)
	}
	return t.print(n)
}

// report prints the totals.
func (t *treeLister) report() {
	t.out.WriteByte('\n')
	if t.du {
		unit := " bytes"
		if t.human || t.si {
			unit = ""
		}
		fmt.Fprintf(t.out, "%s%s used in ", t.sizeText(t.bytes), unit)
	}
	fmt.Fprintf(t.out, "%d director%s", t.dirs, map[bool]string{true: "y", false: "ies"}[t.dirs == 1])
	if !t.dirsOnly {
		fmt.Fprintf(t.out, ", %d file%s", t.files, plural(t.files))
	}
	t.out.WriteByte('\n')
}
