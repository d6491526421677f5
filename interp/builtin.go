package interp

import (
	"strings"
)

// A builtin is a command of the shell itself.
type builtin struct {
	name    string
	special bool   // of POSIX
	usage   string // its arguments, as help shows them
	run     func(sh *Shell, args []string) ctl
	declare func(sh *Shell, name string, args []declared) ctl // of declare and its kin
}

// newBuiltins returns the builtins by name. (bash manual, Shell Builtin Commands)
func newBuiltins() map[string]*builtin {
	table := make(map[string]*builtin, 64)
	for _, list := range [][]*builtin{
		controlBuiltins(), variableBuiltins(), optionBuiltins(), directoryBuiltins(), commandBuiltins(),
		jobBuiltins(), inputBuiltins(), outputBuiltins(), completionBuiltins(), miscBuiltins(),
	} {
		for _, b := range list {
			table[b.name] = b
		}
	}
	return table
}

// builtin returns the builtin called name, or nil.
func (t *nameTable) builtin(name string) *builtin { return t.builtins[name] }

// runBuiltin runs a builtin.
func (sh *Shell) runBuiltin(b *builtin, argv []string) ctl {
	mild := sh.mild
	sh.mild, sh.mildNext = sh.mildNext, false
	old := sh.exprName
	if namesExpressions[b.name] {
		sh.exprName = b.name
	}
	k := b.run(sh, argv[1:])
	sh.exprName = old
	if k == ctlNone && sh.status == usageStatus && b.special && !sh.mild && sh.strict() && sh.quiet == 0 && b.fatal() {
		k = ctlExit
	}
	sh.mild = mild
	if sh.pending != ctlNone {
		return sh.take()
	}
	return k
}

// namesExpressions are the builtins whose name stands in front of mistakes in what they
// assign to integers.
var namesExpressions = map[string]bool{"read": true, "printf": true, "mapfile": true, "readarray": true, "getopts": true}

// usageStatus is the status of a builtin that was used wrongly.
const usageStatus = 2

func (b *builtin) fatal() bool { return b.name != "eval" && b.name != "." && b.name != "source" }

// done sets the status of a builtin that goes on.
func (sh *Shell) done(status int) ctl {
	sh.status = status
	return ctlNone
}

// A choiceOption is an option that a builtin was given.
type choiceOption struct {
	letter byte
	value  string
	plus   bool // +x
}

// options parses the options of a builtin as bash's internal_getopt does: spec
// has a letter for each option, with a colon where it takes a value. A mistake
// is reported, and ok is false then.
func (sh *Shell) options(name string, args []string, spec string) (opts []choiceOption, rest []string, ok bool) {
	for len(args) > 0 {
		arg := args[0]
		if arg == "--" {
			return opts, args[1:], true
		}
		plus := strings.HasPrefix(arg, "+") && strings.HasPrefix(spec, "+")
		if len(arg) < 2 || arg[0] != '-' && !plus {
			break
		}
		args = args[1:]
		for i := 1; i < len(arg); i++ {
			at := strings.IndexByte(spec, arg[i])
			if at < 0 || arg[i] == ':' || arg[i] == '+' {
				sh.complain(name, "%c%c: invalid option", arg[0], arg[i])
				sh.usage(name)
				return nil, nil, false
			}
			o := choiceOption{letter: arg[i], plus: plus}
			if at+1 < len(spec) && spec[at+1] == ':' {
				switch {
				case i+1 < len(arg):
					o.value = arg[i+1:]
				case len(args) > 0:
					o.value, args = args[0], args[1:]
				default:
					sh.complain(name, "-%c: option requires an argument", arg[i])
					sh.usage(name)
					return nil, nil, false
				}
				opts = append(opts, o)
				break
			}
			opts = append(opts, o)
		}
	}
	return opts, args, true
}

// usage prints how a builtin is used, and sets the status of a wrong use.
func (sh *Shell) usage(name string) ctl {
	b := sh.names.builtin(name)
	if b == nil {
		return sh.done(usageStatus)
	}
	_ = sh.write(2, []byte(name+": usage: "+strings.TrimSuffix(name+" "+b.usage, " ")+"\n"))
	if b.special && !sh.mild && sh.strict() {
		sh.failed(ctlExit, usageStatus)
	}
	return sh.done(usageStatus)
}

// print writes text to standard output for a builtin. Where that fails, it
// reports so and returns false.
func (sh *Shell) print(name, text string) bool {
	return sh.printBytes(name, []byte(text))
}

func (sh *Shell) printBytes(name string, b []byte) bool {
	if len(b) == 0 {
		return true
	}
	err := sh.write(1, b)
	if err == nil {
		return true
	}
	sh.writeFailed(name, err)
	return false
}
