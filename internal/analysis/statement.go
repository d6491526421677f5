package analysis

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// statement notes a command with its redirections, and reports whether its parts
// are to be walked as any others.
func (z *analyzer) statement(s *syntax.Stmt) bool {
	z.redirections(s)
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		z.call(s, c)
		return false
	case *syntax.DeclClause:
		z.declaration(c)
		return false
	case *syntax.FuncDecl:
		name := ""
		if c.Name != nil {
			name = c.Name.Value
		}
		z.out.Functions = append(z.out.Functions, Name{z.at(s.Pos()), name})
		z.node(c.Body)
		return false
	case *syntax.ForClause:
		z.loop(c)
	case *syntax.ArithmCmd:
		z.expression(c.X)
		return false
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			z.expression(x)
		}
		return false
	case *syntax.CoprocClause:
		name := Word{Text: "COPROC", Known: true}
		if c.Name != nil {
			name = z.word(c.Name)
		}
		z.out.Variables = append(z.out.Variables, Name{z.at(s.Pos()), name.Text}, Name{z.at(s.Pos()), name.Text + "_PID"})
		if c.Stmt != nil {
			z.node(c.Stmt)
		}
		return false
	}
	if s.Cmd != nil {
		z.node(s.Cmd)
	}
	return false
}

func (z *analyzer) loop(c *syntax.ForClause) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		if l.Name == nil {
			return
		}
		value := Word{Known: true}
		for _, w := range l.Items {
			if v := z.word(w); !v.Known {
				value = v
			}
		}
		z.sets(l.Name.Value, value, z.at(c.Pos()))
	case *syntax.CStyleLoop:
		z.expression(l.Init)
		z.expression(l.Cond)
		z.expression(l.Post)
	}
}

var modes = map[syntax.RedirOperator]string{
	syntax.RdrIn: "read", syntax.RdrInOut: "read-write", syntax.RdrOut: "write", syntax.RdrClob: "write",
	syntax.RdrAll: "write", syntax.AppOut: "append", syntax.AppAll: "append",
}

// redirections notes the files that a statement opens, and walks its words.
func (z *analyzer) redirections(s *syntax.Stmt) {
	for _, r := range s.Redirs {
		at := z.at(r.Pos())
		if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
			z.sets(strings.Trim(r.N.Value, "{}"), Word{Known: true}, at)
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if _, quoted := document(r); !quoted && r.Hdoc != nil {
				z.node(r.Hdoc)
			}
			continue
		case syntax.WordHdoc:
			z.node(r.Word)
			continue
		}
		z.node(r.Word)
		target := z.word(r.Word)
		mode, file := modes[r.Op]
		if !file { // >&word is a file where word is no number
			if target.Known && strings.Trim(target.Text, "0123456789") == "" || target.Known && strings.HasSuffix(target.Text, "-") {
				continue
			}
			if mode = "write"; r.Op == syntax.DplIn {
				mode = "read"
			}
		}
		z.out.Redirections = append(z.out.Redirections, Redirection{at, mode, target})
		if rest, ok := strings.CutPrefix(target.Text, "/dev/tcp/"); ok {
			z.out.Network = append(z.out.Network, Network{at, "redirection", strings.Replace(rest, "/", ":", 1)})
		} else if rest, ok := strings.CutPrefix(target.Text, "/dev/udp/"); ok {
			z.out.Network = append(z.out.Network, Network{at, "redirection", strings.Replace(rest, "/", ":", 1)})
		}
	}
}

// document returns the text of a here-document, and whether it is quoted.
func document(r *syntax.Redirect) (text string, quoted bool) {
	for _, p := range r.Word.Parts {
		if lit, ok := p.(*syntax.Lit); !ok || strings.Contains(lit.Value, "\\") {
			quoted = true
		}
	}
	if r.Hdoc == nil {
		return "", quoted
	}
	var b strings.Builder
	for _, p := range r.Hdoc.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			return "", quoted
		}
		if quoted {
			b.WriteString(lit.Value)
		} else {
			unescape(&b, lit.Value, true)
		}
	}
	return b.String(), quoted
}

