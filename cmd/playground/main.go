//go:build js

// Command playground is the sandbox as a WebAssembly module, for the worker of the page that
// limpet playground serves. It defines the object limpet, whose functions worker.js calls. Build it with
// the tag slim, without which it is twice as large.
package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"syscall/js"

	"github.com/limpet-sh/limpet"
)

// A playground is one sandbox and the session of whoever types.
type playground struct {
	shell   *limpet.Shell
	session *limpet.Session
}

func main() {
	p := &playground{}
	if err := p.open(); err != nil {
		panic(err)
	}
	js.Global().Set("limpet", map[string]any{
		"exec":     promise(p.exec),
		"complete": promise(p.complete),
		"list":     promise(p.list),
		"read":     promise(p.read),
		"write":    promise(p.write),
		"save":     promise(p.save),
		"load":     promise(p.load),
		"limits":   promise(p.limits),
	})
	select {}
}

func (p *playground) open() (err error) {
	if p.shell, err = limpet.New(limpet.Config{}); err != nil {
		return err
	}
	p.session, err = p.shell.NewSession(context.Background(), limpet.SessionOptions{Interactive: true})
	return err
}

// promise makes of f a function of JavaScript that returns a promise. f runs on a goroutine of its own, since
// it may wait for the event loop.
func promise(f func(args []js.Value) (any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		var begin js.Func
		begin = js.FuncOf(func(_ js.Value, settle []js.Value) any {
			go func() {
				defer begin.Release()
				v, err := f(args)
				if err != nil {
					settle[1].Invoke(js.Global().Get("Error").New(err.Error()))
					return
				}
				settle[0].Invoke(v)
			}()
			return nil
		})
		return js.Global().Get("Promise").New(begin)
	})
}

// A callback writes to a function of JavaScript.
type callback struct {
	stream string
	write  js.Value
}

// Write calls the function with the name of the stream and the bytes.
func (c callback) Write(data []byte) (int, error) {
	c.write.Invoke(c.stream, array(data))
	return len(data), nil
}

// Terminal reports true: the page is one.
func (c callback) Terminal() bool { return true }

func array(data []byte) js.Value {
	a := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(a, data)
	return a
}

func content(a js.Value) []byte {
	data := make([]byte, a.Length())
	js.CopyBytesToGo(data, a)
	return data
}

// exec runs a script, with what it prints given to a function. A third argument is the name of
// the script, which runs on its own then.
func (p *playground) exec(args []js.Value) (any, error) {
	req := limpet.Request{Script: args[0].String(), Stdout: callback{"stdout", args[1]}, Stderr: callback{"stderr", args[1]}}
	run := p.session.Exec
	if len(args) > 2 {
		req.Name, req.Batch, run = args[2].String(), true, p.shell.Exec
		req.Stdout, req.Stderr = plain{req.Stdout.(callback)}, plain{req.Stderr.(callback)}
	}
	res, err := run(context.Background(), req)
	if err != nil {
		return nil, err
	}
	stopped := ""
	if res.Stopped != nil {
		stopped = res.Stopped.Error()
	}
	return map[string]any{
		"status": res.Status, "stopped": stopped, "exited": res.Exited, "dir": p.session.Dir(),
		"seconds": res.Usage.Time.Seconds(), "steps": res.Usage.Steps, "memory": res.Usage.Memory, "output": res.Usage.Output,
	}, nil
}

// plain is a stream that is no terminal.
type plain struct{ to callback }

// Write writes to the stream.
func (p plain) Write(data []byte) (int, error) { return p.to.Write(data) }

// complete returns what a word may become: the name of a command, or of a file.
func (p *playground) complete(args []js.Value) (any, error) {
	kind := "-f"
	if args[1].Bool() {
		kind = "-c"
	}
	res, err := p.shell.Exec(context.Background(), limpet.Request{
		Script: `compgen "$1" -- "$2" | sort -u | while IFS= read -r x; do [ "$1" = -f ] && [ -d "$x" ] && x+=/; printf '%s\n' "$x"; done`,
		Args:   []string{kind, args[0].String()}, Dir: p.session.Dir(),
	})
	if err != nil {
		return nil, err
	}
	words := []any{}
	for line := range bytes.Lines(res.Stdout) {
		words = append(words, string(bytes.TrimSuffix(line, []byte("\n"))))
	}
	return words, nil
}

// list returns the entries of a directory; null where there is none.
func (p *playground) list(args []js.Value) (any, error) {
	entries, err := p.shell.ReadDir(context.Background(), args[0].String())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	list := []any{}
	for _, e := range entries {
		entry := map[string]any{"name": e.Name(), "dir": e.IsDir(), "size": 0}
		if info, err := e.Info(); err == nil {
			entry["size"] = info.Size()
		}
		list = append(list, entry)
	}
	return list, err
}

func (p *playground) read(args []js.Value) (any, error) {
	data, err := p.shell.ReadFile(context.Background(), args[0].String())
	if err != nil {
		return nil, err
	}
	return array(data), nil
}

func (p *playground) write(args []js.Value) (any, error) {
	mode := fs.FileMode(0o644)
	if len(args) > 2 {
		mode = fs.FileMode(args[2].Int())
	}
	return nil, p.shell.WriteFile(context.Background(), args[0].String(), content(args[1]), mode)
}

// save returns the files and the state of the session as bytes.
func (p *playground) save([]js.Value) (any, error) {
	c, err := p.session.Checkpoint()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := c.Save(&b, nil); err != nil {
		return nil, err
	}
	return array(b.Bytes()), nil
}

// load makes the session what save has returned.
func (p *playground) load(args []js.Value) (any, error) {
	c, err := p.shell.Load(bytes.NewReader(content(args[0])), nil)
	if err != nil {
		return nil, err
	}
	return nil, p.session.Restore(c)
}

func (p *playground) limits([]js.Value) (any, error) {
	list := []any{}
	for name, value := range p.shell.Limits().All() {
		list = append(list, map[string]any{"name": name, "value": value})
	}
	return list, nil
}
