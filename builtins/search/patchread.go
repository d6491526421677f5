package search

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// A fileDiff is the part of a patch that is about one file.
type fileDiff struct {
	lead       [][]byte // the lines above the first hunk, from the patch before
	line       int      // the number of the first hunk's line
	names      [2]string
	header     [2][]byte // what follows the --- and the +++, without leading directories; or nil
	index      string
	absent     [2]bool // the file does not exist before, or after
	git        bool
	renamed    [2]string
	mode       string // of the new file, as git has it
	context    bool   // rejects are in the context format
	stars      bool   // it is a context diff
	hunks      []*patchHunk
	incomplete error // why reading ended
	cut        bool  // the last line of the patch has no newline
}

// A patchHunk replaces lines by others. An edit is a line with its newline, if it has
// one, after a space where both sides have it, or a - or a +.
type patchHunk struct {
	start [2]int
	count [2]int
	bare  bool // it is of a normal diff, which has no context
	shift int  // of the lines where it was rejected, by the hunks before
	edits [][]byte
	old   [][]byte // the lines of each side
	new   [][]byte
}

var (
	unifiedHunk = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)
	normalHunk  = regexp.MustCompile(`^(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?$`)
)

// A patchReader splits a patch.
type patchReader struct {
	*patcher
	lines [][]byte // with their newlines
	at    int
}

// next returns the next diff; nil at the end.
func (r *patchReader) next() (*fileDiff, error) {
	d := &fileDiff{}
	from := r.at
	for ; r.at < len(r.lines); r.at++ {
		if err := r.Poll(1); err != nil {
			return nil, err
		}
		line := strings.TrimRight(string(r.lines[r.at]), "\r\n")
		follows := r.at+1 < len(r.lines)
		switch {
		case unifiedHunk.MatchString(line) && r.wants('u') && (d.header[1] != nil || d.index != "" || r.operand != ""):
			return d, r.hunks(d, from, r.unified)
		case normalHunk.MatchString(line) && r.wants('n') && follows && bytes.ContainsAny(r.lines[r.at+1][:1], "<>"):
			d.context = true
			return d, r.hunks(d, from, r.normal)
		case contextStars.MatchString(line) && r.wants('c') && follows && contextOld.Match(r.lines[r.at+1]):
			d.context, d.stars = true, true
			return d, r.hunks(d, from, r.context)
		case d.git && strings.HasPrefix(line, "diff --git "):
			if d.complete() {
				d.lead, d.line = r.lines[from:r.at], r.at+1
				return d, nil
			}
			d = &fileDiff{}
			fallthrough
		default:
			r.headerLine(d, line)
		}
	}
	if d.git && d.complete() {
		d.lead, d.line = r.lines[from:], r.at+1
		return d, nil
	}
	return nil, nil
}

// complete reports whether a diff of git means something without any hunk.
func (d *fileDiff) complete() bool {
	return d.renamed[0] != "" && d.renamed[1] != "" || d.absent[0] || d.absent[1] || d.mode != ""
}

// headerLine learns what a line above the hunks says.
func (r *patchReader) headerLine(d *fileDiff, line string) {
	word := func(prefix string) (string, bool) { return strings.CutPrefix(line, prefix) }
	side := func(i int, text string) {
		name, stamp := splitStamp(text)
		d.names[i] = r.strip(name)
		d.header[i] = append([]byte(cmp.Or(d.names[i], "/dev/null")), text[len(name):]...)
		d.absent[i] = d.absent[i] || name == "/dev/null" || strings.HasPrefix(stamp, "1970-01-01 00:00:00")
	}
	if s, ok := word("*** "); ok && r.wants('c') {
		side(0, s)
		d.stars = true
	} else if s, ok := word("--- "); ok && d.stars {
		side(1, s)
	} else if ok {
		side(0, s)
	} else if s, ok := word("+++ "); ok {
		side(1, s)
	} else if s, ok := word("Index: "); ok {
		d.index = r.strip(s)
	} else if s, ok := word("diff --git "); ok {
		d.git = true
		if a, b, ok := strings.Cut(s, " b/"); ok {
			d.names = [2]string{r.strip(a), r.strip("b/" + b)}
		}
	} else if !d.git {
		return
	} else if s, ok := word("rename from "); ok {
		d.renamed[0] = s
	} else if s, ok := word("rename to "); ok {
		d.renamed[1] = s
	} else if s, ok := word("new file mode "); ok {
		d.absent[0], d.mode = true, s
	} else if _, ok := word("deleted file mode "); ok {
		d.absent[1] = true
	} else if s, ok := word("new mode "); ok {
		d.mode = s
	}
}

