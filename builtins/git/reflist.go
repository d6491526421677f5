package git

import (
	"fmt"
	"slices"
	"strconv"
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

// formatRef replaces the placeholders of a format of for-each-ref.
func (g *git) formatRef(format string, r ref) (string, error) {
	var b strings.Builder
	for {
		open := strings.IndexByte(format, '%')
		if open < 0 || open+1 == len(format) {
			b.WriteString(format)
			return b.String(), nil
		}
		b.WriteString(format[:open])
		rest := format[open+1:]
		switch {
		case rest[0] == '%':
			b.WriteByte('%')
			format = rest[1:]
		case rest[0] == '(' && strings.IndexByte(rest, ')') > 0:
			end := strings.IndexByte(rest, ')')
			text, err := g.refField(rest[1:end], r)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
			format = rest[end+1:]
		case len(rest) >= 2 && isHex(rest[:2]):
			v, _ := strconv.ParseUint(rest[:2], 16, 8)
			b.WriteByte(byte(v))
			format = rest[2:]
		default:
			b.WriteByte('%')
			format = rest
		}
	}
}

func isHex(text string) bool {
	return strings.Trim(strings.ToLower(text), "0123456789abcdef") == ""
}

// refField returns a field of a reference.
func (g *git) refField(field string, r ref) (string, error) {
	deref := strings.HasPrefix(field, "*")
	name, option, _ := strings.Cut(strings.TrimPrefix(field, "*"), ":")
	o, err := g.objects.read(r.hash)
	if err != nil {
		return "", fatalf("missing object %s for %s", r.hash, r.name)
	}
	g.objects.free(o)
	h := r.hash
	if deref {
		if o.kind != "tag" {
			return "", nil
		}
		if h, _, err = g.objects.peel(h); err != nil {
			return "", err
		}
		if o, err = g.objects.read(h); err != nil {
			return "", err
		}
		g.objects.free(o)
	}
	var author, committer, tagger signature
	message := ""
	c := &commit{}
	switch o.kind {
	case "commit":
		if c, err = g.objects.commit(h); err != nil {
			return "", err
		}
		author, committer, message = c.author, c.committer, c.message
	case "tag":
		t := parseTag(o.data)
		tagger, message = t.tagger, t.message
	}
	creator := committer
	if o.kind == "tag" {
		creator = tagger
	}
	for prefix, sig := range map[string]signature{"author": author, "committer": committer, "tagger": tagger, "creator": creator} {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		if sig.when.IsZero() {
			return "", nil
		}
		switch rest {
		case "":
			return sig.String(), nil
		case "name":
			return sig.name, nil
		case "email":
			if option == "trim" {
				return sig.email, nil
			}
			return "<" + sig.email + ">", nil
		case "date":
			return g.formatDate(sig.when, option), nil
		}
	}
	switch name {
	case "refname":
		if option == "short" {
			return shortRef(r.name), nil
		}
		return stripRef(r.name, option), nil
	case "objectname":
		if option == "short" {
			return g.abbrev(h), nil
		}
		return h.String(), nil
	case "objecttype":
		return o.kind, nil
	case "objectsize":
		return itoa(len(o.data)), nil
	case "subject":
		return subjectOf(message), nil
	case "body":
		return bodyOf(message), nil
	case "contents":
		if option == "subject" {
			return subjectOf(message), nil
		}
		if option == "body" {
			return bodyOf(message), nil
		}
		return message, nil
	case "tree":
		return c.tree.String(), nil
	case "parent":
		var list []string
		for _, p := range c.parents {
			list = append(list, p.String())
		}
		return strings.Join(list, " "), nil
	case "HEAD":
		if r.name == g.head() {
			return "*", nil
		}
		return " ", nil
	case "upstream":
		up, ok := g.upstream(r.name)
		if !ok || !strings.HasPrefix(r.name, "refs/heads/") {
			return "", nil
		}
		if option == "short" {
			return shortRef(up), nil
		}
		if option == "" {
			return up, nil
		}
	}
	return "", fatalf("unknown field name: %s", field)
}

// stripRef applies the options lstrip and rstrip.
func stripRef(name, option string) string {
	key, value, _ := strings.Cut(option, "=")
	n, _ := strconv.Atoi(value)
	parts := strings.Split(name, "/")
	if n < 0 {
		n = max(len(parts)+n, 0)
	}
	switch {
	case n >= len(parts):
		n = len(parts) - 1
	}
	switch key {
	case "lstrip", "strip":
		return strings.Join(parts[n:], "/")
	case "rstrip":
		return strings.Join(parts[:len(parts)-n], "/")
	}
	return name
}

// sortRefs sorts references by fields; a field with "-" before it sorts the other
// way.
func (g *git) sortRefs(list []ref, keys []string) error {
	for _, key := range keys {
		field, reverse := strings.CutPrefix(key, "-")
		version := false
		if rest, ok := strings.CutPrefix(field, "version:"); ok {
			field, version = rest, true
		}
		if rest, ok := strings.CutPrefix(field, "v:"); ok {
			field, version = rest, true
		}
		values := map[string]string{}
		for _, r := range list {
			name := field
			if strings.HasSuffix(field, "date") {
				name += ":unix"
			}
			text, err := g.refField(name, r)
			if err != nil {
				return err
			}
			values[r.name] = text
		}
		numeric := strings.HasSuffix(field, "date") || field == "objectsize"
		slices.SortStableFunc(list, func(a, b ref) int {
			x, y := values[a.name], values[b.name]
			order := strings.Compare(x, y)
			if numeric {
				m, _ := strconv.ParseInt(x, 10, 64)
				n, _ := strconv.ParseInt(y, 10, 64)
				order = int(min(max(m-n, -1), 1))
			}
			if version {
				order = compareVersions(x, y)
			}
			if reverse {
				return -order
			}
			return order
		})
	}
	return nil
}

// compareVersions compares texts in which numbers are compared by value.
func compareVersions(a, b string) int {
	for a != "" && b != "" {
		if isDigit(a[0]) && isDigit(b[0]) {
			i, j := 0, 0
			for i < len(a) && isDigit(a[i]) {
				i++
			}
			for j < len(b) && isDigit(b[j]) {
				j++
			}
			x, y := strings.TrimLeft(a[:i], "0"), strings.TrimLeft(b[:j], "0")
			if len(x) != len(y) {
				return len(x) - len(y)
			}
			if order := strings.Compare(x, y); order != 0 {
				return order
			}
			a, b = a[i:], b[j:]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

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

// symbolicRef is git symbolic-ref.
func (g *git) symbolicRef(args []string) error {
	quiet, short, remove, message := false, false, false, ""
	f := g.options("[-m <reason>] <name> <ref>")
	f.bool(&quiet, "q,quiet")
	f.bool(&short, "short")
	f.bool(&remove, "d,delete")
	f.string(&message, "m")
	args, _, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	switch {
	case len(args) == 2:
		if args[0] == "HEAD" && !strings.HasPrefix(args[1], "refs/") {
			return fatal("Refusing to point HEAD outside of refs/")
		}
		return g.writeFile(g.refFile(args[0]), []byte("ref: "+args[1]+"\n"))
	case len(args) != 1:
		return usage(f.usage)
	}
	target, ok := g.symbolic(args[0])
	if !ok {
		if quiet {
			return exitStatus(1)
		}
		return fatalf("ref %s is not a symbolic ref", args[0])
	}
	if remove {
		return g.FS.Remove(g.refFile(args[0]))
	}
	if short {
		target = shortRef(target)
	}
	_, err = fmt.Fprintln(g.out, target)
	return err
}

// updateRef is git update-ref.
func (g *git) updateRef(args []string) error {
	remove, noDeref, message := false, false, ""
	f := g.options("[<options>] <refname> <new-val> [<old-val>]")
	f.bool(&remove, "d")
	f.bool(&noDeref, "no-deref")
	f.string(&message, "m")
	args, _, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	if len(args) < 1 || !remove && len(args) < 2 {
		return usage(f.usage)
	}
	name := args[0]
	if old := args[len(args)-1]; remove && len(args) == 2 || len(args) == 3 {
		want, err := g.resolve(old)
		have, _ := g.lookup(name)
		if err != nil && strings.Trim(old, "0") != "" {
			return fatalf("%s: not a valid SHA1", old)
		}
		if have != want {
			return fatalf("update_ref failed for ref '%s': cannot lock ref '%s': is at %s but expected %s", name, name, have, want)
		}
	}
	if remove {
		return g.deleteRef(name)
	}
	h, err := g.resolve(args[1])
	if err != nil {
		return fatalf("%s: not a valid SHA1", args[1])
	}
	if noDeref {
		return g.writeFile(g.refFile(name), []byte(h.String()+"\n"))
	}
	return g.setRef(name, h, message)
}

// reflog is git reflog.
func (g *git) reflog(args []string) error {
	if len(args) > 0 && args[0] == "show" {
		args = args[1:]
	} else if len(args) > 0 && slices.Contains([]string{"expire", "delete", "exists"}, args[0]) {
		return fatalf("'git reflog %s' is not available here", args[0])
	}
	count := -1
	f := g.options("[show] [<options>] [<ref>]")
	f.number = func(n int) { count = n }
	f.int(&count, "n,max-count")
	args, _, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	name := "HEAD"
	if len(args) > 0 {
		name = args[0]
	}
	full, ok := g.expandRef(name)
	if !ok {
		if name == "HEAD" {
			return fatalf("your current branch '%s' does not have any commits yet", branchName(g.head()))
		}
		return fatalf("ambiguous argument '%s': unknown revision or path not in the working tree.\n"+dashHint, name)
	}
	for i, e := range g.readLog(full) {
		if i == count {
			break
		}
		if e.to == (hash{}) {
			continue
		}
		fmt.Fprintf(g.out, "%s %s@{%d}: %s\n", g.abbrev(e.to), name, i, e.message)
	}
	return nil
}

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
	return g.createTag(args[0], target, cleanMessage(message, t.file != "" && false), annotated, t.force)
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
