package file

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/internal/strftime"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/internal/zone"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "du",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "estimate file space usage",
	Run:      runDu,
})

// A usage is what a file, or a directory with its content, takes.
type usage struct {
	size   uint64
	inodes uint64
	latest time.Time
}

func (u *usage) add(v usage) {
	u.size += v.size
	u.inodes += v.inodes
	if v.latest.After(u.latest) {
		u.latest = v.latest
	}
}

// A duLevel is a directory whose content is being counted.
type duLevel struct {
	own  usage // of the directory and the files in it
	dirs usage // of the directories in it
}

// A duer is du with its options.
type duer struct {
	c   *builtins.Call
	out *bufio.Writer

	all, total, separate  bool
	summarize, countLinks bool
	apparent, inodes      bool
	zero                  bool
	unit                  blockSize
	maxDepth              int // -1 for no bound
	follow                walk.Follow
	oneFS                 bool
	exclude               []*pattern.Pattern
	threshold             int64
	time                  string // "" where none is shown
	timeStyle             string
	zone                  *time.Location

	seen   map[identity]bool
	every  bool // all files count once, not only those with several names
	levels []duLevel
	dev    uint64 // of the operand
	sum    usage
}

func runDu(_ context.Context, c *builtins.Call) error {
	d := &duer{c: c, out: bufio.NewWriterSize(c.Stdout, 32<<10), maxDepth: -1, seen: map[identity]bool{}}
	var o duFlags
	f := c.Flags()
	o.declare(f, d)
	names, err := f.Parse()
	if err != nil {
		return err
	}
	if err := o.settle(d, names); err != nil {
		return f.Fail(err)
	}
	defer func() { c.Free(len(d.seen) * recordCost) }()
	if o.from != "" {
		err = d.listed(o.from)
	} else {
		if len(names) == 0 {
			names = []string{"."}
		}
		for _, name := range names {
			if err = d.operand(name); err != nil {
				break
			}
		}
	}
	if err == nil && d.total {
		d.print(d.sum, "total")
	}
	return finish(d.out, err)
}

// duFlags are options of du that others decide about.
type duFlags struct {
	depth    *int
	unit     *blockSize
	from     string
	excludes []string
}

func (o *duFlags) declare(f *builtins.Flags, d *duer) {
	f.Bool(&d.zero, "0,null", "end each output line with NUL, not newline")
	f.Bool(&d.all, "a,all", "write counts for all files, not just directories")
	f.Bool(&d.apparent, "apparent-size", "print apparent sizes, rather than disk usage")
	unit := func(b blockSize) func() error {
		return func() error { o.unit = &b; return nil }
	}
	f.Func("B", "scale sizes by `SIZE` before printing them", func(s string) error { return blockSizeOption(s, "-B", func(b blockSize) { o.unit = &b }) })
	blockSizeFlag(f, func(b blockSize) { o.unit = &b })
	f.Do("b,bytes", "equivalent to '--apparent-size --block-size=1'", func() error {
		d.apparent = true
		return unit(oneByte)()
	})
	f.Bool(&d.total, "c,total", "produce a grand total")
	follow := func(to walk.Follow) func() error {
		return func() error { d.follow = to; return nil }
	}
	f.Do("D,H,dereference-args", "dereference only symlinks that are listed on the command line", follow(walk.Operand))
	f.Func("d,max-depth", "print the total for a directory only if it is `N` or fewer levels below the command line argument", func(s string) error {
		n, err := strconv.ParseUint(s, 10, 31)
		if err != nil {
			return builtins.Usage("invalid maximum depth %s", builtins.QuoteLocale(s))
		}
		depth := int(n)
		o.depth = &depth
		return nil
	})
	f.String(&o.from, "files0-from", "summarize device usage of the NUL-terminated file names specified in file `F`")
	f.Do("h,human-readable", "print sizes in human readable format (e.g., 1K 234M 2G)", unit(humanSize))
	f.Bool(&d.inodes, "inodes", "list inode usage information instead of block usage")
	f.Do("k", "like --block-size=1K", unit(oneK))
	f.Do("L,dereference", "dereference all symbolic links", follow(walk.Always))
	f.Bool(&d.countLinks, "l,count-links", "count sizes many times if hard linked")
	f.Do("m", "like --block-size=1M", unit(blockSize{base: 1024, size: 1 << 20}))
	f.Do("P,no-dereference", "don't follow any symbolic links (this is the default)", follow(walk.Never))
	f.Bool(&d.separate, "S,separate-dirs", "for directories do not include size of subdirectories")
	f.Do("si", "like -h, but use powers of 1000 not 1024", unit(siSize))
	f.Bool(&d.summarize, "s,summarize", "display only a total for each argument")
	f.Func("t,threshold", "exclude entries smaller than `SIZE` if positive, or entries greater than SIZE if negative", d.setThreshold)
	f.Optional("time", "show time of the last modification of any file in the directory, or the time that `WORD` names", func(s string, ok bool) error {
		d.time = "mtime"
		if !ok {
			return nil
		}
		return builtins.Choose(&d.time, s, "time", []string{"atime,access,use", "ctime,status"})
	})
	f.String(&d.timeStyle, "time-style", "show times using `STYLE`: full-iso, long-iso, iso, or +FORMAT")
	f.Func("X,exclude-from", "exclude files that match any pattern in `FILE`", func(s string) error {
		data, err := d.c.FS.Open(s)
		if err != nil {
			return builtins.Usage("%s: %v", builtins.QuoteMaybe(s), reason(err))
		}
		defer data.Close()
		return o.excludeLines(d, data)
	})
	f.Strings(&o.excludes, "exclude", "exclude files that match `PATTERN`")
	f.Bool(&d.oneFS, "x,one-file-system", "skip directories on different file systems")
}

