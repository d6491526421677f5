package interp

import (
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"mvdan.cc/sh/v3/syntax"
)

// maxBraceTexts bounds how many words a brace expansion that is done on its source may
// become: what becomes more is expanded by its parts.
const maxBraceTexts = 256

// quotedBraces compiles a word in whose quotes there are braces that bash takes for a brace
// expansion; nil for others. Bash: it looks for braces in the source, in which a quote within
// a substitution or an expansion within quotes ends those, as in "`echo "{a,b}"`".
func (c *compiler) quotedBraces(w *syntax.Word) fields {
	if !bracesInQuotes(w, c) || strings.Count(c.text(w.Pos(), w.End()), "{") > maxBraces {
		return nil
	}
	g := textBraces{room: maxBraceTexts}
	texts := g.expand(c.text(w.Pos(), w.End()))
	if g.room < 0 {
		return nil
	}
	plain := c.splitField(c.emitters(w.Parts, 0))
	if len(texts) == 1 {
		return plain
	}
	var list []fields
	for _, text := range texts {
		inner := c.within(text)
		word := parseWord(text)
		if word == nil {
			return nil
		}
		list = append(list, inner.splitField(inner.emitters(word.Parts, 0)))
	}
	return func(sh *Shell, dst []string) []string {
		if sh.opts&optBraceexpand == 0 {
			return plain(sh, dst)
		}
		for _, f := range list {
			if dst = f(sh, dst); sh.pending != ctlNone {
				break
			}
		}
		return dst
	}
}

// bracesInQuotes reports whether there are an opening brace and two quotes in what is quoted
// in w, or a further brace in an expansion.
func bracesInQuotes(w *syntax.Word, c *compiler) bool {
	for _, p := range w.Parts {
		if pe, ok := p.(*syntax.ParamExp); ok && !pe.Short && strings.Contains(c.text(pe.Pos(), pe.End())[2:], "{") {
			return true
		}
		q, ok := p.(*syntax.DblQuoted)
		if !ok {
			continue
		}
		if text := c.text(q.Pos(), q.End()); strings.Count(text, `"`) > 2 && strings.Contains(strings.ReplaceAll(text, "${", ""), "{") {
			return true
		}
	}
	return false
}

// A textBraces expands braces in the source of a word.
type textBraces struct {
	room int // for more words; below 0 there are too many
}

// expand returns the words that text becomes.
func (g *textBraces) expand(text string) []string {
	open := findBrace(text, 0, '{')
	if open == len(text) {
		return []string{text}
	}
	end := findBrace(text, open+1, '}')
	if end == len(text) {
		return prefixed(text[:open+1], g.expand(text[open+1:]))
	}
	rest := g.expand(text[end+1:])
	var words []string
	for _, choice := range g.choices(text[open+1 : end]) {
		for _, r := range rest {
			if g.room--; g.room < 0 {
				return words
			}
			words = append(words, text[:open]+choice+r)
		}
	}
	return words
}

// choices returns what the text between two braces stands for.
func (g *textBraces) choices(text string) (words []string) {
	from, found := 0, false
	for i := 0; i <= len(text); i++ {
		if i = findBrace(text, i, ','); i < len(text) {
			found = true
		}
		words = append(words, g.expand(text[from:i])...)
		from = i + 1
	}
	if found {
		return words
	}
	split := splitBraces(&syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: "{" + text + "}"}}})
	if b, ok := split.Parts[0].(*syntax.BraceExp); ok && b.Sequence {
		if seq := newSequence(b); seq != nil && (seq.to-seq.from)/seq.step < int64(g.room) && (seq.from-seq.to)/seq.step < int64(g.room) {
			words = nil
			seq.each(func(n int64) bool {
				words = append(words, seq.text(n))
				return true
			})
			return words
		}
	}
	return []string{"{" + text + "}"}
}

func prefixed(prefix string, words []string) []string {
	for i, w := range words {
		words[i] = prefix + w
	}
	return words
}

// findBrace returns where the brace or comma is that is looked for from i on and not quoted,
// or the end. A closing brace is one with a comma or .. before it.
func findBrace(s string, i int, looked byte) int {
	level, commas, quote, first := 0, 0, byte(0), i
	for i < len(s) {
		c := s[i]
		switch {
		case c == '\\' && quote != '\'':
			i += 2
			continue
		case c == '$' && i+1 < len(s) && s[i+1] == '{' && quote != '\'':
			if quote == 0 {
				level++
			}
			i += 2
			continue
		case quote == 0 && (c == '"' || c == '\'' || c == '`'):
			quote = c
		case (quote == 0 && (c == '$' || c == '<' || c == '>') || quote == '"' && c == '$') && i+1 < len(s) && s[i+1] == '(':
			if n, err := parse.SubstitutionEnd(s[i+2:], parse.Mode{ExtGlob: true}); err == nil {
				i += 2 + n
			} else {
				i = skipNested(s, i+2, '(', ')')
			}
			continue
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == looked && level == 0 && (c != '}' || commas > 0) && (c != '{' || !loneBrace(s, i)):
			return i
		case c == '{':
			level++
		case c == '}' && level > 0:
			level--
		case level == 0 && (c == ',' || c == '.' && i > first && strings.HasPrefix(s[i:], "..") && !strings.HasPrefix(s[i:], "..}")):
			commas++
		}
		i++
	}
	return len(s)
}

// loneBrace reports whether the brace at i is a word of its own, or of nothing but {}.
func loneBrace(s string, i int) bool {
	blank := func(i int) bool { return i >= len(s) || strings.IndexByte(" \t\n", s[i]) >= 0 }
	return (i == 0 || blank(i-1)) && (blank(i+1) || s[i+1] == '}')
}
