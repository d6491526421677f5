package tools

import (
	"context"
	"io"

	"github.com/limpet-sh/limpet"
)

// A store is what the file tools do to the files of a sandbox. Names are absolute.
type store interface {
	// entry says what is at name. Symbolic links in the directories of name are
	// followed, and none at its end.
	entry(ctx context.Context, name string) (entry, error)

	// copy writes what a file holds to w. An error of w ends it, and is returned.
	copy(ctx context.Context, name string, w io.Writer) error

	// replace makes data the content of a file, at once: who reads the file sees the
	// old or the new. It makes directories that do not exist, and keeps the mode of a
	// file that does.
	replace(ctx context.Context, name string, data []byte) error

	// remove removes a file.
	remove(ctx context.Context, name string) error

	// walk visits what is in a directory, in the order of names, and below it where deep
	// is true. It follows no links.
	walk(ctx context.Context, dir string, deep bool, visit func(item) error) error

	// private makes a directory that others may not read, and those that it is in.
	private(ctx context.Context, dir string) error
}

// An entry is what there is at a name.
type entry struct {
	path    string // the name, with links in it resolved
	kind    kind
	size    int64
	changed string // when; to be compared
}

// A kind is what an entry is, as far as the file tools care.
type kind uint8

const (
	missing kind = iota
	file
	directory
	special // a link, a device, a pipe
)

// storeOf returns the files of a sandbox: directly if this process can reach them,
// by scripts if not.
func storeOf(s limpet.Sandbox) store {
	if fsys, err := limpet.FilesOf(s); err == nil {
		return &directStore{fsys}
	}
	return &scriptStore{s}
}

// collect returns what copy writes, up to limit bytes.
func collect(ctx context.Context, s store, name string, limit int64) ([]byte, error) {
	w := &limited{limit: limit}
	err := s.copy(ctx, name, w)
	return w.data, err
}

// limited keeps what is written to it.
type limited struct {
	data  []byte
	limit int64
}

// Write appends.
func (w *limited) Write(b []byte) (int, error) {
	if int64(len(w.data)+len(b)) > w.limit {
		return 0, errTooLarge
	}
	w.data = append(w.data, b...)
	return len(b), nil
}
