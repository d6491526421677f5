package git

import (
	"path"
	"strings"

	"github.com/limpet-sh/limpet/internal/regex"
)

// A pathspec chooses files by their paths.
type pathspec struct {
	rules []pathRule
}

// A pathRule is one of the patterns of a pathspec.
type pathRule struct {
	text    string // as given
	path    string // from the top of the working tree, without a slash at its end
	glob    *regex.Matcher
	exclude bool
	used    bool
}

// pathspec parses pathspecs, which are relative to the working directory.
func (g *git) pathspec(args []string) (*pathspec, error) {
	p := &pathspec{}
	for _, arg := range args {
		if arg == "" {
			return nil, fatal("empty string is not a valid pathspec. please use . instead if you meant to match all paths")
		}
		r := pathRule{text: arg}
		text, top := arg, false
		switch {
		case strings.HasPrefix(text, ":(exclude)"):
			text, r.exclude = text[10:], true
		case strings.HasPrefix(text, ":(top)"):
			text, top = text[6:], true
		case strings.HasPrefix(text, ":!") || strings.HasPrefix(text, ":^"):
			text, r.exclude = text[2:], true
		case strings.HasPrefix(text, ":/"):
			text, top = text[2:], true
		case strings.HasPrefix(text, ":("):
			return nil, fatalf("Unsupported pathspec magic in '%s'", arg)
		}
		full := path.Join("/", g.repo.prefix, text)
		switch {
		case top:
			full = path.Join("/", text)
		case strings.HasPrefix(text, "/"):
			rest, ok := strings.CutPrefix(path.Clean(text)+"/", strings.TrimSuffix(g.repo.tree, "/")+"/")
			if !ok {
				return nil, fatalf("%s: '%s' is outside repository at '%s'", arg, arg, g.repo.tree)
			}
			full = "/" + strings.TrimSuffix(rest, "/")
		case outside(g.repo.prefix, text):
			return nil, fatalf("%s: '%s' is outside repository at '%s'", arg, arg, g.repo.tree)
		}
		r.path = strings.TrimPrefix(full, "/")
		if strings.ContainsAny(r.path, "*?[") {
			re, err := regex.Compile(starGlob(r.path), regex.Perl, regex.WholeLine|regex.DotNewline)
			if err == nil {
				r.glob = re.Matcher(g.Call)
			}
		}
		p.rules = append(p.rules, r)
	}
	return p, nil
}

// outside reports whether a relative name leads above the top.
func outside(prefix, name string) bool {
	depth := strings.Count(prefix, "/")
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "..":
			if depth--; depth < 0 {
				return true
			}
		case "", ".":
		default:
			depth++
		}
	}
	return false
}

// starGlob returns a Perl expression for a glob in which * matches slashes too.
func starGlob(glob string) string {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; c {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteByte('.')
		case '[':
			end := strings.IndexByte(glob[min(i+2, len(glob)):], ']')
			if end < 0 {
				b.WriteString(`\[`)
				continue
			}
			set := glob[i+1 : i+2+end]
			if strings.HasPrefix(set, "!") {
				set = "^" + set[1:]
			}
			b.WriteString("[" + strings.ReplaceAll(set, `\`, `\\`) + "]")
			i += 2 + end
		case '\\':
			if i+1 < len(glob) {
				i++
				b.WriteString(regex.Quote(glob[i : i+1]))
			}
		default:
			b.WriteString(regex.Quote(string(c)))
		}
	}
	return b.String()
}

// all reports whether there is no pattern.
func (p *pathspec) all() bool { return p == nil || len(p.rules) == 0 }

// match reports whether a path is chosen, and notes by which pattern.
func (p *pathspec) match(name string) bool {
	if p.all() {
		return true
	}
	chosen, only := false, true
	for i := range p.rules {
		r := &p.rules[i]
		if !r.exclude {
			only = false
			if r.matches(name) {
				chosen, r.used = true, true
			}
		}
	}
	if !chosen && !only {
		return false
	}
	for i := range p.rules {
		if r := &p.rules[i]; r.exclude && r.matches(name) {
			r.used = true
			return false
		}
	}
	return true
}

func (r *pathRule) matches(name string) bool {
	if r.path == "" || name == r.path || strings.HasPrefix(name, r.path+"/") {
		return true
	}
	return r.glob != nil && r.glob.Match([]byte(name))
}

// under reports whether some path below a directory may be chosen.
func (p *pathspec) under(dir string) bool {
	if p.all() {
		return true
	}
	for i := range p.rules {
		r := &p.rules[i]
		if r.exclude || r.glob != nil || r.matches(dir) || strings.HasPrefix(r.path, dir+"/") {
			return true
		}
	}
	return false
}

// unused returns the first pattern that has matched nothing.
func (p *pathspec) unused() (string, bool) {
	for _, r := range p.rules {
		if !r.used && !r.exclude {
			return r.text, true
		}
	}
	return "", false
}

// quotePath returns a path as git shows it: between double quotes and with the
// escapes of C where it has unusual characters.
func (g *git) quotePath(name string) string {
	all := g.configBool("core.quotepath", true)
	return quoteName(name, all)
}

func quoteName(name string, all bool) string {
	var b strings.Builder
	quoted := false
	for i := range len(name) {
		c := name[i]
		if at := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); at >= 0 {
			b.WriteByte('\\')
			b.WriteByte(`abtnvfr"\`[at])
			quoted = true
		} else if c < ' ' || c == 0x7f || c >= 0x80 && all {
			b.WriteByte('\\')
			b.WriteByte('0' + c>>6)
			b.WriteByte('0' + c>>3&7)
			b.WriteByte('0' + c&7)
			quoted = true
		} else {
			b.WriteByte(c)
		}
	}
	if !quoted {
		return name
	}
	return `"` + b.String() + `"`
}

// shown returns a path of the repository relative to the working directory.
func (g *git) shown(name string) string {
	rel := name
	if prefix := g.repo.prefix; prefix != "" {
		up := 0
		for prefix != "" && !strings.HasPrefix(name, prefix) {
			prefix = prefix[:strings.LastIndexByte(strings.TrimSuffix(prefix, "/"), '/')+1]
			up++
		}
		rel = strings.Repeat("../", up) + name[len(prefix):]
		if rel == "" {
			rel = "./"
		}
	}
	return g.quotePath(rel)
}
