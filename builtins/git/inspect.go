package git

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/internal/regex"
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

// shortlog is git shortlog.
func (g *git) shortlog(args []string) error {
	summary, numbered, email := false, false, false
	l, f := g.newLog("[<options>] [<revision-range>] [[--] <path>...]")
	f.list = slices.Insert(f.list, 0, flag{names: []string{"s", "summary"}, set: func(string) error { summary = true; return nil }},
		flag{names: []string{"n", "numbered"}, set: func(string) error { numbered = true; return nil }},
		flag{names: []string{"e", "email"}, set: func(string) error { email = true; return nil }})
	args, paths, err := f.parse(args)
	if err != nil {
		return err
	}
	r, err := l.start(args, paths, f.dashed)
	if err != nil {
		return err
	}
	if len(r.include) == 0 {
		h, ok := g.lookup("HEAD")
		if !ok {
			return fatalf("your current branch '%s' does not have any commits yet", branchName(g.head()))
		}
		r.include = []hash{h}
	}
	groups := map[string][]string{}
	var names []string
	err = l.run(r, func(c *commit) error {
		name := c.author.name
		if email {
			name += " <" + c.author.email + ">"
		}
		if _, ok := groups[name]; !ok {
			names = append(names, name)
		}
		subject := subjectOf(c.message)
		groups[name] = append(groups[name], subject)
		return g.hold(len(subject) + 16)
	})
	if err != nil {
		return err
	}
	slices.Sort(names)
	if numbered {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(groups[b]), len(groups[a])) })
	}
	for _, name := range names {
		if summary {
			fmt.Fprintf(g.out, "%6d\t%s\n", len(groups[name]), name)
			continue
		}
		fmt.Fprintf(g.out, "%s (%d):\n", name, len(groups[name]))
		for _, subject := range slices.Backward(groups[name]) {
			g.out.WriteString("      " + subject + "\n")
		}
		g.out.WriteByte('\n')
	}
	return nil
}

// A grepRun is one run of git grep.
type grepRun struct {
	*git
	patterns                                                                   []string
	number, ignoreCase, filesOnly, without, count, word, invert, noName, quiet bool
	only, cached, untracked, textOnly, noHead                                  bool
	dialect                                                                    regex.Dialect
	after, before, max                                                         int
	matchers                                                                   []*regex.Matcher
	found                                                                      bool
}

// grep is git grep.
func (g *git) grep(args []string) error {
	r := &grepRun{git: g, dialect: regex.Basic}
	f := g.options("[<options>] [-e] <pattern> [<rev>...] [[--] <path>...]")
	f.strings(&r.patterns, "e")
	f.bool(&r.number, "n,line-number")
	f.bool(&r.ignoreCase, "i,ignore-case")
	f.bool(&r.filesOnly, "l,files-with-matches,name-only")
	f.bool(&r.without, "L,files-without-match")
	f.bool(&r.count, "c,count")
	f.bool(&r.word, "w,word-regexp")
	f.bool(&r.invert, "v,invert-match")
	f.bool(&r.noName, "h")
	f.bool(&r.quiet, "q,quiet")
	f.bool(&r.only, "o,only-matching")
	f.bool(&r.cached, "cached")
	f.bool(&r.untracked, "untracked")
	f.bool(&r.textOnly, "I")
	f.do("E,extended-regexp", func() { r.dialect = regex.Extended })
	f.do("G,basic-regexp", func() { r.dialect = regex.Basic })
	f.do("F,fixed-strings", func() { r.dialect = regex.Literal })
	f.do("P,perl-regexp", func() { r.dialect = regex.Perl })
	f.ignore("H,no-color,full-name,r,recursive")
	args, paths, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	if len(r.patterns) == 0 {
		if len(args) == 0 {
			return fatal("no pattern given")
		}
		r.patterns, args = args[:1], args[1:]
	}
	for _, p := range r.patterns {
		flags := regex.Flags(0)
		if r.ignoreCase {
			flags |= regex.IgnoreCase
		}
		if r.word {
			flags |= regex.WholeWord
		}
		re, err := regex.Compile(p, r.dialect, flags)
		if err != nil {
			return fatalf("command line, '%s': %v", p, err)
		}
		r.matchers = append(r.matchers, re.Matcher(g.Call))
	}
	revisions, files, err := g.divide(args, paths, f.dashed)
	if err != nil {
		return err
	}
	return r.run(revisions, files)
}

