// Package pattern matches text with the patterns of the shell: *, ?, bracket
// expressions and bash's extended groups (bash manual, 3.5.8.1).
//
// Characters are those of UTF-8 where both the pattern and the text are valid
// UTF-8, and bytes otherwise, as in bash. Ranges are in the order of code
// points.
//
// Patterns come from scripts, and so does the text. Matching takes time in
// proportion to the text for every pattern, but for groups !(…), and can be
// stopped by a [Step].
package pattern

import (
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// Flags choose among the ways to read and to match a pattern.
type Flags uint8

const (
	// Extglob makes ?(…), *(…), +(…), @(…) and !(…) groups.
	Extglob Flags = 1 << iota
	// IgnoreCase makes letters match in either case.
	IgnoreCase
	// Path matches names of files, one component at a time: a period that
	// begins the name must be matched by one in the pattern.
	Path
	// DotGlob lifts that rule of Path for names other than . and ..
	DotGlob
	// Bytes makes characters of bytes.
	Bytes
)

// A Pattern is a compiled pattern. It is safe for concurrent use. Create it
// with [Compile].
type Pattern struct {
	text  string
	flags Flags
	bytes bool // text is not UTF-8
	nodes []node
	shape shape
	err   error

	// Idle machines by program; each twice, for characters and for bytes.
	ahead, behind, search [2]atomic.Pointer[machine]
}

// Compile reads a pattern. Characters that stand for themselves may be quoted
// with a backslash. There are no mistakes: what cannot be read as a bracket
// expression or a group stands for itself. A pattern that is nested too deeply
// matches nothing, and every method that returns an error returns
// [ErrTooComplex].
func Compile(text string, flags Flags) *Pattern {
	p := &Pattern{text: text, flags: flags}
	if text == "" || flags&IgnoreCase == 0 && strings.IndexAny(text, `\*?[+@!`) < 0 {
		p.shape = shape{text}
		return p
	}
	p.bytes = flags&Bytes != 0 || !utf8.ValidString(text)
	var deep bool
	if p.nodes, deep = p.parse(p.bytes); deep {
		p.err = ErrTooComplex
	} else if flags&IgnoreCase == 0 {
		p.shape = shapeOf(p.nodes, p.bytes)
	}
	return p
}

func (p *Pattern) parse(bytes bool) (nodes []node, deep bool) {
	ps := &parser{flags: p.flags, bytes: bytes, fold: p.folding(bytes)}
	if bytes {
		ps.text = make([]rune, len(p.text))
		for i := range len(p.text) {
			ps.text[i] = rune(p.text[i])
		}
	} else {
		ps.text = []rune(p.text)
	}
	nodes = ps.pattern()
	return nodes, ps.deep
}

// folding returns what makes characters equal that the pattern does not tell
// apart.
func (p *Pattern) folding(bytes bool) func(rune) rune {
	switch {
	case p.flags&IgnoreCase == 0:
		return func(r rune) rune { return r }
	case bytes:
		return func(r rune) rune {
			if 'A' <= r && r <= 'Z' {
				r |= 0x20
			}
			return r
		}
	}
	return unicode.ToLower
}

// Match reports whether s as a whole matches.
func (p *Pattern) Match(s string) bool {
	ok, _ := p.MatchStep(s, nil)
	return ok
}

// MatchStep is [Pattern.Match] for text of any length.
func (p *Pattern) MatchStep(s string, step Step) (bool, error) {
	dot := p.flags&Path != 0 && strings.HasPrefix(s, ".") && (p.flags&DotGlob == 0 || s == "." || s == "..")
	if p.shape != nil {
		return (!dot || strings.HasPrefix(p.shape[0], ".")) && p.shape.match(s), nil
	}
	if p.err != nil {
		return false, p.err
	}
	bytes := p.bytesFor(s)
	m := p.take(&p.ahead, bytes)
	end, _, err := m.forward(s, whole, dot, step)
	p.give(&p.ahead, m)
	return end >= 0, err
}

// Prefix returns the length of the longest, or else shortest, beginning of s
// that matches.
func (p *Pattern) Prefix(s string, long bool, step Step) (end int, ok bool, err error) {
	g := goalOf(long)
	switch {
	case p.err != nil:
		return 0, false, p.err
	case p.shape != nil:
		end = p.shape.prefix(s, g)
	default:
		m := p.take(&p.ahead, p.bytesFor(s))
		end, _, err = m.forward(s, g, false, step)
		p.give(&p.ahead, m)
	}
	return max(end, 0), end >= 0, err
}

// Suffix returns where the longest, or else shortest, end of s begins that
// matches.
func (p *Pattern) Suffix(s string, long bool, step Step) (start int, ok bool, err error) {
	g := goalOf(long)
	switch {
	case p.err != nil:
		return 0, false, p.err
	case p.shape != nil:
		start = p.shape.suffix(s, g)
	default:
		m := p.take(&p.behind, p.bytesFor(s))
		start, err = m.backward(s, g, nil, step)
		p.give(&p.behind, m)
	}
	return max(start, 0), start >= 0, err
}

func goalOf(long bool) goal {
	if long {
		return longest
	}
	return shortest
}

// bytesFor reports whether the characters of s are bytes.
func (p *Pattern) bytesFor(s string) bool { return p.bytes || !utf8.ValidString(s) }

// slot returns the index of the machine for characters or bytes.
func slot(bytes bool) int {
	if bytes {
		return 1
	}
	return 0
}

// take returns a machine that nobody else uses.
func (p *Pattern) take(idle *[2]atomic.Pointer[machine], bytes bool) *machine {
	if m := idle[slot(bytes)].Swap(nil); m != nil {
		return m
	}
	nodes := p.nodes
	if bytes != p.bytes {
		nodes, _ = p.parse(bytes)
	}
	prog := compile(nodes, idle != &p.ahead, idle == &p.search)
	return newMachine(prog, bytes, p.folding(bytes))
}

// give takes back a machine that is no longer used.
func (p *Pattern) give(idle *[2]atomic.Pointer[machine], m *machine) {
	idle[slot(m.bytes)].Store(m)
}
