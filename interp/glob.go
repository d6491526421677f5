package interp

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/vfs"
)

// globField appends the names of the files that the pattern pat matches, or
// what stands for it where there are none: word, nothing, or an error.
func (sh *Shell) globField(dst []string, pat, word string) []string {
	if !pattern.HasMeta(pat, sh.shopt(shoptExtglob)) {
		return append(dst, unquoteWord(pat, word))
	}
	names := sh.glob(pat)
	switch {
	case sh.pending != ctlNone:
		return dst
	case len(names) > 0:
		return append(dst, names...)
	case sh.shopt(shoptFailglob):
		sh.failReported("no match: %s", word)
		return dst
	case sh.shopt(shoptNullglob):
		return dst
	}
	return append(dst, word)
}

func unquoteWord(_, word string) string { return word }

// A globber finds the files that a pattern matches.
type globber struct {
	sh    *Shell
	view  *vfs.View
	flags pattern.Flags
	out   []string
	held  int
}

// glob returns the names of the files that pat matches, sorted. (bash manual,
// Filename Expansion)
func (sh *Shell) glob(pat string) []string {
	g := &globber{sh: sh, view: sh.view(), flags: sh.patternFlags() | pattern.Path}
	if sh.shopt(shoptDotglob) {
		g.flags |= pattern.DotGlob
	}
	if sh.shopt(shoptNocaseglob) {
		g.flags |= pattern.IgnoreCase
	}
	ignore := sh.lookup("GLOBIGNORE")
	if ignore.isSet() && ignore.text(sh) != "" {
		g.flags |= pattern.DotGlob
	}
	prefix := ""
	rest := pat
	if strings.HasPrefix(rest, "/") {
		trimmed := strings.TrimLeft(rest, "/")
		prefix, rest = rest[:len(rest)-len(trimmed)], trimmed
	}
	g.walk(prefix, splitPattern(rest))
	sh.hold(-g.held)
	if ignore.isSet() && ignore.text(sh) != "" {
		g.ignore(ignore.text(sh))
	}
	slices.Sort(g.out)
	if strings.Contains(pat, "**") && sh.shopt(shoptGlobstar) {
		g.out = slices.Compact(g.out)
	}
	return g.out
}

