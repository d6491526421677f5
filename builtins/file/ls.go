package file

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/pattern"
)

var _ = commands.Add(&builtins.Command{
	Name:     "ls",
	Aliases:  []string{"dir", "vdir"},
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "list directory contents",
	Trouble:  2,
	Run:      runLs,
})

// lsFormat is how ls arranges names.
type lsFormat string

const (
	lsLong    lsFormat = "verbose"
	lsOne     lsFormat = "single-column"
	lsColumns lsFormat = "vertical"
	lsAcross  lsFormat = "horizontal"
	lsCommas  lsFormat = "commas"
)

// lsOptions are the options of ls.
type lsOptions struct {
	format       lsFormat
	sort         string // name, none, time, size, extension, version or width
	time         string // mtime, atime, ctime or birth
	reverse      bool
	dirsFirst    bool
	all, almost  bool // -a, -A
	ignore       []*pattern.Pattern
	hide         []*pattern.Pattern
	directories  bool // -d: list directories themselves
	recursive    bool
	deref        lsDeref
	indicator    string // none, slash, file-type or classify
	inode        bool
	blocks       bool
	numeric      bool
	owner, group bool
	author       bool
	blockUnit    blockSize // of -s and the total
	sizeUnit     blockSize // of -l
	quote        func(string) string
	quoteTitle   func(string) string // before a colon
	align        bool                // the style quotes some names and not others
	question     bool                // -q
	width, tab   int
	tabSet       bool
	color        bool
	timeStyle    string
	zero         bool // --zero
}

// lsDeref says which symbolic links ls follows.
type lsDeref uint8

const (
	lsDerefUndefined lsDeref = iota
	lsDerefNever
	lsDerefOperandDirs // only to directories
	lsDerefOperands
	lsDerefAlways
)

// lsFlags are options while they are parsed: what others decide about.
type lsFlags struct {
	*lsOptions
	quoting   string
	sorted    bool       // an option chose the order
	timed     bool       // an option chose the time
	unit      *blockSize // --block-size, -h or --si
	kibibytes bool
	widthSet  bool
	hideCtrl  *bool
}

func runLs(_ context.Context, c *builtins.Call) error {
	o := &lsOptions{sort: "name", time: "mtime", indicator: "none", owner: true, group: true, width: -1, tab: 8, timeStyle: ""}
	fl := &lsFlags{lsOptions: o}
	f := c.Flags()
	fl.declare(c, f)
	names, err := f.Parse()
	if err != nil {
		return err
	}
	if err := fl.settle(c); err != nil {
		return f.Fail(err)
	}
	l := &lister{c: c, out: bufio.NewWriterSize(c.Stdout, 32<<10), lsOptions: o}
	return l.run(names)
}

func (o *lsFlags) declare(c *builtins.Call, f *builtins.Flags) {
	o.declareFilters(f)
	o.declareFormat(f)
	o.declareLong(f)
	o.declareSort(f)
	o.declareNames(c, f)
}

func (o *lsFlags) declareFilters(f *builtins.Flags) {
	f.Bool(&o.all, "a,all", "do not ignore entries starting with .")
	f.Do("A,almost-all", "do not list implied . and ..", func() error { o.all, o.almost = false, true; return nil })
	f.Do("B,ignore-backups", "do not list implied entries ending with ~", func() error {
		o.ignore = append(o.ignore, pattern.Compile("*~", pattern.Path), pattern.Compile(".*~", pattern.Path))
		return nil
	})
	f.Bool(&o.directories, "d,directory", "list directories themselves, not their contents")
	f.Func("hide", "do not list implied entries matching shell `PATTERN`", func(s string) error {
		o.hide = append(o.hide, pattern.Compile(s, pattern.Path))
		return nil
	})
	f.Func("I,ignore", "do not list implied entries matching shell `PATTERN`", func(s string) error {
		o.ignore = append(o.ignore, pattern.Compile(s, pattern.Path))
		return nil
	})
	f.Bool(&o.recursive, "R,recursive", "list subdirectories recursively")
	deref := func(d lsDeref) func() error {
		return func() error { o.deref = d; return nil }
	}
	f.Do("H,dereference-command-line", "follow symbolic links listed on the command line", deref(lsDerefOperands))
	f.Do("dereference-command-line-symlink-to-dir", "follow each command line symbolic link that points to a directory", deref(lsDerefOperandDirs))
	f.Do("L,dereference", "show information for the file that a symbolic link references", deref(lsDerefAlways))
}

