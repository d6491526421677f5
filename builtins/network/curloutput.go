package network

import (
	"compress/flate"
	"fmt"
	"io"

	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/spf13/afero"
)

// A sink is where the body of a transfer goes. A file is made when there is
// something to write, or at the end of a transfer that succeeds.
type sink struct {
	t    *transfer
	name string // of the file; "" is standard output
	file afero.File
	head afero.File // of -D
	made bool
	got  int64
}

func newSink(t *transfer) *sink { return &sink{t: t} }

// path returns the name of the file, as far as it is known, or "".
func (s *sink) path() string {
	t := s.t
	name := t.out.name
	if t.out.remote {
		name = remoteName(t.url.Path)
		if t.o.remoteHeader && t.res != nil {
			if n := dispositionName(t.res.Header.Get("Content-Disposition")); n != "" {
				name = n
			}
		}
	}
	if name == "" || name == "-" && !t.out.remote {
		return ""
	}
	if t.o.outputDir != "" {
		name = t.o.outputDir + "/" + name
	}
	return name
}

// remoteName is the last part of a path.
func remoteName(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// dispositionName returns the name that a Content-Disposition header gives, without
// any directory.
func dispositionName(header string) string {
	_, params, err := mime.ParseMediaType(header)
	if err != nil {
		return ""
	}
	name := params["filename"]
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	if name == "." || name == ".." || strings.ContainsRune(name, 0) {
		return ""
	}
	return name
}

// open opens the file.
func (s *sink) open() error {
	if s.made {
		return nil
	}
	s.made = true
	t := s.t
	if t.out.remote && s.path() == "" {
		return curlErrorf(23, "Failed writing received data to disk/application")
	}
	if s.name = s.path(); s.name == "" {
		return nil
	}
	if dir := path.Dir(s.name); t.o.createDirs {
		if err := t.cu.FS.MkdirAll(dir, 0o755); err != nil {
			t.cu.warn(t.o, "Failed to create directory %s: %v", dir, vfs.ErrnoOf(err))
			return curlErrorf(23, "Failure writing output to destination")
		}
	}
	flag := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
	if t.resumed > 0 {
		flag = vfs.O_WRONLY | vfs.O_CREATE | vfs.O_APPEND
	} else if t.out.remote && t.o.remoteHeader || t.o.noClobber {
		flag |= vfs.O_EXCL
	}
	f, err := t.cu.FS.OpenFile(s.name, flag, 0o666)
	for n := 1; t.o.noClobber && vfs.ErrnoOf(err) == vfs.EEXIST && n < 100; n++ {
		if f, err = t.cu.FS.OpenFile(fmt.Sprintf("%s.%d", s.name, n), flag, 0o666); err == nil {
			s.name = fmt.Sprintf("%s.%d", s.name, n)
		}
	}
	if err != nil {
		t.cu.warn(t.o, "Failed to open the file %s: %v", s.name, vfs.ErrnoOf(err))
		return curlErrorf(23, "Failure writing output to destination")
	}
	s.file = f
	return nil
}

// write writes a part of the body.
func (s *sink) write(p []byte) error {
	if err := s.open(); err != nil {
		return err
	}
	var w io.Writer = s.t.cu.out
	if s.file != nil {
		w = s.file
	}
	n, err := w.Write(p)
	s.got += int64(n)
	if err != nil {
		if s.t.cu.Meter.Err() != nil || vfs.ErrnoOf(err) == vfs.EPIPE {
			return err
		}
		return curlErrorf(23, "Failure writing output to destination")
	}
	return nil
}

// dump writes the head of a response to the file of -D.
func (s *sink) dump(head []byte) {
	if s.t.o.dumpHeader == "-" {
		_, _ = s.t.cu.out.Write(head)
		return
	}
	if s.head == nil {
		f, err := s.t.cu.FS.OpenFile(s.t.o.dumpHeader, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
		if err != nil {
			s.t.cu.warn(s.t.o, "Failed to open %s", s.t.o.dumpHeader)
			return
		}
		s.head = f
	}
	_, _ = s.head.Write(head)
}

// rewind empties the file for another attempt.
func (s *sink) rewind() error {
	if s.name == "" || !s.made {
		return nil
	}
	s.made, s.got = false, 0
	f, err := s.t.cu.FS.OpenFile(s.name, vfs.O_WRONLY, 0)
	if err != nil {
		return nil // it is not there
	}
	defer f.Close()
	return f.Truncate(s.t.resumed)
}

// close closes the files.
func (s *sink) close(failed error) error {
	var err error
	if failed == nil && !s.made {
		err = s.open()
	}
	if s.head != nil {
		_ = s.head.Close()
		s.head = nil
	}
	if s.file != nil {
		if cerr := s.file.Close(); err == nil && cerr != nil {
			err = curlErrorf(23, "Failure writing output to destination")
		}
		s.file = nil
		if failed != nil && s.t.o.removeOnError {
			_ = s.t.cu.FS.Remove(s.name)
		}
	}
	return err
}

// setTime gives the file the time of the remote one.
func (s *sink) setTime(modified string) {
	when, err := http.ParseTime(modified)
	if err == nil && s.name != "" {
		_ = s.t.cu.FS.Chtimes(s.name, when, when)
	}
}

// decoded returns the body, decompressed where --compressed asks for that. What it
// becomes is charged as what was received is.
func (t *transfer) decoded(res *http.Response) (io.Reader, error) {
	encoding := strings.ToLower(strings.TrimSpace(res.Header.Get("Content-Encoding")))
	if !t.o.compressed || encoding == "" || encoding == "identity" || t.method == http.MethodHead {
		return res.Body, nil
	}
	var r io.Reader
	var err error
	wire := &countReader{r: res.Body, n: &t.meter.received}
	t.meter.encoded = true
	switch encoding {
	case "gzip", "x-gzip":
		r, err = gzip.NewReader(wire)
	case "deflate":
		var first [2]byte
		n, _ := io.ReadFull(wire, first[:])
		whole := io.MultiReader(strings.NewReader(string(first[:n])), wire)
		if n == 2 && first[0]&15 == 8 && (int(first[0])<<8|int(first[1]))%31 == 0 {
			r, err = zlib.NewReader(whole)
		} else {
			r = flate.NewReader(whole)
		}
	case "zstd":
		var d *zstd.Decoder
		d, err = zstd.NewReader(wire, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20), zstd.WithDecoderMaxWindow(32<<20))
		r = d
	default:
		return nil, curlErrorf(61, "Unrecognized content encoding type. libcurl understands deflate, gzip, zstd content encodings.")
	}
	if err != nil {
		return nil, curlErrorf(61, "Error while processing content unencoding: %v", err)
	}
	return &chargedReader{r, t.cu.Call}, nil
}

// A chargedReader charges what it gives as if it came from the network.
type chargedReader struct {
	r io.Reader
	c *builtins.Call
}

// Read reads and charges.
func (r *chargedReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if cerr := r.c.Meter.Charge(limits.Network, int64(n)); cerr != nil {
		return 0, cerr
	}
	if err != nil && err != io.EOF && !r.c.Ends(err) {
		err = curlErrorf(61, "Error while processing content unencoding: %v", err)
	}
	return n, err
}

type countReader struct {
	r io.Reader
	n *int64
}

// Read reads and counts.
func (r *countReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	*r.n += int64(n)
	return n, err
}

// A meter is the progress meter of a transfer.
type meter struct {
	t        *transfer
	shown    bool
	start    time.Time
	total    int64 // that is expected; -1 where that is not known
	got      int64
	received int64 // before decompression, where there is one
	encoded  bool
	last     time.Time
}

func newMeter(t *transfer) *meter {
	m := &meter{t: t, start: time.Now(), total: -1}
	o := t.o
	m.shown = !t.cu.global.silent && !t.cu.global.noMeter && !t.cu.global.parallel && !o.bar &&
		(t.sink.path() != "" || t.out.remote || !builtins.Interactive(t.cu.Stdout))
	if !m.shown {
		return m
	}
	t.cu.mu.Lock()
	defer t.cu.mu.Unlock()
	if !t.cu.meter {
		t.cu.meter = true
		fmt.Fprint(t.cu.errs, "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"+
			"                                 Dload  Upload   Total   Spent    Left  Speed\n")
	}
	m.line()
	return m
}

func (m *meter) expect(n int64) { m.total = n }

// wire returns how much of a body has been received.
func (m *meter) wire(got int64) int64 {
	if m.encoded {
		return m.received
	}
	return got
}

func (m *meter) add(n int) {
	m.got += int64(n)
	if now := time.Now(); m.shown && now.Sub(m.last) >= time.Second {
		m.last = now
		m.line()
	}
}

// line prints the state.
func (m *meter) line() {
	spent := time.Since(m.start)
	percent, total, speed := int64(0), m.got, int64(0)
	if m.total > 0 {
		total, percent = m.total, m.got*100/m.total
	} else if m.got > 0 {
		percent = 100
	}
	if spent > 0 && m.got > 0 {
		speed = int64(float64(m.got) / spent.Seconds())
	}
	left := "--:--:--"
	if m.total > 0 && speed > 0 {
		left = clockTime(time.Duration(float64(m.total-m.got) / float64(speed) * float64(time.Second)))
	}
	whole := "--:--:--"
	if m.total > 0 && speed > 0 {
		whole = clockTime(time.Duration(float64(m.total) / float64(speed) * float64(time.Second)))
	}
	fmt.Fprintf(m.t.cu.errs, "\r%3d %s  %3d %s  %3d %s  %s  %s %s %s %s %s", percent, fiveWide(total), percent, fiveWide(m.got), 0, fiveWide(0),
		fiveWide(speed), fiveWide(0), whole, clockTime(spent), left, fiveWide(speed))
}

// end prints the last line.
func (m *meter) end(error) {
	if m.t.o.bar && !m.t.cu.global.silent {
		fmt.Fprintf(m.t.cu.errs, "\r%s 100.0%%\n", strings.Repeat("#", 72))
	}
	if m.shown {
		m.line()
		fmt.Fprintln(m.t.cu.errs)
	}
}

func clockTime(d time.Duration) string {
	s := int64(d / time.Second)
	if s <= 0 {
		return "--:--:--"
	}
	return fmt.Sprintf("%2d:%02d:%02d", s/3600, s/60%60, s%60)
}

// fiveWide writes a number of bytes in five columns.
func fiveWide(n int64) string {
	const k, m = 1024, 1024 * 1024
	switch {
	case n < 100000:
		return fmt.Sprintf("%5d", n)
	case n < 10000*k:
		return fmt.Sprintf("%4dk", n/k)
	case n < 100*m:
		return fmt.Sprintf("%2d.%0dM", n/m, n%m/(m/10))
	case n < 10000*m:
		return fmt.Sprintf("%4dM", n/m)
	}
	return fmt.Sprintf("%4dG", n/(1024*m))
}
