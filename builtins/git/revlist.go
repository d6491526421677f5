package git

import "strconv"

// revList is git rev-list.
func (g *git) revList(args []string) error {
	l, f := g.newLog("[<options>] <commit>... [--] [<path>...]")
	counting, parents := false, false
	f.bool(&counting, "count")
	f.bool(&parents, "parents")
	args, paths, err := f.parse(args)
	if err != nil {
		return err
	}
	r, err := l.start(args, paths, f.dashed)
	if err != nil {
		return err
	}
	if len(r.include) == 0 && !l.all && !l.branches && !l.tags && !l.remotes {
		return usage(f.usage)
	}
	n, left, right := 0, 0, 0
	err = l.run(r, func(c *commit) error {
		n++
		mark := ""
		if l.symmetry != nil {
			if mark = ">"; l.symmetry[c.hash] != 0 {
				mark = "<"
				left++
			} else {
				right++
			}
		}
		if counting {
			return nil
		}
		switch l.style.name {
		case "user":
			g.out.WriteString("commit " + c.hash.String() + "\n" + g.expand(&l.style, c, l.style.format, mark) + "\n")
			return nil
		case "oneline":
			g.out.WriteString(l.showCommit(&l.style, c, mark))
			return nil
		}
		name := c.hash.String()
		if l.shortNames {
			name = g.abbrev(c.hash)
		}
		g.out.WriteString(mark + name)
		if parents {
			for _, p := range c.parents {
				g.out.WriteString(" " + p.String())
			}
		}
		_, err := g.out.WriteString("\n")
		return err
	})
	if err == nil && counting {
		if l.symmetry != nil {
			g.out.WriteString(strconv.Itoa(left) + "\t" + strconv.Itoa(right) + "\n")
		} else {
			g.out.WriteString(strconv.Itoa(n) + "\n")
		}
	}
	return err
}
