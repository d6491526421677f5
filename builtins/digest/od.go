package digest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var od = commands.Add(&builtins.Command{
	Name:     "od",
	Synopsis: "[OPTION]... [FILE]...\n   or: od [-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]\n   or: od --traditional [OPTION]... [FILE] [[+]OFFSET[.][b] [+][LABEL][.][b]]",
	Summary:  "dump files in octal and other formats",
	Run:      runOd,
})

// A dump is what od is asked to do.
type dump struct {
	call        *builtins.Call
	out         *bufio.Writer
	types       []odType
	radix       byte
	big         bool
	skip, limit int64 // limit is -1 for none
	width       int   // 0 where it was not given
	all         bool  // do not replace repeated lines by *
	strings     int   // the least length of strings to print, 0 for none
	label       int64 // what to add to offsets for the second address
	labeled     bool
}

func runOd(ctx context.Context, c *builtins.Call) error {
	d := dump{call: c, radix: 'o', limit: -1}
	var traditional bool
	f := c.Flags()
	modern := d.declare(f, &traditional)
	files, err := f.Parse()
	if err != nil {
		return err
	}
	if !*modern || traditional {
		if files, err = d.oldOffset(files, traditional); err != nil {
			return f.Fail(err)
		}
	}
	if d.strings > 0 && len(d.types) > 0 {
		return f.Fail(errors.New("no type may be specified when dumping strings"))
	}
	if len(d.types) == 0 {
		d.types, _ = parseOdTypes("oS")
	}
	d.out = bufio.NewWriterSize(c.Stdout, bufferSize)
	in := newInput(c, files)
	defer in.Close()
	if err = d.run(in); err != nil {
		return err
	}
	return d.out.Flush()
}

// declare declares the options; modern becomes true when one is seen that rules
// out the old syntax of offsets.
func (d *dump) declare(f *builtins.Flags, traditional *bool) (modern *bool) {
	modern = new(bool)
	number := func(p *int64, names, letter, help string) {
		f.Func(names, help, func(s string) error {
			*modern = true
			n, err := odNumber(letter, s)
			*p = n
			return err
		})
	}
	f.Func("A,address-radix", "output format for file offsets; `RADIX` is one of [doxn]", func(s string) error {
		*modern = true
		if s == "" || strings.IndexByte("doxn", s[0]) < 0 {
			return fmt.Errorf("invalid output address radix '%.1s'; it must be one character from [doxn]", s)
		}
		d.radix = s[0]
		return nil
	})
	endian := ""
	f.Func("endian", "swap input bytes according the specified `ORDER`", func(s string) error {
		*modern = true
		return d.setEndian(f, &endian, s)
	})
	number(&d.skip, "j,skip-bytes", "j", "skip `BYTES` input bytes first")
	number(&d.limit, "N,read-bytes", "N", "limit dump to `BYTES` input bytes")
	f.Func("S", "output NUL terminated strings of at least `BYTES` graphic chars", func(s string) error {
		*modern = true
		n, err := odNumber("S", s)
		d.strings = int(min(n, math.MaxInt32))
		return err
	})
	f.Optional("strings", "output NUL terminated strings of at least `BYTES` (3) graphic chars", func(s string, ok bool) error {
		*modern = true
		n, err := int64(3), error(nil)
		if ok {
			n, err = odNumber("S", s)
		}
		d.strings = int(min(n, math.MaxInt32))
		return err
	})
	f.Func("t,format", "select output format or formats given by `TYPE`", func(s string) error {
		*modern = true
		types, err := parseOdTypes(s)
		d.types = append(d.types, types...)
		return err
	})
	f.Do("v,output-duplicates", "do not use * to mark line suppression", func() error { *modern, d.all = true, true; return nil })
	f.Optional("w,width", "output `BYTES` (32) bytes per output line", func(s string, ok bool) error {
		*modern = true
		n, err := int64(32), error(nil)
		if ok {
			n, err = odNumber("w", s)
		}
		if d.width = int(min(n, 1<<20)); n == 0 {
			d.width = -1
		}
		return err
	})
	f.Bool(traditional, "traditional", "accept arguments in third form above")
	for _, o := range []struct{ letters, form string }{
		{"a", "a"}, {"b", "o1"}, {"c", "c"}, {"D", "u4"}, {"d", "u2"}, {"F,e", "fD"}, {"f", "fF"}, {"H,X", "x4"},
		{"i", "dI"}, {"I,L,l", "dL"}, {"O", "o4"}, {"B,o", "o2"}, {"s", "d2"}, {"h,x", "x2"},
	} {
		f.Do(o.letters, "same as -t "+o.form, func() error {
			types, err := parseOdTypes(o.form)
			d.types = append(d.types, types...)
			return err
		})
	}
	return modern
}

