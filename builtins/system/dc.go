package system

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/dc"
	"github.com/limpet-sh/limpet/vfs"
)

var dcCommand = commands.Add(&builtins.Command{
	Name:     "dc",
	Synopsis: "[OPTION] [file ...]",
	Summary:  "an arbitrary precision calculator in reverse Polish notation",
	Run:      runDc,
})

// A dcProgram is an option -e or -f, or an operand.
type dcProgram struct {
	text string
	file bool
}

func runDc(ctx context.Context, c *builtins.Call) error {
	var programs []dcProgram
	f := c.Flags()
	f.Func("e,expression", "evaluate `expression`", func(s string) error {
		programs = append(programs, dcProgram{text: s + "\n"})
		return nil
	})
	f.Func("f,file", "evaluate contents of `file`", func(s string) error {
		programs = append(programs, dcProgram{text: s, file: true})
		return nil
	})
	files, err := f.Parse()
	if err != nil {
		return err
	}
	for _, name := range files {
		programs = append(programs, dcProgram{text: name, file: true})
	}
	if len(programs) == 0 {
		programs = []dcProgram{{text: "-", file: true}}
	}
	stdout := bufio.NewWriter(c.Stdout)
	stdin := bufio.NewReader(answering{c.Stdin, stdout})
	calculator := dc.New(c, stdin, stdout, c.Stderr, outputWidth(c, "DC_LINE_LENGTH"))
	defer calculator.Close()
	for _, p := range programs {
		more, err := runDcProgram(c, calculator, p, stdin)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	return stdout.Flush()
}

func runDcProgram(c *builtins.Call, calculator *dc.Calculator, p dcProgram, stdin *bufio.Reader) (more bool, err error) {
	switch {
	case !p.file:
		return calculator.Run(strings.NewReader(p.text))
	case p.text == "-":
		return calculator.Run(stdin)
	}
	file, err := c.Open(p.text)
	if err != nil {
		fmt.Fprintf(c.Stderr, "dc: Could not open file %s: %v\n", p.text, vfs.ErrnoOf(err))
		c.Fail()
		return true, nil
	}
	defer file.Close()
	return calculator.Run(bufio.NewReader(file))
}
