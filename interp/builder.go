package interp

import (
	"strings"
	"unsafe"

	"github.com/limpet-sh/limpet/internal/pattern"
)

// A builder makes fields of the parts of one word: it splits what expansions
// give, and keeps what is quoted together.
type builder struct {
	dst  []string
	buf  []byte // the field so far
	pat  []byte // the same as a pattern, where it may be one
	meta bool   // the field holds an unquoted character of a pattern
	open bool   // there is a field, if only an empty one
	gap  bool   // the last field was ended by white space of IFS

	whole   bool // elements of lists of @ are not split, and patterns not expanded
	nothing bool // a quoted list had no elements
	element bool // one had
}

// escaped adds literal text of the source, in which backslashes quote.
func (b *builder) escaped(sh *Shell, s string, ctx wordContext) {
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			b.unquoted(sh, s, ctx)
			return
		}
		if i > 0 {
			b.unquoted(sh, s[:i], ctx)
		}
		if s[i+1] != '\n' {
			b.quote(s[i+1 : i+2])
		}
		s = s[i+2:]
	}
}

func (b *builder) unquoted(sh *Shell, s string, ctx wordContext) {
	if ctx&inDefault != 0 {
		b.expand(sh, s)
		return
	}
	b.literal(s)
}

// quote adds quoted text.
func (b *builder) quote(s string) {
	b.open, b.gap = true, false
	if b.pat != nil {
		b.pat = append(b.pat, pattern.Quote(s)...)
	}
	b.buf = append(b.buf, s...)
}

// bulk is how many bytes make a text one that is not copied more often than it has to be.
const bulk = 64 << 10

// made adds quoted text that an expansion has made, unless there is no room for it.
func (b *builder) made(sh *Shell, s string) {
	if b.room(sh, len(s)) {
		b.quote(s)
	}
}

// room reports whether the field may grow by n bytes, and makes room for just as many where
// they are many.
func (b *builder) room(sh *Shell, n int) bool {
	if n < bulk {
		return true
	}
	if !sh.fits(cap(b.buf) + len(b.buf) + n) {
		return false
	}
	if cap(b.buf)-len(b.buf) < n {
		b.buf = append(make([]byte, 0, len(b.buf)+n), b.buf...)
	}
	return true
}

// field returns the text of the field, and gives it away where it is long.
func (b *builder) field() string {
	if len(b.buf) < bulk {
		return string(b.buf)
	}
	buf := b.buf
	b.buf = nil
	return unsafe.String(&buf[0], len(buf))
}

// literal adds unquoted text that is not split.
func (b *builder) literal(s string) {
	if s == "" {
		return
	}
	b.open, b.gap = true, false
	b.globbing(s)
	b.buf = append(b.buf, s...)
	if b.pat != nil {
		b.pat = append(b.pat, s...)
	}
}

// globbing begins to keep the field as a pattern if s makes it one.
func (b *builder) globbing(s string) {
	if strings.ContainsAny(s, "*?[\\") || strings.IndexByte(s, '(') >= 0 {
		if b.pat == nil {
			b.pat = append(make([]byte, 0, len(b.buf)+len(s)+8), pattern.Quote(string(b.buf))...)
		}
		b.meta = true
	}
}

// pattern adds text that is a pattern already, and is not split.
func (b *builder) pattern(sh *Shell, p string) {
	b.open, b.gap = true, false
	if b.pat == nil {
		b.pat = append([]byte{}, pattern.Quote(string(b.buf))...)
	}
	b.meta = true
	b.pat = append(b.pat, p...)
	b.buf = append(b.buf, pattern.Unquote(p)...)
}

// expand adds the result of an unquoted expansion, which is split at the
// characters of IFS. (bash manual, Word Splitting)
func (b *builder) expand(sh *Shell, s string) {
	t := sh.ifs.table(sh)
	if !b.room(sh, len(s)) {
		return
	}
	from := 0
	for i := 0; i < len(s); i++ {
		class := t[s[i]]
		if i&0xffff == 0xffff && sh.step(256) != nil {
			return
		}
		if class == 0 {
			continue
		}
		size := 1
		if class == ifsWide {
			if size = sh.ifs.wideAt(s[i:]); size == 0 {
				continue
			}
		}
		b.literal(s[from:i])
		from = i + size
		i += size - 1
		if class == ifsSpace {
			if b.open {
				b.end(sh)
				if b.gap = true; sh.pending != ctlNone {
					return
				}
			}
			continue
		}
		if b.gap && !b.open {
			b.gap = false // this delimiter ends the field that white space did
			continue
		}
		b.open = true
		b.end(sh)
		b.gap = false
		if sh.pending != ctlNone {
			return
		}
	}
	b.literal(s[from:])
}

