package git

import (
	"slices"
	"strings"
)

// forEachRef is git for-each-ref.
func (g *git) forEachRef(args []string) error {
	format, count := "%(objectname) %(objecttype)\t%(refname)", 0
	var sorts []string
	filter := refFilter{}
	f := g.options("[<options>] [<pattern>]")
	f.string(&format, "format")
	f.int(&count, "count")
	f.strings(&sorts, "sort")
	f.last(&filter.pointsAt, "points-at", "HEAD")
	f.last(&filter.merged, "merged", "HEAD")
	f.last(&filter.noMerged, "no-merged", "HEAD")
	f.last(&filter.contains, "contains", "HEAD")
	f.last(&filter.noContains, "no-contains", "HEAD")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	patterns := append(args, rest...)
	list, err := g.refs("refs/")
	if err != nil {
		return err
	}
	if list, err = g.filterRefs(list, filter); err != nil {
		return err
	}
	var chosen []ref
	for _, r := range list {
		if len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
			p = strings.TrimSuffix(p, "/")
			return r.name == p || strings.HasPrefix(r.name, p+"/") || strings.ContainsAny(p, "*?[") && matchGlob(g, p, r.name)
		}) {
			chosen = append(chosen, r)
		}
	}
	if err := g.sortRefs(chosen, sorts); err != nil {
		return err
	}
	if count > 0 && count < len(chosen) {
		chosen = chosen[:count]
	}
	for _, r := range chosen {
		text, err := g.formatRef(format, r)
		if err != nil {
			return err
		}
		g.out.WriteString(text + "\n")
	}
	return nil
}
