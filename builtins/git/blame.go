package git

import (
	"fmt"
	"strconv"
	"strings"
)

// A blamed is a line of a file, and the commit that it comes from.
type blamed struct {
	text   string
	commit *commit
	path   string
	number int // in that commit
}

// A blameRun is one run of git blame.
type blameRun struct {
	*git
	lines                           []string
	porcelain, linePorcelain        bool
	email, noAuthor, long, showName bool
	showNumber, raw, root           bool
	date                            string
	name                            string // of the file
	authors, dates, paths, numbers  int    // widths of columns
	renamed                         bool   // some line comes from a file of another name
}

// blame is git blame.
func (g *git) blame(args []string) error {
	b := &blameRun{git: g, date: "iso"}
	f := g.options("[<options>] [<rev>] [--] <file>")
	f.strings(&b.lines, "L")
	f.bool(&b.porcelain, "p,porcelain")
	f.bool(&b.linePorcelain, "line-porcelain")
	f.bool(&b.email, "e,show-email")
	f.bool(&b.noAuthor, "s")
	f.bool(&b.long, "l")
	f.bool(&b.showName, "f,show-name")
	f.bool(&b.showNumber, "n,show-number")
	f.bool(&b.raw, "t")
	f.bool(&b.root, "root")
	f.string(&b.date, "date")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	rev := "HEAD"
	switch args = append(args, rest...); len(args) {
	case 1:
	case 2:
		rev = args[0]
	default:
		return usage(f.usage)
	}
	h, err := g.commitOf(rev)
	if err != nil {
		return fatalf("no such ref: %s", rev)
	}
	spec, err := g.pathspec(args[len(args)-1:])
	if err != nil {
		return err
	}
	b.name = spec.rules[0].path
	list, err := g.annotate(h, b.name, rev == "HEAD" && len(args) == 1)
	if err != nil {
		return err
	}
	first, last := 1, len(list)
	for _, text := range b.lines {
		if first, last, err = lineRange(text, len(list), b.name); err != nil {
			return err
		}
	}
	if b.porcelain || b.linePorcelain {
		return g.printPorcelain(list, first, last, b.linePorcelain)
	}
	return b.print(list[first-1:last], first)
}

// print prints lines for people; first is the number of the first.
func (b *blameRun) print(list []blamed, first int) error {
	b.renamed = b.showName
	for _, l := range list {
		b.authors = max(b.authors, characters(b.who(l)))
		b.dates = max(b.dates, len(b.when(l)))
		b.paths, b.numbers = max(b.paths, len(l.path)), max(b.numbers, len(itoa(l.number)))
		b.renamed = b.renamed || l.path != b.name
	}
	digits := len(itoa(first + len(list) - 1))
	for i, l := range list {
		if err := b.Poll(1); err != nil {
			return err
		}
		fmt.Fprintf(b.out, "%s%*d) %s\n", b.origin(l), digits, first+i, strings.TrimSuffix(l.text, "\n"))
	}
	return nil
}

// who returns the author of a line.
func (b *blameRun) who(l blamed) string {
	if b.email {
		return "<" + l.commit.author.email + ">"
	}
	return l.commit.author.name
}

// when returns the time of a line.
func (b *blameRun) when(l blamed) string {
	if b.raw {
		return b.formatDate(l.commit.author.when, "raw")
	}
	return b.formatDate(l.commit.author.when, b.date)
}

// origin returns what stands before the number of a line.
func (b *blameRun) origin(l blamed) string {
	digits := 8
	if b.long {
		digits = 40
	}
	text := strings.Repeat("0", digits) // not committed
	if l.commit.hash != (hash{}) {
		text = b.objects.short(l.commit.hash, digits)
		if len(l.commit.parents) == 0 && !b.root {
			text = "^" + text[:len(text)-1]
		}
	}
	if b.renamed {
		text += fmt.Sprintf(" %-*s", b.paths, l.path)
	}
	if b.showNumber {
		text += fmt.Sprintf(" %*d", b.numbers, l.number)
	}
	if b.noAuthor {
		return text + " "
	}
	who := b.who(l)
	return text + fmt.Sprintf(" (%s%s %-*s ", who, strings.Repeat(" ", b.authors-characters(who)), b.dates, b.when(l))
}

// lineRange parses the value of -L.
func lineRange(text string, n int, name string) (first, last int, err error) {
	from, to, has := strings.Cut(text, ",")
	first, last = 1, n
	if from != "" {
		if first, err = strconv.Atoi(from); err != nil {
			return 0, 0, fatalf("-L invalid line number: %s", from)
		}
	}
	if has && to != "" {
		k, err := strconv.Atoi(strings.TrimLeft(to, "+-"))
		if err != nil {
			return 0, 0, fatalf("-L invalid line number: %s", to)
		}
		switch to[0] {
		case '+':
			last = first + k - 1
		case '-':
			first, last = max(first-k+1, 1), first
		default:
			last = k
		}
	}
	if first > last {
		first, last = last, first
	}
	if first > n {
		return 0, 0, fatalf("file %s has only %s", name, plural(n, "line"))
	}
	return max(first, 1), min(last, n), nil
}

// printPorcelain prints lines for programs.
func (g *git) printPorcelain(list []blamed, first, last int, all bool) error {
	seen := map[hash]bool{}
	for i := first - 1; i < last; i++ {
		l := list[i]
		follows := func(j int) bool {
			return list[j].commit == list[j-1].commit && list[j].number == list[j-1].number+1 && list[j].path == list[j-1].path
		}
		header := fmt.Sprintf("%s %d %d", l.commit.hash, l.number, i+1)
		if i == first-1 || !follows(i) {
			n := 1
			for i+n < last && follows(i+n) {
				n++
			}
			header += " " + itoa(n)
		}
		g.out.WriteString(header + "\n")
		if !seen[l.commit.hash] || all {
			seen[l.commit.hash] = true
			for _, role := range []struct {
				name string
				sig  signature
			}{{"author", l.commit.author}, {"committer", l.commit.committer}} {
				if l.commit.hash == (hash{}) {
					role.sig = l.commit.author
				}
				fmt.Fprintf(g.out, "%s %s\n%s-mail <%s>\n%s-time %d\n%s-tz %s\n", role.name, role.sig.name, role.name, role.sig.email,
					role.name, role.sig.when.Unix(), role.name, role.sig.when.Format("-0700"))
			}
			fmt.Fprintf(g.out, "summary %s\n", subjectOf(l.commit.message))
			switch {
			case len(l.commit.parents) == 0:
				g.out.WriteString("boundary\n")
			default:
				fmt.Fprintf(g.out, "previous %s %s\n", l.commit.parents[0], l.path)
			}
			g.out.WriteString("filename " + l.path + "\n")
		}
		g.out.WriteString("\t" + strings.TrimSuffix(l.text, "\n") + "\n")
	}
	return nil
}
