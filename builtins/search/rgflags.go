package search

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/internal/size"
)

// rgMatching are the options of rg about how to match.
type rgMatching struct {
	smartCase bool
	multiline bool
	across    bool // with multiline: the pattern can match a newline
	dotAll    bool
	crlf      bool
	noUnicode bool
	sizeLimit int64
}

// rgOutput are the options of rg about what to print.
type rgOutput struct {
	includeZero     bool
	countMatches    bool
	column          bool
	heading         bool
	trim            bool
	vimgrep         bool
	passthru        bool
	numberGiven     bool // -n or -N
	maxColumns      int
	preview         bool
	replace         []byte // -r
	replacing       bool
	json, wantStats bool
	matchSep        string
	contextSep      string
	pathSep         string
	colors          rgColors
	sortBy          string
	sortReverse     bool
	listFiles       bool
	listTypes       bool
	filesGiven      string // -l, -L, -c or --files, whichever was given last
}

// rgFiles are the options of rg about which files to search, and how to read them.
type rgFiles struct {
	globs, insensitiveGlobs []string
	foldGlobs, foldIgnores  bool
	ignoreFlags             regex.Flags
	ignoreFiles             []string
	hidden, noIgnore        bool
	noVCS, noDot, noParent  bool
	noExclude, noGlobal     bool
	noIgnoreFiles           bool
	anyRepository           bool
	unrestricted            int
	searchBinary            bool
	maxDepth                int
	maxSize                 int64
	oneFS                   bool
	ownIgnore               string // the name of the command's own ignore files
	searchZip               bool
	preprocessor            string
	preprocessed            []*ignoreRule
	preGlobs                []string
	encoding                string
}

// both declares an option and the one that undoes it.
func both(f *builtins.Flags, p *bool, names, undo, help string) {
	f.Bool(p, names, help)
	f.Do(undo, "undo that", func() error { *p = false; return nil })
}

// oneOf declares an option whose value is one of the choices; form is the option
// in the message about another.
func oneOf(f *builtins.Flags, names, form, choices, help string, set func(string)) {
	f.Func(names, help, func(s string) error {
		if !slices.Contains(strings.Fields(choices), s) {
			return builtins.Usage("'%s' isn't a valid value for '%s'\n\t[possible values: %s]\n", s, form, strings.ReplaceAll(choices, " ", ", "))
		}
		set(s)
		return nil
	})
}

func (r *ripgrep) declareMatching(f *builtins.Flags) {
	f.Func("e,regexp", "a `PATTERN` to search for", func(s string) error {
		r.patterns.given = true
		r.patterns.list = append(r.patterns.list, s)
		return nil
	})
	f.Func("f,file", "search for the patterns in `PATTERNFILE`", r.addPatternFile)
	sensitivity := func(ignore, smart bool) func() error {
		return func() error { r.ignoreCase, r.smartCase = ignore, smart; return nil }
	}
	f.Do("i,ignore-case", "case insensitive search", sensitivity(true, false))
	f.Do("S,smart-case", "case insensitive search unless the pattern has an upper case letter", sensitivity(false, true))
	f.Do("s,case-sensitive", "case sensitive search (the default)", sensitivity(false, false))
	kind := func(k string) func() error { return func() error { r.matcherKind = k; return nil } }
	f.Do("F,fixed-strings", "treat the pattern as a literal string", kind("F"))
	f.Do("no-fixed-strings", "treat the pattern as an expression", kind(""))
	f.Do("P,pcre2,auto-hybrid-regex,no-pcre2,no-auto-hybrid-regex", "use the syntax of Perl, which is the default here", func() error { return nil })
	oneOf(f, "engine", "--engine <ENGINE>", "auto default pcre2", "use `ENGINE`, default, pcre2 or auto; there is one for all here", func(string) {})
	f.Do("w,word-regexp", "only show matches surrounded by word boundaries", func() error { r.word, r.line = true, false; return nil })
	f.Do("x,line-regexp", "only show matches surrounded by line boundaries", func() error { r.word, r.line = false, true; return nil })
	f.Bool(&r.invert, "v,invert-match", "show lines that do not match")
	f.Func("m,max-count", "show at most `NUM` matching lines of each file", func(s string) error { return r.parseNumber(&r.limit, "max-count", s) })
	f.Bool(&r.null, "null-data", "a line ends in a 0 byte")
	both(f, &r.crlf, "crlf", "no-crlf", "a line ends in a carriage return and a newline")
	both(f, &r.multiline, "U,multiline", "no-multiline", "matches may span lines")
	both(f, &r.dotAll, "multiline-dotall", "no-multiline-dotall", "with -U, . matches a newline")
	both(f, &r.noUnicode, "no-unicode,no-pcre2-unicode", "unicode,pcre2-unicode", "\\w and the like know ASCII only")
	r.declareSize(f, &r.sizeLimit, "regex-size-limit", "refuse expressions that compile to more than `NUM` bytes")
	r.declareSize(f, new(int64), "dfa-size-limit", "how much the matcher may remember: `NUM`; it is bounded here, whatever is asked for")
	f.Info("h", "V")
}

