package search

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// A formatKind is what a format of diff is for.
type formatKind uint8

const (
	formatUnchanged formatKind = iota
	formatOld
	formatNew
	formatChanged // of groups only
)

// diffFormats are the formats for lines and for groups of lines, with which diff
// prints both files as one.
type diffFormats struct {
	line  [3]*string
	group [4]*string
}

// declareFormats declares the options that set formats.
func (d *differ) declareFormats(f *builtins.Flags) {
	f.Func("D,ifdef", "print both files as one, with preprocessor conditions on `NAME`", func(name string) error {
		for kind, format := range map[formatKind]string{
			formatUnchanged: "%=",
			formatOld:       "#ifndef @\n%<#endif /* ! @ */\n",
			formatNew:       "#ifdef @\n%>#endif /* @ */\n",
			formatChanged:   "#ifndef @\n%<#else /* @ */\n%>#endif /* @ */\n",
		} {
			format = strings.ReplaceAll(format, "@", strings.ReplaceAll(name, "%", "%%"))
			if err := d.setFormat(&d.formats.group[kind], format, "-D"); err != nil {
				return err
			}
		}
		return nil
	})
	f.Func("line-format", "print lines with this `FORMAT`", func(s string) error {
		for kind := range d.formats.line {
			if err := d.setFormat(&d.formats.line[kind], s, "--line-format"); err != nil {
				return err
			}
		}
		return nil
	})
	for kind, name := range []string{"unchanged", "old", "new", "changed"} {
		option := func(target **string, name, help string) {
			f.Func(name, help, func(s string) error { return d.setFormat(target, s, "--"+name) })
		}
		option(&d.formats.group[kind], name+"-group-format", "print "+name+" groups of lines with this `FORMAT`")
		if kind < len(d.formats.line) {
			option(&d.formats.line[kind], name+"-line-format", "print "+name+" lines with this `FORMAT`")
		}
	}
}

// setFormat sets a format, which no other option may have set to something else.
func (d *differ) setFormat(target **string, format, option string) error {
	if err := d.setStyle(styleFormat); err != nil {
		return err
	}
	if *target != nil && **target != format {
		return builtins.Usage("conflicting %s option value '%s'", option, format)
	}
	*target = &format
	return nil
}

// settle gives the formats that no option set their values.
func (f *diffFormats) settle() {
	or := func(target **string, format string) {
		if *target == nil {
			*target = &format
		}
	}
	for kind := range f.line {
		or(&f.line[kind], "%l\n")
	}
	old, added := "%<", "%>"
	if changed := f.group[formatChanged]; changed != nil {
		old, added = *changed, *changed
	}
	or(&f.group[formatOld], old)
	or(&f.group[formatNew], added)
	or(&f.group[formatUnchanged], "%=")
	or(&f.group[formatChanged], *f.group[formatOld]+*f.group[formatNew])
}

// printsCommon reports whether what both files have is printed.
func (f *diffFormats) printsCommon() bool {
	group := *f.group[formatUnchanged]
	return group != "" && (group != "%=" || *f.line[formatUnchanged] != "")
}

// A diffSpan is lines of one of the files.
type diffSpan struct {
	file       *diffFile
	first, end int
}

// printFormatted prints both files with the formats.
func (d *differ) printFormatted(x, y *diffFile, changes []change) error {
	a, b := 0, 0
	unchanged := func(toA, toB int) error {
		if a >= toA && b >= toB {
			return nil
		}
		return d.printGroup(formatUnchanged, diffSpan{x, a, toA}, diffSpan{y, b, toB})
	}
	for i := range changes {
		c := &changes[i]
		if c.Trivial {
			continue
		}
		kind := formatChanged
		switch {
		case c.Ins == 0:
			kind = formatOld
		case c.Del == 0:
			kind = formatNew
		}
		if err := unchanged(c.A, c.B); err != nil {
			return err
		}
		a, b = c.A+c.Del, c.B+c.Ins
		if err := d.printGroup(kind, diffSpan{x, c.A, a}, diffSpan{y, c.B, b}); err != nil {
			return err
		}
	}
	return unchanged(len(x.lines), len(y.lines))
}

// printGroup prints a group of lines with its format.
func (d *differ) printGroup(kind formatKind, old, added diffSpan) error {
	format := *d.formats.group[kind]
	_, err := d.formatGroup(format, 0, old, added, true)
	return err
}

// formatGroup prints a format from its byte at up to the end or to stop, and
// returns the place where that was. Nothing is printed unless show is set.
func (d *differ) formatGroup(format string, stop byte, old, added diffSpan, show bool) (int, error) {
	for at := 0; at < len(format); {
		c := format[at]
		at++
		if c == stop && stop != 0 {
			return at, nil
		}
		if c != '%' || at == len(format) {
			if show {
				_ = d.out.WriteByte(c)
			}
			continue
		}
		rest := format[at:]
		kind, lines := formatUnchanged, old
		switch rest[0] {
		case '<':
			kind = formatOld
		case '>':
			kind, lines = formatNew, added
		case '=':
		case '(':
			n, err := d.formatChoice(rest, old, added, show)
			if err != nil {
				return 0, err
			}
			at += n
			continue
		default:
			at += d.formatItem(rest, show, func(letter byte) (int, bool) { return groupNumber(letter, old, added) })
			continue
		}
		at++
		if show {
			if err := d.printLines(*d.formats.line[kind], lines); err != nil {
				return 0, err
			}
		}
	}
	return len(format), nil
}

