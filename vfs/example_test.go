package vfs_test

import (
	"fmt"
	"testing/fstest"

	"github.com/limpet-sh/limpet/vfs"
)

// A fork costs the same whatever the file system holds. Afterwards the two have
// nothing to do with each other.
func ExampleMem_Fork() {
	m := vfs.NewMem(vfs.MemOptions{})
	vfs.WriteFile(m, "/notes", []byte("one"), 0o644)

	before := m.Fork()
	vfs.WriteFile(m, "/notes", []byte("two"), 0o644)
	m.Mkdir("/new", 0o755)

	text, _ := vfs.ReadFile(before, "/notes")
	fmt.Println(string(text))
	changes, _ := vfs.Changes(before, m)
	for _, c := range changes {
		fmt.Println(c.Name, c.Old != nil, c.New != nil)
	}
	// Output:
	// one
	// /new false true
	// /notes true true
}

// What is written to an overlay stays in it.
func ExampleNewOverlay() {
	lower := vfs.FromIOFS(fstest.MapFS{"src/main.go": {Data: []byte("package main\n"), Mode: 0o644}})
	m, err := vfs.NewOverlay(lower, vfs.MemOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m.Rename("/src", "/cmd")
	f, _ := m.OpenFile("/cmd/main.go", vfs.O_WRONLY|vfs.O_APPEND, 0)
	f.WriteString("func main() {}\n")
	f.Close()

	text, _ := vfs.ReadFile(m, "/cmd/main.go")
	fmt.Print(string(text))
	_, err = lower.Stat("/cmd")
	fmt.Println(err)
	// Output:
	// package main
	// func main() {}
	// stat /cmd: No such file or directory
}

// A mounted file system covers a directory. Links and ".." lead from one to the
// other.
func ExampleMount() {
	m := vfs.NewMount(vfs.NewMem(vfs.MemOptions{}))
	m.Mount("/data", vfs.FromIOFS(fstest.MapFS{"f": {Data: []byte("text")}}))
	m.SymlinkIfPossible("/data", "/link")

	text, _ := vfs.ReadFile(m, "/link/../data/f")
	fmt.Println(string(text))
	fmt.Println(m.Rename("/data/f", "/f"))
	fmt.Println(vfs.WriteFile(m, "/data/f", nil, 0o644))
	// Output:
	// text
	// rename /data/f /f: Invalid cross-device link
	// open /data/f: Read-only file system
}
