package git

import (
	"fmt"
	"slices"
	"strings"
)

// A statusRun is what the working tree, the index and HEAD differ in.
type statusRun struct {
	*git
	x         *index
	staged    []change // from HEAD to the index
	unstaged  []change // from the index to the working tree
	untracked []string
	ignored   []string
	branch    string // the current one's full name; "" where HEAD is detached
	head      hash
	born      bool // HEAD names a commit

	mode     string // of untracked files: no, normal or all
	hints    bool
	relative bool
	commit   bool // it is what a commit without changes prints
}

// examine finds out what there is to say.
func (g *git) examine(paths *pathspec, untracked string, ignored bool) (*statusRun, error) {
	s := &statusRun{git: g, mode: untracked, hints: g.configBool("advice.statushints", true)}
	var err error
	if s.x, err = g.readIndex(); err != nil {
		return nil, err
	}
	s.branch = g.head()
	s.head, s.born = g.lookup("HEAD")
	var old []file
	if s.born {
		c, err := g.objects.commit(s.head)
		if err != nil {
			return nil, err
		}
		if old, err = g.flatten(c.tree); err != nil {
			return nil, err
		}
	}
	index := s.x.files()
	if s.staged, err = g.renames(paths.filter(compareFiles(old, index))); err != nil {
		return nil, err
	}
	work, err := g.workFiles(s.x)
	if err != nil {
		return nil, err
	}
	for _, e := range s.x.entries {
		if e.intent {
			index = append(index, file{path: e.path, mode: 0, hash: e.hash})
		}
	}
	slices.SortFunc(index, func(a, b file) int { return strings.Compare(a.path, b.path) })
	s.unstaged = paths.filter(compareFiles(index, work))
	for i := range s.unstaged {
		if c := &s.unstaged[i]; c.status == 'T' && c.old.mode == 0 {
			c.status = 'A'
		}
	}
	if untracked != "no" || ignored {
		u, err := g.untracked(s.x, paths, untracked != "all", ignored)
		if err != nil {
			return nil, err
		}
		if s.untracked = u.list; untracked == "no" {
			s.untracked = nil
		}
		s.ignored = u.ignoredList
	}
	return s, nil
}

// status is git status.
func (g *git) status(args []string) error {
	format, nul, branch, ignored := "", false, false, false
	untracked := ""
	f := g.options("[<options>] [--] [<pathspec>...]")
	f.do("s,short", func() { format = "short" })
	f.do("long", func() { format = "long" })
	f.add("porcelain", false, true, func(v string) error {
		if v != "" && v != "v1" && v != "1" {
			return fatalf("unsupported porcelain version '%s'", v)
		}
		format = "porcelain"
		return nil
	})
	f.bool(&branch, "b,branch")
	f.bool(&nul, "z,null")
	f.add("u,untracked-files", false, true, func(v string) error {
		if untracked = v; v == "" {
			untracked = "all"
		}
		if v != "" && v != "no" && v != "normal" && v != "all" {
			return fatalf("Invalid untracked files mode '%s'", v)
		}
		return nil
	})
	f.add("ignored", false, true, func(string) error { ignored = true; return nil })
	f.ignore("ahead-behind,renames,no-column")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.inTree(); err != nil {
		return err
	}
	if untracked == "" {
		if untracked, _ = g.config("status.showuntrackedfiles"); untracked == "" {
			untracked = "normal"
		}
	}
	paths, err := g.pathspec(append(args, rest...))
	if err != nil {
		return err
	}
	s, err := g.examine(paths, untracked, ignored)
	if err != nil {
		return err
	}
	s.relative = format != "porcelain"
	if nul && format == "" {
		format = "porcelain"
	}
	if format == "short" || format == "porcelain" {
		if format == "short" && g.configBool("status.branch", false) {
			branch = true
		}
		return s.short(branch, nul)
	}
	if format == "" && g.configBool("status.short", false) {
		return s.short(branch || g.configBool("status.branch", false), nul)
	}
	return s.long()
}

// path returns a path as the status shows it.
func (s *statusRun) path(name string) string {
	if s.relative {
		return s.shown(name)
	}
	return s.quotePath(name)
}

// short prints the short format.
func (s *statusRun) short(branch, nul bool) error {
	end := "\n"
	path := s.path
	if nul {
		end, path = "\x00", func(name string) string { return name }
	}
	if branch {
		s.out.WriteString("## " + s.branchLine() + end)
	}
	type entry struct {
		x, y     byte
		old, new string
	}
	found := map[string]*entry{}
	var names []string
	get := func(name string) *entry {
		if found[name] == nil {
			found[name] = &entry{' ', ' ', "", name}
			names = append(names, name)
		}
		return found[name]
	}
	for _, c := range s.staged {
		e := get(c.name())
		if e.x = c.status; c.status == 'R' {
			e.old = c.old.path
		}
	}
	for _, c := range s.unstaged {
		get(c.name()).y = c.status
	}
	for _, e := range s.x.entries {
		if e.stage > 0 {
			get(e.path).x, get(e.path).y = 'U', 'U'
		}
	}
	slices.Sort(names)
	quoted := func(name string) string {
		text := path(name)
		if !nul && strings.Contains(text, " ") && !strings.HasPrefix(text, `"`) {
			return `"` + text + `"`
		}
		return text
	}
	for _, name := range names {
		e := found[name]
		switch {
		case e.old == "":
			fmt.Fprintf(s.out, "%c%c %s%s", e.x, e.y, quoted(e.new), end)
		case nul:
			fmt.Fprintf(s.out, "%c%c %s\x00%s\x00", e.x, e.y, e.new, e.old)
		default:
			fmt.Fprintf(s.out, "%c%c %s -> %s%s", e.x, e.y, quoted(e.old), quoted(e.new), end)
		}
	}
	for _, name := range s.untracked {
		s.out.WriteString("?? " + quoted(name) + end)
	}
	for _, name := range s.ignored {
		s.out.WriteString("!! " + quoted(name) + end)
	}
	return nil
}

// branchLine says which branch is checked out, for the short format.
func (s *statusRun) branchLine() string {
	if s.branch == "" {
		return "HEAD (no branch)"
	}
	name := branchName(s.branch)
	if !s.born {
		return "No commits yet on " + name
	}
	up, ok := s.upstream(s.branch)
	if !ok {
		return name
	}
	short := strings.TrimPrefix(strings.TrimPrefix(up, "refs/remotes/"), "refs/heads/")
	h, ok := s.lookup(up)
	if !ok {
		return name + "..." + short + " [gone]"
	}
	ahead, behind, err := s.aheadBehind(s.head, h)
	var parts []string
	if ahead > 0 {
		parts = append(parts, fmt.Sprintf("ahead %d", ahead))
	}
	if behind > 0 {
		parts = append(parts, fmt.Sprintf("behind %d", behind))
	}
	if err != nil || len(parts) == 0 {
		return name + "..." + short
	}
	return name + "..." + short + " [" + strings.Join(parts, ", ") + "]"
}
