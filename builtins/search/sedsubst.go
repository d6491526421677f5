package search

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/regex"
)

// A substitution is the s command.
type substitution struct {
	regex   *sedRegex
	parts   []replacement
	literal bool // parts is one text
	groups  int  // the greatest group that parts refers to
	global  bool
	print   bool
	nth     int // the first match to replace
	out     *sedOutput
	file    string // of out
}

// A replacement is a piece of what is put in the place of a match.
type replacement struct {
	text  []byte
	group int // of which the text is put in; -1 for text
	mode  caseMode
}

// A caseMode is a change of case that begins with a piece.
type caseMode uint8

const (
	caseSame     caseMode = iota // as before
	caseUpper                    // \U
	caseLower                    // \L
	caseEnd                      // \E
	caseUpperOne                 // \u
	caseLowerOne                 // \l
)

// substitution compiles the s command.
func (p *sedParser) substitution(c *sedCommand) error {
	delim := p.next()
	pattern, with, ok := "", "", delim != eof && delim != '\n'
	if ok {
		pattern, ok = p.delimited(delim, true)
	}
	if ok {
		with, ok = p.delimited(delim, false)
	}
	if !ok {
		return p.bad("unterminated `s' command")
	}
	s := &substitution{}
	s.compile(with, !p.posix)
	ignoreCase, multiline, err := p.substitutionFlags(s)
	if err != nil {
		return err
	}
	if s.regex, err = p.regex(pattern, ignoreCase, multiline); err != nil {
		return err
	}
	if m := s.regex.matcher; m != nil && s.groups > m.Regexp().Groups() {
		return p.bad("invalid reference \\%d on `s' command's RHS", s.groups)
	}
	c.subst = s
	return nil
}

// substitutionFlags compiles the flags of the s command.
func (p *sedParser) substitutionFlags(s *substitution) (ignoreCase, multiline bool, err error) {
	for {
		ch := p.next()
		switch {
		case p.posix && (ch == 'i' || ch == 'I' || ch == 'm' || ch == 'M' || ch == 'e'):
			return false, false, p.bad("unknown option to `s'")
		case ch == 'i' || ch == 'I':
			ignoreCase = true
		case ch == 'm' || ch == 'M':
			multiline = true
		case ch == 'e':
			return false, false, p.bad("e/r/w commands disabled in sandbox mode")
		case ch == 'p' && s.print:
			return false, false, p.bad("multiple `p' options to `s' command")
		case ch == 'p':
			s.print = true
		case ch == 'g' && s.global:
			return false, false, p.bad("multiple `g' options to `s' command")
		case ch == 'g':
			s.global = true
		case ch == 'w':
			if p.sandbox {
				return false, false, p.bad("e/r/w commands disabled in sandbox mode")
			}
			name, err := p.fileName()
			if err == nil {
				s.file = name
				s.out, err = p.output(name)
			}
			return ignoreCase, multiline, err
		case isDigit(ch) && s.nth > 0:
			return false, false, p.bad("multiple number options to `s' command")
		case isDigit(ch):
			if s.nth = int(p.integer(ch)); s.nth == 0 {
				return false, false, p.bad("number option to `s' command may not be zero")
			}
		case ch == '}' || ch == '#':
			p.unread(ch)
			return ignoreCase, multiline, nil
		case ch == eof || ch == '\n' || ch == ';':
			return ignoreCase, multiline, nil
		case isSpace(ch):
		default:
			return false, false, p.bad("unknown option to `s'")
		}
	}
}

// compile splits the replacement into pieces. Cases says that letters such as \U change the case.
func (s *substitution) compile(with string, cases bool) {
	piece := replacement{group: -1}
	flush := func() {
		if len(piece.text) > 0 || piece.mode != caseSame {
			s.parts = append(s.parts, piece)
			piece = replacement{group: -1}
		}
	}
	group := func(n int) {
		flush()
		s.parts = append(s.parts, replacement{group: n})
		s.groups = max(s.groups, n)
	}
	modes := map[byte]caseMode{'U': caseUpper, 'L': caseLower, 'E': caseEnd, 'u': caseUpperOne, 'l': caseLowerOne}
	for i := 0; i < len(with); i++ {
		switch {
		case with[i] == '&':
			group(0)
		case with[i] != '\\' || i+1 == len(with):
			piece.text = append(piece.text, with[i])
		default:
			i++
			if isDigit(int(with[i])) {
				group(int(with[i] - '0'))
			} else if mode, ok := modes[with[i]]; ok && cases {
				flush()
				piece.mode = mode
				flush()
			} else if c, n := escape(with[i:]); n > 0 {
				piece.text = append(piece.text, c)
				i += n - 1
			} else {
				piece.text = append(piece.text, with[i])
			}
		}
	}
	flush()
	s.literal = len(s.parts) == 0 || len(s.parts) == 1 && s.parts[0].group < 0 && s.parts[0].mode == caseSame
}

