package git

import (
	"fmt"
	"slices"
	"strings"
)

// clean is git clean.
func (g *git) clean(args []string) error {
	force, dry, dirs, quiet := 0, false, false, false
	all, onlyIgnored := false, false
	var patterns []string
	f := g.options("[-d] [-f] [-n] [-q] [-e <pattern>] [-x | -X] [--] [<pathspec>...]")
	f.do("f,force", func() { force++ })
	f.bool(&dry, "n,dry-run")
	f.bool(&dirs, "d")
	f.bool(&quiet, "q,quiet")
	f.bool(&all, "x")
	f.bool(&onlyIgnored, "X")
	f.strings(&patterns, "e,exclude")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.inTree(); err != nil {
		return err
	}
	if force == 0 && !dry && g.configBool("clean.requireforce", true) {
		return fatal("clean.requireForce defaults to true and neither -i, -n, nor -f given; refusing to clean")
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
	u := &untracked{g: g, x: x, paths: paths, ign: g.ignorer(), whole: true, pure: dirs && !onlyIgnored, ignored: onlyIgnored}
	if all {
		u.ign = &ignorer{g: g, rules: map[string][]ignoreRule{}}
		u.ign.off = true
	}
	for _, p := range patterns {
		if r, ok := u.ign.rule(p, ""); ok {
			u.ign.first = append(u.ign.first, r)
		}
	}
	if err := u.walk("", 0); err != nil {
		return err
	}
	list := u.list
	if onlyIgnored {
		list = u.ignoredList
	}
	slices.Sort(list)
	for _, name := range list {
		isDir := strings.HasSuffix(name, "/")
		if isDir && !dirs && !slices.ContainsFunc(paths.rules, func(r pathRule) bool { return r.path == strings.TrimSuffix(name, "/") }) {
			continue
		}
		verb := "Removing"
		if dry {
			verb = "Would remove"
		}
		if isDir {
			if _, err := g.FS.Lstat(g.full(name) + ".git"); err == nil && force < 2 {
				continue
			}
		}
		if !quiet || dry {
			fmt.Fprintf(g.out, "%s %s\n", verb, g.shown(name))
		}
		if dry {
			continue
		}
		if err := g.FS.RemoveAll(g.full(strings.TrimSuffix(name, "/"))); err != nil {
			fmt.Fprintf(g.Stderr, "warning: failed to remove %s: %v\n", name, err)
		}
	}
	return nil
}
