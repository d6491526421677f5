package git

import (
	"fmt"
	"path"
	"strings"
)

// clone is git clone, by HTTP.
func (g *git) clone(args []string) error {
	quiet, noCheckout, branch, origin := false, false, "", "origin"
	f := g.options("[<options>] [--] <repo> [<dir>]")
	f.bool(&quiet, "q,quiet")
	f.bool(&noCheckout, "n,no-checkout")
	f.string(&branch, "b,branch")
	f.string(&origin, "o,origin")
	f.ignore("no-progress")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if args = append(args, rest...); len(args) == 0 || len(args) > 2 {
		return usage("fatal: You must specify a repository to clone.\n\nusage: git clone " + "[<options>] [--] <repo> [<dir>]")
	}
	url := args[0]
	dir := strings.TrimSuffix(path.Base(strings.TrimSuffix(url, "/")), ".git")
	if len(args) == 2 {
		dir = args[1]
	}
	if entries, err := g.FS.ReadDir(dir); err == nil && len(entries) > 0 {
		return fatalf("destination path '%s' already exists and is not an empty directory.", dir)
	}
	_, statErr := g.FS.Stat(dir)
	s, err := g.connect(url, "git-upload-pack")
	if err != nil {
		if !quiet && strings.Contains(url, "://") {
			fmt.Fprintf(g.Stderr, "Cloning into '%s'...\n", dir)
		}
		return err
	}
	if !quiet {
		fmt.Fprintf(g.Stderr, "Cloning into '%s'...\n", dir)
	}
	top := g.FS.Abs(dir)
	if err := g.cloneInto(s, dir, url, branch, origin, noCheckout); err != nil {
		if statErr != nil {
			_ = g.FS.RemoveAll(top)
		} else {
			_ = g.FS.RemoveAll(path.Join(top, ".git"))
		}
		return err
	}
	return nil
}

// cloneInto makes the repository and fills it.
func (g *git) cloneInto(s *server, dir, url, branch, origin string, noCheckout bool) error {
	if err := g.FS.MkdirAll(dir, 0o777); err != nil {
		return fatalf("could not create work tree dir '%s'", dir)
	}
	if err := g.enter(dir); err != nil {
		return err
	}
	head := s.head
	if branch != "" {
		head = "refs/heads/" + branch
		if _, ok := s.find(head); !ok {
			if _, tag := s.find("refs/tags/" + branch); !tag {
				return fatalf("Remote branch %s not found in upstream %s", branch, origin)
			}
			head = ""
		}
	}
	name := branchName(head)
	if err := g.create(path.Join(g.FS.Dir, ".git"), false, true, &name); err != nil {
		return err
	}
	g.repo, g.gitDir, g.tree = nil, "", ""
	if err := g.discover(); err != nil {
		return err
	}
	s.git = g
	config := g.repo.common + "/config"
	spec := "+refs/heads/*:refs/remotes/" + origin + "/*"
	if err := g.setConfig(config, "remote."+origin+".url", &url); err != nil {
		return err
	}
	if err := g.setConfig(config, "remote."+origin+".fetch", &spec); err != nil {
		return err
	}
	if len(s.refs) == 0 {
		fmt.Fprint(g.Stderr, "warning: You appear to have cloned an empty repository.\n")
		return nil
	}
	fetch := &fetching{server: s, remote: origin, quiet: true, reason: "clone: from " + url}
	if err := fetch.run(true); err != nil {
		return err
	}
	if s.head != "" {
		if err := g.writeFile(g.repo.common+"/refs/remotes/"+origin+"/HEAD", []byte("ref: refs/remotes/"+origin+"/"+branchName(s.head)+"\n")); err != nil {
			return err
		}
	}
	return g.cloneHead(s, head, branch, origin, noCheckout)
}

// cloneHead sets HEAD and makes the working tree.
func (g *git) cloneHead(s *server, head, branch, origin string, noCheckout bool) error {
	reason := "clone: from " + anonymous(s.url)
	h, ok := s.find(head)
	if !ok {
		if h, ok = s.find("HEAD"); branch != "" {
			h, ok = s.find("refs/tags/" + branch)
		}
		if !ok {
			fmt.Fprint(g.Stderr, "warning: remote HEAD refers to nonexistent ref, unable to checkout\n")
			return nil
		}
		if peeled, _, err := g.objects.peel(h); err == nil {
			h = peeled
		}
		if err := g.setHead("", h, reason); err != nil {
			return err
		}
	} else {
		config, name := g.repo.common+"/config", branchName(head)
		if err := g.setRef(head, h, reason); err != nil {
			return err
		}
		if err := g.setHead(head, h, ""); err != nil {
			return err
		}
		if err := g.setConfig(config, "branch."+name+".remote", &origin); err != nil {
			return err
		}
		if err := g.setConfig(config, "branch."+name+".merge", &head); err != nil {
			return err
		}
	}
	if noCheckout {
		return nil
	}
	return g.advance(hash{}, false, h)
}
