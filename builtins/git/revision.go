package git

import (
	"errors"
	"path"
	"strconv"
	"strings"
)

// refRules are where a short name is looked up.
var refRules = []string{"%", "refs/%", "refs/tags/%", "refs/heads/%", "refs/remotes/%", "refs/remotes/%/HEAD"}

// expandRef returns the full name of a reference.
func (g *git) expandRef(name string) (string, bool) {
	if name == "@" {
		name = "HEAD"
	}
	for _, rule := range refRules {
		full := strings.Replace(rule, "%", name, 1)
		if rule == "%" && !strings.HasPrefix(name, "refs/") && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
			continue
		}
		if _, ok := g.lookup(full); ok {
			return full, true
		}
	}
	return "", false
}

// errAmbiguous says that a short name is the beginning of several.
var errAmbiguous = errors.New("ambiguous")

// resolve returns the object that an expression names, as gitrevisions(7) has it.
func (g *git) resolve(text string) (hash, error) {
	if rest, ok := strings.CutPrefix(text, ":"); ok && !strings.HasPrefix(rest, "/") {
		return g.resolveIndex(rest)
	}
	if rev, file, ok := cutColon(text); ok {
		return g.resolvePath(rev, file)
	}
	base, operators := splitRevision(text)
	h, err := g.resolveBase(base)
	for err == nil && operators != "" {
		h, operators, err = g.apply1(h, operators)
	}
	return h, err
}

// cutColon divides rev:path.
func cutColon(text string) (rev, file string, ok bool) {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ':':
			if depth == 0 {
				return text[:i], text[i+1:], true
			}
		}
	}
	return "", "", false
}

