package system

import (
	"context"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var echo = commands.Add(&builtins.Command{
	Name:     "echo",
	Synopsis: "[SHORT-OPTION]... [STRING]...",
	Summary:  "display a line of text",
	Run:      runEcho,
})

func runEcho(ctx context.Context, c *builtins.Call) error {
	if f := c.Flags(); c.FS == nil || len(c.Args) == 1 && c.Args[0] == "--help" {
		_, err := f.Parse()
		return err
	}
	end, escapes := "\n", false
	args := c.Args
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		for _, letter := range args[0][1:] {
			switch letter {
			case 'n':
				end = ""
			default:
				escapes = letter == 'e'
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		var stop bool
		if text, stop = unescapeEcho(text); stop {
			end = ""
		}
	}
	_, err := io.WriteString(c.Stdout, text+end)
	return err
}

// unescapeEcho replaces the sequences that echo -e knows. It reports whether
// \c has ended the output.
func unescapeEcho(s string) (text string, stop bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case c == 'c':
			return b.String(), true
		case c == '0':
			n, digits := readDigits(s[i+1:], 8, 3)
			b.WriteByte(byte(n))
			i += digits
		case c >= '1' && c <= '7':
			n, digits := readDigits(s[i:], 8, 3)
			b.WriteByte(byte(n))
			i += digits - 1
		case c == 'x':
			n, digits := readDigits(s[i+1:], 16, 2)
			if digits == 0 {
				b.WriteString(`\x`)
				continue
			}
			b.WriteByte(byte(n))
			i += digits
		case strings.IndexByte(`abefnrtv\`, c) >= 0:
			b.WriteByte("\a\b\x1b\f\n\r\t\v\\"[strings.IndexByte(`abefnrtv\`, c)])
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), false
}

// readDigits reads at most limit digits of a base, and returns how many there
// were.
func readDigits(s string, base, limit int) (n, digits int) {
	for digits < min(limit, len(s)) {
		d := strings.IndexByte("0123456789abcdef"[:base], s[digits]|0x20&-(s[digits]>>6))
		if d < 0 {
			break
		}
		n, digits = n*base+d, digits+1
	}
	return n, digits
}
