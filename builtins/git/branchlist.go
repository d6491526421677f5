package git

import (
	"fmt"
	"strings"
)

// show lists branches.
func (b *branchRun) show(patterns []string) error {
	prefixes := []string{"refs/heads/"}
	switch {
	case b.all:
		prefixes = []string{"refs/heads/", "refs/remotes/"}
	case b.remotes:
		prefixes = []string{"refs/remotes/"}
	}
	var list []ref
	for _, prefix := range prefixes {
		part, err := b.refs(prefix)
		if err != nil {
			return err
		}
		list = append(list, part...)
	}
	chosen, err := b.filterRefs(list, refFilter{b.contains, b.noContains, b.merged, b.noMerged, b.pointsAt, patterns})
	if err != nil {
		return err
	}
	if b.sort != "" {
		if err := b.sortRefs(chosen, []string{b.sort}); err != nil {
			return err
		}
	}
	if b.format != "" {
		for _, r := range chosen {
			text, err := b.formatRef(b.format, r)
			if err != nil {
				return err
			}
			b.out.WriteString(text + "\n")
		}
		return nil
	}
	return b.print(chosen, len(patterns) == 0)
}

// print prints the list that people read.
func (b *branchRun) print(list []ref, headToo bool) error {
	head := b.head()
	type line struct {
		mark, name string
		ref        ref
	}
	var lines []line
	if h, ok := b.lookup("HEAD"); ok && head == "" && headToo && !b.remotes {
		s := &statusRun{git: b.git, head: h}
		text := s.detached()
		if text == "Not currently on any branch." {
			text = "no branch"
		}
		lines = append(lines, line{"* ", "(" + text + ")", ref{"HEAD", h}})
	}
	for _, r := range list {
		l := line{"  ", branchName(r.name), r}
		if r.name == head {
			l.mark = "* "
		}
		if rest, ok := strings.CutPrefix(r.name, "refs/remotes/"); ok {
			if l.name = rest; b.all {
				l.name = "remotes/" + rest
			}
			if target, ok := b.symbolic(r.name); ok && b.verbose == 0 {
				l.name += " -> " + strings.TrimPrefix(target, "refs/remotes/")
			}
		}
		lines = append(lines, l)
	}
	width := 0
	for _, l := range lines {
		width = max(width, characters(l.name))
	}
	for _, l := range lines {
		b.out.WriteString(l.mark + l.name)
		if b.verbose > 0 {
			c, err := b.objects.commit(l.ref.hash)
			if err != nil {
				return err
			}
			track, err := b.trackNote(l.ref)
			if err != nil {
				return err
			}
			b.out.WriteString(strings.Repeat(" ", width-characters(l.name)) + " " + b.abbrev(l.ref.hash) + " " + track + subjectOf(c.message))
		}
		b.out.WriteByte('\n')
	}
	return nil
}

// trackNote returns what -v shows of the branch that a branch follows.
func (b *branchRun) trackNote(r ref) (string, error) {
	up, ok := b.upstream(r.name)
	if !ok || !strings.HasPrefix(r.name, "refs/heads/") {
		return "", nil
	}
	name := strings.TrimPrefix(strings.TrimPrefix(up, "refs/remotes/"), "refs/heads/")
	h, found := b.lookup(up)
	var state string
	if !found {
		state = "gone"
	} else {
		ahead, behind, err := b.aheadBehind(r.hash, h)
		if err != nil {
			return "", err
		}
		var parts []string
		if ahead > 0 {
			parts = append(parts, fmt.Sprintf("ahead %d", ahead))
		}
		if behind > 0 {
			parts = append(parts, fmt.Sprintf("behind %d", behind))
		}
		state = strings.Join(parts, ", ")
	}
	if b.verbose < 2 {
		if state == "" {
			return "", nil
		}
		return "[" + state + "] ", nil
	}
	if state != "" {
		state = ": " + state
	}
	return "[" + name + state + "] ", nil
}
