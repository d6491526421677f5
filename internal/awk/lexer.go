package awk

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Source is a piece of program text.
type Source struct {
	Name string // of the file; "" for text from the command line
	Text string
}

// A SyntaxError is a mistake in a program, in gawk's words: the line that it is
// in, a mark below the place, and what is wrong. It may have several lines, each
// to be printed after the command's name.
type SyntaxError struct {
	Lines []string
	Fatal bool // the program is at fault and not its syntax: status 2, not 1
}

// Error returns the lines of the message.
func (e *SyntaxError) Error() string { return strings.Join(e.Lines, "\n") }

// A lexer splits a source into tokens, on demand: what a slash means depends on
// what the parser expects.
type lexer struct {
	src   Source
	pos   int // of what follows the token
	start int // of the token
	line  int // of the token
	tok   token
	text  string  // of names and strings, decoded; of regexps, as written
	num   float64 // of numbers
	last  token   // the token before
	nl    int     // newlines before pos

	library map[string]*builtin // the names of functions
	warn    func(line int, format string, args ...any)
}

func newLexer(src Source, library map[string]*builtin, warn func(int, string, ...any)) *lexer {
	return &lexer{src: src, line: 1, nl: 1, library: library, warn: warn}
}

// where returns the place of line as messages begin with it.
func (s Source) where(line int) string {
	if s.Name == "" {
		return fmt.Sprintf("cmd. line:%d: ", line)
	}
	return fmt.Sprintf("%s:%d: ", s.Name, line)
}

// fail reports a syntax error at the byte pos.
func (l *lexer) fail(pos int, format string, args ...any) { l.failOn(0, pos, format, args...) }

// failOn is fail with a line number that is so many lines further on, as gawk's
// is when a newline is what it did not expect.
func (l *lexer) failOn(further, pos int, format string, args ...any) {
	text := l.src.Text
	pos = min(pos, len(text))
	begin := strings.LastIndexByte(text[:pos], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[begin:], '\n'); i >= 0 {
		end = begin + i
	}
	line := 1 + further + strings.Count(text[:begin], "\n")
	where := l.src.where(line)
	indent := []byte(text[begin:pos])
	for i, c := range indent {
		if c != '\t' {
			indent[i] = ' '
		}
	}
	panic(&SyntaxError{Lines: []string{
		where + text[begin:end],
		where + string(indent) + "^ " + fmt.Sprintf(format, args...),
	}})
}

// next reads the next token.
func (l *lexer) next() {
	l.last = l.tok
	l.skipBlank()
	l.start, l.line = l.pos, l.nl
	rest := l.src.Text[l.pos:]
	if rest == "" {
		l.tok = tEOF
		return
	}
	switch c := rest[0]; {
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		l.number(rest)
		return
	case isNameStart(c):
		l.name()
		return
	case c == '"':
		l.string()
		return
	case c == '@':
		l.at(rest)
		return
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op.text) {
			l.tok = op.tok
			l.pos += len(op.text)
			if op.tok == tNewline {
				l.nl++
			}
			return
		}
	}
	if rest[0] == '&' {
		l.fail(l.pos, "syntax error")
	}
	l.fail(l.pos, "invalid char '%s' in expression", rest[:1])
}

// skipBlank skips white space, continued lines and comments.
func (l *lexer) skipBlank() {
	text := l.src.Text
	for l.pos < len(text) {
		switch c := text[l.pos]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			l.pos++
		case c == '\\' && strings.HasPrefix(text[l.pos+1:], "\n"):
			l.pos += 2
			l.nl++
		case c == '\\' && strings.HasPrefix(text[l.pos+1:], "\r\n"):
			l.pos += 3
			l.nl++
		case c == '\\':
			l.fail(l.pos, "backslash not last character on line")
		case c == '#':
			if i := strings.IndexByte(text[l.pos:], '\n'); i >= 0 {
				l.pos += i
			} else {
				l.pos = len(text)
			}
		default:
			return
		}
	}
}