func (o *lsFlags) declareFormat(f *builtins.Flags) {
	to := func(format lsFormat) func() error {
		return func() error { o.format = format; return nil }
	}
	f.Do("C", "list entries by columns", to(lsColumns))
	f.Do("x", "list entries by lines instead of by columns", to(lsAcross))
	f.Do("m", "fill width with a comma separated list of entries", to(lsCommas))
	f.Do("l", "use a long listing format", to(lsLong))
	f.Do("1", "list one file per line", func() error {
		if o.format != lsLong {
			o.format = lsOne
		}
		return nil
	})
	choices := []string{"verbose,long", "commas", "horizontal,across", "vertical", "single-column"}
	f.Enum((*string)(&o.format), "format", "format", choices, "list as `WORD` says")
	f.Func("w,width", "set output width to `COLS`; 0 means no limit", func(s string) error {
		n, ok := parseWidth(s)
		if !ok {
			return fmt.Errorf("invalid line width: %s", builtins.QuoteLocale(s))
		}
		o.width, o.widthSet = n, true
		return nil
	})
	f.Func("T,tabsize", "assume tab stops at each `COLS` instead of 8", func(s string) error {
		n, ok := parseWidth(s)
		if !ok {
			return fmt.Errorf("invalid tab size: %s", builtins.QuoteLocale(s))
		}
		o.tab, o.tabSet = n, true
		return nil
	})
	f.Do("zero", "end each output line with NUL, not newline", func() error {
		o.zero, o.color, o.quoting = true, false, "literal"
		if o.format != lsLong {
			o.format = lsOne
		}
		return nil
	})
}

// parseWidth parses a number of columns, which may be octal or hexadecimal. One
// that is too large is no limit.
func parseWidth(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil && !(err.(*strconv.NumError).Err == strconv.ErrRange) {
		return 0, false
	}
	if n > 1<<30 {
		n = 0
	}
	return int(n), true
}

func (o *lsFlags) declareLong(f *builtins.Flags) {
	f.Bool(&o.author, "author", "with -l, print the author of each file")
	blockSizeFlag(f, func(b blockSize) { o.unit = &b })
	human := func(b blockSize) func() error {
		return func() error { o.unit = &b; return nil }
	}
	f.Do("h,human-readable", "with -l and -s, print sizes like 1K 234M 2G etc.", human(humanSize))
	f.Do("si", "likewise, but use powers of 1000 not 1024", human(siSize))
	f.Bool(&o.kibibytes, "k,kibibytes", "default to 1024-byte blocks for file system usage")
	f.Bool(&o.inode, "i,inode", "print the index number of each file")
	f.Bool(&o.blocks, "s,size", "print the allocated size of each file, in blocks")
	f.Do("g", "like -l, but do not list owner", func() error { o.format, o.owner = lsLong, false; return nil })
	f.Do("o", "like -l, but do not list group information", func() error { o.format, o.group = lsLong, false; return nil })
	f.Do("G,no-group", "in a long listing, don't print group names", func() error { o.group = false; return nil })
	f.Do("n,numeric-uid-gid", "like -l, but list numeric user and group IDs", func() error {
		o.format, o.numeric = lsLong, true
		return nil
	})
	f.Do("full-time", "like -l --time-style=full-iso", func() error { o.format, o.timeStyle = lsLong, "full-iso"; return nil })
	f.String(&o.timeStyle, "time-style", "time/date format with -l: `TIME_STYLE`")
}

