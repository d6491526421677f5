package search

import (
	"errors"
	"fmt"

	"maps"
	"path"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/internal/walk"
)

// rgTypes has the globs of the types that -t and -T know.
var rgTypes = map[string]string{
	"asm": "*.asm *.s *.S", "awk": "*.awk", "c": "*.c *.h *.H *.cats", "cmake": "*.cmake CMakeLists.txt", "config": "*.cfg *.conf *.config *.ini",
	"cpp": "*.C *.H *.cc *.cpp *.cxx *.h *.hh *.hpp *.hxx *.inl", "cs": "*.cs", "css": "*.css *.scss", "csv": "*.csv", "dart": "*.dart",
	"diff": "*.diff *.patch", "docker": "*Dockerfile*", "elixir": "*.eex *.ex *.exs", "go": "*.go", "graphql": "*.graphql *.graphqls",
	"h": "*.h *.hh *.hpp", "haskell": "*.hs *.lhs *.cpphs", "html": "*.ejs *.htm *.html", "java": "*.java *.jsp *.jspx *.properties",
	"js": "*.cjs *.js *.jsx *.mjs *.vue", "json": "*.json *.sarif composer.lock", "kotlin": "*.kt *.kts", "log": "*.log", "lua": "*.lua",
	"make": "*.mak *.mk GNUmakefile Makefile makefile", "markdown": "*.markdown *.md *.mdown *.mdx *.mkdn", "md": "*.markdown *.md *.mdown *.mdx *.mkdn",
	"nix": "*.nix", "objc": "*.h *.m", "perl": "*.PL *.perl *.pl *.plh *.plx *.pm *.t", "php": "*.php *.php3 *.php4 *.php5 *.phtml",
	"protobuf": "*.proto", "ps": "*.cdxml *.ps1 *.ps1xml *.psd1 *.psm1", "py": "*.py *.pyi", "python": "*.py *.pyi", "r": "*.R *.Rmd *.Rnw *.r",
	"rst": "*.rst", "ruby": "*.gemspec *.rb *.rbw .irbrc Gemfile Rakefile config.ru", "rust": "*.rs", "scala": "*.sbt *.scala",
	"sh":  "*.bash *.bashrc *.csh *.cshrc *.ksh *.kshrc *.sh *.tcsh *.zsh .bash_login .bash_logout .bash_profile .bashrc .profile .zshrc",
	"sql": "*.psql *.sql", "svg": "*.svg", "swift": "*.swift", "tex": "*.bib *.cls *.ltx *.sty *.tex", "tf": "*.tf *.tfvars", "toml": "*.toml Cargo.lock",
	"ts": "*.cts *.mts *.ts *.tsx", "txt": "*.txt", "vim": "*.vim .vimrc vimrc", "xml": "*.dtd *.rng *.sch *.xhtml *.xjb *.xml *.xml.dist *.xsd *.xsl *.xslt",
	"yaml": "*.yaml *.yml", "zig": "*.zig",
}

func (r *ripgrep) listTypes() error {
	for _, name := range slices.Sorted(maps.Keys(rgTypes)) {
		fmt.Fprintf(r.Stdout, "%s: %s\n", name, strings.ReplaceAll(rgTypes[name], " ", ", "))
	}
	return builtins.Exit(0)
}

// filters compiles the globs of -g, --iglob, -t and -T.
func (r *ripgrep) filters() error {
	dir := r.absolute(".")
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
	for i, name := range slices.Concat(r.types, r.notTypes) {
		globs, ok := rgTypes[name]
		if !ok {
			return fmt.Errorf("unrecognized file type: %s", name)
		}
		not := ""
		if i >= len(r.types) {
			not = "!"
		}
		for _, glob := range strings.Fields(globs) {
			add(&r.wanted, not+glob, 0)
		}
	}
	r.anyType = len(r.types) > 0
	return nil
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
	paths  []string // for --sortr
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
	err := walk.Tree(r.Call, root, walk.Options{Follow: follow}, w.visit)
	for i := len(w.paths) - 1; i >= 0 && err == nil; i-- {
		err = w.file(w.paths[i])
	}
	return err
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
	l.repository = err == nil
	read := func(list *[]*ignoreRule, name string) error {
		rules, err := readRules(w.Call, path.Join(dir, name), dir)
		*list = append(*list, rules...)
		return err
	}
	if !w.noVCS {
		err = errors.Join(read(&l.vcs, ".git/info/exclude"), read(&l.vcs, ".gitignore"))
		if err != nil {
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
			w.Warnf("File system loop found: %s", e.Path)
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
	if info, err := e.Info(); err == nil && info.Size() > w.maxSize {
		return nil
	}
	if w.sortReverse {
		w.paths = append(w.paths, e.Path)
		return w.Alloc(len(e.Path) + 16)
	}
	return w.file(e.Path)
}

// file searches a file that was found.
func (w *rgWalk) file(name string) error {
	shown := name
	if w.sortReverse {
		w.Free(len(name) + 16)
	}
	if w.trim {
		shown = strings.TrimPrefix(name, "./")
	}
	if w.listFiles {
		return w.printPath(shown)
	}
	binary := w.binary
	if binary == "binary" && w.unrestricted < 3 {
		w.binary = "without-match"
	}
	err := w.searchFile(name, shown)
	w.binary = binary
	if err != nil && err != errMatched && !w.Ends(err) {
		w.trouble(shown, err)
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
	return undecided
}
