package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "numfmt",
	Synopsis: "[OPTION]... [NUMBER]...",
	Summary:  "convert numbers to and from human-readable strings",
	Run:      runNumfmt,
})

// A numberFormatter is one run of numfmt.
type numberFormatter struct {
	call             *builtins.Call
	out              *output
	from, to         string // none, auto, si, iec or iec-i
	fromUnit, toUnit uint64
	round            string
	fields           []span
	separator        int // between fields, or noTab
	delim            byte
	suffix           string
	invalid          string
	padding          int // negative for alignment to the left
	autoPadding      bool
	zeros            int // the width to which --format fills up with zeros
	debug            bool
	grouping         bool
	precision        int // -1 for that of the input
	prefix, postfix  string
	header           uint64
	format           string // the argument of --format, or ""
	fieldSet         bool
	zero             bool
	failed           bool
	unconverted      bool // a number was none, whatever --invalid says
}

func runNumfmt(ctx context.Context, c *builtins.Call) (err error) {
	n := numberFormatter{
		call: c, from: "none", to: "none", fromUnit: 1, toUnit: 1, round: "from-zero",
		fields: []span{{1, 1}}, separator: noTab, precision: -1, invalid: "abort",
	}
	f := c.Flags()
	n.flags(f)
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if n.from == "none" && n.to == "none" && !n.grouping && n.padding == 0 && n.format == "" {
		n.advise("no conversion option specified")
	}
	if n.format != "" {
		if n.grouping {
			return f.Fail(errors.New("--grouping cannot be combined with --format"))
		}
		if err := n.parseFormat(n.format); err != nil {
			return f.Fail(err)
		}
	}
	if n.grouping && n.to != "none" {
		return f.Fail(errors.New("grouping cannot be combined with --to"))
	}
	if n.grouping {
		n.advise("grouping has no effect in this locale")
	}
	if len(args) > 0 && n.header > 0 {
		n.advise("--header ignored with command-line input")
	}
	n.autoPadding = n.padding == 0 && n.separator == noTab
	n.delim = delimiter(n.zero)
	if size := max(n.padding, -n.padding, n.zeros); size > 0 {
		if err := c.Alloc(size); err != nil {
			return err
		}
		defer c.Free(size)
	}
	n.out = newOutput(c)
	defer n.out.close(&err)
	if err := n.run(args); err != nil {
		return err
	}
	if n.unconverted && (n.invalid != "abort" || n.failed) {
		n.advise("failed to convert some of the input numbers")
	}
	if n.failed {
		return builtins.Exit(2)
	}
	return nil
}

// advise prints a remark with --debug.
func (n *numberFormatter) advise(format string, args ...any) {
	if !n.debug {
		return
	}
	if n.out != nil {
		_ = n.out.flush() // where it fails, so will the next one
	}
	fmt.Fprintf(n.call.Stderr, "%s: %s\n", n.call.Name, fmt.Sprintf(format, args...))
}

