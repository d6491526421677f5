package search

import (
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// eof is what the parser reads after the last character.
const eof = -1

func (p *sedParser) next() int {
	if p.pos == len(p.src) {
		p.pos++
		return eof
	}
	if p.pos > len(p.src) {
		return eof
	}
	p.pos++
	return int(p.src[p.pos-1])
}

// unread goes back before ch, the last character read.
func (p *sedParser) unread(int) { p.pos-- }

// nextNonblank returns the next character that is not white space within a
// line.
func (p *sedParser) nextNonblank() int {
	for {
		if ch := p.next(); ch == eof || !isBlank(ch) {
			return ch
		}
	}
}

func isBlank(ch int) bool { return ch == ' ' || ch == '\t' }
func isSpace(ch int) bool { return isBlank(ch) || ch >= '\n' && ch <= '\r' }
func isDigit(ch int) bool { return ch >= '0' && ch <= '9' }

// bad returns an error at the current position.
func (p *sedParser) bad(format string, args ...any) error {
	return p.badStatus(sedBadUsage, format, args...)
}

func (p *sedParser) badStatus(status builtins.Exit, format string, args ...any) error {
	at := fmt.Sprintf("%s, char %d", p.where, min(p.pos, len(p.src)))
	if p.isFile {
		at = fmt.Sprintf("%s line %d", p.where, 1+strings.Count(p.src[:min(p.pos, len(p.src))], "\n"))
	}
	return &sedError{status, at + ": " + fmt.Sprintf(format, args...)}
}

// integer consumes a number, of which ch has been read.
func (p *sedParser) integer(ch int) (n int64) {
	for isDigit(ch) {
		n = min(n*10+int64(ch-'0'), 1<<53)
		ch = p.next()
	}
	p.unread(ch)
	return n
}

// fileName consumes the name of a file, which goes up to the end of the line.
func (p *sedParser) fileName() (string, error) {
	ch := p.nextNonblank()
	begin := p.pos - 1
	for ch != eof && ch != '\n' {
		ch = p.next()
	}
	name := p.src[min(begin, len(p.src)):min(p.pos-1, len(p.src))]
	if name == "" {
		return "", p.bad("missing filename in r/R/w/W commands")
	}
	return name, nil
}

// readLabel consumes a label and the blanks before it.
func (p *sedParser) readLabel() string {
	ch := p.nextNonblank()
	begin := p.pos - 1
	for ch != eof && !isSpace(ch) && ch != ';' && ch != '}' {
		ch = p.next()
	}
	end := p.pos - 1
	if ch == '}' {
		p.unread(ch)
	}
	return p.src[min(begin, len(p.src)):min(end, len(p.src))]
}

// endOfCommand consumes what ends a command.
func (p *sedParser) endOfCommand() error {
	switch ch := p.nextNonblank(); ch {
	case '}', '#':
		p.unread(ch)
	case eof, '\n', ';':
	case '\r':
		if ch = p.next(); ch != eof && ch != '\n' {
			return p.bad("extra characters after command")
		}
	default:
		return p.bad("extra characters after command")
	}
	return nil
}

// readText consumes the lines of a text. A backslash quotes the character after
// it; before a newline it makes the text go on.
func (p *sedParser) readText(c *sedCommand, oneLine bool) {
	var raw strings.Builder
	for {
		ch := p.next()
		if ch == '\\' && oneLine {
			// The first character behind the backslash of a, i or c
			// does not quote the next.
			raw.WriteByte('\\')
			oneLine = false
			continue
		}
		oneLine = false
		if ch == '\\' {
			raw.WriteByte('\\')
			if ch = p.next(); ch == eof {
				break
			}
			raw.WriteByte(byte(ch))
			continue
		}
		if ch == eof || ch == '\n' {
			break
		}
		raw.WriteByte(byte(ch))
	}
	text := raw.String()
	if n := len(text) - len(strings.TrimRight(text, `\`)); n%2 == 1 {
		text = text[:len(text)-1]
	}
	c.text = append(c.text, plainText(text)...)
	c.text = append(c.text, '\n')
}
