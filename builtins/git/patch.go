package git

import (
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/internal/linediff"
)

// A diffFormat says how changes are shown.
type diffFormat struct {
	patch, stat, numstat, shortstat, summary, nameOnly, nameStatus, raw, quiet bool

	context    int
	noRenames  bool
	full       bool // names of objects are not shortened
	binary     bool
	text       bool
	nul        bool
	relative   bool
	noPrefix   bool
	spaces     string // how white space is ignored: "", change, all, eol, blank
	width      int    // of --stat
	reverse    bool
	filter     string // of --diff-filter
	exit       bool   // the status says whether there are changes
	words      bool
	noneChosen bool // -s
}

// declare declares the options of diffs.
func (d *diffFormat) declare(f *flags) {
	d.context = 3
	f.bool(&d.patch, "p,u,patch")
	f.do("s,no-patch", func() { d.noneChosen = true })
	f.add("stat", false, true, func(v string) error {
		d.stat = true
		_, err := fmt.Sscan(strings.SplitN(v, ",", 2)[0], &d.width)
		if v != "" && err != nil {
			return usage("error: invalid --stat value: " + v)
		}
		return nil
	})
	f.bool(&d.numstat, "numstat")
	f.bool(&d.shortstat, "shortstat")
	f.bool(&d.summary, "summary")
	f.bool(&d.nameOnly, "name-only")
	f.bool(&d.nameStatus, "name-status")
	f.bool(&d.raw, "raw")
	f.do("patch-with-stat", func() { d.patch, d.stat = true, true })
	f.int(&d.context, "U,unified")
	f.bool(&d.noRenames, "no-renames")
	f.add("M,find-renames", false, true, func(string) error { d.noRenames = false; return nil })
	f.bool(&d.full, "full-index")
	f.bool(&d.text, "a,text")
	f.bool(&d.nul, "z")
	f.bool(&d.noPrefix, "no-prefix")
	f.do("w,ignore-all-space", func() { d.spaces = "all" })
	f.do("b,ignore-space-change", func() { d.spaces = "change" })
	f.do("ignore-space-at-eol", func() { d.spaces = "eol" })
	f.bool(&d.reverse, "R")
	f.string(&d.filter, "diff-filter")
	f.bool(&d.exit, "exit-code")
	f.bool(&d.quiet, "quiet")
	f.ignore("no-color,no-ext-diff,no-textconv,indent-heuristic,no-color-moved")
	f.add("color", false, true, func(v string) error {
		if v == "always" || v == "" {
			return usage("error: colors are not available")
		}
		return nil
	})
}

// chosen reports whether a format has been chosen.
func (d *diffFormat) chosen() bool {
	return d.patch || d.stat || d.numstat || d.shortstat || d.summary || d.nameOnly || d.nameStatus || d.raw || d.noneChosen || d.quiet
}

// prepare finds renames, and applies the options that choose among changes.
func (g *git) prepare(d *diffFormat, list []change) ([]change, error) {
	if !d.noRenames {
		if value, ok := g.config("diff.renames"); !ok || value != "false" {
			var err error
			if list, err = g.renames(list); err != nil {
				return nil, err
			}
		}
	}
	if d.reverse {
		for i := range list {
			c := &list[i]
			c.old, c.new = c.new, c.old
			switch c.status {
			case 'A':
				c.status = 'D'
			case 'D':
				c.status = 'A'
			}
		}
	}
	if d.filter == "" {
		return list, nil
	}
	var out []change
	for _, c := range list {
		upper := strings.ToUpper(d.filter) == d.filter
		has := strings.IndexByte(strings.ToUpper(d.filter), c.status) >= 0
		if has == upper {
			out = append(out, c)
		}
	}
	return out, nil
}

