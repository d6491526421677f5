package tools

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/vfs"
)

// Bounds of ls and glob.
const (
	listedEntries = 1000
	walkedEntries = 200_000
)

// An item is what a walk finds.
type item struct {
	name string // relative to the root of the walk
	kind kind
	link bool
	size int64
}

func (s *directStore) walk(ctx context.Context, dir string, deep bool, visit func(item) error) error {
	return walkDirect(ctx, s.view(), dir, "", deep, visit)
}

func walkDirect(ctx context.Context, v *vfs.View, dir, prefix string, deep bool, visit func(item) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	entries, err := v.ReadDir(dir)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		it := item{name: prefix + e.Name(), kind: special, link: e.Type()&fs.ModeSymlink != 0}
		if e.IsDir() {
			it.kind = directory
		} else if e.Type().IsRegular() {
			it.kind = file
		}
		if info, err := e.Info(); err == nil {
			it.size = info.Size()
		}
		if err := visit(it); err != nil {
			return err
		}
		if deep && it.kind == directory {
			if err := walkDirect(ctx, v, path.Join(dir, e.Name()), it.name+"/", deep, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// walk uses find, whose order is not that of names.
func (s *scriptStore) walk(ctx context.Context, dir string, deep bool, visit func(item) error) error {
	script := `exec find "$1" -mindepth 1 -maxdepth 1 -printf '%y\0%s\0%P\0'`
	if deep {
		script = `exec find "$1" -mindepth 1 -printf '%y\0%s\0%P\0'`
	}
	res, err := s.sandbox.Exec(ctx, limpet.Request{Script: script, Name: "find", Args: []string{dir}})
	switch {
	case err != nil:
		return err
	case res.Stopped != nil:
		return res.Stopped
	case res.Status != 0:
		return fmt.Errorf("%s", bytes.TrimSpace(res.Stderr))
	}
	parts := strings.Split(string(res.Stdout), "\x00")
	var items []item
	for ; len(parts) >= 3; parts = parts[3:] {
		it := item{name: parts[2], kind: special, link: parts[0] == "l"}
		switch parts[0] {
		case "d":
			it.kind = directory
		case "f":
			it.kind = file
		}
		it.size, _ = strconv.ParseInt(parts[1], 10, 64) // find prints numbers
		items = append(items, it)
	}
	slices.SortFunc(items, func(a, b item) int {
		return slices.Compare(strings.Split(a.name, "/"), strings.Split(b.name, "/"))
	})
	for _, it := range items {
		if err := visit(it); err != nil {
			return err
		}
	}
	return nil
}

type listInput struct {
	Path string `json:"path,omitempty" arg:"default=\".\"" jsonschema:"The directory; the workspace unless given"`
}

type listedEntry struct {
	Name string `json:"name"`
	Type string `json:"type" arg:"enum=file|directory|symlink|special"`
	Size int64  `json:"size_bytes"`
}

type listOutput struct {
	Path         string        `json:"path"`
	Entries      []listedEntry `json:"entries"`
	Total        int           `json:"total"`
	WasTruncated bool          `json:"was_truncated"`
}

// Text is one line an entry.
func (o listOutput) Text() string {
	var b strings.Builder
	for _, e := range o.Entries {
		switch e.Type {
		case "directory":
			fmt.Fprintf(&b, "%s/\n", e.Name)
		case "file":
			fmt.Fprintf(&b, "%s (%d bytes)\n", e.Name, e.Size)
		default:
			fmt.Fprintf(&b, "%s (%s)\n", e.Name, e.Type)
		}
	}
	if o.WasTruncated {
		fmt.Fprintf(&b, "[%d of %d entries; use glob or bash for the rest]\n", len(o.Entries), o.Total)
	}
	if o.Total == 0 {
		return "[" + o.Path + " is empty]"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

var list = define(Tool{
	Name: "file_system.ls", Flat: "ls", Title: "List a directory", ReadOnly: true, Idempotent: true, Extension: true,
	Description: "Lists a directory, hidden files too: names, types and sizes, at most 1000.",
	needs:       limpet.AccessFiles,
}, func(ctx context.Context, b *Toolbox, _ Call, in listInput) (listOutput, error) {
	e, err := b.dir(ctx, in.Path)
	if err != nil {
		return listOutput{}, err
	}
	out := listOutput{Path: e.path, Entries: []listedEntry{}}
	err = b.store.walk(ctx, e.path, false, func(it item) error {
		if out.Total++; len(out.Entries) < listedEntries {
			out.Entries = append(out.Entries, listedEntry{it.name, it.typeName(), it.size})
		}
		return nil
	})
	out.WasTruncated = out.Total > len(out.Entries)
	if err != nil {
		return out, b.fileError(in.Path, err)
	}
	return out, nil
})

func (it item) typeName() string {
	switch {
	case it.kind == directory:
		return "directory"
	case it.kind == file:
		return "file"
	case it.link:
		return "symlink"
	}
	return "special"
}

// dir returns what is at a name that must be of a directory, or of a link to one.
func (b *Toolbox) dir(ctx context.Context, name string) (entry, error) {
	e, err := b.locate(ctx, name, true)
	if err == nil && e.kind == special {
		e, err = b.locate(ctx, name+"/.", true)
	}
	switch {
	case err != nil:
		return e, err
	case e.kind == missing:
		return e, failf("Path does not exist: %s", name)
	case e.kind != directory:
		return e, failf("Path is not a directory: %s", name)
	}
	return e, nil
}
