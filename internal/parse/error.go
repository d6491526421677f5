package parse

import (
	"fmt"
	"strings"
)

// A SyntaxError is what bash reports about source that it cannot read. A
// shell prints each message as
//
//	name: line Line: Text
type SyntaxError struct {
	Messages []Message // none for a few mistakes that bash does not report

	// Status is what $? becomes, or [Unchanged].
	Status int

	// Resume is the offset from which bash reads on after it has reported the
	// error (see [FileContext]), or 0 when it gives up the whole source.
	Resume int

	// Incomplete says that the source ended too early, so that more of it
	// could mend the error.
	Incomplete bool

	// Unmatched says that a quote, a bracket or a [[ has no end. Bash: a script then ends
	// with the status of its last command where that is not 0.
	Unmatched bool
}

// Unchanged is the Status of an error after which a shell ends with the status
// of the last command, as if the source had ended.
const Unchanged = -1

// A Message is one line of what bash reports about an error.
type Message struct {
	Line int
	Text string
}

func (e *SyntaxError) Error() string {
	var b strings.Builder
	for i, m := range e.Messages {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "line %d: %s", m.Line, m.Text)
	}
	return b.String()
}

// rejected returns a syntax error for what the parser refuses and bash does
// not. It says where, in words that bash has for such a place.
func rejected(src string, line, at int) error {
	at = min(at, len(src))
	line += strings.Count(src[:at], "\n")
	near, _, _ := strings.Cut(src[at:], "\n")
	return &SyntaxError{Status: 2, Messages: []Message{{line, fmt.Sprintf("syntax error near `%s'", near)}}}
}
