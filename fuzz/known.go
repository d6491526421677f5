package fuzz

import (
	"fmt"
	"regexp"
	"strings"
)

// A KnownDifference is one between two shells that is no fault of the one under test.
type KnownDifference struct {
	Name string
	Is   func(script string, d *Difference) bool
}

// A KnownError says that all that a script does otherwise is known.
type KnownError struct{ Name string }

// Error names what is known.
func (e *KnownError) Error() string { return fmt.Sprintf("known to differ: %s", e.Name) }

// BashFaults returns the faults of bash 5.2 that generated scripts meet, each of which
// COMPATIBILITY.md names.
func BashFaults() []KnownDifference {
	return []KnownDifference{
		{"marks in empty elements of quoted lists", leavesMark},
		{"subscripts within subscripts", nestedSubscript},
		{"quotes that are decoded twice", decodedTwice},
	}
}

// leavesMark reports whether bash has put the mark of an empty string that is quoted, a byte of
// its own, into what it prints.
func leavesMark(script string, d *Difference) bool {
	const mark = "\x7f"
	return !strings.Contains(script, mark) && d.Reference.holds(mark) && !d.Target.holds(mark)
}

// holds reports whether text is in what a script has printed, or left in files.
func (o *Outcome) holds(text string) bool {
	for _, content := range o.Files {
		if strings.Contains(content, text) {
			return true
		}
	}
	return strings.Contains(o.Stdout, text) || strings.Contains(o.Stderr, text)
}

// quotedBracket matches the message about a subscript in an expression in which bash has
// quoted the brackets of another one.
var quotedBracket = regexp.MustCompile(`\\\[[^\n]*syntax error: invalid arithmetic operator \(error token is "\\\[`)

func nestedSubscript(_ string, d *Difference) bool {
	return quotedBracket.MatchString(d.Reference.Stderr) && !quotedBracket.MatchString(d.Target.Stderr)
}

// decodedTwice reports whether bash has found a quote without an end that it has taken out of
// $'…' in a substitution within a list.
func decodedTwice(script string, d *Difference) bool {
	const message = "unexpected EOF while looking for matching"
	return strings.Contains(script, `$'\'`) && strings.Contains(script, "=(") &&
		strings.Contains(d.Reference.Stderr, message) && !strings.Contains(d.Target.Stderr, message)
}