// excludeLines takes the patterns that a file lists.
func (o *duFlags) excludeLines(d *duer, r io.Reader) error {
	lines := d.c.Lines(r, '\n')
	defer lines.Close()
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		text, _ := builtins.TrimDelim(line, '\n')
		if len(text) > 0 {
			o.excludes = append(o.excludes, string(text))
		}
	}
}

func (d *duer) setThreshold(s string) error {
	text, negative := strings.CutPrefix(s, "-")
	n, err := parseSize(text, "kKmMGTPEZY0")
	if err != nil || negative && n == 0 {
		if negative && err == nil {
			return fmt.Errorf("invalid --threshold argument %s", builtins.Quote(s))
		}
		return fmt.Errorf("invalid -t argument %s", builtins.Quote(s))
	}
	if d.threshold = n; negative {
		d.threshold = -n
	}
	return nil
}

// settle completes the options, and fails where they contradict each other.
func (o *duFlags) settle(d *duer, names []string) error {
	if d.summarize && d.all {
		return builtins.Usage("cannot both summarize and show all entries")
	}
	if o.depth != nil {
		d.maxDepth = *o.depth
	}
	if d.summarize {
		switch {
		case o.depth != nil && *o.depth == 0:
			fmt.Fprintf(d.c.Stderr, "%s: warning: summarizing is the same as using --max-depth=0\n", d.c.Name)
		case o.depth != nil:
			return builtins.Usage("warning: summarizing conflicts with --max-depth=%d", *o.depth)
		}
		d.maxDepth = 0
	}
	if o.from != "" && len(names) > 0 {
		return builtins.Usage("extra operand %s\nfile operands cannot be combined with --files0-from", builtins.QuoteLocale(names[0]))
	}
	d.unit, _ = envBlockSize(d.c, "DU_BLOCK_SIZE")
	if o.unit != nil {
		d.unit = *o.unit
	}
	if d.inodes && !d.unit.auto {
		d.unit = oneByte
	}
	for _, p := range o.excludes {
		d.exclude = append(d.exclude, pattern.Compile(p, 0))
	}
	d.every = len(names) > 1 || o.from != "" || d.follow == walk.Always
	return o.settleTime(d)
}

func (o *duFlags) settleTime(d *duer) error {
	if d.time == "" {
		return nil
	}
	d.zone = zone.Load(d.c.Getenv("TZ"))
	if d.timeStyle == "" {
		d.timeStyle = d.c.Getenv("TIME_STYLE")
		if d.timeStyle == "locale" {
			d.timeStyle = ""
		}
		d.timeStyle = strings.TrimPrefix(d.timeStyle, "posix-")
	}
	switch {
	case d.timeStyle == "":
		d.timeStyle = "long-iso"
	case d.timeStyle[0] != '+':
		return builtins.ChooseAs(&d.timeStyle, d.timeStyle, "time style", []string{"full-iso", "long-iso", "iso"})
	}
	return nil
}

// listed counts the files that a file names, each with a NUL after it.
func (d *duer) listed(from string) error {
	var in io.Reader = d.c.Stdin
	if from != "-" {
		file, err := d.c.FS.Open(from)
		if err != nil {
			return fmt.Errorf("cannot open %s for reading: %w", builtins.Quote(from), reason(err))
		}
		defer file.Close()
		in = file
	}
	lines := d.c.Lines(in, 0)
	defer lines.Close()
	for n := 1; ; n++ {
		record, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: read error: %w", builtins.QuoteMaybe(from), reason(err))
		}
		name, _ := builtins.TrimDelim(record, 0)
		if len(name) == 0 {
			d.c.Warnf("%s:%d: invalid zero-length file name", builtins.QuoteMaybe(from), n)
			continue
		}
		if err := d.operand(string(name)); err != nil {
			return err
		}
	}
}

func (d *duer) operand(name string) error {
	if name == "" {
		d.c.Warnf("invalid zero-length file name")
		return nil
	}
	d.levels = d.levels[:0]
	return walk.Tree(d.c, name, walk.Options{Follow: d.follow, OneFS: d.oneFS}, d.visit)
}

