package unparse

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/limpet-sh/limpet/internal/quote"
)

// redirects prints redirections in order, and the bodies of here-documents
// after them, or later when the command is part of a list.
func (p *printer) redirects(redirs []*syntax.Redirect) {
	p.wasHeredoc = false
	var docs []*syntax.Redirect
	for i, r := range redirs {
		if i > 0 {
			p.write(" ")
		}
		if r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc {
			docs = append(docs, r)
		}
		p.redirect(r)
	}
	if len(docs) == 0 {
		return
	}
	p.deferred = docs
	if p.connections == 0 {
		p.heredocs()
	}
}

// redirect prints one redirection, without the body of a here-document.
func (p *printer) redirect(r *syntax.Redirect) {
	fd := ""
	if r.N != nil {
		fd = r.N.Value
		if fd[0] != '{' {
			if fd = strings.TrimLeft(fd, "0"); fd == "" {
				fd = "0"
			}
		}
	}
	op := r.Op.String()
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		p.duplicate(r, fd, op)
		return
	case syntax.Hdoc, syntax.DashHdoc:
		p.write(without(fd, "0") + op + p.delimiter(r))
		return
	case syntax.RdrIn, syntax.WordHdoc:
		fd = without(fd, "0")
	case syntax.RdrInOut:
		if fd == "" {
			fd = "0"
		}
		fd = without(fd, "1")
	default:
		fd = without(fd, "1")
	}
	p.write(fd + op + " " + p.word(r.Word))
}

// duplicate prints <& and >&.
func (p *printer) duplicate(r *syntax.Redirect, fd, op string) {
	standard := "0"
	if r.Op == syntax.DplOut {
		standard = "1"
	}
	target := "1" // of |&
	if r.Word != nil {
		target = p.word(r.Word)
	}
	plain := strings.TrimSuffix(target, "-")
	switch {
	case target == "-":
		op = ">&"
	case isNumber(plain), plain != target:
	default:
		p.write(without(fd, standard) + op + target)
		return
	}
	if fd == "" {
		fd = standard
	}
	p.write(fd + op + target)
}

// without drops a descriptor that is the usual one.
func without(fd, standard string) string {
	if fd == standard {
		return ""
	}
	return fd
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// delimiter returns the delimiter of a here-document, in single quotes when it
// was quoted in any way.
func (p *printer) delimiter(r *syntax.Redirect) string {
	text, quoted := unquote(r.Word)
	if quoted {
		return quote.Single(text)
	}
	return text
}

// unquote returns the text of a delimiter.
func unquote(w *syntax.Word) (text string, quoted bool) {
	var b strings.Builder
	var add func(parts []syntax.WordPart, double bool)
	add = func(parts []syntax.WordPart, double bool) {
		for _, part := range parts {
			switch part := part.(type) {
			case *syntax.Lit:
				for i := 0; i < len(part.Value); i++ {
					if part.Value[i] == '\\' && !double && i+1 < len(part.Value) {
						quoted = true
						i++
					}
					b.WriteByte(part.Value[i])
				}
			case *syntax.SglQuoted:
				quoted = true
				b.WriteString(part.Value)
			case *syntax.DblQuoted:
				quoted = true
				add(part.Parts, true)
			}
		}
	}
	add(w.Parts, false)
	return b.String(), quoted
}

// flush prints the here-documents that wait.
func (p *printer) flush() {
	if len(p.deferred) > 0 {
		p.heredocs()
	}
}

func (p *printer) heredocs() {
	docs := p.deferred
	p.deferred = nil
	p.write("\n")
	for _, r := range docs {
		text, _ := unquote(r.Word)
		p.write(p.body(r) + text + "\n")
	}
	p.wasHeredoc = true
}

// body returns the lines of a here-document.
func (p *printer) body(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	var b strings.Builder
	for _, part := range r.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		} else {
			b.WriteString(p.src[part.Pos().Offset():min(int(part.End().Offset()), len(p.src))])
		}
	}
	if r.Op == syntax.Hdoc {
		return b.String()
	}
	lines := strings.SplitAfter(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], "\t")
	}
	return strings.Join(lines, "")
}