// splitStamp splits the name of a file from the time after it. A name has spaces
// only where a tab follows it.
func splitStamp(text string) (name, stamp string) {
	if name, stamp, ok := strings.Cut(text, "\t"); ok {
		return name, stamp
	}
	name, stamp, _ = strings.Cut(text, " ")
	return name, stamp
}

// strip removes leading directories from a name; "" where it has too few, or
// leads out of the directory.
func (r *patchReader) strip(name string) string {
	if name == "/dev/null" {
		return ""
	}
	if r.stripDirs < 0 {
		return path.Base(name)
	}
	for range r.stripDirs {
		_, rest, ok := strings.Cut(name, "/")
		if !ok {
			return ""
		}
		name = strings.TrimLeft(rest, "/")
	}
	if path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") || strings.Contains(name, "/../") || strings.HasSuffix(name, "/..") {
		return ""
	}
	return name
}

// cut reports whether all is read, and the last line has no newline.
func (r *patchReader) cut() bool {
	last := r.lines[len(r.lines)-1]
	return r.at == len(r.lines) && last[len(last)-1] != '\n'
}

// hunks reads hunks of one kind for as long as there are any.
func (r *patchReader) hunks(d *fileDiff, from int, read func() (*patchHunk, error)) error {
	d.lead, d.line = r.lines[from:r.at], r.at+1
	for {
		h, err := read()
		if err != nil {
			if r.Ends(err) {
				return err
			}
			d.incomplete = err
			d.cut = r.cut()
			return nil
		}
		if h == nil {
			return nil
		}
		d.cut = r.cut()
		h.sides()
		d.hunks = append(d.hunks, h)
	}
}

// patchNumber returns the number s, within what a file can have.
func patchNumber(s string) int {
	n, _ := strconv.Atoi(s)
	return min(n, math.MaxInt32)
}

// patchCount returns the number s, or 1 where there is none.
func patchCount(s string) int {
	if s == "" {
		return 1
	}
	return patchNumber(s)
}

func (r *patchReader) unified() (*patchHunk, error) {
	if r.at == len(r.lines) {
		return nil, nil
	}
	m := unifiedHunk.FindSubmatch(r.lines[r.at])
	if m == nil {
		return nil, nil
	}
	h := &patchHunk{start: [2]int{patchNumber(string(m[1])), patchNumber(string(m[3]))}, count: [2]int{patchCount(string(m[2])), patchCount(string(m[4]))}}
	r.at++
	left := h.count
	for left[0] > 0 || left[1] > 0 {
		if err := r.Poll(1); err != nil {
			return nil, err
		}
		line := []byte(" \n")
		if r.at < len(r.lines) {
			line = r.lines[r.at]
			r.at++
		} else if left[0] != left[1] || left[0] >= 3 {
			return nil, fmt.Errorf("unexpected end of file in patch")
		}
		switch line[0] {
		case '\n', '\t':
			line = append([]byte(" "), line...)
			fallthrough
		case ' ':
			left[0]--
			left[1]--
		case '-':
			left[0]--
		case '+':
			left[1]--
		default:
			left[0] = -1
		}
		if left[0] < 0 || left[1] < 0 {
			return nil, fmt.Errorf("malformed patch at line %d: %s", r.at, line)
		}
		h.edits = append(h.edits, r.unfinished(line))
	}
	return h, nil
}

