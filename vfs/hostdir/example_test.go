package hostdir_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/hostdir"
)

// A dry run: what is done to an overlay of a directory is looked at, and then done
// to the directory, all of it or nothing.
func ExampleDir_Apply() {
	name, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(name)
	dir, err := hostdir.Open(name, hostdir.Options{ReadOnly: true, Track: true})
	if err != nil {
		log.Fatal(err)
	}
	defer dir.Close()
	over, err := vfs.NewOverlay(dir, vfs.MemOptions{})
	if err != nil {
		log.Fatal(err)
	}
	before := over.Fork()
	vfs.WriteFile(over, "/notes", []byte("written in the sandbox\n"), 0o644) // a script, say

	changes, err := vfs.Changes(before, over)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range changes {
		fmt.Println(c.Name)
	}
	if err := dir.Apply(context.Background(), changes, over); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(name + "/notes")
	fmt.Print(string(text), err)
	// Output:
	// /notes
	// written in the sandbox
	// <nil>
}
