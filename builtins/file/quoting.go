package file

import "github.com/limpet-sh/limpet/internal/quote"

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
	case "locale":
		return quote.Locale
	case "clocale":
		return quote.C
	}
	return nil
}
