package awk

import (
	"bytes"
	"strings"
)

// index returns the position of the first t in s, in characters from 1; 0 if
// there is none.
func index(s []byte, t string) int {
	i := bytes.Index(s, view(t))
	if i < 0 {
		return 0
	}
	return 1 + characters(s[:i])
}

// subject compiles the optional argument i of a function that works on the
// record without it.
func (c *compiler) subject(x *builtinExpr, i int) (expr, code) {
	var arg expr = &fieldExpr{index: &numberLit{0}}
	if i < len(x.args) {
		arg = x.args[i]
	}
	return arg, c.expr(arg)
}

func compileMatch(c *compiler, x *builtinExpr) code {
	s := c.expr(x.args[0])
	find := c.pattern(x.args[1])
	get := func(m *machine) []byte { return view(s.str(m)) }
	if s.view != nil && c.pure(x.args[1]) {
		get = s.view
	}
	if len(x.args) == 2 {
		return numberCode(func(m *machine) float64 {
			b := get(m)
			start, end, ok := find(m).find(b, 0)
			return m.matched(b, start, end, ok)
		}, false)
	}
	array := c.arrayArg(x, 2)
	return numberCode(func(m *machine) float64 {
		b := []byte(s.str(m))
		loc := find(m).submatches(b, 0)
		a := array(m)
		a.clear()
		if loc == nil {
			return m.matched(b, 0, 0, false)
		}
		for i := 0; i < len(loc); i += 2 {
			if loc[i] < 0 {
				continue
			}
			n := i / 2
			m.assign(a.refInt(n), given(m.string(b[loc[i]:loc[i+1]])))
			key := m.format(float64(n), "") + m.subsep
			*a.ref(stringKey(key + "start")) = num(float64(1 + characters(b[:loc[i]])))
			*a.ref(stringKey(key + "length")) = num(float64(characters(b[loc[i]:loc[i+1]])))
		}
		return m.matched(b, loc[0], loc[1], true)
	}, false)
}

// matched sets RSTART and RLENGTH, and returns RSTART.
func (m *machine) matched(b []byte, start, end int, ok bool) float64 {
	at, length := 0.0, -1.0
	if ok {
		at, length = float64(1+characters(b[:start])), float64(characters(b[start:end]))
	}
	m.setSpecial(spRSTART, num(at))
	m.setSpecial(spRLENGTH, num(length))
	return at
}

// eachMatch calls yield for the matches of re in b that sub and gsub replace, as
// long as it returns true. An empty match counts only where it does not touch
// the match before.
func (m *machine) eachMatch(re *matcher, b []byte, yield func(loc []int) bool, groups bool) {
	last := -1
	for from := 0; from <= len(b); {
		var loc []int
		if groups {
			loc = re.submatches(b, from)
		} else if start, end, ok := re.find(b, from); ok {
			m.loc = [2]int{start, end}
			loc = m.loc[:]
		}
		if loc == nil {
			return
		}
		m.poll(1)
		start, end := loc[0], loc[1]
		if start == end {
			if start != last && !yield(loc) {
				return
			}
			from = end + max(1, runeLen(string(b[end:min(len(b), end+4)])))
			continue
		}
		if !yield(loc) {
			return
		}
		from, last = end, end
	}
}

func compileSub(c *compiler, x *builtinExpr) code {
	find := c.pattern(x.args[0])
	repl := c.expr(x.args[1])
	arg, target := c.subject(x, 2)
	var set func(*machine, value)
	switch lhs := arg.(type) {
	case *fieldExpr, *varExpr, *indexExpr:
		set = c.store(lhs)
	}
	whole := isRecord(arg)
	global := x.name == "gsub"
	var fixed *replacement
	if repl.fixed != nil && repl.fixed.k == text {
		fixed = parseReplacement(repl.fixed.s, false)
	}
	return numberCode(func(m *machine) float64 {
		re := find(m)
		with := fixed
		if with == nil {
			with = parseReplacement(repl.str(m), false)
		}
		var b []byte
		if target.view != nil {
			b = target.view(m)
		} else {
			b = view(target.str(m))
		}
		base := len(m.scratch)
		n := m.substitute(re, with, b, global)
		switch {
		case n == 0 || set == nil:
		case whole:
			m.rec.set(copied(&m.rec, m.scratch[base:]))
		default:
			set(m, str(m.string(m.scratch[base:])))
		}
		m.trim(base)
		return float64(n)
	}, false)
}

// isRecord reports whether x is $0.
func isRecord(x expr) bool {
	f, ok := x.(*fieldExpr)
	if !ok {
		return false
	}
	n, ok := f.index.(*numberLit)
	return ok && n.n == 0
}

// substitute appends b to m.scratch with the first match of re, or all of them,
// replaced. It appends nothing if there is none. It returns their number.
func (m *machine) substitute(re *matcher, with *replacement, b []byte, all bool) (n int) {
	at := 0
	m.eachMatch(re, b, func(loc []int) bool {
		n++
		m.scratch = m.append(m.scratch, b[at:loc[0]])
		m.scratch = with.append(m, m.scratch, b, loc)
		at = loc[1]
		return all
	}, false)
	if n > 0 {
		m.scratch = m.append(m.scratch, b[at:])
	}
	return n
}

// A replacement is the text that a match is replaced with.
type replacement struct{ parts []replacementPart }

// A replacementPart is text, and the group that follows it; -1 for none.
type replacementPart struct {
	text  string
	group int
}

