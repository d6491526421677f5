package text

import (
	"bytes"
	"context"
	"io"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "cut",
	Synopsis: "OPTION... [FILE]...",
	Summary:  "print selected parts of lines from each file",
	Run:      runCut,
})

// A cutter prints the parts of lines that spans select.
type cutter struct {
	out       *output
	spans     []span
	field     byte // what separates fields
	line      byte // what ends lines
	separator []byte
	joined    bool // parts of bytes have the separator between them
	selective bool // lines without a field separator are left out
}

func runCut(ctx context.Context, c *builtins.Call) (err error) {
	var list, kind, field, separator string
	var fieldSet, separatorSet, nothing, invert, zero bool
	cut := cutter{field: '\t'}
	f := c.Flags()
	choose := func(k string) func(string) error {
		return func(s string) error {
			if kind != "" {
				return builtins.Usage("only one list may be specified")
			}
			list, kind = s, k
			return nil
		}
	}
	f.Func("b,bytes", "print only these bytes: a `LIST` such as 1,3-5,7-", choose("b"))
	f.Func("c,characters", "the same as -b: print only these bytes of a `LIST`", choose("b"))
	f.Func("d,delimiter", "`DELIM` separates fields, not a tab", func(s string) error {
		if len(s) > 1 {
			return builtins.Usage("the delimiter must be a single character")
		}
		field, fieldSet = s, true
		return nil
	})
	f.Func("f,fields", "print only these fields of a `LIST`, and lines without a delimiter", choose("f"))
	f.Bool(&nothing, "n", "do not split characters, which -b never does in this locale")
	f.Bool(&invert, "complement", "print what the list leaves out")
	f.Bool(&cut.selective, "s,only-delimited", "leave out lines without a delimiter")
	f.Func("output-delimiter", "print `STRING` between the parts", func(s string) error { separator, separatorSet = s, true; return nil })
	f.Bool(&zero, "z,zero-terminated", "lines end with NUL, not newline")
	files, err := f.Parse()
	if err != nil {
		return err
	}
	switch {
	case kind == "":
		return f.Fail(builtins.Usage("you must specify a list of bytes, characters, or fields"))
	case kind != "f" && fieldSet:
		return f.Fail(builtins.Usage("an input delimiter may be specified only when operating on fields"))
	case kind != "f" && cut.selective:
		return f.Fail(builtins.Usage("suppressing non-delimited lines makes sense\n\tonly when operating on fields"))
	}
	spans := byteSpans
	if kind == "f" {
		spans = fieldSpans
	}
	if cut.spans, err = parseSpans(list, spans); err != nil {
		return f.Fail(err)
	}
	if invert {
		cut.spans = complement(cut.spans)
	}
	if fieldSet {
		cut.field = (field + "\x00")[0]
	}
	cut.line = delimiter(zero)
	cut.separator, cut.joined = []byte{cut.field}, separatorSet
	if separatorSet {
		cut.separator = []byte((separator + "\x00")[:max(len(separator), 1)])
	}
	do := cut.bytes
	if kind == "f" {
		do = cut.fields
	}
	cut.out = newOutput(c)
	defer cut.out.close(&err)
	return c.EachInput(files, func(name string, r io.Reader) error {
		if kind == "f" && cut.field == cut.line {
			return cut.lines(c, r)
		}
		return eachLine(c, r, cut.line, func(line []byte) error {
			text, _ := bytes.CutSuffix(line, []byte{cut.line})
			do(text)
			return cut.out.spill()
		})
	})
}

// bytes prints the selected bytes of a line.
func (t *cutter) bytes(line []byte) {
	buf := t.out.buf
	for i, s := range t.spans {
		if s.lo > uint64(len(line)) {
			break
		}
		if i > 0 && t.joined {
			buf = append(buf, t.separator...)
		}
		buf = append(buf, line[s.lo-1:min(s.hi, uint64(len(line)))]...)
	}
	t.out.buf = append(buf, t.line)
}

// fields prints the selected fields of a line.
func (t *cutter) fields(line []byte) {
	end := bytes.IndexByte(line, t.field)
	if end < 0 {
		if !t.selective {
			t.out.buf = append(append(t.out.buf, line...), t.line)
		}
		return
	}
	buf, first := t.out.buf, true
	rest, number := line, uint64(1)
	for i := 0; i < len(t.spans); {
		s := t.spans[i]
		if number >= s.lo {
			if !first {
				buf = append(buf, t.separator...)
			}
			first = false
			switch {
			case s.hi == endless && !t.joined:
				t.out.buf = append(append(buf, rest...), t.line)
				return
			case end < 0:
				buf = append(buf, rest...)
			default:
				buf = append(buf, rest[:end]...)
			}
			if number == s.hi {
				i++
			}
		}
		if end < 0 {
			break
		}
		rest = rest[end+1:]
		number++
		end = bytes.IndexByte(rest, t.field)
	}
	t.out.buf = append(buf, t.line)
}

// lines prints the selected fields of an input in which what ends lines also
// separates fields, so that each line is a field.
func (t *cutter) lines(c *builtins.Call, r io.Reader) error {
	number, first, i := uint64(0), true, 0
	err := eachLine(c, r, t.line, func(line []byte) error {
		number++
		for i < len(t.spans) && t.spans[i].hi < number {
			i++
		}
		if i == len(t.spans) || number < t.spans[i].lo {
			return nil
		}
		if !first {
			t.out.buf = append(t.out.buf, t.separator...)
		}
		first = false
		text, _ := bytes.CutSuffix(line, []byte{t.line})
		t.out.buf = append(t.out.buf, text...)
		return t.out.spill()
	})
	if number > 0 {
		t.out.buf = append(t.out.buf, t.line)
	}
	return err
}
