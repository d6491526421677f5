package search

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/linediff"
	"github.com/limpet-sh/limpet/vfs"
)

type reader = io.Reader

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// A diffFile is one of the two files that are compared.
type diffFile struct {
	name   string
	info   fs.FileInfo // nil where there is no such file, or it is standard input
	absent bool        // it is taken to be empty
	std    bool
	mtime  time.Time

	data  []byte // charged
	open  bool   // the last line lacked the newline that it has in data
	lines []line
	class []int32 // what each line is equal to
	cost  int
}

// A line is where a line of a file is.
type line struct{ begin, end int }

// look finds out what a file is.
func (d *differ) look(name string) (*diffFile, error) {
	f := &diffFile{name: name}
	if name == "-" {
		f.std = true
		f.mtime = d.Clock.Now()
		if s, ok := d.Stdin.(vfs.Stream); ok {
			if info, err := s.Stat(); err == nil && info.Mode().IsRegular() {
				f.mtime = info.ModTime()
			}
		}
		return f, nil
	}
	stat := d.FS.Stat
	if d.noDereference {
		stat = d.FS.Lstat
	}
	info, err := stat(name)
	if err != nil {
		return f, fmt.Errorf("%s: %w", name, vfs.ErrnoOf(err))
	}
	f.info, f.mtime = info, info.ModTime()
	return f, nil
}

// comparePair compares two operands.
func (d *differ) comparePair(a, b string) error {
	x, errX := d.look(a)
	y, errY := d.look(b)
	if errX != nil || errY != nil {
		allowed := d.newFile && (errX == nil || errY == nil) || d.oneNew && errX != nil && errY == nil
		if allowed && !(errX != nil && !errors.Is(errX, fs.ErrNotExist)) && !(errY != nil && !errors.Is(errY, fs.ErrNotExist)) {
			x.absent, y.absent = errX != nil, errY != nil
			if x.isDir() || y.isDir() {
				return d.compareDirs(a, b)
			}
			return d.compare(x, y, false)
		}
		if errX != nil && errY != nil {
			d.Warn(errX)
			return errY
		}
		return errors.Join(errX, errY)
	}
	switch {
	case x.isDir() && y.isDir():
		return d.compareDirs(a, b)
	case x.isDir() && !y.std:
		return d.comparePair(joinPath(a, baseName(b)), b)
	case y.isDir() && !x.std:
		return d.comparePair(a, joinPath(b, baseName(a)))
	case x.isDir() || y.isDir():
		return errors.New("cannot compare '-' to a directory")
	}
	return d.compare(x, y, false)
}

func (f *diffFile) isDir() bool { return f.info != nil && f.info.IsDir() }

func baseName(name string) string {
	name = strings.TrimRight(name, "/")
	return name[strings.LastIndexByte(name, '/')+1:]
}

func joinPath(dir, name string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

// A dirPair is two directories whose entries are to be compared.
type dirPair struct {
	a, b  string
	names []string
	cost  int
}

// compareDirs compares directories entry by entry, without recursion.
func (d *differ) compareDirs(a, b string) error {
	var stack []*dirPair
	defer func() {
		for _, p := range stack {
			d.Free(p.cost)
		}
	}()
	enter := func(a, b string) error {
		p, err := d.entries(a, b)
		if err == nil {
			stack = append(stack, p)
		}
		return err
	}
	if err := enter(a, b); err != nil {
		return err
	}
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		if len(p.names) == 0 {
			d.Free(p.cost)
			stack = stack[:len(stack)-1]
			continue
		}
		name := p.names[0]
		p.names = p.names[1:]
		if err := d.Poll(1); err != nil {
			return err
		}
		err := d.compareEntry(p, name, enter)
		if err != nil && d.Ends(err) {
			return err
		}
		if err != nil {
			d.Warn(err)
		}
	}
	return nil
}

// entries returns the names that are in either directory.
func (d *differ) entries(a, b string) (*dirPair, error) {
	p := &dirPair{a: a, b: b}
	for _, dir := range []string{a, b} {
		list, err := d.FS.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) && (d.newFile || d.oneNew) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, vfs.ErrnoOf(err))
		}
		for _, e := range list {
			if !d.excluded(e.Name()) {
				p.names = append(p.names, e.Name())
			}
		}
	}
	slices.Sort(p.names)
	p.names = slices.Compact(p.names)
	if d.start != "" {
		i, _ := slices.BinarySearch(p.names, d.start)
		p.names = p.names[i:]
		d.start = ""
	}
	p.cost = 64 * len(p.names)
	return p, d.Alloc(p.cost)
}

func (d *differ) excluded(name string) bool {
	for _, x := range d.exclude {
		if x.Match(name) {
			return true
		}
	}
	return false
}

