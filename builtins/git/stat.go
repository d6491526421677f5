package git

import (
	"fmt"
	"strconv"
	"strings"
)

// A fileStat is how much of a file has changed.
type fileStat struct {
	name           string
	added, deleted int
	binary         bool
	oldSize        int
	newSize        int
	same           bool // nothing but the name or the mode
}

// stats counts the lines that changes add and delete.
func (g *git) stats(d *diffFormat, list []change) ([]fileStat, error) {
	var out []fileStat
	for i := range list {
		c := &list[i]
		s := fileStat{name: g.quotePath(c.name())}
		if c.status == 'R' || c.status == 'C' {
			s.name = displayRename(c.old.path, c.new.path)
			if q := g.quotePath(c.old.path) + g.quotePath(c.new.path); strings.HasPrefix(q, `"`) {
				s.name = g.quotePath(c.old.path) + " => " + g.quotePath(c.new.path)
			}
		}
		if err := g.countLines(d, c, &s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (g *git) countLines(d *diffFormat, c *change, s *fileStat) error {
	if c.old.hash == c.new.hash && c.old.mode != 0 && c.new.mode != 0 {
		s.same = true
		return nil
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
	if !d.text && (isBinary(old) || isBinary(new)) {
		s.binary, s.oldSize, s.newSize = true, len(old), len(new)
		return nil
	}
	diff, err := g.diffLines(old, new, d.fold())
	if err != nil {
		return err
	}
	for _, c := range diff.changes {
		s.added += c.Ins
		s.deleted += c.Del
	}
	return nil
}

// printStats prints the formats that count lines.
func (g *git) printStats(d *diffFormat, list []change) error {
	stats, err := g.stats(d, list)
	if err != nil {
		return err
	}
	if d.numstat {
		for i, s := range stats {
			counts := fmt.Sprintf("%d\t%d", s.added, s.deleted)
			if s.binary {
				counts = "-\t-"
			}
			if d.nul && (list[i].status == 'R' || list[i].status == 'C') {
				fmt.Fprintf(g.out, "%s\t\x00%s\x00%s\x00", counts, list[i].old.path, list[i].new.path)
				continue
			}
			g.out.WriteString(counts + "\t" + s.name + d.end())
		}
	}
	if d.stat {
		width := d.width
		if width == 0 {
			width = 80
			if n, err := strconv.Atoi(g.Getenv("COLUMNS")); err == nil && n > 0 {
				width = n
			}
		}
		g.printGraph(stats, width)
	}
	if d.stat || d.shortstat {
		g.out.WriteString(totals(stats))
	}
	return nil
}

// totals returns the line that sums changes up.
func totals(stats []fileStat) string {
	added, deleted := 0, 0
	for _, s := range stats {
		added += s.added
		deleted += s.deleted
	}
	text := " " + plural(len(stats), "file") + " changed"
	if len(stats) == 0 {
		return " 0 files changed\n"
	}
	if added > 0 || deleted == 0 {
		text += ", " + plural(added, "insertion") + "(+)"
	}
	if deleted > 0 || added == 0 {
		text += ", " + plural(deleted, "deletion") + "(-)"
	}
	return text + "\n"
}

// plural returns a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// printGraph prints the lines of --stat.
func (g *git) printGraph(stats []fileStat, width int) {
	names, most, numbers, binary := 0, 0, 0, 0
	for _, s := range stats {
		names = max(names, characters(s.name))
		if s.binary {
			binary = max(binary, 14+len(strconv.Itoa(s.newSize))+len(strconv.Itoa(s.oldSize)))
			numbers = 3
			continue
		}
		most = max(most, s.added+s.deleted)
	}
	numbers = max(numbers, len(strconv.Itoa(most)))
	width = max(width, 16+6+numbers)
	graph := most
	if most+4 <= binary {
		graph = binary - 4
	}
	if names+numbers+6+graph > width {
		if graph > width*3/8-numbers-6 {
			graph = max(width*3/8-numbers-6, 6)
		}
		if names > width-numbers-6-graph {
			names = width - numbers - 6 - graph
		} else {
			graph = width - numbers - 6 - names
		}
	}
	for _, s := range stats {
		name := s.name
		if n := characters(name); n > names {
			runes := []rune(name)
			name = string(runes[n-max(names-3, 0):])
			if slash := strings.IndexByte(name, '/'); slash >= 0 {
				name = name[slash:]
			}
			name = "..." + name
		}
		fmt.Fprintf(g.out, " %s%s |", name, strings.Repeat(" ", max(names-characters(name), 0)))
		if s.binary {
			fmt.Fprintf(g.out, " %*s", numbers, "Bin")
			if s.oldSize != 0 || s.newSize != 0 {
				fmt.Fprintf(g.out, " %d -> %d bytes", s.oldSize, s.newSize)
			}
			g.out.WriteByte('\n')
			continue
		}
		added, deleted := s.added, s.deleted
		if graph <= most && added+deleted > 0 {
			total := scale(added+deleted, graph, most)
			if total < 2 && added > 0 && deleted > 0 {
				total = 2
			}
			if added < deleted {
				added = scale(added, graph, most)
				deleted = total - added
			} else {
				deleted = scale(deleted, graph, most)
				added = total - deleted
			}
		}
		fmt.Fprintf(g.out, " %*d", numbers, s.added+s.deleted)
		if s.added+s.deleted > 0 {
			g.out.WriteString(" " + strings.Repeat("+", max(added, 0)) + strings.Repeat("-", max(deleted, 0)))
		}
		g.out.WriteByte('\n')
	}
}

// scale returns how many of width characters stand for n of most lines.
func scale(n, width, most int) int {
	if n == 0 {
		return 0
	}
	return 1 + n*(width-1)/most
}

// characters counts the characters of text.
func characters(text string) (n int) {
	for i := range len(text) {
		if text[i]&0xc0 != 0x80 {
			n++
		}
	}
	return n
}

// printSummary prints what --summary does.
func (g *git) printSummary(list []change) {
	for i := range list {
		c := &list[i]
		switch {
		case c.status == 'A':
			fmt.Fprintf(g.out, " create mode %06o %s\n", c.new.mode, g.quotePath(c.new.path))
		case c.status == 'D':
			fmt.Fprintf(g.out, " delete mode %06o %s\n", c.old.mode, g.quotePath(c.old.path))
		case c.status == 'R':
			fmt.Fprintf(g.out, " rename %s (%d%%)\n", displayRename(c.old.path, c.new.path), c.score)
			if c.old.mode != c.new.mode {
				fmt.Fprintf(g.out, " mode change %06o => %06o\n", c.old.mode, c.new.mode)
			}
		case c.old.mode != c.new.mode:
			fmt.Fprintf(g.out, " mode change %06o => %06o %s\n", c.old.mode, c.new.mode, g.quotePath(c.new.path))
		}
	}
}
