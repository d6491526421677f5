package tools

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
)

// locate finds what is at a name that a model has given: absolute, of the user's
// home where it begins with ~, or else in the workspace. It must be below a root;
// or, to be read, where large results are.
func (b *Toolbox) locate(ctx context.Context, name string, reading bool) (entry, error) {
	abs, err := b.absolute(ctx, name)
	if err != nil {
		return entry{}, err
	}
	e, err := b.store.entry(ctx, abs)
	if err != nil {
		return entry{}, b.fileError(name, err)
	}
	roots := slices.Clone(b.cfg.Roots)
	if reading {
		roots = append(roots, b.spillDir())
	}
	for _, root := range roots {
		r, err := b.store.entry(ctx, path.Clean(root)+"/.")
		if err != nil {
			return entry{}, b.fileError(root, err)
		}
		if e.path == r.path || strings.HasPrefix(e.path, strings.TrimSuffix(r.path, "/")+"/") {
			return e, nil
		}
	}
	return entry{}, failf("Path is outside the workspace: %s", name)
}

// absolute makes an absolute name of one that a model has given.
func (b *Toolbox) absolute(ctx context.Context, name string) (string, error) {
	switch {
	case strings.TrimSpace(name) == "":
		return "", failf("Path cannot be empty")
	case strings.Contains(name, "\x00"):
		return "", failf("Path contains a NUL byte: %q", name)
	case name == "~" || strings.HasPrefix(name, "~/"):
		home, err := b.home(ctx)
		if err != nil {
			return "", err
		}
		return home + name[1:], nil
	case strings.HasPrefix(name, "/"):
		return name, nil
	}
	return strings.TrimSuffix(b.sandbox.Workspace(), "/") + "/" + name, nil
}

// regular returns what is at a name that must be of a regular file.
func (b *Toolbox) regular(ctx context.Context, name string, reading bool) (entry, error) {
	e, err := b.locate(ctx, name, reading)
	if err != nil {
		return e, err
	}
	switch {
	case e.kind == missing:
		return e, failf("File not found at: %s", name)
	case e.kind == directory:
		return e, failf("Path is a directory, not a file: %s", name)
	case e.kind != file || strings.HasSuffix(name, "/"):
		return e, failf("Path is not a regular file: %s", name)
	}
	return e, nil
}

// writable returns where a file of that name is to be written.
func (b *Toolbox) writable(ctx context.Context, name string) (entry, error) {
	e, err := b.locate(ctx, name, false)
	switch {
	case err != nil:
		return e, err
	case e.kind == directory || e.kind == missing && strings.HasSuffix(name, "/"):
		return e, failf("Path is a directory, not a file: %s", name)
	case e.kind == special || strings.HasSuffix(name, "/"):
		return e, failf("Path is not a regular file: %s", name)
	}
	return e, nil
}

// fileError puts an error of the file system into words.
func (b *Toolbox) fileError(name string, err error) error {
	var own *Error
	if errors.As(err, &own) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return failf("%s: %s", name, reason(err))
}
