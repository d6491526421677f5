package git

import "fmt"

// merge is git merge, as far as the current branch has nothing of its own.
func (g *git) merge(args []string) error {
	ffOnly, noFF, quiet, abort, stat, message := false, false, false, false, true, ""
	f := g.options("[<options>] [<commit>...]")
	f.bool(&ffOnly, "ff-only")
	f.bool(&noFF, "no-ff")
	f.bool(&quiet, "q,quiet")
	f.bool(&abort, "abort")
	f.not(&stat, "n,no-stat")
	f.string(&message, "m")
	f.ignore("ff,stat,no-edit,commit,no-progress,no-verify")
	args, _, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.inTree(); err != nil {
		return err
	}
	if abort {
		return fatal("There is no merge to abort (MERGE_HEAD missing).")
	}
	name := ""
	switch len(args) {
	case 0:
		up, ok := g.upstream(g.head())
		if !ok {
			return fatal("No remote for the current branch.")
		}
		name = up
	case 1:
		name = args[0]
	default:
		return fatal("merging several commits is not available here")
	}
	h, err := g.commitOf(name)
	if err != nil {
		fmt.Fprintf(g.Stderr, "merge: %s - not something we can merge\n", name)
		return exitStatus(1)
	}
	head, born := g.lookup("HEAD")
	if born {
		done, err := g.isAncestor(h, head)
		if err != nil {
			return err
		}
		if done {
			if !quiet {
				g.out.WriteString("Already up to date.\n")
			}
			return nil
		}
		ahead, err := g.isAncestor(head, h)
		if err != nil {
			return err
		}
		if noFF && ahead {
			return g.mergeCommit(name, head, h, message, quiet, stat)
		}
		if !ahead {
			if ffOnly {
				return fatal("Not possible to fast-forward, aborting.")
			}
			return fatalf("only fast-forward merges are available here, and '%s' is not one", name)
		}
	}
	return g.fastForward(name, head, born, h, quiet, stat)
}

// advance brings the index and the working tree from one commit to another.
func (g *git) advance(head hash, born bool, h hash) error {
	x, err := g.readIndex()
	if err != nil {
		return err
	}
	from := hash{}
	if born {
		c, err := g.objects.commit(head)
		if err != nil {
			return err
		}
		from = c.tree
	}
	c, err := g.objects.commit(h)
	if err != nil {
		return err
	}
	return (&transition{git: g, x: x, verb: "merge"}).run(from, c.tree)
}

// fastForward moves the current branch to a commit that is made from it.
func (g *git) fastForward(name string, head hash, born bool, h hash, quiet, stat bool) error {
	if !quiet && born {
		fmt.Fprintf(g.out, "Updating %s..%s\n", g.abbrev(head), g.abbrev(h))
	}
	if err := g.advance(head, born, h); err != nil {
		return err
	}
	if born {
		if err := g.writeFile(g.repo.dir+"/ORIG_HEAD", []byte(head.String()+"\n")); err != nil {
			return err
		}
	}
	if err := g.setRef("HEAD", h, "merge "+name+": Fast-forward"); err != nil {
		return err
	}
	if quiet || !born {
		return nil
	}
	g.out.WriteString("Fast-forward\n")
	if !stat {
		return nil
	}
	return g.mergeStat(head, h)
}

// mergeStat prints what a merge has changed.
func (g *git) mergeStat(from, to hash) error {
	a, err := g.objects.commit(from)
	if err != nil {
		return err
	}
	b, err := g.objects.commit(to)
	if err != nil {
		return err
	}
	list, err := g.compareTrees(a.tree, b.tree)
	if err != nil {
		return err
	}
	if list, err = g.renames(list); err != nil {
		return err
	}
	return g.printChanges(&diffFormat{stat: true, summary: true}, list)
}

// mergeCommit makes a commit of a merge that could be a fast-forward.
func (g *git) mergeCommit(name string, head, h hash, message string, quiet, stat bool) error {
	target, err := g.objects.commit(h)
	if err != nil {
		return err
	}
	if message == "" {
		what := "commit '" + name + "'"
		if _, ok := g.lookup("refs/heads/" + name); ok {
			what = "branch '" + name + "'"
		} else if _, ok := g.lookup("refs/tags/" + name); ok {
			what = "tag '" + name + "'"
		}
		message = "Merge " + what
		if branch := branchName(g.head()); branch != "master" && branch != "main" && branch != "" {
			message += " into " + branch
		}
	}
	n := &commit{tree: target.tree, parents: []hash{head, h}, message: cleanMessage(message, false)}
	if n.author, err = g.author(); err != nil {
		return err
	}
	if n.committer, err = g.committer(); err != nil {
		return err
	}
	if err := g.advance(head, true, h); err != nil {
		return err
	}
	if n.hash, err = g.objects.write("commit", n.format()); err != nil {
		return err
	}
	if err := g.setRef("HEAD", n.hash, "merge "+name+": Merge made by the 'ort' strategy."); err != nil {
		return err
	}
	if quiet {
		return nil
	}
	g.out.WriteString("Merge made by the 'ort' strategy.\n")
	if !stat {
		return nil
	}
	return g.mergeStat(head, n.hash)
}

// mergeBase is git merge-base.
func (g *git) mergeBase(args []string) error {
	ancestor, all := false, false
	f := g.options("[-a | --all] <commit> <commit>...")
	f.bool(&ancestor, "is-ancestor")
	f.bool(&all, "a,all")
	args, _, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	if len(args) != 2 {
		return usage(f.usage)
	}
	var pair [2]hash
	for i, text := range args {
		if pair[i], err = g.commitOf(text); err != nil {
			return fatalf("Not a valid object name %s", text)
		}
	}
	if ancestor {
		is, err := g.isAncestor(pair[0], pair[1])
		if err == nil && !is {
			err = exitStatus(1)
		}
		return err
	}
	bases, err := g.mergeBases(pair[0], pair[1])
	if err != nil {
		return err
	}
	if len(bases) == 0 {
		return exitStatus(1)
	}
	if !all {
		bases = bases[:1]
	}
	for _, h := range bases {
		fmt.Fprintln(g.out, h)
	}
	return nil
}
