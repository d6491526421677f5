package search

import (
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
)

// A sedRegex is an expression of a script. The empty one stands for the last
// that was used.
type sedRegex struct {
	empty   bool
	matcher *regex.Matcher

	text                  string
	ignoreCase, multiline bool
}

// regex compiles an expression.
func (p *sedParser) regex(text string, ignoreCase, multiline bool) (*sedRegex, error) {
	if text == "" {
		if ignoreCase || multiline {
			return nil, p.bad("cannot specify modifiers on empty regexp")
		}
		return &sedRegex{empty: true}, nil
	}
	dialect := regex.Basic
	if p.extended {
		dialect = regex.Extended
	}
	flags := localeFlags(p.Call)
	if ignoreCase {
		flags |= regex.IgnoreCase
	}
	if multiline && p.delim == '\n' {
		flags |= regex.Multiline
	}
	re, err := regex.Compile(regexText(text), dialect, flags)
	if err != nil {
		return nil, p.bad("%v", err)
	}
	if re.ClassSyntax {
		return nil, &sedError{sedPanic, regex.ErrClassSyntax.Error()}
	}
	m := re.Matcher(p.Call)
	p.closers = append(p.closers, m.Close)
	return &sedRegex{matcher: m, text: text, ignoreCase: ignoreCase, multiline: multiline}, m.Err()
}

// recall returns re or, where it is empty, the last expression.
func (s *sed) recall(re *sedRegex) (*sedRegex, error) {
	if !re.empty {
		s.last = re
	} else if s.last == nil {
		return nil, s.runtimeError("no previous regular expression")
	}
	return s.last, nil
}

func (s *sed) runtimeError(text string) error {
	return &sedError{builtins.Exit(1), "-e expression #1, char 0: " + text}
}

// delimited consumes text up to delim. It reports whether there is one on the
// line. A quoted delimiter loses its backslash; in an expression, \n becomes a
// newline, and delim in brackets is part of the text.
func (p *sedParser) delimited(delim int, isRegex bool) (string, bool) {
	var b strings.Builder
	for {
		ch := p.next()
		switch {
		case ch == eof:
			return "", false
		case ch == '\n':
			p.unread(ch)
			return "", false
		case ch == delim:
			return b.String(), true
		case ch == '\\':
			if !p.quoted(&b, delim, isRegex) {
				return "", false
			}
		case ch == '[' && isRegex:
			b.WriteByte('[')
			if !p.bracketed(&b, delim) {
				return "", false
			}
		default:
			b.WriteByte(byte(ch))
		}
	}
}

// bracketed consumes the rest of a bracket expression, of which [ has been read.
// It reports whether it ends on the line.
func (p *sedParser) bracketed(b *strings.Builder, delim int) bool {
	rest := p.src[min(p.pos, len(p.src)):]
	end := 0
	if strings.HasPrefix(rest, "^") {
		end = 1
	}
	if strings.HasPrefix(rest[end:], "]") {
		end++
	}
	for {
		i := strings.IndexAny(rest[end:], "][\n")
		if i < 0 || rest[end+i] == '\n' {
			p.pos = len(p.src)
			if i >= 0 {
				p.pos = len(p.src) - len(rest) + end + i
			}
			return false
		}
		end += i + 1
		if rest[end-1] == ']' {
			break
		}
		if end < len(rest) && strings.IndexByte(":.=", rest[end]) >= 0 {
			if k := strings.Index(rest[end+1:], rest[end:end+1]+"]"); k >= 0 {
				end += k + 3
			}
		}
	}
	for i := 0; i < end; i++ {
		if rest[i] == '\\' && i+1 < end {
			switch next := rest[i+1]; {
			case next == 'n':
				b.WriteByte('\n')
				i++
				continue
			case int(next) == delim:
				continue
			case next == '\\':
				b.WriteByte('\\')
				i++
			}
		}
		b.WriteByte(rest[i])
	}
	p.pos += end
	return true
}

// quoted consumes the character after a backslash.
func (p *sedParser) quoted(b *strings.Builder, delim int, isRegex bool) bool {
	ch := p.next()
	switch {
	case ch == eof:
		return false
	case ch == delim && !(ch == '&' && !isRegex):
	case ch == 'n' && isRegex:
		ch = '\n'
	case ch == '\n' && isRegex:
	default:
		b.WriteByte('\\')
	}
	b.WriteByte(byte(ch))
	return true
}

// escape decodes an escape of sed that stands for a character, at the start of
// s, after the backslash. It returns how much of s it took; 0 if there is none.
func escape(s string) (c byte, n int) {
	const letters, values = "afnrtv", "\a\f\n\r\t\v"
	if i := strings.IndexByte(letters, s[0]); i >= 0 {
		return values[i], 1
	}
	switch s[0] {
	case 'c':
		if len(s) > 1 {
			return strings.ToUpper(s[1:2])[0] ^ 0x40, 2
		}
	case 'd':
		return number(s[1:], 10, 3)
	case 'o':
		return number(s[1:], 8, 3)
	case 'x':
		return number(s[1:], 16, 2)
	}
	return 0, 0
}

// number decodes up to width digits at the start of s, of which a letter has
// been read.
func number(s string, base, width int) (c byte, n int) {
	v := 0
	for n < len(s) && n < width {
		d, err := strconv.ParseUint(s[n:n+1], base, 8)
		if err != nil {
			break
		}
		v = v*base + int(d)
		n++
	}
	if n == 0 {
		return 0, 0
	}
	return byte(v), n + 1
}

// regexText replaces the escapes of sed in an expression.
func regexText(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		c, n := escape(s[i+1:])
		if n == 0 {
			b.WriteString(s[i : i+2])
			i++
			continue
		}
		if c == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
		i += n
	}
	return b.String()
}

// plainText replaces the escapes in the text of a, i and c, and drops other
// backslashes.
func plainText(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 == len(s) {
			break
		}
		if c, n := escape(s[i+1:]); n > 0 {
			b.WriteByte(c)
			i += n
			continue
		}
		i++
		b.WriteByte(s[i])
	}
	return b.String()
}
