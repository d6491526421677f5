package archive

import (
	"bufio"
	"bytes"
	bzip2reader "compress/bzip2"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"path"
	"strings"
	"time"

	"github.com/dsnet/compress/bzip2"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"github.com/limpet-sh/limpet/builtins"
)

// A method is a way to compress.
type method struct {
	name     string
	suffix   string // of compressed files
	magic    []byte // what compressed data begins with
	standard int    // the level where none is asked for
	memory   int    // about how much an encoder or decoder holds

	encode func(w io.Writer, m member) (io.WriteCloser, error)

	// more is how much an encoder holds beyond that for a member; nil where it is nothing.
	more func(m member) int

	// decode returns a reader of what r holds, which charges w for what it needs
	// beyond memory. It describes the first member in m where that is not nil.
	decode func(w *window, r *bufio.Reader, m *member) (io.Reader, error)
}

// A window is the memory that a decoder needs for what the data ask for.
type window struct {
	call *builtins.Call
	held int
}

// freeWindow is how large a window is that the memory of a method has in it.
const freeWindow = 8 * mib

// atLeast makes the window n bytes large at least.
func (w *window) atLeast(n int64) error {
	more := int(n) - freeWindow - w.held
	if more <= 0 {
		return nil
	}
	if err := w.call.Alloc(more); err != nil {
		return err
	}
	w.held += more
	return nil
}

func (w *window) free() { w.call.Free(w.held) }

// A member is what compressed data may say of the file that it holds.
type member struct {
	name  string
	mtime time.Time
	level int
	size  int64 // 0 where it is not known
}

// The errors of damaged data. What is left of the data may be good.
var (
	errFormat    = errors.New("not in the right format")
	errEmpty     = errors.New("nothing there")
	errTruncated = errors.New("unexpected end of file")
	errChecksum  = errors.New("checksum error")
	errCorrupt   = errors.New("corrupt data")
	errGarbage   = errors.New("trailing garbage")
)

const mib = 1 << 20

var (
	gzipMethod = &method{
		name: "gzip", suffix: ".gz", magic: []byte{0x1f, 0x8b}, standard: 6, memory: 2 * mib,
		encode: encodeGzip, decode: decodeGzip,
	}
	bzip2Method = &method{
		name: "bzip2", suffix: ".bz2", magic: []byte("BZh"), standard: 9, memory: 12 * mib,
		encode: func(w io.Writer, m member) (io.WriteCloser, error) {
			return bzip2.NewWriter(w, &bzip2.WriterConfig{Level: m.level})
		},
		decode: func(_ *window, r *bufio.Reader, _ *member) (io.Reader, error) {
			return translated{bzip2reader.NewReader(r)}, nil
		},
	}
	xzMethod = &method{
		name: "xz", suffix: ".xz", magic: xzMagic, standard: 6, memory: xzBase,
		encode: func(w io.Writer, m member) (io.WriteCloser, error) {
			return xz.WriterConfig{DictCap: xzDictionary(m)}.NewWriter(w)
		},
		more:   xzMemory,
		decode: decodeXz,
	}
	lzmaMethod = &method{
		name: "lzma", suffix: ".lzma", magic: []byte{0x5d, 0, 0}, standard: 6, memory: xzBase,
		encode: func(w io.Writer, m member) (io.WriteCloser, error) {
			return lzma.WriterConfig{DictCap: xzDictionary(m)}.NewWriter(w)
		},
		more:   xzMemory,
		decode: decodeLzma,
	}
	zstdMethod = &method{
		name: "zstd", suffix: ".zst", magic: []byte{0x28, 0xb5, 0x2f, 0xfd}, standard: 3, memory: 16 * mib,
		encode: func(w io.Writer, m member) (io.WriteCloser, error) {
			return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(m.level)))
		},
		decode: decodeZstd,
	}
	lz4Method = &method{
		name: "lz4", suffix: ".lz4", magic: []byte{0x04, 0x22, 0x4d, 0x18}, standard: 1, memory: 8 * mib,
		encode: func(w io.Writer, m member) (io.WriteCloser, error) {
			z := lz4.NewWriter(w)
			return z, z.Apply(lz4.ConcurrencyOption(1), lz4.CompressionLevelOption(lz4Level(m.level)))
		},
		decode: func(_ *window, r *bufio.Reader, _ *member) (io.Reader, error) {
			return translated{lz4.NewReader(r)}, nil
		},
	}
)

