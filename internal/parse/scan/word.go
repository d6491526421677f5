package scan

import "strings"

// takesAssignments reports whether a command takes name=(…) among its
// arguments, and whether it is part of the grammar elsewhere.
func takesAssignments(command string) (assigns, declares bool) {
	switch command {
	case "declare", "export", "local", "readonly", "typeset":
		return true, true
	case "alias", "eval", "let":
		return true, false
	}
	return false, false
}

// lexWord reads a word (read_token_word in parse.y). It returns false when
// the word was an alias, whose text is to be read instead.
func (s *Scanner) lexWord() (token, bool) {
	t := token{kind: word, start: s.pos}
	s.readWord(&t)
	t.end = s.pos
	t.text = s.text(t.start, t.end)
	next := s.at(s.pos)
	if isDigits(t.text) && (next == '<' || next == '>' || s.last == lessAnd || s.last == greatAnd) {
		t.kind = number
		return t, true
	}
	if s.Posix && s.reserve(&t) {
		return t, true
	}
	if k := s.specialWord(t.text); k != none {
		t.kind = k
		return t, true
	}
	if s.expandAlias(&t) {
		return t, false
	}
	if s.reserve(&t) {
		return t, true
	}
	s.classify(&t, next)
	return t, true
}

// readWord moves to the end of a word.
func (s *Scanner) readWord(t *token) {
	for {
		c := s.cur()
		switch {
		case c == '\\':
			t.quoted = true
			if s.pos++; s.at(s.pos) != 0 {
				s.pos++
			}
		case c == '\'' || c == '"' || c == '`':
			t.quoted = t.quoted || c != '`'
			t.dollar = t.dollar || c == '`'
			s.quote(c)
		case s.regexp && c == '|':
			s.pos++
		case s.regexp && c == '(':
			s.pos++
			s.matched(pair{start: s.pos - 1, open: '(', close: ')'})
		case (s.ExtGlob || s.pattern) && isPatternChar(c) && s.following() == '(':
			s.readExtGlob()
		case c == '$' || c == '<' || c == '>':
			if !s.dollar(t) {
				if c != '$' {
					return
				}
				s.pos++
			}
		case c == '[' && s.atSubscript(t):
			t.bracket = true
			start := s.pos + 1
			s.pos++
			s.matched(pair{start: s.pos - 1, open: '[', close: ']', subscript: true})
			s.site(Subscript, start, s.pos-1)
		case c == '=' && s.following() == '(' && s.atAssignment(t):
			t.compound = true
			s.advance()
			s.compoundAssignment()
		case isBreak(c):
			return
		case c == '=' && s.compound && s.pos > t.start && (t.quoted || t.dollar):
			s.site(ListEqual, s.pos, s.pos+1)
			s.pos++
		default:
			s.pos++
			s.skipAll(special)
		}
	}
}

func isPatternChar(c byte) bool { return c != 0 && strings.IndexByte("?*+@!", c) >= 0 }

// readExtGlob reads @(…) and the like.
func (s *Scanner) readExtGlob() {
	start := s.pos
	s.advance()
	s.pos++
	inner := s.pos
	s.matched(pair{start: start, open: '(', close: ')'})
	if s.pos == inner+1 {
		s.site(EmptyGlob, inner, inner)
	}
	if !s.pattern {
		s.site(ExtGlob, start, s.pos)
	}
}

// atSubscript reports whether the [ at the current position opens the
// subscript of an assignment.
func (s *Scanner) atSubscript(t *token) bool {
	if s.pos == t.start {
		return s.compound
	}
	if t.bracket {
		return false // only the first can
	}
	t.bracket = true
	return s.assignmentAcceptable() && isName(s.text(t.start, s.pos))
}

// atAssignment reports whether the = at the current position, with ( behind
// it, makes the word so far an assignment of a list.
func (s *Scanner) atAssignment(t *token) bool {
	return !t.compound && (s.assignmentAcceptable() || s.assignOK) && isTarget(s.text(t.start, s.pos))
}

// isTarget reports whether text can stand in front of the = of an assignment.
func isTarget(text string) bool {
	n := targetLen(text)
	return n > 0 && (n == len(text) || text[n:] == "+")
}

// assigns reports whether text begins with name=, name+=, name[…]= or
// name[…]+=.
func assigns(text string) bool {
	n := targetLen(text)
	return n > 0 && (strings.HasPrefix(text[n:], "=") || strings.HasPrefix(text[n:], "+="))
}

