package git

import (
	"fmt"
	"strconv"
	"strings"
)

// flags parses the options of a subcommand, as git's parse-options does.
type flags struct {
	g      *git
	usage  string
	list   []flag
	number func(n int) // takes options such as -5
	dashed bool        // there was a "--"
	keep   bool        // words after the first operand are operands
}

// A flag is an option.
type flag struct {
	names    []string // without dashes; those of one letter are short
	value    bool     // it takes one
	optional bool     // the value may be missing; it is joined then
	last     bool     // the value may be missing at the end
	set      func(value string) error
}

// options begins the declaration of a subcommand's options. args is how its usage
// line goes on.
func (g *git) options(args string) *flags {
	return &flags{g: g, usage: "usage: git " + g.name + " " + args}
}

func (f *flags) add(names string, value, optional bool, set func(string) error) {
	f.list = append(f.list, flag{names: strings.Split(names, ","), value: value, optional: optional, set: set})
}

// bool declares an option that sets *p.
func (f *flags) bool(p *bool, names string) {
	f.add(names, false, false, func(string) error { *p = true; return nil })
}

// not declares an option that clears *p.
func (f *flags) not(p *bool, names string) {
	f.add(names, false, false, func(string) error { *p = false; return nil })
}

// do declares an option that calls set.
func (f *flags) do(names string, set func()) {
	f.add(names, false, false, func(string) error { set(); return nil })
}

// string declares an option with a value.
func (f *flags) string(p *string, names string) {
	f.add(names, true, false, func(v string) error { *p = v; return nil })
}

// strings declares an option that may be given several times.
func (f *flags) strings(p *[]string, names string) {
	f.add(names, true, false, func(v string) error { *p = append(*p, v); return nil })
}

// last declares an option whose value is the next argument, or missing where there
// is none.
func (f *flags) last(p *string, names, missing string) {
	f.list = append(f.list, flag{names: strings.Split(names, ","), value: true, last: true, set: func(v string) error {
		if *p = v; v == "" {
			*p = missing
		}
		return nil
	}})
}

// int declares an option whose value is a number.
func (f *flags) int(p *int, names string) {
	f.add(names, true, false, func(v string) error {
		n, err := strconv.Atoi(v)
		if err != nil {
			return usage(fmt.Sprintf("error: option `%s' expects a numerical value", strings.Split(names, ",")[0]))
		}
		*p = n
		return nil
	})
}

// ignore declares options that ask for what is so anyway.
func (f *flags) ignore(names string) { f.add(names, false, false, func(string) error { return nil }) }

// parse returns the operands, and what stands behind "--".
func (f *flags) parse(args []string) (operands, paths []string, err error) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			f.dashed = true
			return operands, args[i+1:], nil
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			operands = append(operands, arg)
			if f.keep {
				return append(operands, args[i+1:]...), nil, nil
			}
		case strings.HasPrefix(arg, "--"):
			used, err := f.long(arg[2:], args[i+1:])
			if err != nil {
				return nil, nil, err
			}
			i += used
		default:
			used, err := f.short(arg[1:], args[i+1:])
			if err != nil {
				return nil, nil, err
			}
			i += used
		}
	}
	return operands, nil, nil
}

// long handles --name and --name=value, and returns how many of the arguments
// that follow it has used.
func (f *flags) long(text string, rest []string) (used int, err error) {
	name, value, has := strings.Cut(text, "=")
	o := f.find(name)
	switch {
	case o == nil && (name == "help" || name == "h"):
		return 0, usage(f.usage)
	case o == nil:
		return 0, usage(fmt.Sprintf("error: unknown option `%s'\n%s", text, f.usage))
	case has && !o.value && !o.optional:
		return 0, usage(fmt.Sprintf("error: option `%s' takes no value", name))
	case o.value && !has:
		if len(rest) == 0 && o.last {
			return 0, o.set("")
		}
		if len(rest) == 0 {
			return 0, usage(fmt.Sprintf("error: option `%s' requires a value", name))
		}
		return 1, o.set(rest[0])
	}
	return 0, o.set(value)
}

// find returns the option with a name, or with one that it begins.
func (f *flags) find(name string) *flag {
	var found *flag
	for i := range f.list {
		for _, n := range f.list[i].names {
			switch {
			case n == name && len(n) > 1:
				return &f.list[i]
			case len(n) > 1 && name != "" && strings.HasPrefix(n, name):
				if found != nil && found != &f.list[i] {
					return nil
				}
				found = &f.list[i]
			}
		}
	}
	return found
}

// short handles a bundle of letters.
func (f *flags) short(text string, rest []string) (used int, err error) {
	if n, err := strconv.Atoi(text); err == nil && f.number != nil {
		f.number(n)
		return 0, nil
	}
	for i := 0; i < len(text); i++ {
		o := f.letter(text[i : i+1])
		switch {
		case o == nil && text[i] == 'h':
			return 0, usage(f.usage)
		case o == nil:
			return 0, usage(fmt.Sprintf("error: unknown switch `%c'\n%s", text[i], f.usage))
		case o.optional:
			return 0, o.set(text[i+1:])
		case !o.value:
			if err := o.set(""); err != nil {
				return 0, err
			}
		case i+1 < len(text):
			return 0, o.set(text[i+1:])
		case len(rest) == 0:
			return 0, usage(fmt.Sprintf("error: switch `%c' requires a value", text[i]))
		default:
			return 1, o.set(rest[0])
		}
	}
	return 0, nil
}

// letter returns the option with a letter.
func (f *flags) letter(name string) *flag {
	for i := range f.list {
		for _, n := range f.list[i].names {
			if n == name {
				return &f.list[i]
			}
		}
	}
	return nil
}