func (o *lsFlags) declareSort(f *builtins.Flags) {
	by := func(what string) func() error {
		return func() error { o.sort, o.sorted = what, true; return nil }
	}
	f.Do("f", "list all entries in directory order", func() error {
		o.all, o.blocks, o.color = true, false, false
		if o.format == lsLong {
			o.format = ""
		}
		return by("none")()
	})
	f.Do("S", "sort by file size, largest first", by("size"))
	f.Do("t", "sort by time, newest first", by("time"))
	f.Do("U", "do not sort; list entries in directory order", by("none"))
	f.Do("v", "natural sort of (version) numbers within text", by("version"))
	f.Do("X", "sort alphabetically by entry extension", by("extension"))
	choices := []string{"none", "time", "size", "extension", "version", "width"}
	f.Func("sort", "sort by `WORD` instead of name", func(s string) error {
		o.sorted = true
		return builtins.Choose(&o.sort, s, "sort", choices)
	})
	f.Bool(&o.reverse, "r,reverse", "reverse order while sorting")
	f.Bool(&o.dirsFirst, "group-directories-first", "group directories before files")
	which := func(t string) func() error {
		return func() error { o.time, o.timed = t, true; return nil }
	}
	f.Do("c", "with -lt: sort by, and show, ctime; with -l: show ctime and sort by name; otherwise: sort by ctime", which("ctime"))
	f.Do("u", "with -lt: sort by, and show, access time; with -l: show access time and sort by name; otherwise: sort by access time", which("atime"))
	times := []string{"atime,access,use", "ctime,status", "birth,creation"}
	f.Func("time", "select which timestamp to display or sort by: `WORD`", func(s string) error {
		o.timed = true
		return builtins.Choose(&o.time, s, "time", times)
	})
}

func (o *lsFlags) declareNames(c *builtins.Call, f *builtins.Flags) {
	style := func(name string) func() error {
		return func() error { o.quoting = name; return nil }
	}
	f.Do("b,escape", "print C-style escapes for nongraphic characters", style("escape"))
	f.Do("N,literal", "print entry names without quoting", style("literal"))
	f.Do("Q,quote-name", "enclose entry names in double quotes", style("c"))
	f.Enum(&o.quoting, "quoting-style", "quoting-style", quotingStyles, "use quoting style `WORD` for entry names")
	hide := func(on bool) func() error {
		return func() error { o.hideCtrl = &on; return nil }
	}
	f.Do("q,hide-control-chars", "print ? instead of nongraphic characters", hide(true))
	f.Do("show-control-chars", "show nongraphic characters as-is", hide(false))
	when := []string{"always,yes,force", "never,no,none", "auto,tty,if-tty"}
	decide := func(name string, set func(on bool)) func(string, bool) error {
		return func(s string, ok bool) error {
			choice := "always"
			if ok {
				if err := builtins.Choose(&choice, s, name, when); err != nil {
					return err
				}
			}
			set(choice == "always" || choice == "auto" && builtins.Interactive(c.Stdout))
			return nil
		}
	}
	f.Do("F", "append indicator (one of */=>@|) to entries", func() error { o.indicator = "classify"; return nil })
	f.Optional("classify", "append indicator (one of */=>@|) to entries `WHEN`", decide("classify", func(on bool) {
		if on {
			o.indicator = "classify"
		}
	}))
	f.Do("file-type", "likewise, except do not append '*'", func() error { o.indicator = "file-type"; return nil })
	f.Do("p", "append / indicator to directories", func() error { o.indicator = "slash"; return nil })
	f.Enum(&o.indicator, "indicator-style", "indicator-style", []string{"none", "slash", "file-type", "classify"}, "append indicator with style `WORD` to entry names")
	f.Optional("color", "color the output `WHEN`", decide("color", func(on bool) { o.color = on }))
}

// lsTimes are the layouts of recent and of other times, by style.
var lsTimes = map[string][2]string{
	"full-iso": {"2006-01-02 15:04:05.000000000 -0700", "2006-01-02 15:04:05.000000000 -0700"},
	"long-iso": {"2006-01-02 15:04", "2006-01-02 15:04"},
	"iso":      {"01-02 15:04", "2006-01-02 "},
	"locale":   {"Jan _2 15:04", "Jan _2  2006"},
}

// halfYear is how long a time counts as recent.
const halfYear = 31556952 / 2 * time.Second