// list adds the elements of a list: each begins a field but the first, and each
// ends one but the last.
func (b *builder) list(sh *Shell, list []string, isQuoted bool) {
	if !isQuoted && len(list) > 1 {
		if sep := sh.ifs.joiner(sh); sep != "" && (sh.ifs.classes[sep[0]] >= ifsOther || sh.ifs.mixed) {
			if joined := (&value{list: list, isList: true, star: true}).one(sh, 0); sh.pending == ctlNone {
				// Bash: no field comes before a delimiter behind white space at the beginning.
				b.gap = b.gap || !b.open && joined != "" && sh.ifs.classes[joined[0]] == ifsSpace
				b.expand(sh, joined)
			}
			return
		}
	}
	b.nothing = b.nothing || isQuoted && len(list) == 0
	b.element = b.element || isQuoted && len(list) > 0
	for i, s := range list {
		if i > 0 {
			if b.open {
				b.end(sh)
			}
			b.gap = false
			if sh.pending != ctlNone {
				return
			}
		}
		if isQuoted {
			b.made(sh, s)
		} else {
			b.expand(sh, s)
		}
	}
}

// joinedList adds quoted elements, between which there are characters that are split.
func (b *builder) joinedList(sh *Shell, list []string) {
	sep := sh.ifs.joiner(sh)
	for i, s := range list {
		if i > 0 {
			b.expand(sh, sep)
		}
		if sh.pending != ctlNone {
			return
		}
		if s != "" {
			b.quote(s)
		}
	}
}

// before adds a list with text in front of it that is split. Bash: where IFS is empty, at
// blanks.
func (b *builder) before(sh *Shell, v *value, isQuoted bool) {
	text := v.before
	if sh.ifs.joiner(sh) == "" && sh.vars[idIFS].isSet() {
		words := strings.SplitAfter(text, " ")
		for _, w := range words[:len(words)-1] {
			b.literal(strings.TrimSuffix(w, " "))
			b.end(sh)
		}
		text = words[len(words)-1]
	}
	b.expand(sh, text)
	b.list(sh, v.list, isQuoted)
}

// end ends a field.
func (b *builder) end(sh *Shell) {
	n := len(b.buf) + 16
	if !sh.makes(n) {
		return
	}
	if len(b.dst)&0xff == 0 && sh.step(16) != nil {
		return
	}
	switch {
	case b.whole:
		b.dst = append(b.dst, string(b.buf))
	case b.meta && sh.globs != nil:
		sh.globs = append(sh.globs, lateGlob{len(b.dst), string(b.pat), string(b.buf)})
		b.dst = append(b.dst, string(b.buf))
	case b.meta && sh.opts&optNoglob == 0:
		b.dst = sh.globField(b.dst, string(b.pat), string(b.buf))
	default:
		b.dst = append(b.dst, b.field())
	}
	b.buf, b.pat, b.meta, b.open = b.buf[:0], nil, false, false
}

// finish ends the last field.
func (b *builder) finish(sh *Shell) {
	if b.open {
		b.end(sh)
	}
}

// value adds the value of a parameter.
func (b *builder) value(sh *Shell, v *value, isQuoted bool) {
	switch {
	case sh.pending != ctlNone:
	case v.before != "" && !(v.star && isQuoted):
		b.before(sh, v, isQuoted)
	case v.joined && isQuoted:
		b.joinedList(sh, v.list)
	case v.isList && !(v.star && isQuoted):
		b.list(sh, v.list, isQuoted || b.whole && !v.star)
	case isQuoted:
		b.element = b.element || v.made
		b.made(sh, v.one(sh, 0))
	default:
		b.expand(sh, v.s)
	}
}
