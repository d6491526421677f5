package search

import (
	"bytes"
	"fmt"
	"regexp"
)

var (
	contextStars = regexp.MustCompile(`^\*{15}`)
	contextOld   = regexp.MustCompile(`^\*\*\* (\d+)(?:,(\d+))? ?\**\s*$`)
	contextNew   = regexp.MustCompile(`^--- (\d+)(?:,(\d+))? ?-*\s*$`)
)

// context reads a hunk of a context diff: both sides one after the other, of which
// one may be missing where it has nothing that the other does not show.
func (r *patchReader) context() (*patchHunk, error) {
	if r.at+1 >= len(r.lines) || !contextStars.Match(r.lines[r.at]) {
		return nil, nil
	}
	first := contextOld.FindSubmatch(r.lines[r.at+1])
	if first == nil {
		return nil, nil
	}
	r.at += 2
	old, err := r.contextLines("-!", first)
	if err != nil {
		return nil, err
	}
	if r.at == len(r.lines) {
		return nil, fmt.Errorf("unexpected end of file in patch")
	}
	second := contextNew.FindSubmatch(r.lines[r.at])
	if second == nil {
		return nil, fmt.Errorf("malformed patch at line %d: %s", r.at+1, r.lines[r.at])
	}
	r.at++
	added, err := r.contextLines("+!", second)
	if err != nil {
		return nil, err
	}
	h := &patchHunk{start: [2]int{patchNumber(string(first[1])), patchNumber(string(second[1]))}}
	h.edits, err = r.weave(old, added)
	return h, err
}

// contextLines reads the lines of one side, each with its mark and without the
// space after it. span is the match of the side's header.
func (r *patchReader) contextLines(marks string, span [][]byte) (lines [][]byte, err error) {
	n := patchNumber(string(span[1]))
	switch {
	case len(span[2]) > 0:
		n = patchNumber(string(span[2])) - n + 1
	case n > 0:
		n = 1
	}
	for len(lines) < n && r.at < len(r.lines) {
		if err := r.Poll(1); err != nil {
			return nil, err
		}
		line := r.lines[r.at]
		mark := line[0]
		switch {
		case len(bytes.TrimRight(line, "\r\n")) == 0: // blanks at its end are lost
			line = []byte(" \n")
		case mark != ' ' && bytes.IndexByte([]byte(marks), mark) < 0, len(line) < 2:
			return lines, nil
		case line[1] == ' ' || line[1] == '\t':
			line = append([]byte{mark}, line[2:]...)
		case line[1] == '\n' || line[1] == '\r':
			line = append([]byte{mark}, line[1:]...)
		default:
			return lines, nil
		}
		r.at++
		lines = append(lines, r.unfinished(line))
	}
	return lines, nil
}

// weave makes edits of the two sides.
func (r *patchReader) weave(old, added [][]byte) (edits [][]byte, err error) {
	take := func(side *[][]byte, op byte) {
		for len(*side) > 0 && (*side)[0][0] != ' ' {
			edits = append(edits, append([]byte{op}, (*side)[0][1:]...))
			*side = (*side)[1:]
		}
	}
	noOld, noNew := len(old) == 0, len(added) == 0
	for {
		take(&old, '-')
		take(&added, '+')
		if err := r.Poll(1); err != nil {
			return nil, err
		}
		switch {
		case len(old) == 0 && len(added) == 0:
			return edits, nil
		case len(old) > 0 && len(added) > 0:
			edits = append(edits, old[0])
			old, added = old[1:], added[1:]
		case len(old) > 0 && noNew:
			edits, old = append(edits, old[0]), old[1:]
		case len(added) > 0 && noOld:
			edits, added = append(edits, added[0]), added[1:]
		default:
			return nil, fmt.Errorf("malformed patch at line %d: %s", r.at, r.lines[r.at-1])
		}
	}
}
