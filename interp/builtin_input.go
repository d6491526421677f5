package interp

import (
	"context"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

func inputBuiltins() []*builtin {
	const mapfileUsage = "[-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]"
	return []*builtin{
		{name: "read", usage: "[-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]", run: builtinRead},
		{name: "mapfile", usage: mapfileUsage, run: func(sh *Shell, args []string) ctl { return sh.mapfile("mapfile", args) }},
		{name: "readarray", usage: mapfileUsage, run: func(sh *Shell, args []string) ctl { return sh.mapfile("readarray", args) }},
	}
}

var errIsDirectory = errors.New("is a directory")

// readAll reads a stream to its end, charging its size while it is held.
func (sh *Shell) readAll(r io.Reader) (string, error) {
	var b strings.Builder
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if !sh.fits(b.Len() + n) {
			return "", sh.x.error()
		}
		if limit := sh.x.meter.Limit(limits.Script); limit >= 0 && int64(b.Len()+n) > limit {
			return "", sh.x.meter.Exceed(limits.Script)
		}
		b.Write(buf[:n])
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return "", vfs.ErrnoOf(err)
		}
		if sh.step(1) != nil {
			return "", sh.x.error()
		}
	}
}

// A readCall is a call of read with its options read.
type readCall struct {
	array   string
	delim   byte
	chars   int64 // -n or -N, or -1
	exact   bool  // -N
	raw     bool  // -r
	timeout time.Duration
	timed   bool
	fd      int
	prompt  string
}

func builtinRead(sh *Shell, args []string) ctl {
	opts, names, ok := sh.options("read", args, "ersa:d:i:n:N:p:t:u:")
	if !ok {
		return ctlNone
	}
	c := readCall{delim: '\n', chars: -1}
	if v := sh.lookup("TMOUT"); v.isSet() {
		if f, err := strconv.ParseFloat(v.text(sh), 64); err == nil && f > 0 {
			c.timeout, c.timed = time.Duration(f*float64(time.Second)), true
		}
	}
	for _, o := range opts {
		if !c.option(sh, o) {
			return sh.done(1)
		}
	}
	for _, name := range append(names[:len(names):len(names)], c.array) {
		if name != "" && !isName(name) && !isElementName(name) {
			sh.complain("read", "`%s': not a valid identifier", name)
			return sh.done(1)
		}
	}
	f := sh.fd(c.fd)
	if f == nil {
		sh.complain("read", "%d: invalid file descriptor: %v", c.fd, vfs.EBADF)
		return sh.done(1)
	}
	if c.timed && c.timeout == 0 {
		if r, ok := f.Stream.(interface{ Ready() bool }); ok && !r.Ready() {
			return sh.done(1)
		}
		return sh.done(0)
	}
	if c.chars == 0 {
		return c.assign(sh, names, &readLine{}, 0)
	}
	line, status := c.line(sh, f)
	if sh.pending != ctlNone {
		return ctlNone
	}
	return c.assign(sh, names, line, status)
}

func (c *readCall) option(sh *Shell, o choiceOption) bool {
	switch o.letter {
	case 'r':
		c.raw = true
	case 'a':
		c.array = o.value
	case 'd':
		c.delim = 0
		if o.value != "" {
			c.delim = o.value[0]
		}
	case 'n', 'N':
		n, ok := builtinInt(o.value)
		if !ok || n < 0 {
			sh.complain("read", "%s: invalid number", o.value)
			return false
		}
		c.chars, c.exact = n, o.letter == 'N'
	case 'p':
		c.prompt = o.value
	case 't':
		f, err := strconv.ParseFloat(o.value, 64)
		if err != nil || f < 0 || math.IsInf(f, 0) || math.IsNaN(f) {
			sh.complain("read", "%s: invalid timeout specification", o.value)
			return false
		}
		c.timeout, c.timed = time.Duration(f*float64(time.Second)), true
	case 'u':
		n, ok := builtinInt(o.value)
		if !ok || n < 0 {
			sh.complain("read", "%s: invalid file descriptor specification", o.value)
			return false
		}
		c.fd = int(n)
	}
	return true
}

