package search

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// print prints a line as rg does.
func (r *ripgrep) print(s *scan, begin, end int, sep byte) error {
	text := s.buf[begin : end-1]
	selected := sep == ':' && !r.invert
	if r.passthru && !selected && r.matcher.Match(text) {
		selected, sep = true, ':'
	}
	r.head(s)
	switch {
	case selected && r.vimgrep:
		r.each(s, begin, text, func(_, _ int, _ []int) { r.whole(s, text, true) }, sep)
	case selected && r.only:
		r.each(s, begin, text, func(from, to int, loc []int) {
			if r.replacing {
				r.paint(r.color.match, r.expand(nil, text, loc))
			} else {
				r.paint(r.color.match, text[from:to])
			}
			_ = r.out.WriteByte(s.delim)
		}, sep)
	default:
		column := 0
		if r.column && selected {
			if loc := r.matcher.Bounds(text, 0); loc != nil {
				column = loc[0] + 1
			}
		}
		r.prefix(s, begin, column, sep)
		r.whole(s, text, selected)
	}
	return s.flushLine()
}

// head prints the name of the file above its first line, with --heading.
func (r *ripgrep) head(s *scan) {
	if !r.heading || !r.named || r.headed == s.name {
		return
	}
	if r.headed != "" {
		_ = r.out.WriteByte('\n')
	}
	r.headed = s.name
	r.paint(r.color.file, []byte(s.name))
	_ = r.out.WriteByte('\n')
}

// each prints what stands before each match of a line, and calls do for the
// rest.
func (r *ripgrep) each(s *scan, begin int, text []byte, do func(from, to int, loc []int), sep byte) {
	for from := 0; from <= len(text); {
		loc := r.matcher.Submatches(text, from)
		if loc == nil || r.Poll(1) != nil {
			return
		}
		if loc[0] == loc[1] {
			from = loc[1] + 1
			continue
		}
		from = loc[1]
		offset := begin
		if r.only {
			offset += loc[0]
		}
		r.prefix(s, offset, loc[0]+1, sep)
		do(loc[0], loc[1], loc)
	}
}

// prefix prints the name of the file and the numbers that stand before a line;
// a column of 0 is not shown.
func (r *ripgrep) prefix(s *scan, begin, column int, sep byte) {
	if r.named && !r.heading {
		s.fileName(sep)
	}
	if r.grep.number {
		s.countTo(begin)
		s.figure(r.color.number, s.lines+1, sep)
	}
	if r.column && column > 0 {
		_, _ = r.out.Write(append(strconv.AppendInt(nil, int64(column), 10), sep))
	}
	if r.offset {
		s.figure("", s.base+int64(begin), sep)
	}
}

// whole prints the text of a line, with its matches replaced or marked.
func (r *ripgrep) whole(s *scan, text []byte, selected bool) {
	if r.maxColumns > 0 && len(text) > r.maxColumns {
		what := "[Omitted long matching line]"
		if !selected {
			what = "[Omitted long context line]"
		}
		_, _ = r.out.WriteString(what)
		_ = r.out.WriteByte(s.delim)
		return
	}
	if r.trim {
		text = bytes.TrimLeft(text, " \t\v\f\r")
	}
	last := 0
	if selected && (r.replacing || r.color.on) {
		for from := 0; from <= len(text); {
			loc := r.matcher.Submatches(text, from)
			if loc == nil || r.Poll(1) != nil {
				break
			}
			_, _ = r.out.Write(text[last:loc[0]])
			if r.replacing {
				r.paint(r.color.match, r.expand(nil, text, loc))
			} else if loc[0] < loc[1] {
				r.paint(r.color.match, text[loc[0]:loc[1]])
			}
			last, from = loc[1], loc[1]
			if loc[0] == loc[1] {
				from++
			}
		}
	}
	_, _ = r.out.Write(text[last:])
	_ = r.out.WriteByte(s.delim)
}

// expand adds to dst the replacement of a match, in which $n and ${name} stand
// for groups.
func (r *ripgrep) expand(dst, text []byte, loc []int) []byte {
	with := r.replace
	for len(with) > 0 {
		i := bytes.IndexByte(with, '$')
		if i < 0 || i+1 == len(with) {
			return append(dst, with...)
		}
		dst = append(dst, with[:i]...)
		with = with[i+1:]
		if with[0] == '$' {
			dst, with = append(dst, '$'), with[1:]
			continue
		}
		name, n := groupName(string(with))
		if n == 0 {
			dst = append(dst, '$')
			continue
		}
		with = with[n:]
		group, err := strconv.Atoi(name)
		ok := err == nil
		if !ok {
			group, ok = r.matcher.Regexp().Group(name)
		}
		if ok && 2*group+1 < len(loc) && loc[2*group] >= 0 {
			dst = append(dst, text[loc[2*group]:loc[2*group+1]]...)
		}
	}
	return dst
}

// groupName returns the name of a group that s begins with, in braces or not,
// and how much of s that is; 0 if there is none.
func groupName(s string) (string, int) {
	if rest, ok := strings.CutPrefix(s, "{"); ok {
		name, _, ok := strings.Cut(rest, "}")
		if !ok {
			return "", 0
		}
		return name, len(name) + 2
	}
	n := len(s) - len(strings.TrimLeft(s, "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	return s[:n], n
}

// countIn counts the matches in the selected lines from begin to end.
func (r *ripgrep) countIn(s *scan, begin, end int) {
	if r.invert {
		s.selected += int64(bytes.Count(s.buf[begin:end], []byte{s.delim}))
		return
	}
	s.matches(s.buf[begin:end-1], func(int, int) { s.selected++ })
	s.left--
	s.stop = end
}

// binaryMessage says that a binary file matches.
func (r *ripgrep) binaryMessage(s *scan) error {
	if !s.binary || s.selected == 0 {
		return nil
	}
	name := ""
	if r.named {
		name = s.name + ": "
	}
	if r.binary == "without-match" {
		_, err := fmt.Fprintf(r.out, "%sWARNING: stopped searching binary file after match (found \"\\0\" byte around offset %d)\n", name, s.nullAt)
		return err
	}
	if s.selected > s.clean {
		_, err := fmt.Fprintf(r.out, "%sbinary file matches (found \"\\0\" byte around offset %d)\n", name, s.nullAt)
		return err
	}
	return nil
}
