package file

import (
	"fmt"

	"github.com/limpet-sh/limpet/builtins"
)

// ask puts a question on standard error and reports whether the answer, a line
// of standard input, is yes. It reads no further than that line.
func ask(c *builtins.Call, format string, args ...any) bool {
	fmt.Fprintf(c.Stderr, "%s: %s ", c.Name, fmt.Sprintf(format, args...))
	first, b := byte(0), make([]byte, 1)
	for n := 0; ; n++ {
		if c.Poll(1) != nil {
			return false
		}
		if got, err := c.Stdin.Read(b); got == 0 && err != nil {
			break
		} else if got == 0 {
			continue
		}
		if b[0] == '\n' {
			break
		}
		if n == 0 {
			first = b[0]
		}
	}
	return first == 'y' || first == 'Y'
}
