package scan

// The grammar of parse.y, as recursive descent. Each function takes the tokens
// of one rule and fails at the first that cannot continue it, which is where
// bash's own parser stops.

// simpleList reads a complete command: pipelines up to the end of a line.
func (s *Scanner) simpleList() {
	for {
		s.pipelineCommand()
		t := s.peek()
		switch t.kind {
		case andAnd, orOr:
			s.take()
			s.newlines()
			continue
		case semi, and:
			s.take()
			if t = s.peek(); t.kind.startsCommand() {
				continue
			}
		}
		switch t.kind {
		case newline:
			s.take()
		case eof:
		default:
			s.unexpectedBehind(t)
		}
		return
	}
}

// compoundList reads the list within a compound command, and stops in front
// of the token that cannot continue it.
func (s *Scanner) compoundList() {
	s.enter()
	defer s.leave()
	s.newlines()
	for {
		s.pipelineCommand()
		switch s.peek().kind {
		case andAnd, orOr:
			s.take()
			s.newlines()
			continue
		case semi, and, newline:
			s.take()
			s.newlines()
			if s.peek().kind.startsCommand() {
				continue
			}
		}
		return
	}
}

func (s *Scanner) newlines() {
	for s.peek().kind == newline {
		s.take()
	}
}

// pipelineCommand reads a pipeline with ! and time in front.
func (s *Scanner) pipelineCommand() {
	var bangs []token
	start, timed, after := s.peek().start, false, false
	for {
		t := s.peek()
		switch t.kind {
		case bang:
			s.take()
			bangs = append(bangs, t)
			after = after || timed
			if s.peek().kind == lparen && s.src[t.end] == '(' {
				s.site(BangParen, t.end, t.end)
			}
		case kwTime:
			s.take()
			timed = true
			if s.peek().kind == timeOpt {
				s.take()
			}
			if t := s.peek(); t.kind == timeIgnore {
				s.take()
				s.site(TimeIgnore, t.start, t.end)
			}
		case newline, semi, eof:
			if len(bangs) == 0 && !timed {
				s.unexpected(t)
			}
			if !timed {
				s.site(BangAlone, bangs[len(bangs)-1].end, bangs[len(bangs)-1].end)
			}
			s.oneBang(start, bangs, after)
			return
		default:
			s.oneBang(start, bangs, after)
			s.pipeline()
			return
		}
	}
}

// oneBang replaces several ! in front of a pipeline, which cancel each other,
// and one after time, by at most one at the start.
func (s *Scanner) oneBang(start int, bangs []token, afterTime bool) {
	if len(bangs) < 2 && !afterTime {
		return
	}
	for _, t := range bangs {
		s.site(Bang, t.start, t.end)
	}
	if len(bangs)%2 == 1 {
		s.site(BangInsert, start, start)
	}
}

func (s *Scanner) pipeline() {
	s.command()
	for k := s.peek().kind; k == or || k == orAnd; k = s.peek().kind {
		s.take()
		s.newlines()
		s.command()
	}
}

func (s *Scanner) command() {
	t := s.peek()
	switch {
	case t.kind.startsShellCommand():
		s.shellCommand()
		s.redirections()
	case t.kind == kwFunction:
		s.functionCommand()
	case t.kind == kwCoproc:
		s.coproc()
	case t.kind == word || t.kind == assignment || t.kind.isRedirect():
		s.simpleCommand()
	default:
		s.unexpected(t)
	}
}

// simpleCommand reads words, assignments and redirections, or a function that
// is defined without the word function.
func (s *Scanner) simpleCommand() {
	first, words, redirected := s.peek(), 0, false
	var assigned []token
	var declaration token
	for {
		t := s.peek()
		switch {
		case t.kind == assignment && words == 0:
			s.take()
			assigned = append(assigned, t)
		case t.kind == word || t.kind == assignment:
			s.take()
			if words == 0 && s.redirList && reserved(t.text) != none {
				s.site(PlainWord, t.start, t.end)
			}
			s.redirList = false
			words++
			if words == 1 && s.declares {
				declaration = t
			}
			if declaration.end > 0 && redirected {
				s.site(PlainWord, declaration.start, declaration.end)
				declaration = token{}
			}
			if words == 1 && t.start == first.start && s.peek().kind == lparen {
				s.take()
				s.expect(rparen)
				s.site(FuncName, t.start, t.end)
				s.functionBody()
				return
			}
		case t.kind.isRedirect():
			s.redirection()
			s.redirList = words == 0
			redirected = true
		default:
			s.redirList = false
			if words > 0 {
				for _, a := range assigned {
					s.site(EnvAssign, a.start, a.end)
				}
			}
			return
		}
	}
}

