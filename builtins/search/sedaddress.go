package search

// An addressKind is a way to select lines.
type addressKind uint8

const (
	addressNone addressKind = iota
	addressLine
	addressStep // first~step
	addressLast
	addressRegex
	addressPlus     // addr,+N
	addressMultiple // addr,~N
)

// A sedAddress selects lines.
type sedAddress struct {
	kind  addressKind
	n     int64
	step  int64
	regex *sedRegex
}

// A rangeState says where in a range of lines a command is.
type rangeState uint8

const (
	rangeIdle rangeState = iota
	rangeActive
	rangeClosed // it does not begin again
)

// addresses compiles the addresses of a command, of which ch has been read, and
// returns the character after them.
func (p *sedParser) addresses(c *sedCommand, ch int) (int, error) {
	ok, err := p.address(&c.from, ch)
	if err != nil || !ok {
		return ch, err
	}
	if c.from.kind == addressPlus || c.from.kind == addressMultiple {
		return 0, p.bad("invalid usage of +N or ~N as first address")
	}
	ch = p.nextNonblank()
	if ch == ',' {
		ok, err := p.address(&c.to, p.nextNonblank())
		if err != nil {
			return 0, err
		}
		if !ok {
			return 0, p.bad("unexpected `,'")
		}
		c.ranged = true
		ch = p.nextNonblank()
	}
	if c.from.kind == addressLine && c.from.n == 0 {
		if c.to.kind != addressRegex || p.posix {
			return 0, p.bad("invalid usage of line address 0")
		}
		c.state = rangeActive
	}
	return ch, nil
}

// address compiles one address, if ch begins one.
func (p *sedParser) address(a *sedAddress, ch int) (bool, error) {
	switch {
	case ch == '/' || ch == '\\':
		if ch == '\\' {
			ch = p.next()
		}
		return true, p.regexAddress(a, ch)
	case isDigit(ch):
		a.kind, a.n = addressLine, p.integer(ch)
		if ch = p.nextNonblank(); ch != '~' || p.posix {
			p.unread(ch)
			return true, nil
		}
		if a.step = p.integer(p.nextNonblank()); a.step > 0 {
			a.kind = addressStep
		}
	case (ch == '+' || ch == '~') && !p.posix:
		a.kind = addressPlus
		if ch == '~' {
			a.kind = addressMultiple
		}
		a.n = p.integer(p.nextNonblank())
	case ch == '$':
		a.kind = addressLast
	default:
		return false, nil
	}
	return true, nil
}

func (p *sedParser) regexAddress(a *sedAddress, delim int) error {
	text, ok := p.delimited(delim, true)
	if !ok {
		return p.bad("unterminated address regex")
	}
	var ignoreCase, multiline bool
	for {
		switch ch := p.nextNonblank(); {
		case ch == 'I' && !p.posix:
			ignoreCase = true
		case ch == 'M' && !p.posix:
			multiline = true
		default:
			p.unread(ch)
			re, err := p.regex(text, ignoreCase, multiline)
			a.kind, a.regex = addressRegex, re
			return err
		}
	}
}

// selects reports whether the command is for the current line.
func (s *sed) selects(c *sedCommand) (bool, error) {
	if c.from.kind == addressNone {
		return !c.negate, nil
	}
	ok, err := s.inRange(c)
	return ok != c.negate, err
}

func (s *sed) inRange(c *sedCommand) (bool, error) {
	if !c.ranged {
		return s.matches(&c.from)
	}
	if c.state != rangeActive {
		return s.begins(c)
	}
	switch c.to.kind {
	case addressLine, addressPlus, addressMultiple:
		if s.line >= c.end {
			c.leave()
		}
		// A line behind the end is the last one of a range that is so many
		// lines long, where N or n has read the end itself.
		return s.line <= c.end || c.to.kind != addressLine, nil
	}
	done, err := s.matches(&c.to)
	if done {
		c.leave()
	}
	return true, err
}

// leave ends a range. One that begins at a line of a number does not begin again.
func (c *sedCommand) leave() {
	c.state = rangeIdle
	if c.from.kind == addressLine {
		c.state = rangeClosed
	}
}

// begins reports whether a range begins. One that begins at a line of a number
// does so behind it too, where nothing has looked at that line.
func (s *sed) begins(c *sedCommand) (bool, error) {
	if c.from.kind == addressLine {
		if c.state == rangeClosed || s.line < c.from.n {
			return false, nil
		}
		if c.to.kind == addressLine && s.line > c.to.n && s.line != c.from.n {
			return false, nil
		}
	} else if ok, err := s.matches(&c.from); err != nil || !ok {
		return false, err
	}
	c.state = rangeActive
	switch c.to.kind {
	case addressLine:
		c.end = c.to.n
	case addressPlus:
		c.end = s.line + c.to.n
	case addressMultiple:
		c.end = s.line
		if n := c.to.n; n > 0 {
			c.end = (s.line/n + 1) * n // beyond a line that is a multiple itself, whatever the manual says
		}
	default:
		return true, nil
	}
	if s.line >= c.end {
		c.leave()
	}
	return true, nil
}

func (s *sed) matches(a *sedAddress) (bool, error) {
	switch a.kind {
	case addressLine:
		return s.line == a.n, nil
	case addressStep:
		return s.line >= a.n && (s.line-a.n)%a.step == 0, nil
	case addressLast:
		return s.atEnd()
	}
	re, err := s.recall(a.regex)
	if err != nil {
		return false, err
	}
	ok := re.matcher.Match(s.space.b)
	return ok, re.matcher.Err()
}

// resetRanges makes all ranges begin anew, for another file.
func (s *sed) resetRanges() {
	for i := range s.script {
		c := &s.script[i]
		c.state = rangeIdle
		if c.ranged && c.from.kind == addressLine && c.from.n == 0 {
			c.state = rangeActive
		}
	}
}
