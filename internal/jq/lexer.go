package jq

import (
	"cmp"
	"fmt"
	"strings"
)

// A syntaxError is a mistake in a program, with the line that it is in.
type syntaxError struct{ msg string }

func (e *syntaxError) Error() string { return e.msg }

// A lexeme is a token of a program. Its kind is the text of an operator or of a
// keyword, or one of these: number, string, ident, field, variable, format, eof.
type lexeme struct {
	kind string
	text string // of idents and their like, without . $ or @
	num  Value
	tmpl *template // of strings
	pos  int
}

// keywords are the words that are no names of functions.
var keywords = map[string]bool{
	"def": true, "if": true, "then": true, "elif": true, "else": true, "end": true, "as": true,
	"reduce": true, "foreach": true, "try": true, "catch": true, "label": true, "import": true,
	"include": true, "and": true, "or": true, "__loc__": true,
}

// operators are the operators, longest first where one begins another.
var operators = []string{
	"?//=", "?//", "|=", "+=", "-=", "*=", "/=", "%=", "//=", "//", "==", "!=", "<=", ">=", "..",
	".", "[", "]", "(", ")", "{", "}", "|", ",", ":", ";", "=", "<", ">", "+", "-", "*", "/", "%", "?", "$",
}

// next reads the next token into p.tok.
func (p *parser) next() {
	p.skipSpace()
	rest := p.src[p.pos:]
	p.before = p.tok
	p.tok = lexeme{pos: p.pos}
	if rest == "" {
		p.tok.kind = "eof"
		return
	}
	switch c := rest[0]; {
	case c == '"':
		p.pos++
		p.tok.kind = "string"
		p.tok.tmpl = p.stringRest()
		return
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		p.number(rest)
		return
	case isNameStart(c):
		n := nameLen(rest)
		p.tok.text = rest[:n]
		p.tok.kind = "ident"
		if keywords[p.tok.text] {
			p.tok.kind = p.tok.text
		}
		p.pos += n
		return
	case (c == '.' || c == '$' || c == '@') && len(rest) > 1 && (isNameStart(rest[1]) || c == '@' && isDigit(rest[1])):
		n := 1
		for n < len(rest) && (isNameStart(rest[n]) || isDigit(rest[n])) {
			n++
		}
		if c == '$' {
			n = 1 + nameLen(rest[1:])
		}
		p.tok.kind = map[byte]string{'.': "field", '$': "variable", '@': "format"}[c]
		p.tok.text = rest[1:n]
		p.pos += n
		return
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			if op == "?//=" { // ? and then //=
				op = "?"
			}
			p.tok.kind = op
			p.pos += len(op)
			return
		}
	}
	p.fail(p.pos, "syntax error, unexpected INVALID_CHARACTER")
}

func isNameStart(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// nameLen returns the length of the name that s begins with, which may have
// names of modules in front.
func nameLen(s string) int {
	n := 0
	for n < len(s) && (isNameStart(s[n]) || isDigit(s[n]) || strings.HasPrefix(s[n:], "::") && n+2 < len(s) && isNameStart(s[n+2])) {
		if s[n] == ':' {
			n++
		}
		n++
	}
	return n
}

func (p *parser) skipSpace() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\r', '\n':
			p.pos++
		case '#':
			if i := strings.IndexByte(p.src[p.pos:], '\n'); i >= 0 {
				p.pos += i
			} else {
				p.pos = len(p.src)
			}
		default:
			return
		}
	}
}

func (p *parser) number(rest string) {
	n := 0
	digits := func() {
		for n < len(rest) && isDigit(rest[n]) {
			n++
		}
	}
	digits()
	if n < len(rest) && rest[n] == '.' {
		n++
		digits()
	}
	if n < len(rest) && rest[n]|0x20 == 'e' {
		m := n
		if n++; n < len(rest) && (rest[n] == '+' || rest[n] == '-') {
			n++
		}
		if n == len(rest) || !isDigit(rest[n]) {
			n = m
		}
		digits()
	}
	p.tok.kind, p.tok.num = "number", parseNumber(rest[:n])
	p.pos += n
}

// stringRest reads a string whose opening quote has been read.
func (p *parser) stringRest() *template {
	defer p.nest()()
	t := &template{}
	var b []byte
	flush := func() {
		if len(b) > 0 {
			t.parts = append(t.parts, &literal{tall{1}, valid(string(b))})
			b = nil
		}
	}
	for {
		if p.pos >= len(p.src) {
			p.fail(p.pos, "syntax error, unexpected end of file, expecting QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END")
		}
		c := p.src[p.pos]
		if c == '"' {
			p.pos++
			flush()
			t.tall = p.over(t.parts...)
			return t
		}
		if c != '\\' {
			b = append(b, c)
			p.pos++
			continue
		}
		rest := p.src[p.pos:]
		switch r, n := unicodeEscape([]byte(rest[:min(len(rest), 12)])); {
		case n > 0:
			b = append(b, string(r)...)
			p.pos += n
		case len(rest) > 1 && rest[1] == '(':
			flush()
			p.pos += 2
			t.parts = append(t.parts, p.interpolation())
		case len(rest) > 1 && strings.IndexByte(`"\/bfnrt`, rest[1]) >= 0:
			b = append(b, "\"\\/\b\f\n\r\t"[strings.IndexByte(`"\/bfnrt`, rest[1])])
			p.pos += 2
		default:
			p.fail(p.pos, "syntax error, unexpected INVALID_CHARACTER")
		}
	}
}

// interpolation parses the expression of \(…), whose parenthesis has been read.
func (p *parser) interpolation() node {
	saved := p.tok
	p.next()
	x := p.pipeline()
	if p.tok.kind != ")" {
		p.unexpected()
	}
	p.pos = p.tok.pos + 1
	p.tok = saved
	return &pipe{p.over(x), &identity{tall{1}}, x} // so that it is no literal
}

// fail reports a syntax error at the byte pos.
func (p *parser) fail(pos int, format string, args ...any) {
	p.failAt(pos, format+" (Unix shell quoting issues?)", args...)
}

// failAt reports a mistake that is not one of syntax.
func (p *parser) failAt(pos int, format string, args ...any) {
	panic(&syntaxError{mistake(p.origin, p.src, pos, format, args...)})
}

// mistake returns the message about a mistake at the byte pos of src, which is
// from a file or else the program itself: with the line, and as many spaces as
// there are characters before it.
func mistake(origin, src string, pos int, format string, args ...any) string {
	pos = min(pos, len(src))
	begin := strings.LastIndexByte(src[:pos], '\n') + 1
	text, _, _ := strings.Cut(src[begin:], "\n")
	return fmt.Sprintf("%s at %s, line %d:\n%s%s", fmt.Sprintf(format, args...), cmp.Or(origin, "<top-level>"),
		1+strings.Count(src[:begin], "\n"), text, strings.Repeat(" ", pos-begin))
}
