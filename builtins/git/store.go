package git

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sort"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// A store is the objects of a repository.
type store struct {
	g       *git
	dir     string  // objects
	packs   []*pack // once they are looked for
	looked  bool    // for packs
	commits map[hash]*commit
}

func (g *git) openStore(dir string) *store {
	return &store{g: g, dir: dir, commits: map[hash]*commit{}}
}

// path returns the name of the file of a loose object.
func (s *store) path(h hash) string {
	text := h.String()
	return s.dir + "/" + text[:2] + "/" + text[2:]
}

// hashOf returns the name of an object.
func hashOf(kind string, data []byte) hash {
	d := sha1.New()
	fmt.Fprintf(d, "%s %d\x00", kind, len(data))
	d.Write(data)
	return hash(d.Sum(nil))
}

// write stores an object, and returns its name.
func (s *store) write(kind string, data []byte) (hash, error) {
	h := hashOf(kind, data)
	if s.has(h) {
		return h, nil
	}
	if err := s.g.Poll(1 + len(data)>>8); err != nil {
		return h, err
	}
	if err := s.g.Alloc(len(data)/2 + 1<<16); err != nil {
		return h, err
	}
	defer s.g.Free(len(data)/2 + 1<<16)
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	fmt.Fprintf(z, "%s %d\x00", kind, len(data))
	_, _ = z.Write(data)
	_ = z.Close()
	path := s.path(h)
	if err := s.g.FS.MkdirAll(path[:len(s.dir)+3], 0o777); err != nil {
		return h, fatalf("unable to create directory for %s: %v", h, vfs.ErrnoOf(err))
	}
	if err := vfs.WriteFile(s.g.FS, path, b.Bytes(), 0o444); err != nil {
		return h, mistakef("unable to write file %s: %v", path, vfs.ErrnoOf(err))
	}
	return h, nil
}

// has reports whether there is an object.
func (s *store) has(h hash) bool {
	if h == emptyTree {
		return true
	}
	if _, err := s.g.FS.Stat(s.path(h)); err == nil {
		return true
	}
	for _, p := range s.allPacks() {
		if _, ok := p.find(h); ok {
			return true
		}
	}
	return false
}

// errMissing says that there is no such object.
var errMissing = errors.New("no such object")

// read returns an object. Its memory is charged; free gives it back.
func (s *store) read(h hash) (object, error) {
	if err := s.g.Poll(1); err != nil {
		return object{}, err
	}
	o, err := s.readLoose(h)
	if !errors.Is(err, fs.ErrNotExist) {
		return o, err
	}
	for _, p := range s.allPacks() {
		if offset, ok := p.find(h); ok {
			return p.read(offset, 0)
		}
	}
	if h == emptyTree {
		return object{kind: "tree"}, nil
	}
	return object{}, errMissing
}

// free gives back the memory of an object.
func (s *store) free(o object) { s.g.Free(len(o.data)) }

func (s *store) readLoose(h hash) (object, error) {
	f, err := s.g.FS.Open(s.path(h))
	if err != nil {
		return object{}, err
	}
	defer f.Close()
	corrupt := fatalf("loose object %s (stored in %s) is corrupt", h, s.path(h))
	z, err := zlib.NewReader(f)
	if err != nil {
		return object{}, corrupt
	}
	var header [32]byte
	n := 0
	for ; n < len(header); n++ {
		if _, err := io.ReadFull(z, header[n:n+1]); err != nil {
			return object{}, corrupt
		}
		if header[n] == 0 {
			break
		}
	}
	kind, length, _ := strings.Cut(string(header[:n]), " ")
	size, err := strconv.Atoi(length)
	if err != nil || size < 0 {
		return object{}, corrupt
	}
	data, err := s.inflate(z, size)
	if err == io.ErrUnexpectedEOF || err == zlib.ErrHeader {
		err = corrupt
	}
	return object{kind: kind, data: data}, err
}

// inflate reads size bytes, for which it charges first.
func (s *store) inflate(r io.Reader, size int) ([]byte, error) {
	if err := s.g.Alloc(size); err != nil {
		return nil, err
	}
	data := make([]byte, size)
	for n := 0; n < size; {
		if err := s.g.Poll(256); err != nil {
			return nil, err
		}
		k, err := io.ReadFull(r, data[n:min(n+1<<16, size)])
		n += k
		if err != nil {
			s.g.Free(size)
			return nil, io.ErrUnexpectedEOF
		}
	}
	return data, nil
}

// readKind returns the content of an object of one kind.
func (s *store) readKind(h hash, kind string) ([]byte, error) {
	o, err := s.read(h)
	if err != nil {
		if err == errMissing {
			return nil, fatalf("bad object %s", h)
		}
		return nil, err
	}
	if o.kind != kind {
		s.free(o)
		return nil, fatalf("%s is not a %s", h, kind)
	}
	return o.data, nil
}

// tree returns the entries of a tree.
func (s *store) tree(h hash) ([]treeEntry, error) {
	data, err := s.readKind(h, "tree")
	if err != nil {
		return nil, err
	}
	defer s.g.Free(len(data))
	list, err := parseTree(data)
	if err == nil {
		err = s.g.hold(2 * len(data))
	}
	return list, err
}

// commit returns a commit, which is kept until the end of the command.
func (s *store) commit(h hash) (*commit, error) {
	if c := s.commits[h]; c != nil {
		return c, nil
	}
	data, err := s.readKind(h, "commit")
	if err != nil {
		return nil, err
	}
	defer s.g.Free(len(data))
	if err := s.g.hold(2*len(data) + 256); err != nil {
		return nil, err
	}
	c, err := parseCommit(h, data)
	if err == nil {
		s.commits[h] = c
	}
	return c, err
}

// peel follows annotated tags until it finds something else.
func (s *store) peel(h hash) (hash, string, error) {
	for {
		o, err := s.read(h)
		if err != nil {
			return h, "", err
		}
		s.free(o)
		if o.kind != "tag" {
			return h, o.kind, nil
		}
		h = parseTag(o.data).target
	}
}

// withPrefix returns the objects whose names begin with some hexadecimal digits.
func (s *store) withPrefix(prefix string) (list []hash) {
	if len(prefix) < 4 {
		return nil
	}
	seen := map[hash]bool{}
	entries, _ := s.g.FS.ReadDir(s.dir + "/" + prefix[:2])
	for _, e := range entries {
		if h, ok := parseHash(prefix[:2] + e.Name()); ok && strings.HasPrefix(h.String(), prefix) {
			seen[h] = true
		}
	}
	for _, p := range s.allPacks() {
		p.withPrefix(prefix, seen)
	}
	for h := range seen {
		list = append(list, h)
	}
	sort.Slice(list, func(i, j int) bool { return bytes.Compare(list[i][:], list[j][:]) < 0 })
	return list
}

// short returns the beginning of a name that no other object has, of n digits at
// least.
func (s *store) short(h hash, n int) string {
	text := h.String()
	if n >= 40 {
		return text
	}
	others := s.withPrefix(text[:max(n, 4)])
	for n < 40 {
		unique := true
		for _, o := range others {
			unique = unique && (o == h || !strings.HasPrefix(o.String(), text[:n]))
		}
		if unique {
			break
		}
		n++
	}
	return text[:n]
}

// abbrev returns a short name, of the length that the configuration has.
func (g *git) abbrev(h hash) string {
	n := 7
	if text, ok := g.config("core.abbrev"); ok {
		if v, err := strconv.Atoi(text); err == nil && v >= 4 {
			n = v
		}
	}
	return g.objects.short(h, n)
}

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
