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

// blame is git blame.
func (g *git) blame(args []string) error {
	b := struct {
		lines                                        []string
		porcelain, linePorcelain, email, noAuthor    bool
		long, showName, showNumber, raw, root, blank bool
		date                                         string
		ignoreSpace                                  bool
	}{}
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
	f.bool(&b.ignoreSpace, "w")
	f.string(&b.date, "date")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	args = append(args, rest...)
	rev := "HEAD"
	switch len(args) {
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
	name := spec.rules[0].path
	list, err := g.annotate(h, name, rev == "HEAD" && len(args) == 1)
	if err != nil {
		return err
	}
	first, last := 1, len(list)
	for _, text := range b.lines {
		if first, last, err = lineRange(text, len(list), name); err != nil {
			return err
		}
	}
	if b.porcelain || b.linePorcelain {
		return g.printPorcelain(list, first, last, b.linePorcelain)
	}
	if b.date == "" {
		b.date = "iso"
	}
	authors, dates, renamed := 0, 0, b.showName
	for _, l := range list[first-1 : last] {
		who := l.commit.author.name
		if b.email {
			who = "<" + l.commit.author.email + ">"
		}
		authors = max(authors, characters(who))
		dates = max(dates, len(g.formatDate(l.commit.author.when, b.date)))
		renamed = renamed || l.path != name
	}
	names := 0
	numbers := 0
	for _, l := range list[first-1 : last] {
		names, numbers = max(names, len(l.path)), max(numbers, len(itoa(l.number)))
	}
	for i, l := range list[first-1 : last] {
		if err := g.Poll(1); err != nil {
			return err
		}
		mark, digits := "", 8
		if b.long {
			digits = 40
		}
		id := g.objects.short(l.commit.hash, digits)
		if l.commit.hash == (hash{}) {
			id = strings.Repeat("0", digits)
		}
		if len(l.commit.parents) == 0 && !b.root && l.commit.hash != (hash{}) {
			mark, id = "^", id[:len(id)-1]
		}
		g.out.WriteString(mark + id)
		if renamed {
			fmt.Fprintf(g.out, " %-*s", names, l.path)
		}
		if b.showNumber {
			fmt.Fprintf(g.out, " %*d", numbers, l.number)
		}
		if !b.noAuthor {
			who := l.commit.author.name
			if b.email {
				who = "<" + l.commit.author.email + ">"
			}
			when := g.formatDate(l.commit.author.when, b.date)
			if b.raw {
				when = fmt.Sprintf("%d %s", l.commit.author.when.Unix(), l.commit.author.when.Format("-0700"))
			}
			fmt.Fprintf(g.out, " (%s%s %-*s", who, strings.Repeat(" ", authors-characters(who)), dates, when)
			g.out.WriteString(" ")
		} else {
			g.out.WriteString(" ")
		}
		fmt.Fprintf(g.out, "%*d) %s", len(itoa(last)), first+i, l.text)
		if !strings.HasSuffix(l.text, "\n") {
			g.out.WriteByte('\n')
		}
	}
	return nil
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
