package vfs

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/limpet-sh/limpet/internal/linediff"
)

// maxDiff is the size up to which the content of a file is compared line by line.
const maxDiff = 64 << 20

// Diff writes what [Changes] finds as a unified patch with the headers of git,
// which patch -p1 and git apply read. Names are below a/ and b/.
//
// What such a patch cannot hold is a line that begins with "#": directories, owners,
// FIFOs and devices. Times are left out. Files that are not text, or that have more
// than 64 MiB, are named and not shown.
func Diff(ctx context.Context, w io.Writer, before, after FS) error {
	list, err := Changes(before, after)
	if err != nil || len(list) == 0 {
		return err
	}
	p := patch{ctx: ctx, w: bufio.NewWriter(w)}
	if p.before, err = forReading(before); err != nil {
		return err
	}
	if p.after, err = forReading(after); err != nil {
		return err
	}
	for _, c := range list {
		if err := p.change(c); err != nil {
			return err
		}
	}
	return p.w.Flush()
}

// forReading returns a copy of fsys that may be read as a whole, and that is not
// changed by that.
func forReading(fsys FS) (FS, error) {
	fsys, err := Fork(fsys)
	if err != nil {
		return nil, err
	}
	return asRoot(fsys), nil
}

// asRoot returns the files of fsys as user 0 sees them.
func asRoot(fsys FS) FS {
	switch f := bared(fsys).(type) {
	case *Mem:
		return f.As(User{})
	case *Mount:
		table := make([]*mounted, 0, len(f.bare()))
		for _, c := range f.bare() {
			table = append(table, c.with(asRoot(c.FS)))
		}
		m := &Mount{}
		m.table.Store(&table)
		return m
	}
	return fsys
}

// A patch is a patch that is being written.
type patch struct {
	ctx           context.Context
	w             *bufio.Writer
	before, after FS
}

// change writes what a patch says of one name.
func (p *patch) change(c Change) error {
	old, now := c.Old, c.New
	p.notes(c)
	if !inPatch(old) {
		old = nil
	}
	if !inPatch(now) {
		now = nil
	}
	switch {
	case old == nil && now == nil:
		return p.ctx.Err()
	case old != nil && now != nil && (old.Mode().Type() != now.Mode().Type() || p.retargeted(c.Name, now)):
		if err := p.file(c.Name, old, nil); err != nil {
			return err
		}
		return p.file(c.Name, nil, now)
	}
	return p.file(c.Name, old, now)
}

// retargeted reports whether a file is a symbolic link with another text than
// before, which patch takes for two changes.
func (p *patch) retargeted(name string, info fs.FileInfo) bool {
	if info.Mode()&fs.ModeSymlink == 0 {
		return false
	}
	old, _ := p.before.ReadlinkIfPossible(name)
	now, _ := p.after.ReadlinkIfPossible(name)
	return old != now
}

// inPatch reports whether a patch can hold a file.
func inPatch(info fs.FileInfo) bool {
	return info != nil && (info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0)
}

// notes writes what a patch cannot hold.
func (p *patch) notes(c Change) {
	name := patchName("", c.Name)
	describe := func(what string, info fs.FileInfo) {
		if info != nil && !inPatch(info) {
			fmt.Fprintf(p.w, "# %s %s %s, mode %04o\n", what, kindOf(info.Mode()), name, permOf(info.Mode()))
		}
	}
	if c.Old != nil && c.New != nil && c.Old.Mode().Type() == c.New.Mode().Type() {
		if c.Old.Mode() != c.New.Mode() {
			describe("changed", c.New)
		}
		if a, b := StatOf(c.Old), StatOf(c.New); a.UID != b.UID || a.GID != b.GID {
			fmt.Fprintf(p.w, "# changed owner of %s from %d:%d to %d:%d\n", name, a.UID, a.GID, b.UID, b.GID)
		}
		return
	}
	describe("removed", c.Old)
	describe("created", c.New)
}

