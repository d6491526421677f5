// Package regex matches the regular expressions of grep, sed, awk, expr, find,
// bash and grep -P against bytes.
//
// It is an engine of its own rather than a translation to package regexp: it
// finds the leftmost-longest match with a lazily built DFA, which is some ten
// times as fast as regexp and can be stopped at any byte; it matches bytes that
// are not UTF-8 as GNU regex does; and it knows back-references, look-around and
// repetitions above 1000. Submatches, and what no DFA can do, are found by a
// backtracker that remembers where it has been.
//
// Submatches follow glibc and not POSIX: within the longest match, the first
// alternative that leads to its end is taken, and repetitions are greedy.
package regex

import (
	"fmt"
	"strings"
)

// A Dialect is a syntax of regular expressions.
type Dialect uint8

// The dialects. Grep and Egrep differ from Basic and Extended in what they make
// of mistakes, such as an operator with nothing before it.
const (
	Basic    Dialect = iota // POSIX basic with GNU's operators: sed, expr
	Extended                // POSIX extended with GNU's operators: sed -E, bash's =~
	Grep                    // grep -G
	Egrep                   // grep -E
	Awk                     // extended, with the escapes of awk
	Emacs                   // find -regex
	Perl                    // grep -P
	Literal                 // grep -F: no character is special
)

// Flags change how an expression matches.
type Flags uint8

// The flags.
const (
	IgnoreCase Flags = 1 << iota
	Multiline        // ^ and $ match at newlines too, not only at the ends of the text
	Lines            // the text consists of lines: Multiline, and nothing matches a newline
	Bytes            // bytes are characters, as in the C locale
	WholeWord        // the match must not touch a word character on either side
	WholeLine        // the match must be a whole line, or text
	DotNewline       // Perl only: . matches a newline; in the other dialects it does unless Lines is set
	Unicode          // Perl only: \d, \w and \s know all scripts
)

// An Error says what is wrong with an expression, in the words of GNU regcomp
// or, for [Perl], of PCRE.
type Error string

// Error returns the text.
func (e Error) Error() string { return string(e) }

// The errors of the POSIX dialects.
const (
	errPattern   Error = "Invalid regular expression"
	errCollate   Error = "Invalid collation character"
	errClass     Error = "Invalid character class name"
	errEscape    Error = "Trailing backslash"
	errBackref   Error = "Invalid back reference"
	errBracket   Error = "Unmatched [, [^, [:, [., or [="
	errParen     Error = "Unmatched ( or \\("
	errBrace     Error = "Unmatched \\{"
	errInterval  Error = "Invalid content of \\{\\}"
	errRange     Error = "Invalid range end"
	errRepeat    Error = "Invalid preceding regular expression"
	errSize      Error = "Regular expression too big"
	errCloseOnly Error = "Unmatched ) or \\)"
)

// ErrClassSyntax is the error for an expression with ClassSyntax set.
const ErrClassSyntax Error = "character class syntax is [[:space:]], not [:space:]"

// A Regexp is a compiled expression. It is immutable.
type Regexp struct {
	// Warnings are remarks on the expression that grep prints.
	Warnings []string

	// ClassSyntax says that the expression has [:space:] or the like outside
	// of a bracket expression, which grep and sed refuse.
	ClassSyntax bool

	groups               int
	names                map[string]int
	exact                bool // the DFAs find exactly what the expression matches
	perl                 bool
	lines                bool // compiled with Lines
	newline, newlineOnly bool
	forward              *program // for the DFAs; over-approximates where not exact
	reverse              *program
	back                 *program // for the backtracker
	literal              literal
}

// Compile compiles one expression.
func Compile(pattern string, d Dialect, flags Flags) (*Regexp, error) {
	return CompileAny([]string{pattern}, d, flags)
}

// CompileAny compiles an expression that matches what any of the patterns
// matches. A back-reference refers to a group of its own pattern.
func CompileAny(patterns []string, d Dialect, flags Flags) (*Regexp, error) {
	if flags&Lines != 0 {
		flags |= Multiline
	}
	r := &Regexp{perl: d == Perl, lines: flags&Lines != 0}
	var alts []*node
	for _, pattern := range patterns {
		p := parser{src: pattern, dialect: d, rules: rulesOf[d], brace: -1, flags: flags, group: r.groups, first: r.groups, re: r}
		n, err := p.parse()
		if err != nil {
			return nil, err
		}
		r.groups = p.group
		alts = append(alts, n)
	}
	root := factor(alts)
	r.noteNewlines(root)
	if flags&WholeWord != 0 {
		root = cat(assertion(atNotWordBefore), root, assertion(atNotWordAfter))
	}
	if flags&WholeLine != 0 {
		root = cat(lineStart(flags), root, lineEnd(flags))
	}
	return r, r.build(root, flags)
}

func (r *Regexp) build(root *node, flags Flags) error {
	approx, exact := approximate(root)
	r.exact = exact
	abc := newAlphabet(root, flags)
	var err error
	if r.forward, err = compile(approx, abc, false, false); err != nil {
		return err
	}
	if r.reverse, err = compile(approx, abc, true, false); err != nil {
		return err
	}
	if r.groups > 0 || !exact || r.perl {
		if r.back, err = compile(root, abc, false, true); err != nil {
			return err
		}
		r.back.slots = max(r.back.slots, 2*(r.groups+1))
	}
	r.literal = required(approx, flags)
	return nil
}

// Groups returns the number of groups, not counting the whole match.
func (r *Regexp) Groups() int { return r.groups }

// Group returns the number of a named group, which only [Perl] has.
func (r *Regexp) Group(name string) (int, bool) {
	n, ok := r.names[name]
	return n, ok
}

// Names returns the names of the groups, by number; "" for those that have
// none, and for number 0.
func (r *Regexp) Names() []string {
	names := make([]string, r.groups+1)
	for name, i := range r.names {
		names[i] = name
	}
	return names
}

// Size returns about how many bytes of memory r holds.
func (r *Regexp) Size() int {
	n := 256 + 8*len(r.forward.bounds)
	for _, p := range []*program{r.forward, r.reverse, r.back} {
		if p != nil {
			n += len(p.code)*instSize + len(p.sets)*(p.size/8+24) + 1024
		}
	}
	return n
}

// Quote returns an expression that matches s literally, in the dialects whose
// operators need no backslash, such as [Extended] and [Perl].
func Quote(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(`\.+*?()|[]{}^$`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func perlError(format string, args ...any) error { return Error(fmt.Sprintf(format, args...)) }