// methods has the methods whose data can be told by how it begins.
var methods = []*method{gzipMethod, bzip2Method, xzMethod, zstdMethod, lz4Method, lzmaMethod}

// methodOf returns the method that compressed what r holds, or nil.
func methodOf(r *bufio.Reader) *method {
	for _, m := range methods {
		if m.matches(r) {
			return m
		}
	}
	return nil
}

// methodFor returns the method that the suffix of a name stands for, or nil.
func methodFor(name string) *method {
	for _, s := range []struct {
		suffixes string
		method   *method
	}{
		{".gz .tgz .taz .z", gzipMethod}, {".bz2 .tbz .tbz2 .tz2", bzip2Method}, {".xz .txz", xzMethod},
		{".lzma .tlz", lzmaMethod}, {".zst .tzst", zstdMethod}, {".lz4", lz4Method},
	} {
		for suffix := range strings.FieldsSeq(s.suffixes) {
			if path.Ext(name) == suffix {
				return s.method
			}
		}
	}
	return nil
}

// matches reports whether r begins as data of the method does.
func (m *method) matches(r *bufio.Reader) bool {
	b, _ := r.Peek(len(m.magic))
	return bytes.Equal(b, m.magic)
}

// xzDictionary returns the size of the dictionary for a member: that of its level, but not
// much more than the member has, nor more than what 96 MiB of memory allow.
func xzDictionary(m member) int {
	size := []int{256 << 10, mib, 2 * mib, 4 * mib, 4 * mib, 8 * mib, 8 * mib, 16 * mib, 16 * mib, 16 * mib}[min(max(m.level, 0), 9)]
	for m.size > 0 && m.size <= int64(size/2) && size > 64<<10 {
		size /= 2
	}
	return size
}

// xzBase is the memory of an encoder or decoder with a small dictionary.
const xzBase = 16 * mib

// xzMemory is the memory of an encoder for its dictionary and the chains in it, but for what
// it has anyway.
func xzMemory(m member) int { return max(5*xzDictionary(m)+8*mib-xzBase, 0) }

// decodeLzma decodes an .lzma file, whose header says how large the dictionary is.
func decodeLzma(w *window, r *bufio.Reader, _ *member) (io.Reader, error) {
	head, err := r.Peek(5)
	if err != nil {
		return nil, truncatedAt(err)
	}
	size := int64(max(binary.LittleEndian.Uint32(head[1:]), lzma.MinDictCap))
	if err := w.atLeast(size); err != nil {
		return nil, err
	}
	z, err := lzma.ReaderConfig{DictCap: int(size)}.NewReader(r)
	return translated{z}, err
}

// decodeZstd decodes a .zst file. What the first frame needs is charged, and a later one
// that needs more is refused.
func decodeZstd(w *window, r *bufio.Reader, _ *member) (io.Reader, error) {
	size := uint64(freeWindow)
	var h zstd.Header
	if head, _ := r.Peek(zstd.HeaderMaxSize); h.Decode(head) == nil {
		size = max(size, h.WindowSize)
	}
	if size > 128*mib { // as zstd without --long
		return nil, errCorrupt
	}
	if err := w.atLeast(int64(size)); err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(size))
	if err != nil {
		return nil, err
	}
	return translated{z}, nil
}

