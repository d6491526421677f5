package git

import (
	"fmt"
	"slices"
	"strings"
)

// A lsFilesRun is one run of git ls-files.
type lsFilesRun struct {
	*git
	stage, others, deleted, modified, cached, ignored bool
	exclude, nul, unmatch, full, directory            bool
	patterns                                          []string
	x                                                 *index
	paths                                             *pathspec
	ign                                               *ignorer
}

// lsFiles is git ls-files.
func (g *git) lsFiles(args []string) error {
	l := &lsFilesRun{git: g}
	f := g.options("[<options>] [<file>...]")
	f.bool(&l.stage, "s,stage")
	f.bool(&l.others, "o,others")
	f.bool(&l.deleted, "d,deleted")
	f.bool(&l.modified, "m,modified")
	f.bool(&l.cached, "c,cached")
	f.bool(&l.ignored, "i,ignored")
	f.bool(&l.exclude, "exclude-standard")
	f.bool(&l.nul, "z")
	f.bool(&l.unmatch, "error-unmatch")
	f.bool(&l.full, "full-name")
	f.bool(&l.directory, "directory")
	f.strings(&l.patterns, "x,exclude")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	names := append(args, rest...)
	if len(names) == 0 && g.repo.prefix != "" {
		names = []string{"."}
	}
	if l.paths, err = g.pathspec(names); err != nil {
		return err
	}
	if l.x, err = g.readIndex(); err != nil {
		return err
	}
	l.ign = &ignorer{g: g, off: true}
	if l.exclude {
		l.ign = g.ignorer()
	}
	for _, p := range l.patterns {
		if r, ok := l.ign.rule(p, ""); ok {
			l.ign.first = append(l.ign.first, r)
		}
	}
	if l.others {
		if err := l.listOthers(); err != nil {
			return err
		}
	}
	if err := l.listIndex(); err != nil {
		return err
	}
	if name, ok := l.paths.unused(); ok && l.unmatch {
		return mistakef("pathspec '%s' did not match any file(s) known to git\nDid you forget to 'git add'?", name)
	}
	return nil
}

// put prints a name.
func (l *lsFilesRun) put(name string) {
	switch {
	case l.nul && l.full:
		l.out.WriteString(name + "\x00")
	case l.nul:
		l.out.WriteString(strings.TrimPrefix(name, l.repo.prefix) + "\x00")
	case l.full:
		l.out.WriteString(l.quotePath(name) + "\n")
	default:
		l.out.WriteString(l.shown(name) + "\n")
	}
}

// listOthers lists the files that are not in the index.
func (l *lsFilesRun) listOthers() error {
	u := &untracked{g: l.git, x: l.x, paths: l.paths, ign: l.ign, whole: l.directory, ignored: l.ignored}
	find := func() error { return u.walk("", 0) }
	if !l.exclude && len(l.patterns) == 0 {
		find = func() error { return u.plain("") }
	}
	if err := find(); err != nil {
		return err
	}
	list := u.list
	if l.ignored {
		list = u.ignoredList
	}
	slices.Sort(list)
	for _, name := range list {
		l.put(name)
	}
	return nil
}

// listIndex lists the files of the index that are asked for.
func (l *lsFilesRun) listIndex() error {
	trust := l.configBool("core.filemode", true)
	all := l.cached || l.stage || !l.others && !l.deleted && !l.modified
	for _, e := range l.x.entries {
		if !l.paths.match(e.path) {
			continue
		}
		if err := l.Poll(1); err != nil {
			return err
		}
		if l.ignored && !l.others {
			if _, ok := l.ign.ignored(e.path, false); !ok {
				continue
			}
		}
		if all {
			if l.stage {
				fmt.Fprintf(l.out, "%06o %s %d\t", e.mode, e.hash, e.stage)
			}
			l.put(e.path)
		}
		if !l.deleted && !l.modified {
			continue
		}
		w, ok, err := l.workFile(l.x, e, trust)
		if err != nil {
			return err
		}
		if l.deleted && !ok {
			l.put(e.path)
		}
		if l.modified && (!ok || w.hash != e.hash || w.mode != e.mode) {
			l.put(e.path)
		}
	}
	return nil
}
