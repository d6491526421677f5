package parse

import (
	"context"
	"errors"
	"sort"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/limpet-sh/limpet/internal/parse/scan"
)

// A parser is the parser of package syntax with its bounds.
type parser struct {
	ctx    context.Context
	syntax *syntax.Parser
}

// parsers are parsers of package syntax that may be used again.
var parsers = sync.Pool{New: func() any { return syntax.NewParser() }}

func newParser(ctx context.Context) *parser {
	return &parser{ctx, parsers.Get().(*syntax.Parser)}
}

// release lets go of p, which has returned no error.
func (p *parser) release() {
	parsers.Put(p.syntax)
	p.syntax = nil
}

// A repair makes the parser accept what bash accepts: it edits the text that
// the parser gets, and puts into the tree what was edited away.
type repair struct {
	*parser
	src     string
	cmd     scan.Command
	edits   edits
	encoded bool   // there are bytes that the parser does not pass through
	spent   int    // bytes parsed to find out what the parser accepts
	starts  []int  // where complete commands start
	mended  []bool // sites that were mended

	restored []span         // literals that overlap are to read as in the source
	raw      map[int]span   // expressions, by offset, that stand for raw text
	params   map[int]param  // parameter expansions to put in
	bodies   map[int]span   // here-documents, by offset of their delimiter
	unparsed map[int]span   // command substitutions to be parsed when they run
	quoting  map[int]string // the characters that a backslash quotes in them
	lists    map[int]span   // subscripts, by offset, in front of =(…)
	appends  map[int]bool   // elements with +=
	empty    map[int]bool   // patterns without text
	nothing  map[int]bool   // commands without text

	misordered bool // the tree needs to be put in order
}

// A span is a range of the source.
type span struct{ start, end int }

func (p *parser) repair(src string, cmd scan.Command) *repair {
	return &repair{
		parser: p, src: src, cmd: cmd,
		encoded: passing(src[cmd.Start:cmd.End]) < cmd.End-cmd.Start,
		raw:     map[int]span{}, params: map[int]param{}, bodies: map[int]span{}, unparsed: map[int]span{}, quoting: map[int]string{},
		mended: make([]bool, len(cmd.Sites)),
		lists:  map[int]span{}, appends: map[int]bool{}, empty: map[int]bool{}, nothing: map[int]bool{},
	}
}

