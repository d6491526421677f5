package git

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// revParse is git rev-parse.
func (g *git) revParse(args []string) error {
	r := revParseRun{git: g}
	for i := 0; i < len(args); i++ {
		done, err := r.argument(args, &i)
		if err != nil || done {
			return err
		}
	}
	if r.verify && r.found != 1 {
		if r.quiet {
			return exitStatus(1)
		}
		return fatal("Needed a single revision")
	}
	return nil
}

// A revParseRun is one run of git rev-parse.
type revParseRun struct {
	*git
	verify, quiet, symbolic, abbrevRef, only, dashed bool
	short, found                                     int
	fallback                                         string
}

// argument handles one argument.
func (r *revParseRun) argument(args []string, i *int) (done bool, err error) {
	arg := args[*i]
	name, value, has := strings.Cut(arg, "=")
	if name != "--git-dir" && name != "--show-toplevel" {
		if err := r.discover(); err != nil && arg != "--is-inside-work-tree" {
			return true, err
		}
	}
	if r.dashed {
		_, err := fmt.Fprintln(r.out, arg)
		return false, err
	}
	switch name {
	case "--verify":
		r.verify = true
	case "-q", "--quiet":
		r.quiet = true
	case "--symbolic-full-name":
		r.symbolic = true
	case "--abbrev-ref":
		r.abbrevRef = true
	case "--short":
		if r.short = 7; has {
			if r.short, err = strconv.Atoi(value); err != nil {
				return true, fatalf("bad --short value %s", value)
			}
		}
		r.verify = true
	case "--revs-only", "--no-revs", "--no-flags", "--flags":
		return true, fatalf("'git rev-parse %s' is not available here", name)
	case "--default":
		if *i++; *i < len(args) {
			r.fallback = args[*i]
		}
	case "--":
		r.dashed = true
		_, err = fmt.Fprintln(r.out, arg)
	default:
		if text, ok, err := r.place(name); ok || err != nil {
			if err == nil {
				_, err = fmt.Fprintln(r.out, text)
			}
			return err != nil, err
		}
		if strings.HasPrefix(arg, "-") {
			_, err = fmt.Fprintln(r.out, arg)
			return false, err
		}
		return false, r.revision(arg)
	}
	return false, err
}

// place answers the options that ask where things are.
func (r *revParseRun) place(name string) (text string, ok bool, err error) {
	switch name {
	case "--git-dir", "--absolute-git-dir", "--git-common-dir":
		if err := r.discover(); err != nil {
			return "", true, err
		}
		text = r.repo.dir
		if name == "--git-common-dir" {
			text = r.repo.common
		}
		if name != "--absolute-git-dir" && r.repo.prefix == "" && strings.HasPrefix(text, r.FS.Dir+"/") {
			text = strings.TrimPrefix(text, r.FS.Dir+"/")
		} else if name != "--absolute-git-dir" && text == r.FS.Dir {
			text = "."
		}
	case "--show-toplevel":
		if err := r.inTree(); err != nil {
			return "", true, err
		}
		text = r.repo.tree
	case "--show-prefix":
		text = r.repo.prefix
	case "--show-cdup":
		text = strings.Repeat("../", strings.Count(r.repo.prefix, "/"))
	case "--is-inside-work-tree":
		if err := r.discover(); err != nil {
			return "", true, err
		}
		text = strconv.FormatBool(r.repo.tree != "")
	case "--is-inside-git-dir":
		text = strconv.FormatBool(strings.HasPrefix(r.FS.Dir+"/", r.repo.dir+"/"))
	case "--is-bare-repository":
		text = strconv.FormatBool(r.configBool("core.bare", false))
	case "--is-shallow-repository":
		text = "false"
	default:
		return "", false, nil
	}
	return text, true, nil
}

// revision prints the object that an expression names.
func (r *revParseRun) revision(arg string) error {
	if r.abbrevRef || r.symbolic {
		return r.reference(arg)
	}
	not := ""
	text := arg
	for _, dots := range []string{"...", ".."} {
		if from, to, ok := cutRange(arg, dots); ok {
			a, err1 := r.commitOf(from)
			b, err2 := r.commitOf(to)
			if err1 != nil || err2 != nil {
				break
			}
			if dots == ".." {
				_, err := fmt.Fprintf(r.out, "%s\n^%s\n", b, a)
				return err
			}
			bases, err := r.mergeBases(a, b)
			fmt.Fprintf(r.out, "%s\n%s\n", a, b)
			for _, h := range bases {
				fmt.Fprintf(r.out, "^%s\n", h)
			}
			return err
		}
	}
	if strings.HasPrefix(arg, "^") {
		not, text = "^", arg[1:]
	}
	h, err := r.resolve(text)
	if err != nil {
		return r.unknown(arg, err)
	}
	if r.found++; r.verify && r.found > 1 {
		return nil
	}
	name := h.String()
	if r.short > 0 {
		name = r.objects.short(h, max(r.short, 4))
	}
	_, err = fmt.Fprintln(r.out, not+name)
	return err
}

