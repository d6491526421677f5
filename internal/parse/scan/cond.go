package scan

import (
	"fmt"
	"strings"
)

// condCommand reads what stands between [[ and ]], and the latter
// (parse_cond_command in parse.y). Its tokens do not take part in deciding
// what later ones are.
func (s *Scanner) condCommand(open token) {
	c := cond{Scanner: s, line: open.start}
	s.condExpr = true
	s.peeked = false
	c.or()
	s.condExpr = false
	if c.tok.kind != condEnd {
		c.fail()
	}
	if c.lists > 1 || c.lists > 0 && c.nots > 0 {
		s.site(CondOrder, open.start, s.pos)
	}
	s.last, s.before = condEnd, condCommand
}

// cond parses a conditional expression.
type cond struct {
	*Scanner
	tok  token // the token that ended the last term
	line int   // offset of the command

	lists, nots int // operators && || and !
}

// next reads a token. When that ends within a word, bash reports the missing
// quote, and then what it expected.
func (c *cond) next(expected string) token {
	err := c.try(func() { c.tok = c.lex() })
	if err == nil {
		return c.tok
	}
	if e, ok := err.(*Error); ok && e.Incomplete {
		line := c.lastLine()
		if expected == "" {
			line, expected = c.lineOf(c.line), "unexpected EOF while looking for `]]'"
		}
		e.Messages = append(e.Messages, Message{line, expected})
	}
	panic(bail{err})
}

func (c *cond) skip(expected string) token {
	for c.next(expected).kind == newline {
	}
	return c.tok
}

func (c *cond) or() {
	c.enter()
	defer c.leave()
	for c.and(); c.tok.kind == orOr; {
		c.lists++
		c.and()
	}
}

func (c *cond) and() {
	for c.term(); c.tok.kind == andAnd; {
		c.lists++
		c.term()
	}
}

func (c *cond) term() {
	const operand = "unexpected token `\xff' in conditional command"
	t := c.skip(operand)
	for t.kind == word && t.text == "!" {
		if c.at(t.end) == '(' {
			c.site(BangParen, t.end, t.end)
		}
		c.nots++
		t = c.skip(operand)
	}
	switch {
	case t.kind == condEnd:
		c.report()
	case t.kind == lparen:
		c.or()
		if c.tok.kind != rparen {
			c.failAt(t, c.named("unexpected token `%s', expected `)'", "expected `)'"))
		}
		c.skip("")
	case t.kind == word && len(t.text) == 2 && t.text[0] == '-' && strings.IndexByte("abcdefghknoprstuvwxzGLNORS", t.text[1]) >= 0:
		if t = c.next("unexpected argument to conditional unary operator"); t.kind != word {
			c.failAt(t, c.named("unexpected argument `%s' to conditional unary operator", "unexpected argument to conditional unary operator"))
		}
		c.skip("")
	case t.kind == word:
		c.binary()
	case t.kind == number:
		c.failAt(t, "unexpected token 284 in conditional command")
	case t.kind == redirWord:
		c.failAt(t, "unexpected token 283 in conditional command")
	default:
		c.failAt(t, c.named("unexpected token `%s' in conditional command", ""))
	}
}

// binary reads what follows the first operand.
func (c *cond) binary() {
	op := c.next("conditional binary operator expected")
	switch {
	case op.kind == word && (op.text == "=" || op.text == "==" || op.text == "!="):
		c.pattern = true
	case op.kind == word && op.text == "=~":
		c.regexp = true
	case op.kind == word && isBinary(op.text), op.kind == less, op.kind == great:
	case op.kind == condEnd, op.kind == andAnd, op.kind == orOr, op.kind == rparen:
		return
	default:
		c.failAt(op, c.named("unexpected token `%s', conditional binary operator expected", "conditional binary operator expected"))
	}
	regexp := c.regexp
	t := c.next("unexpected argument to conditional binary operator")
	c.pattern, c.regexp = false, false
	if t.kind != word {
		c.failAt(t, c.named("unexpected argument `%s' to conditional binary operator", "unexpected argument to conditional binary operator"))
	}
	if regexp {
		c.site(Regexp, t.start, t.end)
	}
	c.skip("")
}

func isBinary(op string) bool {
	switch op {
	case "-nt", "-ot", "-ef", "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return true
	}
	return false
}

// named formats a message about the current token, whose text bash knows only
// when it is not a word.
func (c *cond) named(with, without string) string {
	switch c.tok.kind {
	case word, number, redirWord:
		return without
	case newline:
		return fmt.Sprintf(with, "newline")
	case eof:
		return fmt.Sprintf(with, "EOF")
	}
	return fmt.Sprintf(with, c.tok.text)
}

// failAt reports an error at t.
func (c *cond) failAt(t token, message string) {
	line := c.lineOf(max(t.start, t.end-1))
	if t.kind == eof {
		line = c.lastLine()
	}
	c.report(Message{line, message})
}

// fail reports that the expression as a whole is wrong.
func (c *cond) fail() {
	line := c.lineOf(c.line)
	if c.tok.kind == eof {
		c.report(Message{line, "unexpected EOF while looking for `]]'"})
	}
	c.report(Message{line, c.named("syntax error in conditional expression: unexpected token `%s'", "syntax error in conditional expression")})
}

// report ends the scan. Bash takes the error for the end of the source.
func (c *cond) report(m ...Message) {
	if c.at(c.pos) == 0 {
		c.failOpen(m...)
	}
	c.end(m...)
}