// splitPattern splits a pattern at its slashes: those that are not in a bracket
// expression or a group.
func splitPattern(p string) []string {
	var parts []string
	from, depth := 0, 0
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			if end := bracketEnd(p, i); end > 0 && !strings.Contains(p[i:end], "/") {
				i = end
			}
		case '(':
			if i > 0 && strings.IndexByte("?*+@!", p[i-1]) >= 0 {
				depth++
			}
		case ')':
			depth = max(0, depth-1)
		case '/':
			if depth == 0 {
				parts = append(parts, p[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, p[from:])
}

// bracketEnd returns where the bracket expression that begins at i ends, or 0.
func bracketEnd(p string, i int) int {
	j := i + 1
	if j < len(p) && (p[j] == '!' || p[j] == '^') {
		j++
	}
	if j < len(p) && p[j] == ']' {
		j++
	}
	for ; j < len(p); j++ {
		switch p[j] {
		case '\\':
			j++
		case '[':
			if j+1 < len(p) && p[j+1] == ':' {
				if k := strings.Index(p[j+2:], ":]"); k >= 0 {
					j += k + 3
				}
			}
		case ']':
			return j
		}
	}
	return 0
}

// walk matches the components of a pattern below the directory dir.
func (g *globber) walk(dir string, parts []string) {
	for len(parts) > 0 {
		if g.sh.pending != ctlNone {
			return
		}
		part := parts[0]
		last := len(parts) == 1
		if part == "**" && g.sh.shopt(shoptGlobstar) {
			g.deep(dir, parts[1:])
			return
		}
		if pattern.HasMeta(part, true) {
			g.match(dir, part, parts[1:])
			return
		}
		if part == "" && strings.Join(parts, "") == "" { // slashes at the end are one
			g.add(dir, true)
			return
		}
		name := pattern.Unquote(part)
		if last {
			g.add(dir+name, name == "")
			return
		}
		dir += name + "/"
		parts = parts[1:]
	}
}

// add adds a name if there is such a file.
func (g *globber) add(name string, isDir bool) {
	if isDir {
		info, err := g.view.Stat(name)
		if err != nil || !info.IsDir() {
			return
		}
	} else if _, err := g.view.Lstat(name); err != nil {
		return
	}
	g.found(name)
}

func (g *globber) found(name string) {
	g.held += len(name) + 16
	g.out = append(g.out, name)
	if g.sh.step(1) != nil || !g.sh.hold(len(name)+16) {
		g.held -= len(name) + 16
	}
}

// read returns the entries of a directory, in order.
func (g *globber) read(dir string) []fs.DirEntry {
	if dir == "" {
		dir = "."
	}
	list, err := g.view.ReadDir(dir)
	if err != nil || g.sh.step(len(list)) != nil {
		return nil
	}
	return list
}

// match matches one component, and the others below what it matches.
func (g *globber) match(dir, part string, rest []string) {
	p := g.sh.patternFor(part, g.flags)
	one := func(name string, entry fs.DirEntry) bool {
		ok, err := p.MatchStep(name, g.sh.step)
		if err != nil {
			if g.sh.x.halted.Load() {
				g.sh.pending = ctlStop
			}
			return false
		}
		if !ok {
			return true
		}
		switch {
		case len(rest) == 0:
			g.found(dir + name)
		case entry == nil || entry.IsDir() || entry.Type()&fs.ModeSymlink != 0:
			g.walk(dir+name+"/", rest)
		}
		return g.sh.pending == ctlNone
	}
	if strings.HasPrefix(part, ".") && !g.sh.shopt(shoptGlobskipdots) {
		if !one(".", nil) || !one("..", nil) {
			return
		}
	}
	for _, entry := range g.read(dir) {
		if !one(entry.Name(), entry) {
			return
		}
	}
}

// deep matches ** : every directory below dir, and dir itself, with what follows.
func (g *globber) deep(dir string, rest []string) {
	for len(rest) > 0 && rest[0] == "**" {
		rest = rest[1:]
	}
	type place struct {
		name  string
		depth int
	}
	todo := []place{{dir, 0}}
	if len(rest) == 0 && dir != "" {
		g.found(dir)
	}
	for len(todo) > 0 && g.sh.pending == ctlNone {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if len(rest) > 0 {
			g.walk(at.name, rest)
		}
		for _, entry := range g.read(at.name) {
			name := entry.Name()
			if strings.HasPrefix(name, ".") && g.flags&pattern.DotGlob == 0 {
				continue
			}
			if len(rest) == 0 {
				g.found(at.name + name)
			}
			if entry.IsDir() && at.depth < maxPathDepth {
				todo = append(todo, place{at.name + name + "/", at.depth + 1})
			}
		}
	}
}

// maxPathDepth bounds how deep ** descends: names of more components are longer
// than a path may be.
const maxPathDepth = 2048

// ignore removes the names that GLOBIGNORE matches, component by component.
func (g *globber) ignore(list string) {
	var pats [][]*pattern.Pattern
	for _, p := range splitColons(list) {
		var parts []*pattern.Pattern
		for _, part := range splitPattern(p) {
			parts = append(parts, g.sh.patternFor(part, g.sh.patternFlags()))
		}
		pats = append(pats, parts)
	}
	g.out = slices.DeleteFunc(g.out, func(name string) bool {
		base := name[strings.LastIndexByte(name, '/')+1:]
		if base == "." || base == ".." {
			return true
		}
		return slices.ContainsFunc(pats, func(parts []*pattern.Pattern) bool { return g.matchAll(parts, name) })
	})
}

// matchAll reports whether each component of name matches its pattern.
func (g *globber) matchAll(parts []*pattern.Pattern, name string) bool {
	names := strings.Split(name, "/")
	if len(names) != len(parts) {
		return false
	}
	for i, p := range parts {
		if ok, _ := p.MatchStep(names[i], g.sh.step); !ok {
			return false
		}
	}
	return true
}

// splitColons splits at colons that are not in bracket expressions.
func splitColons(s string) []string {
	var list []string
	from := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			if end := bracketEnd(s, i); end > 0 {
				i = end
			}
		case ':':
			list = append(list, s[from:i])
			from = i + 1
		}
	}
	return append(list, s[from:])
}
