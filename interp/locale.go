package interp

import (
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/internal/regex"
)

// setLocale finds out whether the characters of the shell are bytes, as they are in
// the locale C, where a script asks for it. Every other locale is C.UTF-8. (POSIX,
// XBD 8.2)
func (sh *Shell) setLocale() {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if s := sh.get(name); s != "" {
			sh.bytes = s == "C" || s == "POSIX"
			return
		}
	}
	sh.bytes = false
}

// patternFlags returns the flags that options and locale give to patterns.
func (sh *Shell) patternFlags() pattern.Flags {
	flags := sh.byteFlag()
	if sh.shopts&shoptExtglob != 0 {
		flags |= pattern.Extglob
	}
	return flags
}

func (sh *Shell) byteFlag() pattern.Flags {
	if sh.bytes {
		return pattern.Bytes
	}
	return 0
}

func (sh *Shell) regexFlags(fold bool) (flags regex.Flags) {
	if fold {
		flags |= regex.IgnoreCase
	}
	if sh.bytes {
		flags |= regex.Bytes
	}
	return flags
}

// charCount returns the number of characters of s; a byte that is not of one
// counts as one.
func (sh *Shell) charCount(s string) int {
	sh.worked(len(s))
	if sh.bytes {
		return len(s)
	}
	return utf8.RuneCountInString(s)
}
