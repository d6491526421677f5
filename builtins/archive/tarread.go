package archive

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/zone"
)

// read lists or extracts the members of an archive.
func (j *tarJob) read() error {
	in, done, err := j.open()
	if err != nil {
		return err
	}
	defer done()
	if j.toStdout {
		j.messages = j.call.Stderr
	}
	x := &tarExtractor{job: j}
	want := j.wanted()
	from := &counter{Reader: polled{in, j.call}}
	r := tar.NewReader(from)
	for first := true; ; first = false {
		h, err := r.Next()
		if err == io.EOF && (from.n%512 != 0 || from.n == 0 && j.archive != "/dev/null") {
			err = io.ErrUnexpectedEOF
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			if err := j.badHeader(err, first, in); err != nil {
				return err
			}
			break
		}
		if err := j.call.Poll(1); err != nil {
			return err
		}
		operand, ok := choose(want, h.Name, j.occurrence)
		if !ok || j.selection.excludes(h.Name) {
			continue
		}
		switch j.mode {
		case 't':
			j.safeListed(h)
			err = j.list(h)
		case 'd':
			err = x.compare(r, h, operand)
		default:
			err = x.member(r, h, operand)
		}
		if err != nil {
			return j.badArchive(err)
		}
	}
	for _, w := range want {
		if !w.found {
			j.notFound(w)
		}
	}
	if j.totals {
		j.sayTotals("read", (from.n+j.record-1)/j.record*j.record)
	}
	return x.finish()
}

// sayTotals says how many bytes were read or written, and how fast.
func (j *tarJob) sayTotals(what string, n int64) {
	speed := "?"
	if took := j.call.Clock.Now().Sub(j.started).Seconds(); took > 0 {
		speed = humanBytes(float64(n) / took)
	}
	fmt.Fprintf(j.call.Stderr, "Total bytes %s: %d (%s, %s/s)\n", what, n, humanBytes(float64(n)), speed)
}

func (j *tarJob) notFound(w *wanted) {
	if w.glob == nil && !j.selection.literal && strings.ContainsAny(w.name, "*?[") {
		j.note("Pattern matching characters used in file names")
		j.note("Use --wildcards to enable pattern matching, or --no-wildcards to suppress this warning")
	}
	if j.occurrence > 0 && w.seen > 0 {
		j.warn("%s: Required occurrence not found in archive", w.name)
		return
	}
	j.warn("%s: Not found in archive", w.name)
}

// wanted returns the members that the operands name.
func (j *tarJob) wanted() []*wanted {
	var list []*wanted
	for i, o := range j.operands {
		w := &wanted{name: strings.TrimRight(o.name, "/"), dir: i, unanchored: j.selection.anchored == anchoredNo}
		if j.selection.wildcards || j.selection.ignoreCase || w.unanchored {
			glob := j.selection.compile(w.name, !j.selection.wildcards)
			w.glob = &glob
		}
		list = append(list, w)
	}
	return list
}

// choose returns the number of the operand that names a member: the first of
// all where all members are wanted. Where occurrence is not 0, only that one of
// the members of a name counts.
func choose(want []*wanted, name string, occurrence int) (operand int, ok bool) {
	if len(want) == 0 {
		return -1, true
	}
	for _, w := range want {
		if w.matches(name) {
			if w.seen++; occurrence > 0 && w.seen != occurrence {
				continue
			}
			w.found = true
			return w.dir, true
		}
	}
	return 0, false
}

// open opens the archive, decompressed.
func (j *tarJob) open() (in io.Reader, done func(), err error) {
	c := j.call
	var raw io.Reader = c.Stdin
	done = func() {}
	if j.archive != "-" {
		f, err := c.Open(j.archive)
		if err != nil {
			if j.method == nil {
				return nil, done, j.fatal("%s: Cannot open: %v", j.archive, openError(err))
			}
			for _, text := range []string{j.archive + ": Cannot open: " + openError(err).Error(), "Error is not recoverable: exiting now"} {
				fmt.Fprintf(c.Stderr, "tar (child): %s\n", text)
			}
			return nil, done, j.fatal("Child returned status 2")
		}
		raw, done = f, func() { f.Close() }
	}
	r := bufio.NewReaderSize(raw, bufferSize)
	m := j.method
	if _, err := r.Peek(1); err != nil && err != io.EOF {
		done()
		return nil, done, j.fatal("%s: Cannot read: %v", j.archive, openError(err))
	}
	switch {
	case m == nil:
		m = methodOf(r)
	case len(m.magic) > 0 && !m.matches(r):
		done()
		return nil, done, j.childError(m, errFormat)
	}
	if m == nil {
		return r, done, nil
	}
	j.method = m
	if err := c.Alloc(m.memory); err != nil {
		return nil, done, err
	}
	closeFile := done
	w := &window{call: c}
	done = func() { w.free(); c.Free(m.memory); closeFile() }
	z, err := m.decode(w, r, nil)
	if err != nil {
		done()
		return nil, done, j.childError(m, translate(err))
	}
	return bufio.NewReaderSize(z, bufferSize), done, nil
}

