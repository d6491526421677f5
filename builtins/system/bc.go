package system

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/bc"
)

var bcCommand = commands.Add(&builtins.Command{
	Name:     "bc",
	Synopsis: "[options] [file ...]",
	Summary:  "an arbitrary precision calculator language",
	Run:      runBc,
})

// lineLength is where bc and dc break lines, unless a variable says otherwise.
const lineLength = 70

func runBc(ctx context.Context, c *builtins.Call) error {
	var o bc.Options
	f := c.Flags()
	f.Info("h", "v")
	f.Bool(&o.Library, "l,mathlib", "use the predefined math routines")
	f.Do("q,quiet", "don't print initial banner; there is none", func() error { return nil })
	files, err := f.Parse()
	if err != nil {
		return err
	}
	o.Width = outputWidth(c, "BC_LINE_LENGTH")
	stdout := bufio.NewWriter(c.Stdout)
	stdin := bufio.NewReader(answering{c.Stdin, stdout})
	i := bc.New(o, c, stdin, stdout, c.Stderr)
	defer i.Close()
	p := bcProgram{call: c, files: files, stdin: stdin}
	defer p.close()
	if err := i.Run(p.next); err != nil {
		return err
	}
	return stdout.Flush()
}

// An answering reader has what was printed shown before it waits for more input.
type answering struct {
	io.Reader
	out *bufio.Writer
}

// Read reads, once there is nothing left to print.
func (a answering) Read(p []byte) (int, error) {
	if err := a.out.Flush(); err != nil {
		return 0, err
	}
	return a.Reader.Read(p)
}

// A bcProgram is what files hold and then standard input.
type bcProgram struct {
	call  *builtins.Call
	files []string // that are left
	stdin *bufio.Reader
	open  io.Closer
}

// next returns the next part.
func (p *bcProgram) next() (name string, in *bufio.Reader, err error) {
	p.close()
	if len(p.files) == 0 {
		in, p.stdin = p.stdin, nil
		return "(standard_in)", in, nil
	}
	name, p.files = p.files[0], p.files[1:]
	file, err := p.call.Open(name)
	if err != nil {
		fmt.Fprintf(p.call.Stderr, "File %s is unavailable.\n", name)
		return name, nil, builtins.Exit(1)
	}
	p.open = file
	return name, bufio.NewReader(file), nil
}

// close closes the file that is open.
func (p *bcProgram) close() {
	if p.open != nil {
		p.open.Close()
		p.open = nil
	}
}

// outputWidth returns the length of lines that a variable asks for, or 0 for
// lines of any length.
func outputWidth(c *builtins.Call, variable string) int {
	n, err := strconv.Atoi(c.Getenv(variable))
	if err != nil || n < 3 && n != 0 {
		return lineLength
	}
	return n
}
