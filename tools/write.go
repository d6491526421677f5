package tools

import (
	"context"
	"fmt"
	"io/fs"
	"sync"

	"github.com/limpet-sh/limpet/vfs"
)

// writeBytes is how much write_file takes.
const writeBytes = 64_000

type writeInput struct {
	Path    string `json:"path" jsonschema:"The file: absolute, relative to the workspace, or of the home directory with ~"`
	Content string `json:"content" jsonschema:"All that the file is to hold, at most 64000 bytes"`
}

type writeOutput struct {
	Path         string `json:"path"`
	BytesWritten int    `json:"bytes_written"`
	FileExisted  bool   `json:"file_existed"`
}

// Text says what was done.
func (o writeOutput) Text() string {
	verb := "created"
	if o.FileExisted {
		verb = "replaced"
	}
	return fmt.Sprintf("%s %s: %d bytes", verb, o.Path, o.BytesWritten)
}

var writeFile = define(Tool{
	Name: "file_system.write_file", Flat: "write_file", Title: "Write a file", Destructive: true, Idempotent: true,
	Description: "Writes a file, at most 64000 bytes, exactly as given. Makes the directories that it is in. Replaces a file that exists, whose mode stays.",
	needs:       1,
}, func(ctx context.Context, b *Toolbox, _ Call, in writeInput) (writeOutput, error) {
	if len(in.Content) > writeBytes {
		return writeOutput{}, failf("Content exceeds %d bytes limit", writeBytes)
	}
	e, err := b.writable(ctx, in.Path)
	if err != nil {
		return writeOutput{}, err
	}
	if err := b.put(ctx, e.path, []byte(in.Content)); err != nil {
		return writeOutput{}, b.fileError(in.Path, err)
	}
	return writeOutput{Path: e.path, BytesWritten: len(in.Content), FileExisted: e.kind == file}, nil
})

// put replaces a file, and remembers what it is now.
func (b *Toolbox) put(ctx context.Context, name string, data []byte) error {
	if err := b.store.replace(ctx, name, data); err != nil {
		return err
	}
	if e, err := b.store.entry(ctx, name); err == nil {
		b.seen.note(e)
	}
	return nil
}

// reason returns the error of a file without the name, which the caller says.
func reason(err error) string {
	if e, ok := err.(*fs.PathError); ok {
		return vfs.ErrnoOf(e).Error()
	}
	return err.Error()
}

// sightings are how files were when they were last read or written here. The zero
// value is ready for use.
type sightings struct {
	mu   sync.Mutex
	list map[string]string
}

func (s *sightings) note(e entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list == nil {
		s.list = map[string]string{}
	}
	s.list[e.path] = e.stamp()
}

// stale reports whether a file has changed since it was noted.
func (s *sightings) stale(e entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, ok := s.list[e.path]
	return ok && was != e.stamp()
}

func (e entry) stamp() string { return fmt.Sprint(e.changed, " ", e.size) }
