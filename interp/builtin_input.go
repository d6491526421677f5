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
	if len(names) > 0 && !sh.readable(names[0]) { // Bash: the others when their turn comes
		return sh.done(1)
	}
	f := sh.fd(c.fd)
	if f == nil {
		if c.fd == 0 {
			sh.complain("read", "read error: 0: %v", vfs.EBADF)
		} else {
			sh.complain("read", "%d: invalid file descriptor: %v", c.fd, vfs.EBADF)
		}
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
		if c.array = o.value; !isName(o.value) {
			sh.complain("read", "`%s': not a valid identifier", o.value)
			return false
		}
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
			if sh.bytes || utf8.RuneStart(b) {
				chars++
			}
			if chars >= c.chars && (sh.bytes || !in.partial(l.buf)) {
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

// readable reports whether read can assign to what name says.
func (sh *Shell) readable(name string) bool {
	if !isName(name) && !isElementName(name) {
		sh.complain("read", "`%s': not a valid identifier", name)
		return false
	}
	return true
}

// assign assigns a line to the variables of read.
func (c *readCall) assign(sh *Shell, names []string, l *readLine, status int) ctl {
	put := func(name, s string) bool {
		if !sh.readable(name) {
			return false
		}
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
