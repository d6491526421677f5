package interp

import (
	"math"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hasBraces reports whether w holds a brace expansion.
func hasBraces(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.IndexByte(lit.Value, '{') >= 0 {
			return true
		}
		if _, ok := p.(*syntax.BraceExp); ok {
			return true
		}
	}
	return false
}

// maxBraces bounds how deep braces nest in a word, those included that nothing closes: time and
// stack that they take grow with it.
const maxBraces = 1000

// braceDepth returns how deep braces nest in a word.
func braceDepth(w *syntax.Word) (deepest int) {
	depth := 0
	for _, p := range w.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			continue
		}
		for i := range len(lit.Value) {
			switch lit.Value[i] {
			case '{':
				depth++
				deepest = max(deepest, depth)
			case '}':
				depth--
			}
		}
	}
	return deepest
}

// expandsBraces reports whether w holds braces that are an expansion.
func expandsBraces(w *syntax.Word) bool {
	if braceDepth(w) > maxBraces {
		return true // which is refused then
	}
	split := splitBraces(&syntax.Word{Parts: w.Parts})
	for _, p := range split.Parts {
		if b, ok := p.(*syntax.BraceExp); ok && (!b.Sequence || newSequence(b) != nil) {
			return true
		}
	}
	return false
}

// A piece is a part of a word with braces: a part without any, or a choice.
type piece struct {
	part    syntax.WordPart
	emit    emitter
	raw     string // the source of what emit makes
	choices [][]piece
	seq     *sequence
}

// braceField compiles a word with brace expansions. (bash manual, Brace
// Expansion)
func (c *compiler) braceField(w *syntax.Word) fields {
	if braceDepth(w) > maxBraces {
		return func(sh *Shell, dst []string) []string {
			sh.fail("brace expansion: nesting too deep")
			return dst
		}
	}
	split := splitBraces(&syntax.Word{Parts: w.Parts})
	plain := c.splitField(c.emitters(w.Parts, 0))
	pieces, found := c.pieces(split.Parts)
	if !found {
		return plain
	}
	var source *compiler
	if joins(pieces, false, false) {
		source = c
	}
	return func(sh *Shell, dst []string) []string {
		if sh.opts&optBraceexpand == 0 {
			return plain(sh, dst)
		}
		g := &braceGenerator{sh: sh, dst: dst, source: source}
		g.expand(pieces, nil, func(list []*piece) { g.word(list) })
		sh.hold(-g.held)
		return g.dst
	}
}

// joins reports whether pieces of a word mean something else side by side than
// each alone: a name after $ that goes on in the next piece, or a tilde. Inside is
// true for the pieces of a choice, more where others follow it.
func joins(pieces []piece, inside, more bool) bool {
	for i, p := range pieces {
		next := i+1 < len(pieces)
		for _, choice := range p.choices {
			if joins(choice, true, next || more) {
				return true
			}
		}
		switch part := p.part.(type) {
		case *syntax.ParamExp:
			if part.Short && isPlainName(part) && (next && pieces[i+1].part == nil || !next && more) {
				return true
			}
		case *syntax.Lit:
			if strings.HasPrefix(part.Value, "~") && (inside || next && !strings.Contains(part.Value, "/")) {
				return true
			}
		}
	}
	return false
}

// splitBraces finds the brace expansions of w.
func splitBraces(w *syntax.Word) *syntax.Word {
	syntax.SplitBraces(w)
	return w
}

func (c *compiler) pieces(parts []syntax.WordPart) (list []piece, found bool) {
	for i, p := range parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			list = append(list, piece{part: p, emit: c.emitter(p, 0, i == 0, i == len(parts)-1), raw: c.partSource(p)})
			continue
		}
		found = true
		if b.Sequence {
			if seq := newSequence(b); seq != nil {
				list = append(list, piece{seq: seq})
				continue
			}
			text := braceText(b)
			list = append(list, piece{emit: func(sh *Shell, b *builder) { b.literal(text) }, raw: text})
			continue
		}
		var choices [][]piece
		for _, e := range b.Elems {
			sub, _ := c.pieces(e.Parts)
			choices = append(choices, sub)
		}
		list = append(list, piece{choices: choices})
	}
	return list, found
}

// partSource returns the source of a part of a word.
func (c *compiler) partSource(p syntax.WordPart) string {
	if lit, ok := p.(*syntax.Lit); ok {
		return lit.Value
	}
	return c.text(p.Pos(), p.End())
}

// braceText is a sequence expression that is not one after all.
func braceText(b *syntax.BraceExp) string {
	var words []string
	for _, e := range b.Elems {
		words = append(words, e.Lit())
	}
	return "{" + strings.Join(words, "..") + "}"
}

// A sequence is {from..to..step}.
type sequence struct {
	from, to, step int64
	width          int // zero-padded to it
	chars          bool
}

func newSequence(b *syntax.BraceExp) *sequence {
	s := &sequence{step: 1}
	a, z := b.Elems[0].Lit(), b.Elems[1].Lit()
	from, ok1 := seqInt(a)
	to, ok2 := seqInt(z)
	switch {
	case ok1 && ok2:
		s.from, s.to = from, to
		if padded(a) || padded(z) {
			s.width = max(len(a), len(z))
		}
	case len(a) == 1 && len(z) == 1 && !ok1 && !ok2:
		s.from, s.to, s.chars = int64(a[0]), int64(z[0]), true
	default:
		return nil
	}
	if len(b.Elems) > 2 {
		step, ok := seqInt(b.Elems[2].Lit())
		if !ok {
			return nil
		}
		if step < 0 {
			step = -step
		}
		s.step = max(step, 1)
	}
	if n := uint64(max(s.from, s.to)-min(s.from, s.to)) / uint64(s.step); n > math.MaxInt32-2 {
		return nil // Bash: as it is, where it would be too long
	}
	return s
}

