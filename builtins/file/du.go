package file

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/internal/strftime"
	"github.com/limpet-sh/limpet/internal/walk"
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