// flags declares the options.
func (n *numberFormatter) flags(f *builtins.Flags) {
	f.Func("d,delimiter", "use `X` instead of blanks between fields", func(v string) error {
		if len(v) > 1 {
			return errors.New("the delimiter must be a single character")
		}
		n.separator = int((v + "\x00")[0])
		return nil
	})
	f.Bool(&n.debug, "debug", "remark on options and numbers that are not as they seem")
	f.Func("field", "convert the numbers in these `FIELDS`, as with cut", func(v string) error {
		if n.fieldSet {
			return errors.New("multiple field specifications")
		}
		n.fieldSet = true
		if v == "-" {
			v = "1-"
		}
		var err error
		n.fields, err = parseSpans(v, fieldSpans)
		return err
	})
	f.String(&n.format, "format", "use the floating-point `FORMAT` of printf")
	f.Enum(&n.from, "from", "from", []string{"none", "auto", "si", "iec", "iec-i"}, "convert from `UNIT`: none, auto, si, iec or iec-i")
	f.Func("from-unit", "the input is in units of `N`", unitOption(&n.fromUnit))
	f.Bool(&n.grouping, "grouping", "group digits as the locale says, which is not at all")
	f.Optional("header", "print the first `N` lines as they are; 1 unless said", func(v string, ok bool) (err error) {
		n.header = 1
		if ok {
			if n.header, err = parseSize(v, ""); err != nil || n.header == 0 {
				return fmt.Errorf("invalid header value %s", builtins.QuoteLocale(v))
			}
		}
		return nil
	})
	f.Enum(&n.invalid, "invalid", "invalid", []string{"abort", "fail", "warn", "ignore"}, "what to do about numbers that are none: `MODE` is abort, fail, warn or ignore")
	f.Func("padding", "pad to `N` columns; a negative number aligns to the left", func(v string) error {
		p, err := strconv.ParseInt(strings.TrimPrefix(v, "+"), 10, 32)
		if err != nil || p == 0 {
			return fmt.Errorf("invalid padding value %s", builtins.QuoteLocale(v))
		}
		n.padding = int(p)
		return nil
	})
	f.Enum(&n.round, "round", "round", []string{"up", "down", "from-zero", "towards-zero", "nearest"}, "round by `METHOD`: up, down, from-zero, towards-zero or nearest")
	f.String(&n.suffix, "suffix", "add `SUFFIX` to numbers, and accept it in the input")
	f.Enum(&n.to, "to", "to", []string{"none", "si", "iec", "iec-i"}, "convert to `UNIT`: none, si, iec or iec-i")
	f.Func("to-unit", "the output is in units of `N`", unitOption(&n.toUnit))
	f.Bool(&n.zero, "z,zero-terminated", "lines end with NUL, not newline")
}

// unitOption returns what takes the size of a unit.
func unitOption(p *uint64) func(string) error {
	return func(v string) error {
		text := v
		base := uint64(1000)
		if t, ok := strings.CutSuffix(v, "i"); ok && t != "" && !isDigit(t[len(t)-1]) {
			text, base = t, 1024
		}
		power := 0
		if i := strings.IndexByte("KMGTPEZY", (text + "\x00")[max(len(text)-1, 0)]); i >= 0 {
			text, power = text[:len(text)-1], i+1
		}
		n, err := uint64(1), error(nil)
		if text != "" || power == 0 {
			n, err = parseSize(text, "")
		}
		for range power {
			if err == nil && n > math.MaxUint64/base {
				err = errOverflow
			}
			n *= base
		}
		if err != nil || n == 0 {
			return fmt.Errorf("invalid unit size: %s", builtins.QuoteLocale(v))
		}
		*p = n
		return nil
	}
}

// parseFormat parses the argument of --format.
func (n *numberFormatter) parseFormat(format string) error {
	quoted := builtins.QuoteLocale(format)
	rest, found := cutDirective(format, &n.prefix)
	if !found {
		return fmt.Errorf("format %s has no %% directive", quoted)
	}
	zeros := false
	for ; rest != "" && strings.IndexByte(" '0", rest[0]) >= 0; rest = rest[1:] {
		switch rest[0] {
		case '\'':
			n.grouping = true
		case '0':
			zeros = true
		}
	}
	minus := strings.HasPrefix(rest, "-")
	rest = strings.TrimPrefix(rest, "-")
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	if rest = rest[len(digits):]; digits != "" {
		w, err := strconv.ParseInt(digits, 10, 31)
		if err != nil {
			return fmt.Errorf("invalid format %s (width overflow)", quoted)
		}
		if n.padding != 0 {
			n.advise("--format padding overriding --padding")
		}
		switch {
		case minus:
			n.padding = -int(w)
		case zeros:
			n.zeros = int(w)
		default:
			n.padding = int(w)
		}
	}
	if rest == "" {
		return fmt.Errorf("format %s ends in %%", quoted)
	}
	if strings.HasPrefix(rest, ".") {
		rest = rest[1:]
		digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
		if len(rest) > len(digits) && strings.IndexByte(" +-", rest[len(digits)]) >= 0 && digits == "" {
			return fmt.Errorf("invalid precision in format %s", quoted)
		}
		rest = rest[len(digits):]
		p, err := strconv.ParseInt("0"+digits, 10, 31)
		if err != nil {
			return fmt.Errorf("invalid precision in format %s", quoted)
		}
		n.precision = int(p)
	}
	if !strings.HasPrefix(rest, "f") {
		return fmt.Errorf("invalid format %s, directive must be %%[0]['][-][N][.][N]f", quoted)
	}
	n.postfix = rest[1:] // GNU: %% stays two
	if _, more := cutDirective(n.postfix, new(string)); more {
		return fmt.Errorf("format %s has too many %% directives", quoted)
	}
	return nil
}

