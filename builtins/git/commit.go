package git

import (
	"fmt"
	"strings"
)

// A commitRun is one run of git commit.
type commitRun struct {
	*git
	messages                                            []string
	file, author, date, reuse, cleanup                  string
	all, amend, allowEmpty, allowEmptyMessage, quiet    bool
	dry, noEdit, signoff, include, only, resetAuthor, v bool
	trailers                                            []string
	fixup                                               string
}

// commit is git commit.
func (g *git) commit(args []string) error {
	c := &commitRun{git: g}
	f := g.options("[<options>] [--] <pathspec>...")
	f.strings(&c.messages, "m,message")
	f.string(&c.file, "F,file")
	f.string(&c.author, "author")
	f.string(&c.date, "date")
	f.string(&c.reuse, "C,reuse-message")
	f.string(&c.cleanup, "cleanup")
	f.string(&c.fixup, "fixup")
	f.strings(&c.trailers, "trailer")
	f.bool(&c.all, "a,all")
	f.bool(&c.amend, "amend")
	f.bool(&c.allowEmpty, "allow-empty")
	f.bool(&c.allowEmptyMessage, "allow-empty-message")
	f.bool(&c.quiet, "q,quiet")
	f.bool(&c.dry, "dry-run")
	f.bool(&c.noEdit, "no-edit")
	f.bool(&c.signoff, "s,signoff")
	f.bool(&c.include, "i,include")
	f.bool(&c.only, "o,only")
	f.bool(&c.resetAuthor, "reset-author")
	f.ignore("n,no-verify,no-gpg-sign,no-post-rewrite,no-status,status")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.inTree(); err != nil {
		return err
	}
	return c.run(append(args, rest...))
}

func (c *commitRun) run(names []string) error {
	head, born := c.lookup("HEAD")
	var previous *commit
	var err error
	if born {
		if previous, err = c.objects.commit(head); err != nil {
			return err
		}
	}
	if c.amend && !born {
		return fatal("You have nothing to amend.")
	}
	if c.all && len(names) > 0 {
		return fatalf("paths '%s ...' with -a does not make sense", names[0])
	}
	x, tree, err := c.stage(names, previous)
	if err != nil {
		return err
	}
	if c.dry {
		return c.nothing(true)
	}
	n := &commit{tree: tree}
	if born {
		n.parents = []hash{head}
	}
	if c.amend {
		n.parents = previous.parents
	}
	parentTree := emptyTree
	if len(n.parents) > 0 {
		p, err := c.objects.commit(n.parents[0])
		if err != nil {
			return err
		}
		parentTree = p.tree
	}
	if tree == parentTree && !c.allowEmpty && len(n.parents) < 2 && (!c.amend || len(n.parents) > 0) {
		if c.amend {
			return c.emptied()
		}
		return c.nothing(false)
	}
	if err := c.sign(n, previous); err != nil {
		return err
	}
	if n.message, err = c.message(previous, &n.author); err != nil {
		return err
	}
	if n.message == "" && !c.allowEmptyMessage {
		fmt.Fprintln(c.Stderr, "Aborting commit due to empty commit message.")
		return exitStatus(1)
	}
	if n.hash, err = c.objects.write("commit", n.format()); err != nil {
		return err
	}
	if err := c.writeIndex(x); err != nil {
		return err
	}
	action := "commit"
	switch {
	case c.amend:
		action = "commit (amend)"
	case !born:
		action = "commit (initial)"
	}
	if err := c.setRef("HEAD", n.hash, action+": "+subjectOf(n.message)); err != nil {
		return err
	}
	if c.quiet {
		return nil
	}
	return c.summary(n, parentTree, previous)
}

