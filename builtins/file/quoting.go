package file

import (
	"strings"

	"github.com/limpet-sh/limpet/internal/quote"
)

// quotingStyles are the words of --quoting-style.
var quotingStyles = []string{"literal", "shell", "shell-always", "shell-escape", "shell-escape-always", "c", "c-maybe", "escape", "locale", "clocale"}

// quoting returns the function that quotes names in a style, or nil where there
// is no such style.
func quoting(style string) func(string) string {
	switch style {
	case "literal":
		return func(s string) string { return s }
	case "shell":
		return quote.Shell
	case "shell-always":
		return quote.ShellAlways
	case "shell-escape":
		return quote.Name
	case "shell-escape-always":
		return quote.Always
	case "c":
		return quote.C
	case "c-maybe":
		return func(s string) string {
			if q := quote.C(s); q != `"`+s+`"` {
				return q
			}
			return s
		}
	case "escape":
		return quote.Escape
	case "locale", "clocale":
		return quote.Locale
	}
	return nil
}

// titleQuoting is quoting for names that a colon follows: one in the name must
// stand out.
func titleQuoting(style string) func(string) string {
	plain := quoting(style)
	switch style {
	case "literal", "shell-always", "shell-escape-always":
		return plain
	case "shell-escape":
		return quote.Maybe
	case "shell":
		return unlessColon(plain, quote.ShellAlways)
	case "c-maybe":
		return unlessColon(plain, quote.C)
	}
	return func(s string) string { return strings.ReplaceAll(plain(s), ":", `\:`) }
}

// unlessColon quotes names that have a colon in another way.
func unlessColon(plain, colon func(string) string) func(string) string {
	return func(s string) string {
		if strings.IndexByte(s, ':') >= 0 {
			return colon(s)
		}
		return plain(s)
	}
}
