package git

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/vfs"
)

// An index is what the next commit will have.
type index struct {
	entries []*indexEntry // by path
	written time.Time     // when its file was written
}

// An indexEntry is a file of the index, with the status that the file in the
// working tree had.
type indexEntry struct {
	path   string
	mode   uint32
	hash   hash
	stage  int
	intent bool // only the intent to add the file is recorded
	assume bool // the file is assumed not to change

	ctime, mtime   time.Time
	dev, ino       uint32
	uid, gid, size uint32
}

const (
	flagAssume   = 1 << 15
	flagExtended = 1 << 14
	flagIntent   = 1 << 13 // of the second word
)

// readIndex reads the index.
func (g *git) readIndex() (*index, error) {
	name := g.repo.dir + "/index"
	info, err := g.FS.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &index{}, nil
	}
	if err != nil {
		return nil, fatalf("%s: index file open failed: %v", name, vfs.ErrnoOf(err))
	}
	if err := g.hold(4 * int(info.Size())); err != nil {
		return nil, err
	}
	data, err := vfs.ReadFile(g.FS, name)
	if err != nil {
		return nil, fatalf("%s: index file open failed: %v", name, vfs.ErrnoOf(err))
	}
	x := &index{written: info.ModTime()}
	if len(data) < 32 || string(data[:4]) != "DIRC" {
		return nil, fatal("index file corrupt")
	}
	version, count := binary.BigEndian.Uint32(data[4:]), int(binary.BigEndian.Uint32(data[8:]))
	data = data[12:]
	previous := ""
	for range count {
		var e *indexEntry
		if e, data, err = parseEntry(data, version, previous); err != nil {
			return nil, err
		}
		previous = e.path
		x.entries = append(x.entries, e)
	}
	return x, nil
}

// parseEntry parses the entry that data begins with.
func parseEntry(data []byte, version uint32, previous string) (*indexEntry, []byte, error) {
	corrupt := fatal("index file corrupt")
	if len(data) < 63 {
		return nil, nil, corrupt
	}
	u := func(at int) uint32 { return binary.BigEndian.Uint32(data[at:]) }
	e := &indexEntry{
		ctime: time.Unix(int64(u(0)), int64(u(4))), mtime: time.Unix(int64(u(8)), int64(u(12))),
		dev: u(16), ino: u(20), mode: u(24), uid: u(28), gid: u(32), size: u(36), hash: hash(data[40:60]),
	}
	flags := binary.BigEndian.Uint16(data[60:])
	e.stage, e.assume = int(flags>>12&3), flags&flagAssume != 0
	at := 62
	if flags&flagExtended != 0 {
		e.intent = binary.BigEndian.Uint16(data[62:])&flagIntent != 0
		at = 64
	}
	if version == 4 {
		strip, shift := 0, data[at]
		at++
		strip = int(shift & 0x7f)
		for shift&0x80 != 0 && at < len(data) {
			shift = data[at]
			at++
			strip = (strip+1)<<7 | int(shift&0x7f)
		}
		end := bytes.IndexByte(data[at:], 0)
		if end < 0 || strip > len(previous) {
			return nil, nil, corrupt
		}
		e.path = previous[:len(previous)-strip] + string(data[at:at+end])
		return e, data[at+end+1:], nil
	}
	end := bytes.IndexByte(data[at:], 0)
	if end < 0 {
		return nil, nil, corrupt
	}
	e.path = string(data[at : at+end])
	length := (at + end + 8) &^ 7
	if length > len(data) {
		return nil, nil, corrupt
	}
	return e, data[length:], nil
}