// printChanges prints changes in the chosen formats.
func (g *git) printChanges(d *diffFormat, list []change) error {
	if d.noneChosen || d.quiet || len(list) == 0 {
		return nil
	}
	if d.raw {
		for i := range list {
			g.printRaw(d, &list[i])
		}
	}
	switch {
	case d.nameOnly:
		for i := range list {
			g.out.WriteString(g.pathText(d, list[i].name()) + d.end())
		}
		return nil
	case d.nameStatus:
		for i := range list {
			g.printStatus(d, &list[i])
		}
		return nil
	}
	if d.stat || d.numstat || d.shortstat {
		if err := g.printStats(d, list); err != nil {
			return err
		}
	}
	if d.summary {
		g.printSummary(list)
	}
	if !d.patch {
		return nil
	}
	if d.stat || d.numstat || d.shortstat || d.summary || d.raw {
		g.out.WriteByte('\n')
	}
	for i := range list {
		if err := g.printPatch(d, &list[i]); err != nil {
			return err
		}
	}
	_, err := g.out.Write(nil)
	return err
}

// end is what ends a line of names.
func (d *diffFormat) end() string {
	if d.nul {
		return "\x00"
	}
	return "\n"
}

// pathText returns a path as lists have it.
func (g *git) pathText(d *diffFormat, name string) string {
	if d.relative {
		name = strings.TrimPrefix(name, g.repo.prefix)
	}
	if d.nul {
		return name
	}
	return g.quotePath(name)
}

// printStatus prints a line of --name-status.
func (g *git) printStatus(d *diffFormat, c *change) {
	between := "\t"
	if d.nul {
		between = "\x00"
	}
	if c.status == 'R' || c.status == 'C' {
		fmt.Fprintf(g.out, "%c%03d%s%s%s%s%s", c.status, c.score, between, g.pathText(d, c.old.path), between, g.pathText(d, c.new.path), d.end())
		return
	}
	fmt.Fprintf(g.out, "%c%s%s%s", c.status, between, g.pathText(d, c.name()), d.end())
}

// printRaw prints a line of --raw.
func (g *git) printRaw(d *diffFormat, c *change) {
	short := func(f file) string {
		switch {
		case f.mode == 0 || f.work:
			return strings.Repeat("0", len(g.shorten(d, hash{})))
		}
		return g.shorten(d, f.hash)
	}
	fmt.Fprintf(g.out, ":%06o %06o %s %s ", c.old.mode, c.new.mode, short(c.old), short(c.new))
	g.printStatus(d, c)
}

// shorten returns the name of an object as patches have it.
func (g *git) shorten(d *diffFormat, h hash) string {
	switch {
	case d.full:
		return h.String()
	case h == hash{}:
		return "0000000"
	}
	return g.abbrev(h)
}

// printPatch prints a change as a patch.
func (g *git) printPatch(d *diffFormat, c *change) error {
	if c.status == 'T' {
		gone, come := change{status: 'D', old: c.old}, change{status: 'A', new: c.new}
		if err := g.printPatch(d, &gone); err != nil {
			return err
		}
		return g.printPatch(d, &come)
	}
	if err := g.Poll(1); err != nil {
		return err
	}
	old, err := g.data(c.old)
	if err != nil {
		return err
	}
	defer g.Free(len(old))
	new, err := g.data(c.new)
	if err != nil {
		return err
	}
	defer g.Free(len(new))
	header := g.patchHeader(d, c)
	if c.old.hash == c.new.hash && c.old.mode != 0 && c.new.mode != 0 {
		g.out.WriteString(header)
		return nil
	}
	a, b := "a/", "b/"
	if d.noPrefix {
		a, b = "", ""
	}
	oldName, newName := g.quotePath(a+c.old.path), g.quotePath(b+c.new.path)
	if c.old.mode == 0 {
		oldName = "/dev/null"
	}
	if c.new.mode == 0 {
		newName = "/dev/null"
	}
	if !d.text && (isBinary(old) || isBinary(new)) {
		fmt.Fprintf(g.out, "%sBinary files %s and %s differ\n", header, oldName, newName)
		return nil
	}
	diff, err := g.diffLines(old, new, d.fold())
	if err != nil {
		return err
	}
	if len(diff.changes) == 0 {
		if c.status != 'M' || c.old.mode != c.new.mode {
			g.out.WriteString(header)
		}
		return nil
	}
	tab := func(name string) string {
		if strings.Contains(name, " ") {
			return name + "\t"
		}
		return name
	}
	fmt.Fprintf(g.out, "%s--- %s\n+++ %s\n", header, tab(oldName), tab(newName))
	return g.printHunks(diff, d.context)
}

