package git

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
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
