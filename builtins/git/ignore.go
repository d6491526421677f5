package git

import (
	"path"
	"strings"

	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/vfs"
)

// An ignorer knows the files that are not to be tracked.
type ignorer struct {
	g     *git
	rules map[string][]ignoreRule // of the .gitignore of each directory; "" is the top
	last  []ignoreRule            // of info/exclude and core.excludesFile
	first []ignoreRule            // of options
	off   bool                    // only those count
}

// An ignoreRule is a line of a .gitignore file.
type ignoreRule struct {
	glob    *regex.Matcher
	text    string
	source  string
	line    int
	base    string // the directory of the file, with a slash at its end
	keep    bool
	dirOnly bool
	anyDir  bool // the glob is about the last element of the path
}

func (g *git) ignorer() *ignorer {
	i := &ignorer{g: g, rules: map[string][]ignoreRule{}}
	name, ok := g.config("core.excludesfile")
	if !ok && g.Getenv("HOME") != "" {
		name = g.Getenv("HOME") + "/.config/git/ignore"
	}
	if rest, tilde := strings.CutPrefix(name, "~/"); tilde {
		name = g.Getenv("HOME") + "/" + rest
	}
	if name != "" {
		i.last = append(i.last, i.read(name, name, "")...)
	}
	i.last = append(i.last, i.read(g.repo.common+"/info/exclude", ".git/info/exclude", "")...)
	return i
}

// read returns the rules of a file.
func (i *ignorer) read(name, source, base string) (list []ignoreRule) {
	data, err := vfs.ReadFile(i.g.FS, name)
	if err != nil || i.g.hold(2*len(data)) != nil {
		return nil
	}
	for n, line := range strings.Split(string(data), "\n") {
		if r, ok := i.rule(line, base); ok {
			r.source, r.line = source, n+1
			list = append(list, r)
		}
	}
	return list
}

// rule parses a line.
func (i *ignorer) rule(line, base string) (ignoreRule, bool) {
	line = strings.TrimSuffix(line, "\r")
	r := ignoreRule{base: base, text: line}
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return r, false
	}
	r.text = line
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	r.anyDir = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, false
	}
	re, err := regex.Compile(slashGlob(line), regex.Perl, regex.WholeLine|regex.DotNewline)
	if err != nil {
		return r, false
	}
	r.glob = re.Matcher(i.g.Call)
	return r, true
}

// slashGlob returns a Perl expression for a glob in which only ** matches slashes.
func slashGlob(glob string) string {
	var b strings.Builder
	for i := 0; i < len(glob); {
		rest := glob[i:]
		switch {
		case strings.HasPrefix(rest, "**/") && (i == 0 || glob[i-1] == '/'):
			b.WriteString("(?:.*/)?")
			i += 3
		case rest == "**" && i > 0 && glob[i-1] == '/':
			b.WriteString(".*")
			i += 2
		case rest[0] == '*':
			b.WriteString("[^/]*")
			for i < len(glob) && glob[i] == '*' {
				i++
			}
		case rest[0] == '?':
			b.WriteString("[^/]")
			i++
		case rest[0] == '[' && strings.IndexByte(rest[min(2, len(rest)):], ']') >= 0:
			end := strings.IndexByte(rest[2:], ']') + 3
			b.WriteString("(?!/)" + starGlob(rest[:end]))
			i += end
		case rest[0] == '\\' && len(rest) > 1:
			b.WriteString(regex.Quote(rest[1:2]))
			i += 2
		default:
			b.WriteString(regex.Quote(rest[:1]))
			i++
		}
	}
	return b.String()
}

// of returns the rule that decides about a path itself, or nil.
func (i *ignorer) of(name string, dir bool) *ignoreRule {
	if r := last(i.first, name, dir); r != nil || i.off {
		return r
	}
	for base := parent(name); ; base = parent(strings.TrimSuffix(base, "/")) {
		if r := last(i.in(base), name, dir); r != nil {
			return r
		}
		if base == "" {
			break
		}
	}
	return last(i.last, name, dir)
}

// parent returns the directory of a path, with a slash at its end; "" is the top.
func parent(name string) string { return name[:strings.LastIndexByte(name, '/')+1] }

// in returns the rules of the .gitignore in a directory.
func (i *ignorer) in(base string) []ignoreRule {
	list, ok := i.rules[base]
	if !ok {
		list = i.read(i.g.full(base+".gitignore"), base+".gitignore", base)
		i.rules[base] = list
	}
	return list
}

// last returns the last of the rules that matches.
func last(rules []ignoreRule, name string, dir bool) *ignoreRule {
	for k := len(rules) - 1; k >= 0; k-- {
		r := &rules[k]
		if r.dirOnly && !dir {
			continue
		}
		text := strings.TrimPrefix(name, r.base)
		if r.anyDir {
			text = path.Base(name)
		}
		if r.glob.Match([]byte(text)) {
			return r
		}
	}
	return nil
}

// ignored reports whether a path is ignored, itself or because a directory above
// it is, and returns the rule.
func (i *ignorer) ignored(name string, dir bool) (*ignoreRule, bool) {
	for at := range len(name) {
		if name[at] == '/' {
			if r := i.of(name[:at], true); r != nil && !r.keep {
				return r, true
			}
		}
	}
	r := i.of(name, dir)
	return r, r != nil && !r.keep
}

// checkIgnore is git check-ignore.
func (g *git) checkIgnore(args []string) error {
	verbose, all, quiet, noIndex, stdin, nul := false, false, false, false, false, false
	f := g.options("[<options>] <pathname>...")
	f.bool(&verbose, "v,verbose")
	f.bool(&all, "n,non-matching")
	f.bool(&quiet, "q,quiet")
	f.bool(&noIndex, "no-index")
	f.bool(&stdin, "stdin")
	f.bool(&nul, "z")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.inTree(); err != nil {
		return err
	}
	names := append(args, rest...)
	if stdin {
		names, err = g.inputLines(nul)
		if err != nil {
			return err
		}
	}
	if len(names) == 0 && !stdin {
		return fatal("no path specified")
	}
	x, err := g.readIndex()
	if err != nil {
		return err
	}
	ign := g.ignorer()
	found := false
	for _, name := range names {
		if outside(g.repo.prefix, name) {
			return fatalf("%s: '%s' is outside repository at '%s'", name, name, g.repo.tree)
		}
		full := strings.TrimPrefix(path.Join("/", g.repo.prefix, name), "/")
		info, err := g.FS.Lstat(g.full(full))
		dir := err == nil && info.IsDir() || strings.HasSuffix(name, "/")
		var r *ignoreRule
		if noIndex || x.get(full) == nil {
			r, _ = ign.ignored(full, dir)
		}
		if r != nil && r.keep && !verbose {
			r = nil
		}
		found = found || r != nil
		end := "\n"
		if nul {
			end = "\x00"
		}
		switch {
		case quiet:
		case verbose && r != nil:
			g.out.WriteString(r.source + ":" + itoa(r.line) + ":" + r.text + "\t" + g.quotePath(name) + end)
		case verbose && all:
			g.out.WriteString("::\t" + g.quotePath(name) + end)
		case r != nil:
			g.out.WriteString(g.quotePath(name) + end)
		}
	}
	if !found {
		return exitStatus(1)
	}
	return nil
}
