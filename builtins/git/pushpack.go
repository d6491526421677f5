package git

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	stdhash "hash"
	"io"
)

// pack lists the objects that the server lacks, and returns the pack of them.
func (p *pushing) pack(fresh []hash) (*packWriter, error) {
	l := &lister{git: p.git, seen: map[hash]bool{}}
	for _, r := range p.refs { // what the server has, as far as it is known here
		if err := l.skip(r.hash); err != nil {
			return nil, err
		}
	}
	for _, h := range fresh {
		if err := l.object(h, 0); err != nil {
			return nil, err
		}
	}
	w := &packWriter{git: p.git, list: l.list, sum: sha1.New()}
	head := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(l.list)))
	w.put(head)
	return w, nil
}

// A lister lists objects that others need.
type lister struct {
	*git
	seen map[hash]bool
	list []hash
}

// skip marks what can be reached from an object of the server.
func (l *lister) skip(h hash) error {
	if !l.objects.has(h) {
		return nil
	}
	reached := map[hash]uint8{}
	h, kind, err := l.objects.peel(h)
	if err != nil || kind != "commit" {
		return err
	}
	if err := l.reach([]hash{h}, reached, 1); err != nil {
		return err
	}
	for c := range reached {
		l.seen[c] = true
	}
	c, err := l.objects.commit(h)
	if err != nil {
		return err
	}
	n := len(l.list)
	err = l.treeObjects(c.tree, 0)
	l.list = l.list[:n] // they are seen, and not to be sent
	return err
}

// object lists an object and what it needs.
func (l *lister) object(h hash, depth int) error {
	for todo := []hash{h}; len(todo) > 0; {
		h := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if l.seen[h] {
			continue
		}
		if err := l.mark(h); err != nil {
			return err
		}
		o, err := l.objects.read(h)
		if err != nil {
			return err
		}
		l.objects.free(o)
		switch o.kind {
		case "tag":
			todo = append(todo, parseTag(o.data).target)
		case "commit":
			c, err := l.objects.commit(h)
			if err != nil {
				return err
			}
			todo = append(todo, c.parents...)
			if err := l.treeObjects(c.tree, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lister) mark(h hash) error {
	l.seen[h] = true
	l.list = append(l.list, h)
	return l.hold(100)
}

// treeObjects lists a tree and what is in it.
func (l *lister) treeObjects(h hash, depth int) error {
	if l.seen[h] {
		return nil
	}
	if depth > 1000 {
		return fatalf("trees are nested too deeply")
	}
	if err := l.mark(h); err != nil {
		return err
	}
	entries, err := l.objects.tree(h)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := l.Poll(1); err != nil {
			return err
		}
		switch {
		case e.mode == 0o160000 || l.seen[e.hash]:
		case e.mode == 0o40000:
			err = l.treeObjects(e.hash, depth+1)
		default:
			err = l.mark(e.hash)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A packWriter is a pack that is made as it is read.
type packWriter struct {
	*git
	list []hash
	buf  bytes.Buffer
	sum  stdhash.Hash
	done bool
}

func (w *packWriter) put(b []byte) {
	w.buf.Write(b)
	w.sum.Write(b)
}

// Read reads the next part.
func (w *packWriter) Read(b []byte) (int, error) {
	for w.buf.Len() == 0 {
		switch {
		case w.done:
			return 0, io.EOF
		case len(w.list) == 0:
			w.done = true
			w.buf.Write(w.sum.Sum(nil))
		default:
			if err := w.next(); err != nil {
				return 0, err
			}
		}
	}
	return w.buf.Read(b)
}

// next adds an object.
func (w *packWriter) next() error {
	o, err := w.objects.read(w.list[0])
	if err != nil {
		return err
	}
	defer w.objects.free(o)
	w.list = w.list[1:]
	kind := byte(0)
	for i, name := range kinds {
		if name == o.kind {
			kind = byte(i)
		}
	}
	n := len(o.data)
	c := kind<<4 | byte(n&15)
	var head []byte
	for n >>= 4; n > 0; n >>= 7 {
		head = append(head, c|0x80)
		c = byte(n & 0x7f)
	}
	w.put(append(head, c))
	var z bytes.Buffer
	deflate := zlib.NewWriter(&z)
	if _, err := deflate.Write(o.data); err != nil {
		return err
	}
	if err := deflate.Close(); err != nil {
		return err
	}
	w.put(z.Bytes())
	return nil
}
