package search

import (
	"io/fs"
	"slices"
	"time"

	"github.com/limpet-sh/limpet/vfs"
)

// An rgFound is a file that is searched when all are known, because --sort asks
// for an order.
type rgFound struct {
	path, shown string
	time        time.Time
}

// keep notes a file for later.
func (r *ripgrep) keep(path, shown string, info fs.FileInfo) error {
	f := rgFound{path: path, shown: shown}
	if info != nil {
		st := vfs.StatOf(info)
		switch r.sortBy {
		case "modified":
			f.time = info.ModTime()
		case "accessed":
			f.time = st.Atime
		case "created":
			f.time = st.Birth
		}
	}
	r.found = append(r.found, f)
	return r.Alloc(len(path) + 96)
}

// searchFound searches the files that were kept, in the order asked for.
func (r *ripgrep) searchFound() error {
	slices.SortStableFunc(r.found, func(a, b rgFound) int { return a.time.Compare(b.time) })
	if r.sortReverse {
		slices.Reverse(r.found)
	}
	for _, f := range r.found {
		r.Free(len(f.path) + 96)
		if err := r.file(f.path, f.shown); err != nil {
			return err
		}
	}
	return nil
}
