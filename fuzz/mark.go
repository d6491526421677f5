package fuzz

import (
	"fmt"
	"hash/fnv"
	"regexp"
)

// markVariable is the name of a variable, and of a file, with the mark of a script.
// Every script that an oracle runs begins with leaving its mark, which is not that of any
// other: whoever prints the mark of another has seen what was not its own.
const markVariable = "LIMPET_FUZZ_MARK"

// markOf returns the mark of a script, the same each time.
func markOf(script string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(script))
	return fmt.Sprintf("mark<%016x>", h.Sum64())
}

// marked returns a script that leaves its mark first, in one line that is
// not there for the script itself.
func marked(mark, script string) string {
	return fmt.Sprintf("export %s='%s'; printf %%s '%[2]s' 2> /dev/null > ../tmp/%[1]s\n%[3]s", markVariable, mark, script)
}

var markPattern = regexp.MustCompile(`mark<[0-9a-f]{16}>`)

// foreign returns an error where one of the texts has a mark that is not that of the
// script.
func foreign(mark string, texts ...string) error {
	for _, text := range texts {
		for _, m := range markPattern.FindAllString(text, -1) {
			if m != mark {
				return fmt.Errorf("%s was printed by %s", m, mark)
			}
		}
	}
	return nil
}
