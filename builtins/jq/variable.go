package jq

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/internal/jq"
	"github.com/limpet-sh/limpet/vfs"
)

// variable returns what parses an option that sets a variable.
func (f *filter) variable(option string, value func(name, text string) (jq.Value, error)) func(string) error {
	return func(s string) error {
		name, text, ok := strings.Cut(s, "\x00")
		if !ok {
			return fmt.Errorf("--%s takes two parameters (e.g. --%s varname value)", option, option)
		}
		v, err := value(name, text)
		if err != nil {
			return err
		}
		for _, old := range f.names {
			if old == name { // the first counts
				return nil
			}
		}
		f.names, f.vals = append(f.names, name), append(f.vals, v)
		return nil
	}
}

func (f *filter) stringVariable(_, text string) (jq.Value, error) { return text, nil }

func (f *filter) jsonVariable(_, text string) (jq.Value, error) {
	v, err := f.input.ParseValue(text)
	if err != nil {
		return nil, errors.New("Invalid JSON text passed to --argjson")
	}
	return v, nil
}

func (f *filter) slurpedVariable(name, file string) (jq.Value, error) {
	return f.fileVariable("slurpfile", name, file, func(in *jq.Input) { in.Slurp = true })
}

func (f *filter) rawVariable(name, file string) (jq.Value, error) {
	return f.fileVariable("rawfile", name, file, func(in *jq.Input) { in.Slurp, in.Raw = true, true })
}

func (f *filter) fileVariable(option, name, file string, set func(*jq.Input)) (jq.Value, error) {
	in := f.input.Another(file)
	set(in)
	var opening error
	in.Open = func(name string) (r io.ReadCloser, ok bool) {
		r, opening = f.FS.Open(name)
		return r, opening == nil
	}
	v, err := in.Next()
	if opening != nil {
		err = fmt.Errorf("Could not open %s: %w", file, vfs.ErrnoOf(opening))
	}
	if err != nil {
		return nil, fmt.Errorf("Bad JSON in --%s %s %s: %w", option, name, file, err)
	}
	return v, nil
}
