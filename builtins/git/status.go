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
	s.branch = g.repo.headBranch(g)
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

// headBranch returns the full name of the current branch.
func (r *repository) headBranch(g *git) string { return g.head() }

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
	f.ignore("no-renames,no-ahead-behind,ahead-behind,renames,no-column")
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

// labels are what the long format calls changes.
var labels = map[byte]string{'A': "new file:   ", 'M': "modified:   ", 'D': "deleted:    ", 'R': "renamed:    ", 'C': "copied:     ", 'T': "typechange: "}

// long prints the long format.
func (s *statusRun) long() error {
	if err := s.header(); err != nil {
		return err
	}
	hint := func(text string) {
		if s.hints {
			s.out.WriteString("  (" + text + ")\n")
		}
	}
	if len(s.staged) > 0 {
		s.out.WriteString("Changes to be committed:\n")
		if s.born {
			hint(`use "git restore --staged <file>..." to unstage`)
		} else {
			hint(`use "git rm --cached <file>..." to unstage`)
		}
		for _, c := range s.staged {
			name := s.path(c.name())
			if c.status == 'R' {
				name = s.path(c.old.path) + " -> " + name
			}
			s.out.WriteString("\t" + labels[c.status] + name + "\n")
		}
		s.out.WriteByte('\n')
	}
	if len(s.unstaged) > 0 {
		deleted := slices.ContainsFunc(s.unstaged, func(c change) bool { return c.status == 'D' })
		s.out.WriteString("Changes not staged for commit:\n")
		if deleted {
			hint(`use "git add/rm <file>..." to update what will be committed`)
		} else {
			hint(`use "git add <file>..." to update what will be committed`)
		}
		hint(`use "git restore <file>..." to discard changes in working directory`)
		for _, c := range s.unstaged {
			s.out.WriteString("\t" + labels[c.status] + s.path(c.name()) + "\n")
		}
		s.out.WriteByte('\n')
	}
	if len(s.untracked) > 0 {
		s.out.WriteString("Untracked files:\n")
		hint(`use "git add <file>..." to include in what will be committed`)
		for _, name := range s.untracked {
			s.out.WriteString("\t" + s.path(name) + "\n")
		}
		s.out.WriteByte('\n')
	}
	if len(s.ignored) > 0 {
		s.out.WriteString("Ignored files:\n")
		hint(`use "git add -f <file>..." to include in what will be committed`)
		for _, name := range s.ignored {
			s.out.WriteString("\t" + s.path(name) + "\n")
		}
		s.out.WriteByte('\n')
	}
	if s.mode == "no" && len(s.staged) > 0 {
		s.out.WriteString("Untracked files not listed")
		if s.hints {
			s.out.WriteString(" (use -u option to show untracked files)")
		}
		s.out.WriteByte('\n')
	}
	s.conclude()
	return nil
}

// header says which branch is checked out.
func (s *statusRun) header() error {
	switch {
	case s.branch != "":
		s.out.WriteString("On branch " + branchName(s.branch) + "\n")
	default:
		s.out.WriteString(s.detached() + "\n")
	}
	if !s.born {
		if s.commit {
			s.out.WriteString("\nInitial commit\n\n")
		} else {
			s.out.WriteString("\nNo commits yet\n\n")
		}
		return nil
	}
	if s.branch == "" {
		return nil
	}
	text, err := s.tracking(s.branch, s.head)
	s.out.WriteString(text)
	if text != "" {
		s.out.WriteByte('\n')
	}
	return err
}

// detached says where HEAD is.
func (s *statusRun) detached() string {
	for _, e := range s.readLog("HEAD") {
		rest, ok := strings.CutPrefix(e.message, "checkout: moving from ")
		if !ok {
			continue
		}
		_, to, _ := strings.Cut(rest, " to ")
		name := to
		if h, ok := parseHash(to); ok {
			name = s.abbrev(h)
		}
		if e.to == s.head {
			return "HEAD detached at " + name
		}
		return "HEAD detached from " + name
	}
	return "Not currently on any branch."
}

// tracking says how a branch relates to the one that it follows.
func (g *git) tracking(branch string, head hash) (string, error) {
	up, ok := g.upstream(branch)
	if !ok {
		return "", nil
	}
	name := strings.TrimPrefix(strings.TrimPrefix(up, "refs/remotes/"), "refs/heads/")
	h, ok := g.lookup(up)
	if !ok {
		return "Your branch is based on '" + name + "', but the upstream is gone.\n  (use \"git branch --unset-upstream\" to fixup)\n", nil
	}
	ahead, behind, err := g.aheadBehind(head, h)
	if err != nil {
		return "", err
	}
	switch {
	case ahead == 0 && behind == 0:
		return "Your branch is up to date with '" + name + "'.\n", nil
	case behind == 0:
		return "Your branch is ahead of '" + name + "' by " + plural(ahead, "commit") + ".\n  (use \"git push\" to publish your local commits)\n", nil
	case ahead == 0:
		return "Your branch is behind '" + name + "' by " + plural(behind, "commit") + ", and can be fast-forwarded.\n  (use \"git pull\" to update your local branch)\n", nil
	}
	return fmt.Sprintf("Your branch and '%s' have diverged,\nand have %d and %d different commits each, respectively.\n"+
		"  (use \"git pull\" to merge the remote branch into yours)\n", name, ahead, behind), nil
}

// conclude prints the last line of the long format.
func (s *statusRun) conclude() {
	hint := func(text string) string {
		if s.hints {
			return " (" + text + ")"
		}
		return ""
	}
	switch {
	case len(s.staged) > 0:
	case len(s.unstaged) > 0:
		fmt.Fprintf(s.out, "no changes added to commit%s\n", hint(`use "git add" and/or "git commit -a"`))
	case len(s.untracked) > 0:
		fmt.Fprintf(s.out, "nothing added to commit but untracked files present%s\n", hint(`use "git add" to track`))
	case !s.born:
		fmt.Fprintf(s.out, "nothing to commit%s\n", hint(`create/copy files and use "git add" to track`))
	case s.mode == "no":
		fmt.Fprintf(s.out, "nothing to commit%s\n", hint("use -u to show untracked files"))
	default:
		s.out.WriteString("nothing to commit, working tree clean\n")
	}
}