// formatChoice prints %(A=B?T:E) of a format, from its parenthesis on, and returns
// its length. What has no such form is printed as it is.
func (d *differ) formatChoice(text string, old, added diffSpan, show bool) (int, error) {
	left, rest, ok := formatOperand(text[1:], old, added)
	right := 0
	if ok = ok && strings.HasPrefix(rest, "="); ok {
		right, rest, ok = formatOperand(rest[1:], old, added)
	}
	if !ok || !strings.HasPrefix(rest, "?") {
		if show {
			_ = d.out.WriteByte('%')
		}
		return 0, nil
	}
	at := len(text) - len(rest) + 1
	n, err := d.formatGroup(text[at:], ':', old, added, show && left == right)
	if err != nil {
		return 0, err
	}
	at += n
	n, err = d.formatGroup(text[at:], ')', old, added, show && left != right)
	return at + n, err
}

// formatOperand reads a number or a letter that stands for one.
func formatOperand(text string, old, added diffSpan) (n int, rest string, ok bool) {
	for len(text) > 0 && text[0] >= '0' && text[0] <= '9' && n < 1<<40 {
		n, text, ok = n*10+int(text[0]-'0'), text[1:], true
	}
	if ok || text == "" {
		return n, text, ok
	}
	n, ok = groupNumber(text[0], old, added)
	return n, text[1:], ok
}

// groupNumber returns the number that a letter means in the format of a group.
func groupNumber(letter byte, old, added diffSpan) (n int, ok bool) {
	s := old
	if letter >= 'A' && letter <= 'Z' {
		s, letter = added, letter+'a'-'A'
	}
	switch letter {
	case 'e':
		return s.first, true
	case 'f':
		return s.first + 1, true
	case 'l':
		return s.end, true
	case 'm':
		return s.end + 1, true
	case 'n':
		return s.end - s.first, true
	}
	return 0, false
}

// formatItem prints what follows a percent sign, where that is a number, %% or
// %c, and returns its length. Anything else is printed as it is.
func (d *differ) formatItem(text string, show bool, number func(letter byte) (int, bool)) int {
	print := func(s string) {
		if show {
			_, _ = d.out.WriteString(s)
		}
	}
	if text[0] == '%' {
		print("%")
		return 1
	}
	if quoted, ok := strings.CutPrefix(text, "c'"); ok {
		if b, n := formatByte(quoted); n > 0 {
			print(string([]byte{b}))
			return 2 + n
		}
	}
	digits := func(i int) int {
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
		return i
	}
	i := 0
	for i < len(text) && strings.IndexByte("-'0", text[i]) >= 0 {
		i++
	}
	flags := strings.ReplaceAll(text[:i], "'", "")
	start := i
	if i = digits(i); i < len(text) && text[i] == '.' {
		i = digits(i + 1)
	}
	if i+1 < len(text) && i-start < 12 && strings.IndexByte("doxX", text[i]) >= 0 {
		if n, ok := number(text[i+1]); ok {
			print(fmt.Sprintf("%"+flags+text[start:i+1], n))
			return i + 2
		}
	}
	print("%")
	return 0
}

// formatByte reads the byte of %c'C' or %c'\OOO' with its closing quote.
func formatByte(text string) (b byte, n int) {
	switch {
	case len(text) >= 2 && text[0] != '\\' && text[0] != '\'' && text[1] == '\'':
		return text[0], 2
	case strings.HasPrefix(text, `\`):
		i := 1
		for i < len(text) && i < 4 && text[i] >= '0' && text[i] <= '7' {
			b = b<<3 | text[i] - '0'
			i++
		}
		if i > 1 && i < len(text) && text[i] == '\'' {
			return b, i + 1
		}
	}
	return 0, 0
}

// printLines prints lines with a format.
func (d *differ) printLines(format string, s diffSpan) error {
	for i := s.first; i < s.end; i++ {
		if err := d.Poll(1 + len(format)); err != nil {
			return err
		}
		line := s.file.text(i)
		text := bytes.TrimSuffix(line, []byte{'\n'})
		for at := 0; at < len(format); {
			c := format[at]
			at++
			if c != '%' || at == len(format) {
				_ = d.out.WriteByte(c)
				continue
			}
			switch format[at] {
			case 'l', 'L':
				d.printText(text, "")
				if format[at] == 'L' {
					_, _ = d.out.Write(line[len(text):])
				}
				at++
			default:
				at += d.formatItem(format[at:], true, func(letter byte) (int, bool) { return i + 1, letter == 'n' })
			}
		}
	}
	return nil
}
