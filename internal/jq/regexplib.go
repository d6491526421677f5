package jq

import (
	"strings"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/regex"
)

var regexpNatives = map[string]*native{
	"_match/3": {f: func(m *machine, in Value, args []Value) (Value, error) {
		return m.match(in, args[0], args[1], truthy(args[2]))
	}},
	"_split/2": {f: func(m *machine, in Value, args []Value) (Value, error) {
		return m.splitRegexp(in, args[0], args[1])
	}},
	"test/2": {f: func(m *machine, in Value, args []Value) (Value, error) {
		return m.match(in, args[0], args[1], true)
	}},
}

// maxRegexps is how many compiled expressions are kept.
const maxRegexps = 100

// A search is a regular expression with the modifiers of match.
type search struct {
	*regex.Matcher
	global, nonEmpty bool
}

// search compiles re with modifiers.
func (m *machine) search(in, re, modifiers Value) (string, *search, error) {
	s, ok := in.(string)
	if !ok {
		return "", nil, fail("%s cannot be matched, as it is not a string", m.shown(in))
	}
	src, ok := re.(string)
	if !ok {
		return "", nil, fail("%s cannot be matched, as it is not a string", m.shown(re))
	}
	mods, ok := modifiers.(string)
	if !ok && modifiers != nil {
		return "", nil, fail("%s is not a string", m.shown(modifiers))
	}
	out := &search{}
	var flags regex.Flags
	for _, c := range mods {
		switch c {
		case 'g':
			out.global = true
		case 'n':
			out.nonEmpty = true
		case 'i':
			flags |= regex.IgnoreCase
		case 's':
			flags |= regex.DotNewline
		case 'p':
			flags |= regex.DotNewline
		case 'x':
			src = "(?x)" + src
		default:
			return "", nil, fail("%s is not a valid modifier string", mods)
		}
	}
	key := string(rune(flags)) + src
	out.Matcher = m.regexps[key]
	if out.Matcher == nil {
		compiled, err := regex.Compile(src, regex.Perl, flags)
		if err != nil {
			return "", nil, fail("%s (at offset 0) is not a valid regex: %s", src, err.Error())
		}
		if len(m.regexps) >= maxRegexps {
			for _, old := range m.regexps {
				old.Close()
			}
			clear(m.regexps)
		}
		out.Matcher = compiled.Matcher(m.call)
		m.regexps[key] = out.Matcher
	}
	return s, out, nil
}

// each calls use with the bounds of the matches and their groups.
func (s *search) each(m *machine, text string, use func(loc []int) error) error {
	b := []byte(text)
	for from := 0; ; {
		loc := s.Submatches(b, from)
		if loc == nil {
			if err := s.Err(); err != nil {
				panic(abort{err})
			}
			return nil
		}
		m.work(1)
		start, end := loc[0], loc[1]
		if start < end || !s.nonEmpty {
			if err := use(loc); err != nil {
				return err
			}
		}
		from = end
		if start == end {
			_, n := utf8.DecodeRune(b[end:])
			from += n
		}
		if !s.global || from >= len(b) {
			return nil
		}
	}
}

// match returns the matches of re, or whether there are any.
func (m *machine) match(in, re, modifiers Value, test bool) (Value, error) {
	text, s, err := m.search(in, re, modifiers)
	if err != nil {
		return nil, err
	}
	if test {
		ok := s.Match([]byte(text))
		if err := s.Err(); err != nil {
			panic(abort{err})
		}
		return ok, nil
	}
	names := s.Regexp().Names()
	var list []Value
	at := counter{text: text}
	err = s.each(m, text, func(loc []int) error {
		list = append(list, m.matchObject(&at, names, loc))
		return nil
	})
	return m.made(newArray(list)), err
}

// A counter counts the characters of a text up to places that do not go back
// far.
type counter struct {
	text         string
	bytes, chars int
}

// upTo returns the number of characters before the byte i.
func (c *counter) upTo(i int) int {
	if i < c.bytes {
		return utf8.RuneCountInString(c.text[:i])
	}
	c.chars += utf8.RuneCountInString(c.text[c.bytes:i])
	c.bytes = i
	return c.chars
}

