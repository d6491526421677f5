package git

import "strings"

// A walkRange is the commits that revisions and ranges choose.
type walkRange struct {
	include, exclude []hash
	symmetric        []hash // the two sides of a...b
	names            []string
}

// add adds a revision or a range.
func (r *walkRange) add(g *git, text string) error {
	if name, ok := strings.CutPrefix(text, "^"); ok {
		h, err := g.commitOf(name)
		r.exclude = append(r.exclude, h)
		return err
	}
	if from, to, ok := cutRange(text, "..."); ok {
		a, err := g.commitOf(from)
		if err != nil {
			return err
		}
		b, err := g.commitOf(to)
		if err != nil {
			return err
		}
		bases, err := g.mergeBases(a, b)
		r.include, r.exclude = append(r.include, a, b), append(r.exclude, bases...)
		r.symmetric = []hash{a, b}
		return err
	}
	if from, to, ok := cutRange(text, ".."); ok {
		a, err := g.commitOf(from)
		if err != nil {
			return err
		}
		b, err := g.commitOf(to)
		r.include, r.exclude = append(r.include, b), append(r.exclude, a)
		return err
	}
	h, err := g.commitOf(text)
	r.include, r.names = append(r.include, h), append(r.names, text)
	return err
}

// cutRange divides a range; a side that is missing is HEAD.
func cutRange(text, dots string) (from, to string, ok bool) {
	from, to, ok = strings.Cut(text, dots)
	if !ok || strings.Contains(text, ":") || from == "" && to == "" || strings.HasPrefix(to, "/") || strings.HasPrefix(from, "/") {
		return "", "", false
	}
	if from == "" {
		from = "HEAD"
	}
	if to == "" {
		to = "HEAD"
	}
	return from, to, true
}

// isRevision reports whether an argument is a revision or a range.
func (g *git) isRevision(text string) bool {
	if text == "" || strings.HasPrefix(text, "-") {
		return false
	}
	if text == ".." {
		return false
	}
	if rest, ok := strings.CutPrefix(text, "^"); ok {
		text = rest
	}
	for _, dots := range []string{"...", ".."} {
		if from, to, ok := cutRange(text, dots); ok {
			_, err1 := g.resolve(from)
			_, err2 := g.resolve(to)
			return err1 == nil && err2 == nil
		}
	}
	_, err := g.resolve(text)
	return err == nil
}

// divide sorts arguments into revisions and, where there was no "--", paths.
func (g *git) divide(args, paths []string, dashed bool) (revisions, files []string, err error) {
	for i, arg := range args {
		if dashed {
			if !g.isRevision(arg) {
				return nil, nil, fatalf("bad revision '%s'", arg)
			}
			revisions = append(revisions, arg)
			continue
		}
		if g.isRevision(arg) {
			if g.repo.tree != "" && !strings.ContainsAny(arg, ":^~@") {
				if _, err := g.FS.Lstat(arg); err == nil {
					return nil, nil, fatalf("ambiguous argument '%s': both revision and filename\n"+dashHint, arg)
				}
			}
			revisions = append(revisions, arg)
			continue
		}
		for _, file := range args[i:] {
			if rev, _, ok := cutColon(file); ok && rev != "" {
				if _, err := g.resolve(rev); err == nil {
					_, err := g.resolve(file)
					return nil, nil, err
				}
			}
			if _, err := g.FS.Lstat(file); err != nil && !strings.ContainsAny(file, "*?[") && !strings.HasPrefix(file, ":") {
				return nil, nil, fatalf("ambiguous argument '%s': unknown revision or path not in the working tree.\n"+dashHint, file)
			}
		}
		return revisions, args[i:], nil
	}
	return revisions, paths, nil
}

const dashHint = "Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'"
