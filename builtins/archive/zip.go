package archive

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

var zipCommand = commands.Add(&builtins.Command{
	Name:     "zip",
	Synopsis: "[-options] [zipfile list]",
	Summary:  "package and compress files",
	Trouble:  16,
	Run:      runZip,
})

// Statuses of zip.
const (
	zipNothing  builtins.Exit = 12
	zipNoOutput builtins.Exit = 15
	zipNotFound builtins.Exit = 18
)

// A zipJob is what zip is asked to do.
type zipJob struct {
	call                            *builtins.Call
	archive                         string
	recurse, junk, noDirs, links    bool
	update, freshen, delete, move   bool
	quiet, verbose, test, fromStdin bool
	level                           int
	filter                          nameFilter
	messages                        io.Writer
	sources                         []*zipSource
	byName                          map[string]*zipSource
	held                            int
	total, packed                   int64
	warned                          bool
	noExtra                         bool // entries have the time of the directory alone
}

// A zipSource is a file that is to be stored.
type zipSource struct {
	name string // in the archive
	file string // "-" for standard input
	info fs.FileInfo
	done bool
}

func runZip(ctx context.Context, c *builtins.Call) error {
	j := &zipJob{call: c, level: 6, byName: map[string]*zipSource{}, messages: c.Stdout}
	var lists map[byte][]string
	c.Args, lists = takeLists(c.Args, "xi")
	f := c.Flags()
	f.Info("h", "")
	f.Do("0", "store only", func() error { j.level = 0; return nil })
	for level := 1; level <= 9; level++ {
		f.Do(fmt.Sprint(level), fmt.Sprintf("compress at level %d", level), func() error { j.level = level; return nil })
	}
	f.Bool(&j.recurse, "r,recurse-paths", "recurse into directories")
	f.Bool(&j.junk, "j,junk-paths", "junk (don't record) directory names")
	f.Bool(&j.noDirs, "D,no-dir-entries", "do not add directory entries")
	f.Bool(&j.links, "y,symlinks", "store symbolic links as the link instead of the referenced file")
	f.Bool(&j.update, "u,update", "update: only changed or new files")
	f.Bool(&j.freshen, "f,freshen", "freshen: only changed files")
	f.Bool(&j.delete, "d,delete", "delete entries in zipfile")
	f.Bool(&j.move, "m,move", "move into zipfile (delete OS files)")
	f.Bool(&j.quiet, "q,quiet", "quiet operation")
	f.Bool(&j.verbose, "v,verbose", "verbose operation")
	f.Bool(&j.noExtra, "X,no-extra", "exclude extra file attributes: owners and exact times")
	f.Bool(&j.test, "T,test", "test zipfile integrity")
	f.Bool(&j.fromStdin, "@,names-stdin", "read names from stdin")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	j.filter.add(&j.filter.exclude, lists['x'])
	j.filter.add(&j.filter.include, lists['i'])
	if len(args) == 0 && len(lists['i']) > 0 {
		return j.fail(c.Command.Trouble, "Invalid command arguments (nothing to select from)")
	}
	if len(args) == 0 {
		args = []string{"-", "-"}
	}
	j.archive, args = args[0], args[1:]
	if j.archive != "-" && !strings.Contains(path.Base(j.archive), ".") {
		j.archive += ".zip"
	}
	if j.archive == "-" {
		j.messages = c.Stderr
	}
	defer func() { c.Free(j.held) }()
	return j.run(args)
}

func (j *zipJob) say(format string, args ...any) {
	if !j.quiet {
		fmt.Fprintf(j.messages, format, args...)
	}
}

func (j *zipJob) warn(format string, args ...any) {
	j.warned = true
	fmt.Fprintf(j.messages, "\tzip warning: "+format+"\n", args...)
}

// fail reports an error that ends zip.
func (j *zipJob) fail(status builtins.Exit, format string, args ...any) error {
	fmt.Fprintf(j.messages, "\nzip error: "+format+"\n", args...)
	return status
}

