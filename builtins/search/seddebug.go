package search

import (
	"fmt"
	"io"
	"strings"
)

// A sedTrace prints what a script is and does, with --debug.
type sedTrace struct {
	w     io.Writer
	level int // of blocks
}

// program prints the script.
func (t *sedTrace) program(script []sedCommand) {
	t.level = 1
	fmt.Fprintln(t.w, "SED PROGRAM:")
	for i := range script {
		t.command(&script[i])
	}
	t.level = 0
}

// begin prints that a command is run.
func (t *sedTrace) begin(c *sedCommand) {
	fmt.Fprint(t.w, "COMMAND: ")
	t.command(c)
}

// input prints where a line comes from, and space the line.
func (t *sedTrace) input(name string, line int64) {
	if name == "-" {
		name = "STDIN"
	}
	fmt.Fprintf(t.w, "INPUT:   '%s' line %d\n", name, line)
}

func (t *sedTrace) space(what string, text []byte) {
	fmt.Fprintf(t.w, "%-9s%s\n", what+":", escapeTrace(string(text), false))
}

// after prints what a command has changed.
func (t *sedTrace) after(name byte, s *sed) {
	switch name {
	case 's', 'y', 'G', 'z', 'n', 'N', 'x':
		t.space("PATTERN", s.space.b)
	}
	switch name {
	case 'g', 'h', 'H', 'x':
		t.space("HOLD", s.hold.b)
	}
}

// registers prints where an expression and its groups have matched.
func (t *sedTrace) registers(text []byte, loc []int) {
	fmt.Fprintln(t.w, "MATCHED REGEX REGISTERS")
	for i := 0; i < len(loc); i += 2 {
		if loc[i] >= 0 {
			fmt.Fprintf(t.w, "  regex[%d] = %d-%d '%s'\n", i/2, loc[i], loc[i+1], text[loc[i]:loc[i+1]])
		}
	}
}

// command prints a command as it was understood.
func (t *sedTrace) command(c *sedCommand) {
	if c.name == '}' {
		t.level = max(t.level-1, 0)
	}
	var b strings.Builder
	b.WriteString(strings.Repeat("  ", t.level))
	c.from.trace(&b)
	if c.ranged {
		b.WriteByte(',')
		c.to.trace(&b)
	}
	if c.negate {
		b.WriteByte('!')
	}
	if c.from.kind != addressNone {
		b.WriteByte(' ')
	}
	b.WriteByte(c.name)
	switch c.name {
	case '{':
		t.level++
	case 'a', 'i', 'c':
		b.WriteByte('\\')
		b.Write(c.text)
	case ':':
		b.WriteString(c.label)
	case 'b', 't', 'T':
		if c.label != "" {
			b.WriteString(" " + c.label)
		}
	case 'l', 'q', 'Q':
		if c.number >= 0 {
			fmt.Fprintf(&b, " %d", c.number)
		}
	case 'r', 'R':
		b.WriteString(" " + c.file)
	case 'w', 'W':
		b.WriteString(c.file)
	case 's':
		c.subst.trace(&b)
	case 'y':
		b.WriteString("/" + c.table.from + "/" + c.table.to + "/")
	}
	fmt.Fprintln(t.w, b.String())
}

func (a *sedAddress) trace(b *strings.Builder) {
	switch a.kind {
	case addressLine:
		fmt.Fprint(b, a.n)
	case addressStep:
		fmt.Fprintf(b, "%d~%d", a.n, a.step)
	case addressLast:
		b.WriteByte('$')
	case addressRegex:
		a.regex.trace(b)
		b.WriteString(a.regex.flags("I", "M"))
	case addressPlus:
		fmt.Fprintf(b, "+%d", a.n)
	case addressMultiple:
		fmt.Fprintf(b, "~%d", a.n)
	}
}

func (r *sedRegex) trace(b *strings.Builder) {
	b.WriteString("/" + escapeTrace(r.text, true) + "/")
}

func (r *sedRegex) flags(ignoreCase, multiline string) string {
	flags := ""
	if r.ignoreCase {
		flags = ignoreCase
	}
	if r.multiline {
		flags += multiline
	}
	return flags
}

func (s *substitution) trace(b *strings.Builder) {
	s.regex.trace(b)
	s.traceParts(b)
	b.WriteString("/" + s.regex.flags("i", "m"))
	if s.global {
		b.WriteByte('g')
	}
	if s.print {
		b.WriteByte('p')
	}
	if s.nth > 0 {
		fmt.Fprint(b, s.nth)
	}
	if s.out != nil {
		b.WriteString("w" + s.file)
	}
}

// traceParts prints a replacement; a case that is for one character ends where
// what follows it does.
func (s *substitution) traceParts(b *strings.Builder) {
	letters := map[caseMode]string{caseSame: `\E`, caseUpper: `\U`, caseLower: `\L`, caseEnd: `\E`, caseUpperOne: `\u`, caseLowerOne: `\l`}
	mode, one, used := caseSame, false, false
	for _, p := range s.parts {
		if one && used {
			b.WriteString(letters[mode])
			one = false
		}
		switch {
		case p.mode == caseUpperOne || p.mode == caseLowerOne:
			one, used = true, false
			b.WriteString(letters[p.mode])
			continue
		case p.mode != caseSame:
			mode = p.mode
			b.WriteString(letters[mode])
			continue
		case p.group == 0:
			b.WriteByte('&')
		case p.group > 0:
			fmt.Fprintf(b, `\%d`, p.group)
		default:
			b.Write(p.text)
		}
		used = true
	}
}

// escapeTrace returns text with escapes for what cannot be printed; in an
// expression for slashes too.
func escapeTrace(text string, slashes bool) string {
	const letters, values = `afnrtv\`, "\a\f\n\r\t\v\\"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch at := strings.IndexByte(values, c); {
		case at >= 0:
			b.WriteString(`\` + letters[at:at+1])
		case slashes && c == '/':
			b.WriteString(`\/`)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\o%03o`, uint32(int32(int8(c)))) // GNU's characters have a sign
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
