package git

import (
	"slices"
	"strings"
)

// treeChanges returns what a commit changes against one of its parents.
func (g *git) treeChanges(c *commit, parent int) ([]change, error) {
	old := hash{}
	if parent < len(c.parents) {
		p, err := g.objects.commit(c.parents[parent])
		if err != nil {
			return nil, err
		}
		old = p.tree
	}
	return g.compareTrees(old, c.tree)
}

// compareTrees returns the changes from one tree to another. The zero hash is no
// tree.
func (g *git) compareTrees(old, new hash) ([]change, error) {
	if old == new {
		return nil, nil
	}
	var a, b []file
	var walk func(x, y hash, prefix string, depth int) error
	walk = func(x, y hash, prefix string, depth int) error {
		if depth > 500 {
			return fatal("exceeded maximum tree depth")
		}
		sides := [2]map[string]treeEntry{{}, {}}
		for i, h := range []hash{x, y} {
			if h == (hash{}) {
				continue
			}
			list, err := g.objects.tree(h)
			if err != nil {
				return err
			}
			for _, e := range list {
				sides[i][e.name] = e
			}
		}
		for i, out := range []*[]file{&a, &b} {
			for name, e := range sides[i] {
				o, ok := sides[1-i][name]
				if ok && o == e {
					continue
				}
				if e.mode != modeDir {
					*out = append(*out, file{path: prefix + name, mode: e.mode, hash: e.hash})
					continue
				}
				var pair [2]hash
				pair[i] = e.hash
				if ok && o.mode == modeDir {
					if i == 1 {
						continue // done from the other side
					}
					pair[1] = o.hash
				}
				if err := walk(pair[0], pair[1], prefix+name+"/", depth+1); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := walk(old, new, "", 0); err != nil {
		return nil, err
	}
	byPath := func(x, y file) int { return strings.Compare(x.path, y.path) }
	slices.SortFunc(a, byPath)
	slices.SortFunc(b, byPath)
	return compareFiles(a, b), nil
}
