package git

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/regex"
)

// A logRun is one run of git log, show, rev-list or the like.
type logRun struct {
	*git
	style
	diff   diffFormat
	paths  *pathspec
	follow string // the file whose renames are followed

	count, skip          int
	since, until         time.Time
	authors, committers  []string
	greps                []string
	ignoreCase, allMatch bool
	invert               bool
	fixed                bool
	dialect              regex.Dialect
	reversed, graph      bool
	all, branches, tags  bool
	remotes, firstParent bool
	minParents           int
	maxParents           int
	pickaxe, pickRegexp  string
	following            bool
	leftRight            bool
	topo                 bool
	mergeDiffs           bool

	matchers map[string]*regex.Matcher
	renamed  []renamedAt
	last     bool // nothing that is shown comes before the commit
	shown    int
	symmetry map[hash]uint8
}

// newLog returns a run with the options of a log, and their flags.
func (g *git) newLog(args string) (*logRun, *flags) {
	l := &logRun{git: g, count: -1, minParents: 0, maxParents: -1, matchers: map[string]*regex.Matcher{}}
	l.style.name = "medium"
	f := g.options(args)
	f.number = func(n int) { l.count = n }
	f.int(&l.count, "n,max-count")
	f.int(&l.skip, "skip")
	date := func(p *time.Time) func(string) error {
		return func(text string) error {
			t, ok := g.parseDate(text)
			if !ok {
				return fatalf("invalid date format: %s", text)
			}
			*p = t
			return nil
		}
	}
	f.add("since,after", true, false, date(&l.since))
	f.add("until,before", true, false, date(&l.until))
	f.strings(&l.authors, "author")
	f.strings(&l.committers, "committer")
	f.strings(&l.greps, "grep")
	f.bool(&l.ignoreCase, "i,regexp-ignore-case")
	f.bool(&l.allMatch, "all-match")
	f.bool(&l.invert, "invert-grep")
	f.bool(&l.fixed, "F,fixed-strings")
	f.do("E,extended-regexp", func() { l.dialect = regex.Extended })
	f.do("P,perl-regexp", func() { l.dialect = regex.Perl })
	f.ignore("basic-regexp,no-notes,no-mailmap,no-use-mailmap,date-order,no-show-signature")
	f.bool(&l.reversed, "reverse")
	f.do("oneline", func() { l.style.name, l.shortNames = "oneline", true })
	f.add("format", true, false, l.setFormat)
	f.add("pretty", false, true, l.setFormat)
	f.bool(&l.shortNames, "abbrev-commit")
	f.not(&l.shortNames, "no-abbrev-commit")
	f.string(&l.date, "date")
	f.do("relative-date", func() { l.date = "relative" })
	f.add("decorate", false, true, func(v string) error {
		l.decorate = map[string]string{"": "short", "short": "short", "full": "full"}[v]
		return nil
	})
	f.do("no-decorate", func() { l.decorate = "" })
	f.bool(&l.graph, "graph")
	f.bool(&l.all, "all")
	f.bool(&l.branches, "branches")
	f.bool(&l.tags, "tags")
	f.bool(&l.remotes, "remotes")
	f.bool(&l.firstParent, "first-parent")
	f.do("no-merges", func() { l.maxParents = 1 })
	f.do("merges", func() { l.minParents = 2 })
	f.int(&l.minParents, "min-parents")
	f.int(&l.maxParents, "max-parents")
	f.bool(&l.following, "follow")
	f.string(&l.pickaxe, "S")
	f.string(&l.pickRegexp, "G")
	f.bool(&l.leftRight, "left-right")
	f.bool(&l.topo, "topo-order")
	f.bool(&l.mergeDiffs, "m")
	l.diff.declare(f)
	return l, f
}

