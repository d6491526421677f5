package git

import (
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/regex"
)

// matchGlob reports whether a glob matches a whole name.
func matchGlob(g *git, pattern, name string) bool {
	if pattern == name {
		return true
	}
	re, err := regex.Compile(starGlob(pattern), regex.Perl, regex.WholeLine)
	if err != nil {
		return false
	}
	m := re.Matcher(g.Call)
	defer m.Close()
	return m.Match([]byte(name))
}

// shortRef returns a reference without what every one of its kind begins with.
func shortRef(name string) string {
	for _, prefix := range []string{"refs/heads/", "refs/tags/", "refs/remotes/"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest
		}
	}
	return strings.TrimPrefix(name, "refs/")
}

// A refFilter chooses among references.
type refFilter struct {
	contains, noContains, merged, noMerged, pointsAt string
	patterns                                         []string
}

// any reports whether the filter is about commits.
func (f *refFilter) any() bool {
	return f.contains+f.noContains+f.merged+f.noMerged+f.pointsAt != ""
}

// filterRefs returns the references that a filter chooses.
func (g *git) filterRefs(list []ref, f refFilter) (out []ref, err error) {
	resolve := func(text string) (h hash, err error) {
		if text == "" {
			return h, nil
		}
		if h, err = g.commitOf(text); err != nil {
			return h, mistakef("malformed object name %s", text)
		}
		return h, nil
	}
	var names [5]hash
	for i, text := range []string{f.contains, f.noContains, f.merged, f.noMerged, f.pointsAt} {
		if names[i], err = resolve(text); err != nil {
			return nil, err
		}
	}
	for _, r := range list {
		short := r.name
		for _, prefix := range []string{"refs/heads/", "refs/remotes/", "refs/tags/"} {
			short = strings.TrimPrefix(short, prefix)
		}
		ok := len(f.patterns) == 0 || slices.ContainsFunc(f.patterns, func(p string) bool { return matchGlob(g, p, short) })
		h, kind, err := g.objects.peel(r.hash)
		if err != nil || !ok {
			continue
		}
		check := func(on string, a, b hash, want bool) {
			if on == "" || !ok || err != nil {
				return
			}
			var is bool
			if kind == "commit" {
				is, err = g.isAncestor(a, b)
			}
			ok = is == want
		}
		check(f.contains, names[0], h, true)
		check(f.noContains, names[1], h, false)
		check(f.merged, h, names[2], true)
		check(f.noMerged, h, names[3], false)
		if err != nil {
			return nil, err
		}
		if f.pointsAt != "" {
			ok = ok && (h == names[4] || r.hash == names[4])
		}
		if ok {
			out = append(out, r)
		}
	}
	return out, nil
}
