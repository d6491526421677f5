// Package jq has the command jq.
package jq

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/jq"
	"github.com/limpet-sh/limpet/vfs"
)

var commands builtins.Set

// Commands returns the commands of this package.
func Commands() []*builtins.Command { return commands.Commands() }

var _ = commands.Add(&builtins.Command{
	Name:     "jq",
	Synopsis: "[OPTION...] FILTER [FILE...]\n       jq [OPTION...] --args FILTER [STRING...]\n       jq [OPTION...] --jsonargs FILTER [JSON...]",
	Summary:  "filter and transform JSON",
	Trouble:  statusUsage,
	Run:      run,
})

// Statuses of jq.
const (
	statusFalse   builtins.Exit = 1 // with -e: the last value was false or null
	statusUsage   builtins.Exit = 2
	statusCompile builtins.Exit = 3
	statusSyntax  builtins.Exit = 4 // of the input; with -e also: there was no value
	statusError   builtins.Exit = 5
)

// hint follows a mistake in the arguments.
const hint = "Use jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://jqlang.github.io/jq\n"

// A filter is one run of the command.
type filter struct {
	*builtins.Call
	out     *bufio.Writer
	print   jq.Printer
	input   *jq.Input
	trouble bool // with a file

	raw, join, nul  bool
	null, fromFile  bool
	exitStatus, seq bool
	search          []string
	origin          string // the file of the program
	names           []string
	vals            []jq.Value
	positional      []jq.Value
	last            jq.Value
	printed         bool
}

func run(ctx context.Context, c *builtins.Call) error {
	f := &filter{Call: c, out: bufio.NewWriterSize(c.Stdout, 32<<10)}
	args := sortArgs(c.Args)
	f.input = jq.NewInput(ctx, c, nil)
	defer f.input.Close()
	f.print.Write = func(b []byte) error {
		_, err := f.out.Write(b)
		return err
	}
	f.print.Indent = 2
	if err := f.options(args); err != nil {
		return err
	}
	if len(f.search) == 0 {
		f.search = []string{"~/.jq", "/usr/lib/jq", "/usr/lib"}
	}
	src, files, err := f.program(args)
	if err != nil {
		return err
	}
	f.input.SetFiles(files)
	f.input.Open = f.open
	err = f.run(src)
	if flush := f.out.Flush(); flush != nil {
		return flush
	}
	return err
}

// arguments are the arguments of the command, sorted by their kind. Which a word
// is depends on the words before it.
type arguments struct {
	options       []string
	operands      []string
	strings, json []int // operands that are neither the filter nor files
}

// sortArgs sorts arguments. Options with two values become one word with both,
// separated by a NUL.
func sortArgs(args []string) (a arguments) {
	mode := &[]int{} // of operands that are files
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			a.operands = append(a.operands, args[i+1:]...)
			return a
		case arg == "--args":
			mode = &a.strings
		case arg == "--jsonargs":
			mode = &a.json
		case (arg == "--arg" || arg == "--argjson" || arg == "--slurpfile" || arg == "--rawfile") && i+2 < len(args):
			a.options = append(a.options, arg+"="+args[i+1]+"\x00"+args[i+2])
			i += 2
		case arg == "--indent" && i+1 < len(args):
			a.options = append(a.options, arg+"="+args[i+1])
			i++
		case arg == "-L" && i+1 < len(args):
			a.options = append(a.options, arg+args[i+1])
			i++
		case arg == "--arg" || arg == "--argjson" || arg == "--slurpfile" || arg == "--rawfile":
			a.options = append(a.options, arg+"=")
		case isOption(arg):
			a.options = append(a.options, arg)
		default:
			if len(a.operands) > 0 {
				*mode = append(*mode, len(a.operands))
			}
			a.operands = append(a.operands, arg)
		}
	}
	return a
}

// isOption reports whether arg is an option, and not a filter such as -1.
func isOption(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && (arg[1] == '-' || arg[1]|0x20 >= 'a' && arg[1]|0x20 <= 'z')
}