// substitute runs the s command, and reports whether it replaced something.
func (s *sed) substitute(c *substitution) (replaced bool, err error) {
	re, err := s.recall(c.regex)
	if err != nil {
		return false, err
	}
	if c.groups > re.matcher.Regexp().Groups() {
		return false, s.runtimeError("invalid reference \\" + string(rune('0'+c.groups)) + " on `s' command's RHS")
	}
	text, copied, last := s.space.b, 0, -1
	s.scratch.reset()
	for from, count := 0, 0; from <= len(text); {
		loc := find(re.matcher, text, from, c.groups > 0)
		if loc == nil {
			break
		}
		if s.trace != nil && last < 0 && from == 0 {
			s.trace.registers(text, re.matcher.Submatches(text, 0))
			loc = find(re.matcher, text, from, c.groups > 0)
		}
		begin, end := loc[0], loc[1]
		from = end
		if begin == end {
			from += charLen(text[end:])
		}
		if begin == end && begin == last {
			continue // nothing, where the last match ended
		}
		last = end
		if count++; count < c.nth {
			continue
		}
		replaced = true
		if err := s.scratch.add(text[copied:begin]); err != nil {
			return false, err
		}
		if err := s.replace(c, text, loc); err != nil {
			return false, err
		}
		copied = end
		if !c.global {
			break
		}
		if err := s.Poll(1); err != nil {
			return false, err
		}
	}
	if err := re.matcher.Err(); err != nil || !replaced {
		return false, err
	}
	if err := s.scratch.add(text[copied:]); err != nil {
		return false, err
	}
	s.space.buffer, s.scratch = s.scratch, s.space.buffer
	return true, nil
}

// charLen returns the length of the character at the start of b; 1 where there
// is none.
func charLen(b []byte) int {
	if len(b) == 0 || b[0] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRune(b)
	return n
}

// replace adds the replacement of a match to the scratch buffer.
func (s *sed) replace(c *substitution, text []byte, loc []int) error {
	if c.literal {
		if len(c.parts) == 0 {
			return nil
		}
		return s.scratch.add(c.parts[0].text)
	}
	var mode, one caseMode
	for i := range c.parts {
		p := &c.parts[i]
		switch p.mode {
		case caseUpper, caseLower:
			mode = p.mode
		case caseEnd:
			mode, one = caseSame, caseSame
		case caseUpperOne, caseLowerOne:
			one = p.mode
		}
		piece := p.text
		if p.group >= 0 && loc[2*p.group] >= 0 {
			piece = text[loc[2*p.group]:loc[2*p.group+1]]
		}
		if len(piece) == 0 {
			continue
		}
		var err error
		if mode == caseSame && one == caseSame {
			err = s.scratch.add(piece)
		} else {
			err = s.addCased(piece, mode, one)
		}
		if err != nil {
			return err
		}
		one = caseSame
	}
	return nil
}

// addCased adds text with its first character in the case one and the others in
// the case mode.
func (s *sed) addCased(text []byte, mode, one caseMode) error {
	var room [utf8.UTFMax]byte
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		m := mode
		if one != caseSame {
			m, one = one, caseSame
		}
		char := text[:n]
		if r != utf8.RuneError || n > 1 {
			switch m {
			case caseUpper, caseUpperOne:
				char = utf8.AppendRune(room[:0], unicode.ToUpper(r))
			case caseLower, caseLowerOne:
				char = utf8.AppendRune(room[:0], unicode.ToLower(r))
			}
		}
		if err := s.scratch.add(char); err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// A transliteration is the y command.
type transliteration struct {
	bytes    [256]byte
	from, to string
	wide     map[rune]rune // nil if all characters are single bytes
}

func (p *sedParser) transliteration(c *sedCommand) error {
	delim := p.next()
	from, ok := "", delim != eof
	var to string
	if ok {
		from, ok = p.delimited(delim, false)
	}
	if ok {
		to, ok = p.delimited(delim, false)
	}
	if !ok {
		return p.bad("unterminated `y' command")
	}
	bytesOnly := localeFlags(p.Call)&regex.Bytes != 0
	a, b := characters(plainText(from), bytesOnly), characters(plainText(to), bytesOnly)
	if len(a) != len(b) {
		return p.bad("strings for `y' command are different lengths")
	}
	t := &transliteration{from: strings.Join(a, ""), to: strings.Join(b, "")}
	for i := range t.bytes {
		t.bytes[i] = byte(i)
	}
	for i := len(a) - 1; i >= 0; i-- {
		if len(a[i]) == 1 && len(b[i]) == 1 {
			t.bytes[a[i][0]] = b[i][0]
			continue
		}
		if t.wide == nil {
			t.wide = make(map[rune]rune)
		}
		x, _ := utf8.DecodeRuneInString(a[i])
		y, _ := utf8.DecodeRuneInString(b[i])
		t.wide[x] = y
	}
	c.table = t
	return p.endOfCommand()
}

// characters splits s into characters.
func characters(s string, bytesOnly bool) []string {
	var list []string
	for len(s) > 0 {
		n := 1
		if !bytesOnly {
			_, n = utf8.DecodeRuneInString(s)
		}
		list = append(list, s[:n])
		s = s[n:]
	}
	return list
}

func (s *sed) transliterate(t *transliteration) error {
	text := s.space.b
	if t.wide == nil || bytes.IndexFunc(text, func(r rune) bool { _, ok := t.wide[r]; return ok }) < 0 {
		for i, c := range text {
			text[i] = t.bytes[c]
		}
		return s.Poll(len(text) >> 8)
	}
	s.scratch.reset()
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		char := text[:n]
		if to, ok := t.wide[r]; ok {
			char = utf8.AppendRune(nil, to)
		} else if n == 1 {
			char = []byte{t.bytes[text[0]]}
		}
		if err := s.scratch.add(char); err != nil {
			return err
		}
		text = text[n:]
	}
	s.space.buffer, s.scratch = s.scratch, s.space.buffer
	return nil
}

// find returns the bounds of a match and, if groups is set, of its groups.
func find(m *regex.Matcher, text []byte, from int, groups bool) []int {
	if groups {
		return m.Submatches(text, from)
	}
	return m.Bounds(text, from)
}