func (m *machine) matchObject(at *counter, names []string, loc []int) Value {
	part := func(i int) *Object {
		o := newObject(4)
		start, end := loc[2*i], loc[2*i+1]
		if start < 0 {
			o.put("offset", -1.0)
			o.put("string", nil)
			o.put("length", 0.0)
			return o
		}
		s := at.text[start:end]
		o.put("offset", float64(at.upTo(start)))
		o.put("length", float64(utf8.RuneCountInString(s)))
		o.put("string", s)
		return o
	}
	match := part(0)
	captures := make([]Value, 0, len(names)-1)
	for i := 1; i < len(names); i++ {
		o := part(i)
		if names[i] == "" {
			o.put("name", nil)
		} else {
			o.put("name", names[i])
		}
		captures = append(captures, m.made(o))
	}
	match.put("captures", newArray(captures))
	return m.made(match)
}

// splitRegexp returns the parts of a string between the matches of re.
func (m *machine) splitRegexp(in, re, modifiers Value) (Value, error) {
	text, s, err := m.search(in, re, modifiers)
	if err != nil {
		return nil, err
	}
	s.global = true
	var list []Value
	last := 0
	err = s.each(m, text, func(loc []int) error {
		list = append(list, text[last:loc[0]])
		last = loc[1]
		return nil
	})
	list = append(list, text[last:])
	return m.made(newArray(list)), err
}

// compileSub compiles sub and gsub.
func compileSub(global bool) func(*compiler, *call) code {
	return func(c *compiler, x *call) code {
		re, with := c.compile(x.args[0]), c.compile(x.args[1])
		flags := constant("")
		if len(x.args) == 3 {
			flags = c.compile(x.args[2])
		}
		return code{gen: func(fr *frame, in Value, out yield) error {
			return combinations(fr, in, []code{re, flags}, nil, func(args []Value) error {
				text, s, err := fr.m.search(in, args[0], args[1])
				if err != nil {
					return err
				}
				s.global = s.global || global
				return fr.m.substitute(fr, text, s, with, out)
			})
		}}
	}
}

// An edit is a match that is to be replaced, and the captures of it.
type edit struct {
	start, end int
	captures   Value
}

func (m *machine) substitute(fr *frame, text string, s *search, with code, out yield) error {
	names := s.Regexp().Names()
	var edits []edit
	held := 0
	defer func() { m.hold(-held) }()
	err := s.each(m, text, func(loc []int) error {
		o := newObject(len(names))
		for i := 1; i < len(names); i++ {
			if names[i] == "" {
				continue
			}
			if loc[2*i] < 0 {
				o.put(names[i], nil)
			} else {
				o.put(names[i], text[loc[2*i]:loc[2*i+1]])
			}
		}
		held += 64 + o.size
		m.hold(64 + o.size)
		edits = append(edits, edit{loc[0], loc[1], o})
		return nil
	})
	if err != nil {
		return err
	}
	if with.one == nil {
		return m.substituteAll(fr, text, edits, 0, "", with, out)
	}
	var b strings.Builder
	last := 0
	for _, e := range edits {
		m.work(1)
		v, err := with.one(fr, e.captures)
		if err != nil {
			return err
		}
		t, ok := v.(string)
		if !ok {
			return fail("%s and %s cannot be added", m.shown(text[last:e.start]), m.shown(v))
		}
		if n := e.start - last + len(t); n > b.Cap()-b.Len() {
			m.room(2 * (b.Len() + n))
		}
		b.WriteString(text[last:e.start])
		b.WriteString(t)
		last = e.end
	}
	b.WriteString(text[last:])
	return m.carry(b.String(), out)
}

// substituteAll is substitute for replacements that may have several values, or
// none. done is what the text has become up to last.
func (m *machine) substituteAll(fr *frame, text string, edits []edit, last int, done string, with code, out yield) error {
	if len(edits) == 0 {
		return m.carry(m.concat(done, text[last:]), out)
	}
	if err := m.enter(recursion); err != nil {
		return err
	}
	defer m.leave(recursion)
	e := edits[0]
	return with.gen(fr, e.captures, func(v Value) error {
		t, ok := v.(string)
		if !ok {
			return fail("%s and %s cannot be added", m.shown(text[last:e.start]), m.shown(v))
		}
		return m.substituteAll(fr, text, edits[1:], e.end, m.concat(done, text[last:e.start]+t), with, out)
	})
}
