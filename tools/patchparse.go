package tools

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A hunk is lines that take the place of others.
type hunk struct {
	anchor string // a line somewhere before them; "" where none is said
	line   int    // where a unified diff says that they are, from 1; 0 where it does not
	lines  []patchLine
	end    bool // they are the end of the file
}

// A patchLine is a line of a hunk without its newline.
type patchLine struct {
	op   byte // ' ', '-' or '+'
	text string
	bare bool // there is no newline behind it in the file
}

// parsePatch reads the form that begins with *** Begin Patch.
func parsePatch(text string) (list []filePatch, err error) {
	lines := patchLines(strings.TrimLeft(text, " \t\r\n"))
	ended := false
	for i, line := range lines[1:] {
		mark := strings.TrimRight(line, " \t\r")
		var f *filePatch
		if len(list) > 0 {
			f = &list[len(list)-1]
		}
		name := func(prefix string) (string, bool) {
			s, ok := strings.CutPrefix(mark, prefix)
			return strings.TrimSpace(s), ok
		}
		if ended {
			if mark != "" {
				return nil, fmt.Errorf("line %d is behind *** End Patch", i+2)
			}
			continue
		}
		if mark == "*** End Patch" {
			ended = true
		} else if s, ok := name("*** Add File:"); ok {
			list = append(list, filePatch{action: "added", path: s, hunks: []hunk{{}}})
		} else if s, ok := name("*** Delete File:"); ok {
			list = append(list, filePatch{action: "deleted", path: s})
		} else if s, ok := name("*** Update File:"); ok {
			list = append(list, filePatch{action: "updated", path: s})
		} else if s, ok := name("*** Move to:"); ok && f != nil && f.action == "updated" && len(f.hunks) == 0 {
			f.action, f.to = "moved", s
		} else if f == nil || f.action == "deleted" {
			return nil, fmt.Errorf("line %d: %q is part of no file", i+2, line)
		} else if err := f.line(line, mark); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
	}
	if !ended {
		return nil, errors.New("*** End Patch is missing")
	}
	return list, complete(list)
}

// line takes a line of a file.
func (f *filePatch) line(line, mark string) error {
	anchor, isAnchor := strings.CutPrefix(mark, "@@")
	switch {
	case f.action == "added":
		if !strings.HasPrefix(line, "+") {
			return fmt.Errorf("%q does not begin with +", line)
		}
	case isAnchor:
		f.hunks = append(f.hunks, hunk{anchor: strings.TrimPrefix(anchor, " ")})
		return nil
	case mark == "*** End of File" && len(f.hunks) > 0:
		f.hunks[len(f.hunks)-1].end = true
		return nil
	case len(f.hunks) == 0:
		f.hunks = append(f.hunks, hunk{})
	}
	if line == "" {
		line = " " // an empty line of context whose space was lost
	}
	if !strings.ContainsRune(" +-", rune(line[0])) {
		return fmt.Errorf("%q begins with none of space, + and -", line)
	}
	h := &f.hunks[len(f.hunks)-1]
	h.lines = append(h.lines, patchLine{op: line[0], text: line[1:]})
	return nil
}

// complete finds what is missing in files.
func complete(list []filePatch) error {
	if len(list) == 0 {
		return errors.New("it names no file")
	}
	for _, f := range list {
		if f.path == "" || f.action == "moved" && f.to == "" {
			return errors.New("a file has no name")
		}
		if f.action == "updated" && len(f.hunks) == 0 {
			return fmt.Errorf("%s: nothing to change", f.path)
		}
	}
	return nil
}

// patchLines splits a patch. Where all its lines end in CR LF, the CR is not theirs.
func patchLines(text string) []string {
	text = strings.TrimSuffix(text, "\n")
	if n := strings.Count(text, "\n"); n > 0 && strings.Count(text, "\r\n") == n {
		text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\r")
	}
	return strings.Split(text, "\n")
}

var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// parseUnified reads a unified diff, of git or not.
func parseUnified(text string) (list []filePatch, err error) {
	lines := patchLines(text)
	var from, renamed string
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "rename from "):
			renamed = strings.TrimPrefix(line, "rename from ")
		case strings.HasPrefix(line, "rename to ") && renamed != "":
			list = append(list, filePatch{action: "moved", path: renamed, to: strings.TrimPrefix(line, "rename to "), exact: true})
		case strings.HasPrefix(line, "GIT binary patch") || strings.HasPrefix(line, "Binary files "):
			return nil, errors.New("binary files cannot be patched")
		case strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ "):
			from = patchName(line[4:], "a/")
			list = addUnified(list, from, patchName(lines[i+1][4:], "b/"), renamed)
			renamed = ""
			i++
		case strings.HasPrefix(line, "@@ "):
			if len(list) == 0 {
				return nil, fmt.Errorf("line %d: a hunk of no file", i+1)
			}
			n, h, err := unifiedHunk(lines[i:])
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			f := &list[len(list)-1]
			f.hunks = append(f.hunks, h)
			i += n - 1
		}
	}
	return list, complete(list)
}

// addUnified begins a file, unless it is the one that was just renamed.
func addUnified(list []filePatch, from, to, renamed string) []filePatch {
	f := filePatch{action: "updated", path: from, exact: true}
	switch {
	case renamed != "" && len(list) > 0 && list[len(list)-1].path == from:
		return list
	case from == "/dev/null":
		f.action, f.path = "added", to
	case to == "/dev/null":
		f.action = "deleted"
	case from != to:
		f.path = to // as patch does, which renames nothing by itself
	}
	return append(list, f)
}

// patchName returns the name in a header without a prefix and a date.
func patchName(s, prefix string) string {
	s, _, _ = strings.Cut(s, "\t")
	if unquoted, err := strconv.Unquote(s); err == nil {
		s = unquoted
	}
	return strings.TrimPrefix(strings.TrimSpace(s), prefix)
}

// unifiedHunk reads a hunk, whose header says how many lines it has.
func unifiedHunk(lines []string) (n int, h hunk, err error) {
	m := hunkHeader.FindStringSubmatch(lines[0])
	if m == nil {
		return 0, h, fmt.Errorf("%q is no header of a hunk", lines[0])
	}
	number := func(s string) int {
		if s == "" {
			return 1
		}
		v, _ := strconv.Atoi(s) // digits; too many of them are no line of any file
		return v
	}
	h.line = number(m[1])
	old, added := number(m[2]), number(m[4])
	for n = 1; n < len(lines) && (old > 0 || added > 0 || strings.HasPrefix(lines[n], "\\")); n++ {
		line := lines[n]
		if strings.HasPrefix(line, "\\") {
			if len(h.lines) > 0 {
				h.lines[len(h.lines)-1].bare = true
			}
			continue
		}
		if line == "" {
			line = " "
		}
		switch line[0] {
		case ' ':
			old, added = old-1, added-1
		case '-':
			old--
		case '+':
			added--
		default:
			return n, h, fmt.Errorf("%q begins with none of space, + and -", line)
		}
		h.lines = append(h.lines, patchLine{op: line[0], text: line[1:]})
	}
	if old != 0 || added != 0 {
		return n, h, errors.New("the hunk has not as many lines as its header says")
	}
	return n, h, nil
}
