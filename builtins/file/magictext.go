package file

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// An encoding is how the characters of a text are encoded.
type encoding struct {
	name string // as MIME has it; "binary" for what is no text
	text string // in words; "" for what is no text
}

// charsetOf finds out how p is encoded.
func charsetOf(p []byte) encoding {
	ascii, latin, extended := true, true, true
	for _, b := range p {
		switch {
		case b >= 7 && b <= 13 && b != 11 || b == 27 || b >= ' ' && b < 127:
			continue
		case b >= 0xa0:
			ascii = false
		case b >= 0x80:
			ascii, latin = false, latin && b == 0x85
		default:
			ascii, latin, extended = false, false, false
		}
	}
	switch {
	case ascii:
		return encoding{"us-ascii", "ASCII"}
	case bytes.HasPrefix(p, []byte("\xef\xbb\xbf")) && isUTF8(p[3:]):
		return encoding{"utf-8", "Unicode text, UTF-8 (with BOM)"}
	case isUTF8(p):
		return encoding{"utf-8", "Unicode text, UTF-8"}
	case bytes.HasPrefix(p, []byte("\xff\xfe\x00\x00")):
		return encoding{"utf-32le", "Unicode text, UTF-32, little-endian"}
	case bytes.HasPrefix(p, []byte("\xff\xfe")):
		return encoding{"utf-16le", "Unicode text, UTF-16, little-endian"}
	case bytes.HasPrefix(p, []byte("\xfe\xff")):
		return encoding{"utf-16be", "Unicode text, UTF-16, big-endian"}
	case latin:
		return encoding{"iso-8859-1", "ISO-8859"}
	case extended:
		return encoding{"unknown-8bit", "Non-ISO extended-ASCII"}
	}
	return encoding{"binary", ""}
}

