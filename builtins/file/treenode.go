package file

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/version"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

// A treeNode is a file that tree lists.
type treeNode struct {
	name, path string
	info       fs.FileInfo
	target     string      // of a symbolic link
	targetInfo fs.FileInfo // nil where it leads nowhere
	isLink     bool
	isDir      bool // or a link to a directory
	size       int64
	problem    string
	children   []*treeNode
	parent     *treeNode
}

// treeNodeCost is what a treeNode costs, names aside.
const treeNodeCost = 320

// describe fills in the status of n.
func (t *treeLister) describe(n *treeNode, info fs.FileInfo) {
	n.info, n.size, n.isDir = info, info.Size(), info.IsDir()
	if !isLink(info) {
		return
	}
	n.isLink = true
	n.target, _ = t.c.FS.Readlink(n.path)
	if target, err := t.c.FS.Stat(n.path); err == nil {
		n.targetInfo, n.isDir = target, target.IsDir()
	}
}

// read reads what is below root, as far as the options want it.
func (t *treeLister) read(root *treeNode) error {
	dev := vfs.StatOf(root.info).Dev
	t.remember(root)
	var all []*treeNode // directories in the order in which they were read
	stack := []*treeNode{root}
	depths := []int{0}
	for len(stack) > 0 {
		n, depth := stack[len(stack)-1], depths[len(depths)-1]
		stack, depths = stack[:len(stack)-1], depths[:len(depths)-1]
		if !t.enters(n, root, depth, dev) {
			continue
		}
		if err := t.readDir(n); err != nil {
			return err
		}
		all = append(all, n)
		for i := len(n.children) - 1; i >= 0; i-- {
			if c := n.children[i]; c.isDir {
				stack, depths = append(stack, c), append(depths, depth+1)
			}
		}
	}
	// What lies deeper was read later.
	for i := len(all) - 1; i >= 0; i-- {
		n := all[i]
		if t.prune {
			n.children = slices.DeleteFunc(n.children, t.prunes)
		}
		if t.du {
			for _, c := range n.children {
				n.size += c.size
			}
		}
	}
	if t.du {
		t.bytes += root.size
	}
	return nil
}

// remember notes a directory, and reports whether it was noted before.
func (t *treeLister) remember(n *treeNode) bool {
	info := n.info
	if n.targetInfo != nil {
		info = n.targetInfo
	}
	id := identify(info)
	before := t.seen[id]
	t.seen[id] = id != identity{}
	return before
}

// enters reports whether the content of n is to be read.
func (t *treeLister) enters(n, root *treeNode, depth int, dev uint64) bool {
	if !n.isDir || n.problem != "" {
		return false
	}
	if n == root {
		return true
	}
	again := t.remember(n)
	info := n.info
	if n.targetInfo != nil {
		info = n.targetInfo
	}
	switch {
	case t.oneFS && vfs.StatOf(info).Dev != dev, n.isLink && !t.followLinks, t.level >= 0 && depth >= t.level:
		return false
	case n.isLink && again:
		n.problem = "recursive, not followed"
		return false
	}
	return true
}

// prunes reports whether --prune leaves out n.
func (t *treeLister) prunes(n *treeNode) bool {
	return n.isDir && (!n.isLink || t.followLinks) && len(n.children) == 0 && !(t.matchDirs && len(t.include) > 0 && matchesAny(t.include, n.name))
}

// readDir reads one directory.
func (t *treeLister) readDir(n *treeNode) error {
	entries, err := t.c.FS.ReadDir(n.path)
	if err != nil {
		n.problem, t.failed = "error opening dir", true
		return nil
	}
	free := n.parent != nil && t.matchDirs && len(t.include) > 0 && matchesAny(t.include, n.name)
	for _, e := range entries {
		if err := t.c.Poll(1); err != nil {
			return err
		}
		name := e.Name()
		if name[0] == '.' && !t.all || matchesAny(t.exclude, name) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue
		}
		c := &treeNode{name: name, path: walk.Join(n.path, name), parent: n}
		t.describe(c, info)
		if t.dirsOnly && !c.isDir || len(t.include) > 0 && !free && !c.isDir && !matchesAny(t.include, name) {
			continue
		}
		cost := treeNodeCost + len(c.path)
		if err := t.c.Alloc(cost); err != nil {
			return err
		}
		t.held += cost
		n.children = append(n.children, c)
	}
	if t.limit > 0 && len(n.children) > t.limit {
		n.problem = fmt.Sprintf("%d entries exceeds filelimit, not opening dir", len(n.children))
		n.children = nil
	}
	t.arrange(n.children)
	return nil
}

// arrange sorts the content of a directory.
func (t *treeLister) arrange(list []*treeNode) {
	if t.order == "none" {
		return
	}
	slices.SortStableFunc(list, func(a, b *treeNode) int {
		if a.isDir != b.isDir && t.top != "" {
			if a.isDir == (t.top == "dirs") {
				return -1
			}
			return 1
		}
		n := t.compare(a, b)
		if t.reverse {
			return -n
		}
		return n
	})
}

func (t *treeLister) compare(a, b *treeNode) (n int) {
	switch t.order {
	case "version":
		n = version.Compare([]byte(a.name), []byte(b.name))
	case "size":
		n = cmp.Compare(b.size, a.size)
	case "mtime":
		n = a.info.ModTime().Compare(b.info.ModTime())
	case "ctime":
		n = vfs.StatOf(a.info).Ctime.Compare(vfs.StatOf(b.info).Ctime)
	}
	if n == 0 {
		n = strings.Compare(a.name, b.name)
	}
	return n
}

// count adds n to the totals.
func (t *treeLister) count(n *treeNode) {
	switch {
	case n.info == nil:
	case n.isDir:
		t.dirs++
	default:
		t.files++
	}
}
