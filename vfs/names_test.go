package vfs

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNameTree compares a tree, and copies of it that were made on the way, with
// maps.
func TestNameTree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	names := make([]string, 3000)
	for i := range names {
		prefix := []string{"", "a", "common-prefix-", "common-prefix-of-many-names-", "\xff\xff"}[rnd.IntN(5)]
		names[i] = prefix + fmt.Sprintf("%0*d", rnd.IntN(12), rnd.IntN(2000))
	}
	slices.Sort(names[len(names)/2:])
	type version struct {
		tree  nameTree
		model map[string]uint64
	}
	var tree nameTree
	own, model := new(owner), map[string]uint64{}
	var old []version
	for i := range 60_000 {
		name := names[rnd.IntN(len(names))]
		if i/8000%4 == 2 {
			name = names[i%len(names)]
		}
		if shrinking := i/8000%2 == 1; model[name] != 0 && rnd.IntN(10) < 8 == shrinking {
			tree.remove(own, name)
			delete(model, name)
		} else if !shrinking {
			tree.set(own, strings.Clone(name), uint64(i+1))
			model[name] = uint64(i + 1)
		}
		if i%6000 == 0 {
			old = append(old, version{tree, maps.Clone(model)})
			own = new(owner)
		}
	}
	for _, v := range append(old, version{tree, model}) {
		require.Equal(t, len(v.model), v.tree.len)
		sorted := slices.Sorted(maps.Keys(v.model))
		var got []string
		v.tree.after("", func(e nameEntry) bool {
			got = append(got, e.name)
			return true
		})
		require.Equal(t, sorted, got)
		for _, name := range names {
			require.Equal(t, v.model[name], v.tree.get(name))
			var next string
			v.tree.after(name, func(e nameEntry) bool {
				next = e.name
				return false
			})
			at, there := slices.BinarySearch(sorted, name)
			if there {
				at++
			}
			if name != "" && at < len(sorted) {
				require.Equal(t, sorted[at], next)
			}
		}
	}
}
