// Package printf is the command printf: bash's builtin and the program of GNU
// coreutils, which differ in their escapes, in some conversions and in what
// they say of mistakes. [Directive] formats for other commands with formats in
// the manner of C.
package printf

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/quote"
	"github.com/limpet-sh/limpet/internal/strftime"
)

// A Printer is a printf command.
type Printer struct {
	GNU   bool // it is the program, not the builtin
	Bytes bool // characters are bytes

	// Warn shows a line, which lacks the name of the command.
	Warn func(line string)

	// Lines is given the whole lines of the output that precede what is shown by Warn,
	// and Append does not return them. Nil has Append return all.
	Lines func(text []byte)

	// Grow is asked before the output occupies n more bytes of memory. Nil
	// lets all pass.
	Grow func(n int) error

	// Assign sets a variable to a number for %n of the builtin. It explains
	// failures itself, and returns false then.
	Assign func(name string, n int) bool

	// Time returns the time for %(…)T of the builtin: in the time zone of the
	// script, n seconds after 1970, now if n is -1, and when the shell began
	// if n is -2.
	Time func(n int64) time.Time
}

// Append appends args in format to dst, again and again until all are
// consumed. It reports whether there was no mistake; whatever precedes one is
// appended all the same. The error is that of Grow.
func (p *Printer) Append(dst []byte, format string, args []string) (out []byte, ok bool, err error) {
	r := &run{Printer: p, out: dst, start: len(dst), args: args, ok: true}
	err = r.all(format)
	switch err {
	case errStop:
		err = nil
	case errMistake:
		r.ok, err = false, nil
	}
	return r.out, r.ok, err
}

var (
	errStop    = errors.New("stop")    // \c
	errMistake = errors.New("mistake") // that has been explained
)

// A run is one call of a printer.
type run struct {
	*Printer
	out   []byte
	start int // of the output in out
	given int // bytes of it that Lines was given
	args  []string
	ok    bool
}

func (r *run) all(format string) error {
	for {
		before := len(r.args)
		if err := r.pass(format); err != nil {
			return err
		}
		if len(r.args) == 0 {
			return nil
		}
		if len(r.args) == before {
			if r.GNU {
				r.warn("warning: ignoring excess arguments, starting with %s", quote.Locale(r.args[0]))
			}
			return nil
		}
	}
}

func (r *run) warn(format string, args ...any) {
	if r.Lines != nil {
		text := r.out[r.start:]
		if n := bytes.LastIndexByte(text, '\n') + 1; n > 0 {
			r.Lines(text[:n])
			r.out = append(r.out[:r.start], text[n:]...)
			r.given += n
		}
	}
	if r.Warn != nil {
		r.Warn(fmt.Sprintf(format, args...))
	}
}

// fail explains a mistake that ends the command.
func (r *run) fail(format string, args ...any) error {
	r.warn(format, args...)
	return errMistake
}

// reserve makes room for n more bytes.
func (r *run) reserve(n int) error {
	if need := len(r.out) + n; need > cap(r.out) {
		size := max(need, 2*cap(r.out), 64)
		if r.Grow != nil {
			if err := r.Grow(size - cap(r.out)); err != nil {
				return err
			}
		}
		r.out = append(make([]byte, 0, size), r.out...)
	}
	return nil
}

func (r *run) write(s string) error {
	if err := r.reserve(len(s)); err != nil {
		return err
	}
	r.out = append(r.out, s...)
	return nil
}

