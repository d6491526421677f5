package search

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// besidesJSON returns the option that --json excludes, if one was given.
func (r *ripgrep) besidesJSON() string {
	if !r.json {
		return ""
	}
	return r.filesGiven
}

// quietJSON settles what other options mean with --json.
func (r *ripgrep) quietJSON() {
	if !r.numberGiven {
		r.grep.number = true
	}
	r.only, r.vimgrep, r.passthru = false, false, false
	r.separator, r.noSeparator, r.colorWhen = "", true, "never"
}

// appendText adds text as the messages have it: as a string or, where it is not
// UTF-8, as its bytes.
func appendText(dst, text []byte) []byte {
	if !utf8.Valid(text) {
		dst = append(dst, `{"bytes":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, text)
		return append(dst, `"}`...)
	}
	dst = append(dst, `{"text":"`...)
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\b':
			dst = append(dst, `\b`...)
		case c == '\f':
			dst = append(dst, `\f`...)
		case c < ' ':
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, `"}`...)
}

// beginMessage prints the message that a file begins, before the first of its
// others.
func (r *ripgrep) beginMessage(s *scan) {
	if s.told {
		return
	}
	s.told = true
	_, _ = r.out.Write(append(appendText([]byte(`{"type":"begin","data":{"path":`), []byte(s.name)), "}}\n"...))
}

// message prints the message about a line.
func (r *ripgrep) message(b *block) {
	s := b.s
	r.beginMessage(s)
	s.countTo(b.begin)
	kind := "context"
	if b.matched {
		kind = "match"
	}
	text := b.text
	if s.unended && b.begin+len(text) == s.end {
		text = text[:len(text)-1]
	}
	m := append([]byte(`{"type":"`), kind...)
	m = appendText(append(m, `","data":{"path":`...), []byte(s.name))
	m = appendText(append(m, `,"lines":`...), text)
	number := "null"
	if r.grep.number {
		number = strconv.FormatInt(s.lines+1, 10)
	}
	m = fmt.Appendf(m, `,"line_number":%s,"absolute_offset":%d,"submatches":[`, number, s.base+int64(b.begin))
	for i := 0; i < len(b.locs); i += 2 {
		if i > 0 {
			m = append(m, ',')
		}
		m = appendText(append(m, `{"match":`...), b.text[b.locs[i]:b.locs[i+1]])
		m = fmt.Appendf(m, `,"start":%d,"end":%d}`, b.locs[i], b.locs[i+1])
	}
	_, _ = r.out.Write(append(m, "]}}\n"...))
}

// endMessage prints the message that a file has ended.
func (r *ripgrep) endMessage(s *scan, searched int64, took time.Duration) {
	if r.quiet || !s.told {
		return
	}
	printed := r.stats.written() - s.printedFrom
	r.stats.printed = printed
	m := appendText([]byte(`{"type":"end","data":{"path":`), []byte(s.name))
	offset := "null"
	if s.binary {
		offset = strconv.FormatInt(s.nullAt, 10)
	}
	withMatch := 0
	if s.selected > 0 {
		withMatch = 1
	}
	m = fmt.Appendf(m, `,"binary_offset":%s,"stats":{"elapsed":{"secs":%d,"nanos":%d,"human":"%.6fs"},"searches":1,"searches_with_match":%d,`+
		`"bytes_searched":%d,"bytes_printed":%d,"matched_lines":%d,"matches":%d}}}`+"\n", offset, int64(took/time.Second), int64(took%time.Second), took.Seconds(),
		withMatch, searched, printed, r.stats.lines-s.earlier.lines, r.stats.matches-s.earlier.matches)
	_, _ = r.out.Write(m)
}

// summaryMessage prints the message about all files.
func (r *ripgrep) summaryMessage(took time.Duration) {
	s := &r.stats
	duration := func(d time.Duration) string {
		return fmt.Sprintf(`{"human":"%.6fs","nanos":%d,"secs":%d}`, d.Seconds(), int64(d%time.Second), int64(d/time.Second))
	}
	fmt.Fprintf(r.out, `{"data":{"elapsed_total":%s,"stats":{"bytes_printed":%d,"bytes_searched":%d,"elapsed":%s,"matched_lines":%d,"matches":%d,`+
		`"searches":%d,"searches_with_match":%d}},"type":"summary"}`+"\n", duration(took), s.printed, s.searched, duration(s.elapsed), s.lines, s.matches, s.searches, s.matched)
}