// kindOf names a type of file.
func kindOf(mode fs.FileMode) string {
	switch mode.Type() {
	case 0:
		return "file"
	case fs.ModeDir:
		return "directory"
	case fs.ModeSymlink:
		return "symbolic link"
	case fs.ModeNamedPipe:
		return "fifo"
	case fs.ModeSocket:
		return "socket"
	}
	return "device"
}

// permOf returns the permission bits of a mode as Unix numbers them.
func permOf(mode fs.FileMode) uint32 {
	n := uint32(mode.Perm())
	for i, bit := range []fs.FileMode{fs.ModeSticky, fs.ModeSetgid, fs.ModeSetuid} {
		if mode&bit != 0 {
			n |= 0o1000 << i
		}
	}
	return n
}

// gitMode returns the mode of a file as patches have it.
func gitMode(info fs.FileInfo) uint32 {
	if info.Mode()&fs.ModeSymlink != 0 {
		return 0o120000
	}
	return 0o100000 | permOf(info.Mode())
}

// file writes the change of a file, where nil is nothing.
func (p *patch) file(name string, old, now fs.FileInfo) error {
	x, err := p.content(p.before, name, old)
	if err != nil {
		return err
	}
	y, err := p.content(p.after, name, now)
	if err != nil {
		return err
	}
	same := x.size == y.size && !x.large && bytes.Equal(x.data, y.data)
	if old != nil && now != nil && same && old.Mode() == now.Mode() {
		return nil // a time or an owner
	}
	a, b := patchName("a", name), patchName("b", name)
	fmt.Fprintf(p.w, "diff --git %s %s\n", a, b)
	switch {
	case old == nil:
		fmt.Fprintf(p.w, "new file mode %06o\n", gitMode(now))
	case now == nil:
		fmt.Fprintf(p.w, "deleted file mode %06o\n", gitMode(old))
	case old.Mode() != now.Mode():
		fmt.Fprintf(p.w, "old mode %06o\nnew mode %06o\n", gitMode(old), gitMode(now))
	}
	switch {
	case same:
		return nil
	case x.large || y.large:
		fmt.Fprintf(p.w, "# the files are too large to compare: %d and %d bytes\n", x.size, y.size)
		fallthrough
	case linediff.IsBinary(x.data), linediff.IsBinary(y.data):
		_, err = fmt.Fprintf(p.w, "Binary files %s and %s differ\n", orNull(a, old), orNull(b, now))
		return err
	}
	fmt.Fprintf(p.w, "--- %s\n+++ %s\n", ended(orNull(a, old)), ended(orNull(b, now)))
	return linediff.Unified(p.w, x.data, y.data, func(int) error { return p.ctx.Err() })
}

// A patchContent is the content of a file.
type patchContent struct {
	data  []byte
	size  int64
	large bool // data is not all of it
}

// content returns the content of a file; that of a symbolic link is its text.
func (p *patch) content(fsys FS, name string, info fs.FileInfo) (c patchContent, err error) {
	switch {
	case info == nil:
		return c, p.ctx.Err()
	case info.Mode()&fs.ModeSymlink != 0:
		text, err := fsys.ReadlinkIfPossible(name)
		return patchContent{data: []byte(text), size: int64(len(text))}, err
	case info.Size() > maxDiff:
		return patchContent{size: info.Size(), large: true}, nil
	}
	data, err := ReadFile(fsys, name)
	return patchContent{data: data, size: int64(len(data))}, err
}

// orNull returns what a patch calls a file, of which info is nil if there is none.
func orNull(name string, info fs.FileInfo) string {
	if info == nil {
		return "/dev/null"
	}
	return name
}

// ended returns a name with a tab where it would not be clear where it ends.
func ended(name string) string {
	if strings.Contains(name, " ") && !strings.HasPrefix(name, `"`) {
		return name + "\t"
	}
	return name
}

// patchName returns name, below dir, as patches have it: in quotes if there is
// something in it that is not text.
func patchName(dir, name string) string {
	name = dir + name
	if dir == "" && name != "/" {
		name = name[1:]
	}
	if strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == '\\' }) < 0 {
		return name
	}
	b := []byte{'"'}
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < ' ' || c == 0x7f:
			b = fmt.Appendf(b, `\%03o`, c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}