func (r *grepRun) run(revisions, files []string) error {
	if len(files) == 0 && r.repo.prefix != "" {
		files = []string{"."}
	}
	paths, err := r.pathspec(files)
	if err != nil {
		return err
	}
	if len(revisions) == 0 {
		x, err := r.readIndex()
		if err != nil {
			return err
		}
		list := x.files()
		if r.untracked {
			u, err := r.git.untracked(x, paths, false, false)
			if err != nil {
				return err
			}
			for _, name := range u.list {
				list = append(list, file{path: name, mode: modeFile})
			}
			slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.path, b.path) })
		}
		for _, f := range paths.filterFiles(list) {
			f.work = !r.cached
			if err := r.file("", f); err != nil {
				return err
			}
		}
	}
	for _, text := range revisions {
		h, err := r.resolve(text)
		if err != nil {
			return fatalf("bad revision '%s'", text)
		}
		tree, err := r.treeOf(h)
		if err != nil {
			return err
		}
		list, err := r.flatten(tree)
		if err != nil {
			return err
		}
		for _, f := range paths.filterFiles(list) {
			if err := r.file(text+":", f); err != nil {
				return err
			}
		}
	}
	if !r.found {
		return exitStatus(1)
	}
	return nil
}

// file searches one file.
func (r *grepRun) file(prefix string, f file) error {
	if f.mode == modeLink || f.mode == modeGitlink {
		return nil
	}
	data, err := r.data(f)
	if err != nil {
		if f.work && !r.Ends(err) {
			return nil // it is not there
		}
		return err
	}
	defer r.Free(len(data))
	name := prefix + r.shown(f.path)
	if r.noName {
		name = ""
	}
	binary := isBinary(data)
	if binary && r.textOnly {
		return nil
	}
	count := 0
	number := 0
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		line := data
		if end >= 0 {
			line, data = data[:end], data[end+1:]
		} else {
			data = nil
		}
		number++
		if err := r.Poll(1); err != nil {
			return err
		}
		matched := slices.ContainsFunc(r.matchers, func(m *regex.Matcher) bool { return m.Match(line) })
		if matched == r.invert {
			continue
		}
		count++
		if r.quiet || r.filesOnly || r.without {
			break
		}
		if r.count {
			continue
		}
		if binary {
			r.out.WriteString("Binary file " + prefix + r.shown(f.path) + " matches\n")
			break
		}
		r.print(name, number, line)
	}
	r.found = r.found || count > 0 != r.without
	switch {
	case r.quiet:
	case r.filesOnly && count > 0, r.without && count == 0:
		r.out.WriteString(prefix + r.shown(f.path) + "\n")
	case r.count && count > 0:
		if name != "" {
			name += ":"
		}
		r.out.WriteString(name + itoa(count) + "\n")
	}
	_, err = r.out.Write(nil)
	return err
}

// print prints a line that matches, or the parts that do.
func (r *grepRun) print(name string, number int, line []byte) {
	head := ""
	if name != "" {
		head = name + ":"
	}
	if r.number {
		head += itoa(number) + ":"
	}
	if !r.only || r.invert {
		r.out.WriteString(head)
		r.out.Write(line)
		r.out.WriteByte('\n')
		return
	}
	for from := 0; from <= len(line); {
		start, end, ok := r.matchers[0].Find(line, from)
		if !ok {
			return
		}
		if end > start {
			r.out.WriteString(head)
			r.out.Write(line[start:end])
			r.out.WriteByte('\n')
		}
		from = max(end, from+1)
	}
}