func (r *ripgrep) parseNumber(p *int64, name, s string) error {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return fmt.Errorf("error: Invalid value for '--%s <NUM>': invalid digit found in string\n", name)
	}
	*p = int64(n)
	return nil
}

// declareSize declares an option with a number of bytes.
func (r *ripgrep) declareSize(f *builtins.Flags, p *int64, names, help string) {
	f.Func(names, help, func(s string) error {
		n, err := size.Parse(s, "KMG")
		if err != nil && !errors.Is(err, size.ErrOverflow) {
			return fmt.Errorf("invalid format for size '%s', which should be a sequence of digits followed by an optional 'K', 'M' or 'G' suffix", s)
		}
		*p = int64(min(n, math.MaxInt64))
		return nil
	})
}

func (r *ripgrep) declareOutput(f *builtins.Flags) {
	given := func(name string, do func()) func() error {
		return func() error { r.filesGiven = name; do(); return nil }
	}
	f.Do("c,count", "show the number of matching lines of each file", given("--count", func() { r.count, r.countMatches = true, false }))
	f.Do("count-matches", "show the number of matches of each file", given("--count-matches", func() { r.count, r.countMatches = true, true }))
	f.Bool(&r.includeZero, "include-zero", "include files without matches in counts")
	f.Do("l,files-with-matches", "only print the paths with matches", given("--files-with-matches", func() { r.list = 'l' }))
	f.Do("files-without-match", "only print the paths without matches", given("--files-without-match", func() { r.list = 'L' }))
	f.Do("files", "print the files that would be searched", given("--files", func() { r.listFiles = true }))
	f.Bool(&r.only, "o,only-matching", "print only matched parts of a line")
	f.Bool(&r.quiet, "q,quiet", "print nothing")
	number := func(on bool) func() error {
		return func() error { r.grep.number, r.numberGiven = on, true; return nil }
	}
	f.Do("n,line-number", "show line numbers", number(true))
	f.Do("N,no-line-number", "suppress line numbers", number(false))
	f.Do("H,with-filename", "print the path with matching lines", func() error { r.withName, r.noName = true, false; return nil })
	f.Do("I,no-filename", "never print the path with matching lines", func() error { r.withName, r.noName = false, true; return nil })
	f.Do("column", "show column numbers", func() error {
		r.column = true
		r.grep.number = r.grep.number || !r.numberGiven
		return nil
	})
	f.Do("no-column", "show no column numbers", func() error { r.column = false; return nil })
	f.Bool(&r.offset, "b,byte-offset", "print the byte offset of each line")
	both(f, &r.heading, "heading", "no-heading", "print the path above matching lines")
	f.Do("p,pretty", "alias for --color always --heading --line-number", func() error {
		r.colorWhen, r.heading, r.grep.number = "always", true, true
		return nil
	})
	f.Bool(&r.vimgrep, "vimgrep", "show every match on its own line, with line and column numbers")
	f.Func("r,replace", "replace matches with `TEXT`, in which $1 and ${name} are groups", func(s string) error {
		r.replace, r.replacing = []byte(s), true
		return nil
	})
	both(f, &r.json, "json", "no-json", "print messages in JSON")
	both(f, &r.wantStats, "stats", "no-stats", "print statistics about the search")
	both(f, &r.unbuffered, "line-buffered", "no-line-buffered", "flush output on every line")
	f.Do("block-buffered", "do not flush output on every line (the default)", func() error { r.unbuffered = false; return nil })
	f.Do("no-block-buffered", "undo that", func() error { return nil })
	r.declareCount(f, &r.before, "B,before-context", "show `NUM` lines before each match")
	r.declareCount(f, &r.after, "A,after-context", "show `NUM` lines after each match")
	r.declareCount(f, &r.context, "C,context", "show `NUM` lines before and after each match")
}

