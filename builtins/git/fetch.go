package git

import (
	"fmt"
	"strings"
)

// fetch is git fetch, by HTTP.
func (g *git) fetch(args []string) error {
	quiet, tags, prune := false, false, false
	f := g.options("[<options>] [<repository> [<refspec>...]]")
	f.bool(&quiet, "q,quiet")
	f.bool(&tags, "t,tags")
	f.bool(&prune, "p,prune")
	f.ignore("no-progress")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	_, err = g.fetchFrom(append(args, rest...), quiet, tags, prune)
	return err
}

// remoteOf returns the remote repository that a command is about.
func (g *git) remoteOf(args []string) (name, url string, err error) {
	name = "origin"
	if len(args) > 0 {
		name = args[0]
	} else if r, ok := g.config("branch." + branchName(g.head()) + ".remote"); ok {
		name = r
	}
	if strings.Contains(name, "://") {
		return "", name, nil
	}
	url, ok := g.config("remote." + strings.ToLower(name) + ".url")
	if !ok {
		url, ok = g.config("remote." + name + ".url")
	}
	if !ok {
		if len(args) == 0 {
			return "", "", fatalf("No remote repository specified.  Please, specify either a URL or a\nremote name from which new revisions should be fetched.")
		}
		return "", "", fatalf("'%s' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.", name)
	}
	return name, url, nil
}

// fetchFrom fetches, and returns what a merge is to take.
func (g *git) fetchFrom(args []string, quiet, tags, prune bool) (head hash, err error) {
	name, url, err := g.remoteOf(args)
	if err != nil {
		return head, err
	}
	s, err := g.connect(url, "git-upload-pack")
	if err != nil {
		return head, err
	}
	f := &fetching{server: s, remote: name, quiet: quiet, prune: prune, reason: "fetch"}
	if len(args) > 1 {
		f.only = args[1:]
	}
	if name == "" && f.only == nil {
		f.only = []string{"HEAD"}
	}
	if err := f.run(tags); err != nil {
		return head, err
	}
	return f.merge, nil
}

// A fetching is one run of fetch.
type fetching struct {
	*server
	remote string   // empty for a URL
	only   []string // what is fetched; nil is all branches
	quiet  bool
	prune  bool
	reason string
	shown  bool
	merge  hash // for FETCH_HEAD
}

// run fetches the objects and sets the references.
func (f *fetching) run(tags bool) error {
	sets, err := f.updates(tags)
	if err != nil {
		return err
	}
	var want []hash
	for _, u := range sets {
		want = append(want, u.hash)
	}
	if err := f.fetchObjects(want); err != nil {
		return err
	}
	for _, u := range sets {
		if err := f.set(u); err != nil {
			return err
		}
	}
	if f.prune && f.remote != "" {
		if err := f.pruneRefs(); err != nil {
			return err
		}
	}
	if f.merge != (hash{}) {
		return f.writeFile(f.repo.dir+"/FETCH_HEAD", []byte(f.merge.String()+"\t\t"+anonymous(f.url)+"\n"))
	}
	return nil
}

// An update is a reference to be set to what the server has.
type update struct {
	from, to string // to is empty for FETCH_HEAD alone
	hash     hash
	force    bool
}

// updates returns what is to be set.
func (f *fetching) updates(tags bool) (list []update, err error) {
	upstream, _ := f.config("branch." + branchName(f.git.head()) + ".merge")
	if f.only == nil {
		for _, r := range f.refs {
			if name, ok := strings.CutPrefix(r.name, "refs/heads/"); ok {
				list = append(list, update{r.name, "refs/remotes/" + f.remote + "/" + name, r.hash, true})
				if r.name == upstream {
					f.merge = r.hash
				}
			}
		}
	}
	for _, spec := range f.only {
		spec, force := strings.CutPrefix(spec, "+")
		from, to, _ := strings.Cut(spec, ":")
		name, h, ok := f.resolve(from)
		if !ok {
			return nil, fatalf("couldn't find remote ref %s", from)
		}
		f.merge = h
		if to != "" && !strings.HasPrefix(to, "refs/") {
			to = "refs/heads/" + to
		}
		if branch, ok := strings.CutPrefix(name, "refs/heads/"); ok && to == "" && f.remote != "" {
			to, force = "refs/remotes/"+f.remote+"/"+branch, true
		}
		list = append(list, update{name, to, h, force})
	}
	for _, r := range f.refs {
		if strings.HasPrefix(r.name, "refs/tags/") && (tags || f.only == nil) {
			if _, have := f.lookup(r.name); !have {
				list = append(list, update{r.name, r.name, r.hash, false})
			}
		}
	}
	return list, nil
}

