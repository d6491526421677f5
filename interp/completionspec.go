package interp

import (
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/quote"
)

// specials are the names that complete uses for -D, -E and -I.
var specials = map[rune]string{'D': "_DefaultCmD_", 'E': "_EmptycmD_", 'I': "_InitialWorD_"}

func builtinComplete(sh *Shell, args []string) ctl {
	spec, flags, names, ok := sh.compOptionsOf("complete", args, "prDEI")
	if !ok {
		return ctlNone
	}
	for letter, name := range specials {
		if strings.ContainsRune(flags, letter) {
			names = append(names, name)
		}
	}
	switch {
	case strings.Contains(flags, "r"):
		if len(names) == 0 {
			names = slices.Clone(sh.specNames)
		}
		status := 0
		for _, name := range names {
			if spec := sh.specs[name]; spec == nil {
				sh.complain("complete", "%s: no completion specification", name)
				status = 1
			} else {
				sh.hold(-spec.size(name))
			}
			delete(sh.specs, name)
			sh.specNames = slices.DeleteFunc(sh.specNames, func(n string) bool { return n == name })
		}
		return sh.done(status)
	case len(args) == 0 || strings.Contains(flags, "p"):
		return sh.printSpecs(names)
	case len(names) == 0:
		return sh.usage("complete")
	}
	for _, name := range names {
		if !sh.setSpec(name, spec) {
			return sh.take()
		}
	}
	return sh.done(0)
}

func (sh *Shell) printSpecs(names []string) ctl {
	status := 0
	if len(names) == 0 {
		names = sh.specNames
	}
	var b strings.Builder
	for _, name := range names {
		spec := sh.specs[name]
		if spec == nil {
			sh.complain("complete", "%s: no completion specification", name)
			status = 1
			continue
		}
		b.WriteString(spec.text(name))
	}
	if !sh.print("complete", b.String()) {
		return ctlNone
	}
	return sh.done(status)
}

// text returns the command that makes a specification.
func (c *compSpec) text(name string) string {
	words := []string{"complete"}
	for _, o := range compOptions {
		if slices.Contains(c.options, o) {
			words = append(words, "-o", o)
		}
	}
	for _, a := range compActions {
		if !slices.Contains(c.actions, a.name) {
			continue
		}
		if a.letter != 0 {
			words = append(words, "-"+string(a.letter))
		} else {
			words = append(words, "-A", a.name)
		}
	}
	add := func(option, value string) {
		if value != "" {
			words = append(words, option, quote.Single(value))
		}
	}
	add("-G", c.glob)
	if c.hasList {
		words = append(words, "-W", quote.Single(c.words))
	}
	add("-P", c.prefix)
	add("-S", c.suffix)
	add("-X", c.filter)
	add("-C", c.command)
	if c.fn != "" {
		words = append(words, "-F", c.fn)
	}
	shown := quote.Listing(name)
	for letter, special := range specials {
		if name == special {
			shown = "-" + string(letter)
		}
	}
	return strings.Join(append(words, shown), " ") + "\n"
}

func builtinCompopt(sh *Shell, args []string) ctl {
	var on, off []string
	for len(args) > 0 && len(args[0]) > 1 && (args[0][0] == '-' || args[0][0] == '+') {
		a := args[0]
		args = args[1:]
		switch {
		case (a == "-o" || a == "+o") && len(args) > 0:
			if !slices.Contains(compOptions, args[0]) {
				sh.complain("compopt", "%s: invalid option name", args[0])
				return sh.done(usageStatus)
			}
			if a == "-o" {
				on = append(on, args[0])
			} else {
				off = append(off, args[0])
			}
			args = args[1:]
		case a == "-D" || a == "-E" || a == "-I":
			args = append(args, specials[rune(a[1])])
		default:
			sh.complain("compopt", "%s: invalid option", a)
			return sh.usage("compopt")
		}
	}
	if len(args) == 0 {
		sh.complain("compopt", "not currently executing completion function")
		return sh.done(1)
	}
	status := 0
	for _, name := range args {
		spec := sh.specs[name]
		if spec == nil {
			sh.complain("compopt", "%s: no completion specification", name)
			status = 1
			continue
		}
		c := *spec
		c.options = slices.DeleteFunc(slices.Concat(c.options, on), func(o string) bool { return slices.Contains(off, o) })
		if !sh.setSpec(name, &c) {
			return sh.take()
		}
	}
	return sh.done(status)
}