// A blamed is a line of a file, and the commit that it comes from.
type blamed struct {
	text   string
	commit *commit
	path   string
	number int // in that commit
}

// blame is git blame.
func (g *git) blame(args []string) error {
	b := struct {
		lines                                        []string
		porcelain, linePorcelain, email, noAuthor    bool
		long, showName, showNumber, raw, root, blank bool
		date                                         string
		ignoreSpace                                  bool
	}{}
	f := g.options("[<options>] [<rev>] [--] <file>")
	f.strings(&b.lines, "L")
	f.bool(&b.porcelain, "p,porcelain")
	f.bool(&b.linePorcelain, "line-porcelain")
	f.bool(&b.email, "e,show-email")
	f.bool(&b.noAuthor, "s")
	f.bool(&b.long, "l")
	f.bool(&b.showName, "f,show-name")
	f.bool(&b.showNumber, "n,show-number")
	f.bool(&b.raw, "t")
	f.bool(&b.root, "root")
	f.bool(&b.ignoreSpace, "w")
	f.string(&b.date, "date")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	args = append(args, rest...)
	rev := "HEAD"
	switch len(args) {
	case 1:
	case 2:
		rev = args[0]
	default:
		return usage(f.usage)
	}
	h, err := g.commitOf(rev)
	if err != nil {
		return fatalf("no such ref: %s", rev)
	}
	spec, err := g.pathspec(args[len(args)-1:])
	if err != nil {
		return err
	}
	name := spec.rules[0].path
	list, err := g.annotate(h, name, rev == "HEAD" && len(args) == 1)
	if err != nil {
		return err
	}
	first, last := 1, len(list)
	for _, text := range b.lines {
		if first, last, err = lineRange(text, len(list), name); err != nil {
			return err
		}
	}
	if b.porcelain || b.linePorcelain {
		return g.printPorcelain(list, first, last, b.linePorcelain)
	}
	if b.date == "" {
		b.date = "iso"
	}
	authors, dates, renamed := 0, 0, b.showName
	for _, l := range list[first-1 : last] {
		who := l.commit.author.name
		if b.email {
			who = "<" + l.commit.author.email + ">"
		}
		authors = max(authors, characters(who))
		dates = max(dates, len(g.formatDate(l.commit.author.when, b.date)))
		renamed = renamed || l.path != name
	}
	names := 0
	numbers := 0
	for _, l := range list[first-1 : last] {
		names, numbers = max(names, len(l.path)), max(numbers, len(itoa(l.number)))
	}
	for i, l := range list[first-1 : last] {
		if err := g.Poll(1); err != nil {
			return err
		}
		mark, digits := "", 8
		if b.long {
			digits = 40
		}
		id := g.objects.short(l.commit.hash, digits)
		if l.commit.hash == (hash{}) {
			id = strings.Repeat("0", digits)
		}
		if len(l.commit.parents) == 0 && !b.root && l.commit.hash != (hash{}) {
			mark, id = "^", id[:len(id)-1]
		}
		g.out.WriteString(mark + id)
		if renamed {
			fmt.Fprintf(g.out, " %-*s", names, l.path)
		}
		if b.showNumber {
			fmt.Fprintf(g.out, " %*d", numbers, l.number)
		}
		if !b.noAuthor {
			who := l.commit.author.name
			if b.email {
				who = "<" + l.commit.author.email + ">"
			}
			when := g.formatDate(l.commit.author.when, b.date)
			if b.raw {
				when = fmt.Sprintf("%d %s", l.commit.author.when.Unix(), l.commit.author.when.Format("-0700"))
			}
			fmt.Fprintf(g.out, " (%s%s %-*s", who, strings.Repeat(" ", authors-characters(who)), dates, when)
			g.out.WriteString(" ")
		} else {
			g.out.WriteString(" ")
		}
		fmt.Fprintf(g.out, "%*d) %s", len(itoa(last)), first+i, l.text)
		if !strings.HasSuffix(l.text, "\n") {
			g.out.WriteByte('\n')
		}
	}
	return nil
}

