package archive

import (
	"strings"

	"github.com/limpet-sh/limpet/internal/pattern"
)

// A tarSelection says which members and files count.
type tarSelection struct {
	excluded                []exclusion
	wildcards, literal      bool
	anchored                anchoring
	ignoreCase, stopAtSlash bool
}

// An anchoring says where in a name patterns match.
type anchoring uint8

const (
	anchoredDefault anchoring = iota // at the start; those of --exclude after any slash too
	anchoredYes
	anchoredNo
)

// An exclusion is a pattern that keeps files out.
type exclusion struct {
	nameGlob
	anchored bool
}

// A nameGlob is a pattern for names: one for all or, where wildcards stop at
// slashes, one for each part.
type nameGlob struct {
	whole *pattern.Pattern
	parts []*pattern.Pattern
}

// compile compiles a pattern, or a string, as the options say that names match.
func (s *tarSelection) compile(text string, literal bool) nameGlob {
	if literal {
		text = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(text)
	}
	flags := pattern.Flags(0)
	if s.ignoreCase {
		flags = pattern.IgnoreCase
	}
	if !s.stopAtSlash {
		return nameGlob{whole: pattern.Compile(text, flags)}
	}
	var g nameGlob
	for part := range strings.SplitSeq(text, "/") {
		g.parts = append(g.parts, pattern.Compile(part, flags))
	}
	return g
}

// Match reports whether the pattern matches a name.
func (g nameGlob) Match(name string) bool {
	if g.whole != nil {
		return g.whole.Match(name)
	}
	parts := strings.Split(name, "/")
	if len(parts) != len(g.parts) {
		return false
	}
	for i, part := range parts {
		if !g.parts[i].Match(part) {
			return false
		}
	}
	return true
}

func (s *tarSelection) exclude(text string) {
	if n := strings.TrimRight(text, "/"); n != "" {
		text = n
	}
	s.excluded = append(s.excluded, exclusion{s.compile(text, s.literal), s.anchored == anchoredYes})
}

// excludes reports whether a pattern matches the name, or some of its last
// components, as far as it goes.
func (s *tarSelection) excludes(name string) bool {
	if len(s.excluded) == 0 {
		return false
	}
	name = strings.TrimRight(name, "/")
	for start := 0; ; {
		for _, p := range s.excluded {
			if (start == 0 || !p.anchored) && leadingMatch(p.nameGlob, name[start:]) {
				return true
			}
		}
		i := strings.IndexByte(name[start:], '/')
		if i < 0 {
			return false
		}
		start += i + 1
	}
}

// leadingMatch reports whether p matches name or a directory that it begins
// with.
func leadingMatch(p nameGlob, name string) bool {
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '/') {
		if p.Match(name[:end]) {
			return true
		}
	}
	return false
}

// A wanted is a member that was named.
type wanted struct {
	name  string
	glob  *nameGlob // nil where the name is one
	dir   int       // the operand's number
	seen  int       // members that match
	found bool

	unanchored bool
}

// matches reports whether the member called name is w, or below it.
func (w *wanted) matches(name string) bool {
	name = strings.TrimRight(name, "/")
	for w.glob != nil {
		if leadingMatch(*w.glob, name) {
			return true
		}
		_, rest, ok := strings.Cut(name, "/")
		if !ok || !w.unanchored {
			return false
		}
		name = rest
	}
	return name == w.name || strings.HasPrefix(name, w.name+"/")
}