// declareForm declares the options about the form of what is printed.
func (r *ripgrep) declareForm(f *builtins.Flags) {
	both(f, &r.trim, "trim", "no-trim", "trim leading white space of matching lines")
	r.declareCount(f, &r.maxColumns, "M,max-columns", "do not print lines longer than `NUM` bytes")
	both(f, &r.preview, "max-columns-preview", "no-max-columns-preview", "with -M, print the beginning of longer lines")
	f.Bool(&r.passthru, "passthru,passthrough", "print all lines")
	f.Bool(&r.nullName, "0,null", "print a 0 byte after paths")
	oneOf(f, "color", "--color <WHEN>", "always ansi auto never", "`WHEN` to use color: never, auto, always or ansi", func(when string) {
		if r.colorWhen = when; when == "ansi" {
			r.colorWhen = "always"
		}
	})
	f.Func("colors", "set a color: `SPEC` is as in match:fg:red or path:style:bold", r.colors.set)
	text := func(p *string, names, help string) {
		f.Func(names, help, func(s string) error { *p = unescapeSeparator(s); return nil })
	}
	text(&r.separator, "context-separator", "what separates groups of lines: `SEP`")
	both(f, &r.noSeparator, "no-context-separator", "print-context-separator", "print nothing between groups of lines")
	text(&r.matchSep, "field-match-separator", "what follows the path and the numbers of a matching line: `SEP`")
	text(&r.contextSep, "field-context-separator", "what follows the path and the numbers of other lines: `SEP`")
	f.Func("path-separator", "print `SEP` between the parts of paths", func(s string) error {
		if s = unescapeSeparator(s); len(s) > 1 {
			return fmt.Errorf("A path separator must be exactly one byte, but the given separator is %d bytes: %s\n"+
				"In some shells on Windows '/' is automatically expanded. Use '//' instead.", len(s), s)
		}
		r.pathSep = s
		return nil
	})
	sorting := func(names, form, help string, reverse bool) {
		oneOf(f, names, form, "accessed created modified none path", help, func(key string) {
			r.sortBy, r.sortReverse = key, reverse
			if key == "none" || key == "path" && !reverse {
				r.sortBy = "" // files are found by name
			}
		})
	}
	sorting("sort", "--sort <SORTBY>", "sort results by `KEY`: path, modified, accessed, created or none", false)
	sorting("sortr", "--sortr <SORTBY>", "sort results in reverse by `KEY`", true)
	f.Do("sort-files,no-sort-files", "sort results by path, as is always done", func() error { r.sortBy = ""; return nil })
}

// unescapeSeparator returns s with \t, \n, \r, \0, \\ and \x7F resolved.
func unescapeSeparator(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 't':
			b.WriteByte('\t')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case '0':
			b.WriteByte(0)
		case '\\':
			b.WriteByte('\\')
		case 'x':
			if i+2 < len(s) {
				if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
					b.WriteByte(byte(n))
					i += 2
					continue
				}
			}
			b.WriteString(`\x`)
		default:
			b.WriteString(s[i-1 : i+1])
		}
	}
	return b.String()
}

// declareCount declares an option with a number.
func (r *ripgrep) declareCount(f *builtins.Flags, p *int, names, help string) {
	_, long, _ := strings.Cut(names, ",")
	f.Func(names, help, func(s string) error {
		var n int64
		err := r.parseNumber(&n, long, s)
		*p = int(min(n, math.MaxInt32))
		return err
	})
}

