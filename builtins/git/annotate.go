package git

import (
	"bytes"
	"slices"
)

// annotate finds out where the lines of a file come from. With work, it is the
// file in the working tree.
func (g *git) annotate(h hash, name string, work bool) ([]blamed, error) {
	c, err := g.objects.commit(h)
	if err != nil {
		return nil, err
	}
	e, ok, err := g.findInTree(c.tree, name)
	if err != nil {
		return nil, err
	}
	if !ok || e.mode == modeDir {
		return nil, fatalf("no such path '%s' in HEAD", name)
	}
	data, err := g.objects.readKind(e.hash, "blob")
	if err != nil {
		return nil, err
	}
	var list []blamed
	current := splitLines(data)
	owner := make([]int, len(current)) // of each line of the commit's file: the line of the result
	if work && g.repo.tree != "" {
		now, err := g.workData(name)
		if err == nil && !bytes.Equal(now, data) {
			uncommitted := &commit{author: signature{name: "Not Committed Yet", email: "not.committed.yet", when: g.now()}, parents: []hash{h}}
			for i, text := range splitLines(now) {
				list = append(list, blamed{text, uncommitted, name, i + 1})
			}
			for i := range owner {
				owner[i] = -1
			}
			diff, err := g.diffLines(data, now, nil)
			if err != nil {
				return nil, err
			}
			eachSame(diff, func(old, new int) { owner[old] = new })
		}
		g.Free(len(now))
	}
	if list == nil {
		for i, text := range current {
			list = append(list, blamed{text, c, name, i + 1})
			owner[i] = i
		}
	}
	if err := g.hold(2*len(data) + 64*len(list)); err != nil {
		return nil, err
	}
	return list, g.passBlame(list, c, name, data, owner)
}

// eachSame calls do for each pair of lines that two texts have in common.
func eachSame(d *textDiff, do func(old, new int)) {
	i, j := 0, 0
	for _, c := range d.changes {
		for ; i < c.A; i, j = i+1, j+1 {
			do(i, j)
		}
		i, j = c.A+c.Del, c.B+c.Ins
	}
	for ; i < len(d.old) && j < len(d.new); i, j = i+1, j+1 {
		do(i, j)
	}
}

// A blameTask is a file of a commit whose lines may come from before.
type blameTask struct {
	commit *commit
	path   string
	data   []byte
	owner  []int // of each line: the line of the result, or -1
}

// passBlame hands lines on to the parents that have them too.
func (g *git) passBlame(list []blamed, c *commit, name string, data []byte, owner []int) error {
	todo := []blameTask{{c, name, data, owner}}
	for len(todo) > 0 {
		best := 0
		for i := range todo {
			if todo[i].commit.committer.when.After(todo[best].commit.committer.when) {
				best = i
			}
		}
		t := todo[best]
		todo = slices.Delete(todo, best, best+1)
		if err := g.Poll(1 + len(t.owner)); err != nil {
			return err
		}
		for i, o := range t.owner {
			if o >= 0 {
				list[o].commit, list[o].path, list[o].number = t.commit, t.path, i+1
			}
		}
		for k := range t.commit.parents {
			next, err := g.blameParent(&t, k)
			if err != nil {
				return err
			}
			if next != nil {
				todo = append(todo, *next)
			}
		}
		g.Free(len(t.data))
	}
	return nil
}

// blameParent takes from a task the lines that a parent has, and returns a task for
// them.
func (g *git) blameParent(t *blameTask, k int) (*blameTask, error) {
	p, err := g.objects.commit(t.commit.parents[k])
	if err != nil {
		return nil, err
	}
	e, ok, err := g.findInTree(p.tree, t.path)
	if err != nil {
		return nil, err
	}
	name := t.path
	if !ok {
		all, err := g.treeChanges(t.commit, k)
		if err != nil {
			return nil, err
		}
		if all, err = g.renames(all); err != nil {
			return nil, err
		}
		for _, c := range all {
			if c.status == 'R' && c.new.path == t.path {
				e, ok, name = treeEntry{mode: c.old.mode, hash: c.old.hash}, true, c.old.path
			}
		}
	}
	if !ok || e.mode == modeDir || e.mode == modeGitlink {
		return nil, nil
	}
	data, err := g.objects.readKind(e.hash, "blob")
	if err != nil {
		return nil, err
	}
	diff, err := g.diffLines(data, t.data, nil)
	if err != nil {
		return nil, err
	}
	next := &blameTask{commit: p, path: name, data: data, owner: make([]int, len(diff.old))}
	for i := range next.owner {
		next.owner[i] = -1
	}
	any := false
	eachSame(diff, func(old, new int) {
		if t.owner[new] >= 0 {
			next.owner[old], t.owner[new] = t.owner[new], -1
			any = true
		}
	})
	if !any {
		g.Free(len(data))
		return nil, nil
	}
	return next, nil
}
