package git

import (
	"bytes"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/regex"
)

// A grepRun is one run of git grep.
type grepRun struct {
	*git
	patterns                                                                   []string
	number, ignoreCase, filesOnly, without, count, word, invert, noName, quiet bool
	only, cached, untracked, textOnly, noHead                                  bool
	dialect                                                                    regex.Dialect
	after, before, max                                                         int
	matchers                                                                   []*regex.Matcher
	found                                                                      bool
}

// grep is git grep.
func (g *git) grep(args []string) error {
	r := &grepRun{git: g, dialect: regex.Basic}
	f := g.options("[<options>] [-e] <pattern> [<rev>...] [[--] <path>...]")
	f.strings(&r.patterns, "e")
	f.bool(&r.number, "n,line-number")
	f.bool(&r.ignoreCase, "i,ignore-case")
	f.bool(&r.filesOnly, "l,files-with-matches,name-only")
	f.bool(&r.without, "L,files-without-match")
	f.bool(&r.count, "c,count")
	f.bool(&r.word, "w,word-regexp")
	f.bool(&r.invert, "v,invert-match")
	f.bool(&r.noName, "h")
	f.bool(&r.quiet, "q,quiet")
	f.bool(&r.only, "o,only-matching")
	f.bool(&r.cached, "cached")
	f.bool(&r.untracked, "untracked")
	f.bool(&r.textOnly, "I")
	f.do("E,extended-regexp", func() { r.dialect = regex.Extended })
	f.do("G,basic-regexp", func() { r.dialect = regex.Basic })
	f.do("F,fixed-strings", func() { r.dialect = regex.Literal })
	f.do("P,perl-regexp", func() { r.dialect = regex.Perl })
	f.ignore("H,no-color,r,recursive")
	args, paths, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	if len(r.patterns) == 0 {
		if len(args) == 0 {
			return fatal("no pattern given")
		}
		r.patterns, args = args[:1], args[1:]
	}
	for _, p := range r.patterns {
		flags := regex.Flags(0)
		if r.ignoreCase {
			flags |= regex.IgnoreCase
		}
		if r.word {
			flags |= regex.WholeWord
		}
		re, err := regex.Compile(p, r.dialect, flags)
		if err != nil {
			return fatalf("command line, '%s': %v", p, err)
		}
		r.matchers = append(r.matchers, re.Matcher(g.Call))
	}
	revisions, files, err := g.divide(args, paths, f.dashed)
	if err != nil {
		return err
	}
	return r.run(revisions, files)
}

func (r *grepRun) run(revisions, files []string) error {
	if len(files) == 0 && r.repo.prefix != "" {
		files = []string{"."}
	}
	paths, err := r.pathspec(files)
	if err != nil {
		return err
	}
	if len(revisions) == 0 {
		x, err := r.readIndex()
		if err != nil {
			return err
		}
		list := x.files()
		if r.untracked {
			u, err := r.git.untracked(x, paths, false, false)
			if err != nil {
				return err
			}
			for _, name := range u.list {
				list = append(list, file{path: name, mode: modeFile})
			}
			slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.path, b.path) })
		}
		for _, f := range paths.filterFiles(list) {
			f.work = !r.cached
			if err := r.file("", f); err != nil {
				return err
			}
		}
	}
	for _, text := range revisions {
		h, err := r.resolve(text)
		if err != nil {
			return fatalf("bad revision '%s'", text)
		}
		tree, err := r.treeOf(h)
		if err != nil {
			return err
		}
		list, err := r.flatten(tree)
		if err != nil {
			return err
		}
		for _, f := range paths.filterFiles(list) {
			if err := r.file(text+":", f); err != nil {
				return err
			}
		}
	}
	if !r.found {
		return exitStatus(1)
	}
	return nil
}

// file searches one file.
func (r *grepRun) file(prefix string, f file) error {
	if f.mode == modeLink || f.mode == modeGitlink {
		return nil
	}
	data, err := r.data(f)
	if err != nil {
		if f.work && !r.Ends(err) {
			return nil // it is not there
		}
		return err
	}
	defer r.Free(len(data))
	name := prefix + r.shown(f.path)
	if r.noName {
		name = ""
	}
	binary := isBinary(data)
	if binary && r.textOnly {
		return nil
	}
	count := 0
	number := 0
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		line := data
		if end >= 0 {
			line, data = data[:end], data[end+1:]
		} else {
			data = nil
		}
		number++
		if err := r.Poll(1); err != nil {
			return err
		}
		matched := slices.ContainsFunc(r.matchers, func(m *regex.Matcher) bool { return m.Match(line) })
		if matched == r.invert {
			continue
		}
		count++
		if r.quiet || r.filesOnly || r.without {
			break
		}
		if r.count {
			continue
		}
		if binary {
			r.out.WriteString("Binary file " + prefix + r.shown(f.path) + " matches\n")
			break
		}
		r.print(name, number, line)
	}
	r.found = r.found || count > 0 != r.without
	switch {
	case r.quiet:
	case r.filesOnly && count > 0, r.without && count == 0:
		r.out.WriteString(prefix + r.shown(f.path) + "\n")
	case r.count && count > 0:
		if name != "" {
			name += ":"
		}
		r.out.WriteString(name + itoa(count) + "\n")
	}
	_, err = r.out.Write(nil)
	return err
}

// print prints a line that matches, or the parts that do.
func (r *grepRun) print(name string, number int, line []byte) {
	head := ""
	if name != "" {
		head = name + ":"
	}
	if r.number {
		head += itoa(number) + ":"
	}
	if !r.only || r.invert {
		r.out.WriteString(head)
		r.out.Write(line)
		r.out.WriteByte('\n')
		return
	}
	for from := 0; from <= len(line); {
		start, end, ok := r.matchers[0].Find(line, from)
		if !ok {
			return
		}
		if end > start {
			r.out.WriteString(head)
			r.out.Write(line[start:end])
			r.out.WriteByte('\n')
		}
		from = max(end, from+1)
	}
}