// childError reports what the program that decompresses would say, and tar
// after it.
func (j *tarJob) childError(m *method, err error) error {
	s := squeezer{call: j.call, method: m, program: m.name, stdin: "(stdin)", phrases: map[*method]map[trouble]phrase{
		gzipMethod: gzipPhrases, bzip2Method: bzip2Phrases, xzMethod: xzPhrases, lzmaMethod: xzPhrases, zstdMethod: zstdPhrases, lz4Method: lz4Phrases,
	}[m]}
	if m == gzipMethod {
		s.stdin = "stdin"
	}
	problem := map[error]trouble{errFormat: unrecognized, errTruncated: truncated, errChecksum: mismatched, errGarbage: trailing}
	t, ok := problem[err]
	if !ok {
		t = damaged
	}
	s.complain(t, s.stdin, "(stdout)", nil)
	return j.fatal("Child returned status %d", s.status)
}

func isChild(err error) bool {
	_, ok := errors.AsType[childError](err)
	return ok
}

// badHeader reports a header that cannot be read.
func (j *tarJob) badHeader(err error, first bool, in io.Reader) error {
	switch {
	case isChild(err):
		return j.badArchive(err)
	case errors.Is(err, tar.ErrHeader) && first:
		j.warn("This does not look like a tar archive")
		j.note("Skipping to next header")
		_, err := transfer(j.call, io.Discard, in)
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) && first:
		j.warn("This does not look like a tar archive")
		return nil
	case errors.Is(err, tar.ErrHeader):
		j.note("Skipping to next header")
		j.failed = true
		return nil
	}
	return j.badArchive(err)
}

// badArchive reports an archive that cannot be read to its end.
func (j *tarJob) badArchive(err error) error {
	switch {
	case j.call.Ends(err), errors.Is(err, errFatal):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errTruncated) && j.method == nil:
		if j.mode == 'x' { // GNU says it once for the member and once for the archive
			j.note("Unexpected EOF in archive")
		}
		return j.fatal("Unexpected EOF in archive")
	case errors.Is(err, errTruncated), errors.Is(err, errChecksum), errors.Is(err, errCorrupt), errors.Is(err, errGarbage):
		return j.childError(j.method, err)
	case errors.Is(err, tar.ErrHeader):
		j.warn("Skipping to next header")
		return nil
	}
	if child, ok := errors.AsType[childError](err); ok {
		return j.fatal("%v", child)
	}
	return err
}

// safeListed says what extracting would remove from the name.
func (j *tarJob) safeListed(h *tar.Header) {
	j.safe(h.Name, "member names")
	if h.Typeflag == tar.TypeLink {
		j.safe(h.Linkname, "hard link targets")
	}
}

// list prints a member.
func (j *tarJob) list(h *tar.Header) error {
	shown := *h
	if j.showTransformed {
		name, ok := j.names.stripped(h.Name)
		if !ok {
			return nil
		}
		var err error
		if shown.Name, err = j.changed(name); err != nil {
			return err
		}
	}
	j.verbose++
	defer func() { j.verbose-- }()
	return j.print(&shown)
}

// zone returns the zone that times are shown in.
func (j *tarJob) zone() *time.Location {
	if j.utc {
		return time.UTC
	}
	return zone.Load(j.call.Getenv("TZ"))
}

// print prints the name of a member if that is asked for, or all about it if
// it is asked for twice.
func (j *tarJob) print(h *tar.Header) error {
	if j.verbose == 0 {
		return nil
	}
	if j.verbose == 1 {
		_, err := fmt.Fprintln(j.messages, shownName(h.Name))
		return err
	}
	user, group := h.Uname, h.Gname
	if user == "" || j.numeric {
		user = strconv.Itoa(h.Uid)
	}
	if group == "" || j.numeric {
		group = strconv.Itoa(h.Gid)
	}
	kind, tail := byte('-'), ""
	size := strconv.FormatInt(h.Size, 10)
	switch h.Typeflag {
	case tar.TypeLink:
		kind, tail = 'h', " link to "+shownName(h.Linkname)
	case tar.TypeSymlink:
		kind, tail = 'l', " -> "+shownName(h.Linkname)
	case tar.TypeDir:
		kind = 'd'
	case tar.TypeFifo:
		kind = 'p'
	case tar.TypeChar, tar.TypeBlock:
		if kind = 'c'; h.Typeflag == tar.TypeBlock {
			kind = 'b'
		}
		size = fmt.Sprintf("%d,%d", h.Devmajor, h.Devminor)
	}
	format := "2006-01-02 15:04"
	if j.fullTime {
		format = "2006-01-02 15:04:05"
		if h.ModTime.Nanosecond() != 0 {
			format += ".000000000"
		}
	}
	when := h.ModTime.In(j.zone()).Format(format)
	mode := string(kind) + filemode.Letters(uint32(h.Mode))[1:]
	owner := user + "/" + group
	j.width = max(j.width, len(owner)+1+len(size))
	_, err := fmt.Fprintf(j.messages, "%s %s %*s %s %s%s\n", mode, owner, j.width-len(owner)-1, size, when, shownName(h.Name), tail)
	return err
}
