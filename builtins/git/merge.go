package git

import (
	"fmt"
	"slices"
	"strings"
)

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

// remotes is git remote.
func (g *git) remotes(args []string) error {
	verbose := false
	f := g.options("[-v | --verbose]")
	f.keep = true
	f.bool(&verbose, "v,verbose")
	args, _, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	list, err := g.settings()
	if err != nil {
		return err
	}
	urls := map[string]string{}
	var names []string
	for _, s := range list {
		rest, ok := strings.CutPrefix(s.key, "remote.")
		name, found := strings.CutSuffix(rest, ".url")
		if ok && found {
			if _, seen := urls[name]; !seen {
				names = append(names, name)
				urls[name] = s.value
			}
		}
	}
	slices.Sort(names)
	if len(args) == 0 || args[0] == "show" && len(args) == 1 {
		for _, name := range names {
			if !verbose {
				g.out.WriteString(name + "\n")
				continue
			}
			fmt.Fprintf(g.out, "%s\t%s (fetch)\n%s\t%s (push)\n", name, urls[name], name, urls[name])
		}
		return nil
	}
	return g.changeRemote(args, urls)
}

// changeRemote adds, changes or removes a remote repository.
func (g *git) changeRemote(args []string, urls map[string]string) error {
	path := g.repo.common + "/config"
	action, args := args[0], args[1:]
	need := func(n int) error {
		if len(args) != n {
			return usage("usage: git remote " + action)
		}
		return nil
	}
	known := func(name, colon string) error {
		if _, ok := urls[name]; !ok {
			fmt.Fprintf(g.Stderr, "error: No such remote%s '%s'\n", colon, name)
			return exitStatus(2)
		}
		return nil
	}
	switch action {
	case "add":
		if err := need(2); err != nil {
			return err
		}
		if _, ok := urls[args[0]]; ok {
			fmt.Fprintf(g.Stderr, "error: remote %s already exists.\n", args[0])
			return exitStatus(3)
		}
		if !validRef("refs/remotes/" + args[0] + "/x") {
			return fatalf("'%s' is not a valid remote name", args[0])
		}
		fetch := "+refs/heads/*:refs/remotes/" + args[0] + "/*"
		if err := g.setConfig(path, "remote."+args[0]+".url", &args[1]); err != nil {
			return err
		}
		return g.setConfig(path, "remote."+args[0]+".fetch", &fetch)
	case "remove", "rm":
		if err := need(1); err != nil {
			return err
		}
		if err := known(args[0], ":"); err != nil {
			return err
		}
		list, err := g.refs("refs/remotes/" + args[0] + "/")
		if err != nil {
			return err
		}
		for _, r := range list {
			if err := g.deleteRef(r.name); err != nil {
				return err
			}
		}
		return g.dropSection("remote." + args[0])
	case "rename":
		if err := need(2); err != nil {
			return err
		}
		if err := known(args[0], ":"); err != nil {
			return err
		}
		c := configRun{git: g, scope: "local", action: "rename-section"}
		if err := c.section([]string{"remote." + args[0], "remote." + args[1]}); err != nil {
			return err
		}
		fetch := "+refs/heads/*:refs/remotes/" + args[1] + "/*"
		return g.setConfig(path, "remote."+args[1]+".fetch", &fetch)
	case "get-url":
		if err := need(1); err != nil {
			return err
		}
		if err := known(args[0], ""); err != nil {
			return err
		}
		_, err := fmt.Fprintln(g.out, urls[args[0]])
		return err
	case "set-url":
		if err := need(2); err != nil {
			return err
		}
		if err := known(args[0], ""); err != nil {
			return err
		}
		return g.setConfig(path, "remote."+args[0]+".url", &args[1])
	case "show", "update", "prune", "set-head", "set-branches":
		return fatalf("'git remote %s' is not available here: there is no network", action)
	}
	return usage(fmt.Sprintf("error: Unknown subcommand: %s\nusage: git remote [-v | --verbose]", action))
}
