package pattern

import "unicode/utf8"

// A Finder finds the matches of a pattern in a text from left to right, each as
// long as can be: what ${x//pattern/…} replaces. Create it with
// [Pattern.Finder].
type Finder struct {
	p    *Pattern
	s    string
	pos  int
	step Step
	err  error

	valid  int    // from here on, s is UTF-8
	wasted int    // characters looked at in vain
	starts bitset // where matches begin from base on, once that is worth its cost
	base   int
}

// Finder returns a finder of the matches of p in s.
func (p *Pattern) Finder(s string, step Step) *Finder {
	f := &Finder{p: p, s: s, step: step, err: p.err}
	if p.shape == nil && p.err == nil {
		f.valid = lastInvalid(s) + 1
	}
	return f
}

// lastInvalid returns the offset of the last byte of s that is not UTF-8, or -1.
func lastInvalid(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i := len(s); i > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		i -= n
		if r == utf8.RuneError && n == 1 {
			return i
		}
	}
	return -1
}

// Next returns the next match. No match is empty at the end of the text; the
// empty text matches only patterns that begin with a star, and the empty
// pattern matches nothing.
func (f *Finder) Next() (from, to int, ok bool) {
	switch {
	case f.err != nil || f.pos < 0 || f.p.text == "":
		return 0, 0, false
	case f.s == "":
		f.pos = -1
		ok, f.err = f.p.matchesEmpty(f.step)
		return 0, 0, ok
	case f.pos >= len(f.s):
		return 0, 0, false
	case f.p.shape != nil:
		from, to = f.literal()
	default:
		from, to = f.general()
	}
	if from < 0 || f.err != nil {
		f.pos = -1
		return 0, 0, false
	}
	if f.pos = to; from == to && to < len(f.s) {
		_, n := utf8.DecodeRuneInString(f.s[to:]) // Bash: a character, be it one of bytes.
		f.pos += n
	}
	return from, to, true
}

// Err returns the error that ended the search.
func (f *Finder) Err() error { return f.err }

// matchesEmpty reports whether bash finds p in the empty text.
func (p *Pattern) matchesEmpty(step Step) (bool, error) {
	if p.text != "" && p.text[0] != '*' {
		return false, p.err
	}
	return p.MatchStep("", step)
}

func (f *Finder) literal() (from, to int) {
	from, to = f.p.shape.find(f.s[f.pos:])
	if from < 0 {
		return from, to
	}
	return f.pos + from, f.pos + to
}

// width returns the length of the character at i.
func (f *Finder) width(i int) int {
	if f.inBytes(i) {
		return 1
	}
	_, n := utf8.DecodeRuneInString(f.s[i:])
	return n
}

// general tries one place after the other. What it looks at without finding a
// match it may look at again from the next place; before that becomes more than
// a few times the text, it finds out in one pass where matches begin.
func (f *Finder) general() (from, to int) {
	bytes := f.inBytes(f.pos)
	m := f.p.take(&f.p.ahead, bytes)
	defer func() { f.p.give(&f.p.ahead, m) }()
	for i := f.pos; i < len(f.s); i += f.width(i) {
		if bytes != f.inBytes(i) {
			f.p.give(&f.p.ahead, m)
			bytes = false
			m = f.p.take(&f.p.ahead, bytes)
			f.starts, f.wasted = nil, 0
		}
		if f.starts == nil && f.wasted > 2*len(f.s)+1<<12 {
			f.survey(i)
		}
		if f.starts == nil {
			i = f.skip(m, i)
		} else if !f.starts.has(i - f.base) {
			continue
		}
		if f.err != nil || i == len(f.s) {
			break
		}
		n, seen, err := m.forward(f.s[i:], longest, false, f.step)
		if f.err = err; err != nil {
			break
		}
		if n >= 0 {
			return i, i + n
		}
		f.wasted += seen
	}
	return -1, -1
}

// inBytes reports whether a match that begins at i is one of bytes.
func (f *Finder) inBytes(i int) bool { return f.p.bytes || i < f.valid }

// skip returns the first place from i on whose first character does not rule
// out a match, as far as m knows.
func (f *Finder) skip(m *machine, i int) int {
	start := m.start(false)
	if m.states[start].accept {
		return i
	}
	from, end := i, min(len(f.s), i+stride)
	if i < f.valid {
		end = min(end, f.valid)
	}
	row := m.table[int(start)<<m.shift:][:1<<m.shift]
	for i < end && row[m.ascii[f.s[i]]] == -(dead+1) {
		i++
	}
	f.err = m.pay(f.step, i-from)
	return i
}

// survey finds out where matches begin from place i on.
func (f *Finder) survey(i int) {
	m := f.p.take(&f.p.search, f.inBytes(i))
	f.base, f.starts = i, newBitset(len(f.s)-i)
	_, f.err = m.backward(f.s[i:], longest, f.starts, f.step)
	f.p.give(&f.p.search, m)
}

// FindPrefix returns the length of the longest match at the beginning of s:
// what ${x/#pattern/…} replaces.
func (p *Pattern) FindPrefix(s string, step Step) (end int, ok bool, err error) {
	if s == "" {
		ok, err = p.matchesEmpty(step)
		return 0, ok, err
	}
	return p.Prefix(s, true, step)
}

// FindSuffix returns where the longest match at the end of s begins: what
// ${x/%pattern/…} replaces.
func (p *Pattern) FindSuffix(s string, step Step) (start int, ok bool, err error) {
	if s == "" {
		ok, err = p.matchesEmpty(step)
		return 0, ok, err
	}
	return p.Suffix(s, true, step)
}
