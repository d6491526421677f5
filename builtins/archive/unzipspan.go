package archive

import (
	"archive/zip"
	"cmp"
	"slices"
)

// A spanSet is a set of parts of a file, of which no two overlap, in their order.
type spanSet []span

type span struct{ start, end int64 }

// add adds a part, and reports false where some of it is there already.
func (s *spanSet) add(p span) bool {
	if p.start >= p.end {
		return true
	}
	list := *s
	i, _ := slices.BinarySearchFunc(list, p.start, func(old span, at int64) int { return cmp.Compare(old.end, at+1) })
	if i < len(list) && list[i].start < p.end {
		return false
	}
	*s = slices.Insert(list, i, p)
	return true
}

// dataSpan returns where the data of an entry lies. Entries that share data are how
// a small archive holds more than any compression could.
func dataSpan(f *zip.File) (span, error) {
	start, err := f.DataOffset()
	return span{start, start + int64(f.CompressedSize64)}, err
}
