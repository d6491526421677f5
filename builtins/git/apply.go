package git

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// An applyRun is one run of git apply.
type applyRun struct {
	*git
	reverse, check, cached, index, stat, numstat, summary, verbose bool
	strip                                                          int
	directory                                                      string
	x                                                              *index
	results                                                        []applied
}

// An applied is a file as a patch leaves it.
type applied struct {
	file *patchFile
	data string
}

// apply is git apply.
func (g *git) apply(args []string) error {
	a := &applyRun{git: g, strip: 1}
	f := g.options("[<options>] [<patch>...]")
	f.bool(&a.reverse, "R,reverse")
	f.bool(&a.check, "check")
	f.bool(&a.cached, "cached")
	f.bool(&a.index, "index")
	f.bool(&a.stat, "stat")
	f.bool(&a.numstat, "numstat")
	f.bool(&a.summary, "summary")
	f.bool(&a.verbose, "v,verbose")
	f.int(&a.strip, "p")
	f.string(&a.directory, "directory")
	f.ignore("apply")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil && (a.cached || a.index) {
		return err
	}
	if args = append(args, rest...); len(args) == 0 {
		args = []string{"-"}
	}
	var files []*patchFile
	for _, name := range args {
		text, err := a.patchText(name)
		if err != nil {
			return err
		}
		list, err := parsePatch(text, a.strip)
		if err != nil {
			return err
		}
		files = append(files, list...)
	}
	if len(files) == 0 {
		return mistake("No valid patches in input (allow with \"--allow-empty\")")
	}
	return a.run(files)
}

// patchText reads a patch.
func (a *applyRun) patchText(name string) (string, error) {
	if name == "-" {
		data, err := a.readAll()
		return string(data), err
	}
	info, err := a.FS.Stat(name)
	if err != nil {
		return "", fatalf("can't open patch '%s': %v", name, vfs.ErrnoOf(err))
	}
	if err := a.hold(4 * int(info.Size())); err != nil {
		return "", err
	}
	data, err := vfs.ReadFile(a.FS, name)
	if err != nil {
		return "", fatalf("can't open patch '%s': %v", name, vfs.ErrnoOf(err))
	}
	return string(data), nil
}

func (a *applyRun) run(files []*patchFile) (err error) {
	for _, f := range files {
		if a.reverse {
			f.reversed()
		}
	}
	if a.stat || a.numstat || a.summary {
		a.report(files)
		if !a.check {
			return nil
		}
	}
	if a.cached || a.index {
		if a.x, err = a.readIndex(); err != nil {
			return err
		}
	}
	failed := false
	for _, f := range files {
		if a.verbose {
			fmt.Fprintf(a.Stderr, "Checking patch %s...\n", f.shown())
		}
		data, err := a.patched(f)
		if err != nil {
			if _, ok := err.(mistake); !ok {
				return err
			}
			fmt.Fprintf(a.Stderr, "error: %v\n", err)
			failed = true
			continue
		}
		a.results = append(a.results, applied{f, data})
	}
	if failed {
		return exitStatus(1)
	}
	if a.check {
		return nil
	}
	for _, r := range a.results {
		if err := a.write(r); err != nil {
			return err
		}
		if a.verbose {
			fmt.Fprintf(a.Stderr, "Applied patch %s cleanly.\n", r.file.shown())
		}
	}
	if a.x != nil {
		return a.writeIndex(a.x)
	}
	return nil
}

