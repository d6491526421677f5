package git

import (
	"fmt"
	"strings"
)

// rm is git rm.
func (g *git) rm(args []string) error {
	cached, force, recursive, quiet, dry, ignoreUnmatch := false, false, false, false, false, false
	f := g.options("[<options>] [--] <file>...")
	f.bool(&cached, "cached")
	f.bool(&force, "f,force")
	f.bool(&recursive, "r")
	f.bool(&quiet, "q,quiet")
	f.bool(&dry, "n,dry-run")
	f.bool(&ignoreUnmatch, "ignore-unmatch")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.inTree(); err != nil {
		return err
	}
	names := append(args, rest...)
	if len(names) == 0 {
		return fatal("No pathspec was given. Which files should I remove?")
	}
	paths, err := g.pathspec(names)
	if err != nil {
		return err
	}
	x, err := g.readIndex()
	if err != nil {
		return err
	}
	var list []*indexEntry
	for _, e := range x.entries {
		if paths.match(e.path) {
			list = append(list, e)
		}
	}
	for i := range paths.rules {
		r := &paths.rules[i]
		switch {
		case !r.used && !r.exclude && !ignoreUnmatch:
			return fatalf("pathspec '%s' did not match any files", r.text)
		case r.used && !recursive && r.glob == nil && x.get(r.path) == nil:
			return fatalf("not removing '%s' recursively without -r", r.text)
		}
	}
	if !force {
		if err := g.mayRemove(x, list, cached); err != nil {
			return err
		}
	}
	for _, e := range list {
		if !quiet {
			fmt.Fprintf(g.out, "rm '%s'\n", g.quotePath(e.path))
		}
		if dry {
			continue
		}
		if !cached {
			if err := g.removeWork(e.path); err != nil {
				return err
			}
		}
		x.remove(e.path)
	}
	if dry {
		return nil
	}
	return g.writeIndex(x)
}

// mayRemove refuses to remove what would be lost.
func (g *git) mayRemove(x *index, list []*indexEntry, cached bool) error {
	headFiles := map[string]file{}
	if h, ok := g.lookup("HEAD"); ok {
		c, err := g.objects.commit(h)
		if err != nil {
			return err
		}
		files, err := g.flatten(c.tree)
		if err != nil {
			return err
		}
		for _, f := range files {
			headFiles[f.path] = f
		}
	}
	var both, staged, local []string
	for _, e := range list {
		f, ok, err := g.workFile(x, e, g.configBool("core.filemode", true))
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		changed := f.hash != e.hash || f.mode != e.mode
		head, inHead := headFiles[e.path]
		differs := !inHead || head.hash != e.hash || head.mode != e.mode
		switch {
		case changed && differs && !e.intent:
			both = append(both, e.path)
		case differs && !cached:
			staged = append(staged, e.path)
		case changed && !cached:
			local = append(local, e.path)
		}
	}
	var b strings.Builder
	for _, group := range []struct {
		names      []string
		one, many  string
		suggestion string
	}{
		{both, "the following file has staged content different from both the\nfile and the HEAD:",
			"the following files have staged content different from both the\nfile and the HEAD:", "(use -f to force removal)"},
		{staged, "the following file has changes staged in the index:", "the following files have changes staged in the index:",
			"(use --cached to keep the file, or -f to force removal)"},
		{local, "the following file has local modifications:", "the following files have local modifications:",
			"(use --cached to keep the file, or -f to force removal)"},
	} {
		if len(group.names) == 0 {
			continue
		}
		title := group.one
		if len(group.names) > 1 {
			title = group.many
		}
		fmt.Fprintf(&b, "error: %s\n    %s\n%s\n", title, strings.Join(group.names, "\n    "), group.suggestion)
	}
	if b.Len() == 0 {
		return nil
	}
	fmt.Fprint(g.Stderr, b.String())
	return exitStatus(1)
}