// unfinished returns an edit without its newline if the next line says that it
// has none.
func (r *patchReader) unfinished(line []byte) []byte {
	if r.at < len(r.lines) && r.lines[r.at][0] == '\\' {
		r.at++
		return bytes.TrimSuffix(line, []byte("\n"))
	}
	return line
}

func (r *patchReader) normal() (*patchHunk, error) {
	if r.at == len(r.lines) {
		return nil, nil
	}
	m := normalHunk.FindStringSubmatch(strings.TrimRight(string(r.lines[r.at]), "\n"))
	if m == nil {
		return nil, nil
	}
	r.at++
	span := func(from, to string) int {
		if to == "" {
			return 1
		}
		return patchNumber(to) - patchNumber(from) + 1
	}
	h := &patchHunk{start: [2]int{patchNumber(m[1]), patchNumber(m[4])}, bare: true}
	if m[3] != "a" {
		h.count[0] = span(m[1], m[2])
	}
	if m[3] != "d" {
		h.count[1] = span(m[4], m[5])
	}
	if err := r.normalLines(h, h.count[0], '<', '-'); err != nil {
		return nil, err
	}
	if m[3] == "c" {
		if r.at == len(r.lines) || !bytes.HasPrefix(r.lines[r.at], []byte("---")) {
			return nil, fmt.Errorf("'---' expected at line %d of patch", r.at+1)
		}
		r.at++
	}
	return h, r.normalLines(h, h.count[1], '>', '+')
}

// normalLines reads n lines of one side of a normal diff.
func (r *patchReader) normalLines(h *patchHunk, n int, mark, op byte) error {
	for range n {
		if err := r.Poll(1); err != nil {
			return err
		}
		if r.at == len(r.lines) {
			return fmt.Errorf("unexpected end of file in patch at line %d", r.at+1)
		}
		line := r.lines[r.at]
		r.at++
		if line[0] != mark || len(line) < 2 || line[1] != ' ' && line[1] != '\t' {
			return fmt.Errorf("'%c' followed by space or tab expected at line %d of patch", mark, r.at)
		}
		h.edits = append(h.edits, r.unfinished(append([]byte{op}, line[2:]...)))
	}
	return nil
}

// sides settles the two sides of h from its edits.
func (h *patchHunk) sides() {
	h.old, h.new = nil, nil
	for _, e := range h.edits {
		if e[0] != '+' {
			h.old = append(h.old, e[1:])
		}
		if e[0] != '-' {
			h.new = append(h.new, e[1:])
		}
	}
	h.count = [2]int{len(h.old), len(h.new)}
}

// first returns the line at which a side begins, counted from 1.
func (h *patchHunk) first(side int) int {
	if h.count[side] == 0 {
		return h.start[side] + 1
	}
	return h.start[side]
}

// swap exchanges the sides of h. The removed lines of a change still come first.
func (h *patchHunk) swap() {
	h.start[0], h.start[1] = h.start[1], h.start[0]
	var edits, added [][]byte
	flush := func() { edits, added = append(edits, added...), nil }
	for _, e := range h.edits {
		switch e[0] {
		case ' ':
			flush()
			edits = append(edits, e)
		case '-':
			added = append(added, append([]byte("+"), e[1:]...))
		default:
			edits = append(edits, append([]byte("-"), e[1:]...))
		}
	}
	flush()
	h.edits = edits
	h.sides()
}

// margins returns how many lines of context h begins and ends with.
func (h *patchHunk) margins() (prefix, suffix int) {
	for prefix < len(h.edits) && h.edits[prefix][0] == ' ' {
		prefix++
	}
	for suffix < len(h.edits)-prefix && h.edits[len(h.edits)-1-suffix][0] == ' ' {
		suffix++
	}
	return prefix, suffix
}
