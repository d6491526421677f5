package archive

import (
	"archive/zip"
	"bytes"
	"hash/crc32"
	"io"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/vfs"
)

// store writes a file as an entry: compressed, unless that makes it larger. It
// reads the file twice, so that nothing need be held.
func (j *zipJob) store(w *zip.Writer, s *zipSource, verb string) error {
	open, err := j.content(s)
	if err != nil {
		j.warn("could not open for reading: %s", s.file)
		return nil
	}
	h := &zip.FileHeader{Name: s.name, CreatorVersion: 3<<8 | 30, ReaderVersion: 10}
	if !utf8.ValidString(s.name) || utf8.RuneCountInString(s.name) != len(s.name) {
		h.Flags |= 0x800
	}
	mode, uid, gid, when := uint32(filemode.Regular|0o600), j.call.User.UID, j.call.User.GID, j.call.Clock.Now()
	if s.info != nil {
		st := vfs.StatOf(s.info)
		mode, uid, gid, when = filemode.Unix(s.info.Mode()), st.UID, st.GID, s.info.ModTime()
	}
	h.ExternalAttrs = mode << 16
	if mode&filemode.Type == filemode.Dir {
		h.ExternalAttrs |= 0x10
	}
	setZipTime(h, when.In(localZone(j.call)), uid, gid)
	if j.noExtra {
		h.Extra = nil
	}
	if err := j.measure(h, open); err != nil {
		return err
	}
	raw, err := w.CreateRaw(h)
	if err != nil {
		return err
	}
	if err := j.pack(raw, h.Method, open); err != nil {
		return err
	}
	j.total += int64(h.UncompressedSize64)
	j.packed += int64(h.CompressedSize64)
	how := "stored"
	if h.Method == zip.Deflate {
		how = "deflated"
	}
	j.say("%s: %s", verb, s.name)
	if j.verbose {
		j.say("\t(in=%d) (out=%d)", h.UncompressedSize64, h.CompressedSize64)
	}
	j.say(" (%s %d%%)\n", how, zipPercent(int64(h.UncompressedSize64), int64(h.CompressedSize64)))
	return nil
}

// content returns a function that opens the content of a source.
func (j *zipJob) content(s *zipSource) (func() (io.ReadCloser, error), error) {
	fixed := func(data []byte) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	}
	switch {
	case s.file == "-":
		data, err := j.readAll()
		return fixed(data), err
	case s.info.IsDir():
		return fixed(nil), nil
	case s.info.Mode().Type() != 0:
		target, err := j.call.FS.Readlink(s.file)
		return fixed([]byte(target)), err
	}
	open := func() (io.ReadCloser, error) { return j.call.Open(s.file) }
	f, err := open()
	if err == nil {
		f.Close()
	}
	return open, err
}

// readAll reads standard input, and charges what it holds.
func (j *zipJob) readAll() ([]byte, error) {
	var data []byte
	buf := make([]byte, bufferSize)
	for {
		n, err := j.call.Stdin.Read(buf)
		if err := j.call.Poll(1 + n>>8); err != nil {
			return nil, err
		}
		if grown := len(data) + n - cap(data); grown > 0 {
			grown = max(grown, cap(data))
			if err := j.call.Alloc(grown); err != nil {
				return nil, err
			}
			j.held += grown
			data = append(make([]byte, 0, cap(data)+grown), data...)
		}
		data = append(data, buf[:n]...)
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// measure finds the sizes and the check sum of a content, and the better
// method.
func (j *zipJob) measure(h *zip.FileHeader, open func() (io.ReadCloser, error)) error {
	sum := crc32.NewIEEE()
	size := &counter{Writer: sum}
	packed := &counter{Writer: io.Discard}
	var both io.Writer = size
	var z io.WriteCloser
	if j.level > 0 {
		z = newDeflater(packed, j.level)
		both = io.MultiWriter(size, z)
	}
	in, err := open()
	if err != nil {
		return err
	}
	defer in.Close()
	if _, err := transfer(j.call, both, in); err != nil {
		return err
	}
	h.CRC32, h.UncompressedSize64, h.CompressedSize64 = sum.Sum32(), uint64(size.n), uint64(size.n)
	if z != nil {
		if err := z.Close(); err != nil {
			return err
		}
		if packed.n < size.n {
			h.Method, h.CompressedSize64, h.ReaderVersion = zip.Deflate, uint64(packed.n), 20
		}
	}
	return nil
}

// pack writes a content with the method.
func (j *zipJob) pack(w io.Writer, method uint16, open func() (io.ReadCloser, error)) error {
	in, err := open()
	if err != nil {
		return err
	}
	defer in.Close()
	if method == zip.Store {
		_, err := transfer(j.call, w, in)
		return err
	}
	z := newDeflater(w, j.level)
	if _, err := transfer(j.call, z, in); err != nil {
		return err
	}
	return z.Close()
}

// zipPercent returns by how many percent small is less than large.
func zipPercent(large, small int64) int64 {
	if large == 0 || small > large {
		return 0
	}
	return (200*(large-small)/large + 1) / 2
}