// report prints what a patch does.
func (a *applyRun) report(files []*patchFile) {
	var stats []fileStat
	for _, f := range files {
		s := fileStat{name: f.shown()}
		for _, h := range f.hunks {
			for _, line := range h.lines {
				switch line[0] {
				case '+':
					s.added++
				case '-':
					s.deleted++
				}
			}
		}
		stats = append(stats, s)
	}
	if a.numstat {
		for _, s := range stats {
			fmt.Fprintf(a.out, "%d\t%d\t%s\n", s.added, s.deleted, s.name)
		}
	}
	if a.stat {
		a.graph(stats)
		a.out.WriteString(totals(stats))
	}
	if a.summary {
		for _, f := range files {
			switch {
			case f.old == "":
				fmt.Fprintf(a.out, " create mode %06o %s\n", f.newMode, f.new)
			case f.new == "":
				fmt.Fprintf(a.out, " delete mode %06o %s\n", f.oldMode, f.old)
			case f.oldMode != f.newMode && f.newMode != 0 && f.oldMode != 0:
				fmt.Fprintf(a.out, " mode change %06o => %06o %s\n", f.oldMode, f.newMode, f.new)
			}
		}
	}
}

// graph prints lines such as those of diff --stat, in columns of their own width.
func (a *applyRun) graph(stats []fileStat) {
	names, most := 0, 0
	for _, s := range stats {
		names, most = max(names, len(s.name)), max(most, s.added+s.deleted)
	}
	names = min(names, 50)
	width := min(most, 70-names)
	for _, s := range stats {
		name := s.name
		if len(name) > names {
			name = "..." + name[len(name)-names+3:]
		}
		added, deleted := s.added, s.deleted
		if most > 0 {
			total := ((added+deleted)*width + most/2) / most
			added = (added*width + most/2) / most
			deleted = total - added
		}
		fmt.Fprintf(a.out, " %-*s |%5d %s%s\n", names, name, s.added+s.deleted, strings.Repeat("+", added), strings.Repeat("-", max(deleted, 0)))
	}
}

// place returns the name of a file in the working tree.
func (a *applyRun) place(name string) string {
	if a.repo != nil {
		return a.full(path.Join(a.directory, a.repo.prefix, name))
	}
	return path.Join(a.directory, name)
}

// key returns the name of a file in the index.
func (a *applyRun) key(name string) string { return path.Join(a.directory, a.repo.prefix, name) }

// before returns the content of a file before the patch.
func (a *applyRun) before(name string) (string, error) {
	for _, r := range slices.Backward(a.results) {
		if r.file.new == name {
			return r.data, nil
		}
	}
	if a.x != nil {
		e := a.x.get(a.key(name))
		if e == nil {
			return "", mistakef("%s: does not exist in index", name)
		}
		if a.index {
			f, ok, err := a.workFile(a.x, e, true)
			if err != nil {
				return "", err
			}
			if !ok || f.hash != e.hash {
				return "", mistakef("%s: does not match index", name)
			}
		}
		data, err := a.objects.readKind(e.hash, "blob")
		if err == nil {
			a.Free(len(data))
			err = a.hold(2 * len(data))
		}
		return string(data), err
	}
	info, err := a.FS.Lstat(a.place(name))
	if err != nil {
		return "", mistakef("%s: %v", name, vfs.ErrnoOf(err))
	}
	if err := a.hold(2 * int(info.Size())); err != nil {
		return "", err
	}
	data, err := vfs.ReadFile(a.FS, a.place(name))
	if err != nil {
		return "", mistakef("%s: %v", name, vfs.ErrnoOf(err))
	}
	return string(data), nil
}

