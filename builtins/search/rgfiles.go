package search

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/internal/walk"
)

// filters compiles the globs of -g, --iglob, -t and -T.
func (r *ripgrep) filters() error {
	dir := r.absolute(".")
	if r.foldGlobs {
		r.insensitiveGlobs, r.globs = slices.Concat(r.globs, r.insensitiveGlobs), nil
	}
	if r.foldIgnores {
		r.ignoreFlags = regex.IgnoreCase
	}
	add := func(list *[]*ignoreRule, glob string, flags regex.Flags) {
		// What a glob names is kept, where the same line of a
		// .gitignore file has it ignored.
		if rule := parseRule(r.Call, glob, dir, flags); rule != nil {
			rule.keep = !rule.keep
			*list = append(*list, rule)
		}
	}
	for _, glob := range r.globs {
		add(&r.overrides, glob, 0)
		r.any = r.any || !strings.HasPrefix(glob, "!")
	}
	for _, glob := range r.insensitiveGlobs {
		add(&r.overrides, glob, regex.IgnoreCase)
		r.any = r.any || !strings.HasPrefix(glob, "!")
	}
	for _, glob := range r.preGlobs {
		add(&r.preprocessed, glob, 0)
	}
	for _, name := range r.ignoreFiles {
		if r.noIgnoreFiles {
			break
		}
		rules, err := r.readIgnores(name, dir)
		if err != nil && !r.silent {
			_ = r.complain(fmt.Errorf("%s: %w", name, osError(err)))
		}
		r.explicit = append(r.explicit, rules...)
	}
	if err := r.globalIgnores(dir); err != nil {
		return err
	}
	return r.selectTypes(func(list *[]*ignoreRule, glob string) { add(list, glob, 0) })
}

// readIgnores reads a file that --ignore-file names.
func (r *ripgrep) readIgnores(name, dir string) ([]*ignoreRule, error) {
	if _, err := r.FS.Stat(name); err != nil {
		return nil, err
	}
	return readRules(r.Call, name, dir, r.ignoreFlags)
}

// globalIgnores reads the file of the user that git ignores files by.
func (r *ripgrep) globalIgnores(dir string) error {
	if r.noIgnore || r.noVCS || r.noGlobal {
		return nil
	}
	base := r.Getenv("XDG_CONFIG_HOME")
	if home := r.Getenv("HOME"); base == "" && home != "" {
		base = path.Join(home, ".config")
	}
	if base == "" {
		return nil
	}
	var err error
	r.global, err = readRules(r.Call, path.Join(base, "git/ignore"), dir, r.ignoreFlags)
	return err
}

// An ignoreLevel is the rules of the ignore files of one directory.
type ignoreLevel struct {
	depth      int
	vcs, other []*ignoreRule
	repository bool // a .git is here
}

func (l *ignoreLevel) close() {
	for _, rule := range slices.Concat(l.vcs, l.other) {
		rule.glob.Close()
	}
}

// An rgWalk is the search of one directory and what is below it.
type rgWalk struct {
	*ripgrep
	levels []*ignoreLevel // of the directories above and of the walk
	trim   bool
}

// tree searches a directory.
func (r *ripgrep) tree(root string, trim bool) error {
	w := &rgWalk{ripgrep: r, trim: trim}
	defer func() {
		for _, l := range w.levels {
			l.close()
		}
	}()
	if err := w.ancestors(root); err != nil {
		return err
	}
	follow := walk.Operand
	if r.follow {
		follow = walk.Always
	}
	return walk.Tree(r.Call, root, walk.Options{Follow: follow, OneFS: r.oneFS}, w.visit)
}

// ancestors reads the ignore files of the directories above root.
func (w *rgWalk) ancestors(root string) error {
	dir := w.absolute(root)
	var above []string
	for dir != "/" {
		dir = path.Dir(dir)
		above = append(above, dir)
	}
	for _, dir := range slices.Backward(above) {
		l, err := w.level(dir, -1)
		if err != nil {
			return err
		}
		if w.noParent {
			l.vcs, l.other = nil, nil
		}
		w.levels = append(w.levels, l)
	}
	return nil
}