// resolve finds a reference of the server by a short name.
func (f *fetching) resolve(name string) (string, hash, bool) {
	for _, prefix := range []string{"", "refs/", "refs/tags/", "refs/heads/"} {
		if h, ok := f.find(prefix + name); ok {
			return prefix + name, h, true
		}
	}
	return "", hash{}, false
}

// set sets a reference and says so.
func (f *fetching) set(u update) error {
	short := strings.TrimPrefix(strings.TrimPrefix(u.from, "refs/heads/"), "refs/tags/")
	if u.to == "" {
		f.say("*", "branch", short, "FETCH_HEAD", "")
		return nil
	}
	if !validRef(u.to) {
		return fatalf("invalid reference '%s'", u.to)
	}
	local := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(u.to, "refs/remotes/"), "refs/heads/"), "refs/tags/")
	old, have := f.lookup(u.to)
	switch {
	case have && old == u.hash:
		return nil
	case !have && strings.HasPrefix(u.from, "refs/tags/"):
		f.say("*", "[new tag]", short, local, "")
	case !have:
		f.say("*", "[new branch]", short, local, "")
	default:
		forward, err := f.isAncestor(old, u.hash)
		if err != nil {
			return err
		}
		if !forward && !u.force {
			f.say("!", "[rejected]", short, local, "  (non-fast-forward)")
			return exitStatus(1)
		}
		sign, dots, note := " ", "..", ""
		if !forward {
			sign, dots, note = "+", "...", "  (forced update)"
		}
		f.say(sign, f.abbrev(old)+dots+f.abbrev(u.hash), short, local, note)
	}
	return f.setRef(u.to, u.hash, f.reason)
}

// say prints a line of the report.
func (f *fetching) say(sign, what, from, to, note string) {
	if f.quiet {
		return
	}
	if !f.shown {
		f.shown = true
		fmt.Fprintf(f.Stderr, "From %s\n", strings.TrimSuffix(anonymous(f.url), ".git"))
	}
	fmt.Fprintf(f.Stderr, " %s %-17s %-10s -> %s%s\n", sign, what, from, to, note)
}

// pruneRefs removes the branches that are not on the server any more.
func (f *fetching) pruneRefs() error {
	prefix := "refs/remotes/" + f.remote + "/"
	here, err := f.git.refs(prefix)
	if err != nil {
		return err
	}
	for _, r := range here {
		name := strings.TrimPrefix(r.name, prefix)
		if _, ok := f.find("refs/heads/" + name); ok || name == "HEAD" {
			continue
		}
		f.say("-", "[deleted]", "(none)", f.remote+"/"+name, "")
		if err := f.deleteRef(r.name); err != nil {
			return err
		}
	}
	return nil
}

// pull is git pull, as far as the current branch has nothing of its own.
func (g *git) pull(args []string) error {
	quiet, ffOnly := false, false
	f := g.options("[<options>] [<repository> [<refspec>...]]")
	f.bool(&quiet, "q,quiet")
	f.bool(&ffOnly, "ff-only")
	f.ignore("ff,no-rebase,no-edit,no-progress")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.inTree(); err != nil {
		return err
	}
	h, err := g.fetchFrom(append(args, rest...), quiet, false, false)
	if err != nil {
		return err
	}
	if h == (hash{}) {
		return fatalf("There is no tracking information for the current branch.")
	}
	merge := []string{h.String()}
	if quiet {
		merge = append([]string{"-q"}, merge...)
	}
	return g.merge(append([]string{"--ff-only"}, merge...))
}

// lsRemote is git ls-remote, by HTTP.
func (g *git) lsRemote(args []string) error {
	heads, tags := false, false
	f := g.options("[<options>] [<repository> [<patterns>...]]")
	f.bool(&heads, "h,heads")
	f.bool(&tags, "t,tags")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	args = append(args, rest...)
	if len(args) == 0 || !strings.Contains(args[0], "://") {
		if err := g.discover(); err != nil {
			return err
		}
	}
	_, url, err := g.remoteOf(args)
	if err != nil {
		return err
	}
	s, err := g.connect(url, "git-upload-pack")
	if err != nil {
		return err
	}
	for _, r := range s.refs {
		isHead, isTag := strings.HasPrefix(r.name, "refs/heads/"), strings.HasPrefix(r.name, "refs/tags/")
		if (heads || tags) && !(heads && isHead || tags && isTag) || !matchesRef(r.name, args) {
			continue
		}
		fmt.Fprintf(g.out, "%s\t%s\n", r.hash, r.name)
	}
	return nil
}

// matchesRef reports whether a reference is among those asked for after the name
// of the repository.
func matchesRef(name string, args []string) bool {
	if len(args) < 2 {
		return true
	}
	for _, p := range args[1:] {
		if name == p || strings.HasSuffix(name, "/"+p) {
			return true
		}
	}
	return false
}
