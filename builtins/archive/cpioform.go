package archive

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/vfs"
)

// A cpioFormat is a form of headers.
type cpioFormat int

// The formats.
const (
	cpioBin cpioFormat = iota
	cpioODC
	cpioNewc
	cpioCRC
)

// cpioFormats has the names of the formats.
var cpioFormats = []string{"bin", "odc", "newc", "crc"}

// late reports whether the content of a file with several names comes with the
// last of them.
func (f cpioFormat) late() bool { return f == cpioNewc || f == cpioCRC }

// A cpioHeader is what an archive has of a file besides its content.
type cpioHeader struct {
	name        string
	ino, dev    uint64
	mode        uint32
	uid, gid    uint32
	nlink       uint32
	mtime, size int64
	rdev        uint64
	check       uint32
	late        bool   // see cpioFormat.late
	source      string // the name of the file
}

func newCpioHeader(name string, info fs.FileInfo) *cpioHeader {
	st := vfs.StatOf(info)
	return &cpioHeader{
		name: name, ino: st.Ino, dev: st.Dev, mode: filemode.Unix(info.Mode()), uid: uint32(st.UID), gid: uint32(st.GID),
		nlink: uint32(st.Nlink), mtime: info.ModTime().Unix(), size: info.Size(), rdev: st.Rdev,
	}
}

// A cpioWriter writes an archive.
type cpioWriter struct {
	w      *bufio.Writer
	format cpioFormat
	n      int64
}

func (w *cpioWriter) write(b []byte) error {
	n, err := w.w.Write(b)
	w.n += int64(n)
	return err
}

// pad writes zeros up to a multiple of n.
func (w *cpioWriter) pad(n int64) error {
	return w.write(make([]byte, (n-w.n%n)%n))
}

// align returns the number of which headers and contents begin at multiples.
func (w *cpioWriter) align() int64 {
	switch {
	case w.format.late():
		return 4
	case w.format == cpioBin:
		return 2
	}
	return 1
}

// header writes a header.
func (w *cpioWriter) header(h *cpioHeader) error {
	name := h.name + "\x00"
	var b []byte
	switch w.format {
	case cpioNewc, cpioCRC:
		magic := "070701"
		if w.format == cpioCRC {
			magic = "070702"
		}
		b = fmt.Appendf(nil, "%s%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", magic, uint32(h.ino), h.mode, h.uid, h.gid, h.nlink,
			uint32(h.mtime), uint32(h.size), uint32(h.dev>>8), uint32(h.dev&0xff), uint32(h.rdev>>8), uint32(h.rdev&0xff), len(name), h.check)
	case cpioODC:
		b = fmt.Appendf(nil, "070707%06o%06o%06o%06o%06o%06o%06o%011o%06o%011o", h.dev&0o777777, h.ino&0o777777, h.mode&0o777777,
			h.uid&0o777777, h.gid&0o777777, h.nlink&0o777777, h.rdev&0o777777, h.mtime, len(name), h.size)
	default:
		le := binary.LittleEndian
		for _, v := range []uint16{0o70707, uint16(h.dev), uint16(h.ino), uint16(h.mode), uint16(h.uid), uint16(h.gid), uint16(h.nlink),
			uint16(h.rdev), uint16(h.mtime >> 16), uint16(h.mtime), uint16(len(name)), uint16(h.size >> 16), uint16(h.size)} {
			b = le.AppendUint16(b, v)
		}
	}
	if err := w.write(append(b, name...)); err != nil {
		return err
	}
	return w.pad(w.align())
}

// content writes the content of a file.
func (w *cpioWriter) content(c *builtins.Call, r io.Reader, size int64) error {
	n, err := transfer(c, w.w, io.LimitReader(r, size))
	w.n += n
	if err != nil {
		return err
	}
	for n < size { // the file has become shorter
		k := min(size-n, 4096)
		if err := w.write(make([]byte, k)); err != nil {
			return err
		}
		n += k
	}
	return w.pad(w.align())
}

// end writes the trailer, and fills the last block.
func (w *cpioWriter) end() error {
	if err := w.header(&cpioHeader{name: cpioTrailer, nlink: 1}); err != nil {
		return err
	}
	return w.pad(512)
}

// A cpioReader reads an archive.
type cpioReader struct {
	r     *bufio.Reader
	align int64
	size  int64 // of the content of the last member
}

var (
	errCpioEnd   = errors.New("premature end of archive")
	errCpioMagic = errors.New("not a cpio archive")
)