func (s *Scanner) redirections() {
	for s.peek().kind.isRedirect() {
		s.redirection()
	}
}

func (s *Scanner) redirection() {
	if k := s.peek().kind; k == number || k == redirWord {
		s.take()
	}
	op := s.take()
	switch op.kind {
	case lessAnd, greatAnd:
		if k := s.peek().kind; k == number || k == dash {
			s.take()
			return
		}
	case lessLess, lessLessDash:
		if t := s.peek(); t.kind == word {
			s.take()
			s.addHeredoc(op, t)
			return
		}
	}
	s.expect(word)
}

func (s *Scanner) shellCommand() {
	s.enter()
	defer s.leave()
	t := s.take()
	switch t.kind {
	case lparen:
		s.compoundList()
		s.expect(rparen)
	case lbrace:
		s.compoundList()
		s.expect(rbrace)
	case kwIf:
		s.ifCommand()
	case kwWhile, kwUntil:
		s.compoundList()
		s.expect(kwDo)
		s.compoundList()
		s.expect(kwDone)
	case kwFor, kwSelect:
		s.forCommand(t.kind == kwSelect)
	case kwCase:
		s.caseCommand()
	case condStart:
		s.condCommand(t)
	case arithCommand:
	}
}

func (s *Scanner) ifCommand() {
	s.compoundList()
	s.expect(kwThen)
	for {
		s.compoundList()
		switch t := s.take(); t.kind {
		case kwElif:
			s.compoundList()
			s.expect(kwThen)
			continue
		case kwElse:
			s.compoundList()
			s.expect(kwFi)
		case kwFi:
		default:
			s.unexpected(t)
		}
		return
	}
}

func (s *Scanner) forCommand(choice bool) {
	name := s.take()
	switch name.kind {
	case arithFor:
		if k := s.peek().kind; k == semi || k == newline {
			s.take()
			s.newlines()
		}
		s.loopBody(false)
		return
	case word:
		s.site(LoopName, name.start, name.end)
	default:
		s.unexpected(name)
	}
	if s.peek().kind == semi {
		s.take()
		s.newlines()
		s.loopBody(choice)
		return
	}
	s.newlines()
	if s.peek().kind == lbrace {
		s.site(LoopEnd, name.end, name.end)
	}
	if s.peek().kind == kwIn {
		s.take()
		for s.peek().kind == word {
			s.take()
		}
		if t := s.take(); t.kind != semi && t.kind != newline {
			s.unexpected(t)
		}
		s.newlines()
	}
	s.loopBody(choice)
}

// loopBody reads do … done or { … }, of select where choice is set.
func (s *Scanner) loopBody(choice bool) {
	switch t := s.take(); t.kind {
	case kwDo:
		s.compoundList()
		s.expect(kwDone)
	case lbrace:
		s.compoundList()
		end := s.expect(rbrace)
		if choice {
			s.site(SelectBrace, t.start, t.end)
			s.site(SelectBrace, end.start, end.end)
		}
	default:
		s.unexpected(t)
	}
}

func (s *Scanner) caseCommand() {
	s.expect(word)
	s.newlines()
	s.expect(kwIn)
	for {
		s.newlines()
		if s.peek().kind == kwEsac {
			s.take()
			return
		}
		s.casePatterns()
		s.newlines()
		if s.peek().kind.startsCommand() {
			s.compoundList()
		}
		switch t := s.take(); t.kind {
		case semiSemi, semiAnd, semiSemiAnd:
		case kwEsac:
			return
		default:
			s.unexpected(t)
		}
	}
}

func (s *Scanner) casePatterns() {
	if s.peek().kind == lparen {
		s.take()
	}
	s.expect(word)
	for {
		switch t := s.take(); t.kind {
		case rparen:
			return
		case or:
			s.expect(word)
		default:
			s.unexpected(t)
		}
	}
}
