package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/hostdir"
	"golang.org/x/term"
)

// workspace is where --dir and --dir-rw show their directory.
const workspace = "/workspace"

// A mountMode says what becomes of writes to a host directory.
type mountMode string

const (
	readOnly    mountMode = "ro"  // they are refused
	copyOnWrite mountMode = "cow" // they stay in the sandbox
	readWrite   mountMode = "rw"  // they go to the host
)

// hostMounts opens the host directories that the flags name, with the bounds of o for
// what stays in the sandbox.
func (f *sandboxFlags) hostMounts(o vfs.MemOptions) (list []limpet.Mount, err error) {
	add := func(host, at string, mode mountMode) {
		if err != nil {
			return
		}
		var m limpet.Mount
		if m, err = f.openMount(host, at, mode, o); err == nil {
			list = append(list, m)
		}
	}
	if f.dir != "" && f.dirRW != "" {
		return nil, errSamePlace
	}
	switch {
	case f.dir != "" && f.watched:
		if f.dryRun, err = f.newDryRun(o); err == nil {
			list = append(list, limpet.Mount{Path: workspace, FS: f.dryRun.after})
		}
	case f.dir != "":
		add(f.dir, workspace, copyOnWrite)
	}
	if f.dirRW != "" {
		add(f.dirRW, workspace, readWrite)
	}
	for _, spec := range f.mounts {
		host, at, mode, perr := parseMount(spec)
		if perr != nil {
			return nil, perr
		}
		add(host, at, mode)
	}
	return list, err
}

// parseMount parses HOST:PATH[:MODE].
func parseMount(spec string) (host, at string, mode mountMode, err error) {
	mode = readOnly
	rest := spec
	if i := strings.LastIndexByte(rest, ':'); i >= 0 {
		switch m := mountMode(rest[i+1:]); m {
		case readOnly, copyOnWrite, readWrite:
			rest, mode = rest[:i], m
		}
	}
	i := strings.LastIndexByte(rest, ':')
	if i <= 0 || !path.IsAbs(rest[i+1:]) {
		return "", "", "", fmt.Errorf("--mount %q: want HOST:PATH, HOST:PATH:ro, HOST:PATH:cow or HOST:PATH:rw, with an absolute PATH", spec)
	}
	return rest[:i], path.Clean(rest[i+1:]), mode, nil
}

// openMount opens a host directory. Its files appear owned by the user of the
// sandbox.
func (f *sandboxFlags) openMount(host, at string, mode mountMode, o vfs.MemOptions) (limpet.Mount, error) {
	dir, err := f.openHost(host, hostdir.Options{ReadOnly: mode != readWrite, FileSize: o.FileSize, Quota: o.Quota})
	if err != nil {
		return limpet.Mount{}, err
	}
	if mode != copyOnWrite {
		return limpet.Mount{Path: at, FS: dir}, nil
	}
	top, err := vfs.NewOverlay(dir, o)
	return limpet.Mount{Path: at, FS: top}, err
}

func (f *sandboxFlags) openHost(host string, o hostdir.Options) (*hostdir.Dir, error) {
	info, err := os.Stat(host)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", host)
	}
	if err != nil {
		return nil, err
	}
	o.UID, o.GID, o.Sensitive = 1000, 1000, f.sensitive
	dir, err := hostdir.Open(host, o)
	if _, ok := errors.AsType[*hostdir.SensitiveError](err); ok {
		err = fmt.Errorf("%w (--sensitive %s)", err, host)
	}
	return dir, err
}

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