// run converts the arguments, or the lines of standard input.
func (n *numberFormatter) run(args []string) error {
	for _, arg := range args {
		if err := n.line([]byte(arg)); err != nil {
			return err
		}
		n.out.buf = append(n.out.buf, n.delim)
	}
	if len(args) > 0 {
		return nil
	}
	err := eachLine(n.call, n.call.Stdin, n.delim, func(line []byte) error {
		text, ended := bytes.CutSuffix(line, []byte{n.delim})
		if n.header > 0 {
			n.header--
			n.out.buf = append(n.out.buf, text...)
		} else if err := n.line(text); err != nil {
			return err
		}
		if ended {
			n.out.buf = append(n.out.buf, n.delim)
		}
		return n.out.spill()
	})
	if n.call.Ends(err) {
		return err
	}
	return errnoError(err, "error reading input")
}

// line converts the numbers in the fields of a line.
func (n *numberFormatter) line(line []byte) error {
	for number := uint64(1); ; number++ {
		end := 0
		if n.separator != noTab {
			if end = bytes.IndexByte(line, byte(n.separator)); end < 0 {
				end = len(line)
			}
		} else {
			for end < len(line) && isSortBlank(line[end]) {
				end++
			}
			for end < len(line) && !isSortBlank(line[end]) {
				end++
			}
		}
		if err := n.field(line[:end], number); err != nil {
			return err
		}
		if end == len(line) {
			return nil
		}
		separator := byte(' ')
		if n.separator != noTab {
			separator = byte(n.separator)
		}
		n.out.buf = append(n.out.buf, separator)
		line = line[end+1:]
	}
}

// field converts a field, or prints it as it is.
func (n *numberFormatter) field(text []byte, number uint64) error {
	wanted := false
	for _, s := range n.fields {
		wanted = wanted || s.lo <= number && number <= s.hi
	}
	if wanted {
		converted, err := n.convert(string(text), number)
		if err == nil {
			n.out.buf = append(append(append(n.out.buf, n.prefix...), converted...), n.postfix...)
			return nil
		}
		if err := n.bad(err); err != nil {
			return err
		}
	}
	n.out.buf = append(n.out.buf, text...)
	return nil
}

// bad reports a number that is none, as --invalid says.
func (n *numberFormatter) bad(err error) error {
	n.unconverted = true
	if n.invalid == "ignore" {
		return nil
	}
	_ = n.out.flush()
	fmt.Fprintf(n.call.Stderr, "%s: %v\n", n.call.Name, err)
	switch n.invalid {
	case "abort":
		return builtins.Exit(2)
	case "fail":
		n.failed = true
	}
	return nil
}

// convert returns the converted form of a field.
func (n *numberFormatter) convert(text string, number uint64) (string, error) {
	if len(text) > len(n.suffix) {
		text = strings.TrimSuffix(text, n.suffix)
	}
	bare := strings.TrimLeft(text, " \t")
	padding := n.padding
	if n.autoPadding && (len(bare) < len(text) || number > 1) {
		padding = len(text)
	}
	value, precision, err := n.parse(bare)
	if err != nil {
		return "", err
	}
	if n.fromUnit != 1 || n.toUnit != 1 {
		value.Mul(value, newLongDouble().SetUint64(n.fromUnit))
		value.Quo(value, newLongDouble().SetUint64(n.toUnit))
	}
	if n.precision >= 0 {
		precision = n.precision
	}
	if err := n.checkSize(value, precision); err != nil {
		return "", err
	}
	result := n.scale(value, precision) + n.suffix
	pad := strings.Repeat(" ", max(max(padding, -padding)-len(result), 0))
	if padding < 0 {
		return result + pad, nil
	}
	return pad + result, nil
}
