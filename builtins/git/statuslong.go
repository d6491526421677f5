package git

import (
	"fmt"
	"slices"
	"strings"
)

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
