package find

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/internal/walk"
)

// names are the predicates about the names and types of files.
var names = map[string]predicate{
	"-name":       matching(0, nameOf),
	"-iname":      matching(pattern.IgnoreCase, nameOf),
	"-path":       matching(0, pathOf),
	"-ipath":      matching(pattern.IgnoreCase, pathOf),
	"-wholename":  matching(0, pathOf),
	"-iwholename": matching(pattern.IgnoreCase, pathOf),
	"-lname":      matching(0, targetOf),
	"-ilname":     matching(pattern.IgnoreCase, targetOf),
	"-regex":      {parse: regexPredicate(0)},
	"-iregex":     {parse: regexPredicate(regex.IgnoreCase)},
	"-type":       {parse: parseType(func(f *finder, e *walk.Entry) fs.FileMode { return e.Type() })},
	"-xtype":      {parse: parseType((*finder).otherType)},
}

func nameOf(_ *finder, e *walk.Entry) (string, bool) { return e.Name(), true }
func pathOf(_ *finder, e *walk.Entry) (string, bool) { return e.Path, true }

// targetOf returns the text of a symbolic link.
func targetOf(f *finder, e *walk.Entry) (string, bool) {
	if e.Type() != fs.ModeSymlink {
		return "", false
	}
	target, err := f.c.FS.Readlink(e.Path)
	if err != nil {
		f.warnFile(e.Path, err)
	}
	return target, err == nil
}

// matching returns a predicate that matches some text of a file with a shell
// pattern.
func matching(flags pattern.Flags, text func(*finder, *walk.Entry) (string, bool)) predicate {
	return predicate{parse: func(p *parser, name string) (test, error) {
		arg, err := p.arg(name)
		if err != nil {
			return nil, err
		}
		f := p.finder
		compiled := pattern.Compile(arg, flags)
		if strings.HasSuffix(name, "name") && !strings.HasSuffix(name, "lename") && !strings.HasSuffix(name, "lname") &&
			f.warnings && strings.Contains(arg, "/") && arg != "/" {
			f.advise("%s matches against basenames only, but the given pattern contains a directory separator (%s), thus the expression will evaluate to false all the time.  Did you mean %s?",
				builtins.QuoteLocale(name), builtins.QuoteLocale("/"), builtins.QuoteLocale(strings.Replace(name, "name", "wholename", 1)))
		}
		return func(e *walk.Entry) bool {
			s, ok := text(f, e)
			if !ok {
				return false
			}
			matched, err := compiled.MatchStep(s, f.c.Poll)
			if err != nil {
				f.warn(err)
			}
			return matched
		}, nil
	}}
}

// regexTypes are the words of -regextype, with the dialects that they stand for.
var regexTypes = []struct {
	name    string
	dialect regex.Dialect
}{
	{"findutils-default", regex.Emacs}, {"ed", regex.Basic}, {"emacs", regex.Emacs}, {"gnu-awk", regex.Awk},
	{"grep", regex.Grep}, {"posix-awk", regex.Awk}, {"awk", regex.Awk}, {"posix-basic", regex.Basic},
	{"posix-egrep", regex.Egrep}, {"egrep", regex.Egrep}, {"posix-extended", regex.Extended},
	{"posix-minimal-basic", regex.Basic}, {"sed", regex.Basic},
}

func parseRegexType(p *parser, name string) (test, error) {
	arg, err := p.arg(name)
	if err != nil {
		return nil, err
	}
	var valid []string
	for _, t := range regexTypes {
		if t.name == arg {
			p.regexType = arg
			return always, nil
		}
		valid = append(valid, builtins.QuoteLocale(t.name))
	}
	return nil, fmt.Errorf("Unknown regular expression type %s; valid types are %s.", builtins.QuoteLocale(arg), strings.Join(valid, ", "))
}

