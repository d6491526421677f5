// Package awk has the command awk.
package awk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/awk"
	"github.com/limpet-sh/limpet/vfs"
)

var commands builtins.Set

// Commands returns the commands of this package.
func Commands() []*builtins.Command { return commands.Commands() }

var _ = commands.Add(&builtins.Command{
	Name:     "awk",
	Aliases:  []string{"gawk", "mawk", "nawk"},
	Synopsis: "[-F FS] [-v VAR=VALUE] [-f PROGFILE | -e TEXT | TEXT] [--] [FILE | VAR=VALUE...]",
	Summary:  "run a program of patterns and actions over the records of files",
	Trouble:  2,
	Run:      run,
})

// A source is program text that an option gives: a file or the text itself.
type source struct {
	file bool
	text string
}

func run(ctx context.Context, c *builtins.Call) error {
	config := awk.Config{Call: c}
	var sources []source
	text := false    // some source is not a library
	illegal := false // a variable has a name that is none
	f := c.Flags()
	f.Ordered = true
	f.Func("F,field-separator", "separate fields at `FS`, a character or a regular expression", func(s string) error {
		config.Assign = append(config.Assign, awk.Assignment{Name: "FS", Value: s})
		return nil
	})
	f.Func("v,assign", "give a variable a value: `VAR=VALUE`", func(s string) error {
		err := assign(c, &config, s)
		_, illegal = err.(builtins.Exit)
		return err
	})
	f.Func("f,file", "read the program from `PROGFILE`; may be repeated", func(s string) error {
		sources, text = append(sources, source{true, s}), true
		return nil
	})
	f.Func("e,source", "use `TEXT` as the program; may be repeated", func(s string) error {
		sources, text = append(sources, source{false, s}), true
		return nil
	})
	f.Func("i,include", "read a `LIBRARY` of functions; \"inplace\" changes files in place", func(s string) error {
		if s == "inplace" {
			config.InPlace = true
			return nil
		}
		sources = append(sources, source{true, s})
		return nil
	})
	f.Func("E,exec", "as -f, and nothing behind `SCRIPT` is an option or an assignment", func(s string) error {
		sources, text, config.Script = append(sources, source{true, s}), true, true
		return nil
	})
	f.Bool(&config.Sandbox, "S,sandbox", "refuse system(), redirections and new files in ARGV")
	f.Do("O,optimize", "optimize, which is the default", func() error { return nil })
	f.Do("s,no-optimize", "do not optimize; programs do the same either way", func() error { return nil })
	f.Do("N,use-lc-numeric", "use the locale's decimal point, which is a point", func() error { return nil })
	f.Do("r,re-interval", "allow intervals in regular expressions, which is the default", func() error { return nil })
	f.Info("h", "V")
	c.Args = endAfterScript(c.Args)
	operands, err := f.Parse()
	if err == builtins.Exit(2) && !illegal {
		return builtins.Exit(1) // a mistake in the arguments is no trouble of a program
	}
	if err != nil {
		return err
	}
	if !text {
		if len(operands) == 0 {
			_ = f.Fail(builtins.Usage("no program text"))
			return builtins.Exit(1)
		}
		sources = append(sources, source{false, operands[0]})
		operands = operands[1:]
	}
	config.Args = operands
	return execute(ctx, c, sources, config)
}

// endAfterScript adds the mark of the end of options to args that have the option -E, which
// is the end of them.
func endAfterScript(args []string) []string {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-E" || arg == "--exec":
			i++
			fallthrough
		case strings.HasPrefix(arg, "-E") || strings.HasPrefix(arg, "--exec="):
			return slices.Insert(slices.Clone(args), min(i+1, len(args)), "--")
		case slices.Contains([]string{"-F", "-v", "-f", "-e", "-i", "--field-separator", "--assign", "--file", "--source", "--include"}, arg):
			i++ // its value
		case !strings.HasPrefix(arg, "-") || arg == "-" || arg == "--":
			return args
		}
	}
	return args
}

// assign notes the assignment s, of the form VAR=VALUE.
func assign(c *builtins.Call, config *awk.Config, s string) error {
	name, value, ok := strings.Cut(s, "=")
	switch {
	case !ok:
		return builtins.Usage("`%s' argument to `-v' not in `var=value' form", s)
	case name == "inplace::suffix" || name == "INPLACE_SUFFIX":
		config.Suffix = value
	case !awk.IsName(name):
		fmt.Fprintf(c.Stderr, "%s: fatal: `%s' is not a legal variable name\n", c.Name, name)
		return builtins.Exit(2)
	default:
		config.Assign = append(config.Assign, awk.Assignment{Name: name, Value: value})
	}
	return nil
}

// execute parses the sources and runs the program.
func execute(ctx context.Context, c *builtins.Call, sources []source, config awk.Config) error {
	var parts []awk.Source
	for _, s := range sources {
		if !s.file {
			parts = append(parts, awk.Source{Text: s.text})
			continue
		}
		text, err := readProgram(c, s.text)
		if err != nil {
			fmt.Fprintf(c.Stderr, "%s: fatal: cannot open source file `%s' for reading: %v\n", c.Name, s.text, vfs.ErrnoOf(err))
			return builtins.Exit(2)
		}
		defer c.Free(len(text))
		parts = append(parts, awk.Source{Name: s.text, Text: text})
	}
	program, err := awk.Parse(parts)
	for _, warning := range program.Warnings {
		fmt.Fprintf(c.Stderr, "%s: %s\n", c.Name, warning)
	}
	if syntax, ok := errors.AsType[*awk.SyntaxError](err); ok {
		for _, line := range syntax.Lines {
			fmt.Fprintf(c.Stderr, "%s: %s\n", c.Name, line)
		}
		if syntax.Fatal {
			return builtins.Exit(2)
		}
		return builtins.Exit(1)
	}
	return program.Run(ctx, config)
}

// readProgram returns the content of a file with program text, which it has
// charged.
func readProgram(c *builtins.Call, name string) (string, error) {
	if name == "-" {
		name = "/dev/stdin"
	}
	var in io.Reader = c.Stdin
	if name != "/dev/stdin" {
		f, err := c.Open(name)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	var text []byte
	held := 0
	block := make([]byte, 32<<10)
	for {
		n, err := in.Read(block)
		if e := c.Alloc(n); e != nil {
			c.Free(held)
			return "", e
		}
		held += n
		text = append(text, block[:n]...)
		if err == io.EOF {
			return string(text), nil
		}
		if err != nil {
			c.Free(held)
			return "", err
		}
	}
}
