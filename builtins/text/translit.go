package text

import (
	_ "embed"
	"strings"
	"sync"
)

// translitLines has what glibc's iconv writes for characters that an encoding lacks, in
// ASCII: on each line that text, a tab, and the characters.
//
//go:embed translit.txt
var translitLines string

// transliterations has that text by character.
var transliterations = sync.OnceValue(func() map[rune]string {
	m := map[rune]string{}
	for line := range strings.Lines(translitLines) {
		text, runes, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		for _, r := range runes {
			m[r] = text
		}
	}
	return m
})

// transliterate returns what stands for r where an encoding lacks it.
func transliterate(r rune) string {
	if text, ok := transliterations()[r]; ok {
		return text
	}
	return "?"
}
