package limpet

import (
	"errors"

	"github.com/limpet-sh/limpet/internal/parse"
)

// Incomplete reports whether a script ends in the middle of something that more lines
// could complete: a compound command, a quote, a here-document, or a line that
// ends with a backslash.
func Incomplete(script string) bool {
	if continued(script) {
		return true
	}
	prog, err := parse.File(script, parse.Mode{ExtGlob: true})
	if err != nil {
		e, ok := errors.AsType[*parse.SyntaxError](err)
		return ok && e.Incomplete
	}
	return len(prog.Warnings) > 0
}

// continued reports whether a script ends with a backslash that quotes a newline.
func continued(script string) bool {
	n := 0
	for n < len(script) && script[len(script)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}