// splitRevision divides an expression into a name and the operators behind it.
func splitRevision(text string) (base, operators string) {
	for i := range len(text) {
		if text[i] == '^' || text[i] == '~' {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// errBadRevision says that an expression names nothing.
var errBadRevision = errors.New("bad revision")

// resolveBase returns the object that a name without operators names.
func (g *git) resolveBase(name string) (hash, error) {
	if base, at, ok := strings.Cut(name, "@{"); ok && strings.HasSuffix(at, "}") {
		return g.resolveLog(base, strings.TrimSuffix(at, "}"))
	}
	if h, ok := parseHash(strings.ToLower(name)); ok {
		return h, nil
	}
	if full, ok := g.expandRef(name); ok {
		h, _ := g.lookup(full)
		return h, nil
	}
	digits := name
	if i := strings.LastIndex(name, "-g"); i > 0 {
		digits = name[i+2:]
	}
	if len(digits) >= 4 && strings.Trim(strings.ToLower(digits), "0123456789abcdef") == "" {
		list := g.objects.withPrefix(strings.ToLower(digits))
		if len(list) > 1 {
			var commits []hash
			for _, h := range list {
				if _, kind, err := g.objects.peel(h); err == nil && kind == "commit" {
					commits = append(commits, h)
				}
			}
			if len(commits) == 1 {
				return commits[0], nil
			}
			return hash{}, errAmbiguous
		}
		if len(list) == 1 {
			return list[0], nil
		}
	}
	return hash{}, errBadRevision
}

// resolveLog returns what a reference named before: @{1}, @{upstream}, @{-1}.
func (g *git) resolveLog(base, at string) (hash, error) {
	if at == "u" || at == "upstream" || at == "push" {
		branch := g.head()
		if base != "" && base != "HEAD" {
			branch = "refs/heads/" + base
		}
		up, ok := g.upstream(branch)
		if !ok {
			return hash{}, fatalf("no upstream configured for branch '%s'", branchName(branch))
		}
		h, ok := g.lookup(up)
		if !ok {
			return hash{}, errBadRevision
		}
		return h, nil
	}
	if back, ok := strings.CutPrefix(at, "-"); ok && base == "" {
		n, _ := strconv.Atoi(back)
		name, ok := g.previous(n)
		if !ok {
			return hash{}, errBadRevision
		}
		return g.resolveBase(name)
	}
	if base == "" {
		if base = g.head(); base == "" {
			base = "HEAD"
		}
	}
	full, ok := g.expandRef(base)
	n, err := strconv.Atoi(at)
	if !ok || err != nil || n < 0 {
		return hash{}, errBadRevision
	}
	log := g.readLog(full)
	switch {
	case n == 0:
		h, _ := g.lookup(full)
		return h, nil
	case n < len(log):
		return log[n].to, nil
	case n == len(log) && n > 0 && log[n-1].from != (hash{}):
		return log[n-1].from, nil
	}
	return hash{}, fatalf("log for '%s' only has %d entries", base, len(log))
}

// previous returns the branch, or commit, that was checked out n times ago.
func (g *git) previous(n int) (string, bool) {
	for _, e := range g.readLog("HEAD") {
		rest, ok := strings.CutPrefix(e.message, "checkout: moving from ")
		if !ok {
			continue
		}
		if n--; n == 0 {
			from, _, _ := strings.Cut(rest, " to ")
			return from, true
		}
	}
	return "", false
}

// resolveIndex returns the object of a file in the index.
func (g *git) resolveIndex(name string) (hash, error) {
	if rest, ok := strings.CutPrefix(name, "0:"); ok {
		name = rest
	}
	x, err := g.readIndex()
	if err != nil {
		return hash{}, err
	}
	if rest, ok := strings.CutPrefix(name, "./"); ok {
		name = g.repo.prefix + rest
	}
	if e := x.get(name); e != nil {
		return e.hash, nil
	}
	if _, err := g.FS.Lstat(g.full(name)); err == nil {
		return hash{}, fatalf("path '%s' exists on disk, but not in the index", name)
	}
	return hash{}, fatalf("path '%s' does not exist (neither on disk nor in the index)", name)
}

// resolvePath returns the object of a file in a revision.
func (g *git) resolvePath(rev, name string) (hash, error) {
	h, err := g.resolve(rev)
	if err != nil {
		return h, fatalf("invalid object name '%s'.", rev)
	}
	tree, err := g.treeOf(h)
	if err != nil {
		return h, err
	}
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		name = strings.TrimPrefix(path.Join("/", g.repo.prefix, name), "/")
	}
	name = strings.TrimSuffix(name, "/")
	if name == "" {
		return tree, nil
	}
	e, ok, err := g.findInTree(tree, name)
	if err != nil {
		return h, err
	}
	if !ok {
		if _, err := g.FS.Lstat(g.full(name)); err == nil && g.repo.tree != "" {
			return h, fatalf("path '%s' exists on disk, but not in '%s'", name, rev)
		}
		return h, fatalf("path '%s' does not exist in '%s'", name, rev)
	}
	return e.hash, nil
}

// findInTree returns the entry of a path.
func (g *git) findInTree(tree hash, name string) (treeEntry, bool, error) {
	for {
		list, err := g.objects.tree(tree)
		if err != nil {
			return treeEntry{}, false, err
		}
		first, rest, more := strings.Cut(name, "/")
		found := false
		for _, e := range list {
			if e.name != first {
				continue
			}
			if !more {
				return e, true, nil
			}
			if e.mode == modeDir {
				tree, found = e.hash, true
			}
		}
		if !found {
			return treeEntry{}, false, nil
		}
		name = rest
	}
}

// apply1 applies the first of the operators ^n, ~n and ^{kind}, and returns the
// others.
func (g *git) apply1(h hash, operators string) (hash, string, error) {
	rest := operators[1:]
	if kind, ok := strings.CutPrefix(rest, "{"); ok && operators[0] == '^' {
		kind, rest, _ = strings.Cut(kind, "}")
		h, err := g.peelTo(h, kind)
		return h, rest, err
	}
	end := 0
	for end < len(rest) && '0' <= rest[end] && rest[end] <= '9' {
		end++
	}
	n := 1
	if end > 0 {
		n, _ = strconv.Atoi(rest[:end])
	}
	rest = rest[end:]
	h, err := g.peelTo(h, "commit")
	if err != nil {
		return h, rest, errBadRevision
	}
	if operators[0] == '^' {
		if n == 0 {
			return h, rest, nil
		}
		c, err := g.objects.commit(h)
		if err != nil || n > len(c.parents) {
			return h, rest, errors.Join(err, errBadRevision)
		}
		return c.parents[n-1], rest, nil
	}
	for range n {
		c, err := g.objects.commit(h)
		if err != nil || len(c.parents) == 0 {
			return h, rest, errors.Join(err, errBadRevision)
		}
		h = c.parents[0]
	}
	return h, rest, nil
}

// peelTo follows tags, and commits, to an object of a kind.
func (g *git) peelTo(h hash, kind string) (hash, error) {
	target, found, err := g.objects.peel(h)
	switch {
	case err != nil:
		return h, err
	case kind == "object":
		return h, nil
	case kind == "" || kind == found:
		return target, nil
	case kind == "tag":
		return h, errBadRevision
	case kind == "tree" && found == "commit":
		c, err := g.objects.commit(target)
		if err != nil {
			return h, err
		}
		return c.tree, nil
	}
	return h, errBadRevision
}

// treeOf returns the tree of a commit, tag or tree.
func (g *git) treeOf(h hash) (hash, error) {
	tree, err := g.peelTo(h, "tree")
	if err == errBadRevision || err == errMissing {
		return tree, fatalf("not a tree object: %s", h)
	}
	return tree, err
}

// commitOf returns the commit that an expression names.
func (g *git) commitOf(text string) (hash, error) {
	h, err := g.resolve(text)
	if err == nil {
		h, err = g.peelTo(h, "commit")
	}
	return h, err
}

// upstream returns the reference that a branch follows.
func (g *git) upstream(branch string) (string, bool) {
	name := branchName(branch)
	remote, ok := g.config("branch." + name + ".remote")
	merge, merges := g.config("branch." + name + ".merge")
	if !ok || !merges {
		return "", false
	}
	if remote == "." {
		return merge, true
	}
	return "refs/remotes/" + remote + "/" + strings.TrimPrefix(merge, "refs/heads/"), true
}
