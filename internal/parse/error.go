package parse

import (
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/internal/parse/scan"
)

// A SyntaxError is what bash reports about source that it cannot read. A
// shell prints each message as
//
//	name: line Line: Text
//
// Its Resume is of use with a [FileContext].
type SyntaxError = scan.Error

// A Message is one line of what bash reports about an error.
type Message = scan.Message

// Unchanged is the Status of an error after which a shell ends with the status
// of the last command, as if the source had ended.
const Unchanged = scan.Unchanged

// rejected returns a syntax error for what the parser refuses and bash does
// not. It says where, in words that bash has for such a place.
func rejected(src string, line, at int) error {
	at = min(at, len(src))
	line += strings.Count(src[:at], "\n")
	near, _, _ := strings.Cut(src[at:], "\n")
	return &SyntaxError{Status: 2, Messages: []Message{{Line: line, Text: fmt.Sprintf("syntax error near `%s'", near)}}}
}
