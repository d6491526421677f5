package jq

import (
	"io"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// A link is an import or an include: of a module, or of data.
type link struct {
	path   string
	alias  string   // what names are qualified with; "" for an include
	data   bool     // the alias is that of a variable
	search []string // where to look first, relative to the file that it stands in
}

// linked is a program that begins with links.
type linked struct {
	tall
	links []link
	body  node
}

// links parses what may stand before definitions: the metadata of a module, and
// links.
func (p *parser) links() (list []link) {
	if p.tok.kind == "ident" && p.tok.text == "module" {
		p.next()
		p.term()
		p.expect(";")
	}
	for p.tok.kind == "import" || p.tok.kind == "include" {
		l := link{}
		importing := p.tok.kind == "import"
		p.next()
		if p.tok.kind != "string" {
			p.unexpected()
		}
		l.path = p.constantString(p.stringTerm(), "Import path must be constant")
		if importing {
			p.expect("as")
			if l.data = p.tok.kind == "variable"; !l.data && p.tok.kind != "ident" {
				p.unexpected()
			}
			l.alias = p.tok.text
			p.next()
		}
		if p.tok.kind == "{" {
			l.search = p.searchPath(p.object())
		}
		p.expect(";")
		list = append(list, l)
	}
	return list
}

// constantString returns the string that x is, and fails with a message where it
// is something else.
func (p *parser) constantString(x node, message string) string {
	switch x := x.(type) {
	case *literal:
		if s, ok := x.v.(string); ok {
			return s
		}
	case *template:
		if len(x.parts) == 0 {
			return ""
		}
		if len(x.parts) == 1 {
			return p.constantString(x.parts[0], message)
		}
	}
	p.failAt(p.before.pos, "%s", message)
	return ""
}

// searchPath returns the directories that the metadata of a link names.
func (p *parser) searchPath(x node) (dirs []string) {
	const message = "Module metadata must be constant"
	o, ok := x.(*objectOf)
	if !ok {
		p.failAt(p.before.pos, message)
	}
	for _, m := range o.members {
		if p.constantString(m.key, message) != "search" {
			continue
		}
		list, ok := m.val.(*arrayOf)
		if !ok {
			return []string{p.constantString(m.val, message)}
		}
		for rest := list.x; rest != nil; {
			c, ok := rest.(*comma)
			if !ok {
				return append([]string{p.constantString(rest, message)}, dirs...)
			}
			dirs = append([]string{p.constantString(c.y, message)}, dirs...)
			rest = c.x
		}
	}
	return dirs
}

// modules are what links have loaded.
type modules struct {
	input  *Input
	search []string // directories of -L, or the usual ones
	loaded map[string]*module
}

// A module is a file of definitions.
type module struct {
	functions []*scope
	loading   bool
}

// linked compiles a program with links.
func (c *compiler) linked(x *linked) code {
	for _, l := range x.links {
		c = c.link(l)
	}
	return c.compile(x.body)
}

// link returns the compiler for what follows a link.
func (c *compiler) link(l link) *compiler {
	if l.data {
		name := c.findModule(l, ".json")
		v := c.read(name, false)
		c = c.with(&scope{variable: l.alias, constant: true, value: v})
		return c.with(&scope{variable: l.alias + "::" + l.alias, constant: true, value: v})
	}
	name := c.findModule(l, ".jq")
	mod := c.modules.loaded[name]
	if mod == nil {
		mod = &module{loading: true}
		c.modules.loaded[name] = mod
		c.load(mod, name)
		mod.loading = false
	}
	if mod.loading {
		panic(&syntaxError{"module " + l.path + " imports itself\n"})
	}
	for _, s := range mod.functions {
		called := s.called
		if l.alias != "" {
			called = l.alias + "::" + called
		}
		c = c.with(&scope{called: called, arity: s.arity, def: s.def})
	}
	return c
}

// load compiles the definitions of a module.
func (c *compiler) load(mod *module, name string) {
	text, _ := c.read(name, true).(string)
	inner := &compiler{m: c.m, src: text, origin: name, lib: c.lib, fn: c.root, root: c.root, specials: c.specials, modules: c.modules}
	p := &parser{src: text, origin: name}
	p.next()
	for _, l := range p.links() {
		inner = inner.link(l)
	}
	for p.tok.kind == "def" {
		s := inner.define(p.definition())
		inner = inner.with(s)
		mod.functions = append(mod.functions, s)
	}
	if p.tok.kind != "eof" {
		p.failAt(p.tok.pos, "library should only have function definitions, not a main expression")
	}
}

// read returns the values in a file as an array, or its text.
func (c *compiler) read(name string, text bool) Value {
	in := c.modules.input.Another(name)
	in.Slurp, in.Raw = true, text
	var opening error
	in.Open = func(name string) (r io.ReadCloser, ok bool) {
		r, opening = c.m.call.FS.Open(name)
		return r, opening == nil
	}
	v, err := in.Next()
	if opening != nil {
		err = vfs.ErrnoOf(opening)
	}
	if IsSyntax(err) || opening != nil {
		panic(&syntaxError{name + ": " + err.Error()})
	}
	if err != nil {
		panic(abort{err})
	}
	return v
}

// findModule returns the name of the file that a link is about.
func (c *compiler) findModule(l link, suffix string) string {
	var dirs []string
	for _, dir := range l.search {
		if !path.IsAbs(dir) {
			dir = path.Join(path.Dir(c.origin), dir)
		}
		dirs = append(dirs, dir)
	}
	for _, dir := range append(dirs, c.modules.search...) {
		if rest, ok := strings.CutPrefix(dir, "~"); ok {
			dir = c.m.call.Getenv("HOME") + rest
		}
		base := path.Join(dir, l.path)
		for _, name := range []string{base + suffix, path.Join(base, path.Base(l.path)) + suffix} {
			if info, err := c.m.call.FS.Stat(name); err == nil && info.Mode().IsRegular() {
				return c.m.call.FS.Abs(name)
			}
		}
	}
	panic(&syntaxError{"module not found: " + l.path + "\n"})
}

// home returns the compiler with the definitions of the file .jq in the home
// directory, if there is one.
func (c *compiler) home() *compiler {
	name := path.Join(c.m.call.Getenv("HOME"), ".jq")
	if info, err := c.m.call.FS.Stat(name); err != nil || !info.Mode().IsRegular() {
		return c
	}
	mod := &module{}
	c.load(mod, name)
	for _, s := range mod.functions {
		c = c.with(&scope{called: s.called, arity: s.arity, def: s.def})
	}
	return c
}