// compareEntry compares what is called name in two directories.
func (d *differ) compareEntry(p *dirPair, name string, enter func(a, b string) error) error {
	x, errX := d.look(joinPath(p.a, name))
	y, errY := d.look(joinPath(p.b, name))
	x.absent, y.absent = d.absent(x, errX), d.absent(y, errY)
	if y.absent && !d.newFile {
		return d.onlyIn(p.a, name)
	}
	if x.absent && !d.newFile && !d.oneNew {
		return d.onlyIn(p.b, name)
	}
	if errX != nil && !x.absent {
		if errY != nil && !y.absent {
			d.Warn(errX)
			return errY
		}
		return errX
	}
	if errY != nil && !y.absent {
		return errY
	}
	dirX, dirY := x.isDir() || x.absent && y.isDir(), y.isDir() || y.absent && x.isDir()
	switch {
	case dirX && dirY && d.recursive:
		return enter(x.name, y.name)
	case dirX && dirY:
		if x.absent {
			return d.onlyIn(p.b, name)
		}
		if y.absent {
			return d.onlyIn(p.a, name)
		}
		fmt.Fprintf(d.out, "Common subdirectories: %s and %s\n", x.name, y.name)
		return nil
	}
	if !x.absent && !y.absent && kindOf(x.info) != kindOf(y.info) {
		d.differs = true
		fmt.Fprintf(d.out, "File %s is a %s while file %s is a %s\n", x.name, kindOf(x.info), y.name, kindOf(y.info))
		return nil
	}
	return d.compare(x, y, true)
}

// absent reports whether err, of looking at f, says that there is no file: there is one
// where a link leads nowhere.
func (d *differ) absent(f *diffFile, err error) bool {
	if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	_, err = d.FS.Lstat(f.name)
	return err != nil
}

func (d *differ) onlyIn(dir, name string) error {
	d.differs = true
	fmt.Fprintf(d.out, "Only in %s: %s\n", dir, name)
	return nil
}

// kindOf names the type of a file.
func kindOf(info fs.FileInfo) string {
	switch info.Mode().Type() {
	case 0:
		if info.Size() == 0 {
			return "regular empty file"
		}
		return "regular file"
	case fs.ModeDir:
		return "directory"
	case fs.ModeSymlink:
		return "symbolic link"
	case fs.ModeNamedPipe:
		return "fifo"
	case fs.ModeSocket:
		return "socket"
	case fs.ModeDevice:
		return "block special file"
	}
	return "character special file"
}

// compare compares two files. In a directory, a line with the command stands
// before the differences.
func (d *differ) compare(x, y *diffFile, inDir bool) error {
	defer func() { d.Free(x.cost + y.cost) }()
	if x.info != nil && y.info != nil && x.info.Mode().Type() == fs.ModeSymlink {
		return d.compareLinks(x, y)
	}
	if x.info != nil && y.info != nil && vfs.SameFile(x.info, y.info) && !d.printsCommon() {
		return d.identical(x, y)
	}
	for _, f := range []*diffFile{x, y} {
		if err := d.load(f); err != nil {
			return err
		}
	}
	if !d.text && (linediff.IsBinary(x.data) || linediff.IsBinary(y.data)) {
		return d.compareBinary(x, y)
	}
	defer func() {
		for i, f := range []*diffFile{x, y} {
			if f.open {
				d.Warnf("%s: No newline at end of file\n", d.label(f, i))
			}
		}
	}()
	changes, err := d.changes(x, y)
	if err != nil {
		return err
	}
	differ := len(changes) > 0
	if differ && (d.blankLines || d.ignore != nil) {
		differ = slices.ContainsFunc(changes, func(c change) bool { return !c.Trivial })
	}
	switch {
	case !differ && !d.printsCommon():
		return d.identical(x, y)
	case d.brief:
		if !differ {
			return d.identical(x, y)
		}
		d.differs = true
		fmt.Fprintf(d.out, "Files %s and %s differ\n", d.label(x, 0), d.label(y, 1))
		return nil
	}
	d.differs = d.differs || differ
	if inDir && differ {
		fmt.Fprintf(d.out, "diff%s %s %s\n", d.switches, x.name, y.name)
	}
	if err := d.print(x, y, changes); err != nil {
		return err
	}
	if !differ {
		return d.identical(x, y)
	}
	return nil
}

// printsCommon reports whether files without a difference are printed.
func (d *differ) printsCommon() bool {
	return d.style == styleSide && !d.suppressCommon || d.style == styleFormat && d.formats.printsCommon()
}

func (d *differ) compareLinks(x, y *diffFile) error {
	a, errX := d.FS.Readlink(x.name)
	b, errY := d.FS.Readlink(y.name)
	if err := errors.Join(errX, errY); err != nil {
		return err
	}
	if a == b {
		return d.identical(x, y)
	}
	d.differs = true
	fmt.Fprintf(d.out, "Symbolic links %s and %s differ\n", x.name, y.name)
	return nil
}

func (d *differ) compareBinary(x, y *diffFile) error {
	if string(x.data) == string(y.data) {
		return d.identical(x, y)
	}
	d.differs = true
	what := "Binary files"
	if d.brief {
		what = "Files"
	}
	fmt.Fprintf(d.out, "%s %s and %s differ\n", what, d.label(x, 0), d.label(y, 1))
	return nil
}

// label returns what --label calls a file, which is its name unless there is one.
func (d *differ) label(f *diffFile, i int) string {
	if i < len(d.labels) {
		return d.labels[i]
	}
	return f.name
}

func (d *differ) identical(x, y *diffFile) error {
	if d.same {
		fmt.Fprintf(d.out, "Files %s and %s are identical\n", d.label(x, 0), d.label(y, 1))
	}
	return nil
}