// options parses the options.
func (f *filter) options(args arguments) error {
	f.Args = args.options
	o := f.Flags()
	o.Hint = hint
	o.Unknown = func(arg string) error { return builtins.Usage("Unknown option %s", arg) }
	o.Info("h", "")
	o.Bool(&f.null, "n,null-input", "run the filter once, with null, and read nothing")
	o.Bool(&f.input.Raw, "R,raw-input", "read lines of text, each a string")
	o.Bool(&f.input.Slurp, "s,slurp", "read all values into one array")
	o.Bool(&f.input.Stream, "stream", "read values as a stream of paths and leaves")
	o.Bool(&f.raw, "r,raw-output", "print strings as they are")
	o.Do("j,join-output", "print strings as they are, and no newlines", func() error { f.raw, f.join = true, true; return nil })
	o.Do("raw-output0", "print strings as they are, and a NUL after each value", func() error { f.raw, f.nul = true, true; return nil })
	o.Bool(&f.print.ASCII, "a,ascii-output", "escape all but ASCII")
	o.Do("c,compact-output", "print each value on one line", func() error { f.print.Indent, f.print.Tab = 0, false; return nil })
	o.Do("tab", "indent by tabs", func() error { f.print.Tab = true; return nil })
	o.Func("indent", "indent by `N` spaces", f.indent)
	o.Bool(&f.print.SortKeys, "S,sort-keys", "sort the members of objects")
	o.Bool(&f.print.Color, "C,color-output", "print in colors")
	o.Do("M,monochrome-output", "print without colors", func() error { f.print.Color = false; return nil })
	o.Bool(&f.fromFile, "f,from-file", "read the filter from the file that is the first operand")
	o.Strings(&f.search, "L", "look for modules in `DIRECTORY`")
	o.Bool(&f.exitStatus, "e,exit-status", "fail if the last value is false or null, or there is none")
	o.Bool(&f.seq, "seq", "print a record separator before each value")
	o.Do("unbuffered", "flush after each value", func() error { f.out = bufio.NewWriterSize(f.Stdout, 16); return nil })
	o.Func("arg", "set a variable to a string: `NAME VALUE`", f.variable("arg", f.stringVariable))
	o.Func("argjson", "set a variable to a JSON value: `NAME JSON`", f.variable("argjson", f.jsonVariable))
	o.Func("slurpfile", "set a variable to the values in a file: `NAME FILE`", f.variable("slurpfile", f.slurpedVariable))
	o.Func("rawfile", "set a variable to the text of a file: `NAME FILE`", f.variable("rawfile", f.rawVariable))
	o.Do("args", "the operands after this are strings, $ARGS.positional", func() error { return nil })
	o.Do("jsonargs", "the operands after this are JSON values, $ARGS.positional", func() error { return nil })
	o.Info("h", "V")
	_, err := o.Parse()
	return err
}

func (f *filter) indent(s string) error {
	n, err := strconv.Atoi(s)
	switch {
	case err != nil && strings.Trim(s, "0123456789-") != "":
		n = 0
	case n < -1 || n > 7 || err != nil:
		return builtins.Usage("--indent takes a number between -1 and 7")
	}
	f.print.Indent, f.print.Tab = max(n, 0), n < 0
	return nil
}

// program returns the text of the filter, and the files to be read.
func (f *filter) program(args arguments) (src string, files []string, err error) {
	operands := args.operands
	src = "."
	if len(operands) > 0 {
		src = operands[0]
	}
	if f.fromFile {
		f.origin = src
		if src, err = f.readProgram(src); err != nil {
			fmt.Fprintf(f.Stderr, "jq: error: Could not open %s: %v\n", operands[0], vfs.ErrnoOf(err))
			return "", nil, statusUsage
		}
	}
	special := map[int]func(string) (jq.Value, error){}
	for _, i := range args.strings {
		special[i] = func(s string) (jq.Value, error) { return s, nil }
	}
	for _, i := range args.json {
		special[i] = f.input.ParseValue
	}
	for i, word := range operands[min(1, len(operands)):] {
		value := special[i+1]
		if value == nil {
			files = append(files, word)
			continue
		}
		v, err := value(word)
		if err != nil {
			fmt.Fprintf(f.Stderr, "jq: Invalid JSON text passed to --jsonargs\n%s", hint)
			return "", nil, statusUsage
		}
		f.positional = append(f.positional, v)
	}
	return src, files, nil
}