// next reads a header. The error is io.EOF at the trailer.
func (r *cpioReader) next() (*cpioHeader, error) {
	magic, err := r.r.Peek(6)
	if err != nil {
		return nil, errCpioEnd
	}
	var h *cpioHeader
	var nameSize int64
	switch m := string(magic); {
	case m == "070701", m == "070702":
		h, nameSize, err = r.newc()
	case m == "070707":
		h, nameSize, err = r.odc()
	case binary.LittleEndian.Uint16(magic) == 0o70707:
		h, nameSize, err = r.binary(binary.LittleEndian)
	case binary.BigEndian.Uint16(magic) == 0o70707:
		h, nameSize, err = r.binary(binary.BigEndian)
	default:
		return nil, errCpioMagic
	}
	if err != nil {
		return nil, err
	}
	if nameSize < 1 || nameSize > 1<<16 || h.size < 0 {
		return nil, errors.New("Malformed header")
	}
	name := make([]byte, nameSize)
	if _, err := io.ReadFull(r.r, name); err != nil {
		return nil, errCpioEnd
	}
	h.name = string(name[:nameSize-1])
	headers := map[int64]int64{4: 110, 2: 26, 1: 76}
	if err := r.fill(headers[r.align] + nameSize); err != nil {
		return nil, err
	}
	if h.name == cpioTrailer {
		_, _ = io.Copy(io.Discard, io.LimitReader(r.r, 512))
		return nil, io.EOF
	}
	r.size = h.size
	return h, nil
}

// fill skips what follows n bytes up to the next multiple.
func (r *cpioReader) fill(n int64) error {
	if _, err := r.r.Discard(int((r.align - n%r.align) % r.align)); err != nil {
		return errCpioEnd
	}
	return nil
}

// skip reads the rest of the content of a member.
func (r *cpioReader) skip(c *builtins.Call, content io.Reader) error {
	rest := content.(*io.LimitedReader)
	if _, err := transfer(c, io.Discard, rest); err != nil {
		return err
	}
	if rest.N > 0 {
		return errCpioEnd
	}
	return r.fill(r.size)
}

// fields reads numbers of some digits.
func (r *cpioReader) fields(base int, widths ...int) ([]int64, error) {
	var out []int64
	for _, width := range widths {
		b := make([]byte, width)
		if _, err := io.ReadFull(r.r, b); err != nil {
			return nil, errCpioEnd
		}
		n, err := strconv.ParseUint(string(b), base, 63)
		if err != nil {
			return nil, fmt.Errorf("Malformed number %s", b)
		}
		out = append(out, int64(n))
	}
	return out, nil
}

func (r *cpioReader) newc() (*cpioHeader, int64, error) {
	r.align = 4
	_, _ = r.r.Discard(6)
	n, err := r.fields(16, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8)
	if err != nil {
		return nil, 0, err
	}
	return &cpioHeader{
		ino: uint64(n[0]), mode: uint32(n[1]), uid: uint32(n[2]), gid: uint32(n[3]), nlink: uint32(n[4]), mtime: n[5], size: n[6],
		dev: uint64(n[7]<<8 | n[8]), rdev: uint64(n[9]<<8 | n[10]), check: uint32(n[12]), late: true,
	}, n[11], nil
}

func (r *cpioReader) odc() (*cpioHeader, int64, error) {
	r.align = 1
	_, _ = r.r.Discard(6)
	n, err := r.fields(8, 6, 6, 6, 6, 6, 6, 6, 11, 6, 11)
	if err != nil {
		return nil, 0, err
	}
	return &cpioHeader{
		dev: uint64(n[0]), ino: uint64(n[1]), mode: uint32(n[2]), uid: uint32(n[3]), gid: uint32(n[4]), nlink: uint32(n[5]),
		rdev: uint64(n[6]), mtime: n[7], size: n[9],
	}, n[8], nil
}

func (r *cpioReader) binary(order binary.ByteOrder) (*cpioHeader, int64, error) {
	r.align = 2
	b := make([]byte, 26)
	if _, err := io.ReadFull(r.r, b); err != nil {
		return nil, 0, errCpioEnd
	}
	v := func(i int) int64 { return int64(order.Uint16(b[2*i:])) }
	return &cpioHeader{
		dev: uint64(v(1)), ino: uint64(v(2)), mode: uint32(v(3)), uid: uint32(v(4)), gid: uint32(v(5)), nlink: uint32(v(6)),
		rdev: uint64(v(7)), mtime: v(8)<<16 | v(9), size: v(11)<<16 | v(12),
	}, v(10), nil
}
