package git

import (
	"slices"
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