func seqInt(s string) (int64, bool) {
	t := strings.TrimPrefix(s, "+")
	neg := strings.HasPrefix(t, "-")
	digits := strings.TrimLeft(strings.TrimPrefix(t, "-"), "0")
	if digits == "" && t != "" && t != "-" {
		return 0, true
	}
	n, ok := plainInt(digits)
	if neg {
		n = -n
	}
	return n, ok && n != minSeq
}

const minSeq = -1 << 63

func padded(s string) bool {
	s = strings.TrimLeft(s, "+-")
	return len(s) > 1 && s[0] == '0'
}

// text returns the text of the number n.
func (s *sequence) text(n int64) string {
	if s.chars {
		return string([]byte{byte(n)})
	}
	t := itoa(n)
	if pad := s.width - len(t); pad > 0 {
		sign := ""
		if n < 0 {
			sign, t = "-", t[1:]
		}
		t = sign + strings.Repeat("0", pad) + t
	}
	return t
}

// A braceGenerator makes the words of a brace expansion one by one.
type braceGenerator struct {
	sh     *Shell
	dst    []string
	held   int
	source *compiler // where the words are put together as source, and compiled then
}

// expand calls then with each way to choose from pieces, after the parts chosen
// before.
func (g *braceGenerator) expand(pieces []piece, chosen []*piece, then func([]*piece)) {
	for i := range pieces {
		p := &pieces[i]
		switch {
		case g.sh.pending != ctlNone:
			return
		case p.seq != nil:
			g.sequence(p.seq, pieces[i+1:], chosen, then)
			return
		case p.choices != nil:
			for _, c := range p.choices {
				g.expand(c, chosen, func(list []*piece) {
					g.expand(pieces[i+1:], list, then)
				})
				if g.sh.pending != ctlNone {
					return
				}
			}
			return
		}
		chosen = append(chosen[:len(chosen):len(chosen)], p)
	}
	then(chosen)
}

func (g *braceGenerator) sequence(s *sequence, rest []piece, chosen []*piece, then func([]*piece)) {
	if len(rest) == 0 && len(chosen) == 0 && g.simple(s, then) {
		return
	}
	chosen = chosen[:len(chosen):len(chosen)]
	s.each(func(n int64) bool {
		text := s.text(n)
		raw := text
		if s.chars && !isNameByte(text[0]) {
			raw = `\` + text
		}
		if text == `\` { // Bash: it quotes what comes next
			text, raw = "", `""`
		}
		g.expand(rest, append(chosen, &piece{emit: func(sh *Shell, b *builder) { b.quote(text) }, raw: raw}), then)
		return g.sh.pending == ctlNone
	})
}

// simple generates a word that is a sequence and nothing else.
func (g *braceGenerator) simple(s *sequence, _ func([]*piece)) bool {
	if s.chars {
		return false
	}
	s.each(func(n int64) bool {
		g.dst = append(g.dst, s.text(n))
		return g.charge(24)
	})
	return true
}

// each calls do with the numbers of a sequence until it returns false.
func (s *sequence) each(do func(n int64) bool) {
	if s.from <= s.to {
		for n := s.from; n <= s.to && do(n); n += s.step {
			if n > s.to-s.step {
				return
			}
		}
		return
	}
	for n := s.from; n >= s.to && do(n); n -= s.step {
		if n < s.to+s.step {
			return
		}
	}
}

// charge charges a word of n bytes.
func (g *braceGenerator) charge(n int) bool {
	g.held += n
	return g.sh.hold(n) && g.sh.step(1) == nil
}

// word makes one word of the parts chosen.
func (g *braceGenerator) word(list []*piece) {
	if g.backquoted(list) {
		return
	}
	before := len(g.dst)
	if g.source != nil && g.compiled(list) {
		if g.sh.pending != ctlNone {
			return
		}
	} else {
		b := builder{dst: g.dst}
		for _, p := range list {
			p.emit(g.sh, &b)
			if g.sh.pending != ctlNone {
				return
			}
		}
		b.finish(g.sh)
		g.dst = b.dst
	}
	n := 16
	for _, s := range g.dst[before:] {
		n += len(s)
	}
	g.charge(n)
}

// backquoted reports a backquote that a sequence of characters has made and that is
// followed by something: bash takes it for the beginning of a substitution.
func (g *braceGenerator) backquoted(list []*piece) bool {
	for i, p := range list {
		if p.part != nil || p.raw != "\\`" || i+1 == len(list) {
			continue
		}
		rest := "`"
		for _, q := range list[i+1:] {
			rest += q.raw
		}
		if rest == "`" {
			return false
		}
		g.sh.fail("bad substitution: no closing \"`\" in %s", rest)
		return true
	}
	return false
}

// compiled makes one word of the sources of the parts chosen, and reports whether
// they are one.
func (g *braceGenerator) compiled(list []*piece) bool {
	var src strings.Builder
	for _, p := range list {
		src.WriteString(p.raw)
	}
	w := parseWord(src.String())
	if w == nil {
		return false
	}
	c := g.source.within(src.String())
	c.names = g.sh.names // which may be on top of those that the word was compiled with
	words := c.splitField(c.emitters(w.Parts, 0))
	g.sh.grow()
	g.dst = words(g.sh, g.dst)
	return true
}