func (f *filter) readProgram(name string) (string, error) {
	r, err := f.Open(name)
	if err != nil {
		return "", err
	}
	defer r.Close()
	var b strings.Builder
	block := make([]byte, 16<<10)
	for {
		n, err := r.Read(block)
		if e := f.Alloc(n); e != nil {
			return "", e
		}
		b.Write(block[:n])
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// open opens a file of the input.
func (f *filter) open(name string) (io.ReadCloser, bool) {
	r, err := f.FS.Open(name)
	if err != nil {
		f.trouble = true
		fmt.Fprintf(f.Stderr, "jq: error: Could not open file %s: %v\n", name, vfs.ErrnoOf(err))
		return nil, false
	}
	return r, true
}

// run runs the filter for each input.
func (f *filter) run(src string) error {
	prog, err := jq.Parse(src, jq.Config{
		Call: f.Call, Input: f.input,
		Names: append(f.names, "ARGS"), Vals: append(f.vals, jq.Arguments(f.names, f.vals, f.positional)),
		Origin: f.origin, Search: f.search,
	})
	if mistake, ok := errors.AsType[*jq.CompileError](err); err != nil && !ok {
		return err
	} else if err != nil {
		err = mistake
		fmt.Fprintf(f.Stderr, "jq: error: %v\njq: 1 compile error\n", err)
		return statusCompile
	}
	var status error
	if f.null {
		if status = f.one(prog, nil); final(status) {
			return unwrap(status)
		}
	}
	for !f.null {
		in, err := f.input.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return f.badInput(err)
		}
		if status = f.one(prog, in); final(status) {
			return unwrap(status)
		}
	}
	return f.status(status)
}

// status returns the status of a run whose last input ended with err.
func (f *filter) status(err error) error {
	switch {
	case err != nil:
		return err
	case f.trouble:
		return statusUsage
	case f.exitStatus && !f.printed:
		return statusSyntax
	case f.exitStatus && (f.last == nil || f.last == false):
		return statusFalse
	}
	return nil
}

// A finish is an error that ends the command, and not only the work on one
// input.
type finish struct{ err error }

func (e *finish) Error() string { return "finish" }

func final(err error) bool {
	_, ok := err.(*finish)
	return ok
}

func unwrap(err error) error { return err.(*finish).err }

// one runs the filter for one input.
func (f *filter) one(prog *jq.Program, in jq.Value) error {
	err := prog.Run(in, f.output)
	if err == nil {
		return nil
	}
	if halt, ok := errors.AsType[*jq.Halt](err); ok {
		return f.halt(halt)
	}
	raised, ok := errors.AsType[*jq.Error](err)
	if !ok {
		if jq.IsSyntax(err) {
			return &finish{f.badInput(err)}
		}
		return &finish{err}
	}
	if err := f.out.Flush(); err != nil {
		return &finish{err}
	}
	text, isString := raised.Value().(string)
	if isString {
		fmt.Fprintf(f.Stderr, "jq: error (at %s): %s\n", f.input.Position(), text)
	} else {
		fmt.Fprintf(f.Stderr, "jq: error (at %s) (not a string): %s\n", f.input.Position(), raised.Error())
	}
	return statusError
}

// halt ends the command as halt and halt_error do.
func (f *filter) halt(h *jq.Halt) error {
	if err := f.out.Flush(); err != nil {
		return &finish{err}
	}
	if h.Print {
		if s, ok := h.Value.(string); ok {
			_, _ = io.WriteString(f.Stderr, s)
		} else {
			_, _ = io.WriteString(f.Stderr, jq.Compact(h.Value)+"\n")
		}
	}
	return &finish{builtins.Exit(h.Status)}
}

// badInput reports a mistake in the input.
func (f *filter) badInput(err error) error {
	if !jq.IsSyntax(err) {
		return err
	}
	if err := f.out.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(f.Stderr, "parse error: %v\n", err)
	return statusSyntax
}

// output prints one value.
func (f *filter) output(v jq.Value) error {
	f.last, f.printed = v, true
	end := "\n"
	switch {
	case f.nul:
		end = "\x00"
	case f.join:
		end = ""
	}
	if f.seq {
		if err := f.out.WriteByte(0x1e); err != nil {
			return err
		}
	}
	if s, ok := v.(string); ok && f.raw && !f.print.ASCII {
		if _, err := f.out.WriteString(s); err != nil {
			return err
		}
		_, err := f.out.WriteString(end)
		return err
	}
	return f.print.Print(v, end)
}
