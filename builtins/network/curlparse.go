package network

import (
	"errors"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// A parser reads command lines and files of options.
type parser struct {
	cu      *curl
	options []curlOption
	ops     []*operation
	depth   int // of files that name files
}

func (p *parser) op() *operation { return p.ops[len(p.ops)-1] }

// parse reads the arguments, after ~/.curlrc.
func (cu *curl) parse() ([]*operation, error) {
	p := &parser{cu: cu, options: curlOptions(), ops: []*operation{newOperation()}}
	first := ""
	if len(cu.Args) > 0 {
		first = cu.Args[0]
	}
	skip := first == "--disable" || strings.HasPrefix(first, "-q")
	if home := cu.Getenv("HOME"); home != "" && !skip {
		err := p.file(home + "/.curlrc")
		if _, open := errors.AsType[*openError](err); err != nil && !open {
			return p.ops, err
		}
	}
	if err := p.arguments(cu.Args); err != nil {
		return p.ops, err
	}
	for _, o := range p.ops {
		if len(o.urls) == 0 {
			if len(cu.Args) == 0 {
				return p.ops, &curlError{2, ""}
			}
			return p.ops, &curlError{2, "no URL specified!"}
		}
	}
	return p.ops, nil
}

func (p *parser) arguments(args []string) error {
	plain := false
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		var err error
		switch {
		case plain || !strings.HasPrefix(arg, "-") || arg == "-":
			p.op().urls = append(p.op().urls, arg)
		case arg == "--":
			plain = true
		case strings.HasPrefix(arg, "--"):
			args, err = p.long(arg, args)
		default:
			args, err = p.short(arg, args)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// long reads a long option.
func (p *parser) long(arg string, args []string) ([]string, error) {
	o, on, err := p.find(arg, arg[2:])
	if err != nil {
		return nil, err
	}
	value := ""
	if o.value != "" {
		if len(args) == 0 {
			return nil, fmt.Errorf("option %s: requires parameter", arg)
		}
		value, args = args[0], args[1:]
	}
	return args, p.apply(o, arg, value, on)
}

// find finds an option by its name, an unambiguous beginning of it, or no- and
// one of these.
func (p *parser) find(arg, name string) (*curlOption, bool, error) {
	rest, negated := strings.CutPrefix(name, "no-")
	var found []*curlOption
	for i := range p.options {
		o := &p.options[i]
		switch {
		case o.set == nil:
		case o.name == name:
			return o, true, nil
		case negated && o.name == rest && o.value == "":
			return o, false, nil
		case strings.HasPrefix(o.name, name):
			found = append(found, o)
		}
	}
	switch len(found) {
	case 0:
		return nil, false, fmt.Errorf("option %s: is unknown", arg)
	case 1:
		return found[0], true, nil
	}
	return nil, false, fmt.Errorf("option %s: is ambiguous", arg)
}

// short reads the options that are letters.
func (p *parser) short(arg string, args []string) ([]string, error) {
	for i := 1; i < len(arg); i++ {
		letter := arg[i : i+1]
		var o *curlOption
		for j := range p.options {
			if p.options[j].letter == letter && p.options[j].set != nil {
				o = &p.options[j]
			}
		}
		if o == nil {
			return nil, fmt.Errorf("option %s: is unknown", arg)
		}
		if o.value == "" {
			if err := p.apply(o, arg, "", true); err != nil {
				return nil, err
			}
			continue
		}
		value := arg[i+1:]
		if value == "" {
			if len(args) == 0 {
				return nil, fmt.Errorf("option %s: requires parameter", arg)
			}
			value, args = args[0], args[1:]
		}
		return args, p.apply(o, arg, value, true)
	}
	return args, nil
}

// apply sets an option.
func (p *parser) apply(o *curlOption, arg, value string, on bool) error {
	err := o.set(p.cu, p.op(), value, on)
	var file errConfig
	switch {
	case err == nil:
		return nil
	case err == errNext:
		p.ops = append(p.ops, newOperation())
		return nil
	case errors.As(err, &file):
		err := p.file(string(file))
		if _, open := errors.AsType[*openError](err); open {
			fmt.Fprintf(p.cu.errs, "curl: cannot read config from '%s'\n", string(file))
			return &curlError{26, fmt.Sprintf("option %s: error encountered when reading a file", arg)}
		}
		return err
	}
	if _, ok := errors.AsType[*curlError](err); ok || err == p.cu.global.ended {
		return err
	}
	return fmt.Errorf("option %s: %w", arg, err)
}

// An openError is that of a file of options that cannot be read.
type openError struct{ error }

// file reads options from a file.
func (p *parser) file(name string) error {
	if p.depth++; p.depth > 10 {
		return errors.New("files of options that name each other")
	}
	defer func() { p.depth-- }()
	if name != "-" {
		if info, err := p.cu.FS.Stat(name); err != nil {
			return &openError{err}
		} else if info.IsDir() {
			return &openError{vfs.EISDIR}
		}
	}
	data, err := p.cu.readInput(name)
	if err != nil {
		return &openError{err}
	}
	for line := range strings.Lines(string(data)) {
		if err := p.line(strings.TrimSpace(line)); err != nil {
			return err
		}
	}
	return nil
}

// line reads a line of a file: an option with or without its dashes, and its
// value after spaces, a colon or an equals sign.
func (p *parser) line(line string) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	end := strings.IndexAny(line, " \t=:")
	if end < 0 {
		end = len(line)
	}
	name, rest := line[:end], strings.TrimLeft(line[end:], " \t=:")
	args := []string{}
	if strings.HasPrefix(rest, `"`) {
		args = append(args, unquoteConfig(rest))
	} else if rest != "" {
		args = append(args, rest)
	}
	if !strings.HasPrefix(name, "-") {
		name = "--" + name
	}
	if strings.HasPrefix(name, "--") {
		_, err := p.long(name, args)
		return err
	}
	_, err := p.short(name, args)
	return err
}

// unquoteConfig returns the text between double quotes.
func unquoteConfig(text string) string {
	var b strings.Builder
	for i := 1; i < len(text) && text[i] != '"'; i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) {
			i++
			switch c = text[i]; c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'r':
				c = '\r'
			case 'v':
				c = '\v'
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}
