package git

import (
	"fmt"
	"strings"
)

// describe is git describe.
func (g *git) describe(args []string) error {
	d := struct {
		tags, all, always, long, exact bool
		abbrev                         int
		dirty, match, exclude          string
	}{abbrev: 7}
	f := g.options("[--all] [--tags] [--contains] [--abbrev=<n>] [<commit-ish>...]")
	f.bool(&d.tags, "tags")
	f.bool(&d.all, "all")
	f.bool(&d.always, "always")
	f.bool(&d.long, "long")
	f.bool(&d.exact, "exact-match")
	f.int(&d.abbrev, "abbrev")
	f.string(&d.match, "match")
	f.string(&d.exclude, "exclude")
	f.add("dirty", false, true, func(v string) error {
		if d.dirty = v; v == "" {
			d.dirty = "-dirty"
		}
		return nil
	})
	args, _, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"HEAD"}
	}
	names, err := g.describable(d.tags || d.all, d.all, d.match, d.exclude)
	if err != nil {
		return err
	}
	suffix := ""
	if d.dirty != "" {
		st, err := g.examine(nil, "no", false)
		if err != nil {
			return err
		}
		if len(st.staged)+len(st.unstaged) > 0 {
			suffix = d.dirty
		}
	}
	for _, text := range args {
		h, err := g.commitOf(text)
		if err != nil {
			return fatalf("Not a valid object name %s", text)
		}
		name, distance, err := g.nearest(h, names, d.exact)
		if err != nil {
			return err
		}
		switch {
		case name == "" && d.always:
			name = g.objects.short(h, max(d.abbrev, 4))
		case name == "" && d.exact:
			return fatalf("no tag exactly matches '%s'", h)
		case name == "":
			if len(names) == 0 {
				return fatal("No names found, cannot describe anything.")
			}
			return fatalf("No tags can describe '%s'.\nTry --always, or create some tags.", h)
		case (distance > 0 || d.long) && d.abbrev > 0:
			name += fmt.Sprintf("-%d-g%s", distance, g.objects.short(h, max(d.abbrev, 4)))
		}
		fmt.Fprintln(g.out, name+suffix)
	}
	return nil
}

// A described is a name that describe may use.
type described struct {
	name      string
	annotated bool
	when      int64
}

// describable returns the names that commits have.
func (g *git) describable(light, all bool, match, exclude string) (map[hash]described, error) {
	prefix := "refs/tags/"
	if all {
		prefix = "refs/"
	}
	list, err := g.refs(prefix)
	if err != nil {
		return nil, err
	}
	names := map[hash]described{}
	for _, r := range list {
		short := strings.TrimPrefix(r.name, prefix)
		if match != "" && !matchGlob(g, match, short) || exclude != "" && matchGlob(g, exclude, short) {
			continue
		}
		o, err := g.objects.read(r.hash)
		if err != nil {
			continue
		}
		g.objects.free(o)
		d := described{name: short, annotated: o.kind == "tag"}
		if d.annotated {
			d.when = parseTag(o.data).tagger.when.Unix()
		} else if !light {
			continue
		}
		h, _, err := g.objects.peel(r.hash)
		if err != nil {
			continue
		}
		if old, ok := names[h]; !ok || d.annotated && (!old.annotated || d.when > old.when) {
			names[h] = d
		}
	}
	return names, nil
}

// nearest returns the name from which a commit is the fewest commits away.
func (g *git) nearest(h hash, names map[hash]described, exact bool) (string, int, error) {
	if d, ok := names[h]; ok || exact {
		return d.name, 0, nil
	}
	w, err := g.walk(&walkRange{include: []hash{h}}, false)
	if err != nil {
		return "", 0, err
	}
	best, bestDistance := "", -1
	for found := 0; found < 10; {
		c, err := w.next(nil)
		if err != nil {
			return "", 0, err
		}
		if c == nil {
			break
		}
		d, ok := names[c.hash]
		if !ok {
			continue
		}
		found++
		ahead, _, err := g.aheadBehind(h, c.hash)
		if err != nil {
			return "", 0, err
		}
		if bestDistance < 0 || ahead < bestDistance {
			best, bestDistance = d.name, ahead
		}
	}
	return best, bestDistance, nil
}
