package git

import (
	"bytes"
	"slices"

	"github.com/limpet-sh/limpet/internal/regex"
)

// simplify returns the parents of a commit that are followed, and whether it
// changes what the paths choose.
func (l *logRun) simplify(c *commit) (parents []hash, interesting bool, err error) {
	if l.paths.all() {
		return c.parents, true, nil
	}
	if len(c.parents) == 0 {
		list, err := l.changesOf(c, 0)
		return nil, len(list) > 0, err
	}
	different := true
	for i, p := range c.parents {
		list, err := l.changesOf(c, i)
		if err != nil {
			return nil, false, err
		}
		if len(list) == 0 {
			if len(c.parents) > 1 {
				return []hash{p}, false, nil
			}
			different = false
		}
		if l.follow != "" && i == 0 && len(list) > 0 {
			if err := l.followRename(c); err != nil {
				return nil, false, err
			}
		}
	}
	return c.parents, different, nil
}

// changesOf returns what a commit changes of the paths, against one of its parents.
func (l *logRun) changesOf(c *commit, parent int) ([]change, error) {
	list, err := l.treeChanges(c, parent)
	return l.paths.filter(list), err
}

// followRename goes on with the former name of the file, where the commit has
// renamed it.
func (l *logRun) followRename(c *commit) error {
	all, err := l.treeChanges(c, 0)
	if err != nil {
		return err
	}
	if all, err = l.renames(all); err != nil {
		return err
	}
	for _, ch := range all {
		if ch.status == 'R' && ch.new.path == l.follow {
			l.renamed = append(l.renamed, renamedAt{c.hash, l.follow, ch.old.path})
			l.follow = ch.old.path
			l.paths = &pathspec{rules: []pathRule{{path: ch.old.path}}}
		}
	}
	return nil
}

// matcher returns the matcher of an expression of an option.
func (l *logRun) matcher(pattern string) (*regex.Matcher, error) {
	if m := l.matchers[pattern]; m != nil {
		return m, nil
	}
	dialect, flags := l.dialect, regex.Multiline
	if l.fixed {
		dialect = regex.Literal
	}
	if l.ignoreCase {
		flags |= regex.IgnoreCase
	}
	re, err := regex.Compile(pattern, dialect, flags)
	if err != nil {
		return nil, fatalf("command line, '%s': %v", pattern, err)
	}
	l.matchers[pattern] = re.Matcher(l.Call)
	return l.matchers[pattern], nil
}

// chosen reports whether the options choose a commit.
func (l *logRun) chosen(c *commit) (bool, error) {
	if len(c.parents) < l.minParents || l.maxParents >= 0 && len(c.parents) > l.maxParents ||
		!l.until.IsZero() && c.committer.when.After(l.until) {
		return false, nil
	}
	any := func(patterns []string, text string, all bool) (bool, error) {
		if len(patterns) == 0 {
			return true, nil
		}
		n := 0
		for _, p := range patterns {
			m, err := l.matcher(p)
			if err != nil {
				return false, err
			}
			if m.Match([]byte(text)) {
				n++
			}
		}
		return n > 0 && (!all || n == len(patterns)), nil
	}
	ok, err := any(l.authors, c.author.name+" <"+c.author.email+">", false)
	if !ok || err != nil {
		return false, err
	}
	if ok, err = any(l.committers, c.committer.name+" <"+c.committer.email+">", false); !ok || err != nil {
		return false, err
	}
	if len(l.greps) > 0 {
		if ok, err = any(l.greps, c.message, l.allMatch); err != nil || ok == l.invert {
			return false, err
		}
	}
	if l.pickaxe != "" || l.pickRegexp != "" {
		return l.picked(c)
	}
	return true, nil
}

// picked reports whether a commit changes how often a text is there, or has an
// expression among its changed lines.
func (l *logRun) picked(c *commit) (bool, error) {
	if len(c.parents) > 1 {
		return false, nil
	}
	list, err := l.changesOf(c, 0)
	if err != nil {
		return false, err
	}
	for _, ch := range list {
		old, err := l.data(ch.old)
		if err != nil {
			return false, err
		}
		new, err := l.data(ch.new)
		if err != nil {
			return false, err
		}
		found, err := l.pickedIn(old, new)
		l.Free(len(old) + len(new))
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}

func (l *logRun) pickedIn(old, new []byte) (bool, error) {
	if l.pickaxe != "" {
		return bytes.Count(old, []byte(l.pickaxe)) != bytes.Count(new, []byte(l.pickaxe)), nil
	}
	m, err := l.matcher(l.pickRegexp)
	if err != nil {
		return false, err
	}
	diff, err := l.diffLines(old, new, nil)
	if err != nil {
		return false, err
	}
	for _, c := range diff.changes {
		for _, line := range slices.Concat(diff.old[c.A:c.A+c.Del], diff.new[c.B:c.B+c.Ins]) {
			if m.Match([]byte(line)) {
				return true, nil
			}
		}
	}
	return false, nil
}

// A renamedAt is a commit that renamed the file that is followed.
type renamedAt struct {
	at       hash
	new, old string
}
