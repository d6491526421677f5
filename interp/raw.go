package interp

import (
	"context"
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"mvdan.cc/sh/v3/syntax"
)

// rawText compiles text that the parser has left raw, a subscript or the inside
// of an extended pattern: everything in it is literal but quotes and expansions.
// literal makes the text of the literal parts. The second result is false where
// there is nothing to expand.
func (c *compiler) rawText(raw string, ctx wordContext, literal func(string) string) (text, bool) {
	if !strings.ContainsAny(raw, "$`'\"") {
		return nil, false
	}
	var list []text
	from := 0
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '\\':
			i += 2
			continue
		case '$', '`', '\'', '"':
		default:
			i++
			continue
		}
		end := skipExpansion(raw, i)
		if end == i+1 && raw[i] == '$' {
			i++
			continue
		}
		end = min(end, len(raw))
		t := c.within(raw[i:end]).wordText(ctx)
		if t == nil {
			i = end
			continue
		}
		if from < i {
			list = append(list, constant(literal(raw[from:i])))
		}
		list = append(list, t)
		i, from = end, end
	}
	if from < len(raw) {
		list = append(list, constant(literal(raw[from:])))
	}
	return func(sh *Shell) string {
		var b strings.Builder
		for _, t := range list {
			b.WriteString(t(sh))
		}
		return b.String()
	}, true
}

// within returns a compiler of a source of its own.
func (c *compiler) within(src string) *compiler {
	return &compiler{names: c.names, src: src, file: c.file, line: max(c.at-1, 0), at: c.at}
}

// wordText compiles the source as one word; nil where that is not what it is.
func (c *compiler) wordText(ctx wordContext) text {
	w := parseWord(c.src)
	if w == nil {
		return nil
	}
	return c.parts(w.Parts, ctx)
}

// parseWord parses one word; nil where that is not what s is.
func parseWord(s string) *syntax.Word {
	words, err := parse.Words(context.Background(), s)
	if err != nil || len(words) != 1 {
		return nil
	}
	return words[0]
}

// skipExpansion returns where the quotation or expansion that starts at i ends.
func skipExpansion(s string, i int) int {
	switch s[i] {
	case '\'':
		return skipTo(s, i+1, '\'', false)
	case '"':
		return skipDouble(s, i+1)
	case '`':
		return skipTo(s, i+1, '`', true)
	}
	if i+1 >= len(s) {
		return i + 1
	}
	switch next := s[i+1]; {
	case next == '\'':
		return skipTo(s, i+2, '\'', true)
	case next == '"':
		return skipDouble(s, i+2)
	case next == '(':
		return skipNested(s, i+2, '(', ')')
	case next == '{':
		return skipNested(s, i+2, '{', '}')
	case next == '[':
		return skipNested(s, i+2, '[', ']')
	case isNameByte(next) && (next < '0' || next > '9'):
		j := i + 1
		for j < len(s) && isNameByte(s[j]) {
			j++
		}
		return j
	case strings.IndexByte("@*#?-$!0123456789", next) >= 0:
		return i + 2
	}
	return i + 1
}

func isNameByte(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// isName reports whether s is a name: letters, digits and underscores, not
// beginning with a digit.
func isName(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !isNameByte(s[i]) {
			return false
		}
	}
	return true
}

func skipTo(s string, i int, end byte, escapes bool) int {
	for ; i < len(s); i++ {
		switch {
		case s[i] == '\\' && escapes:
			i++
		case s[i] == end:
			return i + 1
		}
	}
	return i
}

func skipDouble(s string, i int) int {
	for i < len(s) {
		switch s[i] {
		case '\\':
			i += 2
		case '"':
			return i + 1
		case '$', '`':
			i = skipExpansion(s, i)
		default:
			i++
		}
	}
	return i
}

func skipNested(s string, i int, open, end byte) int {
	for depth := 1; i < len(s); {
		switch s[i] {
		case '\\':
			i += 2
			continue
		case '\'', '"', '`':
			i = skipExpansion(s, i)
			continue
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return i
}