// regexPredicate returns the parser of a predicate that matches the whole path
// with a regular expression.
func regexPredicate(flags regex.Flags) func(p *parser, name string) (test, error) {
	return func(p *parser, name string) (test, error) {
		arg, err := p.arg(name)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(regexTypes, func(t struct {
			name    string
			dialect regex.Dialect
		}) bool {
			return t.name == p.regexType
		})
		compiled, err := regex.Compile(arg, regexTypes[i].dialect, flags|regex.WholeLine)
		if err != nil {
			return nil, fmt.Errorf("failed to compile regular expression '%s': %w", arg, err)
		}
		f := p.finder
		m := compiled.Matcher(f.c)
		f.closers = append(f.closers, m.Close)
		return func(e *walk.Entry) bool {
			ok := m.Match([]byte(e.Path))
			if err := m.Err(); err != nil {
				f.warn(err)
			}
			return ok
		}, nil
	}
}

// typeLetters are the letters of -type.
var typeLetters = map[byte]fs.FileMode{
	'b': fs.ModeDevice, 'c': fs.ModeDevice | fs.ModeCharDevice, 'd': fs.ModeDir, 'f': 0,
	'l': fs.ModeSymlink, 'p': fs.ModeNamedPipe, 's': fs.ModeSocket,
}

// parseType returns the parser of -type or -xtype.
func parseType(of func(*finder, *walk.Entry) fs.FileMode) func(*parser, string) (test, error) {
	return func(p *parser, name string) (test, error) {
		arg, err := p.arg(name)
		if err != nil {
			return nil, err
		}
		kinds, err := parseTypes(name, arg)
		if err != nil {
			return nil, err
		}
		f := p.finder
		return func(e *walk.Entry) bool { return slices.Contains(kinds, of(f, e)) }, nil
	}
}

func parseTypes(name, arg string) (kinds []fs.FileMode, err error) {
	if arg == "" {
		return nil, fmt.Errorf("Arguments to %s should contain at least one letter", name)
	}
	for rest := arg; rest != ""; {
		kind, ok := typeLetters[rest[0]]
		switch {
		case rest[0] == 'D':
			return nil, fmt.Errorf("%s %c is not supported because Solaris doors are not supported on the platform find was compiled on.", name, rest[0])
		case !ok:
			return nil, fmt.Errorf("Unknown argument to %s: %c", name, rest[0])
		case slices.Contains(kinds, kind):
			return nil, fmt.Errorf("Duplicate file type '%c' in the argument list to %s.", rest[0], name)
		}
		kinds = append(kinds, kind)
		if rest = rest[1:]; rest == "" {
			break
		}
		if rest[0] != ',' {
			return nil, fmt.Errorf("Must separate multiple arguments to %s using: ','", name)
		}
		if rest = rest[1:]; rest == "" {
			return nil, fmt.Errorf("Last file type in list argument to %s is missing, i.e., list is ending on: ','", name)
		}
	}
	return kinds, nil
}

// otherType is the type that -xtype is about: that of what a link leads to
// where the search does not follow it, and otherwise that of the link.
func (f *finder) otherType(e *walk.Entry) fs.FileMode {
	if f.follow == walk.Always || f.follow == walk.Operand && e.Depth == 0 {
		info, err := f.c.FS.Lstat(e.Path)
		if err != nil {
			return fs.ModeIrregular
		}
		return info.Mode().Type()
	}
	if e.Type() != fs.ModeSymlink {
		return e.Type()
	}
	info, err := f.c.FS.Stat(e.Path)
	if err != nil {
		return fs.ModeSymlink
	}
	return info.Mode().Type()
}

func parseFilesFrom(p *parser, name string) (test, error) {
	arg, err := p.arg(name)
	if err != nil {
		return nil, err
	}
	if len(p.paths) > 0 {
		fmt.Fprintf(p.c.Stderr, "%s: extra operand %s\n", p.c.Name, builtins.QuoteLocale(p.paths[0]))
		return nil, errors.New("file operands cannot be combined with -files0-from")
	}
	p.pathsFrom = arg
	return always, nil
}
