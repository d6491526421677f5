package git

import (
	"fmt"
	"path"
	"strings"
)

// lsTree is git ls-tree.
func (g *git) lsTree(args []string) error {
	recursive, trees, nameOnly, long, nul, full, dirs := false, false, false, false, false, false, false
	format := ""
	f := g.options("[-d] [-r] [-t] [-l] [-z] [--name-only] <tree-ish> [<path>...]")
	f.bool(&recursive, "r")
	f.bool(&trees, "t")
	f.bool(&dirs, "d")
	f.bool(&nameOnly, "name-only,name-status")
	f.bool(&long, "l,long")
	f.bool(&nul, "z")
	f.bool(&full, "full-tree,full-name")
	f.string(&format, "format")
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
	names := append(args[1:], rest...)
	prefix := g.repo.prefix
	if full {
		prefix = ""
	}
	if len(names) == 0 && prefix != "" {
		names = []string{"./"}
	}
	var wanted []string
	for _, name := range names {
		full := strings.TrimPrefix(path.Join("/", prefix, name), "/")
		if strings.HasSuffix(name, "/") || name == "." {
			full += "/"
		}
		wanted = append(wanted, full)
	}
	end := "\n"
	if nul {
		end = "\x00"
	}
	show := func(e treeEntry, name string) error {
		shown := name
		if prefix != "" && !full {
			shown = strings.TrimPrefix(name, prefix)
		}
		if !nul {
			shown = g.quotePath(shown)
		}
		switch {
		case nameOnly:
			g.out.WriteString(shown + end)
		case long:
			size := "-"
			if e.mode != modeDir && e.mode != modeGitlink {
				o, err := g.objects.read(e.hash)
				if err != nil {
					return err
				}
				size = itoa(len(o.data))
				g.objects.free(o)
			}
			line := treeLine(e, "")
			fmt.Fprintf(g.out, "%s %7s\t%s%s", strings.TrimSuffix(line, "\t"), size, shown, end)
		case format != "":
			kind := strings.Fields(treeLine(e, ""))[1]
			g.out.WriteString(strings.NewReplacer("%(objectmode)", fmt.Sprintf("%06o", e.mode), "%(objecttype)", kind, "%(objectname)", e.hash.String(),
				"%(path)", shown, "%x09", "\t", "%%", "%").Replace(format) + end)
		default:
			g.out.WriteString(treeLine(e, shown) + end)
		}
		return nil
	}
	var walk func(h hash, dir string, depth int) error
	walk = func(h hash, dir string, depth int) error {
		if depth > 500 {
			return fatal("exceeded maximum tree depth")
		}
		list, err := g.objects.tree(h)
		if err != nil {
			return err
		}
		for _, e := range list {
			name := dir + e.name
			match, into := len(wanted) == 0, false
			for _, w := range wanted {
				base := strings.TrimSuffix(w, "/")
				inside := strings.HasPrefix(name, base+"/") || base == ""
				match = match || name == w || inside
				into = into || strings.HasPrefix(w, name+"/")
			}
			isDir := e.mode == modeDir
			descend := isDir && (into || match && recursive && !dirs)
			if match && (!descend || trees) && !(dirs && !isDir) {
				if err := show(e, name); err != nil {
					return err
				}
			}
			if descend {
				if err := walk(e.hash, name+"/", depth+1); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return walk(tree, "", 0)
}
