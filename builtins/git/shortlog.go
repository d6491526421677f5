package git

import (
	"cmp"
	"fmt"
	"slices"
)

// shortlog is git shortlog.
func (g *git) shortlog(args []string) error {
	summary, numbered, email := false, false, false
	l, f := g.newLog("[<options>] [<revision-range>] [[--] <path>...]")
	f.list = slices.Insert(f.list, 0, flag{names: []string{"s", "summary"}, set: func(string) error { summary = true; return nil }},
		flag{names: []string{"n", "numbered"}, set: func(string) error { numbered = true; return nil }},
		flag{names: []string{"e", "email"}, set: func(string) error { email = true; return nil }})
	args, paths, err := f.parse(args)
	if err != nil {
		return err
	}
	r, err := l.start(args, paths, f.dashed)
	if err != nil {
		return err
	}
	if len(r.include) == 0 {
		h, ok := g.lookup("HEAD")
		if !ok {
			return fatalf("your current branch '%s' does not have any commits yet", branchName(g.head()))
		}
		r.include = []hash{h}
	}
	groups := map[string][]string{}
	var names []string
	err = l.run(r, func(c *commit) error {
		name := c.author.name
		if email {
			name += " <" + c.author.email + ">"
		}
		if _, ok := groups[name]; !ok {
			names = append(names, name)
		}
		subject := subjectOf(c.message)
		groups[name] = append(groups[name], subject)
		return g.hold(len(subject) + 16)
	})
	if err != nil {
		return err
	}
	slices.Sort(names)
	if numbered {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(groups[b]), len(groups[a])) })
	}
	for _, name := range names {
		if summary {
			fmt.Fprintf(g.out, "%6d\t%s\n", len(groups[name]), name)
			continue
		}
		fmt.Fprintf(g.out, "%s (%d):\n", name, len(groups[name]))
		for _, subject := range slices.Backward(groups[name]) {
			g.out.WriteString("      " + subject + "\n")
		}
		g.out.WriteByte('\n')
	}
	return nil
}
