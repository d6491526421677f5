package search

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/walk"
)

// isKind reports whether a file is of one of the types asked for. Emptiness is
// asked for besides a type, or stands for empty files and directories.
func (d *finder) isKind(e *walk.Entry) bool {
	mode := e.Type()
	is := func(kind string) bool {
		switch kind {
		case "f":
			return mode.IsRegular()
		case "d":
			return mode.IsDir()
		case "l":
			return mode.Type() == fs.ModeSymlink
		case "s":
			return mode.Type() == fs.ModeSocket
		case "p":
			return mode.Type() == fs.ModeNamedPipe
		case "x":
			info, err := e.Info()
			return err == nil && mode.IsRegular() && info.Mode()&0o111 != 0
		}
		return false
	}
	if !slices.Contains(d.kinds, "e") {
		return slices.ContainsFunc(d.kinds, is)
	}
	if slices.ContainsFunc(d.kinds, func(k string) bool { return k != "e" }) && !slices.ContainsFunc(d.kinds, is) {
		return false
	}
	if mode.IsDir() {
		entries, err := d.FS.ReadDir(e.Path)
		return err == nil && len(entries) == 0
	}
	info, err := e.Info()
	return err == nil && mode.IsRegular() && info.Size() == 0
}

// found deals with a result.
func (d *finder) found(e *walk.Entry, dir bool) error {
	d.results++
	name := e.Path
	bare := d.command == nil && !d.nullName || d.strip
	switch {
	case d.absolutePaths:
		name = d.absolute(name)
	case d.implied && bare:
		name = strings.TrimPrefix(name, "./")
	}
	switch {
	case d.quiet:
		return errEnough
	case d.command != nil:
		if err := d.command.add(d, d.separated(name)); err != nil {
			return err
		}
	default:
		if dir {
			name += "/"
		}
		if err := d.printPath(d.separated(name)); err != nil {
			return err
		}
	}
	if d.results >= d.maxResults {
		return errEnough
	}
	return nil
}

// An fdCommand is the command of -x, which runs for each result, or of -X, which
// runs once for all.
type fdCommand struct {
	args   []string
	batch  bool
	names  []string // for a batch
	failed bool
}

// takeCommand takes -x or -X and its command, up to a semicolon, out of the
// arguments.
func (d *finder) takeCommand() {
	for i, arg := range d.Args {
		if arg == "--" {
			return
		}
		batch := arg == "-X" || arg == "--exec-batch"
		if !batch && arg != "-x" && arg != "--exec" {
			continue
		}
		args, rest := d.Args[i+1:], []string(nil)
		if end := slices.Index(args, ";"); end >= 0 {
			args, rest = args[:end], args[end+1:]
		}
		if len(args) == 0 {
			return // and the option is refused
		}
		d.command = &fdCommand{args: args, batch: batch}
		if !slices.ContainsFunc(args, func(a string) bool { return fdHole(a) != "" }) {
			d.command.args = append(slices.Clone(args), "{}")
		}
		d.Args = slices.Concat(d.Args[:i], rest)
		return
	}
}

// fdHoles are what stands for a result in a command.
var fdHoles = map[string]func(name string) string{
	"{}":  func(name string) string { return name },
	"{/}": path.Base,
	"{//}": func(name string) string {
		if i := strings.LastIndexByte(name, '/'); i > 0 {
			return name[:i]
		}
		return path.Dir(name)
	},
	"{.}":  func(name string) string { return withoutExtension(path.Clean(name)) },
	"{/.}": func(name string) string { return withoutExtension(path.Base(name)) },
}

func withoutExtension(name string) string {
	if ext := path.Ext(name); ext != path.Base(name) {
		return strings.TrimSuffix(name, ext)
	}
	return name
}

// fdHole returns the first thing in arg that stands for a result, or "".
func fdHole(arg string) string {
	for i := range arg {
		for hole := range fdHoles {
			if strings.HasPrefix(arg[i:], hole) {
				return hole
			}
		}
	}
	return ""
}

// fdFill returns arg with name in all places for it.
func fdFill(arg, name string) string {
	var b strings.Builder
	for {
		hole := fdHole(arg)
		if hole == "" {
			return b.String() + arg
		}
		before, after, _ := strings.Cut(arg, hole)
		b.WriteString(before)
		b.WriteString(fdHoles[hole](name))
		arg = after
	}
}

// add runs the command for a result, or keeps it for the batch.
func (x *fdCommand) add(d *finder, name string) error {
	if x.batch {
		x.names = append(x.names, name)
		if err := d.Alloc(len(name) + 16); err != nil || len(x.names) != d.batchSize {
			return err
		}
		err := x.finish(d)
		x.names = nil
		return err
	}
	args := make([]string, len(x.args))
	for i, arg := range x.args {
		args[i] = fdFill(arg, name)
	}
	return x.run(d, args)
}

// finish runs the command of a batch.
func (x *fdCommand) finish(d *finder) error {
	if !x.batch || len(x.names) == 0 {
		return nil
	}
	size := 0
	defer func() { d.Free(size) }()
	for _, name := range x.names {
		size += len(name) + 16
	}
	var args []string
	for _, arg := range x.args {
		if fdHole(arg) == "" {
			args = append(args, arg)
			continue
		}
		if err := d.Poll(len(x.names)); err != nil {
			return err
		}
		for _, name := range x.names {
			args = append(args, fdFill(arg, name))
		}
	}
	return x.run(d, args)
}

func (x *fdCommand) run(d *finder, args []string) error {
	status, err := d.Exec(d.ctx, args, nil)
	if err != nil {
		return err
	}
	if status == builtins.NotFound {
		if _, err := d.LookPath(args[0]); err != nil {
			fmt.Fprintf(d.Stderr, "[fd error]: Command not found: %s\n", args[0])
		}
	}
	x.failed = x.failed || status != 0
	return nil
}
