// Package search implements the commands that search and compare text and
// files: grep, rg, fd, sed, diff, patch and cmp.
package search

import (
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
)

var commands builtins.Set

// Commands returns the commands of this package.
func Commands() []*builtins.Command { return commands.Commands() }

// localeFlags returns the flags that the locale of the call means for regular
// expressions: in the C locale, characters are bytes. Without a locale it is
// C.UTF-8.
func localeFlags(c *builtins.Call) regex.Flags {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := c.Getenv(name); value != "" {
			if value == "C" || value == "POSIX" {
				return regex.Bytes
			}
			return 0
		}
	}
	return 0
}