// lineRange parses the value of -L.
func lineRange(text string, n int, name string) (first, last int, err error) {
	from, to, has := strings.Cut(text, ",")
	first, last = 1, n
	if from != "" {
		if first, err = strconv.Atoi(from); err != nil {
			return 0, 0, fatalf("-L invalid line number: %s", from)
		}
	}
	if has && to != "" {
		k, err := strconv.Atoi(strings.TrimLeft(to, "+-"))
		if err != nil {
			return 0, 0, fatalf("-L invalid line number: %s", to)
		}
		switch to[0] {
		case '+':
			last = first + k - 1
		case '-':
			first, last = max(first-k+1, 1), first
		default:
			last = k
		}
	}
	if first > last {
		first, last = last, first
	}
	if first > n {
		return 0, 0, fatalf("file %s has only %s", name, plural(n, "line"))
	}
	return max(first, 1), min(last, n), nil
}

// annotate finds out where the lines of a file come from. With work, it is the
// file in the working tree.
func (g *git) annotate(h hash, name string, work bool) ([]blamed, error) {
	c, err := g.objects.commit(h)
	if err != nil {
		return nil, err
	}
	e, ok, err := g.findInTree(c.tree, name)
	if err != nil {
		return nil, err
	}
	if !ok || e.mode == modeDir {
		return nil, fatalf("no such path '%s' in HEAD", name)
	}
	data, err := g.objects.readKind(e.hash, "blob")
	if err != nil {
		return nil, err
	}
	var list []blamed
	current := splitLines(data)
	owner := make([]int, len(current)) // of each line of the commit's file: the line of the result
	if work && g.repo.tree != "" {
		now, err := g.workData(name)
		if err == nil && !bytes.Equal(now, data) {
			uncommitted := &commit{author: signature{name: "Not Committed Yet", email: "not.committed.yet", when: g.now()}, parents: []hash{h}}
			for i, text := range splitLines(now) {
				list = append(list, blamed{text, uncommitted, name, i + 1})
			}
			for i := range owner {
				owner[i] = -1
			}
			diff, err := g.diffLines(data, now, nil)
			if err != nil {
				return nil, err
			}
			eachSame(diff, func(old, new int) { owner[old] = new })
		}
		g.Free(len(now))
	}
	if list == nil {
		for i, text := range current {
			list = append(list, blamed{text, c, name, i + 1})
			owner[i] = i
		}
	}
	if err := g.hold(2*len(data) + 64*len(list)); err != nil {
		return nil, err
	}
	return list, g.passBlame(list, c, name, data, owner)
}

// eachSame calls do for each pair of lines that two texts have in common.
func eachSame(d *textDiff, do func(old, new int)) {
	i, j := 0, 0
	for _, c := range d.changes {
		for ; i < c.A; i, j = i+1, j+1 {
			do(i, j)
		}
		i, j = c.A+c.Del, c.B+c.Ins
	}
	for ; i < len(d.old) && j < len(d.new); i, j = i+1, j+1 {
		do(i, j)
	}
}

// A blameTask is a file of a commit whose lines may come from before.
type blameTask struct {
	commit *commit
	path   string
	data   []byte
	owner  []int // of each line: the line of the result, or -1
}