func (r *ripgrep) declareFiles(f *builtins.Flags) {
	f.Strings(&r.globs, "g,glob", "include or, with !, exclude files that match `GLOB`")
	f.Strings(&r.insensitiveGlobs, "iglob", "likewise, case insensitively: `GLOB`")
	both(f, &r.foldGlobs, "glob-case-insensitive", "no-glob-case-insensitive", "-g is --iglob")
	f.Func("t,type", "only search files of `TYPE`", func(s string) error { r.types = append(r.types, typeChange{false, s}); return nil })
	f.Func("T,type-not", "do not search files of `TYPE`", func(s string) error { r.types = append(r.types, typeChange{true, s}); return nil })
	f.Func("type-add", "add to a type: `SPEC` is as in html:*.htm or web:include:html,css", r.typeTable.add)
	f.Func("type-clear", "remove what is known of `TYPE`", func(s string) error { delete(r.typeTable, s); return nil })
	f.Bool(&r.listTypes, "type-list", "show all types")
	both(f, &r.hidden, "hidden,.", "no-hidden", "search hidden files and directories")
	both(f, &r.follow, "L,follow", "no-follow", "follow symbolic links")
	both(f, &r.oneFS, "one-file-system", "no-one-file-system", "do not search other file systems")
	r.declareCount(f, &r.maxDepth, "d,max-depth", "descend at most `NUM` directories")
	r.declareSize(f, &r.maxSize, "max-filesize", "ignore files larger than `NUM`, which may end in K, M or G")
	f.Do("a,text", "search binary files as if they were text", func() error { r.grep.binary, r.searchBinary = "text", false; return nil })
	f.Do("no-text", "undo that", func() error { r.grep.binary = "binary"; return nil })
	f.Do("binary", "search binary files until the first match", func() error { r.grep.binary, r.searchBinary = "binary", true; return nil })
	f.Do("no-binary", "undo that", func() error { r.searchBinary = false; return nil })
	both(f, &r.searchZip, "z,search-zip", "no-search-zip", "search in compressed files")
	f.Func("pre", "search the output of `COMMAND` FILE instead of files", func(s string) error { r.preprocessor, r.searchZip = s, false; return nil })
	f.Do("no-pre", "undo that", func() error { r.preprocessor = ""; return nil })
	f.Strings(&r.preGlobs, "pre-glob", "use the command of --pre for files that match `GLOB` only")
	f.Func("E,encoding", "the encoding of files: `NAME`, auto or none", func(s string) error {
		r.encoding = s
		return nil
	})
	f.Do("no-encoding", "undo that", func() error { r.encoding = ""; return nil })
	f.Func("j,threads", "how many threads to use: `NUM`; one does all the work here", func(s string) error {
		_, err := strconv.ParseUint(s, 10, 63)
		if err != nil {
			err = errors.New("invalid digit found in string")
		}
		return err
	})
	f.Do("mmap,no-mmap", "how to read files, which makes no difference", func() error { return nil })
	f.Do("no-config", "read no configuration file; there is none", func() error { return nil })
}

// declareIgnores declares the options about ignore files.
func (r *ripgrep) declareIgnores(f *builtins.Flags) {
	f.Count(&r.unrestricted, "u,unrestricted", "--no-ignore; twice: --hidden too; thrice: --binary too")
	both(f, &r.noIgnore, "no-ignore", "ignore", "do not respect ignore files")
	both(f, &r.noVCS, "no-ignore-vcs", "ignore-vcs", "do not respect .gitignore files")
	both(f, &r.noDot, "no-ignore-dot", "ignore-dot", "do not respect .ignore and .rgignore files")
	both(f, &r.noParent, "no-ignore-parent", "ignore-parent", "do not respect ignore files of parent directories")
	both(f, &r.noExclude, "no-ignore-exclude", "ignore-exclude", "do not respect .git/info/exclude")
	both(f, &r.noGlobal, "no-ignore-global", "ignore-global", "do not respect git's ignore file of the user")
	both(f, &r.noIgnoreFiles, "no-ignore-files", "ignore-files", "do not respect the files of --ignore-file")
	both(f, &r.foldIgnores, "ignore-file-case-insensitive", "no-ignore-file-case-insensitive", "ignore files ignore case")
	both(f, &r.anyRepository, "no-require-git", "require-git", "respect .gitignore files outside of repositories")
	f.Strings(&r.ignoreFiles, "ignore-file", "respect the ignore file `PATH`")
	both(f, &r.silent, "no-messages", "messages", "suppress messages about files that cannot be read")
	f.Do("no-ignore-messages,ignore-messages", "suppress messages about ignore files, of which there are none", func() error { return nil })
}
