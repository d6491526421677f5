package unparse

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A printer holds the state of print_cmd.c.
type printer struct {
	b     strings.Builder
	src   string
	limit int
	err   error

	exact       bool // see Source
	flat        bool // the body of a function is indented by one blank, and by no level
	indent      int
	skip        int                // commands that do not start a line
	function    int                // functions that are being printed
	connections int                // lists that are being printed
	deferred    []*syntax.Redirect // here-documents to print later
	wasHeredoc  bool
	substituted bool // within $(…): newlines separate commands as they do in the source

	line  int                   // what has been written of
	spans map[*syntax.Stmt]Span // of the commands that have been written, unless nil
}

func (p *printer) result() (string, error) {
	if p.err != nil {
		return "", p.err
	}
	return p.b.String(), nil
}

func (p *printer) write(text string) {
	if p.limit > 0 && p.b.Len()+len(text) > p.limit {
		p.err = ErrTooLong
	}
	if p.err == nil {
		p.b.WriteString(text)
		if p.spans != nil {
			p.line += strings.Count(text, "\n")
		}
	}
}

// newline starts a line with text.
func (p *printer) newline(text string) {
	p.write("\n")
	p.margin()
	p.write(text)
}

// margin indents a line.
func (p *printer) margin() {
	const blanks = "                                                                "
	n := p.indent
	if p.flat && p.function > 0 {
		n++
	}
	for ; n > 0 && p.err == nil; n -= len(blanks) {
		p.write(blanks[:min(n, len(blanks))])
	}
}

// level returns what a level indents by.
func (p *printer) level() int {
	if p.flat {
		return 0
	}
	return indentation
}

// begin indents a command that starts a line.
func (p *printer) begin() {
	if p.skip > 0 {
		p.skip--
		return
	}
	p.margin()
}

// semicolon ends a command, unless something else has.
func (p *printer) semicolon() {
	text := p.b.String()
	if n := len(text); n > 0 && (text[n-1] == '&' || text[n-1] == '\n') {
		return
	}
	p.write(";")
}