// isUTF8 reports whether p is text in UTF-8. A character may be cut off at its
// end.
func isUTF8(p []byte) bool {
	for i := 0; i < len(p); {
		if b := p[i]; b < utf8.RuneSelf {
			if b < 7 || b == 11 || b > 13 && b < ' ' && b != 27 || b == 127 {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n == 1 {
			return len(p)-i < utf8.UTFMax && !utf8.FullRune(p[i:])
		}
		i += n
	}
	return true
}

// A textKind is a type of text.
type textKind struct {
	name       string
	mime       string
	executable bool // a script
	alone      bool // nothing is said about the characters
}

// interpreters are the kinds of scripts by the program that runs them.
var interpreters = map[string]textKind{
	"sh":     {name: "POSIX shell script", mime: "text/x-shellscript"},
	"bash":   {name: "Bourne-Again shell script", mime: "text/x-shellscript"},
	"ksh":    {name: "Korn shell script", mime: "text/x-shellscript"},
	"zsh":    {name: "Paul Falstad's zsh script", mime: "text/x-shellscript"},
	"csh":    {name: "C shell script", mime: "text/x-shellscript"},
	"tcsh":   {name: "Tenex C shell script", mime: "text/x-shellscript"},
	"python": {name: "Python script", mime: "text/x-script.python"},
	"perl":   {name: "Perl script text executable", mime: "text/x-perl", alone: true},
	"php":    {name: "PHP script", mime: "text/x-php"},
	"ruby":   {name: "Ruby script", mime: "text/x-ruby"},
	"lua":    {name: "Lua script", mime: "text/x-lua"},
	"tclsh":  {name: "Tcl/Tk script", mime: "text/x-tcl"},
	"wish":   {name: "Tcl/Tk script", mime: "text/x-tcl"},
	"awk":    {name: "awk script", mime: "text/x-awk"},
	"gawk":   {name: "GNU awk script", mime: "text/x-gawk"},
	"nawk":   {name: "new awk script", mime: "text/x-nawk"},
}

// scriptKind recognizes a script by its first line.
func scriptKind(p []byte) (textKind, bool) {
	if !bytes.HasPrefix(p, []byte("#!")) {
		return textKind{}, false
	}
	line, _, _ := bytes.Cut(p[2:], []byte("\n"))
	command := strings.TrimSpace(string(line))
	words := strings.Fields(command)
	if len(words) == 0 {
		return textKind{}, false
	}
	program := path.Base(words[0])
	if program == "env" && len(words) > 1 {
		program = path.Base(words[1])
		command = strings.TrimSpace(strings.TrimPrefix(command, words[0]))
	}
	if program == "node" || program == "nodejs" {
		return textKind{name: "Node.js script executable", mime: "application/javascript"}, true
	}
	if strings.HasPrefix(program, "python") {
		program = "python"
	}
	k, ok := interpreters[program]
	if !ok {
		k = textKind{name: "a " + command + " script", mime: "text/plain"}
	}
	k.executable = !k.alone
	return k, true
}

// textPatterns recognize kinds of text by what stands in their first lines.
var textPatterns = []struct {
	pattern *regexp.Regexp
	kind    textKind
}{
	{regexp.MustCompile(`^<\?php`), textKind{name: "PHP script", mime: "text/x-php"}},
	{regexp.MustCompile(`^\s*(<\?xml[^>]*>\s*|<!--[^>]*-->\s*|<!DOCTYPE svg[^>]*>\s*)*<svg\b`), textKind{name: "SVG Scalable Vector Graphics image", mime: "image/svg+xml", alone: true}},
	{regexp.MustCompile(`(?i)^\s*(<!doctype html|<html|<head|<title|<body|<script|<style)`), textKind{name: "HTML document", mime: "text/html"}},
	{regexp.MustCompile(`^\\documentclass`), textKind{name: "LaTeX 2e document", mime: "text/x-tex"}},
	{regexp.MustCompile(`^(diff |Index:)`), textKind{name: "diff output", mime: "text/x-diff"}},
	{regexp.MustCompile(`^--- [^\n]*\n\+\+\+ [^\n]*\n@@`), textKind{name: "unified diff output", mime: "text/x-diff"}},
	{regexp.MustCompile(`^\*\*\* [^\n]*\n--- `), textKind{name: "context diff output", mime: "text/x-diff"}},
	{regexp.MustCompile(`^(From:|Received:|Return-[Pp]ath:|Delivered-To:)`), textKind{name: "news or mail", mime: "message/rfc822"}},
	{regexp.MustCompile(`^\.(TH|Dd|SH|\\")`), textKind{name: "troff or preprocessor input", mime: "text/troff"}},
	{regexp.MustCompile(`(?m)^import java\.`), textKind{name: "Java source", mime: "text/x-java"}},
	{regexp.MustCompile(`(?m)^(#include <(iostream|string|vector|map|set|memory|algorithm|sstream|fstream|functional)>|using namespace |template ?<|class \w+ *[{:]? *\{)`), textKind{name: "C++ source", mime: "text/x-c++"}},
	{regexp.MustCompile(`(?m)^(\s*#\s*(include\s*["<]|ifndef |ifdef |pragma |define \w+ ?[^\n]*\n#)|[\w\s*]*\bmain *\(|struct \w+ *\{|extern "?\w)`), textKind{name: "C source", mime: "text/x-c"}},
	{regexp.MustCompile(`(?m)^(def +\w+ *\([^\n]*\) *(->[^\n]*)?:|class +\w+ *(\([^\n]*\))? *:|from +[\w.]+ +import )|^"""`), textKind{name: "Python script", mime: "text/x-script.python", executable: true}},
	{regexp.MustCompile(`(?m)^(\.PHONY|\.SUFFIXES|[A-Za-z][\w.-]*:[ \w./-]*\n\t|all:)`), textKind{name: "makefile script", mime: "text/x-makefile"}},
}

// textWindow is how much of a text the patterns look at.
const textWindow = 8 << 10

// identifyText tells what the text p is.
func identifyText(p []byte, charset encoding) kind {
	window := p[:min(len(p), textWindow)]
	window = bytes.TrimPrefix(window, []byte("\xef\xbb\xbf"))
	k, found := scriptKind(window)
	if !found {
		k = xmlKind(window)
	}
	if !found && k.name == "" {
		k = structured(p)
	}
	if k.name == "" || k.mime == "text/xml" {
		for _, t := range textPatterns {
			if t.pattern.Match(window) {
				k = t.kind
				break
			}
		}
	}
	if k.mime == "" {
		k.mime = "text/plain"
	}
	text := k.name
	if !k.alone {
		if text != "" {
			text += ", "
		}
		text += charset.text
		if charset.name != "utf-32le" {
			text += " text"
		}
		if k.executable {
			text += " executable"
		}
		if charset.name != "utf-32le" {
			text += lineFacts(p, charset)
		}
	}
	return kind{text: text, mime: k.mime, charset: charset.name, plain: k.name == ""}
}

var xmlStart = regexp.MustCompile(`^\s*<\?xml version=["']([^"']*)["']`)

func xmlKind(p []byte) textKind {
	if m := xmlStart.FindSubmatch(p); m != nil {
		return textKind{name: fmt.Sprintf("XML %s document", m[1]), mime: "text/xml"}
	}
	return textKind{}
}

// structured recognizes JSON and tables.
func structured(p []byte) textKind {
	trimmed := bytes.TrimSpace(p)
	if len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		if isJSON(trimmed) {
			return textKind{name: "JSON text data", mime: "application/json", alone: true}
		}
		if lines := bytes.Split(trimmed, []byte("\n")); len(lines) > 1 && jsonLines(lines) {
			return textKind{name: "New Line Delimited JSON text data", mime: "application/x-ndjson", alone: true}
		}
	}
	if isTable(p) {
		return textKind{name: "CSV text", mime: "text/csv", alone: true}
	}
	return textKind{}
}

// maxJSON is how deeply what passes for JSON may nest.
const maxJSON = 500

// isJSON reports whether p is one object or array.
func isJSON(p []byte) bool {
	depth, deepest := 0, 0
	for _, b := range p {
		switch b {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest <= maxJSON && json.Valid(p)
}

func jsonLines(lines [][]byte) bool {
	for _, line := range lines {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' || !isJSON(line) {
			return false
		}
	}
	return true
}

// isTable reports whether the first lines of p have the same number of fields
// between commas, more than one.
func isTable(p []byte) bool {
	const enough = 10
	want, lines := 0, 0
	for line := range bytes.Lines(p) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		n := fields(line)
		if lines > 0 && n != want || n < 2 {
			return false
		}
		want = n
		if lines++; lines == enough {
			break
		}
	}
	return lines >= 3
}

// fields counts the fields of a line of a table.
func fields(line []byte) int {
	n, quoted := 1, false
	for _, b := range line {
		switch {
		case b == '"':
			quoted = !quoted
		case b == ',' && !quoted:
			n++
		}
	}
	return n
}

// longLine is how long a line must be to be worth a word.
const longLine = 300

// lineFacts says what is unusual about the lines of a text.
func lineFacts(p []byte, charset encoding) string {
	var crlf, cr, lf, nel, longest, length int
	escape, overstrike := false, false
	if strings.HasPrefix(charset.name, "utf-16") {
		p = bytes.ReplaceAll(p, []byte{0}, nil)
	}
	for i, b := range p {
		switch {
		case b == '\n' && i > 0 && p[i-1] == '\r':
			crlf++
			cr--
		case b == '\n':
			lf++
		case b == '\r':
			cr++
		case b == 0x85 && (charset.name != "utf-8" || i > 0 && p[i-1] == 0xc2):
			nel++
		case b == 27:
			escape = true
		case b == 8:
			overstrike = true
		}
		if b == '\n' || b == '\r' {
			longest, length = max(longest, length), 0
		} else if b&0xc0 != 0x80 || charset.name != "utf-8" {
			length++
		}
	}
	longest = max(longest, length)
	text := ""
	if longest >= longLine {
		text += fmt.Sprintf(", with very long lines (%d)", longest)
	}
	var ends []string
	for _, e := range []struct {
		n    int
		name string
	}{{crlf, "CRLF"}, {cr, "CR"}, {lf, "LF"}, {nel, "NEL"}} {
		if e.n > 0 {
			ends = append(ends, e.name)
		}
	}
	switch {
	case len(ends) == 0:
		text += ", with no line terminators"
	case len(ends) > 1 || ends[0] != "LF":
		text += ", with " + strings.Join(ends, ", ") + " line terminators"
	}
	if escape {
		text += ", with escape sequences"
	}
	if overstrike {
		text += ", with overstriking"
	}
	return text
}
