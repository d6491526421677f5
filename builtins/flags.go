package builtins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

// Flags parses a command's options in the manner of GNU getopt_long: -n5, -n 5,
// -qv, --lines=5, --lines 5, --li=5 where that is unambiguous, operands before
// options, and "--". Its declarations are also the text of --help, and what
// [Describe] returns.
type Flags struct {
	// Ordered makes the first operand end the options, as a leading + does
	// in getopt. It is for commands that run other commands.
	Ordered bool

	// Number, unless nil, takes options such as -5, and the digits of -n5
	// where -n has no value.
	Number func(digits string) error

	// Hint, unless empty, is printed after a mistake in place of GNU's
	// second line. It ends with a newline.
	Hint string

	// Prefix, unless empty, stands in place of the command's name before the
	// explanation of a mistake that [Usage] made; other errors are printed as
	// they are then.
	Prefix string

	// Unknown, unless nil, returns what is wrong with an argument that has an
	// option which there is not, in place of GNU's message.
	Unknown func(arg string) error

	// Plain makes words such as -x, for which there is no option, operands
	// rather than mistakes; Plain decides.
	Plain func(arg string) bool

	call    *Call
	options []*Option
}

// An Option is one option of a command, as declared.
type Option struct {
	Short    []string // one letter each, without dashes
	Long     []string // without dashes
	Value    string   // what the manual calls its value; "" where it takes none
	Optional bool     // the value may be missing
	Help     string

	set func(value string) error
}

// Flags returns an empty set of options for the call.
func (c *Call) Flags() *Flags {
	f := &Flags{call: c}
	if c.flags != nil {
		c.flags = f
	}
	return f
}

// Bool declares an option that sets *p. Names are separated by commas, as in
// "q,quiet".
func (f *Flags) Bool(p *bool, names, help string) {
	f.Do(names, help, func() error { *p = true; return nil })
}

// Count declares an option that adds one to *p each time.
func (f *Flags) Count(p *int, names, help string) {
	f.Do(names, help, func() error { *p++; return nil })
}

// Do declares an option without a value that calls set.
func (f *Flags) Do(names, help string, set func() error) {
	f.add(names, help, false, func(string) error { return set() })
}

// Info declares letters for --help and --version, where a command has them; an
// empty string means none.
func (f *Flags) Info(help, version string) {
	if help != "" {
		f.Do(help, "print this help", f.Help)
	}
	if version != "" {
		f.Do(version, "print the version", f.Version)
	}
}

// String declares an option that sets *p to its value. The part of help in
// backquotes is what the manual calls the value, as in package flag.
func (f *Flags) String(p *string, names, help string) {
	f.Func(names, help, func(s string) error { *p = s; return nil })
}

// Strings declares an option that adds its value to *p.
func (f *Flags) Strings(p *[]string, names, help string) {
	f.Func(names, help, func(s string) error { *p = append(*p, s); return nil })
}

// Int declares an option with a number, which what names in the message about
// a bad one: "invalid number of lines: ‘x’".
func (f *Flags) Int(p *int64, names, what, help string) {
	f.Func(names, help, func(s string) error {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return fmt.Errorf("invalid %s: %s", what, QuoteLocale(s))
		}
		*p = n
		return nil
	})
}

// Enum declares an option whose value is one of the choices or an unambiguous
// beginning of one; it sets *p to the choice. A choice may be several words for
// the same, as in "mtime,modify", of which *p gets the first. long is the
// option's name in the message about a bad value.
func (f *Flags) Enum(p *string, names, long string, choices []string, help string) {
	f.Func(names, help, func(s string) error { return Choose(p, s, long, choices) })
}

// OptionalEnum is [Flags.Enum] for an option whose value may be missing, which
// is the same as missing.
func (f *Flags) OptionalEnum(p *string, missing, names, long string, choices []string, help string) {
	f.Optional(names, help, func(s string, ok bool) error {
		if !ok {
			*p = missing
			return nil
		}
		return Choose(p, s, long, choices)
	})
}

// Choose is [Flags.Enum] for options of other forms: it sets *p to the choice that
// s is or begins.
func Choose(p *string, s, long string, choices []string) error {
	return ChooseAs(p, s, "--"+long, choices)
}

// ChooseAs is [Choose] for messages that call the value something else than the
// argument of a long option.
func ChooseAs(p *string, s, what string, choices []string) error {
	var found []string
	for _, c := range choices {
		aliases := strings.Split(c, ",")
		if slices.Contains(aliases, s) {
			*p = aliases[0]
			return nil
		}
		if slices.ContainsFunc(aliases, func(a string) bool { return strings.HasPrefix(a, s) }) {
			found = append(found, aliases[0])
		}
	}
	if len(found) == 1 {
		*p = found[0]
		return nil
	}
	kind := "invalid"
	if len(found) > 1 {
		kind = "ambiguous"
	}
	msg := fmt.Sprintf("%s argument %s for %s\nValid arguments are:", kind, QuoteLocale(s), QuoteLocale(what))
	for _, c := range choices {
		msg += "\n  - ‘" + strings.ReplaceAll(c, ",", "’, ‘") + "’"
	}
	return choiceError(msg)
}

