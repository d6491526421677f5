package file

import (
	"bufio"
	"fmt"
	"io/fs"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/account"
	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

// A lister is ls at work.
type lister struct {
	*lsOptions
	c       *builtins.Call
	out     *bufio.Writer
	colors  *lsColors // nil where there are none
	status  builtins.Exit
	printed bool // something, so that a blank line comes before the next directory

	users, groups *account.Table
}

// An lsFile is a file to be listed.
type lsFile struct {
	name string // as it is shown
	path string
	kind fs.FileMode // its type, known without a look at it

	info   fs.FileInfo // nil where there was no need to look, or it failed
	failed bool        // to look

	target     string // of a symbolic link, for -l
	targetInfo fs.FileInfo
	dangling   bool // a link whose target was looked for in vain

	shown  string // the name, quoted
	quoted bool
	width  int
}

// lsFileCost is what an lsFile costs, names aside.
const lsFileCost = 256

// An lsDir is a directory to be listed.
type lsDir struct {
	path    string // as its title shows it
	operand bool
	leave   identity // instead of a directory: the end of this one's content
}

// run lists the operands.
func (l *lister) run(names []string) error {
	l.colors = l.newColors()
	if l.colors != nil && !l.tabSet {
		l.tab = 0 // tabs do not go with colored backgrounds
	}
	if l.format == lsLong {
		l.users, l.groups = userTable(l.c), groupTable(l.c)
	}
	if len(names) == 0 {
		names = []string{"."}
	}
	files, dirs, err := l.operands(names)
	if err == nil && len(files) > 0 {
		l.sortFiles(files)
		err = l.print(files)
		l.printed = true
	}
	if err == nil {
		err = l.directoriesOf(dirs, len(names) > 1 || l.recursive)
	}
	l.endColors()
	if err = finish(l.out, err); err != nil {
		return err
	}
	if l.status != 0 {
		return l.status
	}
	return nil
}

// operands looks at the operands and divides them into those to be listed and
// those whose content is.
func (l *lister) operands(names []string) (files []*lsFile, dirs []lsDir, err error) {
	var operandDirs []*lsFile
	for _, name := range names {
		if err := l.c.Poll(1); err != nil {
			return nil, nil, err
		}
		f := &lsFile{name: name, path: name}
		if f.info, err = l.look(name); err != nil {
			l.complain(2, "cannot access %s: %w", builtins.Quote(name), reason(err))
			continue
		}
		f.kind = f.info.Mode().Type()
		if f.info.IsDir() && !l.directories {
			operandDirs = append(operandDirs, f)
			continue
		}
		l.follow(f)
		files = append(files, f)
	}
	l.sortFiles(operandDirs)
	for _, f := range operandDirs {
		dirs = append(dirs, lsDir{path: f.path, operand: true})
	}
	return files, dirs, nil
}

// look returns the status of an operand, of what it links to where that is
// wanted.
func (l *lister) look(name string) (fs.FileInfo, error) {
	switch l.deref {
	case lsDerefAlways:
		return l.c.FS.Stat(name)
	case lsDerefOperands:
		if info, err := l.c.FS.Stat(name); err == nil {
			return info, nil
		} else if !isNotExist(err) {
			return nil, err
		}
	case lsDerefOperandDirs:
		info, err := l.c.FS.Stat(name)
		if err == nil && info.IsDir() || reason(err) == vfs.ELOOP {
			return info, err
		}
	}
	return l.c.FS.Lstat(name)
}

// complain warns, and raises the status that ls ends with.
func (l *lister) complain(status builtins.Exit, format string, args ...any) {
	_ = l.out.Flush()
	fmt.Fprintf(l.c.Stderr, "%s: %v\n", l.c.Name, fmt.Errorf(format, args...))
	l.status = max(l.status, status)
}

// directoriesOf lists the content of directories, and of those below them for
// -R.
func (l *lister) directoriesOf(dirs []lsDir, titled bool) error {
	// A stack, with the next to be listed at its end.
	stack := make([]lsDir, 0, len(dirs))
	for i := len(dirs) - 1; i >= 0; i-- {
		stack = append(stack, dirs[i])
	}
	active := map[identity]bool{}
	for len(stack) > 0 {
		d := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if d.leave != (identity{}) {
			delete(active, d.leave)
			continue
		}
		if l.recursive {
			id := identity{}
			if info, err := l.c.FS.Stat(d.path); err == nil {
				id = identify(info)
			}
			if id != (identity{}) {
				if active[id] {
					l.complain(2, "%s: not listing already-listed directory", builtins.QuoteMaybe(d.path))
					continue
				}
				active[id] = true
				stack = append(stack, lsDir{leave: id})
			}
		}
		below, err := l.directory(d, titled)
		if err != nil {
			return err
		}
		for i := len(below) - 1; i >= 0; i-- {
			stack = append(stack, lsDir{path: below[i]})
		}
	}
	return nil
}

// directory lists one directory, and returns those in it for -R.
func (l *lister) directory(d lsDir, titled bool) (below []string, err error) {
	status := builtins.Exit(1)
	if d.operand {
		status = 2
	}
	entries, err := l.c.FS.ReadDir(d.path)
	if err != nil {
		l.complain(status, "cannot open directory %s: %w", builtins.Quote(d.path), reason(err))
		return nil, nil
	}
	cost := (len(entries) + 2) * lsFileCost
	if err := l.c.Alloc(cost); err != nil {
		return nil, err
	}
	defer l.c.Free(cost)
	files, err := l.entries(d.path, entries)
	if err != nil {
		return nil, err
	}
	l.sortFiles(files)
	if titled {
		l.title(d.path)
	}
	l.printed = true
	if l.format == lsLong || l.blocks {
		l.total(files)
	}
	if err := l.print(files); err != nil {
		return nil, err
	}
	if !l.recursive {
		return nil, nil
	}
	for _, f := range files {
		if f.name == "." || f.name == ".." || !l.isDir(f) {
			continue
		}
		below = append(below, f.path)
	}
	return below, nil
}

func (l *lister) isDir(f *lsFile) bool {
	if f.info != nil {
		return f.info.IsDir()
	}
	return f.kind.IsDir()
}

// entries returns the files of a directory that are to be listed.
func (l *lister) entries(dir string, entries []fs.DirEntry) ([]*lsFile, error) {
	files := make([]*lsFile, 0, len(entries)+2)
	if l.all {
		for _, name := range []string{".", ".."} {
			if !matchesAny(l.ignore, name) {
				files = append(files, l.entry(dir, name, fs.ModeDir, nil))
			}
		}
	}
	for _, e := range entries {
		if err := l.c.Poll(1); err != nil {
			return nil, err
		}
		name := e.Name()
		if l.ignored(name) {
			continue
		}
		files = append(files, l.entry(dir, name, e.Type(), e))
	}
	return files, nil
}

func (l *lister) ignored(name string) bool {
	hidden := !l.all && !l.almost
	return hidden && (name[0] == '.' || matchesAny(l.hide, name)) || matchesAny(l.ignore, name)
}

func matchesAny(patterns []*pattern.Pattern, name string) bool {
	for _, p := range patterns {
		if p.Match(name) {
			return true
		}
	}
	return false
}

// entry returns a file of a directory. e is nil for "." and "..".
func (l *lister) entry(dir, name string, kind fs.FileMode, e fs.DirEntry) *lsFile {
	f := &lsFile{name: name, path: walk.Join(dir, name), kind: kind}
	if dir == "." {
		f.path = "./" + name
	}
	if !l.needsLook(kind) {
		return f
	}
	var err error
	switch {
	case l.deref == lsDerefAlways && (e == nil || kind == fs.ModeSymlink):
		f.info, err = l.c.FS.Stat(f.path)
		if err != nil && isNotExist(err) {
			l.complain(1, "cannot access %s: %w", builtins.Quote(f.path), reason(err))
			f.failed = true
			return f
		}
	case e == nil:
		f.info, err = l.c.FS.Stat(f.path)
	default:
		f.info, err = e.Info()
	}
	if err != nil {
		l.complain(1, "cannot access %s: %w", builtins.Quote(f.path), reason(err))
		f.failed = true
		return f
	}
	l.follow(f)
	return f
}

// needsLook reports whether more than the name and the type of a file is needed.
func (l *lister) needsLook(kind fs.FileMode) bool {
	switch {
	case l.format == lsLong, l.inode, l.blocks, l.sort == "time", l.sort == "size", l.color:
		return true
	case l.indicator == "classify":
		return kind.IsRegular()
	}
	return kind == fs.ModeSymlink && (l.deref == lsDerefAlways || l.dirsFirst)
}

// follow reads where a symbolic link leads.
func (l *lister) follow(f *lsFile) {
	if f.info == nil || !isLink(f.info) {
		return
	}
	if l.format == lsLong {
		target, err := l.c.FS.Readlink(f.path)
		if err != nil {
			l.complain(1, "cannot read symbolic link %s: %w", builtins.Quote(f.path), reason(err))
			return
		}
		f.target = target
	}
	if l.dirsFirst || l.format == lsLong && l.indicator != "none" || l.colors.wantTargets(l.format) {
		info, err := l.c.FS.Stat(f.path)
		if err != nil {
			f.dangling = true
			return
		}
		f.targetInfo = info
	}
}

// title prints the name of a directory before its content.
func (l *lister) title(path string) {
	if l.printed {
		l.out.WriteByte('\n')
	}
	l.out.WriteString(l.show(l.quoteTitle(path)))
	l.out.WriteString(":\n")
}

// total prints how much the files of a directory occupy.
func (l *lister) total(files []*lsFile) {
	blocks := uint64(0)
	for _, f := range files {
		if f.info != nil {
			blocks += uint64(vfs.StatOf(f.info).Blocks)
		}
	}
	fmt.Fprintf(l.out, "total %s", l.blockUnit.formatBlocks(blocks, 512))
	l.endLine()
}

func (l *lister) endLine() { l.out.WriteByte(lineEnd(l.zero)) }
