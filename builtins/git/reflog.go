package git

import (
	"fmt"
	"slices"
)

// reflog is git reflog.
func (g *git) reflog(args []string) error {
	if len(args) > 0 && args[0] == "show" {
		args = args[1:]
	} else if len(args) > 0 && slices.Contains([]string{"expire", "delete", "exists"}, args[0]) {
		return fatalf("'git reflog %s' is not available here", args[0])
	}
	count := -1
	f := g.options("[show] [<options>] [<ref>]")
	f.number = func(n int) { count = n }
	f.int(&count, "n,max-count")
	args, _, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	name := "HEAD"
	if len(args) > 0 {
		name = args[0]
	}
	full, ok := g.expandRef(name)
	if !ok {
		if name == "HEAD" {
			return fatalf("your current branch '%s' does not have any commits yet", branchName(g.head()))
		}
		return fatalf("ambiguous argument '%s': unknown revision or path not in the working tree.\n"+dashHint, name)
	}
	for i, e := range g.readLog(full) {
		if i == count {
			break
		}
		if e.to == (hash{}) {
			continue
		}
		fmt.Fprintf(g.out, "%s %s@{%d}: %s\n", g.abbrev(e.to), name, i, e.message)
	}
	return nil
}
