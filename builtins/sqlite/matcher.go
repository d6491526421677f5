package sqlite

import (
	"errors"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/ncruces/go-sqlite3"
)

// A matcher has the functions LIKE, GLOB and REGEXP. SQLite's own do not ask
// whether they may go on, and take forever for some patterns.
type matcher struct {
	database *database
	steps    int
}

// errPattern is SQLite's word for a pattern that is too long.
var errPattern = errors.New("LIKE or GLOB pattern too complex")

// operands returns the pattern and the text of a call, unless one is NULL.
func (m *matcher) operands(ctx sqlite3.Context, arg []sqlite3.Value) (pattern, text []byte, ok bool) {
	if len(arg[0].RawBlob()) > m.database.conn.Limit(sqlite3.LIMIT_LIKE_PATTERN_LENGTH, -1) {
		ctx.ResultError(errPattern)
		return nil, nil, false
	}
	switch {
	case arg[0].Type() == sqlite3.BLOB || arg[1].Type() == sqlite3.BLOB:
		ctx.ResultInt(0)
		return nil, nil, false
	case arg[0].Type() == sqlite3.NULL || arg[1].Type() == sqlite3.NULL:
		return nil, nil, false
	}
	return arg[0].RawText(), arg[1].RawText(), true
}

func (m *matcher) like(ctx sqlite3.Context, arg ...sqlite3.Value) {
	pattern, text, ok := m.operands(ctx, arg)
	if !ok {
		return
	}
	p := wildcards{matcher: m, many: '%', one: '_', set: -1, escape: -1, fold: true}
	if len(arg) == 3 {
		escape := arg[2].RawText()
		r, n := utf8.DecodeRune(escape)
		if n != len(escape) || n == 0 {
			ctx.ResultError(errors.New("ESCAPE expression must be a single character"))
			return
		}
		p.escape = r
	}
	ctx.ResultBool(p.match(pattern, text))
}

func (m *matcher) glob(ctx sqlite3.Context, arg ...sqlite3.Value) {
	pattern, text, ok := m.operands(ctx, arg)
	if !ok {
		return
	}
	p := wildcards{matcher: m, many: '*', one: '?', set: '[', escape: -1}
	ctx.ResultBool(p.match(pattern, text))
}

// regexp returns the function REGEXP, which keeps the expression that it used
// last.
func (m *matcher) regexp(flags regex.Flags) sqlite3.ScalarFunction {
	var last string
	var re *regex.Matcher
	return func(ctx sqlite3.Context, arg ...sqlite3.Value) {
		if arg[0].Type() == sqlite3.NULL || arg[1].Type() == sqlite3.NULL {
			return
		}
		if pattern := arg[0].Text(); re == nil || pattern != last {
			compiled, err := regex.Compile(pattern, regex.Perl, flags)
			if err != nil {
				ctx.ResultError(err)
				return
			}
			if re != nil {
				re.Close()
			}
			last, re = pattern, compiled.Matcher(m.database.account.call)
		}
		matched := re.Match(arg[1].RawText())
		if re.Err() != nil {
			ctx.ResultError(sqlite3.INTERRUPT)
			return
		}
		ctx.ResultBool(matched)
	}
}

// wildcards are the rules of one kind of pattern. A letter of -1 means none.
type wildcards struct {
	*matcher
	many, one, set, escape rune
	fold                   bool // letters of ASCII match in either case
}

// match reports whether all of text matches the pattern. It goes back to the
// last wildcard only, and so takes no more than the product of the two lengths.
func (w *wildcards) match(pattern, text []byte) bool {
	var retry, resume []byte // where to go on after the last wildcard for many
	for {
		w.steps++
		if w.steps&0xfff == 0 && w.database.account.Err() != nil {
			return false
		}
		next, rest, kind := w.token(pattern)
		if kind == tokenMany {
			pattern, retry, resume = rest, rest, text
			continue
		}
		if kind == tokenEnd && len(text) == 0 {
			return true
		}
		if kind != tokenEnd && len(text) > 0 {
			r, n := utf8.DecodeRune(text)
			if after, ok := w.matches(kind, next, r, rest); ok {
				pattern, text = after, text[n:]
				continue
			}
		}
		if retry == nil || len(resume) == 0 {
			return false
		}
		_, n := utf8.DecodeRune(resume)
		resume = resume[n:]
		pattern, text = retry, resume
	}
}

// The kinds of the parts of a pattern.
type token uint8

const (
	tokenEnd token = iota
	tokenRune
	tokenOne
	tokenMany
	tokenSet
)

// token returns the first part of pattern and what follows it.
func (w *wildcards) token(pattern []byte) (r rune, rest []byte, kind token) {
	if len(pattern) == 0 {
		return 0, pattern, tokenEnd
	}
	r, n := utf8.DecodeRune(pattern)
	rest = pattern[n:]
	switch {
	case r == w.escape:
		if len(rest) == 0 {
			return 0, rest, tokenSet // matches nothing
		}
		r, n = utf8.DecodeRune(rest)
		return r, rest[n:], tokenRune
	case r == w.many:
		return r, rest, tokenMany
	case r == w.one:
		return r, rest, tokenOne
	case r == w.set:
		return r, rest, tokenSet
	}
	return r, rest, tokenRune
}

// matches reports whether the rune r of the text matches a part of the pattern,
// and returns what follows that part.
func (w *wildcards) matches(kind token, want, r rune, rest []byte) ([]byte, bool) {
	switch kind {
	case tokenOne:
		return rest, true
	case tokenSet:
		return inSet(rest, r)
	}
	if w.fold {
		want, r = lower(want), lower(r)
	}
	return rest, want == r
}

func lower(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// inSet reports whether the set that pattern begins with, behind its "[", has r,
// and returns what follows the set.
func inSet(pattern []byte, r rune) ([]byte, bool) {
	next := func() rune {
		if len(pattern) == 0 {
			return -1
		}
		r, n := utf8.DecodeRune(pattern)
		pattern = pattern[n:]
		return r
	}
	seen, invert := false, false
	prior := rune(0)
	c := next()
	if c == '^' {
		invert = true
		c = next()
	}
	if c == ']' {
		seen = r == ']'
		c = next()
	}
	for ; c >= 0 && c != ']'; c = next() {
		if c == '-' && len(pattern) > 0 && pattern[0] != ']' && prior > 0 {
			high := next()
			seen = seen || prior <= r && r <= high
			prior = 0
			continue
		}
		seen = seen || c == r
		prior = c
	}
	return pattern, c == ']' && seen != invert
}
