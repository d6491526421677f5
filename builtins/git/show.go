package git

import "strings"

// show is git show.
func (g *git) show(args []string) error {
	l, f := g.newLog("[<options>] <object>...")
	args, paths, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	revisions, files, err := g.divide(args, paths, f.dashed)
	if err != nil {
		return err
	}
	if l.paths, err = g.pathspec(files); err != nil {
		return err
	}
	if l.decorate != "" || strings.Contains(l.style.format, "%d") || strings.Contains(l.style.format, "%D") {
		if l.named, err = l.decorations(l.decorate == "full"); err != nil {
			return err
		}
	}
	if !l.diff.chosen() {
		l.diff.patch = true
	}
	if len(revisions) == 0 {
		if _, ok := g.lookup("HEAD"); !ok {
			return fatalf("your current branch '%s' does not have any commits yet", branchName(g.head()))
		}
		revisions = []string{"HEAD"}
	}
	for _, text := range revisions {
		if err := l.showObject(text); err != nil {
			return err
		}
	}
	return nil
}

// showObject prints the object that an expression names.
func (l *logRun) showObject(text string) error {
	if _, _, ok := cutRange(text, ".."); ok {
		r := &walkRange{}
		if err := r.add(l.git, text); err != nil {
			return fatalf("bad revision '%s'", text)
		}
		return l.run(r, l.print)
	}
	h, err := l.resolve(text)
	if err != nil {
		return err
	}
	o, err := l.objects.read(h)
	if err == errMissing {
		return fatalf("bad object %s", text)
	}
	if err != nil {
		return err
	}
	defer l.objects.free(o)
	switch o.kind {
	case "commit":
		c, err := l.objects.commit(h)
		if err != nil {
			return err
		}
		return l.print(c)
	case "tag":
		t := parseTag(o.data)
		if l.shown > 0 {
			l.out.WriteByte('\n')
		}
		l.shown++
		l.out.WriteString("tag " + t.name + "\nTagger: " + t.tagger.name + " <" + t.tagger.email + ">\nDate:   " +
			l.formatDate(t.tagger.when, l.date) + "\n\n" + t.message)
		return l.showObject(t.target.String())
	case "tree":
		if l.shown > 0 {
			l.out.WriteByte('\n')
		}
		l.shown++
		l.out.WriteString("tree " + text + "\n\n")
		list, err := l.objects.tree(h)
		for _, e := range list {
			l.out.WriteString(e.name + map[bool]string{true: "/"}[e.mode == modeDir] + "\n")
		}
		return err
	}
	_, err = l.out.Write(o.data)
	return err
}
