package scan

// An expansion is the text of an alias that is being read.
type expansion struct {
	name  string
	end   int  // where the text ends
	blank bool // the value ends in a blank: the next word is expanded too
}

// InAlias reports whether the text of an alias goes on after the command that
// Next has returned.
func (s *Scanner) InAlias() bool {
	s.endAliases()
	return len(s.active) > 0
}

// LeaveAliases forgets the aliases whose text is being read.
func (s *Scanner) LeaveAliases() { s.active = s.active[:0] }

// endAliases forgets the aliases whose text has been read.
func (s *Scanner) endAliases() {
	for n := len(s.active); n > 0 && s.active[n-1].end <= s.pos; n-- {
		s.aliasNext = s.active[n-1].blank
		s.active = s.active[:n-1]
	}
}

// expandAlias puts the value of the alias t in its place and moves back to
// its start. It returns false when t is not an alias.
func (s *Scanner) expandAlias(t *token) bool {
	if s.Alias == nil || t.quoted || t.dollar || s.compound || s.condExpr || s.casePattern ||
		!s.aliasNext && !s.commandPosition() {
		return false
	}
	for _, a := range s.active {
		if a.name == t.text {
			s.aliasNext = false
			return false
		}
	}
	value, ok := s.Alias(t.text)
	if !ok {
		s.aliasNext = false
		return false
	}
	blank := value != "" && isBlank(value[len(value)-1])
	if value == "" || !isBlank(value[len(value)-1]) && value[len(value)-1] != '\n' && !isMeta(value[len(value)-1]) {
		value += " "
	}
	grown := len(value) - (t.end - t.start)
	if s.Limit > 0 && len(s.src)+grown > s.Limit {
		panic(bail{ErrTooLong})
	}
	s.again(len(s.src))
	s.src = s.src[:t.start] + value + s.src[t.end:]
	for i := range s.active {
		s.active[i].end += grown
	}
	s.active = append(s.active, expansion{t.text, t.start + len(value), blank})
	s.pos = t.start
	return true
}

// setAside takes the rest of the text of aliases, and of the line on which the first
// of them stands, out of the source: bodies of here-documents are read from behind
// it.
func (s *Scanner) setAside() string {
	if len(s.active) == 0 || s.active[0].end <= s.pos {
		return ""
	}
	end := s.active[0].end
	for c := s.at(end); c != 0 && c != '\n'; c = s.at(end) {
		end++
	}
	if s.at(end) == '\n' {
		end++
	}
	rest := s.src[s.pos:end]
	s.src = s.src[:s.pos] + s.src[end:]
	return rest
}

// putBack puts what setAside has taken behind the bodies, which began at start.
func (s *Scanner) putBack(rest string, start int) {
	if rest == "" {
		return
	}
	s.again(len(s.src))
	s.src = s.src[:s.pos] + rest + s.src[s.pos:]
	for i := range s.active {
		s.active[i].end += s.pos - start
	}
}