func (j *zipJob) run(args []string) error {
	var old *zipArchive
	if j.archive != "-" {
		var err error
		if old, err = openZip(j.call, j.archive); err == nil {
			defer old.Close()
		} else if !errors.Is(err, fs.ErrNotExist) {
			if j.call.Ends(err) {
				return err
			}
			return j.fail(3, "Zip file structure invalid (%s)", j.archive)
		}
	}
	if j.fromStdin {
		lines := j.call.Lines(j.call.Stdin, '\n')
		defer lines.Close()
		for {
			line, err := lines.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			line, _ = builtins.TrimDelim(line, '\n')
			args = append(args, string(line))
		}
	}
	switch {
	case j.delete:
		return j.remove(old, args)
	case j.test && len(args) == 0 && old != nil:
		return j.afterwards()
	}
	for _, name := range args {
		if err := j.find(name); err != nil {
			return err
		}
	}
	if j.update || j.freshen {
		j.dropCurrent(old)
	}
	if len(j.sources) == 0 {
		switch {
		case j.warned || len(args) == 0:
			return j.fail(zipNothing, "Nothing to do! (%s)", j.archive)
		case j.update || j.freshen:
			return zipNothing
		}
		j.warn("zip file empty")
		return nil
	}
	if err := j.write(old, nil); err != nil {
		return err
	}
	return j.afterwards()
}

// afterwards tests the archive and removes the files that were moved there.
func (j *zipJob) afterwards() error {
	if j.verbose {
		j.say("total bytes=%d, compressed=%d -> %d%% savings\n", j.total, j.packed, zipPercent(j.total, j.packed))
	}
	if j.test && j.archive != "-" {
		a, err := openZip(j.call, j.archive)
		if err != nil {
			return err
		}
		defer a.Close()
		for _, f := range a.File {
			if _, err := copyEntry(j.call, io.Discard, f); err != nil {
				return err
			}
		}
		j.say("test of %s OK\n", j.archive)
	}
	if j.move {
		for i := len(j.sources) - 1; i >= 0; i-- {
			if s := j.sources[i]; s.file != "-" {
				_ = j.call.FS.Remove(s.file)
			}
		}
	}
	if j.warned {
		return zipNotFound
	}
	return nil
}

