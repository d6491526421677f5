package parse

import (
	"strings"

	"github.com/limpet-sh/limpet/internal/parse/scan"
)

// mend makes the edits that a site needs if the parser refuses it.
func (r *repair) mend(site scan.Site) {
	start, end := site.Start, site.End
	switch site.Kind {
	case scan.Param:
		r.mendParam(start, end)
	case scan.Arith, scan.ArithBracket, scan.ArithCommand:
		if !r.accepts("((", start, end, "))") {
			r.replaceRaw(start, end, "0")
		}
	case scan.ArithFor:
		r.mendSections(start, end)
	case scan.Subscript:
		r.mendSubscript(start, end)
	case scan.Backquotes:
		if !r.accepts(": `", start, end, "`") {
			r.leaveBackquotes(start, end, "$`\\")
		}
	case scan.QuotedBackquotes:
		if !r.accepts(": \"`", start, end, "`\"") {
			r.leaveBackquotes(start, end, "$`\\\"")
		}
	case scan.FuncName, scan.LoopName:
		if strings.ContainsAny(r.src[start:end], "$`'\"\\<>[") {
			r.hide(start, end)
		}
	case scan.ListEqual:
		r.hide(start, end)
	case scan.HereWord:
		r.mendDelimiter(site)
	case scan.HereBody:
		if !r.accepts("cat <<EOF\n", start, end, "\nEOF\n") {
			r.edits.replace(start, end, "")
			note(&r.bodies, site.Word, span{start, end})
		}
	case scan.DeclWord:
		if !r.accepts("declare ", start, end, "") {
			r.hidePlain(site, "=[]")
		}
	case scan.Regexp:
		if !r.accepts("[[ _ =~ ", start, end, " ]]") {
			r.hidePlain(site, "()<>;&|[]{}?*+^$# \t\n")
		}
	case scan.ExtGlob:
		if !r.accepts(": ", start, end, "") {
			r.hidePlain(site, "()<>;&| \t\n")
		}
	}
}

// leaveBackquotes leaves commands in backquotes to be parsed when they run. Before
// that, bash removes the backslashes in front of the special characters.
func (r *repair) leaveBackquotes(start, end int, special string) {
	r.edits.replace(start, end, ":")
	note(&r.unparsed, start-1, span{start, end})
	note(&r.quoting, start-1, special)
}

// accepts reports whether the parser accepts a range, edited so far, between
// prefix and suffix.
func (r *repair) accepts(prefix string, start, end int, suffix string) bool {
	text := prefix + r.edits.rewrite(r.src, start, end, r.encoded).text + suffix
	r.spent += len(text)
	stmts, err := r.parse(text)
	return err == nil && len(stmts) == 1
}

// replaceRaw puts text in the place of an expression.
func (r *repair) replaceRaw(start, end int, text string) {
	r.edits.replace(start, end, text)
	note(&r.raw, start, span{start, end})
}

// mendSections mends the expressions of for ((…)).
func (r *repair) mendSections(start, end int) {
	from := start
	section := func(to int) {
		if strings.TrimSpace(r.src[from:to]) != "" && !r.accepts("((", from, to, "))") {
			r.replaceRaw(from, to, "0")
		}
		from = to + 1
	}
	for i := range scan.Plain(r.src, start, end, true) {
		if r.src[i] == ';' {
			section(i)
		}
	}
	section(end)
}

// mendSubscript mends name[…]= and, in lists, […]=.
func (r *repair) mendSubscript(start, end int) {
	after := r.src[end+1:]
	if !strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "+=") {
		for i := start - 1; i <= end; i++ {
			if c := r.src[i]; c == '[' || c == ']' {
				r.hide(i, i+1)
			}
		}
		return
	}
	if !r.accepts("_[", start, end, "]=") {
		r.replaceRaw(start, end, "_")
	}
	if before := r.src[start-2]; after[0] == '+' && strings.IndexByte("( \t\n", before) >= 0 {
		r.edits.replace(end+1, end+2, "")
		note(&r.appends, start, true)
	}
}

// mendDelimiter makes a literal of a delimiter with expansions, which bash
// does not expand.
func (r *repair) mendDelimiter(word scan.Site) {
	text := r.src[word.Start:word.End]
	if !strings.ContainsAny(text, "$`<>\n") {
		return
	}
	quoted := strings.ContainsAny(text, "\\'\"")
	for _, site := range r.cmd.Sites {
		if site.Kind != scan.HereEnd || site.Word != word.Start {
			continue
		}
		name := unused(r.src[r.cmd.Start:r.cmd.End])
		r.edits.replace(site.Start, site.End, name)
		if quoted {
			name = "'" + name + "'"
		}
		r.edits.replace(word.Start, word.End, name)
		r.restored = append(r.restored, span{word.Start, word.End})
	}
}

// unused returns a word that is not in text.
func unused(text string) string {
	name := "EOF"
	for strings.Contains(text, name) {
		name += "_"
	}
	return name
}
