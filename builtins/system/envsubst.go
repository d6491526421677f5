package system

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/limpet-sh/limpet/builtins"
)

var envsubst = commands.Add(&builtins.Command{
	Name:     "envsubst",
	Synopsis: "[OPTION] [SHELL-FORMAT]",
	Summary:  "substitute the values of environment variables",
	Run:      runEnvsubst,
})

func runEnvsubst(ctx context.Context, c *builtins.Call) error {
	var variables bool
	f := c.Flags()
	f.Info("h", "V")
	f.Bool(&variables, "v,variables", "output the variables occurring in SHELL-FORMAT")
	args, err := f.Parse()
	switch {
	case err != nil:
		return err
	case len(args) > 1:
		return errors.New("too many arguments")
	case variables && len(args) == 0:
		return errors.New("missing arguments")
	}
	var only map[string]bool
	w := bufio.NewWriter(c.Stdout)
	if len(args) > 0 {
		only = map[string]bool{}
		eachVariable([]byte(args[0]), func([]byte) {}, func(name string, _ []byte) {
			if variables {
				w.WriteString(name + "\n")
			}
			only[name] = true
		})
	}
	if variables {
		return w.Flush()
	}
	lines := c.Lines(c.Stdin, '\n')
	defer lines.Close()
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return w.Flush()
		}
		if err != nil {
			return err
		}
		eachVariable(line, func(text []byte) { w.Write(text) }, func(name string, text []byte) {
			if only != nil && !only[name] {
				w.Write(text)
				return
			}
			w.WriteString(c.Getenv(name))
		})
	}
}

// eachVariable calls variable for $name and ${name} in text, and plain for what
// is between them.
func eachVariable(text []byte, plain func([]byte), variable func(name string, text []byte)) {
	start := 0
	for i := 0; i < len(text); {
		if text[i] != '$' {
			i++
			continue
		}
		from := i + 1
		braced := from < len(text) && text[from] == '{'
		if braced {
			from++
		}
		end := from
		for end < len(text) && isName(string(text[from:end+1])) {
			end++
		}
		after := end
		if braced && end < len(text) && text[end] == '}' {
			after++
		}
		if end == from || braced && after == end {
			i++
			continue
		}
		plain(text[start:i])
		variable(string(text[from:end]), text[i:after])
		i, start = after, after
	}
	plain(text[start:])
}
