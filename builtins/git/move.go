package git

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// A transition is the way of the index and the working tree from one tree to
// another. What is changed locally and not touched by it stays.
type transition struct {
	*git
	x     *index
	verb  string // "checkout" or "merge", for messages
	force bool   // local changes are lost

	local, untracked []string // what would be lost
	update           []change
}

// advices end the messages about what would be lost.
var advices = map[string][2]string{
	"checkout": {"Please commit your changes or stash them before you switch branches.", "Please move or remove them before you switch branches."},
	"merge":    {"Please commit your changes or stash them before you merge.", "Please move or remove them before you merge."},
}

// run makes the transition, and writes the index.
func (t *transition) run(from, to hash) error {
	list, err := t.compareTrees(from, to)
	if err != nil {
		return err
	}
	for _, c := range list {
		if err := t.plan(c); err != nil {
			return err
		}
	}
	if err := t.refuse(); err != nil {
		return err
	}
	return t.apply()
}

// plan finds out whether a change can be made.
func (t *transition) plan(c change) error {
	name := c.name()
	e := t.x.get(name)
	same := func(e *indexEntry, f file) bool {
		if e == nil {
			return f.mode == 0
		}
		return e.hash == f.hash && e.mode == f.mode
	}
	if same(e, c.new) {
		if t.force {
			t.update = append(t.update, c)
		}
		return nil
	}
	t.update = append(t.update, c)
	if t.force {
		return nil
	}
	if !same(e, c.old) {
		t.local = append(t.local, name)
		return nil
	}
	if e == nil {
		return t.planNew(c)
	}
	f, ok, err := t.workFile(t.x, e, t.configBool("core.filemode", true))
	if err != nil {
		return err
	}
	if ok && (f.hash != e.hash || f.mode != e.mode) {
		t.local = append(t.local, name)
	}
	return nil
}

// planNew finds out whether a new file is in the way of one that is not tracked.
func (t *transition) planNew(c change) error {
	info, err := t.FS.Lstat(t.full(c.new.path))
	if err != nil {
		return nil
	}
	if info.IsDir() {
		if !t.x.hasDir(c.new.path) {
			entries, _ := t.FS.ReadDir(t.full(c.new.path))
			if len(entries) > 0 {
				t.untracked = append(t.untracked, c.new.path)
			}
		}
		return nil
	}
	data, err := t.workData(c.new.path)
	if err != nil {
		return err
	}
	defer t.Free(len(data))
	if hashOf("blob", data) != c.new.hash {
		t.untracked = append(t.untracked, c.new.path)
	}
	return nil
}

// refuse says what would be lost.
func (t *transition) refuse() error {
	advice := advices[t.verb]
	for i, group := range []struct {
		names []string
		what  string
	}{{t.local, "Your local changes to the following files"}, {t.untracked, "The following untracked working tree files"}} {
		if len(group.names) > 0 {
			slices.Sort(group.names)
			fmt.Fprintf(t.Stderr, "error: %s would be overwritten by %s:\n\t%s\n%s\n", group.what, t.verb, strings.Join(group.names, "\n\t"), advice[i])
		}
	}
	if len(t.local)+len(t.untracked) > 0 {
		fmt.Fprintln(t.Stderr, "Aborting")
		return exitStatus(1)
	}
	return nil
}

// apply makes the changes.
func (t *transition) apply() error {
	for _, c := range t.update {
		if c.new.mode == 0 {
			if err := t.removeWork(c.old.path); err != nil {
				return err
			}
			t.x.remove(c.old.path)
		}
	}
	for _, c := range t.update {
		if c.new.mode != 0 {
			if err := t.checkOut(t.x, c.new); err != nil {
				return err
			}
		}
	}
	return t.writeIndex(t.x)
}

// checkOut writes a file into the working tree and the index.
func (g *git) checkOut(x *index, f file) error {
	if err := g.Poll(1); err != nil {
		return err
	}
	info, err := g.writeWork(f)
	if err != nil {
		return err
	}
	e := &indexEntry{path: f.path, mode: f.mode, hash: f.hash}
	e.stamp(info)
	if err := g.hold(len(f.path) + 160); err != nil {
		return err
	}
	x.put(e)
	return nil
}

// resetTree makes the index, and with hard the working tree, what a tree has.
func (g *git) resetTree(x *index, tree hash, hard bool) error {
	list, err := g.flatten(tree)
	if err != nil {
		return err
	}
	wanted := map[string]file{}
	for _, f := range list {
		wanted[f.path] = f
	}
	for _, e := range slices.Clone(x.entries) {
		if _, ok := wanted[e.path]; ok {
			continue
		}
		if hard {
			if err := g.removeWork(e.path); err != nil {
				return err
			}
		}
		x.remove(e.path)
	}
	trust := g.configBool("core.filemode", true)
	for _, f := range list {
		if err := g.Poll(1); err != nil {
			return err
		}
		e := x.get(f.path)
		if e == nil || e.hash != f.hash || e.mode != f.mode || e.stage > 0 || e.intent {
			fresh := &indexEntry{path: f.path, mode: f.mode, hash: f.hash}
			x.put(fresh)
			e = fresh
		}
		if !hard {
			continue
		}
		work, ok, err := g.workFile(x, e, trust)
		if err != nil {
			return err
		}
		if !ok || work.hash != f.hash || work.mode != f.mode {
			if err := g.checkOut(x, f); err != nil {
				return err
			}
		} else if info, err := g.FS.Lstat(g.full(f.path)); err == nil {
			e.stamp(info)
		}
	}
	return nil
}

// exists reports whether there is a file of this name.
func (g *git) exists(name string) (fs.FileInfo, bool) {
	info, err := g.FS.Lstat(name)
	return info, err == nil
}
