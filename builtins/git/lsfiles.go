package git

import (
	"fmt"
	"slices"
	"strings"
)

// lsFiles is git ls-files.
func (g *git) lsFiles(args []string) error {
	l := struct {
		stage, others, deleted, modified, cached, ignored, exclude, nul, unmatch, full, directory, tag bool
		patterns                                                                                       []string
	}{}
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
	paths, err := g.pathspec(names)
	if err != nil {
		return err
	}
	x, err := g.readIndex()
	if err != nil {
		return err
	}
	end := "\n"
	show := func(name string) string {
		switch {
		case l.nul && l.full:
			return name
		case l.nul:
			return strings.TrimPrefix(name, g.repo.prefix)
		case l.full:
			return g.quotePath(name)
		}
		return g.shown(name)
	}
	if l.nul {
		end = "\x00"
	}
	ign := g.ignorer()
	if !l.exclude {
		ign = &ignorer{g: g, off: true}
	}
	for _, p := range l.patterns {
		if r, ok := ign.rule(p, ""); ok {
			ign.first = append(ign.first, r)
		}
	}
	if l.others {
		u := &untracked{g: g, x: x, paths: paths, ign: ign, whole: l.directory, ignored: l.ignored}
		if !l.exclude && len(l.patterns) == 0 {
			err = u.plain("")
		} else {
			err = u.walk("", 0)
		}
		if err != nil {
			return err
		}
		list := u.list
		if l.ignored {
			list = u.ignoredList
		}
		slices.Sort(list)
		for _, name := range list {
			g.out.WriteString(show(name) + end)
		}
	}
	trust := g.configBool("core.filemode", true)
	for _, e := range x.entries {
		if !paths.match(e.path) {
			continue
		}
		if err := g.Poll(1); err != nil {
			return err
		}
		if l.cached || l.stage || !l.others && !l.deleted && !l.modified {
			if l.ignored && !l.others {
				if _, ok := ign.ignored(e.path, false); !ok {
					continue
				}
			}
			if l.stage {
				fmt.Fprintf(g.out, "%06o %s %d\t", e.mode, e.hash, e.stage)
			}
			g.out.WriteString(show(e.path) + end)
		}
		if !l.deleted && !l.modified {
			continue
		}
		w, ok, err := g.workFile(x, e, trust)
		if err != nil {
			return err
		}
		if l.deleted && !ok {
			g.out.WriteString(show(e.path) + end)
		}
		if l.modified && (!ok || w.hash != e.hash || w.mode != e.mode) {
			g.out.WriteString(show(e.path) + end)
		}
	}
	if name, ok := paths.unused(); ok && l.unmatch {
		return mistakef("pathspec '%s' did not match any file(s) known to git\nDid you forget to 'git add'?", name)
	}
	return nil
}
