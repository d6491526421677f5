package text

import (
	"bytes"
	"errors"
	"io"

	"github.com/limpet-sh/limpet/builtins"
)

// A joiner joins two sorted files.
type joiner struct {
	call     *builtins.Call
	out      *output
	keys     [2]int // the fields to join on
	tab      int    // what separates fields, or noTab
	delim    byte
	fold     bool
	paired   bool    // print lines that have partners
	unpaired [2]bool // print lines of a file that have none
	empty    []byte  // for missing fields
	fields   []joinField
	auto     bool // print as many fields as the first lines have
	check    int
	seen     bool // a line without a partner
	files    [2]*joinFile
}

// A joinFile is one of the files.
type joinFile struct {
	name   string
	lines  *builtins.LineReader
	group  []*joinLine // lines with equal keys, and maybe the next one
	count  int         // of those in group that are in use
	last   *joinLine   // the line before the next
	fields int         // of the first line
	number int
	warned bool
}

// A joinLine is a line, split into fields.
type joinLine struct {
	kept   keptLine
	fields [][]byte
	blank  bool // stands for a missing partner
}

func (l *joinLine) field(n int) []byte {
	if n < len(l.fields) {
		return l.fields[n]
	}
	return nil
}

var noPartner = &joinLine{blank: true}

// run joins the files.
func (j *joiner) run(names []string, header bool) error {
	if names[0] == "-" && names[1] == "-" {
		return errors.New("both files cannot be standard input")
	}
	for i, name := range names {
		in, err := openInput(j.call, name)
		if err != nil {
			return builtins.FileError(name, err)
		}
		defer in.close()
		file := &joinFile{name: name, lines: j.call.Lines(in, j.delim)}
		j.files[i] = file
		defer file.drop()
	}
	a, b := j.files[0], j.files[1]
	for i, f := range j.files {
		if _, err := j.advance(i, true); err != nil {
			return err
		}
		if f.count > 0 {
			f.fields = len(f.group[0].fields)
		}
	}
	if header && a.count+b.count > 0 {
		if err := j.header(); err != nil {
			return err
		}
	}
	for a.count > 0 && b.count > 0 {
		if err := j.step(); err != nil {
			return err
		}
	}
	for i := range j.files {
		if err := j.tail(i); err != nil {
			return err
		}
	}
	if a.warned || b.warned {
		return errors.New("input is not in sorted order")
	}
	return nil
}