// pass consumes format once.
func (r *run) pass(format string) error {
	for format != "" {
		i := strings.IndexAny(format, `%\`)
		if i < 0 {
			return r.write(format)
		}
		if err := r.write(format[:i]); err != nil {
			return err
		}
		format = format[i:]
		var err error
		var n int
		switch {
		case format[0] == '\\':
			n, err = r.escape(format)
		case strings.HasPrefix(format, "%%"):
			n, err = 2, r.write("%")
		default:
			n, err = r.directive(format)
		}
		if err != nil {
			return err
		}
		format = format[n:]
	}
	return nil
}

// escape writes the escape that format begins with, and returns its length.
func (r *run) escape(format string) (int, error) {
	d := quote.InFormat
	if r.GNU {
		d = quote.GNUForm
	}
	if err := r.reserve(8); err != nil {
		return 0, err
	}
	out, n, outcome := d.Next(r.out, format)
	if err := r.explain(outcome, format[:n]); err != nil && err != errStop {
		return 0, err
	} else if r.out = out; err != nil {
		return 0, err
	}
	return n, nil
}

// explain says what is wrong with an escape.
func (r *run) explain(o quote.Outcome, escape string) error {
	switch {
	case o == quote.Stop:
		return errStop
	case o == quote.Fine:
		return nil
	case r.GNU && o == quote.NoChar:
		return r.fail("invalid universal character name %s", escape)
	case r.GNU:
		return r.fail("missing hexadecimal number in escape")
	case o == quote.NoHex:
		r.warn(`missing hex digit for \x`)
	default:
		r.warn("missing unicode digit for %s", escape)
	}
	return nil
}

// expand decodes the escapes of an argument of %b.
func (r *run) expand(s string) (text string, err error) {
	d := quote.InB
	if r.GNU {
		d = quote.GNUB
	}
	if strings.IndexByte(s, '\\') < 0 {
		return s, nil
	}
	b := make([]byte, 0, len(s))
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			return string(append(b, s...)), nil
		}
		b = append(b, s[:i]...)
		var n int
		var outcome quote.Outcome
		b, n, outcome = d.Next(b, s[i:])
		if err := r.explain(outcome, s[i:i+n]); err != nil {
			return string(b), err
		}
		s = s[i+n:]
	}
}

// convert writes the next argument as d says.
func (r *run) convert(d *Directive) error {
	switch d.Verb {
	case 's':
		return r.text(d, r.arg())
	case 'c':
		s := r.arg()
		if s == "" {
			s = "\x00"
		}
		d.Precision = -1
		return r.text(d, s[:1])
	case 'b':
		s, err := r.expand(r.arg())
		if err != nil && err != errStop {
			return err
		}
		if err := r.text(d, s); err != nil {
			return err
		}
		return err
	case 'q':
		if r.GNU {
			if len(r.args) == 0 {
				return nil
			}
			return r.text(d, quote.Name(r.arg()))
		}
		return r.text(d, quote.Backslash(r.arg()))
	case 'Q':
		s := r.arg()
		if d.Precision >= 0 && d.Precision < len(s) {
			s = s[:d.Precision]
		}
		d.Precision = -1
		return r.text(d, quote.Backslash(s))
	case 'd', 'i':
		n := r.signed()
		return r.integer(d, n < 0, uint64(max(n, -n)))
	case 'o', 'u', 'x', 'X':
		return r.integer(d, false, r.unsigned())
	case 'n':
		return r.assign()
	}
	x := r.real()
	if err := r.reserve(d.sizeReal(x)); err != nil {
		return err
	}
	r.out = d.AppendReal(r.out, x)
	return nil
}

func (r *run) text(d *Directive, s string) error {
	if err := r.reserve(max(d.Width, len(s))); err != nil {
		return err
	}
	r.out = d.AppendString(r.out, s)
	return nil
}

func (r *run) integer(d *Directive, negative bool, n uint64) error {
	if err := r.reserve(max(d.Width, d.Precision+3, 26)); err != nil {
		return err
	}
	r.out = d.AppendInteger(r.out, negative, n)
	return nil
}

func (r *run) assign() error {
	if name := r.arg(); name != "" && r.Assign != nil && !r.Assign(name, r.given+len(r.out)-r.start) {
		return errMistake
	}
	return nil
}

// mostTime is the size of the longest time that bash formats. It writes nothing
// for a longer one.
const mostTime = 127

// errLongTime ends the formatting of a longer one.
var errLongTime = errors.New("a time that is too long")

// time writes %(format)T.
func (r *run) time(d *Directive, format string) error {
	n := int64(-1)
	if len(r.args) > 0 {
		n = r.signed()
	}
	const most = 67768036191676799 // whose year fits into an int of C
	if n > most || n < -most {
		n = 0
	}
	if format == "" {
		format = "%X"
	}
	padding := 0
	f := strftime.Format{Grow: func(n int) error {
		if padding += n; padding > mostTime {
			return errLongTime
		}
		return nil
	}}
	s, err := f.Append(nil, format, r.Time(n))
	if err != nil || len(s) > mostTime {
		s = nil
	}
	return r.text(d, string(s))
}
