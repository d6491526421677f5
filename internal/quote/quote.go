// Package quote writes text so that a shell reads it back: the forms of bash
// (printf %q, ${x@Q}, declare -p, set -x) and those of GNU's messages.
package quote

import "strings"

// Always quotes s as gnulib's shell-escape-always style does.
func Always(s string) string {
	if strings.Contains(s, "'") && !strings.ContainsAny(s, "\"$`\\!\n\t") {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Maybe quotes s as gnulib's shell-escape style does: only where it must.
func Maybe(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"\\$`&|;<>()*?[]!~#=^{}") {
		return s
	}
	return Always(s)
}
