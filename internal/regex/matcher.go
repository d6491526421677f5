package regex

import "bytes"

// A Budget is charged for the work and the memory of searches. It is the part
// of a command's call that this package needs.
type Budget interface {
	Poll(n int) error // n steps of work; an error means to stop
	Alloc(n int) error
	Free(n int)
}

// A Matcher searches for one expression. It remembers what it has learned from
// one search to the next, so keep it as long as the expression is in use. It is
// for one goroutine at a time.
type Matcher struct {
	re       *Regexp
	budget   Budget
	err      error
	pending  int // work not yet charged
	held     int
	finder   *dfa // the end of the leftmost-longest match
	tester   *dfa // whether there is a match
	reverser *dfa // the start of a match
	tracker  *backtracker
	found    [2]int
}

// Matcher returns a matcher for r that charges b, which may be nil.
func (r *Regexp) Matcher(b Budget) *Matcher {
	m := &Matcher{re: r, budget: b}
	m.alloc(r.Size())
	return m
}

// Err returns the error with which the budget stopped a search, if it did. That
// search found nothing, and neither do later ones.
func (m *Matcher) Err() error { return m.err }

// Close gives back the memory of m, which must not be used after that.
func (m *Matcher) Close() {
	m.free(m.held)
	m.finder, m.tester, m.reverser, m.tracker = nil, nil, nil, nil
}

// Regexp returns the expression of m.
func (m *Matcher) Regexp() *Regexp { return m.re }

func (m *Matcher) alloc(n int) {
	m.held += n
	if m.budget != nil && m.err == nil {
		m.err = m.budget.Alloc(n)
		if m.err != nil {
			m.held -= n
		}
	}
}

func (m *Matcher) free(n int) {
	m.held -= n
	if m.budget != nil {
		m.budget.Free(n)
	}
}

// workUnit is the number of bytes or instructions that cost one step.
const workUnit = 256

// work charges for n bytes read or instructions run.
func (m *Matcher) work(n int) {
	if m.pending += n; m.pending < workUnit {
		return
	}
	steps := m.pending / workUnit
	m.pending %= workUnit
	if m.budget != nil && m.err == nil {
		m.err = m.budget.Poll(steps)
	}
}

// Match reports whether the expression matches anywhere in b.
func (m *Matcher) Match(b []byte) bool {
	_, ok := m.Locate(b, 0)
	return ok
}

// Locate returns a position of b that is in the first line that has a match
// beginning at or after from, or is the end of such a match. It is the cheapest
// search, for expressions with [Lines].
func (m *Matcher) Locate(b []byte, from int) (pos int, ok bool) {
	if m.err != nil {
		return 0, false
	}
	r := m.re
	if l := &r.literal; len(l.text) > 0 {
		if r.lines && !l.whole {
			return m.locateLine(b, from)
		}
		i := m.index(b[from:], l)
		if i < 0 || l.whole {
			return from + i, i >= 0
		}
		if l.prefix && r.exact {
			from += i
		}
	}
	pos, ok = m.test(b, from)
	if !ok || r.exact {
		return pos, ok
	}
	if !r.lines {
		pos, _, ok = m.Find(b, from)
		return pos, ok
	}
	return m.verify(b, from, pos)
}

// test looks for a sign of a match with an automaton.
func (m *Matcher) test(b []byte, from int) (pos int, ok bool) {
	if m.tester == nil {
		m.tester = newDFA(m.re.forward, m)
		m.tester.anywhere, m.tester.first = true, true
	}
	return m.tester.forward(b, from)
}

// locateLine is Locate for an expression with a literal: it looks at the lines
// that have it only.
func (m *Matcher) locateLine(b []byte, from int) (pos int, ok bool) {
	for from <= len(b) && m.err == nil {
		i := m.index(b[from:], &m.re.literal)
		if i < 0 {
			break
		}
		begin, end := line(b, from, from+i)
		if m.re.literal.prefix && m.re.exact {
			begin = from + i
		}
		pos, ok := m.test(b[:end], begin)
		if ok && !m.re.exact {
			pos, ok = m.track(b[:end], begin)
		}
		if ok {
			return pos, true
		}
		from = end + 1
	}
	return 0, false
}

