package scan

import (
	"errors"
	"fmt"
	"strings"
)

// ErrTooDeep reports source that nests deeper than a [Scanner] follows.
var ErrTooDeep = errors.New("nesting too deep")

// ErrTooLong reports a command that aliases made longer than [Scanner.Limit].
var ErrTooLong = errors.New("aliases expand to too much text")

// An Error is a syntax error in bash's words.
type Error struct {
	Messages []Message // none for a few mistakes that bash does not report

	// Status is what $? becomes, or [Unchanged].
	Status int

	// Resume is the offset at which bash reads on after it has reported the
	// error, or 0 when it reads no more: a mistake within a=(…) costs the rest
	// of the line, all others the rest of the source.
	Resume int

	// Incomplete says that the source ended too early, so that more of it
	// could mend the error.
	Incomplete bool

	// Unmatched says that a quote, a bracket or a [[ has no end. Bash: a script then ends
	// with the status of its last command where that is not 0.
	Unmatched bool

	nested bool // it is in a command substitution
}

// Unchanged, as the status of an error, leaves the status of the last command:
// bash takes a mistake within [[ ]] for the end of the source.
const Unchanged = -1

// A Message is one line of what bash reports.
type Message struct {
	Line int
	Text string
}

func (e *Error) Error() string {
	var b strings.Builder
	for i, m := range e.Messages {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "line %d: %s", m.Line, m.Text)
	}
	return b.String()
}

// bail ends a scan; [Scanner.Next] recovers it.
type bail struct{ err error }

// fail reports that bash cannot read on.
func (s *Scanner) fail(incomplete bool, messages ...Message) {
	panic(bail{&Error{Messages: messages, Incomplete: incomplete, Status: 2}})
}

// unexpected reports that t cannot stand where it does.
func (s *Scanner) unexpected(t token) {
	if t.kind == eof {
		s.failEOF()
	}
	s.unexpectedAt(t, s.lineOf(max(t.start, t.end-1)))
}

func (s *Scanner) unexpectedAt(t token, line int) {
	if t.kind == newline {
		line = s.lineOf(s.pos - 1) // behind the here-documents
	}
	text := fmt.Sprintf("syntax error near unexpected token `%s'", tokenText(t))
	if t.kind == redirWord { // bash does not know its text
		begin := strings.LastIndexAny(s.src[:t.start], " \n\t;|&") + 1
		text = fmt.Sprintf("syntax error near `%s'", s.src[begin:t.end+1])
	}
	s.fail(false, Message{line, text}, Message{line, s.offending(max(t.start, t.end-1))})
}

// unexpectedBehind reports that t cannot stand behind a list that is complete,
// for which bash has read the here-documents.
func (s *Scanner) unexpectedBehind(t token) {
	if len(s.heredocs) > 0 && t.kind != eof {
		for s.at(s.pos) != 0 && s.at(s.pos) != '\n' {
			s.pos++
		}
		if s.at(s.pos) == '\n' {
			s.pos++
		}
		s.readHeredocs()
		s.unexpectedAt(t, min(s.lineOf(s.pos-1), s.lastLine()-1))
	}
	s.unexpected(t)
}

// end stops reading where bash believes to have reached the end.
func (s *Scanner) end(messages ...Message) {
	e := &Error{Messages: messages, Status: Unchanged}
	if s.closer != 0 {
		e.Status = 1
	}
	panic(bail{e})
}

// failEOF reports the end of the source within a command.
func (s *Scanner) failEOF() {
	if s.closer != 0 {
		s.fail(true, Message{s.lastLine(), unmatched(s.closer)})
	}
	s.fail(true, Message{s.lastLine(), "syntax error: unexpected end of file"})
}

// failUnmatched reports that a construct which began at offset has no end.
func (s *Scanner) failUnmatched(offset int, closer byte) {
	s.failOpen(Message{s.lineOf(offset), unmatched(closer)})
}

// failOpen reports that the source ends within a quote, a bracket or a [[.
func (s *Scanner) failOpen(messages ...Message) {
	panic(bail{&Error{Messages: messages, Incomplete: true, Unmatched: true, Status: 2}})
}

func unmatched(closer byte) string {
	return fmt.Sprintf("unexpected EOF while looking for matching `%c'", closer)
}

// tokenText returns t as bash shows it in messages.
func tokenText(t token) string {
	switch t.kind {
	case newline:
		return "newline"
	}
	for i := range len(t.text) {
		if c := t.text[i]; c < ' ' && c != '\t' && c != '\n' || c == 0x7f {
			return ansiQuote(t.text)
		}
	}
	return t.text
}

// ansiQuote writes text as $'…'.
func ansiQuote(text string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			if i := strings.IndexByte("\a\b\x1b\f\n\r\t\v", c); i >= 0 {
				b.WriteByte('\\')
				b.WriteByte("abEfnrtv"[i])
			} else {
				fmt.Fprintf(&b, "\\%03o", c)
			}
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// A span is a range of the source.
type span struct{ start, end int }

// offending returns the line around offset as bash shows it after a message.
func (s *Scanner) offending(offset int) string {
	offset = min(offset, len(s.src))
	for i := len(s.reread) - 1; i >= 0; i-- {
		if again := s.reread[i]; again.start <= offset && offset < again.end {
			return "`" + strings.TrimSuffix(s.src[again.start:again.end], "\n") + "'"
		}
	}
	begin := strings.LastIndexByte(s.src[:offset], '\n') + 1
	end := len(s.src)
	if i := strings.IndexByte(s.src[offset:], '\n'); i >= 0 {
		end = offset + i
	}
	return "`" + s.src[begin:end] + "'"
}

// lineOf returns the number of the line that holds offset. A newline that bash
// reads twice counts twice.
func (s *Scanner) lineOf(offset int) int {
	offset = max(min(offset, len(s.src)), s.begin)
	line := s.firstLine + strings.Count(s.src[s.begin:offset], "\n")
	for _, again := range s.reread {
		if again.end <= offset && s.src[again.end-1] == '\n' {
			line++
		}
	}
	return line
}

// lastLine returns the number of the line at which bash sees the end.
func (s *Scanner) lastLine() int {
	line := s.lineOf(len(s.src))
	if s.src != "" && s.src[len(s.src)-1] != '\n' {
		line++
	}
	return line
}
