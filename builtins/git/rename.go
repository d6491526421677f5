package git

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
)

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
