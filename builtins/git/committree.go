package git

import (
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// commitTree is git commit-tree.
func (g *git) commitTree(args []string) error {
	var parents, messages []string
	file := ""
	f := g.options("<tree> [(-p <parent>)...] [-m <message>] [-F <file>]")
	f.strings(&parents, "p")
	f.strings(&messages, "m")
	f.string(&file, "F")
	args, _, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	if len(args) != 1 {
		return fatal("must give exactly one tree")
	}
	h, err := g.resolve(args[0])
	if err != nil {
		return fatalf("not a valid object name %s", args[0])
	}
	n := &commit{}
	if n.tree, err = g.treeOf(h); err != nil {
		return err
	}
	for _, p := range parents {
		h, err := g.commitOf(p)
		if err != nil {
			return fatalf("not a valid object name %s", p)
		}
		n.parents = append(n.parents, h)
	}
	for i, m := range messages {
		if i > 0 {
			n.message += "\n"
		}
		n.message += strings.TrimRight(m, "\n") + "\n"
	}
	if len(messages) == 0 {
		if file == "" {
			file = "-"
		}
		if n.message, err = g.inputFile(file); err != nil {
			return fatalf("git commit-tree: failed to open '%s': %v", file, vfs.ErrnoOf(err))
		}
	}
	if n.author, err = g.author(); err != nil {
		return err
	}
	if n.committer, err = g.committer(); err != nil {
		return err
	}
	if n.hash, err = g.objects.write("commit", n.format()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(g.out, n.hash)
	return err
}

// writeTree is git write-tree.
func (g *git) writeTree(args []string) error {
	if _, _, err := g.options("").parse(args); err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	x, err := g.readIndex()
	if err != nil {
		return err
	}
	h, err := g.writeTrees(x)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(g.out, h)
	return err
}
