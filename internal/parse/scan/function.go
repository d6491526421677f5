package scan

// Functions and coprocesses: commands that have a command as their body.

func (s *Scanner) functionCommand() {
	s.take()
	name := s.expect(word)
	s.site(FuncName, name.start, name.end)
	if t := s.peek(); t.kind == lparen {
		s.take()
		if s.peek().kind != rparen { // the body is a subshell
			s.site(FuncParens, name.end, name.end)
			s.compoundList()
			s.expect(rparen)
			s.redirections()
			s.chained(t)
			return
		}
		s.take()
	}
	s.functionBody()
}

func (s *Scanner) functionBody() {
	s.newlines()
	t := s.peek()
	if !t.kind.startsShellCommand() {
		s.unexpected(t)
	}
	s.shellCommand()
	s.redirections()
	s.chained(t)
}

// chained notes that a command which began at t is followed by an operator.
func (s *Scanner) chained(t token) {
	switch s.peek().kind {
	case or, orAnd, andAnd, orOr:
		s.site(Chained, t.start, t.end)
	}
}

func (s *Scanner) coproc() {
	defer s.chained(s.take())
	t := s.peek()
	switch {
	case t.kind.startsShellCommand():
	case t.kind == word:
		s.take()
		if !s.peek().kind.startsShellCommand() {
			s.site(Chained, t.start, t.end)
			s.coprocArguments()
			return
		}
	case t.kind == assignment || t.kind.isRedirect():
		s.simpleCommand()
		return
	default:
		s.unexpected(t)
	}
	s.shellCommand()
	s.redirections()
}

// coprocArguments reads what follows the command word of a coprocess.
func (s *Scanner) coprocArguments() {
	for {
		t := s.peek()
		switch {
		case t.kind == word || t.kind == assignment:
			s.take()
		case t.kind.isRedirect():
			s.redirection()
		default:
			return
		}
	}
}
