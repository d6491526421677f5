package git

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"io"
	"sort"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// A pack is a file with many objects.
type pack struct {
	store *store
	name  string // without .pack or .idx
	index []byte // the content of the .idx file
	count int
}

// allPacks returns the packs there are.
func (s *store) allPacks() []*pack {
	if s.looked {
		return s.packs
	}
	s.looked = true
	entries, err := s.g.FS.ReadDir(s.dir + "/pack")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok {
			continue
		}
		info, err := e.Info()
		if err != nil || s.g.hold(int(info.Size())) != nil {
			continue
		}
		index, err := vfs.ReadFile(s.g.FS, s.dir+"/pack/"+e.Name())
		if err != nil || len(index) < 1032 || string(index[:8]) != "\xfftOc\x00\x00\x00\x02" {
			continue
		}
		p := &pack{store: s, name: s.dir + "/pack/" + base, index: index}
		p.count = int(p.u32(8 + 255*4))
		if len(index) >= 1032+p.count*28+40 {
			s.packs = append(s.packs, p)
		}
	}
	return s.packs
}

func (p *pack) u32(at int) uint32 {
	b := p.index[at:]
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

// at returns the i-th name.
func (p *pack) at(i int) []byte { return p.index[1032+20*i:][:20] }

// find returns where an object is.
func (p *pack) find(h hash) (offset int64, ok bool) {
	i := sort.Search(p.count, func(i int) bool { return bytes.Compare(p.at(i), h[:]) >= 0 })
	if i == p.count || !bytes.Equal(p.at(i), h[:]) {
		return 0, false
	}
	small := p.u32(1032 + 24*p.count + 4*i)
	if small&(1<<31) == 0 {
		return int64(small), true
	}
	at := 1032 + 28*p.count + 8*int(small&^(1<<31))
	if at+8 > len(p.index) {
		return 0, false
	}
	return int64(p.u32(at))<<32 | int64(p.u32(at+4)), true
}

// withPrefix adds the objects whose names begin with some digits.
func (p *pack) withPrefix(prefix string, seen map[hash]bool) {
	even := prefix
	if len(even)%2 != 0 {
		even += "0"
	}
	low, err := hex.DecodeString(even)
	if err != nil {
		return
	}
	i := sort.Search(p.count, func(i int) bool { return bytes.Compare(p.at(i), low) >= 0 })
	for ; i < p.count; i++ {
		h := hash(p.at(i))
		if !strings.HasPrefix(h.String(), prefix) {
			return
		}
		seen[h] = true
	}
}

// kinds are the kinds of objects by their numbers in packs.
var kinds = [8]string{1: "commit", 2: "tree", 3: "blob", 4: "tag"}

// read returns the object at an offset. depth counts the deltas that lead there.
func (p *pack) read(offset int64, depth int) (object, error) {
	corrupt := fatalf("packfile %s.pack is corrupt", p.name)
	if depth > 100 {
		return object{}, corrupt
	}
	f, err := p.store.g.FS.Open(p.name + ".pack")
	if err != nil {
		return object{}, err
	}
	defer f.Close()
	r := &offsetReader{f: f, offset: offset}
	c := r.byte()
	kind, size, shift := c>>4&7, int(c&15), 4
	for c&0x80 != 0 && shift < 60 {
		c = r.byte()
		size |= int(c&0x7f) << shift
		shift += 7
	}
	var base object
	switch kind {
	case 6:
		c = r.byte()
		back := int64(c & 0x7f)
		for c&0x80 != 0 {
			c = r.byte()
			back = (back+1)<<7 | int64(c&0x7f)
		}
		if back <= 0 || back > offset {
			return object{}, corrupt
		}
		base, err = p.read(offset-back, depth+1)
	case 7:
		var h hash
		for i := range h {
			h[i] = r.byte()
		}
		base, err = p.store.read(h)
	}
	if err == nil {
		err = r.err
	}
	if err != nil {
		return object{}, err
	}
	z, err := zlib.NewReader(r)
	if err != nil {
		return object{}, corrupt
	}
	data, err := p.store.inflate(z, size)
	if err == io.ErrUnexpectedEOF {
		err = corrupt
	}
	if err != nil || kind < 6 {
		return object{kind: kinds[kind], data: data}, err
	}
	defer p.store.g.Free(len(data))
	defer p.store.free(base)
	target, err := p.store.patch(base.data, data)
	if err == io.ErrUnexpectedEOF {
		err = corrupt
	}
	return object{kind: base.kind, data: target}, err
}

// patch applies a delta.
func (s *store) patch(base, delta []byte) ([]byte, error) {
	number := func() (n int) {
		for shift := 0; len(delta) > 0 && shift < 60; shift += 7 {
			c := delta[0]
			delta = delta[1:]
			n |= int(c&0x7f) << shift
			if c&0x80 == 0 {
				break
			}
		}
		return n
	}
	if number() != len(base) {
		return nil, io.ErrUnexpectedEOF
	}
	size := number()
	if err := s.g.Alloc(size); err != nil {
		return nil, err
	}
	out := make([]byte, 0, size)
	for len(delta) > 0 {
		c := delta[0]
		delta = delta[1:]
		if c&0x80 == 0 {
			n := int(c)
			if n == 0 || n > len(delta) || len(out)+n > size {
				return nil, io.ErrUnexpectedEOF
			}
			out, delta = append(out, delta[:n]...), delta[n:]
			continue
		}
		var at, n int
		for i := range 7 {
			if c>>i&1 == 0 {
				continue
			}
			if len(delta) == 0 {
				return nil, io.ErrUnexpectedEOF
			}
			if i < 4 {
				at |= int(delta[0]) << (8 * i)
			} else {
				n |= int(delta[0]) << (8 * (i - 4))
			}
			delta = delta[1:]
		}
		if n == 0 {
			n = 1 << 16
		}
		if at+n > len(base) || len(out)+n > size {
			return nil, io.ErrUnexpectedEOF
		}
		out = append(out, base[at:at+n]...)
	}
	if len(out) != size {
		return nil, io.ErrUnexpectedEOF
	}
	return out, nil
}

// An offsetReader reads a file from an offset on.
type offsetReader struct {
	f      io.ReaderAt
	offset int64
	buf    []byte
	err    error
}

func (r *offsetReader) fill() {
	if len(r.buf) > 0 || r.err != nil {
		return
	}
	b := make([]byte, 4096)
	n, err := r.f.ReadAt(b, r.offset)
	r.offset += int64(n)
	if r.buf = b[:n]; n == 0 {
		r.err = err
	}
}

func (r *offsetReader) byte() byte {
	r.fill()
	if len(r.buf) == 0 {
		return 0
	}
	c := r.buf[0]
	r.buf = r.buf[1:]
	return c
}

// ReadByte returns the next byte.
func (r *offsetReader) ReadByte() (byte, error) {
	if r.fill(); len(r.buf) == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return r.byte(), nil
}

// Read reads what is there.
func (r *offsetReader) Read(p []byte) (int, error) {
	if r.fill(); len(r.buf) == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(p, r.buf)
	r.buf = r.buf[n:]
	return n, nil
}