// fold returns the form of lines in which white space is ignored as chosen.
func (d *diffFormat) fold() func(string) string {
	switch d.spaces {
	case "all":
		return func(s string) string { return strings.Join(strings.Fields(s), "") }
	case "change":
		return func(s string) string {
			lead := ""
			if s != "" && (s[0] == ' ' || s[0] == '\t') {
				lead = " "
			}
			return lead + strings.Join(strings.Fields(s), " ")
		}
	case "eol":
		return func(s string) string { return strings.TrimRight(s, " \t\r\n") }
	}
	return nil
}

// patchHeader returns the lines of a patch before its text.
func (g *git) patchHeader(d *diffFormat, c *change) string {
	oldPath, newPath := c.old.path, c.new.path
	if c.old.mode == 0 {
		oldPath = newPath
	}
	if c.new.mode == 0 {
		newPath = oldPath
	}
	c.old.path, c.new.path = oldPath, newPath
	a, b := "a/", "b/"
	if d.noPrefix {
		a, b = "", ""
	}
	var h strings.Builder
	fmt.Fprintf(&h, "diff --git %s %s\n", g.quotePath(a+oldPath), g.quotePath(b+newPath))
	mode := ""
	switch {
	case c.old.mode == 0:
		fmt.Fprintf(&h, "new file mode %06o\n", c.new.mode)
	case c.new.mode == 0:
		fmt.Fprintf(&h, "deleted file mode %06o\n", c.old.mode)
	case c.old.mode != c.new.mode:
		fmt.Fprintf(&h, "old mode %06o\nnew mode %06o\n", c.old.mode, c.new.mode)
	default:
		mode = fmt.Sprintf(" %06o", c.new.mode)
	}
	if c.status == 'R' || c.status == 'C' {
		verb := map[byte]string{'R': "rename", 'C': "copy"}[c.status]
		fmt.Fprintf(&h, "similarity index %d%%\n%s from %s\n%s to %s\n", c.score, verb, g.quotePath(oldPath), verb, g.quotePath(newPath))
	}
	if c.old.hash != c.new.hash || c.old.mode == 0 || c.new.mode == 0 {
		from, to := c.old.hash, c.new.hash
		if c.old.mode == 0 {
			from = hash{}
		}
		if c.new.mode == 0 {
			to = hash{}
		}
		fmt.Fprintf(&h, "index %s..%s%s\n", g.shorten(d, from), g.shorten(d, to), mode)
	}
	return h.String()
}

// printHunks prints the text of a patch.
func (g *git) printHunks(d *textDiff, context int) error {
	function, searched := "", 0 // the last line that looks like the beginning of a function, above searched
	for _, h := range linediff.Hunks(d.changes, len(d.old), len(d.new), context) {
		for ; searched < h.A0; searched++ {
			if line := d.old[searched]; isFunction(line) {
				function = line
			}
		}
		g.out.WriteString(h.Header())
		if function != "" {
			g.out.WriteString(" " + strings.TrimRight(cutBytes(function, 80), " \t\r\n\v\f"))
		}
		g.out.WriteByte('\n')
		at := h.B0 // what is ignored of white space is shown as it is now
		for _, c := range h.Changes {
			g.putLines(" ", d.new[at:c.B])
			g.putLines("-", d.old[c.A:c.A+c.Del])
			g.putLines("+", d.new[c.B:c.B+c.Ins])
			at = c.B + c.Ins
			if err := g.Poll(1 + c.Del + c.Ins); err != nil {
				return err
			}
		}
		g.putLines(" ", d.new[at:h.B1])
	}
	_, err := g.out.Write(nil)
	return err
}

// cutBytes returns the first n bytes of text.
func cutBytes(text string, n int) string { return text[:min(n, len(text))] }

// isFunction reports whether a line begins as a function does in most languages.
func isFunction(line string) bool {
	if line == "" {
		return false
	}
	c := line[0]
	return c == '_' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// putLines prints lines of a patch.
func (g *git) putLines(prefix string, lines []string) {
	for _, line := range lines {
		g.out.WriteString(prefix + line)
		if !strings.HasSuffix(line, "\n") {
			g.out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
