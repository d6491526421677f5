package vfstest

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
)

// Compare does the same random things to two empty file systems, and fails the
// test when something else comes of one with a than with b, or is there in the end.
// Which things depends on the seed alone. The operations named in without are left out.
func Compare(t *testing.T, seed uint64, steps int, a, b vfs.FS, without ...string) {
	t.Helper()
	y := &machine{t: t, fsys: b, files: map[string]afero.File{}}
	compare(t, seed, steps, a, y, func(op string) bool { return !slices.Contains(without, op) })
}

// CompareModel is Compare with a map of paths that says what is right. Points are
// the directories in fsys that file systems are mounted on.
func CompareModel(t *testing.T, seed uint64, steps int, fsys vfs.FS, points ...string) {
	t.Helper()
	compare(t, seed, steps, fsys, newModel(points), func(op string) bool { return op != "resolve" && op != "mkdirall" })
}

// A stepper does what lines of scripts say.
type stepper interface {
	step(words []string) (string, error)
}

// compare does random things, of those that knows says that y knows.
func compare(t *testing.T, seed uint64, steps int, fsys vfs.FS, y stepper, knows func(op string) bool) {
	t.Helper()
	r := chooser{rand.New(rand.NewPCG(seed, 0))}
	x := &machine{t: t, fsys: fsys, files: map[string]afero.File{}}
	history := make([]string, 0, steps)
	both := func(words ...string) string {
		got, err := x.step(words)
		want, wantErr := y.step(words)
		if outcome(want, wantErr) != outcome(got, err) {
			t.Logf("seed %d:\n%s", seed, strings.Join(history[max(0, len(history)-300):], "\n"))
		}
		require.Equal(t, outcome(want, wantErr), outcome(got, err), strings.Join(words, " "))
		return got
	}
	for range steps {
		words := r.line()
		if !knows(words[0]) {
			continue
		}
		history = append(history, strings.Join(words, " "))
		both(words...)
	}
	for dirs := []string{""}; len(dirs) > 0; { // what there is in the end
		dir := dirs[0]
		dirs = dirs[1:]
		for entry := range strings.FieldsSeq(both("ls", dir+"/")) {
			name := dir + "/" + entry[:1]
			both("lstat", name, "mode", "size", "links")
			switch entry[1:] {
			case "":
				both("cat", name)
			case "L":
				both("readlink", name)
			case "d":
				if len(name) < 2000 {
					dirs = append(dirs, name)
				}
			}
		}
	}
}

func outcome(s string, err error) string {
	if err == nil {
		return s
	}
	return s + " " + errnoName(err)
}

// A chooser makes lines of scripts.
type chooser struct{ *rand.Rand }

// name returns one of few names, often one with something to resolve in it.
func (r chooser) name() string {
	var b strings.Builder
	for range 1 + r.IntN(4) {
		b.WriteString("/" + []string{"a", "b", "c", "a", "b", "..", ".", "l"}[r.IntN(8)])
	}
	if r.IntN(10) == 0 {
		b.WriteByte('/')
	}
	return b.String()
}

// target returns a text for a symbolic link.
func (r chooser) target() string {
	name := r.name()
	if r.IntN(2) == 0 {
		return name[1:]
	}
	return name
}

// content changes the content of a file: seldom far behind its beginning.
func (r chooser) content() []string {
	name, text, off := r.name(), strconv.Itoa(r.IntN(1000)), r.IntN(50)
	if r.IntN(10) == 0 {
		off = r.IntN(200_000)
	}
	switch r.IntN(5) {
	case 0:
		return []string{"append", name, text}
	case 1:
		return []string{"cut", name, strconv.Itoa(off)}
	case 2:
		return []string{"poke", name, strconv.Itoa(off), text}
	}
	return []string{"write", name, text}
}

func (r chooser) line() []string {
	switch r.IntN(20) {
	case 0, 1, 2:
		return []string{"mkdir", r.name(), "755"}
	case 3:
		return []string{"mkdirall", r.name()}
	case 4, 5:
		return r.content()
	case 6, 7, 8:
		return []string{"mv", r.name(), r.name()}
	case 9:
		return []string{"ln", r.name(), r.name()}
	case 10, 11:
		return []string{"symlink", r.target(), r.name()}
	case 12, 13:
		return []string{"rm", r.name()}
	case 14:
		if r.IntN(4) == 0 {
			return []string{"rmall", r.name()}
		}
		return []string{"chmod", []string{"644", "600", "755"}[r.IntN(3)], r.name()}
	case 15:
		return []string{"cat", r.name()}
	case 16:
		return []string{"ls", r.name()}
	case 17:
		return []string{"readlink", r.name()}
	case 18:
		return []string{[]string{"stat", "lstat"}[r.IntN(2)], r.name(), "mode", "size", "links"}
	}
	return []string{"resolve", r.name(), []string{"", "follow"}[r.IntN(2)]}
}
