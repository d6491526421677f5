// Package invoke says how a real shell is told to run a [limpet.Request], and how it
// is given a memory: what the adapters to operating systems share.
package invoke

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/internal/quote"
)

// longest is how many bytes a script may have that is an argument: Linux takes no
// argument of 128 KiB.
const longest = 100_000

// An Invocation is a command line and the script, where that is not in it.
type Invocation struct {
	File bool // the script has to be in a file

	args []string // with scriptMark where the name of that file is to be
}

// scriptMark is what stands for the name of the file of the script.
const scriptMark = "\x00script"

// Of returns how shell, "bash" or "sh", runs a request.
func Of(shell string, req limpet.Request) (Invocation, error) {
	for _, s := range slices.Concat([]string{req.Name, req.Dir}, req.Args) {
		if strings.ContainsRune(s, 0) {
			return Invocation{}, errors.New("a zero byte in a name or an argument")
		}
	}
	args := []string{shell}
	if req.Posix && shell == "bash" {
		args = append(args, "--posix")
	}
	name := req.Name
	if name == "" {
		name = shell
	}
	switch {
	case req.FromStdin:
		return Invocation{args: slices.Concat(args, []string{"-s", "--"}, req.Args)}, nil
	case req.Batch:
		// Messages have the name of the file then, but $0 is that of the request.
		return Invocation{args: slices.Concat(args, []string{"-c", ". " + scriptMark, name}, req.Args), File: true}, nil
	case len(req.Script) > longest || strings.ContainsRune(req.Script, 0):
		load := `eval "$(cat -- ` + scriptMark + `)"`
		return Invocation{args: slices.Concat(args, []string{"-c", load, name}, req.Args), File: true}, nil
	default:
		return Invocation{args: slices.Concat(args, []string{"-c", "--", req.Script, name}, req.Args)}, nil
	}
}

// With returns the command line with the name of the file that has the script.
func (inv Invocation) With(file string) []string {
	args := slices.Clone(inv.args)
	for i, a := range args {
		if a == scriptMark {
			args[i] = file
		} else if inv.File {
			args[i] = strings.ReplaceAll(a, scriptMark, quote.Single(file))
		}
	}
	return args
}

// CheckEnv fails where env has something that an environment cannot hold.
func CheckEnv(env map[string]string) error {
	for name, value := range env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
			return errors.New("not a variable of an environment: " + quote.C(name))
		}
	}
	return nil
}

// Environ returns env in the form of os.Environ, in the order of the names.
func Environ(env map[string]string) []string {
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}