// parseReplacement parses a replacement of sub and gsub or, with groups, of
// gensub.
func parseReplacement(s string, groups bool) *replacement {
	r := &replacement{}
	if strings.IndexByte(s, '&') < 0 && strings.IndexByte(s, '\\') < 0 {
		r.parts = []replacementPart{{s, -1}}
		return r
	}
	var b []byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '&':
			r.parts = append(r.parts, replacementPart{string(b), 0})
			b = b[:0]
		case c != '\\':
			b = append(b, c)
		case groups && i+1 < len(s) && isDigit(s[i+1]):
			r.parts = append(r.parts, replacementPart{string(b), int(s[i+1] - '0')})
			b = b[:0]
			i++
		case groups && i+1 < len(s):
			b = append(b, s[i+1])
			i++
		case strings.HasPrefix(s[i:], `\\\&`):
			b = append(b, `\&`...)
			i += 3
		case strings.HasPrefix(s[i:], `\\\\`):
			b = append(b, `\\`...)
			i += 3
		case strings.HasPrefix(s[i:], `\\&`):
			r.parts = append(r.parts, replacementPart{string(b) + `\`, 0})
			b = b[:0]
			i += 2
		case strings.HasPrefix(s[i:], `\&`):
			b = append(b, '&')
			i++
		default:
			b = append(b, c)
		}
	}
	r.parts = append(r.parts, replacementPart{string(b), -1})
	return r
}

func (r *replacement) append(m *machine, dst, b []byte, loc []int) []byte {
	for _, part := range r.parts {
		dst = m.append(dst, view(part.text))
		if i := 2 * part.group; i >= 0 && i+1 < len(loc) && loc[i] >= 0 {
			dst = m.append(dst, b[loc[i]:loc[i+1]])
		}
	}
	return dst
}

func compileGensub(c *compiler, x *builtinExpr) code {
	find := c.pattern(x.args[0])
	repl, how := c.expr(x.args[1]).str, c.expr(x.args[2]).val
	_, target := c.subject(x, 3)
	return stringCode(func(m *machine) string {
		re := find(m)
		with := parseReplacement(repl(m), true)
		which := m.which(how(m))
		b := view(target.str(m))
		base := len(m.scratch)
		at, n := 0, 0
		m.eachMatch(re, b, func(loc []int) bool {
			if n++; which > 0 && n != which {
				return true
			}
			m.scratch = m.append(m.scratch, b[at:loc[0]])
			m.scratch = with.append(m, m.scratch, b, loc)
			at = loc[1]
			return which == 0
		}, true)
		m.scratch = m.append(m.scratch, b[at:])
		s := m.string(m.scratch[base:])
		m.trim(base)
		return s
	}, false)
}

// which returns the number of the match that gensub is to replace; 0 for all.
func (m *machine) which(how value) int {
	if s := m.str(&how); s != "" && s[0]|0x20 == 'g' {
		return 0
	}
	n := how.num()
	if n < 1 {
		m.warn("gensub: third argument `%s' treated as 1", m.str(&how))
	}
	return int(clamp(n, 1, 1<<40))
}

func compileSplit(c *compiler, x *builtinExpr) code {
	s, into := c.expr(x.args[0]).str, c.arrayArg(x, 1)
	separator := func(m *machine) *splitter {
		sp := m.separator(m.special(spFS))
		if m.splitBy != spFS {
			sp = m.splitter
		}
		return sp
	}
	if len(x.args) > 2 {
		separator = c.separator(x.args[2])
	}
	var seps func(*machine) *array
	if len(x.args) > 3 {
		seps = c.arrayArg(x, 3)
	}
	return splitInto(s, into, separator, seps)
}

// separator compiles the argument that says what split splits at.
func (c *compiler) separator(x expr) func(*machine) *splitter {
	if re, ok := x.(*regexpLit); ok {
		find := c.regexp(re.src)
		return func(m *machine) *splitter { return &splitter{kind: byRegexp, re: find(m)} }
	}
	fs := c.expr(x)
	var last string
	var made *splitter
	return func(m *machine) *splitter {
		s := fs.str(m)
		if made == nil || s != last || made.kind == byRegexp {
			last, made = s, m.separator(s)
		}
		return made
	}
}

// splitInto returns the code of split and patsplit.
func splitInto(s func(*machine) string, into func(*machine) *array, separator func(*machine) *splitter, seps func(*machine) *array) code {
	return numberCode(func(m *machine) float64 {
		text := s(m)
		part := strings.Clone
		if len(text) <= 512 { // parts may keep the whole alive
			part = func(s string) string { return s }
		}
		sp := separator(m)
		a := into(m)
		a.clear()
		var between *array
		if seps != nil {
			between = seps(m)
			between.clear()
		}
		n := 0
		sp.each(m, view(text), func(start, end, sepStart, sepEnd int) {
			if start >= 0 {
				n++
				m.assign(a.refInt(n), given(part(text[start:end])))
			}
			if between != nil && (sepEnd > sepStart || sp.kind == byContent) && (sepEnd < len(text) || sp.kind == byBlanks || sp.kind == byContent) {
				m.assign(between.refInt(n), str(part(text[sepStart:sepEnd])))
			}
			m.poll(1)
		})
		return float64(n)
	}, false)
}

func compilePatsplit(c *compiler, x *builtinExpr) code {
	s, into := c.expr(x.args[0]).str, c.arrayArg(x, 1)
	content := func(m *machine) *splitter {
		return &splitter{kind: byContent, re: m.regexp(m.special(spFPAT))}
	}
	if len(x.args) > 2 {
		find := c.pattern(x.args[2])
		content = func(m *machine) *splitter { return &splitter{kind: byContent, re: find(m)} }
	}
	var seps func(*machine) *array
	if len(x.args) > 3 {
		seps = c.arrayArg(x, 3)
	}
	return splitInto(s, into, content, seps)
}