// line returns the bounds of the line of pos, but not from before from.
func line(b []byte, from, pos int) (begin, end int) {
	begin, end = from+bytes.LastIndexByte(b[from:pos], '\n')+1, len(b)
	if i := bytes.IndexByte(b[pos:], '\n'); i >= 0 {
		end = pos + i
	}
	return begin, end
}

// track looks for a match by backtracking.
func (m *Matcher) track(b []byte, from int) (pos int, ok bool) {
	if found := m.backtracker().search(b, from); found != nil {
		return found[0], true
	}
	return 0, false
}

// index finds a literal.
func (m *Matcher) index(b []byte, l *literal) int {
	if l.folded != nil {
		return m.indexFolded(b, l)
	}
	i := bytes.Index(b, l.text)
	if i < 0 {
		m.work(len(b) / 8)
	} else {
		m.work(i / 8)
	}
	return i
}

// indexFolded finds a literal that is folded, a chunk at a time.
func (m *Matcher) indexFolded(b []byte, l *literal) int {
	for from := 0; from < len(b) && m.err == nil; from += chunk {
		part := b[from:min(len(b), from+chunk+len(l.text)-1)]
		i := l.folded.index(part)
		if i >= 0 {
			m.work(i / 2)
			return from + i
		}
		m.work(len(part) / 2)
	}
	return -1
}

// verify is Locate for an inexact expression whose automaton says that the line
// of pos may have a match.
func (m *Matcher) verify(b []byte, from, pos int) (int, bool) {
	for ok := true; ok; pos, ok = m.test(b, from) {
		begin, end := line(b, from, pos)
		if at, ok := m.track(b[:end], begin); ok {
			return at, true
		}
		if end == len(b) {
			break
		}
		from = end + 1
	}
	return 0, false
}

// Find returns the bounds of the leftmost match that begins at or after from;
// of those the longest or, in [Perl], the preferred. What precedes from is the
// context for ^ and \<.
func (m *Matcher) Find(b []byte, from int) (start, end int, ok bool) {
	loc := m.find(b, from, false)
	if loc == nil {
		return 0, 0, false
	}
	return loc[0], loc[1], true
}

// Bounds is [Matcher.Find] in the form of [Matcher.Submatches].
func (m *Matcher) Bounds(b []byte, from int) []int { return m.find(b, from, false) }

// Submatches is [Matcher.Find] for the groups too: the bounds of the match, of
// the first group, and so on. A group that is not part of the match has bounds
// of -1. The slice, which is nil where there is no match, is valid until the
// next search.
func (m *Matcher) Submatches(b []byte, from int) []int {
	return m.find(b, from, true)
}

func (m *Matcher) find(b []byte, from int, groups bool) []int {
	r := m.re
	if l := &r.literal; len(l.text) > 0 {
		i := m.index(b[from:], l)
		if i < 0 || m.err != nil {
			return nil
		}
		if l.whole && r.back == nil {
			m.found = [2]int{from + i, from + i + len(l.text)}
			return m.found[:]
		}
		if l.prefix {
			from += i
		}
	}
	start, end, ok := m.bounds(b, from)
	switch {
	case !ok || m.err != nil:
		return nil
	case !r.exact:
		return m.backtracker().search(b, start)
	case r.back != nil && (groups || r.perl):
		return m.backtracker().within(b, start, end)
	}
	m.found = [2]int{start, end}
	return m.found[:]
}

// bounds finds the leftmost-longest match with automata.
func (m *Matcher) bounds(b []byte, from int) (start, end int, ok bool) {
	if m.finder == nil {
		m.finder = newDFA(m.re.forward, m)
		m.finder.anywhere, m.finder.groups = true, true
		m.reverser = newDFA(m.re.reverse, m)
	}
	end, ok = m.finder.forward(b, from)
	if !ok {
		return 0, 0, false
	}
	return m.reverser.back(b, from, end), end, true
}

func (m *Matcher) backtracker() *backtracker {
	if m.tracker == nil {
		m.tracker = newBacktracker(m)
	}
	return m.tracker
}
