package fuzz

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// operands are what a command may get where it does not matter whether it wants that.
var operands = strings.Split(`a|b|c|d|nosuch|-|--|.|..|/|/dev/zero|/dev/urandom|/dev/full|/dev/null|/dev/stdin|/dev/fd/0|/proc/self/status|/etc/passwd|
	p|l|d/d|*|a b c|{a..c}|"$x"|"$big"|''|'a*b'|'(a|b)*'|'[a-z'|'\(a\)\1'|s/a/b/g|'{ print }'|'BEGIN { while (1) x = x "a" }'|.|'.[] | .'|'select 1'|x=1|1,3p|
	+1|=|%s|%d\n|@0|if=/dev/zero|of=f|bs=1M|a:b|http://127.0.0.1/|file:///etc/passwd|../../etc/passwd|$$|-1|<(yes)|>(cat)|root|755|u+s|a-z|'[:alpha:]'|
	-c|-e|-f|-r|-n|-x|-l|-d|-a|-o|init|add|commit|log|status|true|cat|sh|:`, "|")

// hostileLine returns a script that runs a command.
func hostileLine(r *rand.Rand, c *builtins.Command) string {
	var b strings.Builder
	b.WriteString("mkdir d; mkdir d/d; mkfifo p; ln -s . l; x=" + sizes[r.IntN(len(sizes))] + "; big=$(head -c 300000 /dev/zero | tr '\\0' 'x')\n")
	for _, name := range []string{"a", "b", "c"} {
		if r.IntN(4) == 0 {
			fmt.Fprintf(&b, "head -c %d %s > %s\n", r.IntN(1<<20), []string{"/dev/zero", "/dev/urandom"}[r.IntN(2)], name)
			continue
		}
		fmt.Fprintf(&b, "%s > %s\n", input(r, false), name)
	}
	words := []string{c.Name}
	for range r.IntN(4) {
		words = append(words, hostileOptions(r, c)...)
	}
	for range r.IntN(4) {
		words = append(words, operand(r))
	}
	line := strings.Join(words, " ")
	switch r.IntN(6) {
	case 0:
		line = "yes | " + line + " | cat"
	case 1:
		line += " < /dev/zero"
	case 2:
		line = "cat a b | " + line + " > f"
	case 3:
		line = "x=$(" + line + " < a)"
	default:
		line += " < " + []string{"a", "b", "c"}[r.IntN(3)]
	}
	return b.String() + line + "\n"
}

func operand(r *rand.Rand) string {
	if r.IntN(6) == 0 {
		return sizes[r.IntN(len(sizes))]
	}
	return strings.TrimSpace(operands[r.IntN(len(operands))])
}

// hostileOptions returns an option of a command with any value.
func hostileOptions(r *rand.Rand, c *builtins.Command) []string {
	all := builtins.Describe(c)
	if len(all) == 0 {
		return []string{operand(r)}
	}
	o := all[r.IntN(len(all))]
	names := optionNames(o)
	name := names[r.IntN(len(names))]
	switch {
	case o.Value == "" || o.Optional && r.IntN(2) == 0:
		return []string{name}
	case strings.HasPrefix(name, "--"):
		return []string{name + "=" + operand(r)}
	case r.IntN(2) == 0:
		return []string{name, operand(r)}
	}
	return []string{name + operand(r)}
}
