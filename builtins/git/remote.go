package git

import (
	"fmt"
	"slices"
	"strings"
)

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