// unknown says that an argument names nothing.
func (r *revParseRun) unknown(arg string, err error) error {
	switch {
	case r.verify && r.quiet:
		return exitStatus(1)
	case r.verify:
		return fatal("Needed a single revision")
	}
	if _, ok := err.(fatal); ok {
		fmt.Fprintln(r.out, arg)
		return err
	}
	if _, statErr := r.FS.Lstat(arg); statErr == nil {
		_, err := fmt.Fprintln(r.out, arg)
		return err
	}
	fmt.Fprintln(r.out, arg)
	return fatalf("ambiguous argument '%s': unknown revision or path not in the working tree.\n"+dashHint, arg)
}

// reference prints the name of a reference.
func (r *revParseRun) reference(arg string) error {
	full := ""
	if base, at, ok := strings.Cut(arg, "@{"); ok && (at == "u}" || at == "upstream}") {
		branch := r.head()
		if base != "" && base != "HEAD" {
			branch = "refs/heads/" + base
		}
		up, ok := r.upstream(branch)
		if !ok {
			return fatalf("no upstream configured for branch '%s'", branchName(branch))
		}
		full = up
	} else if arg == "HEAD" || arg == "@" {
		if full = r.head(); full == "" {
			full = "HEAD"
		} else if _, born := r.lookup("HEAD"); !born {
			fmt.Fprintln(r.out, "HEAD")
			return fatalf("ambiguous argument 'HEAD': unknown revision or path not in the working tree.\n" + dashHint)
		}
	} else if name, ok := r.expandRef(arg); ok {
		full = name
	} else if _, err := r.resolve(arg); err != nil {
		return r.unknown(arg, err)
	} else {
		r.found++
		return nil
	}
	r.found++
	if r.abbrevRef {
		full = shortRef(full)
	}
	_, err := fmt.Fprintln(r.out, full)
	return err
}

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