func (d *dump) setEndian(f *builtins.Flags, endian *string, s string) error {
	for _, name := range []string{"little", "big"} {
		if s != "" && strings.HasPrefix(name, s) {
			d.big = name == "big"
			return nil
		}
	}
	return builtins.Usage("invalid argument %s for ‘--endian’\nValid arguments are:\n  - ‘little’\n  - ‘big’", builtins.QuoteLocale(s))
}

// odNumber reads the number of an option: decimal, octal or hexadecimal, with a
// suffix such as k or MB.
func odNumber(letter, text string) (int64, error) {
	digits := strings.ToLower(text)
	end := 0
	hex := strings.HasPrefix(digits, "0x")
	if hex {
		end = 2
	}
	for end < len(digits) && (digits[end] >= '0' && digits[end] <= '9' || hex && digits[end] >= 'a' && digits[end] <= 'f') {
		end++
	}
	n, ok := new(big.Int).SetString(digits[:end], 0)
	scale, known := suffixes[text[end:]]
	if !ok || !known {
		if ok && end > 0 {
			return 0, fmt.Errorf("invalid suffix in -%s argument '%s'", letter, text)
		}
		return 0, fmt.Errorf("invalid -%s argument '%s'", letter, text)
	}
	if n.Mul(n, big.NewInt(scale)); !n.IsInt64() {
		return 0, fmt.Errorf("-%s argument '%s' too large", letter, text)
	}
	return n.Int64(), nil
}

// suffixes has the multipliers that numbers may end in.
var suffixes = func() map[string]int64 {
	m := map[string]int64{"": 1, "b": 512, "B": 1}
	two, ten := int64(1), int64(1)
	for _, letter := range "KMGTPE" {
		two, ten = two<<10, ten*1000
		m[string(letter)], m[string(letter)+"iB"], m[string(letter)+"B"] = two, two, ten
	}
	m["k"], m["kiB"], m["kB"], m["m"], m["miB"], m["mB"] = 1<<10, 1<<10, 1000, 1<<20, 1<<20, 1000000
	return m
}()

// oldOffset takes an offset in the old syntax from the end of the operands.
func (d *dump) oldOffset(files []string, traditional bool) ([]string, error) {
	n := len(files)
	if n == 0 {
		return files, nil
	}
	last := files[n-1]
	looks := strings.HasPrefix(last, "+") || n == 2 && last != "" && last[0] >= '0' && last[0] <= '9'
	offset, ok := parseOldOffset(last)
	if n > 1 && traditional && ok {
		if first, ok := parseOldOffset(files[n-2]); ok {
			d.skip, d.label, d.labeled = first, offset-first, true
			return files[:n-2], nil
		}
	}
	switch {
	case n > 2 && traditional:
		return nil, builtins.Usage("extra operand %s\n%s: compatibility mode supports at most one file",
			builtins.QuoteLocale(files[1]), d.call.Name)
	case n <= 2 && ok && (traditional || looks):
		d.skip = offset
		return files[:n-1], nil
	}
	return files, nil
}

// parseOldOffset reads [+]OFFSET[b]. GNU documents a period for decimal too, and
// does not take it.
func parseOldOffset(text string) (int64, bool) {
	text = strings.TrimPrefix(text, "+")
	text, blocks := strings.CutSuffix(text, "b")
	base := 8
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		base, text = 16, text[2:]
	}
	n, ok := new(big.Int).SetString(text, base)
	if !ok || n.Sign() < 0 || strings.ContainsAny(text, "+-_") {
		return 0, false
	}
	if blocks {
		n.Mul(n, big.NewInt(512))
	}
	return n.Int64(), n.IsInt64()
}