// A readLine is what read has read: bytes, and which of them a backslash
// quotes.
type readLine struct {
	buf    []byte
	quoted []bool // nil where none is
}

// line reads up to the delimiter.
func (c *readCall) line(sh *Shell, f *openFile) (*readLine, int) {
	ctx := sh.proc.ctx
	if c.timed {
		var cancel context.CancelFunc
		ctx, cancel = sh.deadline(ctx, c.timeout)
		defer cancel()
	}
	in := &byteReader{sh: sh, ctx: ctx, stream: f.Stream, delim: c.blockDelim()}
	defer in.unread()
	l := &readLine{}
	chars := int64(0)
	escape := false
	for {
		b, err := in.next()
		if err != nil {
			if err != io.EOF {
				if ctx.Err() != nil && sh.proc.ctx.Err() == nil {
					return l, 142
				}
				if errors.Is(err, vfs.EISDIR) || errors.Is(err, vfs.EBADF) {
					sh.complain("read", "read error: %d: %v", c.fd, vfs.ErrnoOf(err))
				}
				if sh.poll() != ctlNone {
					return l, 1
				}
			}
			return l, 1
		}
		if sh.steps--; sh.steps < 0 && sh.poll() != ctlNone {
			return l, 1
		}
		if len(l.buf)&0xfff == 0xfff && !sh.fits(2*len(l.buf)) {
			return l, 1
		}
		switch {
		case escape:
			escape = false
			if b == '\n' {
				continue
			}
			l.add(b, true)
		case b == '\\' && !c.raw && !c.exact:
			escape = true
			continue
		case b == '\\' && !c.raw:
			escape = true
			continue
		case b == c.delim && !c.exact:
			return l, 0
		case b == 0:
			continue
		default:
			l.add(b, false)
		}
		if c.chars >= 0 {
			if utf8.RuneStart(b) {
				chars++
			}
			if chars >= c.chars && !in.partial(l.buf) {
				return l, 0
			}
		}
	}
}

// blockDelim is the delimiter up to which may be read at once: none where the
// number of characters is bounded.
func (c *readCall) blockDelim() int {
	if c.chars >= 0 {
		return -1
	}
	return int(c.delim)
}

func (l *readLine) add(b byte, isQuoted bool) {
	if isQuoted && l.quoted == nil {
		l.quoted = make([]bool, len(l.buf), len(l.buf)+16)
	}
	l.buf = append(l.buf, b)
	if l.quoted != nil {
		l.quoted = append(l.quoted, isQuoted)
	}
}

// A byteReader reads a stream byte by byte: in blocks where that reads nothing
// behind a delimiter, or where what is read too much can be given back.
type byteReader struct {
	sh     *Shell
	ctx    context.Context
	stream vfs.Stream
	delim  int // that ends what is wanted, or -1
	buf    []byte
	pos    int
}

// A delimReader is a stream that can be read up to a delimiter.
type delimReader interface {
	ReadDelimContext(ctx context.Context, b []byte, delim byte) (int, error)
}

func (r *byteReader) next() (byte, error) {
	for r.pos >= len(r.buf) {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	r.pos++
	return r.buf[r.pos-1], nil
}

// fill reads the next block.
func (r *byteReader) fill() (err error) {
	n := 0
	switch d, ok := r.stream.(delimReader); {
	case ok && r.delim >= 0:
		r.grow(512)
		n, err = d.ReadDelimContext(r.ctx, r.buf[:cap(r.buf)], byte(r.delim))
	case r.seekable():
		r.grow(min(max(128, 4*cap(r.buf)), 4096))
		n, err = r.stream.Read(r.buf[:cap(r.buf)])
	default:
		r.grow(1)
		n, err = readAs(r.ctx, r.stream, r.buf[:1])
	}
	r.buf, r.pos = r.buf[:max(n, 0)], 0
	if n > 0 {
		return nil
	}
	return err
}

// grow makes room for a block of n bytes.
func (r *byteReader) grow(n int) {
	if cap(r.buf) < n {
		r.buf = make([]byte, 0, n)
	}
}

// seekable reports whether what is read too much can be given back.
func (r *byteReader) seekable() bool {
	if _, ok := r.stream.(io.Seeker); !ok {
		return false
	}
	info, err := r.stream.Stat()
	return err == nil && info.Mode().IsRegular()
}

// unread gives back what was read too much.
func (r *byteReader) unread() {
	if n := len(r.buf) - r.pos; n > 0 {
		_, _ = r.stream.(io.Seeker).Seek(int64(-n), io.SeekCurrent)
	}
}

// partial reports whether the last character of b is not complete.
func (r *byteReader) partial(b []byte) bool {
	for i := 1; i <= 4 && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			return c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-i:])
		}
	}
	return false
}

