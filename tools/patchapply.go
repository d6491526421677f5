package tools

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// patchText applies the hunks of a file to what it holds. All other bytes stay.
func patchText(before []byte, f filePatch) (after []byte, notes []string, err error) {
	if f.action == "deleted" && !f.exact {
		return nil, nil, nil
	}
	if isBinary(before) {
		return nil, nil, fmt.Errorf("binary files are not supported")
	}
	t := newTextLines(before)
	at := 0
	for i, h := range f.hunks {
		place, err := t.find(h, at, f.exact)
		if err != nil {
			return nil, nil, fmt.Errorf("hunk %d: %w", i+1, err)
		}
		if want := h.line - 1 + t.shift; f.exact && len(h.old()) > 0 && place != want {
			notes = append(notes, fmt.Sprintf("%s: hunk %d was found at line %d, %+d lines from where the patch has it", f.path, i+1, place-t.shift+1, place-want))
		}
		at = t.replace(place, h)
	}
	after = bytes.Join(t.lines, nil)
	if f.action == "deleted" && len(after) > 0 {
		return nil, nil, fmt.Errorf("the file has more in it than the patch deletes")
	}
	if after == nil {
		after = []byte{}
	}
	return after, notes, nil
}

// textLines are the lines of a file with their newlines.
type textLines struct {
	lines [][]byte
	crlf  bool // all of them end in CR LF
	shift int  // how many more there are than before
}

func newTextLines(data []byte) *textLines {
	t := &textLines{lines: bytes.SplitAfter(data, []byte("\n"))}
	if n := len(t.lines); len(t.lines[n-1]) == 0 {
		t.lines = t.lines[:n-1]
	}
	lf := bytes.Count(data, []byte("\n"))
	t.crlf = lf > 0 && bytes.Count(data, []byte("\r\n")) == lf
	return t
}

// old returns the lines that a hunk says are in the file.
func (h hunk) old() (list []patchLine) {
	for _, l := range h.lines {
		if l.op != '+' {
			list = append(list, l)
		}
	}
	return list
}

// equal compares a line of the file with one of a patch, without what ends them.
func equal(line []byte, l patchLine) bool {
	return strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r") == strings.TrimSuffix(l.text, "\r")
}

// find returns where the lines of a hunk are, from a line on.
func (t *textLines) find(h hunk, from int, exact bool) (int, error) {
	old := h.old()
	if exact && h.line > 0 {
		want := h.line - 1 + t.shift
		if len(old) == 0 { // only additions: the header names the line before them
			if want = h.line + t.shift; want > len(t.lines) {
				return 0, fmt.Errorf("the file has no line %d", h.line)
			}
			return want, nil
		}
		if want >= from && t.matches(old, want) {
			return want, nil
		}
	}
	if h.anchor != "" {
		at := slices.IndexFunc(t.lines[from:], func(line []byte) bool {
			return equal(line, patchLine{text: h.anchor}) || strings.TrimSpace(string(line)) == strings.TrimSpace(h.anchor)
		})
		if at < 0 {
			return 0, fmt.Errorf("there is no line %q", h.anchor)
		}
		from += at + 1
	}
	if len(old) == 0 {
		if h.anchor != "" {
			return from, nil
		}
		return len(t.lines), nil // added at the end
	}
	places := t.search(old, from, h.end)
	switch {
	case len(places) == 0:
		return 0, fmt.Errorf("its lines are not in the file, or not behind those of the hunk before; the first is %q", old[0].text)
	case len(places) > 1 && h.anchor == "":
		numbers := make([]string, len(places))
		for i, p := range places {
			numbers[i] = fmt.Sprint(p + 1)
		}
		return 0, fmt.Errorf("its lines are in the file %d times, at lines %s: add context, or a line behind @@", len(places), strings.Join(numbers, ", "))
	}
	return places[0], nil
}

// search returns all places of lines, from one on.
func (t *textLines) search(old []patchLine, from int, end bool) (places []int) {
	for at := from; at+len(old) <= len(t.lines); at++ {
		if (!end || at+len(old) == len(t.lines)) && t.matches(old, at) {
			places = append(places, at)
		}
	}
	return places
}

func (t *textLines) matches(old []patchLine, at int) bool {
	if at < 0 || at+len(old) > len(t.lines) {
		return false
	}
	for i, l := range old {
		if !equal(t.lines[at+i], l) {
			return false
		}
	}
	return true
}

// replace puts a hunk at its place and returns the line behind it. Lines of context
// stay as the file has them.
func (t *textLines) replace(at int, h hunk) int {
	var lines [][]byte
	next := at
	bare := false // the line of the file that goes has no newline
	for _, l := range h.lines {
		switch l.op {
		case ' ':
			lines = append(lines, t.lines[next])
			next++
		case '-':
			bare = bare || !bytes.HasSuffix(t.lines[next], []byte("\n"))
			next++
		case '+':
			lines = append(lines, t.added(l))
		}
	}
	atEnd := next == len(t.lines)
	// A line that is no longer the last one gets its newline.
	before := t.lines[:at:at]
	all := append(before, lines...)
	for i := max(0, at-1); i < len(all); i++ {
		if (i < len(all)-1 || !atEnd) && !bytes.HasSuffix(all[i], []byte("\n")) && len(all[i]) > 0 {
			all[i] = append(bytes.Clone(all[i]), t.newline()...)
		}
	}
	if last := len(all) - 1; atEnd && bare && last >= at && h.lines[len(h.lines)-1].op == '+' && h.line == 0 {
		all[last] = bytes.TrimSuffix(bytes.TrimSuffix(all[last], []byte("\n")), []byte("\r")) // as the one that it replaces
	}
	t.shift += len(lines) - (next - at)
	t.lines = append(all, t.lines[next:]...)
	return at + len(lines)
}

func (t *textLines) newline() string {
	if t.crlf {
		return "\r\n"
	}
	return "\n"
}

// added returns a new line, which ends as those of the file do.
func (t *textLines) added(l patchLine) []byte {
	text := l.text
	if t.crlf {
		text = strings.TrimSuffix(text, "\r")
	}
	if !l.bare {
		text += t.newline()
	}
	return []byte(text)
}
