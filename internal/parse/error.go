package parse

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A SyntaxError is what bash reports about source that it cannot read. A
// shell prints it as
//
//	name: line Line: Msg
//	name: line Line: `Source'
//
// the second line only when HasSource is set.
type SyntaxError struct {
	Line      int
	Msg       string
	Source    string // the line of the source at which reading stopped
	HasSource bool

	// Incomplete says that the source ended too early, so that more of it
	// could mend the error.
	Incomplete bool
}

func (e *SyntaxError) Error() string {
	if e.HasSource {
		return fmt.Sprintf("line %d: %s\nline %d: `%s'", e.Line, e.Msg, e.Line, e.Source)
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
}

// translate puts an error of the parser into bash's words.
func translate(src string, err error) error {
	var perr syntax.ParseError
	if !errors.As(err, &perr) {
		return err
	}
	if perr.Incomplete {
		return &SyntaxError{
			Line: strings.Count(src, "\n") + 1, Msg: "syntax error: unexpected end of file", Incomplete: true,
		}
	}
	line, start := int(perr.Pos.Line()), int(perr.Pos.Offset())
	rest := src[min(start, len(src)):]
	token := rest[:len(rest)-len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz"))]
	if token == "" && rest != "" {
		token = rest[:1]
	}
	if token == "\n" || token == "" {
		token = "newline"
	}
	begin := strings.LastIndexByte(src[:min(start, len(src))], '\n') + 1
	text, _, _ := strings.Cut(src[begin:], "\n")
	return &SyntaxError{
		Line: line, Msg: fmt.Sprintf("syntax error near unexpected token `%s'", token), Source: text, HasSource: true,
	}
}
