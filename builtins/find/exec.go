package find

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

// A command is what -exec and its like run.
type command struct {
	*finder
	args    []string
	inDir   bool // in the directory of the file: -execdir
	confirm bool // -ok
}

// parseExec parses the command of -exec, -execdir, -ok or -okdir, up to ";" or,
// after "{}", "+".
func parseExec(p *parser, name string) (test, error) {
	c := &command{finder: p.finder, inDir: strings.HasSuffix(name, "dir"), confirm: strings.HasPrefix(name, "-ok")}
	n, many := 0, false
	for ; ; n++ {
		if n == len(p.args) {
			return nil, fmt.Errorf("missing argument to `%s'", name)
		}
		if p.args[n] == ";" {
			break
		}
		if p.args[n] == "+" && n > 0 && strings.Contains(p.args[n-1], "{}") && !c.confirm {
			many = true
			break
		}
	}
	c.args = p.args[:n]
	if len(c.args) == 0 {
		return nil, badArg(name, p.args[n])
	}
	p.args = p.args[n+1:]
	if many {
		return c.batched(name)
	}
	return c.each, nil
}

// each runs the command for e.
func (c *command) each(e *walk.Entry) bool {
	path, dir := e.Path, ""
	if c.inDir {
		path, dir = "./"+e.Name(), dirOf(e.Path)
		if e.Path == "/" {
			path = "/"
		}
	}
	args := make([]string, len(c.args))
	for i, arg := range c.args {
		args[i] = strings.ReplaceAll(arg, "{}", path)
	}
	if c.confirm && !c.ask(e.Path) {
		return false
	}
	return c.execute(args, dir, c.confirm) == 0
}

// ask puts the question of -ok.
func (c *command) ask(path string) bool {
	_ = c.out.Flush()
	fmt.Fprintf(c.c.Stderr, "< %s ... %s > ? ", c.args[0], path)
	first, b := byte(0), make([]byte, 1)
	for n := 0; c.c.Poll(1) == nil; n++ {
		got, err := c.c.Stdin.Read(b)
		if got == 0 && err != nil || got > 0 && b[0] == '\n' {
			break
		}
		if n == 0 && got > 0 {
			first = b[0]
		}
	}
	return first == 'y' || first == 'Y'
}

// execute runs args in a directory, or in the current one where dir is empty.
func (f *finder) execute(args []string, dir string, noInput bool) builtins.Exit {
	_ = f.out.Flush()
	for _, o := range f.files {
		_ = o.Flush()
	}
	if _, err := f.c.LookPath(args[0]); err != nil {
		fmt.Fprintf(f.c.Stderr, "%s: %s: %v\n", f.c.Name, builtins.QuoteLocale(args[0]), vfs.ErrnoOf(err))
		return 1
	}
	status, err := f.c.Exec(f.ctx, args, func(call *builtins.Call) {
		if noInput {
			call.Stdin = bytes.NewReader(nil)
		}
		if dir != "" {
			view := *call.FS
			view.Dir = f.c.FS.Abs(dir)
			call.FS = &view
		}
	})
	if err != nil && f.err == nil {
		f.err = err
	}
	return status
}

// dirOf returns the directory part of path; "." where there is none.
func dirOf(path string) string {
	trimmed := strings.TrimRight(path, "/")
	i := strings.LastIndexByte(trimmed, '/')
	switch {
	case trimmed == "" || i == 0:
		return "/"
	case i < 0:
		return "."
	}
	return trimmed[:i]
}

// batchSize is how many bytes the arguments of one command of -exec … + may
// have.
const batchSize = 128 << 10

// A batch collects the files that a command of -exec … + is to get.
type batch struct {
	*command
	dir  string // of all of them, for -execdir
	tail []string
	size int
	cost int
}

// batched returns the action that adds files to a batch.
func (c *command) batched(name string) (test, error) {
	count := 0
	for _, arg := range c.args {
		if strings.Contains(arg, "{}") {
			count++
		}
	}
	last := c.args[len(c.args)-1]
	switch {
	case count > 1:
		return nil, fmt.Errorf("Only one instance of {} is supported with %s ... +", name)
	case last != "{}":
		return nil, fmt.Errorf("In %s the %s must appear by itself, but you specified %s",
			builtins.QuoteLocale(name+" ... {} +"), builtins.QuoteLocale("{}"), builtins.QuoteLocale(last))
	}
	c.args = c.args[:len(c.args)-1]
	if len(c.args) == 0 {
		return nil, errors.New("invalid argument `+' to `" + name + "'")
	}
	b := &batch{command: c}
	c.batches = append(c.batches, b)
	return b.add, nil
}

// add adds e, and runs the command when enough has come together.
func (b *batch) add(e *walk.Entry) bool {
	path := e.Path
	if b.inDir {
		dir := dirOf(e.Path)
		if dir != b.dir {
			b.flush()
			b.dir = dir
		}
		path = "./" + e.Name()
	}
	if len(b.tail) > 0 && b.size+len(path)+1 > b.limit() {
		b.flush()
	}
	cost := len(path) + 16
	if err := b.c.Alloc(cost); err != nil {
		b.err = err
		return true
	}
	b.cost += cost
	b.tail = append(b.tail, path)
	b.size += len(path) + 1
	return true
}

// limit returns how many bytes the files of one command may have.
func (b *batch) limit() int {
	n := batchSize
	for _, arg := range b.args {
		n -= len(arg) + 1
	}
	return n
}

// flush runs the command with what has been collected.
func (b *batch) flush() {
	if len(b.tail) == 0 || b.err != nil {
		return
	}
	args := append(b.args[:len(b.args):len(b.args)], b.tail...)
	b.c.Free(b.cost)
	b.tail, b.size, b.cost = nil, 0, 0
	if b.execute(args, b.dir, false) != 0 {
		b.failed = true
	}
}

// finishBatches runs the commands that have files left.
func (f *finder) finishBatches() error {
	for _, b := range f.batches {
		b.flush()
	}
	return f.err
}