// writeIndex writes the index.
func (g *git) writeIndex(x *index) error {
	x.sort()
	var b bytes.Buffer
	version := uint32(2)
	for _, e := range x.entries {
		if e.intent {
			version = 3
		}
	}
	put := func(values ...uint32) {
		for _, v := range values {
			b.Write(binary.BigEndian.AppendUint32(nil, v))
		}
	}
	if err := g.Alloc(96 * len(x.entries)); err != nil {
		return err
	}
	defer g.Free(96 * len(x.entries))
	b.WriteString("DIRC")
	put(version, uint32(len(x.entries)))
	for _, e := range x.entries {
		if err := g.Poll(1); err != nil {
			return err
		}
		start := b.Len()
		put(uint32(e.ctime.Unix()), uint32(e.ctime.Nanosecond()), uint32(e.mtime.Unix()), uint32(e.mtime.Nanosecond()),
			e.dev, e.ino, e.mode, e.uid, e.gid, e.size)
		b.Write(e.hash[:])
		flags := uint16(min(len(e.path), 0xfff)) | uint16(e.stage)<<12
		if e.assume {
			flags |= flagAssume
		}
		if e.intent {
			flags |= flagExtended
		}
		b.Write(binary.BigEndian.AppendUint16(nil, flags))
		if e.intent {
			b.Write(binary.BigEndian.AppendUint16(nil, flagIntent))
		}
		b.WriteString(e.path)
		length := (b.Len() - start + 8) &^ 7
		b.Write(make([]byte, length-(b.Len()-start)))
	}
	sum := sha1.Sum(b.Bytes())
	b.Write(sum[:])
	return g.writeFile(g.repo.dir+"/index", b.Bytes())
}

// sort puts the entries into the order of the file.
func (x *index) sort() {
	slices.SortStableFunc(x.entries, func(a, b *indexEntry) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.stage, b.stage))
	})
}

// find returns where the entry of a path is, or would be.
func (x *index) find(path string) (at int, ok bool) {
	return slices.BinarySearchFunc(x.entries, path, func(e *indexEntry, path string) int { return cmp.Compare(e.path, path) })
}

// get returns the entry of a path, or nil.
func (x *index) get(path string) *indexEntry {
	if at, ok := x.find(path); ok {
		return x.entries[at]
	}
	return nil
}

// put adds an entry, in place of those that have its path, or that would be a
// directory of it or in it.
func (x *index) put(e *indexEntry) {
	x.remove(e.path)
	x.removeBelow(e.path)
	for dir := e.path; strings.Contains(dir, "/"); {
		dir = dir[:strings.LastIndexByte(dir, '/')]
		x.remove(dir)
	}
	at, _ := x.find(e.path)
	x.entries = slices.Insert(x.entries, at, e)
}

// remove removes the entries of a path.
func (x *index) remove(path string) {
	at, ok := x.find(path)
	if !ok {
		return
	}
	end := at
	for end < len(x.entries) && x.entries[end].path == path {
		end++
	}
	x.entries = slices.Delete(x.entries, at, end)
}

// removeBelow removes the entries of a directory.
func (x *index) removeBelow(dir string) {
	at, _ := x.find(dir + "/")
	end := at
	for end < len(x.entries) && strings.HasPrefix(x.entries[end].path, dir+"/") {
		end++
	}
	x.entries = slices.Delete(x.entries, at, end)
}

// hasDir reports whether there are entries below a directory.
func (x *index) hasDir(dir string) bool {
	at, _ := x.find(dir + "/")
	return at < len(x.entries) && strings.HasPrefix(x.entries[at].path, dir+"/")
}

// stamp records the status of the file in the working tree.
func (e *indexEntry) stamp(info fs.FileInfo) {
	st := vfs.StatOf(info)
	e.mtime, e.ctime = info.ModTime(), st.Ctime
	e.dev, e.ino, e.uid, e.gid, e.size = uint32(st.Dev), uint32(st.Ino), uint32(st.UID), uint32(st.GID), uint32(info.Size())
}

// fresh reports whether the status of the file says that its content cannot have
// changed since the entry was made.
func (x *index) fresh(e *indexEntry, info fs.FileInfo) bool {
	st := vfs.StatOf(info)
	return e.mtime.Equal(info.ModTime()) && e.size == uint32(info.Size()) && e.ino == uint32(st.Ino) &&
		e.ctime.Equal(st.Ctime) && e.mtime.Before(x.written) && !e.intent
}

// modeOf returns the mode that a file has in the index, or 0 where it is of a kind
// that git does not keep.
func modeOf(info fs.FileInfo) uint32 {
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return modeLink
	case !mode.IsRegular():
		return 0
	case filemode.Bits(mode)&0o100 != 0:
		return modeExec
	}
	return modeFile
}
