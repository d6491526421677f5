package interp

import "strings"

// Kinds of tokens other than operators.
const (
	tokEnd    = ""
	tokNumber = "0"
	tokName   = "a"
	tokDollar = "$"
)

// operators, the longest first.
var exprOperators = []string{
	"<<=", ">>=", "**=", "++", "--", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "**", "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|=",
}

// next reads the next token.
func (p *exprParser) next() {
	if p.failed {
		return
	}
	s := p.src
	for p.pos < len(s) && strings.IndexByte(" \t\n\r", s[p.pos]) >= 0 {
		p.pos++
	}
	if p.pos >= len(s) {
		p.tok = tokEnd // and p.start remains: errors at the end show the last token
		return
	}
	p.start = p.pos
	switch b := s[p.pos]; {
	case b >= '0' && b <= '9':
		p.number()
	case isNameByte(b):
		p.identifier()
	case b == '$' && p.dollars:
		p.dollar()
	default:
		for _, op := range exprOperators {
			if strings.HasPrefix(s[p.pos:], op) {
				// ++ and -- are operators only beside a name.
				if (op == "++" || op == "--") && !p.besideName() {
					break
				}
				p.tok = op
				p.pos += len(op)
				return
			}
		}
		if strings.IndexByte("+-*/%!~<>&|^?:=(),", b) < 0 {
			if p.tok == tokNumber || p.tok == tokName || p.tok == "++" || p.tok == "--" {
				p.fail("syntax error: invalid arithmetic operator", p.start)
			} else {
				p.fail("syntax error: operand expected", p.start)
			}
			return
		}
		p.tok = s[p.pos : p.pos+1]
		p.pos++
	}
}

// besideName reports whether the ++ or -- at p.pos follows a name or stands
// before one.
func (p *exprParser) besideName() bool {
	if p.tok == tokName {
		return true
	}
	rest := strings.TrimLeft(p.src[p.pos+2:], " \t\n")
	return rest != "" && isNameByte(rest[0]) && (rest[0] < '0' || rest[0] > '9')
}

func (p *exprParser) number() {
	end := p.pos
	for end < len(p.src) && (isNameByte(p.src[end]) || p.src[end] == '#' || p.src[end] == '@') {
		end++
	}
	n, msg := parseNumber(p.src[p.pos:end])
	if msg != "" {
		p.src = p.src[:end] // Bash: the message shows the expression up to the number
		p.fail(msg, p.pos)
		return
	}
	p.tok, p.num, p.pos = tokNumber, n, end
}

// parseNumber parses an integer constant: decimal, octal, hexadecimal or
// base#digits. It wraps around beyond 64 bits, as bash does.
func parseNumber(s string) (n int64, msg string) {
	base, digits := int64(10), s
	if i := strings.IndexByte(s, '#'); i >= 0 {
		b, ok := plainInt(s[:i])
		if !ok || b < 2 || b > 64 {
			return 0, "invalid arithmetic base"
		}
		base, digits = b, s[i+1:]
		if digits == "" {
			return 0, "invalid integer constant"
		}
	} else if len(s) > 1 && s[0] == '0' {
		base, digits = 8, s[1:]
		if digits[0] == 'x' || digits[0] == 'X' {
			base, digits = 16, digits[1:]
		}
	}
	for i := 0; i < len(digits); i++ {
		d := int64(64)
		switch b := digits[i]; {
		case b >= '0' && b <= '9':
			d = int64(b - '0')
		case b >= 'a' && b <= 'z':
			d = int64(b-'a') + 10
		case b >= 'A' && b <= 'Z' && base <= 36:
			d = int64(b-'A') + 10
		case b >= 'A' && b <= 'Z':
			d = int64(b-'A') + 36
		case b == '@':
			d = 62
		case b == '_':
			d = 63
		case b == '#':
			return 0, "invalid number"
		}
		if d >= base {
			return 0, "value too great for base"
		}
		n = n*base + d
	}
	return n, ""
}

func (p *exprParser) identifier() {
	end := p.pos
	for end < len(p.src) && isNameByte(p.src[end]) {
		end++
	}
	p.tok, p.name, p.index = tokName, p.src[p.pos:end], nil
	p.pos = end
	if end < len(p.src) && p.src[end] == '[' {
		close := skipNested(p.src, end+1, '[', ']')
		if close > len(p.src) || p.src[close-1] != ']' {
			p.fail("bad array subscript", p.start)
			return
		}
		p.index = p.c.subscriptText(p.src[end+1 : close-1])
		p.index.owner = p.name
		p.indexed = true
		p.pos = close
	}
}

// dollar reads $name, ${name} and $1, the expansions that are operands here.
func (p *exprParser) dollar() {
	rest := p.src[p.pos+1:]
	brace := strings.HasPrefix(rest, "{")
	if brace {
		rest = rest[1:]
	}
	n := 0
	for n < len(rest) && isNameByte(rest[n]) {
		n++
	}
	name := rest[:n]
	if n == 0 && strings.HasPrefix(rest, "#") {
		name, n = "#", 1
	}
	size := 1 + n
	if brace {
		if n >= len(rest) || rest[n] != '}' {
			p.fail("", p.start)
			return
		}
		size += 2
	} else if n > 1 && name[0] >= '0' && name[0] <= '9' {
		name, size = name[:1], 2
	}
	switch {
	case isName(name), name == "#", len(name) > 0 && name[0] >= '1' && name[0] <= '9':
	default:
		p.fail("", p.start)
		return
	}
	after := p.pos + size
	if after < len(p.src) && (isNameByte(p.src[after]) || p.src[after] == '[' || p.src[after] == '#' || p.src[after] == '$') || p.start > 0 && (isNameByte(p.src[p.start-1]) || p.src[p.start-1] == '#') {
		p.fail("", p.start) // joined to what is beside it
		return
	}
	p.tok, p.name, p.pos = tokDollar, name, after
}