// start sets up what is shown of which commits.
func (l *logRun) start(args, paths []string, dashed bool) (*walkRange, error) {
	if err := l.discover(); err != nil {
		return nil, err
	}
	revisions, files, err := l.divide(args, paths, dashed)
	if err != nil {
		return nil, err
	}
	if l.paths, err = l.pathspec(files); err != nil {
		return nil, err
	}
	if l.following {
		if len(files) != 1 {
			return nil, fatal("--follow requires exactly one pathspec")
		}
		l.follow = l.paths.rules[0].path
	}
	r := &walkRange{}
	for _, text := range revisions {
		if err := r.add(l.git, text); err != nil {
			return nil, fatalf("bad revision '%s'", text)
		}
	}
	if err := l.addRefs(r); err != nil {
		return nil, err
	}
	if l.decorate != "" || strings.Contains(l.style.format, "%d") || strings.Contains(l.style.format, "%D") {
		if l.named, err = l.decorations(l.decorate == "full"); err != nil {
			return nil, err
		}
	}
	if l.leftRight && r.symmetric != nil {
		l.symmetry = map[hash]uint8{}
		if err := l.reach(r.symmetric[:1], l.symmetry, 1); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// addRefs adds the references that --all and its like choose.
func (l *logRun) addRefs(r *walkRange) error {
	for _, group := range []struct {
		on     bool
		prefix string
	}{{l.all, "refs/"}, {l.branches, "refs/heads/"}, {l.tags, "refs/tags/"}, {l.remotes, "refs/remotes/"}} {
		if !group.on {
			continue
		}
		list, err := l.git.refs(group.prefix)
		if err != nil {
			return err
		}
		if h, ok := l.lookup("HEAD"); ok && l.all {
			list = append(list, ref{"HEAD", h})
		}
		for _, ref := range list {
			if h, err := l.peelTo(ref.hash, "commit"); err == nil {
				r.include = append(r.include, h)
			}
		}
	}
	return nil
}

// log is git log.
func (g *git) log(args []string) error {
	l, f := g.newLog("[<options>] [<revision-range>] [[--] <path>...]")
	args, paths, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	if value, ok := g.config("log.date"); ok && l.date == "" {
		l.date = value
	}
	r, err := l.start(args, paths, f.dashed)
	if err != nil {
		return err
	}
	if len(r.include) == 0 && !l.all && !l.branches && !l.tags && !l.remotes {
		h, ok := g.lookup("HEAD")
		if !ok {
			return fatalf("your current branch '%s' does not have any commits yet", branchName(g.head()))
		}
		r.include = []hash{h}
	}
	return l.run(r, l.print)
}

// run calls do for each commit that is chosen.
func (l *logRun) run(r *walkRange, do func(*commit) error) error {
	w, err := l.walk(r, l.firstParent)
	if err != nil {
		return err
	}
	var kept []*commit
	skip := l.skip
	for l.count != 0 {
		interesting := true
		c, err := w.next(func(c *commit) ([]hash, error) {
			list, show, err := l.simplify(c)
			interesting = show
			if !l.since.IsZero() && c.committer.when.Before(l.since) {
				return nil, err // what is before it is older still
			}
			return list, err
		})
		if err != nil {
			return err
		}
		if c == nil {
			break
		}
		if !l.since.IsZero() && c.committer.when.Before(l.since) {
			continue
		}
		ok := interesting
		if ok {
			if ok, err = l.chosen(c); err != nil {
				return err
			}
		}
		if !ok {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		l.count--
		if l.reversed || l.graph || l.topo {
			kept = append(kept, c)
			continue
		}
		if err := do(c); err != nil {
			return err
		}
	}
	if l.topo || l.graph {
		kept = topological(kept)
	}
	if l.reversed {
		slices.Reverse(kept)
	}
	for _, c := range kept {
		if l.graph && len(c.parents) > 1 {
			return fatal("--graph is not available for histories with merges")
		}
		l.last = len(c.parents) == 0 || w.excluded[c.parents[0]] != 0
		if err := do(c); err != nil {
			return err
		}
	}
	return nil
}

// topological sorts commits so that none comes before what is made from it, and
// branches are not mixed.
func topological(list []*commit) []*commit {
	index := map[hash]*commit{}
	children := map[hash]int{}
	for _, c := range list {
		index[c.hash] = c
	}
	for _, c := range list {
		for _, p := range c.parents {
			children[p]++
		}
	}
	var stack, out []*commit
	for i := len(list) - 1; i >= 0; i-- {
		if children[list[i].hash] == 0 {
			stack = append(stack, list[i])
		}
	}
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		out = append(out, c)
		for _, p := range c.parents {
			if children[p]--; children[p] == 0 && index[p] != nil {
				stack = append(stack, index[p])
			}
		}
	}
	return out
}

// simplify returns the parents of a commit that are followed, and whether it
// changes what the paths choose.
func (l *logRun) simplify(c *commit) (parents []hash, interesting bool, err error) {
	if l.paths.all() {
		return c.parents, true, nil
	}
	if len(c.parents) == 0 {
		list, err := l.changesOf(c, 0)
		return nil, len(list) > 0, err
	}
	different := true
	for i, p := range c.parents {
		list, err := l.changesOf(c, i)
		if err != nil {
			return nil, false, err
		}
		if len(list) == 0 {
			if len(c.parents) > 1 {
				return []hash{p}, false, nil
			}
			different = false
		}
		if l.follow != "" && i == 0 && len(list) > 0 {
			if err := l.followRename(c); err != nil {
				return nil, false, err
			}
		}
	}
	return c.parents, different, nil
}

// changesOf returns what a commit changes of the paths, against one of its parents.
func (l *logRun) changesOf(c *commit, parent int) ([]change, error) {
	list, err := l.treeChanges(c, parent)
	return l.paths.filter(list), err
}

// treeChanges returns what a commit changes against one of its parents.
func (g *git) treeChanges(c *commit, parent int) ([]change, error) {
	old := hash{}
	if parent < len(c.parents) {
		p, err := g.objects.commit(c.parents[parent])
		if err != nil {
			return nil, err
		}
		old = p.tree
	}
	return g.compareTrees(old, c.tree)
}

// compareTrees returns the changes from one tree to another. The zero hash is no
// tree.
func (g *git) compareTrees(old, new hash) ([]change, error) {
	if old == new {
		return nil, nil
	}
	var a, b []file
	var walk func(x, y hash, prefix string, depth int) error
	walk = func(x, y hash, prefix string, depth int) error {
		if depth > 500 {
			return fatal("exceeded maximum tree depth")
		}
		sides := [2]map[string]treeEntry{{}, {}}
		for i, h := range []hash{x, y} {
			if h == (hash{}) {
				continue
			}
			list, err := g.objects.tree(h)
			if err != nil {
				return err
			}
			for _, e := range list {
				sides[i][e.name] = e
			}
		}
		for i, out := range []*[]file{&a, &b} {
			for name, e := range sides[i] {
				o, ok := sides[1-i][name]
				if ok && o == e {
					continue
				}
				if e.mode != modeDir {
					*out = append(*out, file{path: prefix + name, mode: e.mode, hash: e.hash})
					continue
				}
				var pair [2]hash
				pair[i] = e.hash
				if ok && o.mode == modeDir {
					if i == 1 {
						continue // done from the other side
					}
					pair[1] = o.hash
				}
				if err := walk(pair[0], pair[1], prefix+name+"/", depth+1); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := walk(old, new, "", 0); err != nil {
		return nil, err
	}
	byPath := func(x, y file) int { return strings.Compare(x.path, y.path) }
	slices.SortFunc(a, byPath)
	slices.SortFunc(b, byPath)
	return compareFiles(a, b), nil
}

// followRename goes on with the former name of the file, where the commit has
// renamed it.
func (l *logRun) followRename(c *commit) error {
	all, err := l.treeChanges(c, 0)
	if err != nil {
		return err
	}
	if all, err = l.renames(all); err != nil {
		return err
	}
	for _, ch := range all {
		if ch.status == 'R' && ch.new.path == l.follow {
			l.renamed = append(l.renamed, renamedAt{c.hash, l.follow, ch.old.path})
			l.follow = ch.old.path
			l.paths = &pathspec{rules: []pathRule{{path: ch.old.path}}}
		}
	}
	return nil
}

// matcher returns the matcher of an expression of an option.
func (l *logRun) matcher(pattern string) (*regex.Matcher, error) {
	if m := l.matchers[pattern]; m != nil {
		return m, nil
	}
	dialect, flags := l.dialect, regex.Multiline
	if l.fixed {
		dialect = regex.Literal
	}
	if l.ignoreCase {
		flags |= regex.IgnoreCase
	}
	re, err := regex.Compile(pattern, dialect, flags)
	if err != nil {
		return nil, fatalf("command line, '%s': %v", pattern, err)
	}
	l.matchers[pattern] = re.Matcher(l.Call)
	return l.matchers[pattern], nil
}

// chosen reports whether the options choose a commit.
func (l *logRun) chosen(c *commit) (bool, error) {
	if len(c.parents) < l.minParents || l.maxParents >= 0 && len(c.parents) > l.maxParents ||
		!l.until.IsZero() && c.committer.when.After(l.until) {
		return false, nil
	}
	any := func(patterns []string, text string, all bool) (bool, error) {
		if len(patterns) == 0 {
			return true, nil
		}
		n := 0
		for _, p := range patterns {
			m, err := l.matcher(p)
			if err != nil {
				return false, err
			}
			if m.Match([]byte(text)) {
				n++
			}
		}
		return n > 0 && (!all || n == len(patterns)), nil
	}
	ok, err := any(l.authors, c.author.name+" <"+c.author.email+">", false)
	if !ok || err != nil {
		return false, err
	}
	if ok, err = any(l.committers, c.committer.name+" <"+c.committer.email+">", false); !ok || err != nil {
		return false, err
	}
	if len(l.greps) > 0 {
		if ok, err = any(l.greps, c.message, l.allMatch); err != nil || ok == l.invert {
			return false, err
		}
	}
	if l.pickaxe != "" || l.pickRegexp != "" {
		return l.picked(c)
	}
	return true, nil
}

// picked reports whether a commit changes how often a text is there, or has an
// expression among its changed lines.
func (l *logRun) picked(c *commit) (bool, error) {
	if len(c.parents) > 1 {
		return false, nil
	}
	list, err := l.changesOf(c, 0)
	if err != nil {
		return false, err
	}
	for _, ch := range list {
		old, err := l.data(ch.old)
		if err != nil {
			return false, err
		}
		new, err := l.data(ch.new)
		if err != nil {
			return false, err
		}
		found, err := l.pickedIn(old, new)
		l.Free(len(old) + len(new))
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}

func (l *logRun) pickedIn(old, new []byte) (bool, error) {
	if l.pickaxe != "" {
		return bytes.Count(old, []byte(l.pickaxe)) != bytes.Count(new, []byte(l.pickaxe)), nil
	}
	m, err := l.matcher(l.pickRegexp)
	if err != nil {
		return false, err
	}
	diff, err := l.diffLines(old, new, nil)
	if err != nil {
		return false, err
	}
	for _, c := range diff.changes {
		for _, line := range slices.Concat(diff.old[c.A:c.A+c.Del], diff.new[c.B:c.B+c.Ins]) {
			if m.Match([]byte(line)) {
				return true, nil
			}
		}
	}
	return false, nil
}

// print prints a commit, and what it changes.
func (l *logRun) print(c *commit) error {
	mark := ""
	if l.symmetry != nil {
		mark = ">"
		if l.symmetry[c.hash] != 0 {
			mark = "<"
		}
		if l.style.name != "user" {
			mark += " "
		}
	}
	var list []change
	var err error
	if l.diff.chosen() && !l.diff.noneChosen && (len(c.parents) < 2 || l.mergeDiffs || l.firstParent) {
		if list, err = l.commitChanges(c); err != nil {
			return err
		}
	}
	text := l.showCommit(&l.style, c, mark)
	if l.graph {
		text = l.drawn(text)
	}
	separate := l.style.name != "oneline" && l.style.name != "reference" && !(l.style.name == "user" && l.terminator)
	if l.shown > 0 && separate {
		if l.graph && l.style.name != "user" {
			l.out.WriteString("| ")
			l.out.WriteString("\n")
		} else {
			l.out.WriteByte('\n')
		}
	}
	l.shown++
	l.out.WriteString(text)
	if l.style.name == "user" && (l.terminator || len(list) > 0) {
		l.out.WriteByte('\n')
	}
	if len(list) == 0 {
		_, err := l.out.Write(nil)
		return err
	}
	if l.graph {
		return fatal("--graph is not available with the changes of commits")
	}
	d := l.diff
	if l.style.name != "oneline" && !(l.style.name == "user" && l.style.format == "") {
		if d.stat && d.patch {
			l.out.WriteString("---")
		}
		l.out.WriteByte('\n')
	}
	return l.printChanges(&d, list)
}

// commitChanges returns what is shown of a commit's changes.
func (l *logRun) commitChanges(c *commit) ([]change, error) {
	paths := l.paths
	for _, r := range l.renamed {
		if r.at == c.hash {
			all, err := l.treeChanges(c, 0)
			if err != nil {
				return nil, err
			}
			if all, err = l.prepare(&l.diff, all); err != nil {
				return nil, err
			}
			return (&pathspec{rules: []pathRule{{path: r.new}}}).filter(all), nil
		}
	}
	list, err := l.treeChanges(c, 0)
	if err != nil {
		return nil, err
	}
	return l.prepare(&l.diff, paths.filter(list))
}

// drawn returns the text of a commit with the line of a graph beside it.
func (l *logRun) drawn(text string) string {
	lines := strings.SplitAfter(text, "\n")
	var b strings.Builder
	for i, line := range lines {
		switch {
		case line == "":
		case i == 0:
			b.WriteString("* " + line)
		case l.last:
			b.WriteString("  " + line)
		default:
			b.WriteString("| " + line)
		}
	}
	return b.String()
}

// A renamedAt is a commit that renamed the file that is followed.
type renamedAt struct {
	at       hash
	new, old string
}

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

// revList is git rev-list.
func (g *git) revList(args []string) error {
	l, f := g.newLog("[<options>] <commit>... [--] [<path>...]")
	counting, parents := false, false
	f.bool(&counting, "count")
	f.bool(&parents, "parents")
	args, paths, err := f.parse(args)
	if err != nil {
		return err
	}
	r, err := l.start(args, paths, f.dashed)
	if err != nil {
		return err
	}
	if len(r.include) == 0 && !l.all && !l.branches && !l.tags && !l.remotes {
		return usage(f.usage)
	}
	n, left, right := 0, 0, 0
	err = l.run(r, func(c *commit) error {
		n++
		mark := ""
		if l.symmetry != nil {
			if mark = ">"; l.symmetry[c.hash] != 0 {
				mark = "<"
				left++
			} else {
				right++
			}
		}
		if counting {
			return nil
		}
		switch l.style.name {
		case "user":
			g.out.WriteString("commit " + c.hash.String() + "\n" + g.expand(&l.style, c, l.style.format, mark) + "\n")
			return nil
		case "oneline":
			g.out.WriteString(l.showCommit(&l.style, c, mark))
			return nil
		}
		name := c.hash.String()
		if l.shortNames {
			name = g.abbrev(c.hash)
		}
		g.out.WriteString(mark + name)
		if parents {
			for _, p := range c.parents {
				g.out.WriteString(" " + p.String())
			}
		}
		_, err := g.out.WriteString("\n")
		return err
	})
	if err == nil && counting {
		if l.symmetry != nil {
			g.out.WriteString(strconv.Itoa(left) + "\t" + strconv.Itoa(right) + "\n")
		} else {
			g.out.WriteString(strconv.Itoa(n) + "\n")
		}
	}
	return err
}