func isNameStart(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// number reads a number: decimal or, as gawk has it in programs, octal or
// hexadecimal.
func (l *lexer) number(rest string) {
	l.tok = tNumber
	if len(rest) > 2 && rest[0] == '0' && rest[1]|0x20 == 'x' {
		i := 2
		for i < len(rest) && isHex(rest[i]) {
			i++
		}
		if i > 2 {
			l.num = parseRadix(rest[2:i], 16)
			l.pos += i
			return
		}
	}
	n, end := scanNumber(rest)
	if digits := rest[:end]; len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "01234567") == "" {
		n = parseRadix(digits, 8)
	}
	l.num = n
	l.pos += end
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// parseRadix returns the value of digits, however many there are.
func parseRadix(digits string, radix float64) (n float64) {
	for _, c := range []byte(digits) {
		d, _ := strconv.ParseUint(string(c), 16, 8)
		n = n*radix + float64(d)
	}
	return n
}

// name reads a name, a keyword, or the name of a function.
func (l *lexer) name() {
	text := l.src.Text
	end := l.pos
	for end < len(text) && (isNameStart(text[end]) || isDigit(text[end])) {
		end++
	}
	if strings.HasPrefix(text[end:], "::") && end+2 < len(text) && isNameStart(text[end+2]) {
		end += 2
		for end < len(text) && (isNameStart(text[end]) || isDigit(text[end])) {
			end++
		}
	}
	l.text = text[l.pos:end]
	l.pos = end
	switch tok, ok := keywords[l.text]; {
	case ok:
		l.tok = tok
	case l.library[l.text] != nil:
		l.tok = tBuiltin
	case end < len(text) && text[end] == '(':
		l.tok = tFuncName
	default:
		l.tok = tName
	}
}

// at reads what begins with @: a strongly typed regexp, an indirect call, or a
// directive.
func (l *lexer) at(rest string) {
	if strings.HasPrefix(rest, "@/") {
		l.pos++
		l.start++
		l.regexp()
		l.tok = tStrongRegexp
		return
	}
	l.pos++
	if len(rest) > 1 && isNameStart(rest[1]) {
		l.name()
		switch l.text {
		case "include", "load", "namespace":
			l.fail(l.start, "@%s is not supported", l.text)
		}
		l.start++
		if l.tok == tFuncName {
			l.tok = tIndirect
			return
		}
	}
	l.fail(l.start, "syntax error")
}

// string reads a string and decodes its escapes.
func (l *lexer) string() {
	text := l.src.Text
	i := l.pos + 1
	begin := i
	for {
		if i >= len(text) || text[i] == '\n' {
			l.fail(l.start, "unterminated string")
		}
		if text[i] == '"' {
			break
		}
		if text[i] == '\\' {
			if i++; i < len(text) && text[i] == '\n' {
				l.nl++
			}
		}
		i++
	}
	l.tok = tString
	l.text = unescape(text[begin:i], func(format string, args ...any) { l.warn(l.line, format, args...) })
	l.pos = i + 1
}

// regexp reads the rest of a regexp whose first slash, or /=, the last token
// was.
func (l *lexer) regexp() {
	text := l.src.Text
	i := l.start + 1
	begin := i
	for inList := false; ; i++ {
		if i >= len(text) || text[i] == '\n' {
			l.fail(l.start+1, "unterminated regexp")
		}
		c := text[i]
		if c == '/' && !inList {
			break
		}
		switch {
		case c == '\\':
			i++
			l.regexpEscape(text[min(i, len(text)):])
		case c == '[' && !inList:
			inList = true
			if strings.HasPrefix(text[i+1:], "^") {
				i++
			}
			if strings.HasPrefix(text[i+1:], "]") {
				i++
			}
		case c == '[' && i+1 < len(text) && strings.IndexByte(":.=", text[i+1]) >= 0:
			if end := strings.Index(text[i+2:], text[i+1:i+2]+"]"); end >= 0 && !strings.ContainsAny(text[i:i+2+end], "/\n") {
				i += end + 3
			}
		case c == ']':
			inList = false
		}
	}
	l.tok = tRegexp
	l.text = strings.ReplaceAll(text[begin:i], "\\\n", "")
	l.pos = i + 1
}

// regexpEscape looks at the escape of a regexp whose backslash rest follows.
func (l *lexer) regexpEscape(rest string) {
	switch {
	case rest == "":
	case rest[0] == '\n':
		l.nl++
	case isNameStart(rest[0]) && strings.IndexByte("abfnrtvxyBwWsS", rest[0]) < 0:
		l.warn(l.line, "regexp escape sequence `\\%s' is not a known regexp operator", rest[:1])
	}
}

// unescape decodes the escapes of a string, as in the text of a program and in
// assignments on the command line.
func unescape(s string, warn func(format string, args ...any)) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		if i++; i == len(s) {
			b = append(b, '\\')
			break
		}
		switch c := s[i]; {
		case c == '\n':
		case c == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			i++
		case c == '"' || c == '\\':
			b = append(b, c)
		case c == '/':
			warn("escape sequence `\\%s' treated as plain `%s'", "/", "/")
			b = append(b, c)
		case c == 'x' && (i+1 == len(s) || !isHex(s[i+1])):
			warn("no hex digits in `\\x' escape sequence")
			b = append(b, c)
		default:
			code, n := escape(s[i:])
			if n == 0 {
				n = max(1, runeLen(s[i:]))
				warn("escape sequence `\\%s' treated as plain `%s'", s[i:i+n], s[i:i+n])
				code = s[i : i+n]
			}
			b = append(b, code...)
			i += n - 1
		}
	}
	return string(b)
}

func runeLen(s string) int { _, n := utf8.DecodeRuneInString(s); return n }

// escape decodes the escape whose backslash s follows, and returns how much of s
// it takes; 0 if it is none that names a character.
func escape(s string) (string, int) {
	switch c := s[0]; c {
	case 'a', 'b', 'f', 'n', 'r', 't', 'v':
		return string("\a\b\f\n\r\t\v"[strings.IndexByte("abfnrtv", c)]), 1
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n := 1
		for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
			n++
		}
		v, _ := strconv.ParseUint(s[:n], 8, 16)
		return string([]byte{byte(v)}), n
	case 'x':
		n := 1
		for n < 3 && n < len(s) && isHex(s[n]) {
			n++
		}
		if n == 1 {
			return "", 0
		}
		v, _ := strconv.ParseUint(s[1:n], 16, 8)
		return string([]byte{byte(v)}), n
	}
	return "", 0
}
