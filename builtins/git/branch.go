package git

import (
	"fmt"
	"strings"
)

// A branchRun is one run of git branch.
type branchRun struct {
	*git
	deleting, force, moving, copying, remotes, all, list bool
	verbose                                              int
	showCurrent, quiet, track, noTrack, unset            bool
	contains, noContains, merged, noMerged, format, sort string
	pointsAt, upstreamTo                                 string
}

// branch is git branch.
func (g *git) branch(args []string) error {
	b := &branchRun{git: g}
	f := g.options("[<options>] [-r | -a] [--merged] [--no-merged]")
	f.bool(&b.deleting, "d,delete")
	f.do("D", func() { b.deleting, b.force = true, true })
	f.bool(&b.force, "f,force")
	f.bool(&b.moving, "m,move")
	f.do("M", func() { b.moving, b.force = true, true })
	f.bool(&b.copying, "c,copy")
	f.do("C", func() { b.copying, b.force = true, true })
	f.bool(&b.remotes, "r,remotes")
	f.bool(&b.all, "a,all")
	f.bool(&b.list, "l,list")
	f.do("v,verbose", func() { b.verbose++ })
	f.do("vv", func() { b.verbose += 2 })
	f.bool(&b.showCurrent, "show-current")
	f.bool(&b.quiet, "q,quiet")
	f.add("t,track", false, true, func(string) error { b.track = true; return nil })
	f.bool(&b.noTrack, "no-track")
	f.bool(&b.unset, "unset-upstream")
	f.string(&b.upstreamTo, "u,set-upstream-to")
	f.string(&b.format, "format")
	f.string(&b.sort, "sort")
	f.string(&b.pointsAt, "points-at")
	for name, p := range map[string]*string{"contains": &b.contains, "no-contains": &b.noContains, "merged": &b.merged, "no-merged": &b.noMerged} {
		f.last(p, name, "HEAD")
	}
	f.ignore("no-color,no-column,no-abbrev")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	return b.run(append(args, rest...))
}

func (b *branchRun) run(args []string) error {
	for _, p := range []*string{&b.contains, &b.noContains, &b.merged, &b.noMerged} {
		b.list = b.list || *p != ""
	}
	switch {
	case b.showCurrent:
		if name := b.head(); name != "" {
			fmt.Fprintln(b.out, branchName(name))
		}
		return nil
	case b.deleting:
		return b.remove(args)
	case b.moving || b.copying:
		return b.rename(args)
	case b.upstreamTo != "" || b.unset:
		return b.setUpstream(args)
	case b.list || b.remotes && len(args) == 0 || b.all || len(args) == 0:
		return b.show(args)
	case len(args) > 2:
		return usage("usage: git branch [<options>] [-f] <branch-name> [<start-point>]")
	}
	return b.create(args)
}

// create makes a branch.
func (b *branchRun) create(args []string) error {
	name, start := args[0], "HEAD"
	if len(args) > 1 {
		start = args[1]
	}
	full := "refs/heads/" + name
	if !validRef(full) || strings.HasPrefix(name, "-") || name == "HEAD" {
		return fatalf("'%s' is not a valid branch name", name)
	}
	_, exists := b.lookup(full)
	if exists && !b.force {
		return fatalf("a branch named '%s' already exists", name)
	}
	if exists && b.head() == full {
		return fatalf("cannot force update the branch '%s' checked out at '%s'", name, b.repo.tree)
	}
	h, err := b.commitOf(start)
	if err != nil {
		if start == "HEAD" {
			return fatalf("not a valid object name: '%s'", branchName(b.head()))
		}
		return fatalf("not a valid object name: '%s'", start)
	}
	message := "branch: Created from " + start
	if exists {
		message = "branch: Reset to " + start
	}
	if err := b.setRef(full, h, message); err != nil {
		return err
	}
	text, err := b.follow(name, start, b.track, b.noTrack)
	if !b.quiet {
		b.out.WriteString(text)
	}
	return err
}

// remove deletes branches.
func (b *branchRun) remove(names []string) error {
	if len(names) == 0 {
		return fatal("branch name required")
	}
	failed := false
	for _, name := range names {
		full, what := "refs/heads/"+name, "branch"
		if b.remotes {
			full, what = "refs/remotes/"+name, "remote-tracking branch"
		}
		h, ok := b.lookup(full)
		if !ok {
			fmt.Fprintf(b.Stderr, "error: %s '%s' not found.\n", what, name)
			failed = true
			continue
		}
		if full == b.head() {
			fmt.Fprintf(b.Stderr, "error: Cannot delete branch '%s' checked out at '%s'\n", name, b.repo.tree)
			failed = true
			continue
		}
		if !b.force && !b.remotes {
			merged, err := b.isMerged(full, h)
			if err != nil {
				return err
			}
			if !merged {
				fmt.Fprintf(b.Stderr, "error: The branch '%s' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D %s'.\n", name, name)
				failed = true
				continue
			}
		}
		if err := b.deleteRef(full); err != nil {
			return err
		}
		if err := b.dropSection("branch." + name); err != nil {
			return err
		}
		if !b.quiet {
			fmt.Fprintf(b.out, "Deleted %s %s (was %s).\n", what, name, b.abbrev(h))
		}
	}
	if failed {
		return exitStatus(1)
	}
	return nil
}