// targetLen returns the length of the name, with its subscript, at the start of
// text, or 0.
func targetLen(text string) int {
	i := 0
	for i < len(text) && isNameByte(text[i]) {
		i++
	}
	if !isName(text[:i]) {
		return 0
	}
	if i < len(text) && text[i] == '[' {
		i = SubscriptEnd(text, i) + 1
	}
	return i
}

// classify decides what a word that is not reserved is.
func (s *Scanner) classify(t *token, next byte) {
	isAssign := assigns(t.text) || s.compound && strings.HasPrefix(t.text, "[") && strings.Contains(t.text, "]=")
	acceptable := s.assignmentAcceptable() || s.compound
	if !s.casePattern && s.commandPosition() {
		s.assignOK, s.declares = takesAssignments(t.text)
		if t.text == "let" || t.text == "nameref" {
			s.site(PlainWord, t.start, t.end)
		}
	}
	switch {
	case t.compound && s.src[t.end-1] != ')':
		s.site(PlainList, t.start, t.end)
	case s.assignOK && !s.casePattern && !s.commandPosition():
		switch {
		case t.compound && !s.declares:
			s.site(PlainList, t.start, t.end)
		case t.compound:
			s.listElement(t)
		case s.declares && (t.bracket || strings.Contains(t.text, "=") && !isAssign):
			s.site(DeclWord, t.start, t.end)
		}
	}
	if n := len(t.text); n > 2 && t.text[0] == '{' && t.text[n-1] == '}' && (next == '<' || next == '>') && isVariable(t.text[1:n-1]) {
		t.kind = redirWord
		return
	}
	if isAssign && acceptable {
		t.kind = assignment
		if t.compound {
			s.listElement(t)
		}
	}
	if s.last == kwFunction {
		s.openBrace = true
	}
}

// listElement notes that t assigns a list to an element, if it does.
func (s *Scanner) listElement(t *token) {
	if i := strings.IndexByte(t.text, '['); i > 0 && i < strings.IndexByte(t.text, '=') {
		s.site(ListElement, t.start+i, t.start+SubscriptEnd(t.text, i)+1)
	}
}

// isVariable reports whether text is a name, or one with a subscript.
func isVariable(text string) bool {
	name, rest, found := strings.Cut(text, "[")
	return isName(name) && (!found || len(rest) > 1 && strings.HasSuffix(rest, "]"))
}

func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// specialWord returns the kind of a word that the grammar knows by context
// (special_case_tokens in parse.y), or none.
func (s *Scanner) specialWord(text string) kind {
	switch text {
	case "in":
		if s.last == word && (s.before == kwFor || s.before == kwCase || s.before == kwSelect) ||
			s.expectIn > 0 && (s.last == word || s.last == newline) {
			if s.before == kwCase || s.caseWord {
				s.casePattern = true
				s.esacs++
				s.caseWord = false
			}
			s.expectIn = max(s.expectIn-1, 0)
			return kwIn
		}
	case "do":
		if s.expectIn > 0 && (s.last == newline || s.last == semi) ||
			s.last == word && (s.before == kwFor || s.before == kwSelect) {
			s.expectIn = max(s.expectIn-1, 0)
			return kwDo
		}
		if s.last == arithFor {
			return kwDo
		}
	case "esac":
		if s.esacs > 0 && s.last == kwIn {
			s.esacs--
			s.casePattern = false
			return kwEsac
		}
	case "{":
		if s.openBrace || s.last == arithFor {
			s.openBrace = false
			s.braces++
			return lbrace
		}
	case "}":
		if s.braces > 0 && s.reservedAcceptable() && !s.compound {
			s.braces--
			return rbrace
		}
	case "-p":
		if s.last == kwTime {
			return timeOpt
		}
	case "--":
		if s.last == timeOpt || s.last == kwTime {
			return timeIgnore
		}
	case "]]":
		if s.condExpr {
			return condEnd
		}
	}
	s.openBrace = false
	return none
}

// reserve makes t a reserved word where it is one.
func (s *Scanner) reserve(t *token) bool {
	if t.quoted || t.dollar || s.compound || s.condExpr || !s.reservedAcceptable() {
		return false
	}
	k := reserved(t.text)
	switch {
	case k == none:
		return false
	case s.casePattern && (k != kwEsac || s.last == or || s.last == lparen):
		return false
	case k == kwTime && (!s.last.beforeTime() || s.before == or && (s.last == semi || s.last == newline)):
		return false
	}
	switch k {
	case kwEsac:
		s.casePattern = false
		s.esacs--
	case kwCase:
		s.caseWord = true
		s.expectIn++
	case kwFor, kwSelect:
		s.expectIn++
	case lbrace:
		s.braces++
	case rbrace:
		s.braces = max(s.braces-1, 0)
	}
	t.kind = k
	return true
}
