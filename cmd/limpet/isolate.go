package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/isolate"
	"github.com/limpet-sh/limpet/builtins/git"
	"github.com/limpet-sh/limpet/vfs/hostdir"
)

// openIsolated makes a shell in a process of its own.
func (f *sandboxFlags) openIsolated(ctx context.Context, env, secrets map[string]string, access limpet.Access, background bool) (limpet.Sandbox, error) {
	cfg := isolate.Config{Shell: limpet.Config{
		Env: env, Secrets: secrets, Access: access, Background: background, Grace: grace, Extra: git.Commands(),
	}}
	var err error
	if cfg.Shell.Limits, err = parseLimits(f.profile, f.limits); err != nil {
		return nil, err
	}
	if cfg.Shell.Network, err = f.network.policy(); err != nil {
		return nil, err
	}
	if cfg.Dirs, err = f.isolatedDirs(); err != nil {
		return nil, err
	}
	s, err := isolate.New(ctx, cfg)
	if e, ok := errors.AsType[*hostdir.SensitiveError](err); ok {
		return nil, fmt.Errorf("%w (--sensitive %s)", err, e.Dir)
	}
	return s, err
}

// isolatedDirs returns the host directories that the flags name.
func (f *sandboxFlags) isolatedDirs() (list []isolate.Dir, err error) {
	modes := map[mountMode]isolate.Mode{readOnly: isolate.ReadOnly, copyOnWrite: isolate.CopyOnWrite, readWrite: isolate.ReadWrite}
	add := func(host, at string, mode mountMode) {
		list = append(list, isolate.Dir{Host: host, Path: at, Mode: modes[mode], Sensitive: f.sensitive})
	}
	if f.dir != "" && f.dirRW != "" {
		return nil, errSamePlace
	}
	if f.dir != "" {
		add(f.dir, workspace, copyOnWrite)
	}
	if f.dirRW != "" {
		add(f.dirRW, workspace, readWrite)
	}
	for _, spec := range f.mounts {
		host, at, mode, err := parseMount(spec)
		if err != nil {
			return nil, err
		}
		add(host, at, mode)
	}
	return list, nil
}

var errSamePlace = errors.New("--dir and --dir-rw are for the same place: give one of them")

// examineIsolate reports whether a process of its own can be started.
func examineIsolate(ctx context.Context) finding {
	f := finding{backend: "isolate", note: "in a process of its own"}
	s, err := isolate.New(ctx, isolate.Config{})
	if err != nil {
		f.err = err
		return f
	}
	res, err := s.Exec(ctx, limpet.Request{Script: "echo works"})
	if err == nil && string(res.Stdout) != "works\n" {
		err = fmt.Errorf("status %d: %s", res.Status, res.Stderr)
	}
	f.err = errors.Join(err, s.Close())
	return f
}
