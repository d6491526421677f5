package git

import (
	"fmt"
	"strconv"
	"strings"
)

// tag is git tag.
func (g *git) tag(args []string) error {
	t := struct {
		annotate, force, remove, list bool
		messages, sorts               []string
		file, format                  string
		lines                         int
	}{lines: -1}
	filter := refFilter{}
	f := g.options("[-a] [-f] [-m <msg>] <tagname> [<commit>]")
	f.bool(&t.annotate, "a,annotate")
	f.bool(&t.force, "f,force")
	f.bool(&t.remove, "d,delete")
	f.bool(&t.list, "l,list")
	f.strings(&t.messages, "m,message")
	f.strings(&t.sorts, "sort")
	f.string(&t.file, "F,file")
	f.string(&t.format, "format")
	f.add("n", false, true, func(v string) error {
		if t.lines = 1; v != "" {
			t.lines, _ = strconv.Atoi(v)
		}
		return nil
	})
	for name, p := range map[string]*string{"contains": &filter.contains, "no-contains": &filter.noContains, "merged": &filter.merged,
		"no-merged": &filter.noMerged, "points-at": &filter.pointsAt} {
		f.last(p, name, "HEAD")
	}
	f.ignore("no-sign,no-column")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	args = append(args, rest...)
	switch {
	case t.remove:
		return g.removeTags(args)
	case t.list || filter.any() || len(args) == 0 || t.lines >= 0 && len(t.messages) == 0:
		filter.patterns = args
		return g.listTags(filter, t.sorts, t.format, t.lines)
	case len(args) > 2:
		return fatal("too many arguments")
	}
	message, annotated := "", t.annotate || len(t.messages) > 0 || t.file != ""
	switch {
	case len(t.messages) > 0:
		message = strings.Join(t.messages, "\n\n")
	case t.file != "":
		if message, err = g.inputFile(t.file); err != nil {
			return fatalf("could not open or read '%s': No such file or directory", t.file)
		}
	case annotated:
		return mistake("there is no editor here; give the message by either -m or -F option.")
	}
	target := "HEAD"
	if len(args) == 2 {
		target = args[1]
	}
	return g.createTag(args[0], target, cleanMessage(message, false), annotated, t.force)
}

// createTag makes a tag.
func (g *git) createTag(name, target, message string, annotated, force bool) error {
	h, err := g.resolve(target)
	if err != nil {
		return fatalf("Failed to resolve '%s' as a valid ref.", target)
	}
	full := "refs/tags/" + name
	if !validRef(full) || strings.HasPrefix(name, "-") {
		return fatalf("'%s' is not a valid tag name.", name)
	}
	old, exists := g.lookup(full)
	if exists && !force {
		return fatalf("tag '%s' already exists", name)
	}
	if annotated {
		if message == "" {
			return fatal("no tag message?")
		}
		o, err := g.objects.read(h)
		if err != nil {
			return fatalf("bad object type.")
		}
		g.objects.free(o)
		who, err := g.committer()
		if err != nil {
			return err
		}
		text := fmt.Sprintf("object %s\ntype %s\ntag %s\ntagger %s\n\n%s", h, o.kind, name, who, message)
		if h, err = g.objects.write("tag", []byte(text)); err != nil {
			return err
		}
	}
	if err := g.setRef(full, h, ""); err != nil {
		return err
	}
	if exists && old != h {
		fmt.Fprintf(g.out, "Updated tag '%s' (was %s)\n", name, g.abbrev(old))
	}
	return nil
}

// removeTags deletes tags.
func (g *git) removeTags(names []string) error {
	failed := false
	for _, name := range names {
		h, ok := g.lookup("refs/tags/" + name)
		if !ok {
			fmt.Fprintf(g.Stderr, "error: tag '%s' not found.\n", name)
			failed = true
			continue
		}
		if err := g.deleteRef("refs/tags/" + name); err != nil {
			return err
		}
		fmt.Fprintf(g.out, "Deleted tag '%s' (was %s)\n", name, g.abbrev(h))
	}
	if failed {
		return exitStatus(1)
	}
	return nil
}

// listTags prints tags, with the first lines of their messages where lines is not
// negative.
func (g *git) listTags(filter refFilter, sorts []string, format string, lines int) error {
	list, err := g.refs("refs/tags/")
	if err != nil {
		return err
	}
	if list, err = g.filterRefs(list, filter); err != nil {
		return err
	}
	if key, ok := g.config("tag.sort"); ok && len(sorts) == 0 {
		sorts = []string{key}
	}
	if err := g.sortRefs(list, sorts); err != nil {
		return err
	}
	for _, r := range list {
		name := shortRef(r.name)
		switch {
		case format != "":
			if name, err = g.formatRef(format, r); err != nil {
				return err
			}
		case lines > 0:
			text, err := g.refField("contents", r)
			if err != nil {
				return err
			}
			parts := strings.Split(strings.TrimRight(text, "\n"), "\n")
			parts = parts[:min(lines, len(parts))]
			name = fmt.Sprintf("%-15s %s", name, strings.Join(parts, "\n    "))
		}
		g.out.WriteString(name + "\n")
	}
	return nil
}