// dropSection removes a section of the configuration, if it is there.
func (g *git) dropSection(name string) error {
	c := configRun{git: g, scope: "local", action: "remove-section"}
	err := c.section([]string{name})
	if _, ok := err.(fatal); ok {
		return nil
	}
	return err
}

// isMerged reports whether a branch is part of the one that it follows, or of HEAD.
func (g *git) isMerged(full string, h hash) (bool, error) {
	reference, ok := g.lookup("HEAD")
	if up, follows := g.upstream(full); follows {
		if r, found := g.lookup(up); found {
			reference, ok = r, true
		}
	}
	if !ok {
		return false, nil
	}
	return g.isAncestor(h, reference)
}

// rename renames or copies a branch.
func (b *branchRun) rename(args []string) error {
	if len(args) == 0 {
		return fatal("branch name required")
	}
	current := b.head()
	old, name := current, args[0]
	if len(args) > 1 {
		old, name = "refs/heads/"+args[0], args[1]
	}
	full := "refs/heads/" + name
	if !validRef(full) || strings.HasPrefix(name, "-") {
		return fatalf("'%s' is not a valid branch name", name)
	}
	h, ok := b.lookup(old)
	if !ok {
		if old == current && b.moving {
			return b.setHead(full, hash{}, "")
		}
		return mistakef("refname %s not found\nfatal: Branch rename failed", old)
	}
	if _, exists := b.lookup(full); exists && !b.force && full != old {
		return fatalf("a branch named '%s' already exists", name)
	}
	log := b.repo.common + "/logs/" + old
	data, _ := b.inputFile(log)
	verb := "renamed"
	if b.copying {
		verb = "copied"
	} else if full != old {
		if err := b.deleteRef(old); err != nil {
			return err
		}
	}
	if full != old {
		if err := b.setRef(full, h, ""); err != nil {
			return err
		}
		if data != "" {
			file := b.repo.common + "/logs/" + full
			if err := b.FS.MkdirAll(file[:strings.LastIndexByte(file, '/')], 0o777); err != nil {
				return err
			}
			if err := b.writeFile(file, []byte(data)); err != nil {
				return err
			}
		}
	}
	if old == current && b.moving {
		if err := b.setHead(full, h, ""); err != nil {
			return err
		}
	}
	message := "Branch: " + verb + " " + old + " to " + full
	if err := b.note(full, h, h, message); err != nil {
		return err
	}
	if old == current && b.moving {
		if err := b.note("HEAD", h, hash{}, message); err != nil {
			return err
		}
		if err := b.note("HEAD", hash{}, h, message); err != nil {
			return err
		}
	}
	if b.moving {
		c := configRun{git: b.git, scope: "local", action: "rename-section"}
		if err := c.section([]string{"branch." + branchName(old), "branch." + name}); err != nil {
			if _, ok := err.(fatal); !ok {
				return err
			}
		}
	}
	return nil
}

// setUpstream sets, or forgets, the branch that a branch follows.
func (b *branchRun) setUpstream(args []string) error {
	full := b.head()
	if len(args) > 0 {
		full = "refs/heads/" + args[0]
	}
	name := branchName(full)
	if b.unset {
		if _, ok := b.upstream(full); !ok {
			return fatalf("Branch '%s' has no upstream information", name)
		}
		return b.dropSection("branch." + name)
	}
	if _, ok := b.lookup(full); !ok {
		return fatalf("branch '%s' does not exist", name)
	}
	if target, ok := b.expandRef(b.upstreamTo); !ok || !strings.HasPrefix(target, "refs/") {
		return fatalf("the requested upstream branch '%s' does not exist\nhint: \nhint: If you are planning on basing your work on an upstream\n"+
			"hint: branch that already exists at the remote, you may need to\nhint: run \"git fetch\" to retrieve it.\nhint: \n"+
			"hint: If you are planning to push out a new local branch that\nhint: will track its remote counterpart, you may want to use\n"+
			"hint: \"git push -u\" to set the upstream config as you push.\nhint: Disable this message with \"git config advice.setUpstreamFailure false\"", b.upstreamTo)
	}
	text, err := b.follow(name, b.upstreamTo, true, false)
	if !b.quiet {
		b.out.WriteString(text)
	}
	return err
}
