package scan

import (
	"fmt"
	"strings"
)

// lex reads a token (read_token in parse.y).
func (s *Scanner) lex() token {
	for {
		s.skipBlanks()
		start := s.pos
		s.endAliases()
		switch c := s.cur(); {
		case c == 0:
			if s.closer == 0 && !s.compound {
				s.readHeredocs()
			}
			return token{kind: eof, start: start, end: start}
		case c == '#' && !s.regexp:
			s.skipComment()
			continue
		case c == '\n':
			return s.lexNewline()
		case isMeta(c) && !s.regexp:
			if t, ok := s.lexOperator(); ok {
				return t
			}
		case c == '-' && (s.last == lessAnd || s.last == greatAnd):
			if s.pos++; !isBreak(s.at(s.pos)) {
				s.site(DashEnd, s.pos, s.pos)
			}
			return token{kind: dash, start: start, end: s.pos, text: "-"}
		}
		if t, ok := s.lexWord(); ok {
			return t
		}
	}
}

func (s *Scanner) skipBlanks() {
	for isBlank(s.cur()) {
		s.pos++
	}
}

func (s *Scanner) skipComment() {
	for s.at(s.pos) != 0 {
		i := strings.IndexByte(s.src[s.pos:], '\n')
		if i >= 0 {
			s.pos += i
			return
		}
		s.pos = len(s.src)
	}
}

func (s *Scanner) lexNewline() token {
	start := s.pos
	s.pos++
	s.readHeredocs()
	s.assignOK, s.aliasNext = false, false
	return token{kind: newline, start: start, end: start + 1, text: "\n"}
}

// operators are tried in order; longer ones come first.
var operators = []struct {
	text string
	kind kind
}{
	{";;&", semiSemiAnd}, {";;", semiSemi}, {";&", semiAnd}, {";", semi},
	{"&&", andAnd}, {"&>>", andGreatGreat}, {"&>", andGreat}, {"&", and},
	{"||", orOr}, {"|&", orAnd}, {"|", or},
	{"<<<", lessLessLess}, {"<<-", lessLessDash}, {"<<", lessLess},
	{"<&", lessAnd}, {"<>", lessGreat}, {"<", less},
	{">>", greatGreat}, {">&", greatAnd}, {">|", greatBar}, {">", great},
	{"(", lparen}, {")", rparen},
}

// lexOperator reads an operator. It returns false, having read nothing, in
// front of <( and >(, which begin words.
func (s *Scanner) lexOperator() (token, bool) {
	start := s.pos
	s.assignOK = false
	c, next := s.cur(), s.following()
	if c == '(' && next == '(' {
		if t, ok := s.lexDoubleParen(); ok {
			return t, true
		}
	}
	if (c == '<' || c == '>') && next == '(' {
		return token{}, false
	}
	t := token{start: start}
	for _, op := range operators {
		if op.text[0] == c && s.got(op.text) {
			t.kind, t.text, t.end = op.kind, op.text, s.pos
			break
		}
	}
	switch t.kind {
	case semiSemi, semiAnd, semiSemiAnd:
		s.casePattern, s.aliasNext = true, false
	case rparen:
		if s.last == lparen && s.before == word {
			s.openBrace = true
		}
		s.casePattern = false
	}
	if t.kind.isRedirect() {
		s.aliasNext = false
	}
	return t, true
}

// got consumes text, which may be divided by escaped newlines.
func (s *Scanner) got(text string) bool {
	i := s.pos
	for n := range len(text) {
		for s.at(i) == '\\' && s.at(i+1) == '\n' {
			i += 2
		}
		if s.at(i) != text[n] {
			return false
		}
		i++
	}
	s.pos = i
	return true
}

// lexDoubleParen reads (( … )) where a command can begin (parse_dparen). It
// returns false, having read nothing, where the parentheses are two tokens.
func (s *Scanner) lexDoubleParen() (token, bool) {
	if s.last != kwFor && !s.reservedAcceptable() {
		return token{}, false
	}
	start := s.pos
	s.advance()
	inner := s.pos
	s.pos++
	mark := len(s.sites)
	s.matched(pair{start: start, open: '(', close: ')', arith: true})
	bodyEnd := s.pos - 1
	if s.cur() == ')' {
		s.pos++
		t := token{kind: arithCommand, start: start, end: s.pos, text: s.text(inner+1, bodyEnd)}
		if s.last == kwFor {
			t.kind = arithFor
			s.site(ArithFor, inner+1, bodyEnd)
			s.checkSections(inner+1, bodyEnd)
		} else {
			s.site(ArithCommand, inner+1, bodyEnd)
		}
		return t, true
	}
	if s.last == kwFor {
		s.end()
	}
	s.again(s.pos - start)
	s.sites = s.sites[:mark]
	s.site(Subshells, inner, inner)
	s.reread = append(s.reread, span{inner, min(s.pos+1, len(s.src))})
	s.pos = start + 1
	return token{kind: lparen, start: start, end: s.pos, text: "("}, true
}

// checkSections refuses for ((…)) without two semicolons.
func (s *Scanner) checkSections(start, end int) {
	semicolons := 0
	for i := range Plain(s.src, start, end, true) {
		if s.src[i] == ';' {
			semicolons++
		}
	}
	text := "syntax error: arithmetic expression required"
	switch {
	case semicolons == 2:
		return
	case semicolons > 2:
		text = "syntax error: `;' unexpected"
	}
	line := s.lineOf(start)
	s.fail(false, Message{line, text}, Message{line, fmt.Sprintf("syntax error: `((%s))'", s.src[start:end])})
}

// reservedAcceptable reports whether a reserved word is recognised next.
func (s *Scanner) reservedAcceptable() bool {
	if s.last == word && (s.before == kwCoproc || s.before == kwFunction) {
		return true
	}
	return s.last.beforeCommand()
}

// commandPosition reports whether the next word can name a command.
func (s *Scanner) commandPosition() bool {
	switch s.last {
	case assignment:
		return true
	case semiSemi, semiAnd, semiSemiAnd:
		return false
	}
	return s.redirList || s.reservedAcceptable()
}

// assignmentAcceptable reports whether the next word can be an assignment.
func (s *Scanner) assignmentAcceptable() bool {
	return s.commandPosition() && !s.casePattern
}

// text returns the source between two offsets without escaped newlines.
func (s *Scanner) text(from, to int) string {
	text := s.src[from:to]
	if strings.Contains(text, "\\\n") {
		text = strings.ReplaceAll(text, "\\\n", "")
	}
	return text
}
