package awk

import (
	"unsafe"

	"github.com/limpet-sh/limpet/internal/regex"
)

// A matcher is a compiled regexp.
type matcher struct {
	m  *machine
	re *regex.Matcher
}

// maxRegexps is how many dynamic regexps are kept.
const maxRegexps = 200

// regexp returns the matcher for the source src, for which IGNORECASE counts.
func (m *machine) regexp(src string) *matcher {
	key := regexpKey{src, m.ignorecase}
	if re := m.regexps[key]; re != nil {
		return re
	}
	if len(m.regexps) >= maxRegexps {
		m.forgetRegexps()
	}
	re := m.compileRegexp(src)
	m.regexps[key] = re
	return re
}

func (m *machine) compileRegexp(src string) *matcher {
	var flags regex.Flags
	if m.ignorecase {
		flags |= regex.IgnoreCase
	}
	re, err := regex.Compile(src, regex.Awk, flags)
	if err != nil {
		m.fatal("invalid regexp: %v: /%s/", err, src)
	}
	return &matcher{m, re.Matcher(m.call)}
}

// forgetRegexps drops the regexps that are not in use as separators.
func (m *machine) forgetRegexps() {
	for key, re := range m.regexps {
		if re != m.splitter.re && re != m.rec.split.re {
			re.re.Close()
			delete(m.regexps, key)
		}
	}
}

// closeRegexps gives back what all regexps hold.
func (m *machine) closeRegexps() {
	for _, re := range m.regexps {
		re.re.Close()
	}
	for _, re := range m.constants {
		if re != nil {
			re.re.Close()
		}
	}
}

type regexpKey struct {
	src        string
	ignorecase bool
}

// check ends the program if a search was stopped.
func (re *matcher) check() {
	if err := re.re.Err(); err != nil {
		panic(abort{err})
	}
}

func (re *matcher) match(b []byte) bool {
	ok := re.re.Match(b)
	if !ok {
		re.check()
	}
	return ok
}

func (re *matcher) find(b []byte, from int) (start, end int, ok bool) {
	if start, end, ok = re.re.Find(b, from); !ok {
		re.check()
	}
	return start, end, ok
}

// submatches returns the bounds of the match and of the groups, or nil.
func (re *matcher) submatches(b []byte, from int) []int {
	loc := re.re.Submatches(b, from)
	if loc == nil {
		re.check()
	}
	return loc
}

// view returns the bytes of s, which must not be changed.
func view(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