func (d *duer) visit(e *walk.Entry) error {
	if e.Post {
		if e.Err != nil {
			if err := warn(d.c, fmt.Errorf("cannot read directory %s: %w", builtins.Quote(e.Path), reason(e.Err))); err != nil {
				return err
			}
		}
		return d.leave(e)
	}
	if d.excluded(e.Path) {
		return walk.Skip
	}
	info, err := e.Info()
	switch {
	case err == walk.ErrCycle:
		return nil
	case err != nil:
		return warn(d.c, fmt.Errorf("cannot access %s: %w", builtins.Quote(e.Path), reason(err)))
	case d.oneFS && e.Depth > 0 && vfs.StatOf(info).Dev != d.dev:
		return walk.Skip
	}
	if e.Depth == 0 {
		d.dev = vfs.StatOf(info).Dev
	}
	if again, err := d.again(info); again || err != nil {
		if err == nil {
			err = walk.Skip
		}
		return err
	}
	own := d.measure(info)
	if info.IsDir() {
		d.levels = append(d.levels, duLevel{own: own})
		return nil
	}
	d.sum.add(own)
	if n := len(d.levels); n > 0 {
		d.levels[n-1].own.add(own)
	}
	return d.show(e, own, d.all)
}

// excluded reports whether a pattern matches a path, or what follows a slash in
// it.
func (d *duer) excluded(path string) bool {
	for _, p := range d.exclude {
		if p.Match(path) {
			return true
		}
		for i := range len(path) {
			if path[i] == '/' && i+1 < len(path) && path[i+1] != '/' && p.Match(path[i+1:]) {
				return true
			}
		}
	}
	return false
}

// again reports whether a file has been counted before.
func (d *duer) again(info fs.FileInfo) (bool, error) {
	if d.countLinks || !d.every && (info.IsDir() || vfs.StatOf(info).Nlink < 2) {
		return false, nil
	}
	id := identify(info)
	if id == (identity{}) || d.seen[id] {
		return d.seen[id], nil
	}
	if err := d.c.Alloc(recordCost); err != nil {
		return false, err
	}
	d.seen[id] = true
	return false, nil
}

func (d *duer) measure(info fs.FileInfo) usage {
	st := vfs.StatOf(info)
	u := usage{inodes: 1, size: uint64(st.Blocks) * 512, latest: info.ModTime()}
	if d.apparent {
		u.size = uint64(max(info.Size(), 0))
	}
	switch d.time {
	case "atime":
		u.latest = st.Atime
	case "ctime":
		u.latest = st.Ctime
	}
	return u
}

// leave counts a directory, whose content has been counted.
func (d *duer) leave(e *walk.Entry) error {
	n := len(d.levels) - 1
	l := d.levels[n]
	d.levels = d.levels[:n]
	total := l.own
	if !d.separate {
		total.add(l.dirs)
	}
	info, _ := e.Info()
	if info != nil {
		d.sum.add(d.measure(info))
	}
	if n > 0 {
		up := &d.levels[n-1]
		up.dirs.add(l.own)
		up.dirs.add(l.dirs)
	}
	return d.show(e, total, true)
}

// show prints what e takes, if it is to be shown.
func (d *duer) show(e *walk.Entry, u usage, wanted bool) error {
	if e.Depth > 0 && (!wanted || d.maxDepth >= 0 && e.Depth > d.maxDepth) {
		return nil
	}
	v := u.size
	if d.inodes {
		v = u.inodes
	}
	if d.threshold < 0 && v > uint64(-d.threshold) || d.threshold > 0 && v < uint64(d.threshold) {
		return nil
	}
	return d.print(u, e.Path)
}

func (d *duer) print(u usage, name string) error {
	v := u.size
	if d.inodes {
		v = u.inodes
	}
	d.out.WriteString(d.unit.format(v))
	d.out.WriteByte('\t')
	if d.time != "" {
		d.out.WriteString(d.stamp(u.latest))
		d.out.WriteByte('\t')
	}
	d.out.WriteString(name)
	if err := d.out.WriteByte(lineEnd(d.zero)); err != nil {
		return writeError(err)
	}
	return nil
}

func (d *duer) stamp(t time.Time) string {
	switch d.timeStyle {
	case "full-iso":
		return t.In(d.zone).Format("2006-01-02 15:04:05.000000000 -0700")
	case "long-iso":
		return t.In(d.zone).Format("2006-01-02 15:04")
	case "iso":
		return t.In(d.zone).Format("2006-01-02")
	}
	held := 0
	grow := func(n int) error {
		held += n
		return d.c.Alloc(n)
	}
	text, _ := strftime.Format{Date: true, Grow: grow}.Append(nil, d.timeStyle[1:], t.In(d.zone))
	d.c.Free(held)
	return string(text)
}
