package interp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// An Invocation is the command line of bash or sh, parsed. (bash manual,
// Invoking Bash)
type Invocation struct {
	Startup
	Script  string   // with -c
	File    string   // the script file, or "" for standard input
	Args    []string // $1, $2, ...
	Options []invocationOption

	login              bool
	noProfile, noRC    bool
	rcFile             string
	help, showVersion  bool
	restricted         bool
	debugger           bool
	strings, catalogue bool // print the strings to be translated, in the form of a catalogue
}

// An invocationOption is an option of set or shopt on a command line.
type invocationOption struct {
	letter byte // of set, or o or O for those that are named
	on     bool
	name   string // with o and O; "" to list them
}

// A usageError is a command line that is wrong. Bash tells then how it is used.
type usageError struct{ error }

// longOptions are the long options of bash, which have one or two dashes. Those
// without a function are for terminals, and change nothing.
var longOptions = []struct {
	name  string
	value bool // it takes an argument
	set   func(v *Invocation, arg string)
}{
	{name: "debug"},
	{name: "debugger", set: func(v *Invocation, _ string) { v.debugger = true }},
	{name: "dump-po-strings", set: func(v *Invocation, _ string) { v.strings, v.catalogue = true, true }},
	{name: "dump-strings", set: func(v *Invocation, _ string) { v.strings = true }},
	{name: "help", set: func(v *Invocation, _ string) { v.help = true }},
	{name: "init-file", value: true, set: func(v *Invocation, arg string) { v.rcFile = arg }},
	{name: "login", set: func(v *Invocation, _ string) { v.login = true }},
	{name: "noediting"},
	{name: "noprofile", set: func(v *Invocation, _ string) { v.noProfile = true }},
	{name: "norc", set: func(v *Invocation, _ string) { v.noRC = true }},
	{name: "posix", set: func(v *Invocation, _ string) { v.Posix = true }},
	{name: "rcfile", value: true, set: func(v *Invocation, arg string) { v.rcFile = arg }},
	{name: "restricted", set: func(v *Invocation, _ string) { v.restricted = true }},
	{name: "verbose", set: func(v *Invocation, _ string) {
		v.Options = append(v.Options, invocationOption{letter: 'v', on: true})
	}},
	{name: "version", set: func(v *Invocation, _ string) { v.showVersion = true }},
}

// shellUsage is what bash prints about its command line.
func shellUsage(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\t%s [GNU long option] [option] ...\n", name)
	fmt.Fprintf(&b, "\t%s [GNU long option] [option] script-file ...\nGNU long options:\n", name)
	for _, o := range longOptions {
		b.WriteString("\t--" + o.name + "\n")
	}
	b.WriteString("Shell options:\n\t-ilrsD or -c command or -O shopt_option\t\t(invocation only)\n")
	b.WriteString("\t-abefhkmnptuvxBCEHPT or -o option\n")
	return b.String()
}

// ParseInvocation parses the arguments of bash or sh, which do not include the
// name.
func ParseInvocation(name string, args []string) (*Invocation, error) {
	base := name[strings.LastIndexByte(name, '/')+1:]
	v := &Invocation{Startup: Startup{Name: name, Shell: name, Posix: strings.TrimPrefix(base, "-") == "sh"}}
	v.login = strings.HasPrefix(name, "-")
	v.restricted = strings.TrimPrefix(base, "-") == "rbash"
	args, err := v.parseLong(args)
	if err != nil {
		return nil, err
	}
	if args, err = v.parseShort(args); err != nil {
		return nil, err
	}
	switch {
	case v.Command:
		if len(args) == 0 {
			return nil, errors.New("-c: option requires an argument")
		}
		v.Script, args = args[0], args[1:]
		if len(args) > 0 {
			v.Name, args = args[0], args[1:]
		}
	case !v.Stdin && len(args) > 0:
		v.File, v.Name, args = args[0], args[0], args[1:]
	default:
		v.Stdin = true
	}
	v.Args = args
	return v, nil
}

// parseLong parses the long options, which come first.
func (v *Invocation) parseLong(args []string) ([]string, error) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		two := strings.HasPrefix(args[0], "--")
		name := strings.TrimPrefix(args[0][1:], "-")
		i := slices.IndexFunc(longOptions, func(o struct {
			name  string
			value bool
			set   func(v *Invocation, arg string)
		}) bool {
			return o.name == name
		})
		switch {
		case i >= 0:
		case two && name != "":
			return nil, usageError{fmt.Errorf("%s: invalid option", args[0])}
		default:
			return args, nil
		}
		o, arg := longOptions[i], ""
		args = args[1:]
		if o.value {
			if len(args) == 0 {
				return nil, fmt.Errorf("%s: option requires an argument", name)
			}
			arg, args = args[0], args[1:]
		}
		if o.set != nil {
			o.set(v, arg)
		}
	}
	return args, nil
}

// parseShort parses the other options.
func (v *Invocation) parseShort(args []string) ([]string, error) {
	for len(args) > 0 {
		a := args[0]
		if a == "--" || a == "-" {
			return args[1:], nil
		}
		if len(a) < 2 || a[0] != '-' && a[0] != '+' {
			break
		}
		args = args[1:]
		for i := 1; i < len(a); i++ {
			o := invocationOption{letter: a[i], on: a[0] == '-'}
			switch o.letter {
			case 'c':
				v.Command = true
				continue
			case 's':
				v.Stdin = true
				continue
			case 'i':
				v.Interactive = true
				continue
			case 'l':
				v.login = true
				continue
			case 'D':
				v.strings = true
				continue
			case 'r':
				v.restricted = o.on
				continue
			case 'o', 'O':
				if len(args) > 0 {
					o.name, args = args[0], args[1:]
				}
			default:
				if setOption(o.letter) == 0 {
					return nil, usageError{fmt.Errorf("%c%c: invalid option", a[0], o.letter)}
				}
			}
			v.Options = append(v.Options, o)
		}
	}
	return args, nil
}
