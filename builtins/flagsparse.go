package builtins

import (
	"errors"
	"slices"
	"strings"
)

// Parse parses the call's arguments and returns its operands. The error is
// for Run to return as it is: --help has been answered, a mistake explained.
func (f *Flags) Parse() (operands []string, err error) {
	if f.call.flags != nil {
		return nil, errDescribed
	}
	args := f.call.Args
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return append(operands, args...), nil
		case len(arg) > 1 && arg[0] == '-' && f.Plain != nil && f.Plain(arg):
			operands = append(operands, arg)
		case strings.HasPrefix(arg, "--"):
			args, err = f.long(arg[2:], args)
		case len(arg) > 1 && arg[0] == '-':
			args, err = f.short(arg[1:], args)
		default:
			operands = append(operands, arg)
			if f.Ordered {
				return append(operands, args...), nil
			}
		}
		if _, unknown := errors.AsType[unknownError](err); unknown && f.Unknown != nil {
			err = f.Unknown(arg)
		}
		if err != nil {
			return nil, f.Fail(err)
		}
	}
	return operands, nil
}

func (f *Flags) short(letters string, args []string) ([]string, error) {
	for i := 0; i < len(letters); i++ {
		if f.Number != nil && letters[i] >= '0' && letters[i] <= '9' {
			end := len(letters) - len(strings.TrimLeft(letters[i:], "0123456789"))
			if err := f.Number(letters[i:end]); err != nil {
				return nil, err
			}
			i = end - 1
			continue
		}
		o := f.byLetter(letters[i : i+1])
		rest := letters[i+1:]
		switch {
		case o == nil:
			return nil, unknownError{Usage("invalid option -- '%s'", letters[i:i+1])}
		case o.Value == "":
			if err := o.set(""); err != nil {
				return nil, err
			}
			continue
		case o.Optional && rest == "":
			return args, o.set("")
		case o.Optional:
			return args, o.set("=" + rest)
		case rest == "" && len(args) == 0:
			return nil, Usage("option requires an argument -- '%s'", letters[i:i+1])
		case rest == "":
			rest, args = args[0], args[1:]
		}
		return args, o.set(rest)
	}
	return args, nil
}

func (f *Flags) byLetter(letter string) *Option {
	for _, o := range f.options {
		if slices.Contains(o.Short, letter) {
			return o
		}
	}
	return nil
}

func (f *Flags) long(arg string, args []string) ([]string, error) {
	name, value, inline := strings.Cut(arg, "=")
	name, o, err := f.byName(name, arg)
	if err != nil {
		return nil, err
	}
	switch {
	case o == nil && name == "help":
		return nil, f.Help()
	case o == nil:
		return nil, f.Version()
	case o.Value == "" && inline:
		return nil, Usage("option '--%s' doesn't allow an argument", name)
	case o.Value == "":
		return args, o.set("")
	case o.Optional && inline:
		return args, o.set("=" + value)
	case o.Optional:
		return args, o.set("")
	case inline:
		return args, o.set(value)
	case len(args) == 0:
		return nil, Usage("option '--%s' requires an argument", name)
	}
	return args[1:], o.set(args[0])
}

// byName finds an option by its name or an unambiguous beginning of it. arg is
// how messages show it. It returns no option for --help and --version, which
// every command has.
func (f *Flags) byName(name, arg string) (string, *Option, error) {
	var found []string
	var option *Option
	same := true
	for _, o := range f.options {
		for _, n := range o.Long {
			if n == name {
				return n, o, nil
			}
			if name != "" && strings.HasPrefix(n, name) {
				same = same && (option == nil || option == o)
				found, option = append(found, n), o
			}
		}
	}
	for _, n := range []string{"help", "version"} {
		if n == name {
			return n, nil, nil
		}
		if name != "" && strings.HasPrefix(n, name) {
			same = same && len(found) == 0
			found = append(found, n)
		}
	}
	switch {
	case len(found) == 0:
		return "", nil, unknownError{Usage("unrecognized option '--%s'", arg)}
	case !same:
		return "", nil, Usage("option '--%s' is ambiguous; possibilities: '--%s'", arg, strings.Join(found, "' '--"))
	}
	return found[0], option, nil
}
