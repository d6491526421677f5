package search

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

// A nameFilter decides which files are searched, by patterns of which the last
// that matches a name decides.
type nameFilter struct {
	rules []nameRule
}

type nameRule struct {
	glob    *pattern.Pattern
	include bool
}

func (f *nameFilter) add(glob string, include bool) {
	f.rules = append(f.rules, nameRule{pattern.Compile(glob, 0), include})
}

// excludes reports whether none of the names, which are of one file, is wanted.
func (f *nameFilter) excludes(names ...string) bool {
	if len(f.rules) == 0 {
		return false
	}
	for i := len(f.rules) - 1; i >= 0; i-- {
		for _, name := range names {
			if f.rules[i].glob.Match(name) {
				return !f.rules[i].include
			}
		}
	}
	return f.rules[0].include
}

// suffixes returns the name and the ends of it that follow a slash.
func suffixes(name string) []string {
	list := []string{name}
	for i := range len(name) - 1 {
		if name[i] == '/' && name[i+1] != '/' {
			list = append(list, name[i+1:])
		}
	}
	return list
}

func (g *grep) addExcludeFile(name string) error {
	text, err := g.readAll(name)
	if err != nil {
		return err
	}
	for _, line := range strings.Split(text, "\n") {
		if line != "" {
			g.files.add(line, false)
		}
	}
	return nil
}

// search searches the operands; standard input, or the directory, if there are
// none.
func (g *grep) search(operands []string) error {
	trim := false
	if len(operands) == 0 {
		operands = []string{"-"}
		if g.directories == "recurse" {
			operands, trim = []string{"."}, true
		}
	}
	for _, name := range operands {
		err := g.operand(name, trim)
		if err == errMatched {
			return errMatched
		}
		if err != nil && g.Ends(err) {
			return err
		}
		if err != nil {
			g.trouble(name, err)
		}
	}
	return nil
}

func (g *grep) operand(name string, trim bool) error {
	if name == "-" {
		return g.searchReader(g.Stdin, g.label, true)
	}
	info, err := g.FS.Stat(name)
	if err != nil {
		return err
	}
	if info.IsDir() && g.directories == "recurse" {
		return g.tree(name, trim)
	}
	filter := &g.files
	if info.IsDir() {
		filter = &g.dirs
	}
	if filter.excludes(suffixes(name)...) {
		return nil
	}
	if info.IsDir() && g.directories == "skip" || !info.Mode().IsRegular() && !info.IsDir() && g.devices == "skip" {
		return nil
	}
	return g.searchFile(name, name)
}

// tree searches a directory and what is below it.
func (g *grep) tree(root string, trim bool) error {
	if !g.noName {
		g.named = true
	}
	follow := walk.Operand
	if g.follow {
		follow = walk.Always
	}
	return walk.Tree(g.Call, root, walk.Options{Follow: follow}, func(e *walk.Entry) error {
		if e.Post {
			if e.Err != nil {
				g.trouble(e.Path, e.Err)
			}
			return nil
		}
		return g.entry(e, trim)
	})
}

// entry searches one file of a tree.
func (g *grep) entry(e *walk.Entry, trim bool) error {
	switch {
	case errors.Is(e.Err, walk.ErrCycle):
		g.Warnf("%s: warning: recursive directory loop", e.Path)
		return nil
	case e.Err != nil:
		g.trouble(e.Path, e.Err)
		return nil
	}
	kind := e.Type()
	if kind.IsDir() {
		names := []string{e.Name()}
		if e.Depth == 0 {
			names = suffixes(e.Path)
		}
		if g.dirs.excludes(names...) {
			return walk.Skip
		}
		return nil
	}
	if g.files.excludes(e.Name()) || !kind.IsRegular() && !(g.devices == "read" && kind != fs.ModeSymlink) {
		return nil
	}
	name := e.Path
	if trim {
		name = strings.TrimPrefix(name, "./")
	}
	err := g.searchFile(e.Path, name)
	if err != nil && err != errMatched && !g.Ends(err) {
		g.trouble(name, err)
		return nil
	}
	return err
}

// searchFile searches the file path, which messages and output call name.
func (g *grep) searchFile(path, name string) error {
	f, err := g.FS.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if g.outInfo != nil {
		if info, err := f.Stat(); err == nil && vfs.SameFile(info, g.outInfo) {
			g.sameAsOutput(name)
			return nil
		}
	}
	return g.searchReader(f, name, false)
}

func (g *grep) sameAsOutput(name string) {
	if g.silent {
		g.Fail()
		return
	}
	g.Warnf("%s: input file is also the output", name)
}
