package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet"
)

type patchInput struct {
	Patch string `json:"patch" arg:"length=1" jsonschema:"A patch from *** Begin Patch to *** End Patch, or a unified diff"`
}

type patchedFile struct {
	Path   string `json:"path"`
	Action string `json:"action" arg:"enum=added|updated|deleted|moved"`
	From   string `json:"from,omitempty" jsonschema:"Where a file that was moved has been"`
	Hunks  int    `json:"hunks"`
}

type patchOutput struct {
	Files []patchedFile `json:"files"`
	Notes []string      `json:"notes" jsonschema:"Hunks that were found elsewhere than the patch says"`
}

// Text is one line a file.
func (o patchOutput) Text() string {
	var b strings.Builder
	for _, f := range o.Files {
		if f.From != "" {
			fmt.Fprintf(&b, "%s %s to %s\n", f.Action, f.From, f.Path)
		} else {
			fmt.Fprintf(&b, "%s %s\n", f.Action, f.Path)
		}
	}
	for _, n := range o.Notes {
		fmt.Fprintf(&b, "[%s]\n", n)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

var applyPatch = define(Tool{
	Name: "file_system.apply_patch", Flat: "apply_patch", Title: "Apply a patch", Destructive: true, Extension: true,
	Description: "Applies a patch to files of the workspace: all of it or, where something does not fit, nothing. Either the form\n" +
		"*** Begin Patch\n*** Add File: NAME (then lines that begin with +)\n*** Delete File: NAME\n*** Update File: NAME (then *** Move to: NAME, if it is moved)\n" +
		"@@ a line before the change\n context\n-removed\n+added\n*** End Patch\nor a unified diff. Names are relative to the workspace. " +
		"The lines of a hunk must be in the file exactly, and only once unless a line behind @@ says where.",
	needs: limpet.AccessFiles,
}, func(ctx context.Context, b *Toolbox, _ Call, in patchInput) (patchOutput, error) {
	parse := parseUnified
	if strings.HasPrefix(strings.TrimSpace(in.Patch), "*** Begin Patch") {
		parse = parsePatch
	}
	list, err := parse(in.Patch)
	if err != nil {
		return patchOutput{}, failf("The patch is malformed: %v", err)
	}
	out := patchOutput{Files: []patchedFile{}, Notes: []string{}}
	var t transaction
	for _, f := range list {
		if err := b.plan(ctx, &t, f, &out); err != nil {
			return patchOutput{}, err
		}
	}
	if err := t.commit(ctx, b); err != nil {
		return patchOutput{}, err
	}
	return out, nil
})

// A filePatch is what a patch does to one file.
type filePatch struct {
	action string // added, updated, deleted or moved
	path   string
	to     string // where it is moved to
	hunks  []hunk
	exact  bool // the hunks say their lines
}

// plan works out what a file will be.
func (b *Toolbox) plan(ctx context.Context, t *transaction, f filePatch, out *patchOutput) error {
	for _, name := range []string{f.path, f.to} {
		if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") {
			return failf("Path must be relative to the workspace: %s", name)
		}
	}
	e, err := b.writable(ctx, f.path)
	if err != nil {
		return err
	}
	before, exists, err := t.current(ctx, b, e)
	if err != nil {
		return b.fileError(f.path, err)
	}
	done := patchedFile{Path: e.path, Action: f.action, Hunks: len(f.hunks)}
	switch {
	case f.action == "added" && exists:
		return failf("File already exists: %s", f.path)
	case f.action != "added" && !exists:
		return failf("File not found at: %s", f.path)
	}
	after, notes, err := patchText(before, f)
	if err != nil {
		return failf("%s: %v", f.path, err)
	}
	out.Notes = append(out.Notes, notes...)
	switch f.action {
	case "deleted":
		t.change(e.path, nil)
	case "moved":
		to, err := b.writable(ctx, f.to)
		if err != nil {
			return err
		}
		if _, taken, err := t.current(ctx, b, to); err != nil || taken {
			return errors.Join(err, failf("File already exists: %s", f.to))
		}
		done.From, done.Path = e.path, to.path
		t.change(to.path, after)
		t.change(e.path, nil)
	default:
		t.change(e.path, after)
	}
	out.Files = append(out.Files, done)
	return nil
}

// A transaction is changes that are made together. The zero value is ready for use.
type transaction struct {
	order []string
	now   map[string][]byte // what files are to be; nil for one that is to be removed
	was   map[string][]byte // what they were
}

// current returns what a file is, with the changes that are planned.
func (t *transaction) current(ctx context.Context, b *Toolbox, e entry) (data []byte, exists bool, err error) {
	if data, ok := t.now[e.path]; ok {
		return data, data != nil, nil
	}
	if t.was == nil {
		t.now, t.was = map[string][]byte{}, map[string][]byte{}
	}
	if e.kind == missing {
		t.was[e.path] = nil
		return nil, false, nil
	}
	data, err = collect(ctx, b.store, e.path, maximumEdit)
	if data == nil {
		data = []byte{}
	}
	t.was[e.path] = data
	return data, true, err
}

// change plans that a file becomes data, or is removed where that is nil.
func (t *transaction) change(name string, data []byte) {
	if _, ok := t.now[name]; !ok {
		t.order = append(t.order, name)
	}
	t.now[name] = data
}

// commit makes the changes, or else what was there again.
func (t *transaction) commit(ctx context.Context, b *Toolbox) error {
	for i, name := range t.order {
		err := t.make(ctx, b, name, t.now[name], t.was[name] != nil)
		if err == nil {
			continue
		}
		undo := context.WithoutCancel(ctx)
		errs := []error{b.fileError(name, err)}
		for _, done := range t.order[:i] {
			if err := t.make(undo, b, done, t.was[done], t.now[done] != nil); err != nil {
				errs = append(errs, fmt.Errorf("%s could not be undone: %w", done, err))
			}
		}
		return errors.Join(errs...)
	}
	return nil
}

func (t *transaction) make(ctx context.Context, b *Toolbox, name string, data []byte, exists bool) error {
	switch {
	case data != nil:
		return b.put(ctx, name, data)
	case exists:
		return b.store.remove(ctx, name)
	}
	return nil
}