// find adds a file, and what is below it, to what is to be stored.
func (j *zipJob) find(name string) error {
	c := j.call
	if name == "-" {
		return j.add(&zipSource{name: "-", file: "-"})
	}
	follow := walk.Always
	if j.links {
		follow = walk.Never
	}
	found := false
	err := walk.Tree(c, name, walk.Options{Follow: follow}, func(e *walk.Entry) error {
		if e.Post {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		found = true
		if err := j.consider(e.Path, info); err != nil {
			return err
		}
		if !j.recurse {
			return walk.Skip
		}
		return nil
	})
	if err == nil && !found {
		j.warn("name not matched: %s", name)
	}
	return err
}

// consider adds a file unless an option keeps it out.
func (j *zipJob) consider(file string, info fs.FileInfo) error {
	name := storedName(file)
	if info.IsDir() {
		if name == "" || j.noDirs || j.junk {
			return nil
		}
		name += "/"
	} else if j.junk {
		name = path.Base(name)
	}
	if name == storedName(j.archive) || name == "" {
		return nil
	}
	if matchAny(j.filter.exclude, name) >= 0 || len(j.filter.include) > 0 && matchAny(j.filter.include, name) < 0 {
		return nil
	}
	if mode := info.Mode().Type(); mode != 0 && mode != fs.ModeDir && mode != fs.ModeSymlink {
		j.warn("ignoring special file: %s", file)
		return nil
	}
	return j.add(&zipSource{name: name, file: file, info: info})
}

// storedName returns the name of a file as archives have it.
func storedName(file string) string {
	for strings.HasPrefix(file, "./") || strings.HasPrefix(file, "/") {
		file = strings.TrimLeft(strings.TrimPrefix(file, "."), "/")
	}
	if file == "." {
		return ""
	}
	return strings.TrimRight(file, "/")
}

func (j *zipJob) add(s *zipSource) error {
	if j.byName[s.name] != nil {
		return nil
	}
	cost := 256 + len(s.name) + len(s.file)
	if err := j.call.Alloc(cost); err != nil {
		return err
	}
	j.held += cost
	j.byName[s.name] = s
	j.sources = append(j.sources, s)
	return nil
}

// dropCurrent leaves out files that the archive has in their current state and,
// for -f, those that it does not have.
func (j *zipJob) dropCurrent(old *zipArchive) {
	have := map[string]*zip.File{}
	if old != nil {
		for _, f := range old.File {
			have[f.Name] = f
		}
	}
	var list []*zipSource
	for _, s := range j.sources {
		f := have[s.name]
		if f == nil && j.freshen || f != nil && s.info != nil && s.info.ModTime().Unix() <= zipTime(&f.FileHeader, localZone(j.call)).Unix() {
			delete(j.byName, s.name)
			continue
		}
		list = append(list, s)
	}
	j.sources = list
}

// remove deletes entries.
func (j *zipJob) remove(old *zipArchive, args []string) error {
	if old == nil {
		j.warn("%s not found or empty", j.archive)
		return j.fail(zipNothing, "Nothing to do! (%s)", j.archive)
	}
	var unwanted nameFilter
	unwanted.add(&unwanted.include, args)
	gone := map[string]bool{}
	matched := make([]bool, len(args))
	for _, f := range old.File {
		if i := matchAny(unwanted.include, f.Name); i >= 0 {
			gone[f.Name], matched[i] = true, true
		}
	}
	for i, name := range args {
		if !matched[i] {
			j.warn("name not matched: %s", name)
		}
	}
	if len(gone) == 0 {
		return j.fail(zipNothing, "Nothing to do! (%s)", j.archive)
	}
	return j.write(old, gone)
}

// write writes the new archive beside the old one, and puts it in its place.
func (j *zipJob) write(old *zipArchive, gone map[string]bool) error {
	c := j.call
	if j.archive == "-" {
		return j.entries(c.Stdout, old, gone)
	}
	var suffix [4]byte
	if _, err := io.ReadFull(c.Rand, suffix[:]); err != nil {
		return err
	}
	temporary := fmt.Sprintf("%s/zi%x", path.Dir(j.archive), suffix)
	out, err := c.FS.OpenFile(temporary, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, 0o666)
	if err != nil {
		fmt.Fprintf(j.messages, "zip I/O error: %v", vfs.ErrnoOf(err))
		return j.fail(zipNoOutput, "Could not create output file (%s)", j.archive)
	}
	err = j.entries(out, old, gone)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err == nil && old != nil && len(gone) == len(old.File) {
		j.warn("zip file empty")
		j.warned = false
		_ = c.FS.Remove(j.archive)
		return c.FS.Remove(temporary)
	}
	if err == nil {
		err = c.FS.Rename(temporary, j.archive)
	}
	if err != nil {
		_ = c.FS.Remove(temporary)
	}
	return err
}

// entries writes the entries that stay, those that change and those that are
// new.
func (j *zipJob) entries(out io.Writer, old *zipArchive, gone map[string]bool) error {
	if err := j.call.Alloc(gzipMethod.memory); err != nil {
		return err
	}
	defer j.call.Free(gzipMethod.memory)
	buffered := bufio.NewWriterSize(out, bufferSize)
	w := zip.NewWriter(buffered)
	if old != nil {
		for _, f := range old.File {
			if err := j.call.Poll(1); err != nil {
				return err
			}
			s := j.byName[f.Name]
			var err error
			switch {
			case gone[f.Name]:
				j.say("deleting: %s\n", f.Name)
			case s != nil:
				s.done = true
				verb := "updating"
				if j.freshen {
					verb = "freshening"
				}
				err = j.store(w, s, verb)
			default:
				err = w.Copy(f)
			}
			if err != nil {
				return err
			}
		}
	}
	for _, s := range j.sources {
		if s.done {
			continue
		}
		if err := j.store(w, s, "  adding"); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return buffered.Flush()
}
