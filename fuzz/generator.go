package fuzz

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A Generator writes scripts. Its zero value writes Bash scripts of every feature
// with the seed 0. It is a value: two that are equal write the same scripts.
type Generator struct {
	// Seed chooses the scripts.
	Seed uint64

	// Grammar is what scripts look like. Nil means [StandardGrammar].
	Grammar *Grammar

	// Features are those of the grammar that scripts may use; see
	// [Grammar.Select]. Nil means all.
	Features []string

	// Statements is about how many statements a script has, without those
	// that others contain. Zero means 6.
	Statements int

	// Depth is how far nonterminals nest before only the shortest ends are
	// chosen. Zero means 18, at which there are loops in functions in
	// substitutions.
	Depth int

	// Length is the length in bytes from which on only the shortest ends are
	// chosen. Zero means 1,500.
	Length int
}

// Script returns the script with the number n.
func (g Generator) Script(n uint64) string { return g.Scripts()(n) }

// Scripts returns a function that does what Script does, and faster. It is safe
// for concurrent use.
func (g Generator) Scripts() func(n uint64) string {
	grammar := g.Grammar
	if grammar == nil {
		grammar = StandardGrammar()
	}
	features := g.Features
	if features == nil {
		features = grammar.features
	}
	choices := grammar.narrow(features)
	return func(n uint64) string {
		w := &writer{
			random: rand.New(rand.NewPCG(g.Seed, n)), choices: choices,
			statements: positive(g.Statements, 6), depth: positive(g.Depth, 18), length: positive(g.Length, 1500),
		}
		w.nonterminal("script")
		w.endLine()
		return string(w.out)
	}
}

func positive(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// A writer writes one script.
type writer struct {
	random     *rand.Rand
	choices    map[string]*choice
	statements int
	depth      int // that is left
	length     int

	out       []byte
	outer     int      // length of what is written elsewhere
	oneLine   bool     // lines end with ;
	documents []string // here-documents that begin behind this line
	counters  int
	counter   string // the name that was made last
	begun     []int  // functions whose definition is open
	functions int    // how many have begun
	callable  []int
}

// nonterminal writes one of the alternatives of a nonterminal.
func (w *writer) nonterminal(name string) {
	c := w.choices[name]
	w.depth--
	limit := w.depth
	if w.outer+len(w.out) > w.length {
		limit = 0
	}
	r := w.choose(c, max(limit, c.height))
	for i := range r.parts {
		w.part(&r.parts[i])
	}
	w.depth++
}

// choose returns a rule that is no higher than limit.
func (w *writer) choose(c *choice, limit int) *choiceRule {
	total := 0
	for _, r := range c.rules {
		if r.height <= limit {
			total += r.weight
		}
	}
	n := w.random.IntN(total)
	for _, r := range c.rules {
		if r.height <= limit {
			if n -= r.weight; n < 0 {
				return r
			}
		}
	}
	panic("unreachable: the weights of the rules add up to the total")
}

// part writes what a part stands for.
func (w *writer) part(p *part) {
	switch p.action {
	case literal:
		w.write(p.text)
	case expand:
		w.nonterminal(p.text)
	case repeat:
		for i := range w.statements {
			if i > 0 {
				w.endLine()
			}
			w.nonterminal(p.text)
		}
	case oneLine, asWord, backquoted, document, lines:
		w.nested(p)
	case lineEnd:
		w.endLine()
	case lineBreak:
		w.breakLine()
	case number:
		w.write(strconv.Itoa(p.low + w.random.IntN(p.high-p.low+1)))
	default:
		w.name(p.action)
	}
}

func (w *writer) write(s string) { w.out = append(w.out, s...) }

// nested writes a nonterminal in a form that is not its own.
func (w *writer) nested(p *part) {
	switch p.action {
	case asWord:
		w.write("'" + strings.ReplaceAll(w.apart(p.text, true), "'", `'\''`) + "'")
	case backquoted:
		w.write(strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(w.apart(p.text, true)))
	case document:
		w.document(p.text)
	case lines:
		if !w.oneLine && len(w.documents) == 0 {
			w.write("\n" + w.apart(p.text, false) + "\n")
			return
		}
		w.write(w.apart(p.text, true))
	default:
		w.write(w.apart(p.text, true))
	}
}

// apart returns what an alternative of a nonterminal is where no document is
// pending, on a line or on several.
func (w *writer) apart(name string, line bool) string {
	outer := *w
	w.out, w.outer, w.oneLine, w.documents = nil, outer.outer+len(outer.out), line, nil
	w.nonterminal(name)
	if len(w.documents) > 0 {
		w.endLine()
		w.out = bytes.TrimSuffix(w.out, []byte("\n"))
	}
	text := string(w.out)
	w.out, w.outer, w.oneLine, w.documents = outer.out, outer.outer, outer.oneLine, outer.documents
	return text
}

// name writes a name that is not in the grammar.
func (w *writer) name(a action) {
	switch a {
	case counter:
		w.counters++
		w.counter = fmt.Sprintf("c%d", w.counters)
		w.write(w.counter)
	case sameName:
		w.write(w.counter)
	case define:
		w.write(fmt.Sprintf("f%d", w.functions))
		w.begun = append(w.begun, w.functions)
		w.functions++
	case defined:
		last := len(w.begun) - 1
		w.callable = append(w.callable, w.begun[last])
		w.begun = w.begun[:last]
	case call:
		w.write(w.callee())
	}
}

// callee returns the name of a function that is defined, and that does not call
// the one that is being defined, or else of a builtin.
func (w *writer) callee() string {
	if len(w.callable) == 0 {
		return "echo"
	}
	return fmt.Sprintf("f%d", w.callable[w.random.IntN(len(w.callable))])
}

// endLine ends a line: the here-documents that it began follow.
func (w *writer) endLine() {
	if w.oneLine {
		w.write("; ")
		return
	}
	w.write("\n")
	for _, d := range w.documents {
		w.write(d)
	}
	w.documents = nil
}

// breakLine ends a line where no command ends.
func (w *writer) breakLine() {
	if w.oneLine {
		w.write(" ")
		return
	}
	w.endLine()
}

// document writes the operator of a here-document, whose text follows when the
// line ends. Where no line ends, it is a here-string.
func (w *writer) document(name string) {
	if w.oneLine {
		w.write("<<< 'one line'")
		return
	}
	operator := []string{"<<", "<<", "<<-"}[w.random.IntN(3)]
	end := []string{"EOF", "E", "END"}[w.random.IntN(3)]
	quoted := []string{end, end, end, "'" + end + "'", `"` + end + `"`, `\` + end}[w.random.IntN(6)]
	text := w.apart(name, false)
	if text != "" {
		text += "\n"
	}
	w.write(operator + quoted)
	w.documents = append(w.documents, text+end+"\n")
}
