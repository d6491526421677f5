package git

import (
	"slices"
	"strconv"
	"strings"
)

// showRef is git show-ref.
func (g *git) showRef(args []string) error {
	heads, tags, verify, quiet, head, deref := false, false, false, false, false, false
	digits := 0
	f := g.options("[-q] [--verify] [--head] [-d] [-s] [--tags] [--heads] [<pattern>...]")
	f.bool(&heads, "heads")
	f.bool(&tags, "tags")
	f.bool(&verify, "verify")
	f.bool(&quiet, "q,quiet")
	f.bool(&head, "head")
	f.bool(&deref, "d,dereference")
	hashOnly := false
	f.add("s,hash", false, true, func(v string) error {
		hashOnly = true
		digits, _ = strconv.Atoi(v)
		return nil
	})
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	patterns := append(args, rest...)
	found := false
	show := func(r ref) {
		found = true
		if quiet {
			return
		}
		name := r.hash.String()
		if hashOnly {
			if digits > 0 {
				name = g.objects.short(r.hash, digits)
			}
			g.out.WriteString(name + "\n")
			return
		}
		g.out.WriteString(name + " " + r.name + "\n")
		if h, _, err := g.objects.peel(r.hash); deref && err == nil && h != r.hash {
			g.out.WriteString(h.String() + " " + r.name + "^{}\n")
		}
	}
	if verify {
		for _, name := range patterns {
			h, ok := g.lookup(name)
			if !ok || name != "HEAD" && !strings.HasPrefix(name, "refs/") {
				if quiet {
					return exitStatus(1)
				}
				return fatalf("'%s' - not a valid ref", name)
			}
			show(ref{name, h})
		}
		return nil
	}
	list, err := g.refs("refs/")
	if err != nil {
		return err
	}
	if h, ok := g.lookup("HEAD"); ok && head {
		show(ref{"HEAD", h})
	}
	for _, r := range list {
		if (heads || tags) && !(heads && strings.HasPrefix(r.name, "refs/heads/") || tags && strings.HasPrefix(r.name, "refs/tags/")) {
			continue
		}
		if len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return r.name == p || strings.HasSuffix(r.name, "/"+p) }) {
			show(r)
		}
	}
	if !found {
		return exitStatus(1)
	}
	return nil
}
