package scan

import (
	"fmt"
	"strings"
)

// A pair is a construct that ends at a matching character.
type pair struct {
	start       int  // where it began, for messages
	open, close byte // equal in quotes
	quoted      bool // within double quotes
	escapes     bool // $'…': a backslash quotes
	firstClose  bool // the opening character does not nest
	braces      bool // ${…}
	arith       bool
	subscript   bool
	comments    bool // # begins a comment, as in a command
}

// matched moves past the end of p (parse_matched_pair in parse.y). The
// current position is after the opening character.
func (s *Scanner) matched(p pair) {
	s.enter()
	defer s.leave()
	count := 1
	for wasDollar := false; ; {
		if !wasDollar {
			s.skipAll(active)
		}
		c := s.at(s.pos)
		switch {
		case c == 0:
			s.failUnmatched(p.start, p.close)
		case c == '\\' && (p.open != '\'' || p.escapes):
			if s.pos++; s.at(s.pos) != 0 {
				s.pos++
			}
			wasDollar = false
			continue
		case c == p.close:
			s.pos++
			if count--; count == 0 {
				return
			}
			wasDollar = false
			continue
		case c == p.open && !p.firstClose:
			if !(wasDollar && p.nests() && c == '(') {
				count++
			}
		}
		if s.nested(p, c, wasDollar) {
			wasDollar = false
			continue
		}
		wasDollar = c == '$' && !wasDollar
		if wasDollar && p.nests() {
			s.joined()
		}
		s.pos++
	}
}

// nests reports whether expansions are read as such within p.
func (p pair) nests() bool {
	return p.open == '"' || p.braces || p.arith || p.subscript
}

// nested reads the construct within p that begins with c, if there is one.
func (s *Scanner) nested(p pair, c byte, wasDollar bool) bool {
	quoted := p.quoted || p.open == '"'
	switch {
	case p.open == '\'':
		return false
	case p.open != p.close && (c == '\'' || c == '"' || c == '`'):
		switch {
		case c == '`':
			s.backquotes(quoted)
		case c == '\'' && s.Posix && p.braces && p.quoted && !quotesPattern(s.src[p.start+2:s.pos]):
			s.site(PlainQuote, s.pos, s.pos+1)
			return false
		case c == '\'' && wasDollar:
			s.pos++
			s.matched(pair{start: s.pos - 1, open: c, close: c, escapes: true})
		default:
			s.pos++
			s.matched(pair{start: s.pos - 1, open: c, close: c, quoted: quoted})
		}
		return true
	case (p.subscript || p.braces) && c == '(' && (s.src[s.pos-1] == '<' || s.src[s.pos-1] == '>'):
		s.pos++
		s.commandSubstitution()
		return true
	case p.open == '"' && c == '`':
		s.backquotes(true)
		return true
	case wasDollar && p.nests() && (c == '(' || !p.arith && (c == '{' || c == '[')):
		s.expansion(s.pos-1, quoted)
		return true
	}
	return false
}

// quotesPattern reports whether quotes mean something in the operand of an
// expansion within double quotes in POSIX mode: they do in patterns.
func quotesPattern(param string) bool {
	i := strings.IndexAny(param[min(1, len(param)):], "#%^,~:-=?+/")
	return i >= 0 && strings.IndexByte("#%^,/", param[i+1]) >= 0
}

// quote reads a quoted string or a command substitution in backquotes.
func (s *Scanner) quote(c byte) {
	if c == '`' {
		s.backquotes(false)
		return
	}
	s.pos++
	s.matched(pair{start: s.pos - 1, open: c, close: c})
}

// backquotes reads `…`, which bash parses only when it runs it.
func (s *Scanner) backquotes(quoted bool) {
	start := s.pos
	s.pos++
	s.matched(pair{start: start, open: '`', close: '`', quoted: quoted})
	kind := Backquotes
	if quoted {
		kind = QuotedBackquotes
	}
	s.site(kind, start+1, s.pos-1)
}

// joined marks escaped newlines behind the current character, within which an
// expansion may begin.
func (s *Scanner) joined() {
	end := s.pos + 1
	for s.at(end) == '\\' && s.at(end+1) == '\n' {
		end += 2
	}
	if end > s.pos+1 {
		s.site(Joined, s.pos+1, end)
	}
}

// dollar reads an expansion, or <(…) and >(…), at the current position. It
// returns false when there is none.
func (s *Scanner) dollar(t *token) bool {
	c, next := s.cur(), s.following()
	s.joined()
	switch {
	case c == '$' && (next == '\'' || next == '"'):
		t.quoted = true
		s.advance()
		s.pos++
		s.matched(pair{start: s.pos - 1, open: next, close: next, escapes: next == '\''})
	case c == '$' && next == '$':
		t.dollar = true
		s.advance()
		s.pos++
	case next == '(' || c == '$' && (next == '{' || next == '['):
		t.dollar = true
		start := s.pos
		s.advance()
		s.expansion(start, false)
	default:
		t.dollar = t.dollar || c == '$'
		return false
	}
	return true
}