// hashObject is git hash-object.
func (g *git) hashObject(args []string) error {
	kind, write, stdin, noFilters := "blob", false, false, false
	f := g.options("[-t <type>] [-w] [--stdin] <file>...")
	f.string(&kind, "t")
	f.bool(&write, "w")
	f.bool(&stdin, "stdin")
	f.bool(&noFilters, "no-filters,literally")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil && write {
		return err
	}
	put := func(data []byte) error {
		h := hashOf(kind, data)
		if write {
			if h, err = g.objects.write(kind, data); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintln(g.out, h)
		return err
	}
	if stdin {
		data, err := g.readAll()
		if err != nil {
			return err
		}
		if err := put(data); err != nil {
			return err
		}
	}
	for _, name := range append(args, rest...) {
		info, err := g.FS.Stat(name)
		if err != nil {
			return fatalf("could not open '%s' for reading: %v", name, vfs.ErrnoOf(err))
		}
		if err := g.hold(int(info.Size())); err != nil {
			return err
		}
		data, err := vfs.ReadFile(g.FS, name)
		if err != nil {
			return fatalf("could not open '%s' for reading: %v", name, vfs.ErrnoOf(err))
		}
		if err := put(data); err != nil {
			return err
		}
	}
	return nil
}

// readAll reads standard input.
func (g *git) readAll() ([]byte, error) {
	var data []byte
	buf := make([]byte, 32<<10)
	for {
		n, err := g.Stdin.Read(buf)
		if err := g.hold(2 * n); err != nil {
			return nil, err
		}
		if err := g.Poll(1); err != nil {
			return nil, err
		}
		data = append(data, buf[:n]...)
		if err != nil {
			return data, nil
		}
	}
}

// lsFiles is git ls-files.
func (g *git) lsFiles(args []string) error {
	l := struct {
		stage, others, deleted, modified, cached, ignored, exclude, nul, unmatch, full, directory, tag bool
		patterns                                                                                       []string
	}{}
	f := g.options("[<options>] [<file>...]")
	f.bool(&l.stage, "s,stage")
	f.bool(&l.others, "o,others")
	f.bool(&l.deleted, "d,deleted")
	f.bool(&l.modified, "m,modified")
	f.bool(&l.cached, "c,cached")
	f.bool(&l.ignored, "i,ignored")
	f.bool(&l.exclude, "exclude-standard")
	f.bool(&l.nul, "z")
	f.bool(&l.unmatch, "error-unmatch")
	f.bool(&l.full, "full-name")
	f.bool(&l.directory, "directory")
	f.strings(&l.patterns, "x,exclude")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	names := append(args, rest...)
	if len(names) == 0 && g.repo.prefix != "" {
		names = []string{"."}
	}
	paths, err := g.pathspec(names)
	if err != nil {
		return err
	}
	x, err := g.readIndex()
	if err != nil {
		return err
	}
	end := "\n"
	show := func(name string) string {
		switch {
		case l.nul && l.full:
			return name
		case l.nul:
			return strings.TrimPrefix(name, g.repo.prefix)
		case l.full:
			return g.quotePath(name)
		}
		return g.shown(name)
	}
	if l.nul {
		end = "\x00"
	}
	ign := g.ignorer()
	if !l.exclude {
		ign = &ignorer{g: g, off: true}
	}
	for _, p := range l.patterns {
		if r, ok := ign.rule(p, ""); ok {
			ign.first = append(ign.first, r)
		}
	}
	if l.others {
		u := &untracked{g: g, x: x, paths: paths, ign: ign, whole: l.directory, ignored: l.ignored}
		if !l.exclude && len(l.patterns) == 0 {
			err = u.plain("")
		} else {
			err = u.walk("", 0)
		}
		if err != nil {
			return err
		}
		list := u.list
		if l.ignored {
			list = u.ignoredList
		}
		slices.Sort(list)
		for _, name := range list {
			g.out.WriteString(show(name) + end)
		}
	}
	trust := g.configBool("core.filemode", true)
	for _, e := range x.entries {
		if !paths.match(e.path) {
			continue
		}
		if err := g.Poll(1); err != nil {
			return err
		}
		if l.cached || l.stage || !l.others && !l.deleted && !l.modified {
			if l.ignored && !l.others {
				if _, ok := ign.ignored(e.path, false); !ok {
					continue
				}
			}
			if l.stage {
				fmt.Fprintf(g.out, "%06o %s %d\t", e.mode, e.hash, e.stage)
			}
			g.out.WriteString(show(e.path) + end)
		}
		if !l.deleted && !l.modified {
			continue
		}
		w, ok, err := g.workFile(x, e, trust)
		if err != nil {
			return err
		}
		if l.deleted && !ok {
			g.out.WriteString(show(e.path) + end)
		}
		if l.modified && (!ok || w.hash != e.hash || w.mode != e.mode) {
			g.out.WriteString(show(e.path) + end)
		}
	}
	if name, ok := paths.unused(); ok && l.unmatch {
		return mistakef("pathspec '%s' did not match any file(s) known to git\nDid you forget to 'git add'?", name)
	}
	return nil
}

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
			if match && (!descend || trees || into && !recursive && false) && !(dirs && !isDir) {
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

// updateIndex is git update-index, for its most used options.
func (g *git) updateIndex(args []string) error {
	add, remove, refresh, forceRemove := false, false, false, false
	chmod, assume := "", ""
	var cacheInfo []string
	f := g.options("[<options>] [--] [<file>...]")
	f.bool(&add, "add")
	f.bool(&remove, "remove")
	f.bool(&forceRemove, "force-remove")
	f.bool(&refresh, "refresh,really-refresh")
	f.string(&chmod, "chmod")
	f.strings(&cacheInfo, "cacheinfo")
	f.do("assume-unchanged", func() { assume = "on" })
	f.do("no-assume-unchanged", func() { assume = "off" })
	f.ignore("q")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	x, err := g.readIndex()
	if err != nil {
		return err
	}
	for _, text := range cacheInfo {
		parts := strings.SplitN(text, ",", 3)
		if len(parts) != 3 {
			return fatal("option 'cacheinfo' expects <mode>,<sha1>,<path>")
		}
		mode, err := strconv.ParseUint(parts[0], 8, 32)
		h, ok := parseHash(parts[1])
		if err != nil || !ok {
			return fatalf("git update-index: --cacheinfo cannot add %s", parts[2])
		}
		if x.get(parts[2]) == nil && !add {
			return fatalf("git update-index: --cacheinfo cannot add %s", parts[2])
		}
		x.put(&indexEntry{path: parts[2], mode: uint32(mode), hash: h})
	}
	a := &adder{git: g, x: x}
	for _, name := range append(args, rest...) {
		full := strings.TrimPrefix(path.Join("/", g.repo.prefix, name), "/")
		e := x.get(full)
		info, err := g.FS.Lstat(g.full(full))
		switch {
		case forceRemove || err != nil && remove:
			x.remove(full)
			continue
		case assume != "" && e != nil:
			e.assume = assume == "on"
			continue
		case err != nil || e == nil && !add:
			fmt.Fprintf(g.Stderr, "error: %s: does not exist and --remove not passed\n", full)
			return fatalf("Unable to process path %s", full)
		}
		if err := a.put(full, modeOf(info)); err != nil {
			return err
		}
		if e := x.get(full); chmod != "" {
			e.mode = map[bool]uint32{true: modeExec, false: modeFile}[chmod == "+x"]
		}
	}
	return g.writeIndex(x)
}