// patched returns the content of a file after the patch.
func (a *applyRun) patched(f *patchFile) (string, error) {
	if f.binary && len(f.hunks) == 0 {
		return "", mistakef("cannot apply binary patch to '%s' without full index line\nerror: %s: patch does not apply", f.shown(), f.shown())
	}
	text := ""
	var err error
	if f.old != "" {
		if text, err = a.before(f.old); err != nil {
			return "", err
		}
	} else if a.x != nil && a.x.get(a.key(f.new)) != nil {
		return "", mistakef("%s: already exists in index", f.new)
	} else if _, err := a.FS.Lstat(a.place(f.new)); err == nil && !a.cached {
		return "", mistakef("%s: already exists in working directory", f.new)
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var out []string
	at := 0 // lines that are done
	shift := 0
	for i := range f.hunks {
		h := &f.hunks[i]
		var want, put []string
		for _, line := range h.lines {
			if line[0] != '+' {
				want = append(want, line[1:])
			}
			if line[0] != '-' {
				put = append(put, line[1:])
			}
		}
		start := h.oldLine - 1 + shift
		if len(want) == 0 {
			start = h.oldLine + shift
		}
		pos, err := a.find(lines, want, start, at, h)
		if err != nil {
			return "", err
		}
		if pos < 0 {
			return "", mistakef("patch failed: %s:%d\nerror: %s: patch does not apply", f.shownOld(), h.oldLine, f.shownOld())
		}
		if offset := pos - start; offset != 0 && a.verbose {
			fmt.Fprintf(a.Stderr, "Hunk #%d succeeded at %d (offset %s).\n", i+1, pos+1, plural(offset, "line"))
		}
		shift += pos - start
		out = append(append(out, lines[at:pos]...), put...)
		at = pos + len(want)
	}
	out = append(out, lines[at:]...)
	return strings.Join(out, ""), nil
}

// find returns where lines are that a hunk wants, nearest to where it says.
func (a *applyRun) find(lines, want []string, start, least int, h *patchHunk) (int, error) {
	fits := func(pos int) bool {
		return pos >= least && pos+len(want) <= len(lines) && slices.Equal(lines[pos:pos+len(want)], want)
	}
	lead, tail := 0, 0
	for lead < len(h.lines) && h.lines[lead][0] == ' ' {
		lead++
	}
	for tail < len(h.lines) && h.lines[len(h.lines)-1-tail][0] == ' ' {
		tail++
	}
	atStart := h.oldLine <= 1 && lead < tail
	atEnd := tail < lead
	ok := func(pos int) bool {
		return fits(pos) && (!atStart || pos == 0) && (!atEnd || pos+len(want) == len(lines))
	}
	for d := 0; d <= len(lines); d++ {
		if err := a.Poll(1); err != nil {
			return -1, err
		}
		if ok(start + d) {
			return start + d, nil
		}
		if ok(start - d) {
			return start - d, nil
		}
	}
	return -1, nil
}

// write makes a file what the patch leaves.
func (a *applyRun) write(r applied) error {
	f := r.file
	mode := f.newMode
	if mode == 0 {
		mode = modeFile
		if f.old != "" {
			if a.x != nil {
				if e := a.x.get(a.key(f.old)); e != nil {
					mode = e.mode
				}
			} else if info, err := a.FS.Lstat(a.place(f.old)); err == nil {
				mode = max(modeOf(info), modeFile)
			}
		}
	}
	if f.old != "" && (f.new == "" || f.rename) {
		if !a.cached {
			if a.repo != nil && a.repo.tree != "" {
				if err := a.removeWork(a.key(f.old)); err != nil {
					return err
				}
			} else if err := a.FS.Remove(a.place(f.old)); err != nil {
				return mistakef("unable to remove %s: %v", f.old, vfs.ErrnoOf(err))
			}
		}
		if a.x != nil {
			a.x.remove(a.key(f.old))
		}
	}
	if f.new == "" {
		return nil
	}
	name := a.place(f.new)
	if !a.cached {
		if err := a.FS.MkdirAll(path.Dir(name), 0o777); err != nil {
			return mistakef("unable to create %s: %v", f.new, vfs.ErrnoOf(err))
		}
		perm := map[bool]uint32{true: 0o777, false: 0o666}[mode == modeExec]
		_ = a.FS.Remove(name)
		if err := vfs.WriteFile(a.FS, name, []byte(r.data), fs.FileMode(perm)); err != nil {
			return mistakef("unable to write file '%s': %v", f.new, vfs.ErrnoOf(err))
		}
	}
	if a.x == nil {
		return nil
	}
	h, err := a.objects.write("blob", []byte(r.data))
	if err != nil {
		return err
	}
	e := &indexEntry{path: a.key(f.new), mode: mode, hash: h}
	if info, err := a.FS.Lstat(name); err == nil && !a.cached {
		e.stamp(info)
	}
	a.x.put(e)
	return nil
}
