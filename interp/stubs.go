package interp

import (
	"context"
	"fmt"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/unparse"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
	"io"
	"io/fs"
	"mvdan.cc/sh/v3/syntax"
)

// maxFunctionText bounds the text of one function.
const maxFunctionText = 8 << 20

// printFunction returns a function as declare -f prints it.
func (sh *Shell) printFunction(f *function) string {
	text, err := unparse.Function(f.name, f.decl.Body, f.source, maxFunctionText)
	if err != nil {
		sh.stop(sh.x.meter.Exceed(limits.Memory))
		return ""
	}
	return text
}

func (sh *Shell) rawMessage(format string, args ...any) {
	_ = sh.write(2, []byte(fmt.Sprintf(format, args...)+"\n"))
}

// parseAssignment parses name=(values), which a declaration was given as a word.
func (sh *Shell) parseAssignment(name string, add bool, value string) *assignment {
	op := "="
	if add {
		op = "+="
	}
	src := name + op + value
	prog, err := parse.File(src, sh.parseMode())
	if err != nil || len(prog.Stmts) != 1 {
		return nil
	}
	call, ok := prog.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) > 0 || len(call.Assigns) != 1 {
		return nil
	}
	c := &compiler{names: sh.names, src: prog.Source, file: sh.file}
	a := c.assignment(call.Assigns[0])
	sh.grow()
	return a
}

// borrow makes a stream of what a command has, which somebody else closes.
func borrow(v any) vfs.Stream {
	if s, ok := v.(vfs.Stream); ok {
		return &reference{openFile: newOpenFile(s), ctx: context.Background(), borrowed: true}
	}
	return &plainStream{v}
}

// A plainStream is a reader or a writer.
type plainStream struct{ v any }

func (p *plainStream) Read(b []byte) (int, error) {
	if r, ok := p.v.(io.Reader); ok {
		return r.Read(b)
	}
	return 0, vfs.EBADF
}

func (p *plainStream) Write(b []byte) (int, error) {
	if w, ok := p.v.(io.Writer); ok {
		return w.Write(b)
	}
	return 0, vfs.EBADF
}

func (p *plainStream) Close() error               { return nil }
func (p *plainStream) Stat() (fs.FileInfo, error) { return documentInfo(0), nil }
