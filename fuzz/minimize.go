package fuzz

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Minimize returns a script that is as short as it can make it and of which
// failing is still true, as it must be of script. It calls failing at most runs
// times.
//
// It takes out lines, and nodes of the syntax tree, the large ones first, or puts a part
// of a node in its place, until nothing more can go. Scripts that do not parse lose lines
// and fields instead.
func Minimize(script string, runs int, failing func(script string) bool) string {
	m := &minimizer{best: script, runs: runs, failing: failing, seen: map[string]bool{script: true}}
	for before := ""; before != m.best && m.runs > 0; {
		before = m.best
		m.lines()
		if edits(m.best) == nil {
			m.fields()
		}
		m.nodes()
	}
	return m.best
}

type minimizer struct {
	best    string
	runs    int // that are left
	failing func(string) bool
	seen    map[string]bool
}

// try makes script the best one if it fails too.
func (m *minimizer) try(script string) bool {
	if m.runs <= 0 || m.seen[script] {
		return false
	}
	m.seen[script] = true
	m.runs--
	if !m.failing(script) {
		return false
	}
	m.best = script
	return true
}

// lines takes out lines: halves of the script, quarters, and so on.
func (m *minimizer) lines() {
	for size := strings.Count(m.best, "\n") / 2; size > 0; size /= 2 {
		for at := 0; ; {
			lines := strings.SplitAfter(m.best, "\n")
			if at >= len(lines) {
				break
			}
			end := min(at+size, len(lines))
			if !m.try(strings.Join(slices.Delete(lines, at, end), "")) {
				at = end
			}
		}
	}
}

// fields takes out runs of fields, the texts between white space. It never makes a
// new word of what is left: that could be the name of a program.
func (m *minimizer) fields() {
	for size := 8; size > 0; size /= 2 {
		for at := 0; ; {
			fields := fieldPattern.FindAllString(m.best, -1)
			if at >= len(fields) {
				break
			}
			end := min(at+size, len(fields))
			if !m.try(strings.Join(slices.Delete(fields, at, end), "")) {
				at = end
			}
		}
	}
}

// fieldPattern matches a field and the white space behind it.
var fieldPattern = regexp.MustCompile(`\S+\s*|^\s+`)

// An edit replaces a range of bytes.
type edit struct {
	from, to int
	text     string
}

// nodes tries edits of the syntax tree until none of them keeps the failure.
func (m *minimizer) nodes() {
	for again := true; again && m.runs > 0; {
		again = false
		for _, e := range edits(m.best) {
			if e.to <= len(m.best) && m.try(m.best[:e.from]+e.text+m.best[e.to:]) {
				again = true
				break
			}
		}
	}
}

// edits returns what can be done to the tree of a script, the largest gain first.
func edits(script string) (list []edit) {
	f, err := syntax.NewParser(syntax.KeepComments(true)).Parse(strings.NewReader(script), "")
	if err != nil {
		return nil
	}
	var outer []span
	syntax.Walk(f, func(n syntax.Node) bool {
		if n == nil {
			outer = outer[:len(outer)-1]
			return true
		}
		s := span{int(n.Pos().Offset()), int(n.End().Offset())}
		if s.valid(script) {
			list = append(list, edit{s.from, s.to, ""})
			for _, o := range outer {
				if o.valid(script) && o != s {
					list = append(list, edit{o.from, o.to, script[s.from:s.to]})
				}
			}
		}
		outer = append(outer, s)
		return true
	})
	gain := func(e edit) int { return e.to - e.from - len(e.text) }
	slices.SortStableFunc(list, func(a, b edit) int { return cmp.Compare(gain(b), gain(a)) })
	return list
}

// A span is where a node stands.
type span struct{ from, to int }

func (s span) valid(script string) bool { return 0 <= s.from && s.from < s.to && s.to <= len(script) }
