package unparse

import "mvdan.cc/sh/v3/syntax"

// list prints commands that follow each other.
func (p *printer) list(stmts []*syntax.Stmt) {
	if len(stmts) == 0 {
		return
	}
	if len(stmts) == 1 && !stmts[0].Background {
		p.stmt(stmts[0])
		return
	}
	p.begin()
	opened := p.connections
	for i, s := range stmts {
		last := i == len(stmts)-1
		if last && !s.Background {
			p.stmt(s)
			p.flush()
			break
		}
		p.connections++
		if i == 0 {
			p.skip++
		}
		p.stmt(s)
		// A list that ends in & is built the other way round than all others.
		if i > 0 && !(s.Background && !stmts[i-1].Background) {
			p.flush()
			p.connections--
		}
		p.separator(s, last)
	}
	p.flush()
	p.connections = opened
}

// separator prints what stands behind s in a list.
func (p *printer) separator(s *syntax.Stmt, last bool) {
	if s.Background {
		p.connector(" &")
		if !last {
			p.write(" ")
			p.skip++
		}
		return
	}
	newline := p.substituted && !s.Semicolon.IsValid()
	switch {
	case len(p.deferred) > 0:
		p.heredocs()
	case p.wasHeredoc:
		p.wasHeredoc = false
	case newline:
		p.write("\n")
	default:
		p.write(";")
	}
	if p.function > 0 {
		p.write("\n")
		return
	}
	if !newline {
		p.write(" ")
	}
	p.skip++
}

// connector prints an operator, and then the here-documents that wait.
func (p *printer) connector(op string) {
	p.write(op)
	if len(p.deferred) > 0 {
		p.heredocs()
		p.write(" ")
	}
}

// binary prints commands joined by && and ||, or by pipes.
func (p *printer) binary(c *syntax.BinaryCmd) {
	var stmts []*syntax.Stmt
	var ops []syntax.BinCmdOperator
	pipe := c.Op == syntax.Pipe || c.Op == syntax.PipeAll
	for {
		stmts, ops = append(stmts, c.Y), append(ops, c.Op)
		left, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || (left.Op == syntax.Pipe || left.Op == syntax.PipeAll) != pipe || pipe && c.X.Negated {
			stmts = append(stmts, c.X)
			break
		}
		c = left
	}
	opened := p.connections
	for i := len(stmts) - 1; i >= 0; i-- {
		p.skip++
		if i > 0 {
			p.connections++
		}
		s := stmts[i]
		if i > 0 && ops[i-1] == syntax.PipeAll {
			both := *s
			both.Redirs = append(both.Redirs[:len(both.Redirs):len(both.Redirs)], &syntax.Redirect{Op: syntax.DplOut, N: &syntax.Lit{Value: "2"}})
			s = &both
		}
		p.stmt(s)
		if !pipe && i < len(stmts)-1 {
			p.flush()
			p.connections--
		}
		if i == 0 {
			break
		}
		switch ops[i-1] {
		case syntax.AndStmt:
			p.connector(" && ")
		case syntax.OrStmt:
			p.connector(" || ")
		default:
			p.connector(" |")
			p.write(" ")
		}
	}
	p.flush()
	p.connections = opened
}

func (p *printer) block(c *syntax.Block) {
	p.write("{ ")
	if p.function == 0 {
		p.skip++
		p.list(c.Stmts)
		p.flush()
		p.semicolon()
		p.write(" }")
		return
	}
	p.write("\n")
	p.indent += p.level()
	p.list(c.Stmts)
	p.flush()
	p.indent -= p.level()
	p.newline("}")
}
