package git

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// A ref is a reference and what it names.
type ref struct {
	name string
	hash hash
}

// refFile returns the file of a reference.
func (g *git) refFile(name string) string {
	if strings.HasPrefix(name, "refs/") {
		return g.repo.common + "/" + name
	}
	return g.repo.dir + "/" + name
}

// symbolic returns the reference that a symbolic one refers to.
func (g *git) symbolic(name string) (target string, ok bool) {
	data, err := vfs.ReadFile(g.FS, g.refFile(name))
	if err != nil {
		return "", false
	}
	if target, ok = strings.CutPrefix(string(data), "ref:"); !ok {
		return "", false
	}
	return strings.TrimSpace(target), true
}

// head returns the branch that is checked out, or "" where HEAD is detached.
func (g *git) head() string {
	target, _ := g.symbolic("HEAD")
	return target
}

// branchName returns the name of the current branch as messages have it.
func branchName(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

// lookup returns what a reference names.
func (g *git) lookup(name string) (h hash, ok bool) {
	for range 5 {
		data, err := vfs.ReadFile(g.FS, g.refFile(name))
		if err != nil {
			return g.lookupPacked(name)
		}
		text := strings.TrimSpace(string(data))
		target, symbolic := strings.CutPrefix(text, "ref:")
		if !symbolic {
			return parseHash(strings.ToLower(strings.Fields(text + " -")[0]))
		}
		name = strings.TrimSpace(target)
	}
	return h, false
}

// packed returns the references of the file packed-refs.
func (g *git) packed() (list []ref) {
	data, err := vfs.ReadFile(g.FS, g.repo.common+"/packed-refs")
	if err != nil {
		return nil
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		digits, name, ok := strings.Cut(line, " ")
		if h, valid := parseHash(digits); ok && valid {
			list = append(list, ref{name, h})
		}
	}
	return list
}

func (g *git) lookupPacked(name string) (h hash, ok bool) {
	for _, r := range g.packed() {
		if r.name == name {
			return r.hash, true
		}
	}
	return h, false
}

// refs returns the references whose names begin with prefix, by name.
func (g *git) refs(prefix string) ([]ref, error) {
	found := map[string]hash{}
	for _, r := range g.packed() {
		found[r.name] = r.hash
	}
	var walk func(dir string) error
	walk = func(dir string) error {
		entries, err := g.FS.ReadDir(g.repo.common + "/" + dir)
		if err != nil {
			return nil
		}
		for _, e := range entries {
			if err := g.Poll(1); err != nil {
				return err
			}
			name := dir + "/" + e.Name()
			if e.IsDir() {
				if err := walk(name); err != nil {
					return err
				}
				continue
			}
			if h, ok := g.lookup(name); ok && !strings.HasSuffix(name, ".lock") {
				found[name] = h
			}
		}
		return nil
	}
	if err := walk("refs"); err != nil {
		return nil, err
	}
	var list []ref
	for name, h := range found {
		if strings.HasPrefix(name, prefix) {
			list = append(list, ref{name, h})
		}
	}
	slices.SortFunc(list, func(a, b ref) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

// setRef makes a reference name an object, and notes why.
func (g *git) setRef(name string, h hash, message string) error {
	if target, ok := g.symbolic(name); ok {
		return g.setRef(target, h, message)
	}
	for dir := path.Dir(name); dir != "refs" && dir != "." && dir != "/"; dir = path.Dir(dir) {
		if _, taken := g.lookup(dir); taken {
			return fatalf("cannot lock ref '%s': '%s' exists; cannot create '%s'", name, dir, name)
		}
	}
	old, _ := g.lookup(name)
	file := g.refFile(name)
	if info, err := g.FS.Stat(file); err == nil && info.IsDir() {
		if below, _ := g.refs(name + "/"); len(below) > 0 {
			return fatalf("cannot lock ref '%s': '%s' exists; cannot create '%s'", name, below[0].name, name)
		}
		_ = g.FS.RemoveAll(file)
	}
	if err := g.FS.MkdirAll(path.Dir(file), 0o777); err != nil {
		return fatalf("cannot lock ref '%s': %v", name, vfs.ErrnoOf(err))
	}
	if err := g.writeFile(file, []byte(h.String()+"\n")); err != nil {
		return err
	}
	if err := g.note(name, old, h, message); err != nil {
		return err
	}
	if g.head() == name {
		return g.note("HEAD", old, h, message)
	}
	return nil
}

// note appends to the log of a reference, if it has one.
func (g *git) note(name string, from, to hash, message string) error {
	file := g.repo.common + "/logs/" + name
	if !strings.HasPrefix(name, "refs/") {
		file = g.repo.dir + "/logs/" + name
	}
	logged := name == "HEAD" || strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, "refs/remotes/") || name == "refs/stash"
	if _, err := g.FS.Stat(file); err != nil && (!logged || g.repo.tree == "" || message == "") {
		return nil
	}
	who, err := g.reflogSignature()
	if err != nil {
		return err
	}
	if err := g.FS.MkdirAll(path.Dir(file), 0o777); err != nil {
		return fatalf("unable to append to '%s': %v", file, vfs.ErrnoOf(err))
	}
	f, err := g.FS.OpenFile(file, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_APPEND, 0o666)
	if err != nil {
		return fatalf("unable to append to '%s': %v", file, vfs.ErrnoOf(err))
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "%s %s %s\t%s\n", from, to, who, strings.Join(strings.Fields(message), " "))
	return err
}

// reflogSignature is the committer, or somebody who need not be known.
func (g *git) reflogSignature() (signature, error) {
	_, named := g.config("user.name")
	_, mailed := g.config("user.email")
	if (named || g.Getenv("GIT_COMMITTER_NAME") != "") && (mailed || g.Getenv("GIT_COMMITTER_EMAIL") != "") {
		return g.committer()
	}
	return signature{name: g.User.Name, email: g.User.Name + "@" + g.Host, when: g.now()}, nil
}

// deleteRef removes a reference and its log.
func (g *git) deleteRef(name string) error {
	if _, ok := g.lookupPacked(name); ok {
		data, err := vfs.ReadFile(g.FS, g.repo.common+"/packed-refs")
		if err != nil {
			return err
		}
		var keep []string
		skip := false
		for _, line := range strings.SplitAfter(string(data), "\n") {
			if strings.HasPrefix(line, "^") && skip {
				continue
			}
			_, n, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if skip = n == name && !strings.HasPrefix(line, "#"); !skip {
				keep = append(keep, line)
			}
		}
		if err := g.writeFile(g.repo.common+"/packed-refs", []byte(strings.Join(keep, ""))); err != nil {
			return err
		}
	}
	for _, file := range []string{g.refFile(name), g.repo.common + "/logs/" + name} {
		if err := g.FS.Remove(file); err != nil && !missing(err) {
			return fatalf("could not delete reference %s: %v", name, vfs.ErrnoOf(err))
		}
		for dir := path.Dir(file); path.Base(dir) != "heads" && path.Base(dir) != "tags" && path.Base(dir) != "refs" && path.Base(dir) != "logs"; dir = path.Dir(dir) {
			if g.FS.Remove(dir) != nil {
				break
			}
		}
	}
	return nil
}

// setHead makes HEAD refer to a branch, or to a commit where branch is empty.
func (g *git) setHead(branch string, h hash, message string) error {
	old, _ := g.lookup("HEAD")
	text := h.String() + "\n"
	if branch != "" {
		text = "ref: " + branch + "\n"
	}
	if err := g.writeFile(g.repo.dir+"/HEAD", []byte(text)); err != nil {
		return err
	}
	if message == "" {
		return nil
	}
	return g.note("HEAD", old, h, message)
}

// validRef reports whether a name is one that references may have.
func validRef(name string) bool {
	if name == "" || strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") || strings.HasSuffix(name, ".") || name == "@" ||
		strings.Contains(name, "..") || strings.Contains(name, "//") || strings.Contains(name, "@{") || strings.ContainsAny(name, " ~^:?*[\\\x7f") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	for i := range len(name) {
		if name[i] < ' ' {
			return false
		}
	}
	return true
}

// A logEntry is a line of the log of a reference.
type logEntry struct {
	from, to hash
	who      signature
	message  string
}

// readLog returns the log of a reference, the newest first.
func (g *git) readLog(name string) (list []logEntry) {
	file := g.repo.common + "/logs/" + name
	if !strings.HasPrefix(name, "refs/") {
		file = g.repo.dir + "/logs/" + name
	}
	data, err := vfs.ReadFile(g.FS, file)
	if err != nil || g.hold(2*len(data)) != nil {
		return nil
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n"), "\n") {
		head, message, _ := strings.Cut(line, "\t")
		if len(head) < 82 {
			continue
		}
		from, ok1 := parseHash(head[:40])
		to, ok2 := parseHash(head[41:81])
		if ok1 && ok2 {
			list = append(list, logEntry{from, to, parseSignature(head[82:]), message})
		}
	}
	slices.Reverse(list)
	return list
}