// input returns what a command has as its standard input, where that is constant.
func (z *analyzer) input(s *syntax.Stmt) (text string, known bool) {
	for _, r := range s.Redirs {
		if r.N != nil && r.N.Value != "0" {
			continue
		}
		switch r.Op {
		case syntax.WordHdoc:
			w := z.word(r.Word)
			text, known = w.Text, w.Known
		case syntax.Hdoc, syntax.DashHdoc:
			text, known = "", true
			if r.Hdoc != nil {
				for _, p := range r.Hdoc.Parts {
					if _, ok := p.(*syntax.Lit); !ok {
						known = false
					}
				}
				text, _ = document(r)
			}
			if r.Op == syntax.DashHdoc {
				text = strings.ReplaceAll("\n"+text, "\n\t", "\n")
			}
		default:
			known = false
		}
	}
	return text, known
}

// assign notes an assignment.
func (z *analyzer) assign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	at := z.at(a.Pos())
	if a.Index != nil {
		z.expression(a.Index)
	}
	value := z.word(a.Value)
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			if e.Index != nil {
				z.expression(e.Index)
			}
			if v := z.word(e.Value); !v.Known {
				value = v
			} else {
				z.arms(v, at)
			}
		}
	}
	z.sets(a.Name.Value, value, at)
}

// special are variables that decide what commands do.
var special = map[string]string{
	"PATH": "PATH says which programs run", "BASH_ENV": "a file that bash runs first", "ENV": "a file that sh runs first",
	"PROMPT_COMMAND": "commands that a shell runs", "PS0": "a prompt may run commands", "PS1": "a prompt may run commands",
	"PS2": "a prompt may run commands", "PS4": "a trace may run commands", "BASH_ALIASES": "aliases change what commands are",
	"BASH_CMDS": "the hash table says which programs run", "SHELLOPTS": "options change what commands do",
	"BASHOPTS": "options change what commands do", "IFS": "IFS changes how words are split", "PAGER": "a program that others run",
	"EDITOR": "a program that others run", "VISUAL": "a program that others run", "CDPATH": "CDPATH changes where cd goes",
	"EXECIGNORE": "EXECIGNORE says which programs run", "POSIXLY_CORRECT": "options change what commands do",
}

// sets notes that a variable is set.
func (z *analyzer) sets(name string, value Word, at Position) {
	z.out.Variables = append(z.out.Variables, Name{at, name})
	z.arms(value, at)
	if !value.Known && value.Text != "" {
		z.computed[name] = true
	}
	reason, ok := special[name]
	switch {
	case ok && (name != "IFS" || !value.Known):
		z.opaque(at, reason)
	case strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "BASH_FUNC_"):
		z.opaque(at, name+" changes what programs do")
	}
}

// arms notes a constant that is harmless until an expression evaluates it.
func (z *analyzer) arms(w Word, at Position) {
	if i := strings.IndexByte(w.Text, '['); w.Known && i >= 0 && strings.ContainsAny(w.Text[i:], "$`") {
		z.armed = append(z.armed, at)
	}
}

// declaration notes declare, local, export and their kin.
func (z *analyzer) declaration(c *syntax.DeclClause) {
	cmd := Command{Position: z.at(c.Pos()), Name: c.Variant.Value, Via: z.via, Args: []Word{}}
	for _, a := range c.Args {
		if a.Name == nil { // an option, or a word that is expanded
			z.node(a.Value)
			w := z.word(a.Value)
			cmd.Args = append(cmd.Args, w)
			switch {
			case !w.Known:
				z.opaque(cmd.Position, "the name of a variable is computed")
			case strings.HasPrefix(w.Text, "-"):
				if strings.ContainsAny(w.Text, "n") && cmd.Name != "export" && cmd.Name != "readonly" {
					z.opaque(cmd.Position, "a variable that stands for another one")
				}
				if strings.Contains(w.Text, "i") {
					z.evaluates("", cmd.Position)
				}
			default:
				name, _, _ := strings.Cut(w.Text, "=")
				z.sets(name, w, cmd.Position)
				z.quotes(a.Value)
			}
			continue
		}
		cmd.Args = append(cmd.Args, z.argument(a))
		z.node(a)
	}
	z.out.Commands = append(z.out.Commands, cmd)
}

// argument returns an assignment as the argument of a command that declares.
func (z *analyzer) argument(a *syntax.Assign) Word {
	value := z.word(a.Value)
	switch {
	case a.Naked && a.Index == nil:
		return Word{Text: a.Name.Value, Known: true}
	case a.Array != nil || a.Index != nil || !value.Known:
		return Word{Text: z.text(a)}
	case a.Append:
		return Word{Text: a.Name.Value + "+=" + value.Text, Known: true}
	}
	return Word{Text: a.Name.Value + "=" + value.Text, Known: true}
}