// document parses text in which only expansions are recognised.
func (p *parser) document(text string, sites []scan.Site) (word *syntax.Word, err error) {
	r := p.repair(text, scan.Command{End: len(text), Line: 1, Sites: sites})
	parsed, err := r.run(func(text string) error {
		return guard(p.ctx, text, func(b *bounded) (err error) {
			word, err = p.syntax.Document(b)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	r.settle(&word, parsed)
	return word, nil
}

// repaired parses a command, and repairs it where that is needed.
// starts are the offsets at which its parts start, if there are several.
func (p *parser) repaired(src string, cmd scan.Command, starts []int) (stmts []*syntax.Stmt, err error) {
	r := p.repair(src, cmd)
	r.starts = starts
	parsed, err := r.run(func(text string) error {
		stmts, err = r.parse(text)
		return err
	})
	if err != nil {
		return nil, err
	}
	r.settle(&stmts, parsed)
	return stmts, nil
}

// run edits the source until parse accepts it.
func (r *repair) run(parse func(text string) error) (parsed rewriting, err error) {
	for _, site := range r.cmd.Sites {
		r.rewrite(site)
	}
	r.edits.settle()
	for tries := 0; ; tries++ {
		parsed = r.edits.rewrite(r.src, r.cmd.Start, r.cmd.End, r.encoded)
		if err = parse(parsed.text); err == nil {
			return parsed, nil
		}
		at, ok := errorOffset(err)
		switch {
		case !ok:
			return parsed, err
		case r.spent > 64*(r.cmd.End-r.cmd.Start)+1<<20:
			return parsed, ErrTooDeep
		case !r.mendAround(parsed.original(at), tries):
			return parsed, rejected(parsed.text, r.cmd.Line, at)
		}
	}
}

// mendAround mends the sites of the command at an offset, or where that does
// not help all sites. It returns false when there is nothing left to mend.
func (r *repair) mendAround(offset, tries int) bool {
	start, end := r.cmd.Start, r.cmd.End
	if i := sort.SearchInts(r.starts, offset+1); i > 0 && tries < 4 {
		start = r.starts[i-1]
		if i < len(r.starts) {
			end = r.starts[i]
		}
	}
	mended := false
	for i, site := range r.cmd.Sites {
		if start <= site.Start && site.Start < end && !r.mended[i] {
			r.mended[i] = true
			r.mend(site)
			mended = true
		}
	}
	if !mended && tries < 4 {
		return r.mendAround(offset, 4)
	}
	return mended
}

// errorOffset returns where the parser found an error, and false for an error
// that is not one of syntax.
func errorOffset(err error) (offset int, ok bool) {
	var perr syntax.ParseError
	var lerr syntax.LangError
	switch {
	case errors.As(err, &perr):
		return int(perr.Pos.Offset()), true
	case errors.As(err, &lerr):
		return int(lerr.Pos.Offset()), true
	}
	return 0, false
}

func (p *parser) parse(text string) (stmts []*syntax.Stmt, err error) {
	err = guard(p.ctx, text, func(b *bounded) error {
		file, err := p.syntax.Parse(b, "")
		if err == nil {
			stmts = file.Stmts
		}
		return err
	})
	return stmts, err
}

// rewrite makes the edits that a site needs in any case.
func (r *repair) rewrite(site scan.Site) {
	switch site.Kind {
	case scan.Param:
		if c := r.src[site.Start+2]; c == ' ' || c == '\t' || c == '\n' || c == '|' {
			r.bad(site.Start, site.End) // to the parser, commands
		}
	case scan.Unparsed:
		r.edits.replace(site.Start, site.End, ":")
		note(&r.unparsed, site.Start-2, span{site.Start, site.End})
	case scan.Subshells, scan.BangParen, scan.DashEnd:
		r.edits.replace(site.Start, site.End, " ")
	case scan.Backquotes, scan.QuotedBackquotes:
		if globs(r.src[site.Start:site.End]) { // an option decides whether it is a pattern
			special := "$`\\"
			if site.Kind == scan.QuotedBackquotes {
				special += "\""
			}
			r.leaveBackquotes(site.Start, site.End, special)
		}
	case scan.HereBody:
		if unended(r.src[site.Start:site.End]) { // the parser may find an end behind it
			r.edits.replace(site.Start, site.End, "")
			note(&r.bodies, site.Word, span{site.Start, site.End})
		}
	case scan.Joined:
		r.edits.replace(site.Start, site.End, "")
	case scan.Bang, scan.TimeIgnore:
		r.edits.replace(site.Start, site.End, strings.Repeat(" ", site.End-site.Start))
	case scan.LoopEnd:
		r.edits.replace(site.Start, site.End, ";")
	case scan.SelectBrace:
		keyword := "do"
		if r.src[site.Start] == '}' {
			keyword = "done"
		}
		r.edits.replace(site.Start, site.End, keyword)
	case scan.BangInsert:
		r.edits.replace(site.Start, site.End, "! ")
	case scan.BangAlone:
		r.edits.replace(site.Start, site.End, " :")
		note(&r.nothing, site.Start, true)
	case scan.ListElement:
		r.edits.replace(site.Start, site.End, "")
		note(&r.lists, site.Start, span{site.Start + 1, site.End - 1})
	case scan.EmptyGlob:
		r.edits.replace(site.Start, site.End, "_")
		note(&r.empty, site.Start, true)
	case scan.Chained, scan.CondOrder:
		r.misordered = true
	case scan.FuncParens:
		r.edits.replace(site.Start, site.End, "() ")
	case scan.PlainWord, scan.PlainQuote:
		r.hide(site.Start, site.End)
	case scan.PlainList:
		r.hidePlain(site, "()<>;&| \t\n")
	case scan.EnvAssign:
		name, _, _ := strings.Cut(r.src[site.Start:site.End], "=")
		if open := strings.IndexByte(name, '['); open >= 0 {
			if end := scan.SubscriptEnd(r.src, site.Start+open); end >= 0 && end < site.End {
				name = r.src[site.Start : end+1]
			}
		}
		if strings.Contains(name, "[") || strings.HasPrefix(r.src[site.Start+len(name):site.End], "=(") {
			for i := range len(name) {
				if name[i] == '[' || strings.IndexByte(name[:i], '[') >= 0 && (name[i] != '+' || i < len(name)-1) {
					r.hideAs(site.Start+i, site.Start+i+1, "_")
				}
			}
			site.Start += len(name)
			r.hidePlain(site, "()<>;&| \t\n")
		}
	case scan.HereEnd:
		r.endHeredoc(site)
	}
}

// endHeredoc adds the delimiter that a here-document lacks, or the newline
// that does not follow it.
func (r *repair) endHeredoc(site scan.Site) {
	if site.Start < site.End || site.Delimiter == "" && site.End < len(r.src) {
		if site.End < len(r.src) && r.src[site.End] != '\n' {
			r.edits.replace(site.End, site.End, "\n")
		}
		return
	}
	text := site.Delimiter + "\n"
	last := len(r.edits.late) - 1
	if site.End > 0 && r.src[site.End-1] != '\n' && (last < 0 || r.edits.late[last].start != site.End) {
		text = "\n" + text
	}
	r.edits.replace(site.End, site.End, text)
}

// note adds to a map, of which most repairs need none.
func note[V any](m *map[int]V, offset int, v V) {
	if *m == nil {
		*m = map[int]V{}
	}
	(*m)[offset] = v
}

// hide replaces a range by as many bytes that are part of a literal, and do
// not lengthen the name of a parameter in front. It notes that the literal is
// to read as in the source.
func (r *repair) hide(start, end int) { r.hideAs(start, end, ":") }

func (r *repair) hideAs(start, end int, as string) {
	r.edits.replace(start, end, strings.Repeat(as, end-start))
	r.restored = append(r.restored, span{start, end})
}

// hidePlain hides those of the bytes that are neither quoted nor expanded.
func (r *repair) hidePlain(site scan.Site, bytes string) {
	for i := range scan.Plain(r.src, site.Start, site.End, false) {
		if strings.IndexByte(bytes, r.src[i]) >= 0 {
			r.hide(i, i+1)
		}
	}
}

// unended reports whether an expansion in the body of a here-document has no end.
func unended(body string) bool {
	for i := 0; i < len(body); i++ {
		switch {
		case body[i] == '\\':
			i++
		case body[i] == '`' || strings.HasPrefix(body[i:], "${"):
			end := scan.ExpansionEnd(body, i)
			if end < 0 {
				return true
			}
			i = end - 1
		}
	}
	return false
}

// globs reports whether text holds what may be an extended pattern.
func globs(text string) bool {
	for i := 1; i < len(text); i++ {
		if text[i] == '(' && strings.IndexByte("?*+@!", text[i-1]) >= 0 {
			return true
		}
	}
	return false
}
