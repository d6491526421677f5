package fuzz

import (
	_ "embed"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed attacks.txt
var attacks string

// attackList returns the scripts of attacks.txt, with the marks of their sizes.
var attackList = sync.OnceValue(func() []string {
	var list []string
	for i, script := range strings.Split(strings.TrimSpace(attacks), "\n\n") {
		if i > 0 { // the first is a comment
			list = append(list, script+"\n")
		}
	}
	return list
})

// sizePattern matches a size in an attack.
var sizePattern = regexp.MustCompile(`«([^»]*)»`)

// Hostile returns scripts that are after the resources of their host, each in another way.
// They are never for a shell that is no sandbox.
func Hostile() []string {
	list := slices.Clone(attackList())
	for i, script := range list {
		list[i] = sizePattern.ReplaceAllString(script, "$1")
	}
	return list
}

// Sizes writes the scripts of [Hostile] with other sizes: none, those at which numbers
// end, those that are just too large.
type Sizes struct{ Seed uint64 }

// Script returns the script with the number n.
func (s Sizes) Script(n uint64) string {
	r := rand.New(rand.NewPCG(s.Seed, n))
	list := attackList()
	return sizePattern.ReplaceAllStringFunc(list[r.IntN(len(list))], func(size string) string {
		if r.IntN(3) == 0 {
			return size[len("«") : len(size)-len("»")]
		}
		return sizes[r.IntN(len(sizes))]
	})
}