// header joins the first lines, whatever they are.
func (j *joiner) header() error {
	lines := [2]*joinLine{noPartner, noPartner}
	for i, f := range j.files {
		if f.count > 0 {
			lines[i] = f.group[0]
		}
	}
	j.print(lines[0], lines[1])
	for i, f := range j.files {
		f.last = nil
		if f.count > 0 {
			if _, err := j.advance(i, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// step handles the lines with the least key.
func (j *joiner) step() error {
	a, b := j.files[0], j.files[1]
	order := j.compare(a.group[0], 0, b.group[0], 1)
	if order != 0 {
		which := 0
		if order > 0 {
			which = 1
		}
		j.single(which, j.files[which].group[0])
		_, err := j.advance(which, true)
		j.seen = true
		if err != nil {
			return err
		}
		return j.out.spill()
	}
	var more [2]bool
	for i, f := range j.files {
		other := j.files[1-i].group[0]
		for {
			ok, err := j.advance(i, false)
			if err != nil {
				return err
			}
			if !ok {
				f.count++ // so that the last is not taken for the next key
				break
			}
			if j.compare(f.group[f.count-1], i, other, 1-i) != 0 {
				more[i] = true
				break
			}
		}
	}
	if j.paired {
		for _, x := range a.group[:a.count-1] {
			for _, y := range b.group[:b.count-1] {
				j.print(x, y)
				if err := j.call.Poll(1); err != nil {
					return err
				}
				if err := j.out.spill(); err != nil {
					return err
				}
			}
		}
	}
	for i, f := range j.files {
		if more[i] {
			f.group[0], f.group[f.count-1] = f.group[f.count-1], f.group[0]
			f.count = 1
		} else {
			f.count = 0
		}
	}
	return nil
}

// single prints a line without a partner, if that is wanted.
func (j *joiner) single(which int, line *joinLine) {
	switch {
	case !j.unpaired[which]:
	case which == 0:
		j.print(line, noPartner)
	default:
		j.print(noPartner, line)
	}
}

// tail handles what is left of a file after the end of the other.
func (j *joiner) tail(which int) error {
	f, other := j.files[which], j.files[1-which]
	checking := j.check != checkNever && !(f.warned && other.warned)
	if f.count == 0 || !j.unpaired[which] && !checking {
		return nil
	}
	j.single(which, f.group[0])
	for {
		ok, err := j.advance(which, true)
		if !ok || err != nil {
			f.count = 0
			return err
		}
		j.single(which, f.group[0])
		if f.warned && !j.unpaired[which] {
			f.count = 0
			return nil
		}
		if err := j.out.spill(); err != nil {
			return err
		}
	}
}

// advance reads a line of a file: the first of a new group, or one more. It
// reports whether there was one.
func (j *joiner) advance(which int, fresh bool) (bool, error) {
	f := j.files[which]
	if fresh {
		f.count = 0
	}
	text, err := f.lines.Next()
	if err == io.EOF {
		return false, nil
	}
	if err != nil {
		return false, errnoError(err, "read error")
	}
	if f.count == len(f.group) || f.group[f.count] == f.last {
		// The line before is kept for the check of the order.
		if err := j.call.Alloc(joinLineSize); err != nil {
			return false, err
		}
		line := &joinLine{kept: keptLine{call: j.call}}
		f.group = append(f.group, nil)
		copy(f.group[f.count+1:], f.group[f.count:])
		f.group[f.count] = line
	}
	line := f.group[f.count]
	text, _ = bytes.CutSuffix(text, []byte{j.delim})
	if err := line.kept.keep(text); err != nil {
		return false, err
	}
	line.fields = j.split(line.fields[:0], line.kept.text)
	f.count++
	f.number++
	if err := j.verify(which, line); err != nil {
		return false, err
	}
	f.last = line
	return true, nil
}

// joinLineSize is the memory that a line takes besides its text.
const joinLineSize = 128

// verify warns if a line is not in order after the one before.
func (j *joiner) verify(which int, line *joinLine) error {
	f := j.files[which]
	if f.last == nil || f.warned || j.check == checkNever || j.check == checkUnpaired && !j.seen {
		return nil
	}
	if j.compare(f.last, which, line, which) <= 0 {
		return nil
	}
	f.warned = true
	const format = "%s:%d: is not sorted: %s"
	text, _, _ := bytes.Cut(line.kept.text, []byte{0}) // which ends what GNU prints
	if j.check == checkAlways {
		return j.out.fatal(format, f.name, f.number, text)
	}
	j.call.Warnf(format, f.name, f.number, text)
	return nil
}

// compare compares two lines by the fields that their files are joined on.
func (j *joiner) compare(a *joinLine, fileA int, b *joinLine, fileB int) int {
	x, y := a.field(j.keys[fileA]), b.field(j.keys[fileB])
	switch {
	case len(x) == 0 && len(y) == 0:
		return 0
	case len(x) == 0:
		return -1
	case len(y) == 0:
		return 1
	case j.fold:
		return compareFolded(x, y)
	}
	return bytes.Compare(x, y)
}

// split appends the fields of a line to fields.
func (j *joiner) split(fields [][]byte, line []byte) [][]byte {
	if len(line) == 0 {
		return fields
	}
	if j.tab != noTab {
		for j.tab != '\n' {
			i := bytes.IndexByte(line, byte(j.tab))
			if i < 0 {
				break
			}
			fields = append(fields, line[:i])
			line = line[i+1:]
		}
		return append(fields, line)
	}
	for {
		for len(line) > 0 && isSortBlank(line[0]) {
			line = line[1:]
		}
		if len(line) == 0 {
			return fields
		}
		i := 0
		for i < len(line) && !isSortBlank(line[i]) {
			i++
		}
		fields = append(fields, line[:i])
		if line = line[i:]; len(line) > 0 && len(bytes.TrimLeft(line, " \t\n")) == 0 {
			return append(fields, nil) // blanks at the end have a field behind them
		}
	}
}

// print prints a joined line.
func (j *joiner) print(a, b *joinLine) {
	separator := byte(' ')
	if j.tab != noTab {
		separator = byte(j.tab)
	}
	out := j.out
	field := func(text []byte) {
		if len(text) == 0 {
			text = j.empty
		}
		out.buf = append(out.buf, text...)
	}
	key := a.field(j.keys[0])
	if a.blank {
		key = b.field(j.keys[1])
	}
	if len(j.fields) > 0 {
		for i, o := range j.fields {
			if i > 0 {
				out.buf = append(out.buf, separator)
			}
			switch o.file {
			case 0:
				field(key)
			case 1:
				field(a.field(o.field))
			default:
				field(b.field(o.field))
			}
		}
		out.buf = append(out.buf, j.delim)
		return
	}
	field(key)
	for i, l := range [2]*joinLine{a, b} {
		n := len(l.fields)
		if j.auto {
			n = j.files[i].fields
		}
		for k := range n {
			if k != j.keys[i] {
				out.buf = append(out.buf, separator)
				field(l.field(k))
			}
		}
	}
	out.buf = append(out.buf, j.delim)
}

// drop gives back the memory of the file's lines.
func (f *joinFile) drop() {
	f.lines.Close()
	for _, l := range f.group {
		l.kept.call.Free(joinLineSize)
		l.kept.drop()
	}
	f.group = nil
}
