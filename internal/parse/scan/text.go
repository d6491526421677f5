package scan

import "strings"

// A Text is a source to which lines are added one by one, each at the cost of its own
// length. The zero Text is ready for use; it is not to be copied.
type Text struct{ b strings.Builder }

// Append returns src with more behind it. It copies src where that is not what Append
// has returned last.
func (t *Text) Append(src, more string) string {
	if t.b.Len() != len(src) || t.b.String() != src { // the same bytes at the same place are found equal at once
		t.b.Reset()
		t.b.Grow(2*len(src) + len(more))
		t.b.WriteString(src)
	}
	t.b.WriteString(more)
	return t.b.String()
}
