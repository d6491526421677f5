package git

import (
	"fmt"
	"strings"
)

// catFile is git cat-file.
func (g *git) catFile(args []string) error {
	mode, batch, check := "", "", ""
	f := g.options("(-t | -s | -e | -p | <type>) <object>")
	for _, m := range []string{"t", "s", "e", "p"} {
		f.do(m, func() { mode = m })
	}
	withFormat := func(p *string, missing string) func(string) error {
		return func(v string) error {
			if *p = v; v == "" {
				*p = missing
			}
			return nil
		}
	}
	f.add("batch", false, true, withFormat(&batch, "%(objectname) %(objecttype) %(objectsize)"))
	f.add("batch-check", false, true, withFormat(&check, "%(objectname) %(objecttype) %(objectsize)"))
	args, _, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	if batch+check != "" {
		return g.catBatch(batch+check, batch != "")
	}
	want := ""
	if mode == "" && len(args) == 2 {
		want, args = args[0], args[1:]
	}
	if len(args) != 1 || mode == "" && want == "" {
		return usage(f.usage)
	}
	h, err := g.resolve(args[0])
	if err != nil {
		if _, ok := err.(fatal); ok {
			return err
		}
		return fatalf("Not a valid object name %s", args[0])
	}
	o, err := g.objects.read(h)
	if err == errMissing {
		if mode == "e" {
			return exitStatus(1)
		}
		return fatalf("git cat-file: could not get object info")
	}
	if err != nil {
		return err
	}
	defer g.objects.free(o)
	switch {
	case mode == "e":
		return nil
	case mode == "t":
		_, err = fmt.Fprintln(g.out, o.kind)
	case mode == "s":
		_, err = fmt.Fprintln(g.out, len(o.data))
	case mode == "p" && o.kind == "tree":
		return g.printTree(h)
	case want != "" && want != o.kind:
		target, err := g.peelTo(h, want)
		if err != nil {
			return fatalf("git cat-file %s: bad file", args[0])
		}
		data, err := g.objects.readKind(target, want)
		if err != nil {
			return err
		}
		defer g.Free(len(data))
		_, err = g.out.Write(data)
		return err
	default:
		_, err = g.out.Write(o.data)
	}
	return err
}

// printTree prints the entries of a tree.
func (g *git) printTree(h hash) error {
	list, err := g.objects.tree(h)
	for _, e := range list {
		g.out.WriteString(treeLine(e, g.quotePath(e.name)) + "\n")
	}
	return err
}

// treeLine returns an entry of a tree as ls-tree shows it.
func treeLine(e treeEntry, name string) string {
	kind := "blob"
	switch e.mode {
	case modeDir:
		kind = "tree"
	case modeGitlink:
		kind = "commit"
	}
	return fmt.Sprintf("%06o %s %s\t%s", e.mode, kind, e.hash, name)
}

// catBatch answers the questions on standard input.
func (g *git) catBatch(format string, content bool) error {
	names, err := g.inputLines(false)
	if err != nil {
		return err
	}
	for _, name := range names {
		h, err := g.resolve(name)
		var o object
		if err == nil {
			o, err = g.objects.read(h)
		}
		if err != nil {
			if g.Ends(err) {
				return err
			}
			g.out.WriteString(name + " missing\n")
			continue
		}
		g.out.WriteString(strings.NewReplacer("%(objectname)", h.String(), "%(objecttype)", o.kind, "%(objectsize)", itoa(len(o.data))).Replace(format) + "\n")
		if content {
			g.out.Write(o.data)
			g.out.WriteByte('\n')
		}
		g.objects.free(o)
	}
	return nil
}
