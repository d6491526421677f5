package bc

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A kind is the kind of a token. Operators are their own characters; see below
// for those of two.
type kind int

const (
	kEOF kind = -1 - iota
	kNewline
	kNumber
	kString
	kName
	kKeyword  // token.text
	kRelation // == != <= >= < >
	kAssign   // = += -= …
	kStep     // ++ --
	kAnd
	kOr
	kIllegal // has been reported
)

var keywords = strings.Fields("auto break continue define else for halt if ibase last length limits obase print quit random read return scale sqrt void while warranty")

// A token is a word of a program.
type token struct {
	kind kind
	text string
	line int // on which it ends
}

// maxToken bounds the length of a number or string.
const maxToken = 1 << 20

// A lexer divides a program into tokens, reading no further than it must.
type lexer struct {
	in     *bufio.Reader
	source Source // of what follows in
	budget Budget
	name   string // what messages call the program
	line   int
	report func(string)
	err    error // of reading
}

func (l *lexer) peek() byte {
	for {
		if _, err := l.in.Peek(1); err != io.EOF || !l.more() {
			return l.within()
		}
	}
}

// within returns the next character of this source: no word goes on in the next one.
func (l *lexer) within() byte {
	b, err := l.in.Peek(1)
	if err != nil {
		if err != io.EOF && l.err == nil {
			l.err = err
		}
		return 0
	}
	return b[0]
}

func (l *lexer) get() byte {
	b, err := l.in.ReadByte()
	for err == io.EOF && l.more() {
		b, err = l.in.ReadByte()
	}
	if err == nil && l.err == nil {
		l.err = l.budget.Poll(1)
	}
	if err != nil || l.err != nil {
		if err != io.EOF && l.err == nil {
			l.err = err
		}
		return 0
	}
	return b
}

// more goes on to the next source, if there is one.
func (l *lexer) more() bool {
	if l.source == nil {
		return false
	}
	name, in, err := l.source()
	if err != nil && l.err == nil {
		l.err = err
	}
	if in == nil {
		l.source = nil
		return false
	}
	l.in, l.name, l.line = in, name, 1
	return true
}

// complain reports a mistake at the current line.
func (l *lexer) complain(format string, args ...any) {
	l.report(fmt.Sprintf("%s %d: %s\n", l.name, l.line, fmt.Sprintf(format, args...)))
}

func (l *lexer) token(k kind, text string) token { return token{k, text, l.line} }

func (l *lexer) next() token {
	for {
		c := l.get()
		switch {
		case l.err != nil:
			return l.token(kEOF, "")
		case c == 0:
			if l.peek() == 0 {
				return l.token(kEOF, "")
			}
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
		case c == '\n':
			l.line++
			return l.token(kNewline, "")
		case c == '\\' && l.peek() == '\n':
			l.get()
			l.line++
		case c == '#':
			for l.peek() != '\n' && l.peek() != 0 {
				l.get()
			}
		case c == '/' && l.peek() == '*':
			l.get()
			if !l.comment() {
				return l.token(kEOF, "")
			}
		case c == '"':
			return l.str()
		case isDigit(c) || c == '.':
			return l.number(c)
		case c >= 'a' && c <= 'z':
			return l.word(c)
		default:
			return l.operator(c)
		}
	}
}

// comment skips a comment to its end.
func (l *lexer) comment() bool {
	for {
		switch c := l.get(); {
		case c == '\n':
			l.line++
		case c == '*' && l.peek() == '/':
			l.get()
			return true
		case c == 0 && l.peek() == 0:
			l.report("EOF encountered in a comment.\n")
			return false
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' }

// str reads a string. One that does not end is an illegal character.
func (l *lexer) str() token {
	var b strings.Builder
	start := l.line
	for {
		c := l.get()
		if c == '"' {
			return l.token(kString, b.String())
		}
		if c == 0 && l.peek() == 0 || b.Len() > maxToken {
			l.line = start
			l.complain(`illegal character: "`)
			return l.token(kIllegal, "")
		}
		if c == '\n' {
			l.line++
		}
		b.WriteByte(c)
	}
}

func (l *lexer) number(first byte) token {
	text := []byte{first}
	point := first == '.'
	for len(text) < maxToken {
		switch c := l.within(); {
		case isDigit(c), c == '.' && !point:
			point = point || c == '.'
			text = append(text, l.get())
			continue
		case c == '\\':
			if b, _ := l.in.Peek(2); len(b) == 2 && b[1] == '\n' {
				l.get()
				l.get()
				l.line++
				continue
			}
		}
		break
	}
	if string(text) == "." {
		return l.token(kKeyword, "last")
	}
	return l.token(kNumber, string(text))
}

func (l *lexer) word(first byte) token {
	text := []byte{first}
	for len(text) < maxToken {
		c := l.within()
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_') {
			break
		}
		text = append(text, l.get())
	}
	if word := string(text); slices.Contains(keywords, word) {
		return l.token(kKeyword, word)
	}
	return l.token(kName, string(text))
}

func (l *lexer) operator(c byte) token {
	d := l.peek()
	two := string([]byte{c, d})
	switch two {
	case "==", "!=", "<=", ">=":
		l.get()
		return l.token(kRelation, two)
	case "&&":
		l.get()
		return l.token(kAnd, two)
	case "||":
		l.get()
		return l.token(kOr, two)
	case "++", "--":
		l.get()
		return l.token(kStep, two[:1])
	case "+=", "-=", "*=", "/=", "%=", "^=":
		l.get()
		return l.token(kAssign, two[:1])
	}
	switch c {
	case '=':
		return l.token(kAssign, "=")
	case '<', '>':
		return l.token(kRelation, string(rune(c)))
	case '+', '-', '*', '/', '%', '^', '(', ')', '{', '}', '[', ']', ',', ';', '!', '&':
		return l.token(kind(c), "")
	}
	switch {
	case c < ' ':
		l.complain("illegal character: ^%c", c+'@')
	case c > '~':
		l.complain(`illegal character: \%03o`, c)
	default:
		l.complain("illegal character: %c", c)
	}
	return l.token(kIllegal, "")
}
