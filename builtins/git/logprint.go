package git

import "strings"

// print prints a commit, and what it changes.
func (l *logRun) print(c *commit) error {
	mark := ""
	if l.symmetry != nil {
		mark = ">"
		if l.symmetry[c.hash] != 0 {
			mark = "<"
		}
		if l.style.name != "user" {
			mark += " "
		}
	}
	var list []change
	var err error
	if l.diff.chosen() && !l.diff.noneChosen && (len(c.parents) < 2 || l.mergeDiffs || l.firstParent) {
		if list, err = l.commitChanges(c); err != nil {
			return err
		}
	}
	text := l.showCommit(&l.style, c, mark)
	if l.graph {
		text = l.drawn(text)
	}
	separate := l.style.name != "oneline" && l.style.name != "reference" && !(l.style.name == "user" && l.terminator)
	if l.shown > 0 && separate {
		if l.graph && l.style.name != "user" {
			l.out.WriteString("| ")
			l.out.WriteString("\n")
		} else {
			l.out.WriteByte('\n')
		}
	}
	l.shown++
	l.out.WriteString(text)
	if l.style.name == "user" && (l.terminator || len(list) > 0) {
		l.out.WriteByte('\n')
	}
	if len(list) == 0 {
		_, err := l.out.Write(nil)
		return err
	}
	if l.graph {
		return fatal("--graph is not available with the changes of commits")
	}
	d := l.diff
	if l.style.name != "oneline" && !(l.style.name == "user" && l.style.format == "") {
		if d.stat && d.patch {
			l.out.WriteString("---")
		}
		l.out.WriteByte('\n')
	}
	return l.printChanges(&d, list)
}

// commitChanges returns what is shown of a commit's changes.
func (l *logRun) commitChanges(c *commit) ([]change, error) {
	paths := l.paths
	for _, r := range l.renamed {
		if r.at == c.hash {
			all, err := l.treeChanges(c, 0)
			if err != nil {
				return nil, err
			}
			if all, err = l.prepare(&l.diff, all); err != nil {
				return nil, err
			}
			return (&pathspec{rules: []pathRule{{path: r.new}}}).filter(all), nil
		}
	}
	list, err := l.treeChanges(c, 0)
	if err != nil {
		return nil, err
	}
	return l.prepare(&l.diff, paths.filter(list))
}

// drawn returns the text of a commit with the line of a graph beside it.
func (l *logRun) drawn(text string) string {
	lines := strings.SplitAfter(text, "\n")
	var b strings.Builder
	for i, line := range lines {
		switch {
		case line == "":
		case i == 0:
			b.WriteString("* " + line)
		case l.last:
			b.WriteString("  " + line)
		default:
			b.WriteString("| " + line)
		}
	}
	return b.String()
}
