package git

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
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

// workFiles returns the files of the working tree that are in the index.
func (g *git) workFiles(x *index) ([]file, error) {
	trust := g.configBool("core.filemode", true)
	var list []file
	for _, e := range x.entries {
		if e.stage > 1 {
			continue
		}
		if err := g.Poll(1); err != nil {
			return nil, err
		}
		f, ok, err := g.workFile(x, e, trust)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, f)
		}
	}
	return list, nil
}

// workFile returns the file in the working tree that an entry of the index is of.
func (g *git) workFile(x *index, e *indexEntry, trust bool) (file, bool, error) {
	if e.mode == modeGitlink || e.assume {
		return file{path: e.path, mode: e.mode, hash: e.hash}, true, nil
	}
	info, err := g.FS.Lstat(g.full(e.path))
	if err != nil || modeOf(info) == 0 {
		return file{}, false, nil
	}
	f := file{path: e.path, mode: modeOf(info), hash: e.hash, work: true}
	if !trust && f.mode != modeLink && e.mode != modeLink {
		f.mode = e.mode
	}
	if x.fresh(e, info) && f.mode == e.mode {
		f.work = false
		return f, true, nil
	}
	data, err := g.workData(e.path)
	if err != nil {
		return file{}, false, err
	}
	defer g.Free(len(data))
	f.hash = hashOf("blob", data)
	return f, true, nil
}

