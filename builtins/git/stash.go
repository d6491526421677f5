package git

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// stash is git stash.
func (g *git) stash(args []string) error {
	action := "push"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		action, args = args[0], args[1:]
	}
	s := stashRun{git: g}
	f := g.options(action + " [<options>]")
	switch action {
	case "push", "save":
		f.string(&s.message, "m,message")
		f.bool(&s.untracked, "u,include-untracked")
		f.bool(&s.keep, "k,keep-index")
		f.bool(&s.stagedOnly, "S,staged")
	case "apply", "pop":
		f.bool(&s.index, "index")
	case "show":
		s.diff.declare(f)
	}
	f.bool(&s.quiet, "q,quiet")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.inTree(); err != nil {
		return err
	}
	args = append(args, rest...)
	switch action {
	case "push":
		return s.push(args)
	case "save":
		if s.message == "" {
			s.message = strings.Join(args, " ")
		}
		return s.push(nil)
	case "list":
		for i, e := range g.readLog("refs/stash") {
			fmt.Fprintf(g.out, "stash@{%d}: %s\n", i, e.message)
		}
		return nil
	case "clear":
		return g.deleteRef("refs/stash")
	case "drop", "pop", "apply", "show":
		return s.use(action, args)
	}
	return usage(fmt.Sprintf("error: unknown subcommand: %s\nusage: git stash list | show | drop | pop | apply | push | clear", action))
}

// A stashRun is one run of git stash.
type stashRun struct {
	*git
	message                                   string
	untracked, keep, stagedOnly, index, quiet bool
	diff                                      diffFormat
}

// push puts the local changes away.
func (s *stashRun) push(names []string) error {
	if s.stagedOnly {
		return fatal("'git stash --staged' is not available here")
	}
	head, ok := s.lookup("HEAD")
	if !ok {
		fmt.Fprintln(s.Stderr, "You do not have the initial commit yet")
		return exitStatus(1)
	}
	paths, err := s.pathspec(names)
	if err != nil {
		return err
	}
	mode := "no"
	if s.untracked {
		mode = "all"
	}
	st, err := s.examine(paths, mode, false)
	if err != nil {
		return err
	}
	if len(st.staged)+len(st.unstaged)+len(st.untracked) == 0 {
		if !s.quiet {
			s.out.WriteString("No local changes to save\n")
		}
		return nil
	}
	base, err := s.objects.commit(head)
	if err != nil {
		return err
	}
	branch := branchName(s.head())
	if branch == "" {
		branch = "(no branch)"
	}
	note := branch + ": " + s.oneLine(head)
	message := "WIP on " + note
	if s.message != "" {
		message = "On " + branch + ": " + s.message
	}
	h, err := s.save(st, head, base, paths, note, message)
	if err != nil {
		return err
	}
	if err := s.setStash(h, message); err != nil {
		return err
	}
	if err := s.putAway(st, base, paths); err != nil {
		return err
	}
	if !s.quiet {
		fmt.Fprintf(s.out, "Saved working directory and index state %s\n", message)
	}
	return nil
}

// setStash makes a commit the newest stash. Its log has the others.
func (s *stashRun) setStash(h hash, message string) error {
	old, _ := s.lookup("refs/stash")
	if err := s.writeFile(s.repo.common+"/refs/stash", []byte(h.String()+"\n")); err != nil {
		return err
	}
	return s.note("refs/stash", old, h, message)
}

// save stores the index, the working tree and what is not tracked as commits.
func (s *stashRun) save(st *statusRun, head hash, base *commit, paths *pathspec, note, message string) (h hash, err error) {
	who, err := s.author()
	if err != nil {
		return h, err
	}
	by, err := s.committer()
	if err != nil {
		return h, err
	}
	store := func(tree hash, parents []hash, message string) (hash, error) {
		c := &commit{tree: tree, parents: parents, author: who, committer: by, message: message}
		return s.objects.write("commit", c.format())
	}
	indexTree, err := s.writeTrees(st.x)
	if err != nil {
		return h, err
	}
	indexCommit, err := store(indexTree, []hash{head}, "index on "+note+"\n")
	if err != nil {
		return h, err
	}
	work := &index{written: st.x.written}
	for _, e := range st.x.entries {
		copied := *e
		work.entries = append(work.entries, &copied)
	}
	if err := (&adder{git: s.git, x: work}).tracked(paths, true); err != nil {
		return h, err
	}
	workTree, err := s.writeTrees(work)
	if err != nil {
		return h, err
	}
	parents := []hash{head, indexCommit}
	if len(st.untracked) > 0 {
		others := &index{}
		a := &adder{git: s.git, x: others}
		for _, name := range st.untracked {
			info, err := s.FS.Lstat(s.full(name))
			if err != nil {
				continue
			}
			if err := a.put(name, modeOf(info)); err != nil {
				return h, err
			}
		}
		tree, err := s.writeTrees(others)
		if err != nil {
			return h, err
		}
		commit, err := store(tree, nil, "untracked files on "+note+"\n")
		if err != nil {
			return h, err
		}
		parents = append(parents, commit)
	}
	return store(workTree, parents, message)
}