// expansion reads what follows a dollar sign (or < or >) at start: the
// current position is at an opening character.
func (s *Scanner) expansion(start int, quoted bool) {
	open := s.at(s.pos)
	opened := s.pos
	s.pos++
	switch open {
	case '{':
		s.matched(pair{start: start, open: '{', close: '}', quoted: quoted, firstClose: true, braces: true})
		s.site(Param, opened-1, s.pos)
	case '[':
		s.matched(pair{start: start, open: '[', close: ']', quoted: quoted, arith: true})
		s.site(ArithBracket, opened+1, s.pos-1)
	default:
		if s.cur() == '(' && s.src[start] == '$' {
			s.arithmetic(start, opened)
			return
		}
		s.substitution(start, opened)
	}
}

// substitution reads $(…), <(…) or >(…), which began at start. Bash expands
// the aliases in $(…) when it runs the commands.
func (s *Scanner) substitution(start, opened int) {
	if s.Alias == nil || s.src[start] != '$' {
		s.commandSubstitution()
		return
	}
	alias, mark, found := s.Alias, len(s.sites), false
	s.Alias = func(name string) (string, bool) {
		_, ok := alias(name)
		found = found || ok
		return "", false
	}
	s.commandSubstitution()
	s.Alias = alias
	if found {
		s.sites = append(s.sites[:mark], Site{Kind: Unparsed, Start: opened + 1, End: s.pos - 1})
	}
}

// arithmetic reads $((…)), or a command substitution that begins with a
// subshell: bash tells them apart by how they end, and only when it expands
// them.
func (s *Scanner) arithmetic(start, opened int) {
	inner := s.pos
	mark := len(s.sites)
	s.matched(pair{start: start, open: '(', close: ')', arith: true})
	end := s.pos - 1
	s.again(end - inner)
	if s.src[end-1] == ')' && balanced(s.src[inner+1:end-1]) {
		s.site(Arith, inner+1, end-1)
		return
	}
	s.sites = s.sites[:mark]
	sites, err := s.commands(opened+1, end)
	switch {
	case err == nil:
		s.site(Subshells, inner, inner)
		s.sites = append(s.sites, sites...)
	case isSyntax(err):
		s.site(Unparsed, opened+1, end)
	default:
		panic(bail{err})
	}
}

// commands returns the sites in a range that holds commands.
func (s *Scanner) commands(start, end int) ([]Site, error) {
	sub := New(s.src[:end], start, 1)
	sub.ExtGlob, sub.Posix, sub.Poll, sub.depth, sub.repeated = s.ExtGlob, s.Posix, s.Poll, s.depth, s.repeated
	err := sub.try(func() {
		sub.enter()
		sub.newlines()
		if sub.peek().kind != eof {
			sub.compoundList()
			sub.expect(eof)
		}
	})
	s.repeated = sub.repeated
	return sub.sites, err
}

func isSyntax(err error) bool {
	_, ok := err.(*Error)
	return ok
}

// balanced reports whether the parentheses of an expression match
// (chk_arithsub in subst.c).
func balanced(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return false
			}
		case '\\':
			i++
		case '\'', '"':
			for i++; i < len(text) && text[i] != c; i++ {
				if c == '"' && text[i] == '\\' {
					i++
				}
			}
		}
	}
	return depth == 0
}

// commandSubstitution reads commands up to a closing parenthesis
// (parse_comsub in parse.y).
func (s *Scanner) commandSubstitution() {
	s.enter()
	defer s.leave()
	outer := s.state
	s.state = state{closer: ')', last: none}
	defer markNested()
	s.newlines()
	if s.peek().kind != rparen {
		s.compoundList()
	}
	s.expect(rparen)
	if n := len(s.heredocs); n > 0 {
		s.warnings = append(s.warnings, Warning{
			Line: s.lineOf(s.pos - 1),
			Text: fmt.Sprintf("command substitution: %d unterminated here-document%s", n, plural(n)),
		})
		outer.heredocs = append(outer.heredocs, s.heredocs...)
	}
	s.state = outer
}

// markNested marks the error that ends a command substitution.
func markNested() {
	v := recover()
	if v == nil {
		return
	}
	if b, ok := v.(bail); ok {
		if e, ok := b.err.(*Error); ok {
			e.nested = !e.Incomplete
		}
	}
	panic(v)
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// compoundAssignment reads (…) after name=.
func (s *Scanner) compoundAssignment() {
	s.enter()
	defer s.leave()
	outer := s.state
	s.state = state{compound: true, last: word, closer: outer.closer}
	missing := false // the closing parenthesis
	defer s.dropLine(&missing)
	open := s.pos
	s.pos++
	for {
		s.peeked = false
		t := s.lex()
		switch t.kind {
		case rparen:
			s.state = outer
			return
		case newline, word, assignment:
			s.last = word
		case eof:
			missing = true
			s.failUnmatched(open, ')')
		default:
			s.unexpected(t)
		}
	}
}

// dropLine amends an error in the list of a compound assignment: bash gives up
// the line and reads on.
func (s *Scanner) dropLine(missing *bool) {
	v := recover()
	if v == nil {
		return
	}
	if b, ok := v.(bail); ok {
		if e, ok := b.err.(*Error); ok && e.Status == 2 && !e.nested {
			e.Status = 1
			e.Unmatched = e.Unmatched && !*missing
			if e.Incomplete && !*missing {
				e.Messages = append(e.Messages, Message{s.lastLine(), "syntax error: unexpected end of file"})
			}
			for s.at(s.pos) != 0 && s.at(s.pos) != '\n' {
				s.pos++
			}
			e.Resume = s.pos
		}
	}
	panic(v)
}
