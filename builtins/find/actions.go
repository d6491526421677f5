package find

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/internal/wchar"
	"github.com/limpet-sh/limpet/vfs"
)

// actions are the predicates that do something.
var actions = map[string]predicate{
	"-print":   {action: true, parse: printing('\n')},
	"-print0":  {action: true, parse: printing(0)},
	"-fprint":  {action: true, parse: printingTo('\n')},
	"-fprint0": {action: true, parse: printingTo(0)},
	"-printf": {action: true, parse: func(p *parser, name string) (test, error) {
		return p.formatTo(p.stdout(), name)
	}},
	"-fprintf": {action: true, parse: func(p *parser, name string) (test, error) {
		out, err := p.output(name)
		if err != nil {
			return nil, err
		}
		return p.formatTo(out, name)
	}},
	"-ls": {action: true, parse: func(p *parser, _ string) (test, error) { return p.listTo(p.stdout()), nil }},
	"-fls": {action: true, parse: func(p *parser, name string) (test, error) {
		out, err := p.output(name)
		if err != nil {
			return nil, err
		}
		return p.listTo(out), nil
	}},
	"-delete":  {action: true, parse: parseDelete},
	"-prune":   {parse: parsePrune},
	"-quit":    {parse: parseQuit},
	"-exec":    {action: true, parse: parseExec},
	"-execdir": {action: true, parse: parseExec},
	"-ok":      {action: true, parse: parseExec},
	"-okdir":   {action: true, parse: parseExec},
}

// An output is where an action prints to.
type output struct {
	*bufio.Writer
	name     string
	terminal bool
	file     io.Closer // nil for standard output and error
}

func (o *output) close() error {
	err := o.Flush()
	if o.file == nil {
		return nil
	}
	if e := o.file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("%s: %w", builtins.QuoteLocale(o.name), vfs.ErrnoOf(err))
	}
	return nil
}

func (f *finder) stdout() *output {
	return &output{Writer: f.out, name: "standard output", terminal: builtins.Interactive(f.c.Stdout)}
}

// output takes the name of a file to print to, and creates it. Several actions
// may print to one file.
func (p *parser) output(name string) (*output, error) {
	arg, err := p.arg(name)
	if err != nil {
		return nil, err
	}
	switch {
	case arg == "/dev/stdout":
		return p.stdout(), nil
	case p.files[arg] != nil:
		return p.files[arg], nil
	case arg == "/dev/stderr":
		p.files[arg] = &output{Writer: bufio.NewWriter(p.c.Stderr), name: "standard error"}
		return p.files[arg], nil
	}
	file, err := p.c.FS.Create(arg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", builtins.QuoteLocale(arg), vfs.ErrnoOf(err))
	}
	p.files[arg] = &output{Writer: bufio.NewWriter(file), name: arg, file: file}
	return p.files[arg], nil
}

// wrote notes the error of a write, which ends the search.
func (f *finder) wrote(o *output, err error) {
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("%s: %w", builtins.QuoteLocale(o.name), vfs.ErrnoOf(err))
	}
}

func printing(end byte) func(*parser, string) (test, error) {
	return func(p *parser, _ string) (test, error) { return p.printTo(p.stdout(), end), nil }
}

func printingTo(end byte) func(*parser, string) (test, error) {
	return func(p *parser, name string) (test, error) {
		out, err := p.output(name)
		if err != nil {
			return nil, err
		}
		return p.printTo(out, end), nil
	}
}

// printTo returns the action that prints the path.
func (f *finder) printTo(o *output, end byte) test {
	return func(e *walk.Entry) bool {
		path := e.Path
		if o.terminal && end == '\n' {
			path = visible(path)
		}
		o.WriteString(path)
		f.wrote(o, o.WriteByte(end))
		return true
	}
}

// visible replaces what a terminal cannot show by question marks.
func visible(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n <= 1 || !wchar.IsPrint(r) {
			b.WriteByte('?')
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func parseDelete(p *parser, _ string) (test, error) {
	f := p.finder
	f.deletes = !f.depth || f.deletes
	f.depth = true
	return func(e *walk.Entry) bool {
		if e.Path == "." {
			return true
		}
		if err := f.c.FS.Remove(e.Path); err != nil {
			f.warn(fmt.Errorf("cannot delete %s: %w", builtins.QuoteLocale(e.Path), vfs.ErrnoOf(err)))
			return false
		}
		return true
	}, nil
}

func parsePrune(p *parser, _ string) (test, error) {
	f := p.finder
	f.pruned = true // until the search begins: there is a -prune
	return func(e *walk.Entry) bool {
		f.pruned = !f.depth
		return true
	}, nil
}

func parseQuit(p *parser, _ string) (test, error) {
	f := p.finder
	return func(*walk.Entry) bool {
		f.quit = true
		return true
	}, nil
}