func lz4Level(level int) lz4.CompressionLevel {
	if level < 3 {
		return lz4.Fast
	}
	return []lz4.CompressionLevel{lz4.Level3, lz4.Level4, lz4.Level5, lz4.Level6, lz4.Level7, lz4.Level8, lz4.Level9}[min(level, 9)-3]
}

// A translated is a decoder whose errors are those of this package.
type translated struct{ io.Reader }

func (t translated) Read(b []byte) (int, error) {
	n, err := t.Reader.Read(b)
	return n, translate(err)
}

// translate returns the error of this package for one of a decoder, or err
// itself where it is not about the data.
func translate(err error) error {
	var corrupt flate.CorruptInputError
	var structural bzip2reader.StructuralError
	switch {
	case err == nil, err == io.EOF:
		return err
	case errors.As(err, &structural) && strings.Contains(string(structural), "continuation"):
		return errGarbage
	case errors.As(err, &structural):
		return errCorrupt
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errTruncated
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, lz4.ErrInvalidFrameChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		return errChecksum
	case errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		return errCorrupt
	}
	text := err.Error()
	for _, prefix := range []string{"bzip2: ", "xz: ", "lzma: ", "lz4: ", "zstd: ", "magic", "invalid", "corrupt"} {
		if strings.HasPrefix(text, prefix) {
			return errCorrupt
		}
	}
	return err
}

func encodeGzip(w io.Writer, m member) (io.WriteCloser, error) {
	open := func() (io.WriteCloser, error) {
		z, err := gzip.NewWriterLevel(w, m.level)
		if err != nil {
			return nil, err
		}
		z.Header = gzip.Header{Name: latin1(m.name), ModTime: m.mtime, OS: 3}
		return z, nil
	}
	return &smallDeflater{open: open, finish: func(data, packed []byte) error {
		_, err := w.Write(gzipMember(m, data, packed))
		return err
	}}, nil
}

// gzipMember returns a member of a gzip file (RFC 1952) with the data as it was
// packed.
func gzipMember(m member, data, packed []byte) []byte {
	b := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3}
	if sec := m.mtime.Unix(); sec > 0 {
		binary.LittleEndian.PutUint32(b[4:], uint32(sec))
	}
	switch m.level {
	case 9:
		b[8] = 2
	case 1:
		b[8] = 4
	}
	if m.name != "" {
		b[3] = 8
		b = append(append(b, m.name...), 0)
	}
	b = append(b, packed...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(data))
	return binary.LittleEndian.AppendUint32(b, uint32(len(data)))
}

// latin1 returns name as the bytes of a header, which are characters of Latin
// 1; a name that has others is left out.
func latin1(name string) string {
	var b strings.Builder
	for i := range len(name) {
		b.WriteRune(rune(name[i]))
	}
	return b.String()
}

// A gzipReader reads the members of gzip data, one after the other.
type gzipReader struct {
	in     *bufio.Reader
	member *gzip.Reader
}

func decodeGzip(_ *window, r *bufio.Reader, m *member) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, translate(err)
	}
	z.Multistream(false)
	if m != nil {
		m.name, m.mtime = z.Name, z.ModTime
	}
	return &gzipReader{r, z}, nil
}

func (g *gzipReader) Read(b []byte) (int, error) {
	for {
		n, err := g.member.Read(b)
		if n > 0 || err != io.EOF {
			if err == io.EOF {
				err = nil
			}
			return n, translate(err)
		}
		if err := g.next(); err != nil {
			return 0, err
		}
	}
}

// next goes to the next member. Zeros may fill the rest of the input.
func (g *gzipReader) next() error {
	if !gzipMethod.matches(g.in) {
		for {
			b, err := g.in.ReadByte()
			if err != nil {
				return translate(err)
			}
			if b != 0 {
				return errGarbage
			}
		}
	}
	if err := g.member.Reset(g.in); err != nil {
		return translate(err)
	}
	g.member.Multistream(false)
	return nil
}