// run skips what is to be skipped and dumps the rest.
func (d *dump) run(in *input) error {
	if !in.open() {
		return nil
	}
	missing, err := in.skip(d.skip)
	if err != nil {
		return err
	}
	if missing > 0 {
		return errors.New("cannot skip past end of combined input")
	}
	var r io.Reader = in
	if d.limit >= 0 {
		r = io.LimitReader(in, d.limit)
	}
	if d.strings > 0 {
		return d.printStrings(bufio.NewReaderSize(r, bufferSize))
	}
	block, err := d.layout()
	if err != nil {
		return err
	}
	if err := d.call.Alloc(4 * block); err != nil {
		return err
	}
	defer d.call.Free(4 * block)
	return d.blocks(bufio.NewReaderSize(r, bufferSize), block)
}

// layout sets the padding of the types, and returns the bytes of a line.
func (d *dump) layout() (block int, err error) {
	unit := 1
	for _, t := range d.types {
		unit = lcm(unit, t.size)
	}
	switch {
	case d.width == 0 && unit < 16:
		block = 16 / unit * unit
	case d.width == 0:
		block = unit
	case d.width < 0, d.width%unit != 0:
		fmt.Fprintf(d.call.Stderr, "%s: warning: invalid width %d; using %d instead\n", d.call.Name, max(d.width, 0), unit)
		block = unit
	default:
		block = d.width
	}
	width := 0
	for _, t := range d.types {
		width = max(width, (t.width+1)*(block/t.size))
	}
	for i := range d.types {
		t := &d.types[i]
		t.pad = width - t.width*(block/t.size)
	}
	return block, nil
}

func lcm(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// blocks dumps lines until the input ends.
func (d *dump) blocks(r io.Reader, size int) error {
	offset := d.skip
	block, previous := make([]byte, size), make([]byte, size)
	first, starred := true, false
	for {
		n, err := io.ReadFull(r, block)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		if n == 0 {
			break
		}
		if err := d.call.Poll(1); err != nil {
			return err
		}
		switch {
		case n < size || first || d.all || !bytes.Equal(block, previous):
			clear(block[n:])
			d.line(offset, block, n)
			starred = false
		case !starred:
			starred = true
			d.out.WriteString("*\n")
		}
		first = false
		offset += int64(n)
		block, previous = previous, block
		if n < size {
			break
		}
	}
	d.address(offset)
	if d.radix != 'n' {
		d.out.WriteByte('\n')
	}
	return nil
}

// line writes the lines of a block of which n bytes count.
func (d *dump) line(offset int64, block []byte, n int) {
	for i, t := range d.types {
		if i == 0 {
			d.address(offset)
		} else {
			fmt.Fprintf(d.out, "%*s", d.addressWidth(), "")
		}
		t.line(d.out, block, n, d.big)
		d.out.WriteByte('\n')
	}
}

func (d *dump) addressWidth() int { return map[byte]int{'o': 7, 'd': 7, 'x': 6, 'n': 0}[d.radix] }

// address writes the address of a line, and the one that a label asks for.
func (d *dump) address(offset int64) {
	if d.radix == 'n' {
		return
	}
	format := "%0*" + string(rune(d.radix))
	fmt.Fprintf(d.out, format, d.addressWidth(), offset)
	if d.labeled {
		fmt.Fprintf(d.out, " ("+format+")", d.addressWidth(), offset+d.label)
	}
}

// printStrings writes the strings that a NUL ends.
func (d *dump) printStrings(r *bufio.Reader) error {
	var text []byte
	held := 0
	defer func() { d.call.Free(held) }()
	for offset := d.skip; ; offset++ {
		b, err := r.ReadByte()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = d.call.Poll(1)
		}
		if err == nil && len(text) == held {
			err = d.call.Alloc(held + 64)
			held += held + 64
		}
		if err != nil {
			return err
		}
		switch {
		case b >= ' ' && b <= '~':
			text = append(text, b)
			continue
		case b == 0 && len(text) >= d.strings:
			d.address(offset - int64(len(text)))
			if d.radix != 'n' {
				d.out.WriteByte(' ')
			}
			d.out.Write(text)
			d.out.WriteByte('\n')
		}
		text = text[:0]
	}
}