// deadline returns a context that is done after d by the sandbox's clock.
func (sh *Shell) deadline(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	clock := sh.cfg.Clock
	sh.x.start(func() {
		if clock.Sleep(ctx, d) == nil {
			cancel()
		}
	})
	return ctx, cancel
}

// assign assigns a line to the variables of read.
func (c *readCall) assign(sh *Shell, names []string, l *readLine, status int) ctl {
	put := func(name, s string) bool {
		if isElementName(name) {
			i := strings.IndexByte(name, '[')
			base := name[:i]
			return sh.assignElement(sh.id(base), sh.compileSubscript(base, name[i+1:len(name)-1]), s, false)
		}
		return sh.forCommand(func() bool { return sh.set(name, s) })
	}
	finish := func(ok bool) ctl {
		if !ok {
			return sh.done(1)
		}
		return sh.done(status)
	}
	if c.array != "" {
		var words []string
		s := newReadSplitter(sh, l)
		for {
			w, ok := s.word()
			if !ok {
				break
			}
			words = append(words, w)
		}
		if v := sh.resolve(sh.id(c.array)); v.flags&vAssoc != 0 {
			sh.complain("read", "%s: cannot convert associative to indexed array", c.array)
			return sh.done(1)
		}
		return finish(sh.forCommand(func() bool { return sh.storeList(sh.id(c.array), words, false) }))
	}
	if len(names) == 0 {
		return finish(put("REPLY", string(l.buf)))
	}
	if c.exact {
		ok := put(names[0], string(l.buf))
		for _, name := range names[1:] {
			ok = put(name, "") && ok
		}
		return finish(ok)
	}
	s := newReadSplitter(sh, l)
	for i, name := range names {
		var w string
		if i == len(names)-1 {
			w = s.rest()
		} else {
			w, _ = s.word()
		}
		if !put(name, w) {
			return finish(false)
		}
	}
	return finish(true)
}

// A readSplitter splits a line at the characters of IFS that no backslash
// quotes.
type readSplitter struct {
	l     *readLine
	class *[256]byte
	pos   int
}

func newReadSplitter(sh *Shell, l *readLine) *readSplitter {
	s := &readSplitter{l: l, class: sh.ifs.table(sh)}
	s.blanks()
	return s
}

func (s *readSplitter) at(i int) byte {
	if s.l.quoted != nil && s.l.quoted[i] {
		return 0
	}
	return s.class[s.l.buf[i]]
}

func (s *readSplitter) blanks() {
	for s.pos < len(s.l.buf) && s.at(s.pos) == ifsSpace {
		s.pos++
	}
}

// word returns the next word.
func (s *readSplitter) word() (string, bool) {
	if s.pos >= len(s.l.buf) {
		return "", false
	}
	from := s.pos
	for s.pos < len(s.l.buf) && s.at(s.pos) == 0 {
		s.pos++
	}
	w := string(s.l.buf[from:s.pos])
	s.delimiter()
	return w, true
}

// delimiter skips what is between two words.
func (s *readSplitter) delimiter() {
	s.blanks()
	if s.pos < len(s.l.buf) && s.at(s.pos) == ifsOther {
		s.pos++
		s.blanks()
	}
}