// workData returns the content that a file of the working tree has as a blob. The
// caller frees its memory.
func (g *git) workData(name string) ([]byte, error) {
	full := g.full(name)
	info, err := g.FS.Lstat(full)
	if err != nil {
		return nil, fatalf("failed to read %s: %v", name, vfs.ErrnoOf(err))
	}
	if modeOf(info) == modeLink {
		text, err := g.FS.Readlink(full)
		if err == nil {
			err = g.Alloc(len(text))
		}
		return []byte(text), err
	}
	if err := g.Poll(1 + int(info.Size()>>12)); err != nil {
		return nil, err
	}
	if err := g.Alloc(int(info.Size())); err != nil {
		return nil, err
	}
	data, err := vfs.ReadFile(g.FS, full)
	if err != nil {
		g.Free(int(info.Size()))
		return nil, mistakef("open(\"%s\"): %v", name, vfs.ErrnoOf(err))
	}
	g.Free(int(info.Size()) - len(data))
	return data, nil
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

// maxScore is the similarity of files that are equal.
const maxScore = 60000

// renames finds, among the changes, files that were moved: those that are at least
// half the same.
func (g *git) renames(list []change) ([]change, error) {
	var gone, come []int
	for i, c := range list {
		switch c.status {
		case 'D':
			gone = append(gone, i)
		case 'A':
			come = append(come, i)
		}
	}
	if len(gone) == 0 || len(come) == 0 {
		return list, nil
	}
	from := map[int]int{} // by the index of what was added
	score := map[int]int{}
	used := map[int]bool{}
	pair := func(d, a, s int) { from[a], score[a], used[d] = d, s, true }
	for _, a := range come {
		best := -1
		for _, d := range gone {
			if used[d] || list[d].old.hash != list[a].new.hash || list[d].old.mode&0o170000 != list[a].new.mode&0o170000 || isEmptyBlob(list[d].old.hash) {
				continue
			}
			if best < 0 || path.Base(list[d].old.path) == path.Base(list[a].new.path) && path.Base(list[best].old.path) != path.Base(list[a].new.path) {
				best = d
			}
		}
		if best >= 0 {
			pair(best, a, maxScore)
		}
	}
	if err := g.similar(list, gone, come, used, from, pair); err != nil {
		return nil, err
	}
	var out []change
	for i, c := range list {
		if used[i] {
			continue
		}
		if d, ok := from[i]; ok {
			c.status, c.old, c.score = 'R', list[d].old, score[i]*100/maxScore
		}
		out = append(out, c)
	}
	return out, nil
}

// isEmptyBlob reports whether a file is empty: such are not found to be renamed.
func isEmptyBlob(h hash) bool { return h == hashOf("blob", nil) }

// similar finds files that were moved and changed.
func (g *git) similar(list []change, gone, come []int, used map[int]bool, from map[int]int, pair func(d, a, s int)) error {
	type candidate struct{ d, a, score, base int }
	var all []candidate
	prints := map[int]*fingerprint{}
	held := 0
	defer func() { g.Free(held) }()
	print := func(i int, f file) (*fingerprint, error) {
		if p := prints[i]; p != nil {
			return p, nil
		}
		data, err := g.data(f)
		if err != nil {
			return nil, err
		}
		defer g.Free(len(data))
		if err := g.Alloc(len(data) + 64); err != nil {
			return nil, err
		}
		held += len(data) + 64
		prints[i] = fingerprintOf(data)
		return prints[i], nil
	}
	if len(gone)*len(come) > 1000*1000 {
		return nil
	}
	for _, a := range come {
		if _, done := from[a]; done || list[a].new.mode == modeLink || list[a].new.mode == modeGitlink {
			continue
		}
		for _, d := range gone {
			if used[d] || list[d].old.mode == modeLink || list[d].old.mode == modeGitlink {
				continue
			}
			x, err := print(d, list[d].old)
			if err != nil {
				return err
			}
			y, err := print(a, list[a].new)
			if err != nil {
				return err
			}
			if err := g.Poll(1 + len(x.chunks)/16); err != nil {
				return err
			}
			if s := x.score(y); s >= maxScore/2 {
				base := 0
				if path.Base(list[d].old.path) == path.Base(list[a].new.path) {
					base = 1
				}
				all = append(all, candidate{d, a, s, base})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y candidate) int { return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(y.base, x.base)) })
	for _, c := range all {
		if _, done := from[c.a]; !done && !used[c.d] {
			pair(c.d, c.a, c.score)
		}
	}
	return nil
}

// A fingerprint says how many bytes of a file are in which of its lines.
type fingerprint struct {
	size   int
	chunks map[string]int
}

// fingerprintOf divides data into lines, of which long ones are several.
func fingerprintOf(data []byte) *fingerprint {
	f := &fingerprint{size: len(data), chunks: map[string]int{}}
	text := !isBinary(data)
	for len(data) > 0 {
		end := bytes.IndexByte(data[:min(len(data), 64)], '\n') + 1
		if end == 0 {
			end = min(len(data), 64)
		}
		chunk := data[:end]
		if text && end > 1 && chunk[end-1] == '\n' && chunk[end-2] == '\r' {
			chunk = append(bytes.Clone(chunk[:end-2]), '\n')
		}
		f.chunks[string(chunk)] += len(chunk)
		data = data[end:]
	}
	return f
}

// score returns how much of y is from x.
func (x *fingerprint) score(y *fingerprint) int {
	most, least := max(x.size, y.size), min(x.size, y.size)
	if most == 0 || least == 0 || most*(maxScore-maxScore/2) < (most-least)*maxScore {
		return 0
	}
	copied := 0
	for chunk, n := range x.chunks {
		copied += min(n, y.chunks[chunk])
	}
	return copied * maxScore / most
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

// displayRename returns the two names of a renamed file, with what they have in
// common written once.
func displayRename(old, new string) string {
	prefix := 0
	for i := 0; i < len(old) && i < len(new) && old[i] == new[i]; i++ {
		if old[i] == '/' {
			prefix = i + 1
		}
	}
	suffix := 0
	for i := 1; len(old)-i >= max(prefix-1, 0) && len(new)-i >= max(prefix-1, 0) && i <= len(old) && i <= len(new) && old[len(old)-i] == new[len(new)-i]; i++ {
		if old[len(old)-i] == '/' {
			suffix = i
		}
	}
	if prefix == 0 && suffix == 0 {
		return old + " => " + new
	}
	middle := func(name string) string {
		if end := len(name) - suffix; end > prefix {
			return name[prefix:end]
		}
		return ""
	}
	var b strings.Builder
	b.WriteString(old[:prefix] + "{" + middle(old) + " => " + middle(new) + "}" + old[len(old)-suffix:])
	return b.String()
}