// stage returns the index that becomes the commit, and its tree. With names, only
// those files are taken from the working tree, and the rest is as HEAD has it.
func (c *commitRun) stage(names []string, previous *commit) (*index, hash, error) {
	x, err := c.readIndex()
	if err != nil {
		return nil, hash{}, err
	}
	paths, err := c.pathspec(names)
	if err != nil {
		return nil, hash{}, err
	}
	if c.all || len(names) > 0 {
		a := &adder{git: c.git, x: x}
		before := map[string]bool{}
		for _, e := range x.entries {
			before[e.path] = true
		}
		if err := a.tracked(paths, true); err != nil {
			return nil, hash{}, err
		}
		if name, ok := paths.unused(); ok {
			fmt.Fprintf(c.Stderr, "error: pathspec '%s' did not match any file(s) known to git\n", name)
			return nil, hash{}, exitStatus(1)
		}
	}
	if len(names) == 0 || c.include {
		tree, err := c.writeTrees(x)
		return x, tree, err
	}
	var list []file
	if previous != nil {
		all, err := c.flatten(previous.tree)
		if err != nil {
			return nil, hash{}, err
		}
		for _, f := range all {
			if !paths.match(f.path) {
				list = append(list, f)
			}
		}
	}
	partial := &index{}
	for _, f := range list {
		partial.put(&indexEntry{path: f.path, mode: f.mode, hash: f.hash})
	}
	for _, e := range x.entries {
		if paths.match(e.path) {
			partial.put(e)
		}
	}
	tree, err := c.writeTrees(partial)
	return x, tree, err
}

// nothing says that there is nothing to commit, or what there would be.
func (c *commitRun) nothing(dry bool) error {
	mode, _ := c.config("status.showuntrackedfiles")
	if mode == "" {
		mode = "normal"
	}
	s, err := c.examine(nil, mode, false)
	if err != nil {
		return err
	}
	s.relative, s.commit = true, true
	if err := s.long(); err != nil {
		return err
	}
	if dry && len(s.staged) > 0 {
		return nil
	}
	return exitStatus(1)
}

// emptied says that an amended commit would have no changes.
func (c *commitRun) emptied() error {
	s, err := c.examine(nil, "normal", false)
	if err != nil {
		return err
	}
	s.relative, s.commit = true, true
	fmt.Fprint(c.Stderr, "You asked to amend the most recent commit, but doing so would make\nit empty. You can repeat your command with --allow-empty, or you can\n"+
		"remove the commit entirely with \"git reset HEAD^\".\n")
	s.staged = nil
	if err := s.header(); err != nil {
		return err
	}
	s.out.WriteString("No changes\n")
	return exitStatus(1)
}

// sign sets the author and the committer.
func (c *commitRun) sign(n *commit, previous *commit) (err error) {
	source := previous
	keep := c.amend && !c.resetAuthor
	if c.reuse != "" {
		h, err := c.commitOf(c.reuse)
		if err != nil {
			return fatalf("could not lookup commit %s", c.reuse)
		}
		if source, err = c.objects.commit(h); err != nil {
			return err
		}
		keep = !c.resetAuthor
	}
	if keep {
		n.author = source.author
	} else if n.author, err = c.git.author(); err != nil {
		return err
	}
	if c.author != "" {
		open := strings.IndexByte(c.author, '<')
		if open < 0 || !strings.HasSuffix(strings.TrimSpace(c.author), ">") {
			return fatalf("--author '%s' is not 'Name <email>' and matches no existing author", c.author)
		}
		n.author.name = strings.TrimSpace(c.author[:open])
		n.author.email = strings.TrimSuffix(strings.TrimSpace(c.author[open+1:]), ">")
	}
	if c.date != "" {
		t, ok := c.parseDate(c.date)
		if !ok {
			return fatalf("invalid date format: %s", c.date)
		}
		n.author.when = t
	}
	n.committer, err = c.committer()
	return err
}

// summary says what was committed.
func (c *commitRun) summary(n *commit, parentTree hash, previous *commit) error {
	branch := c.head()
	name := branchName(branch)
	if branch == "" {
		name = "detached HEAD"
	}
	if len(n.parents) == 0 {
		name += " (root-commit)"
	}
	fmt.Fprintf(c.out, "[%s %s] %s\n", name, c.abbrev(n.hash), subjectOf(n.message))
	if n.author.name != n.committer.name || n.author.email != n.committer.email {
		fmt.Fprintf(c.out, " Author: %s <%s>\n", n.author.name, n.author.email)
	}
	if c.date != "" || c.amend && !c.resetAuthor || c.reuse != "" {
		fmt.Fprintf(c.out, " Date: %s\n", c.formatDate(n.author.when, ""))
	}
	if len(n.parents) == 0 {
		parentTree = hash{}
	}
	list, err := c.compareTrees(parentTree, n.tree)
	if err != nil {
		return err
	}
	if list, err = c.renames(list); err != nil || len(list) == 0 {
		return err
	}
	stats, err := c.stats(&diffFormat{}, list)
	if err != nil {
		return err
	}
	c.out.WriteString(totals(stats))
	c.printSummary(list)
	return nil
}