// rest returns all that is left: without the white space at its end, and
// without a delimiter at its end where there is one word only.
func (s *readSplitter) rest() string {
	from := s.pos
	end := len(s.l.buf)
	for end > from && s.at(end-1) == ifsSpace {
		end--
	}
	t := *s
	if _, ok := t.word(); ok && t.pos >= len(s.l.buf) {
		w, _ := s.word()
		return w
	}
	return string(s.l.buf[from:end])
}

// mapfile reads lines into an array.
func (sh *Shell) mapfile(cmd string, args []string) ctl {
	opts, args, ok := sh.options(cmd, args, "d:u:n:O:ts:C:c:")
	if !ok {
		return ctlNone
	}
	delim, fd, count, origin, skip, quantum := byte('\n'), int64(0), int64(0), int64(0), int64(0), int64(5000)
	trim, keep, callback := false, false, ""
	for _, o := range opts {
		number := func(p *int64, what string) bool {
			n, ok := builtinInt(o.value)
			if !ok || n < 0 {
				sh.complain(cmd, "%s: invalid %s", o.value, what)
				return false
			}
			*p = n
			return true
		}
		ok := true
		switch o.letter {
		case 'd':
			delim = 0
			if o.value != "" {
				delim = o.value[0]
			}
		case 't':
			trim = true
		case 'u':
			ok = number(&fd, "file descriptor specification")
		case 'n':
			ok = number(&count, "line count")
		case 'O':
			ok = number(&origin, "array origin")
			keep = true
		case 's':
			ok = number(&skip, "line count")
		case 'C':
			callback = o.value
		case 'c':
			if ok = number(&quantum, "callback quantum"); ok && quantum == 0 {
				sh.complain(cmd, "%s: invalid callback quantum", o.value)
				ok = false
			}
		}
		if !ok {
			return sh.done(1)
		}
	}
	name := "MAPFILE"
	if len(args) > 0 {
		name = args[0]
	}
	if !isName(name) {
		sh.complain(cmd, "`%s': not a valid identifier", name)
		return sh.done(1)
	}
	f := sh.fd(int(fd))
	if f == nil {
		sh.complain(cmd, "%d: invalid file descriptor: %v", fd, vfs.EBADF)
		return sh.done(1)
	}
	id := sh.id(name)
	if v := sh.resolve(id); v.flags&vAssoc != 0 {
		sh.complain(cmd, "%s: not an indexed array", name)
		return sh.done(1)
	}
	var v *variable
	sh.forCommand(func() bool { v = sh.writableArray(id); return v != nil })
	if v == nil {
		return sh.done(1)
	}
	if !keep {
		sh.hold(-v.arr.size())
		v.arr = &array{}
	}
	v.flags |= vSet
	in := &byteReader{sh: sh, ctx: sh.proc.ctx, stream: f.Stream, delim: int(delim)}
	defer in.unread()
	next, n := origin, int64(0)
	for count == 0 || n < count {
		line, found := sh.mapLine(in, delim)
		if sh.pending != ctlNone {
			return ctlNone
		}
		if !found && len(line) == 0 {
			break
		}
		if skip > 0 {
			skip--
			continue
		}
		if !trim && found {
			line = append(line, delim)
		}
		n++
		text := string(line)
		if callback != "" && n%quantum == 0 {
			sh.evalString(callback+" "+itoa(next)+" "+quoteArg(text), cmd)
		}
		if v = sh.writableArray(id); v == nil || !sh.setElement(v, next, element{str: text, kind: textElement}) {
			return sh.done(1)
		}
		next++
		if !found {
			break
		}
	}
	return sh.done(0)
}

// mapLine reads one line without its delimiter, and reports whether it had one.
func (sh *Shell) mapLine(in *byteReader, delim byte) ([]byte, bool) {
	var line []byte
	for {
		b, err := in.next()
		if err != nil {
			return line, false
		}
		if b == delim {
			return line, true
		}
		if sh.steps--; sh.steps < 0 && sh.poll() != ctlNone {
			return line, false
		}
		if b != 0 {
			line = append(line, b)
		}
		if len(line)&0xffff == 0xffff && !sh.fits(2*len(line)) {
			return line, false
		}
	}
}
