package git

import (
	"bytes"
	"cmp"
	"slices"
)

// A file is a file of a tree, of the index or of the working tree.
type file struct {
	path string
	mode uint32
	hash hash
	work bool // of the working tree; its content is there and not in the store
}

// flatten returns the files of a tree, by path.
func (g *git) flatten(tree hash) ([]file, error) {
	var list []file
	var walk func(tree hash, prefix string, depth int) error
	walk = func(tree hash, prefix string, depth int) error {
		if depth > 500 {
			return fatal("exceeded maximum tree depth")
		}
		entries, err := g.objects.tree(tree)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.mode == modeDir {
				if err := walk(e.hash, prefix+e.name+"/", depth+1); err != nil {
					return err
				}
				continue
			}
			if err := g.hold(len(prefix) + len(e.name) + 64); err != nil {
				return err
			}
			list = append(list, file{path: prefix + e.name, mode: e.mode, hash: e.hash})
		}
		return nil
	}
	if tree == (hash{}) {
		return nil, nil
	}
	if err := walk(tree, "", 0); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b file) int { return cmp.Compare(a.path, b.path) })
	return list, nil
}

// files returns the files of the index.
func (x *index) files() []file {
	list := make([]file, 0, len(x.entries))
	for _, e := range x.entries {
		if e.stage == 0 && !e.intent {
			list = append(list, file{path: e.path, mode: e.mode, hash: e.hash})
		}
	}
	return list
}

// data returns the content of a file. The caller frees its memory.
func (g *git) data(f file) ([]byte, error) {
	switch {
	case f.mode == 0:
		return nil, nil
	case f.mode == modeGitlink:
		text := "Subproject commit " + f.hash.String() + "\n"
		return []byte(text), g.Alloc(len(text))
	case f.work:
		return g.workData(f.path)
	}
	return g.objects.readKind(f.hash, "blob")
}

// A change is a file that differs between two sides. The mode of a side is 0 where
// the file is not there.
type change struct {
	status   byte // A, D, M, T, R or C
	old, new file
	score    int // of 100: how similar the sides of a rename are
}

// name returns the path that a change is listed by.
func (c *change) name() string {
	if c.new.mode != 0 {
		return c.new.path
	}
	return c.old.path
}

// compareFiles returns the changes between two lists of files.
func compareFiles(old, new []file) (list []change) {
	i, j := 0, 0
	for i < len(old) || j < len(new) {
		order := 0
		switch {
		case i == len(old):
			order = 1
		case j == len(new):
			order = -1
		default:
			order = cmp.Compare(old[i].path, new[j].path)
		}
		switch {
		case order < 0:
			list = append(list, change{status: 'D', old: old[i]})
			i++
		case order > 0:
			list = append(list, change{status: 'A', new: new[j]})
			j++
		default:
			if a, b := old[i], new[j]; a.mode != b.mode || a.hash != b.hash {
				status := byte('M')
				if a.mode&0o170000 != b.mode&0o170000 {
					status = 'T'
				}
				list = append(list, change{status: status, old: a, new: b})
			}
			i++
			j++
		}
	}
	return list
}

// isBinary reports whether data is not text, by its beginning.
func isBinary(data []byte) bool { return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 }

// filter returns the changes whose paths some pathspecs choose.
func (p *pathspec) filter(list []change) []change {
	if p.all() {
		return list
	}
	var out []change
	for _, c := range list {
		if c.old.mode != 0 && p.match(c.old.path) || c.new.mode != 0 && p.match(c.new.path) {
			out = append(out, c)
		}
	}
	return out
}

// filterFiles returns the files that pathspecs choose.
func (p *pathspec) filterFiles(list []file) []file {
	if p.all() {
		return list
	}
	var out []file
	for _, f := range list {
		if p.match(f.path) {
			out = append(out, f)
		}
	}
	return out
}