// level reads the ignore files of a directory.
func (w *rgWalk) level(dir string, depth int) (*ignoreLevel, error) {
	l := &ignoreLevel{depth: depth}
	if w.noIgnore {
		return l, nil
	}
	_, err := w.FS.Stat(path.Join(dir, ".git"))
	l.repository, err = err == nil, nil
	read := func(list *[]*ignoreRule, name string) error {
		rules, err := readRules(w.Call, path.Join(dir, name), dir, w.ignoreFlags)
		*list = append(*list, rules...)
		return err
	}
	if !w.noVCS {
		if !w.noExclude {
			err = read(&l.vcs, ".git/info/exclude")
		}
		if err = errors.Join(err, read(&l.vcs, ".gitignore")); err != nil {
			return nil, err
		}
	}
	if !w.noDot {
		err = errors.Join(read(&l.other, ".ignore"), read(&l.other, w.ownIgnore))
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// visit searches one file, or decides whether to enter a directory.
func (w *rgWalk) visit(e *walk.Entry) error {
	if e.Post {
		if n := len(w.levels); n > 0 && w.levels[n-1].depth == e.Depth {
			w.levels[n-1].close()
			w.levels = w.levels[:n-1]
		}
		if e.Err != nil {
			w.trouble(e.Path, e.Err)
		}
		return nil
	}
	if e.Err != nil {
		if errors.Is(e.Err, walk.ErrCycle) {
			w.Fail()
			_ = w.complain(fmt.Errorf("File system loop found: %s", e.Path))
			return nil
		}
		w.trouble(e.Path, e.Err)
		return nil
	}
	kind := e.Type()
	if e.Depth > 0 && w.excluded(e, kind.IsDir()) {
		if kind.IsDir() {
			return walk.Skip
		}
		return nil
	}
	if kind.IsDir() {
		if w.maxDepth >= 0 && e.Depth >= w.maxDepth {
			return walk.Skip
		}
		l, err := w.level(w.absolute(e.Path), e.Depth)
		if err == nil {
			w.levels = append(w.levels, l)
		}
		return err
	}
	if !kind.IsRegular() {
		return nil
	}
	info, err := e.Info()
	if err == nil && info.Size() > w.maxSize {
		return nil
	}
	shown := e.Path
	if w.trim {
		shown = strings.TrimPrefix(shown, "./")
	}
	if w.sortBy != "" {
		return w.keep(e.Path, shown, info)
	}
	return w.file(e.Path, shown)
}

// file searches a file that was found.
func (r *ripgrep) file(name, shown string) error {
	shown = r.separated(shown)
	if r.listFiles {
		return r.printPath(shown)
	}
	binary := r.grep.binary
	if binary == "binary" && !r.searchBinary {
		r.grep.binary = "without-match"
	}
	err := r.searchFile(name, shown)
	r.grep.binary = binary
	if err != nil && err != errMatched && !r.Ends(err) {
		r.trouble(shown, err)
		return nil
	}
	return err
}

// excluded decides whether a file or directory is left out.
func (w *rgWalk) excluded(e *walk.Entry, dir bool) bool {
	abs := w.absolute(e.Path)
	switch decide(w.overrides, abs, dir) {
	case kept:
		return false
	case ignored:
		return true
	}
	if w.any && !dir {
		return true
	}
	v := w.byFiles(abs, dir)
	if v == ignored {
		return true
	}
	if !dir {
		switch decide(w.wanted, abs, dir) {
		case ignored:
			return true
		case kept:
			v = kept
		default:
			if w.anyType {
				return true
			}
		}
	}
	return v != kept && !w.hidden && strings.HasPrefix(e.Name(), ".")
}

// byFiles returns what ignore files say. Those of deeper directories come
// first, and .ignore before .gitignore, which counts in repositories only.
func (w *rgWalk) byFiles(abs string, dir bool) verdict {
	for i := len(w.levels) - 1; i >= 0; i-- {
		if v := decide(w.levels[i].other, abs, dir); v != undecided {
			return v
		}
	}
	if v := w.byRepositories(abs, dir); v != undecided {
		return v
	}
	return decide(w.explicit, abs, dir)
}

// byRepositories returns what the ignore files of git say.
func (w *rgWalk) byRepositories(abs string, dir bool) verdict {
	if !w.anyRepository && !slices.ContainsFunc(w.levels, func(l *ignoreLevel) bool { return l.repository }) {
		return undecided
	}
	for i := len(w.levels) - 1; i >= 0; i-- {
		if v := decide(w.levels[i].vcs, abs, dir); v != undecided {
			return v
		}
		if w.levels[i].repository {
			break
		}
	}
	return decide(w.global, abs, dir)
}
