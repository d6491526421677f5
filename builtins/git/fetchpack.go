package git

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// fetchObjects fetches what some objects need and is not here.
func (s *server) fetchObjects(want []hash) error {
	var body bytes.Buffer
	caps := " side-band-64k ofs-delta agent=" + userAgent
	if _, ok := s.can["side-band-64k"]; !ok {
		return fatalf("the server at '%s' lacks side-band-64k", anonymous(s.url))
	}
	asked := map[hash]bool{}
	for _, h := range want {
		if asked[h] || s.objects.has(h) {
			continue
		}
		asked[h] = true
		packet(&body, "want %s%s\n", h, caps)
		caps = ""
	}
	if len(asked) == 0 {
		return nil
	}
	body.WriteString("0000")
	if err := s.offer(&body); err != nil {
		return err
	}
	packet(&body, "done\n")
	res, err := s.request("POST", "/git-upload-pack", "git-upload-pack", bytes.NewReader(body.Bytes()), int64(body.Len()))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return s.receive(&sideband{git: s.git, r: bufio.NewReaderSize(res.Body, 64<<10)})
}

// maxOffered is how many commits a server is told of.
const maxOffered = 256

// offer tells the server which commits are here.
func (s *server) offer(body *bytes.Buffer) error {
	refs, err := s.git.refs("refs/")
	if err != nil {
		return err
	}
	var q queue
	seen := map[hash]bool{}
	put := func(h hash) error {
		if seen[h] {
			return nil
		}
		seen[h] = true
		c, err := s.objects.commit(h)
		if err == nil {
			q.put(c)
		}
		if s.Ends(err) {
			return err
		}
		return nil
	}
	for _, r := range refs {
		h, _, err := s.objects.peel(r.hash)
		if err != nil {
			continue
		}
		if err := put(h); err != nil {
			return err
		}
	}
	for n := 0; q.Len() > 0 && n < maxOffered; n++ {
		c := q.take()
		packet(body, "have %s\n", c.hash)
		for _, p := range c.parents {
			if err := put(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// A sideband is a response whose packets are of a pack, of progress or of errors.
type sideband struct {
	*git
	r    *bufio.Reader
	data []byte
	end  bool
}

// Read reads the pack.
func (s *sideband) Read(p []byte) (int, error) {
	for len(s.data) == 0 {
		if s.end {
			return 0, io.EOF
		}
		if err := s.Poll(1); err != nil {
			return 0, err
		}
		line, err := readPacket(s.r)
		switch {
		case err != nil:
			return 0, err
		case line == nil:
			s.end = true
		case bytes.HasPrefix(line, []byte("NAK")) || bytes.HasPrefix(line, []byte("ACK")):
		case bytes.HasPrefix(line, []byte("ERR ")):
			return 0, fatalf("remote error: %s", strings.TrimSpace(string(line[4:])))
		case len(line) > 0 && line[0] == 1:
			s.data = line[1:]
		case len(line) > 0 && line[0] == 3:
			return 0, fatalf("remote error: %s", strings.TrimSpace(string(line[1:])))
		}
	}
	n := copy(p, s.data)
	s.data = s.data[n:]
	return n, nil
}

// A packed is an object of a pack that is being received.
type packed struct {
	hash   hash
	crc    uint32
	offset int64
}

// receive stores a pack and its index.
func (s *server) receive(r io.Reader) error {
	name := s.objects.dir + "/pack/tmp_pack"
	f, err := s.FS.OpenFile(name+".pack", vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o444)
	if err != nil {
		return fatalf("unable to create temporary file: %v", vfs.ErrnoOf(err))
	}
	defer func() { _ = s.FS.Remove(name + ".pack") }()
	sum := sha1.New()
	scan := &packScanner{git: s.git, r: bufio.NewReaderSize(io.TeeReader(r, f), 64<<10), sum: sum}
	list, err := scan.run()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		if s.Ends(err) {
			return err
		}
		return fatalf("fetch-pack: invalid index-pack output: %v", err)
	}
	p := &pack{store: s.objects, name: name}
	for i := range list {
		o, err := p.read(list[i].offset, 0)
		if err != nil {
			return err
		}
		list[i].hash = hashOf(o.kind, o.data)
		s.objects.free(o)
	}
	index := indexOf(list, scan.trailer)
	final := s.objects.dir + "/pack/pack-" + hash(scan.trailer).String()
	if err := s.writeFile(final+".idx", index); err != nil {
		return err
	}
	if err := s.FS.Rename(name+".pack", final+".pack"); err != nil {
		return fatalf("unable to rename temporary file: %v", vfs.ErrnoOf(err))
	}
	s.objects.looked, s.objects.packs = false, nil
	return nil
}

// A packScanner finds the objects of a pack.
type packScanner struct {
	*git
	r   *bufio.Reader
	sum interface {
		io.Writer
		Sum([]byte) []byte
	}
	crc     uint32
	offset  int64
	trailer [20]byte
}

// ReadByte reads a byte and counts it.
func (p *packScanner) ReadByte() (byte, error) {
	c, err := p.r.ReadByte()
	if err == nil {
		p.count([]byte{c})
	}
	return c, err
}

// Read reads and counts.
func (p *packScanner) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.count(b[:n])
	return n, err
}

func (p *packScanner) count(b []byte) {
	_, _ = p.sum.Write(b)
	p.crc = crc32.Update(p.crc, crc32.IEEETable, b)
	p.offset += int64(len(b))
}

// run reads the pack.
func (p *packScanner) run() ([]packed, error) {
	var head [12]byte
	if _, err := io.ReadFull(p, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[8:])
	if string(head[:4]) != "PACK" || binary.BigEndian.Uint32(head[4:]) != 2 {
		return nil, fmt.Errorf("no pack of version 2")
	}
	var list []packed
	for range n {
		if err := p.hold(40); err != nil {
			return nil, err
		}
		o := packed{offset: p.offset}
		p.crc = 0
		if err := p.object(); err != nil {
			return nil, err
		}
		o.crc = p.crc
		list = append(list, o)
	}
	got := p.sum.Sum(nil)
	if _, err := io.ReadFull(p.r, p.trailer[:]); err != nil {
		return nil, err
	}
	if !bytes.Equal(got, p.trailer[:]) {
		return nil, fmt.Errorf("the pack is corrupt")
	}
	_, err := io.Copy(io.Discard, p.r)
	return list, err
}

// object reads one object.
func (p *packScanner) object() error {
	c, err := p.ReadByte()
	if err != nil {
		return err
	}
	kind := c >> 4 & 7
	for c&0x80 != 0 {
		if c, err = p.ReadByte(); err != nil {
			return err
		}
	}
	switch kind {
	case 0, 5:
		return fmt.Errorf("an object of an unknown kind")
	case 6:
		for c = 0x80; c&0x80 != 0; {
			if c, err = p.ReadByte(); err != nil {
				return err
			}
		}
	case 7:
		if _, err := io.CopyN(io.Discard, p, 20); err != nil {
			return err
		}
	}
	z, err := zlib.NewReader(p)
	if err != nil {
		return err
	}
	for {
		k, err := io.CopyN(io.Discard, z, 64<<10)
		if perr := p.Poll(1 + int(k>>8)); perr != nil {
			return perr
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// indexOf makes the index of a pack, of version 2.
func indexOf(list []packed, trailer [20]byte) []byte {
	slices.SortFunc(list, func(a, b packed) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	out := []byte("\xfftOc\x00\x00\x00\x02")
	var fan [256]uint32
	for _, o := range list {
		fan[o.hash[0]]++
	}
	total := uint32(0)
	for _, n := range fan {
		total += n
		out = binary.BigEndian.AppendUint32(out, total)
	}
	for _, o := range list {
		out = append(out, o.hash[:]...)
	}
	for _, o := range list {
		out = binary.BigEndian.AppendUint32(out, o.crc)
	}
	var large []byte
	for _, o := range list {
		if o.offset < 1<<31 {
			out = binary.BigEndian.AppendUint32(out, uint32(o.offset))
			continue
		}
		out = binary.BigEndian.AppendUint32(out, 1<<31|uint32(len(large)/8))
		large = binary.BigEndian.AppendUint64(large, uint64(o.offset))
	}
	out = append(append(out, large...), trailer[:]...)
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}
