package analysis

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/printf"
)

// mostPrinted bounds what printf is tried on for the variables that %n sets.
const mostPrinted = 1 << 16

var errLong = errors.New("printf prints much")

// printf looks at printf, which sets the variables of -v and of %n.
func (z *analyzer) printf(v *invocation) {
	args := v.args()
	for len(args) > 0 && args[0].Known && strings.HasPrefix(args[0].Text, "-") && args[0].Text != "-" {
		option := args[0].Text
		args = args[1:]
		if option == "--" {
			break
		}
		if name, ok := strings.CutPrefix(option, "-v"); ok && name != "" {
			z.variable(v, Word{Text: name, Known: true})
		} else if ok && len(args) > 0 {
			z.variable(v, args[0])
			args = args[1:]
		}
	}
	switch {
	case len(args) == 0:
	case !args[0].Known:
		z.opaque(v.at, "a format of printf is computed")
	case strings.Contains(args[0].Text, "%") && strings.Contains(args[0].Text, "n"):
		z.counted(v, args[0].Text, args[1:])
	}
}

// counted finds the words that %n takes for names by printing them.
func (z *analyzer) counted(v *invocation, format string, args []Word) {
	texts := make([]string, len(args))
	for i := range args {
		texts[i] = strconv.Itoa(i) // which is no name, and a width for *
	}
	left := mostPrinted
	p := printf.Printer{
		Warn: func(string) {},
		Grow: func(n int) error {
			if left -= n; left < 0 {
				return errLong
			}
			return nil
		},
		Assign: func(name string, _ int) bool {
			if i, err := strconv.Atoi(name); err == nil && i < len(args) {
				z.variable(v, args[i])
			}
			return true
		},
		Time: func(int64) time.Time { return time.Time{} },
	}
	if _, _, err := p.Append(nil, format, texts); err != nil {
		z.opaque(v.at, "printf prints much, and may set variables")
	}
}