// Func declares an option whose value set consumes. The error of a bad value is
// printed as it is; make it with [Usage] to have GNU's hint follow.
func (f *Flags) Func(names, help string, set func(value string) error) {
	f.add(names, help, false, set)
}

// Optional declares an option whose value, always attached (-w5, --width=5), may
// be missing.
func (f *Flags) Optional(names, help string, set func(value string, ok bool) error) {
	o := f.add(names, help, true, nil)
	o.set = func(s string) error { return set(strings.CutPrefix(s, "=")) }
}

func (f *Flags) add(names, help string, optional bool, set func(string) error) *Option {
	_, rest, _ := strings.Cut(help, "`")
	value, _, _ := strings.Cut(rest, "`")
	o := &Option{Value: value, Optional: optional, Help: strings.ReplaceAll(help, "`", ""), set: set}
	for _, n := range strings.Split(names, ",") {
		if len(n) == 1 {
			o.Short = append(o.Short, n)
		} else {
			o.Long = append(o.Long, n)
		}
	}
	f.options = append(f.options, o)
	return o
}

// A usageError is a mistake in the arguments that GNU's hint follows.
type usageError string

func (e usageError) Error() string { return string(e) }

// An unknownError is a usageError about an option that there is not.
type unknownError struct{ error }

// Unwrap returns the usageError.
func (e unknownError) Unwrap() error { return e.error }

// A choiceError is a usageError that ends every command with the status 1.
type choiceError string

func (e choiceError) Error() string { return string(e) }

// Usage returns an error that is printed with GNU's second line: Try 'x --help'
// for more information.
func Usage(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }

// errDescribed ends a Run that [Describe] began.
var errDescribed = errors.New("described")

// Help prints what --help does.
func (f *Flags) Help() error {
	cmd, w := f.call.Command, f.call.Stdout
	fmt.Fprintf(w, "Usage: %s %s\n%s\n", f.call.Name, cmd.Synopsis, cmd.Summary)
	if len(f.options) > 0 {
		fmt.Fprintln(w)
	}
	for _, o := range f.options {
		fmt.Fprintf(w, "  %-28s %s\n", o.names(), o.Help)
	}
	return Exit(0)
}

// names returns the option's names as --help shows them.
func (o *Option) names() string {
	var names []string
	for _, s := range o.Short {
		names = append(names, "-"+s)
	}
	for _, l := range o.Long {
		names = append(names, "--"+l)
	}
	text := strings.Join(names, ", ")
	if len(o.Short) == 0 {
		text = "    " + text
	}
	switch {
	case o.Value == "":
		return text
	case o.Optional && len(o.Long) > 0:
		return text + "[=" + o.Value + "]"
	case o.Optional:
		return text + "[" + o.Value + "]"
	case len(o.Long) > 0:
		return text + "=" + o.Value
	}
	return text + " " + o.Value
}

// Fail explains a mistake in the arguments, with GNU's hint where err is made
// by [Usage], and returns what Run should return.
func (f *Flags) Fail(err error) error {
	if _, ok := errors.AsType[Exit](err); ok || errors.Is(err, limits.ErrExceeded) {
		return err
	}
	c := f.call
	_, usage := errors.AsType[usageError](err)
	if f.Prefix == "" || usage {
		fmt.Fprintf(c.Stderr, "%s: ", cmp.Or(f.Prefix, c.Name))
	}
	fmt.Fprintln(c.Stderr, err)
	_, choice := errors.AsType[choiceError](err)
	switch {
	case (usage || choice) && f.Hint != "":
		fmt.Fprint(c.Stderr, f.Hint)
	case usage || choice:
		fmt.Fprintf(c.Stderr, "Try '%s --help' for more information.\n", c.Name)
	}
	if choice {
		return Exit(1)
	}
	return max(c.Command.Trouble, 1)
}

// Describe returns the options of c in the order of their declaration. It runs c
// up to the place where it parses its arguments, with nothing to act on.
func Describe(c *Command) []*Option {
	call := &Call{
		Command: c, Name: c.Name, Env: noEnviron{}, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
		FS: &vfs.View{FS: vfs.NewMem(vfs.MemOptions{}), Dir: "/"}, Clock: noClock{}, Rand: strings.NewReader(""),
		flags: &Flags{},
	}
	_ = c.Run(context.Background(), call) // ends at Parse
	return call.flags.options
}

// noEnviron is the environment of a command that is described.
type noEnviron struct{}

// Lookup finds nothing.
func (noEnviron) Lookup(string) (string, bool) { return "", false }

// All has nothing.
func (noEnviron) All() iter.Seq2[string, string] { return func(func(string, string) bool) {} }

// noClock is the clock of a command that is described.
type noClock struct{}

// Now is the zero time.
func (noClock) Now() time.Time { return time.Time{} }

// Sleep does not.
func (noClock) Sleep(context.Context, time.Duration) error { return nil }
