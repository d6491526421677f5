package git

import (
	"fmt"
	"path"
	"strings"
)

// A lsTreeRun is one run of git ls-tree.
type lsTreeRun struct {
	*git
	recursive, trees, dirs, nameOnly, long, nul, full bool
	format                                            string
	prefix                                            string   // that names are shown without
	wanted                                            []string // paths; those of what is in a directory end with a slash
}

// lsTree is git ls-tree.
func (g *git) lsTree(args []string) error {
	l := &lsTreeRun{git: g}
	f := g.options("[-d] [-r] [-t] [-l] [-z] [--name-only] <tree-ish> [<path>...]")
	f.bool(&l.recursive, "r")
	f.bool(&l.trees, "t")
	f.bool(&l.dirs, "d")
	f.bool(&l.nameOnly, "name-only,name-status")
	f.bool(&l.long, "l,long")
	f.bool(&l.nul, "z")
	f.bool(&l.full, "full-tree,full-name")
	f.string(&l.format, "format")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	if len(args) == 0 {
		return usage(f.usage)
	}
	h, err := g.resolve(args[0])
	if err != nil {
		return fatalf("Not a valid object name %s", args[0])
	}
	tree, err := g.treeOf(h)
	if err != nil {
		return fatal("not a tree object")
	}
	if !l.full {
		l.prefix = g.repo.prefix
	}
	l.choose(append(args[1:], rest...))
	return l.walk(tree, "", 0)
}

// choose notes the paths that are wanted.
func (l *lsTreeRun) choose(names []string) {
	if len(names) == 0 && l.prefix != "" {
		names = []string{"./"}
	}
	for _, name := range names {
		full := strings.TrimPrefix(path.Join("/", l.prefix, name), "/")
		if strings.HasSuffix(name, "/") || name == "." {
			full += "/"
		}
		l.wanted = append(l.wanted, full)
	}
}

// wants reports whether a path is wanted, and whether something below it is.
func (l *lsTreeRun) wants(name string) (match, below bool) {
	match = len(l.wanted) == 0
	for _, w := range l.wanted {
		base := strings.TrimSuffix(w, "/")
		match = match || name == w || base == "" || strings.HasPrefix(name, base+"/")
		below = below || strings.HasPrefix(w, name+"/")
	}
	return match, below
}

// walk prints the entries of a tree.
func (l *lsTreeRun) walk(tree hash, dir string, depth int) error {
	if depth > 500 {
		return fatal("exceeded maximum tree depth")
	}
	list, err := l.objects.tree(tree)
	if err != nil {
		return err
	}
	for _, e := range list {
		name := dir + e.name
		match, below := l.wants(name)
		isDir := e.mode == modeDir
		descend := isDir && (below || match && l.recursive && !l.dirs)
		if match && (!descend || l.trees) && (isDir || !l.dirs) {
			if err := l.print(e, name); err != nil {
				return err
			}
		}
		if descend {
			if err := l.walk(e.hash, name+"/", depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// print prints an entry.
func (l *lsTreeRun) print(e treeEntry, name string) error {
	end := "\x00"
	name = strings.TrimPrefix(name, l.prefix)
	if !l.nul {
		end, name = "\n", l.quotePath(name)
	}
	switch {
	case l.nameOnly:
		l.out.WriteString(name + end)
	case l.long:
		size := "-"
		if e.mode != modeDir && e.mode != modeGitlink {
			o, err := l.objects.read(e.hash)
			if err != nil {
				return err
			}
			size = itoa(len(o.data))
			l.objects.free(o)
		}
		fmt.Fprintf(l.out, "%s %7s\t%s%s", strings.TrimSuffix(treeLine(e, ""), "\t"), size, name, end)
	case l.format != "":
		kind := strings.Fields(treeLine(e, ""))[1]
		l.out.WriteString(strings.NewReplacer("%(objectmode)", fmt.Sprintf("%06o", e.mode), "%(objecttype)", kind,
			"%(objectname)", e.hash.String(), "%(path)", name, "%x09", "\t", "%%", "%").Replace(l.format) + end)
	default:
		l.out.WriteString(treeLine(e, name) + end)
	}
	return nil
}