// putAway makes the working tree what HEAD has, or what the index has.
func (s *stashRun) putAway(st *statusRun, base *commit, paths *pathspec) error {
	for _, name := range st.untracked {
		if err := s.removeWork(name); err != nil {
			return err
		}
	}
	x := st.x
	if !paths.all() {
		list, err := s.flatten(base.tree)
		if err != nil {
			return err
		}
		for _, c := range paths.filter(compareFiles(list, x.files())) {
			if c.old.mode == 0 {
				x.remove(c.new.path)
				if err := s.removeWork(c.new.path); err != nil {
					return err
				}
			} else {
				x.put(&indexEntry{path: c.old.path, mode: c.old.mode, hash: c.old.hash})
			}
		}
		for _, f := range paths.filterFiles(x.files()) {
			if _, err := (&restorer{git: s.git, work: true}).one(x, f); err != nil {
				return err
			}
		}
		return s.writeIndex(x)
	}
	tree := base.tree
	if s.keep {
		var err error
		if tree, err = s.writeTrees(x); err != nil {
			return err
		}
	}
	if err := s.resetTree(x, tree, true); err != nil {
		return err
	}
	return s.writeIndex(x)
}

// use applies, shows or drops a stash.
func (s *stashRun) use(action string, args []string) error {
	n := 0
	if len(args) > 0 {
		digits := strings.TrimSuffix(strings.TrimPrefix(args[0], "stash@{"), "}")
		var err error
		if n, err = strconv.Atoi(digits); err != nil {
			return fatalf("%s is not a valid reference", args[0])
		}
	}
	log := s.readLog("refs/stash")
	if len(log) == 0 {
		fmt.Fprintln(s.Stderr, "No stash entries found.")
		return exitStatus(1)
	}
	if n < 0 || n >= len(log) {
		return mistakef("stash@{%d} is not a valid reference", n)
	}
	c, err := s.objects.commit(log[n].to)
	if err != nil {
		return err
	}
	if len(c.parents) < 2 {
		return fatalf("'%s' is not a stash-like commit", log[n].to)
	}
	switch action {
	case "drop":
		return s.drop(log, n)
	case "show":
		return s.showStash(c)
	}
	if err := s.apply(c); err != nil {
		return err
	}
	if action == "pop" {
		return s.drop(log, n)
	}
	return nil
}

// showStash prints what a stash changes.
func (s *stashRun) showStash(c *commit) error {
	list, err := s.treeChanges(c, 0)
	if err != nil {
		return err
	}
	if !s.diff.chosen() {
		s.diff.stat = true
	}
	if list, err = s.prepare(&s.diff, list); err != nil {
		return err
	}
	return s.printChanges(&s.diff, list)
}

// drop removes a stash from the log.
func (s *stashRun) drop(log []logEntry, n int) error {
	dropped := log[n]
	log = slices.Delete(slices.Clone(log), n, n+1)
	if len(log) == 0 {
		if err := s.deleteRef("refs/stash"); err != nil {
			return err
		}
	} else {
		var b strings.Builder
		from := hash{}
		for _, e := range slices.Backward(log) {
			fmt.Fprintf(&b, "%s %s %s\t%s\n", from, e.to, e.who, e.message)
			from = e.to
		}
		if err := vfs.WriteFile(s.FS, s.repo.common+"/logs/refs/stash", []byte(b.String()), 0o666); err != nil {
			return err
		}
		if err := s.writeFile(s.repo.common+"/refs/stash", []byte(log[0].to.String()+"\n")); err != nil {
			return err
		}
	}
	if !s.quiet {
		fmt.Fprintf(s.out, "Dropped refs/stash@{%d} (%s)\n", n, dropped.to)
	}
	return nil
}

// apply makes the changes of a stash again. They must not meet others.
func (s *stashRun) apply(c *commit) error {
	list, err := s.treeChanges(c, 0)
	if err != nil {
		return err
	}
	x, err := s.readIndex()
	if err != nil {
		return err
	}
	t := &transition{git: s.git, x: x, verb: "merge"}
	for _, ch := range list {
		if err := t.plan(ch); err != nil {
			return err
		}
	}
	var others []file
	if len(c.parents) > 2 {
		u, err := s.objects.commit(c.parents[2])
		if err != nil {
			return err
		}
		if others, err = s.flatten(u.tree); err != nil {
			return err
		}
		for _, f := range others {
			if _, err := s.FS.Lstat(s.full(f.path)); err == nil {
				fmt.Fprintf(s.Stderr, "%s already exists, no checkout\nerror: could not restore untracked files from stash\n", f.path)
				return exitStatus(1)
			}
		}
	}
	if err := t.refuse(); err != nil {
		return err
	}
	before := map[string]*indexEntry{}
	for _, ch := range t.update {
		if e := x.get(ch.name()); e != nil {
			copied := *e
			before[ch.name()] = &copied
		}
	}
	if err := t.apply(); err != nil {
		return err
	}
	for _, f := range others {
		if _, err := s.writeWork(f); err != nil {
			return err
		}
	}
	if err := s.unstage(x, c, t.update, before); err != nil {
		return err
	}
	if s.quiet {
		return nil
	}
	if len(list) == 0 {
		s.out.WriteString("Already up to date.\n")
	}
	mode, _ := s.config("status.showuntrackedfiles")
	if mode == "" {
		mode = "normal"
	}
	st, err := s.examine(nil, mode, false)
	if err != nil {
		return err
	}
	st.relative = true
	return st.long()
}

// unstage leaves in the index only files that are new, or, with --index, what the
// stash had there.
func (s *stashRun) unstage(x *index, c *commit, list []change, before map[string]*indexEntry) error {
	if s.index {
		staged, err := s.objects.commit(c.parents[1])
		if err != nil {
			return err
		}
		if err := s.resetTree(x, staged.tree, false); err != nil {
			return err
		}
		return s.writeIndex(x)
	}
	for _, ch := range list {
		if e := before[ch.name()]; e != nil {
			x.put(e)
		}
	}
	return s.writeIndex(x)
}