// passBlame hands lines on to the parents that have them too.
func (g *git) passBlame(list []blamed, c *commit, name string, data []byte, owner []int) error {
	todo := []blameTask{{c, name, data, owner}}
	for len(todo) > 0 {
		best := 0
		for i := range todo {
			if todo[i].commit.committer.when.After(todo[best].commit.committer.when) {
				best = i
			}
		}
		t := todo[best]
		todo = slices.Delete(todo, best, best+1)
		if err := g.Poll(1 + len(t.owner)); err != nil {
			return err
		}
		for i, o := range t.owner {
			if o >= 0 {
				list[o].commit, list[o].path, list[o].number = t.commit, t.path, i+1
			}
		}
		for k := range t.commit.parents {
			next, err := g.blameParent(&t, k)
			if err != nil {
				return err
			}
			if next != nil {
				todo = append(todo, *next)
			}
		}
		g.Free(len(t.data))
	}
	return nil
}

// blameParent takes from a task the lines that a parent has, and returns a task for
// them.
func (g *git) blameParent(t *blameTask, k int) (*blameTask, error) {
	p, err := g.objects.commit(t.commit.parents[k])
	if err != nil {
		return nil, err
	}
	e, ok, err := g.findInTree(p.tree, t.path)
	if err != nil {
		return nil, err
	}
	name := t.path
	if !ok {
		all, err := g.treeChanges(t.commit, k)
		if err != nil {
			return nil, err
		}
		if all, err = g.renames(all); err != nil {
			return nil, err
		}
		for _, c := range all {
			if c.status == 'R' && c.new.path == t.path {
				e, ok, name = treeEntry{mode: c.old.mode, hash: c.old.hash}, true, c.old.path
			}
		}
	}
	if !ok || e.mode == modeDir || e.mode == modeGitlink {
		return nil, nil
	}
	data, err := g.objects.readKind(e.hash, "blob")
	if err != nil {
		return nil, err
	}
	diff, err := g.diffLines(data, t.data, nil)
	if err != nil {
		return nil, err
	}
	next := &blameTask{commit: p, path: name, data: data, owner: make([]int, len(diff.old))}
	for i := range next.owner {
		next.owner[i] = -1
	}
	any := false
	eachSame(diff, func(old, new int) {
		if t.owner[new] >= 0 {
			next.owner[old], t.owner[new] = t.owner[new], -1
			any = true
		}
	})
	if !any {
		g.Free(len(data))
		return nil, nil
	}
	return next, nil
}

// printPorcelain prints lines for programs.
func (g *git) printPorcelain(list []blamed, first, last int, all bool) error {
	seen := map[hash]bool{}
	for i := first - 1; i < last; i++ {
		l := list[i]
		follows := func(j int) bool {
			return list[j].commit == list[j-1].commit && list[j].number == list[j-1].number+1 && list[j].path == list[j-1].path
		}
		header := fmt.Sprintf("%s %d %d", l.commit.hash, l.number, i+1)
		if i == first-1 || !follows(i) {
			n := 1
			for i+n < last && follows(i+n) {
				n++
			}
			header += " " + itoa(n)
		}
		g.out.WriteString(header + "\n")
		if !seen[l.commit.hash] || all {
			seen[l.commit.hash] = true
			for _, role := range []struct {
				name string
				sig  signature
			}{{"author", l.commit.author}, {"committer", l.commit.committer}} {
				if l.commit.hash == (hash{}) {
					role.sig = l.commit.author
				}
				fmt.Fprintf(g.out, "%s %s\n%s-mail <%s>\n%s-time %d\n%s-tz %s\n", role.name, role.sig.name, role.name, role.sig.email,
					role.name, role.sig.when.Unix(), role.name, role.sig.when.Format("-0700"))
			}
			fmt.Fprintf(g.out, "summary %s\n", subjectOf(l.commit.message))
			switch {
			case len(l.commit.parents) == 0:
				g.out.WriteString("boundary\n")
			default:
				fmt.Fprintf(g.out, "previous %s %s\n", l.commit.parents[0], l.path)
			}
			g.out.WriteString("filename " + l.path + "\n")
		}
		g.out.WriteString("\t" + strings.TrimSuffix(l.text, "\n") + "\n")
	}
	return nil
}

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
