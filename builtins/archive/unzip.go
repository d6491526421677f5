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
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/vfs"
)

var unzipCommand = commands.Add(&builtins.Command{
	Name:     "unzip",
	Synopsis: "[-opts[modifiers]] file[.zip] [list] [-x xlist] [-d exdir]",
	Summary:  "list, test and extract compressed files in a ZIP archive",
	Trouble:  10,
	Run:      runUnzip,
})

// Statuses of unzip.
const (
	unzipWarning builtins.Exit = 1
	unzipError   builtins.Exit = 2
	unzipNoFile  builtins.Exit = 9
	unzipNoMatch builtins.Exit = 11
	unzipBomb    builtins.Exit = 12
)

// An unzipJob is what unzip is asked to do.
type unzipJob struct {
	call                              *builtins.Call
	out                               *bufio.Writer
	list, pipe, show, test, names     bool
	verbose, comment                  bool
	overwrite, never, update, freshen bool
	junk, lower, fold                 bool
	quiet                             int
	dir                               string
	wanted                            []string
	filter                            nameFilter
	matched                           []bool
	answers                           *bufio.Reader
	links                             []deferredLink
	dirs                              []restoredDir
	status                            builtins.Exit
	held                              int
}

// A deferredLink is a symbolic link that is made at the end, so that no entry
// is extracted through it.
type deferredLink struct{ name, target string }

type restoredDir struct {
	name  string
	mode  fs.FileMode
	mtime time.Time
}

func runUnzip(ctx context.Context, c *builtins.Call) error {
	j := &unzipJob{call: c, out: bufio.NewWriter(c.Stdout)}
	var lists map[byte][]string
	c.Args, lists = takeLists(c.Args, "x")
	f := c.Flags()
	f.Info("h", "")
	f.Bool(&j.pipe, "p", "extract files to pipe, no messages")
	f.Bool(&j.show, "c", "extract files to stdout/screen")
	f.Bool(&j.list, "l", "list files (short format)")
	f.Bool(&j.verbose, "v", "list verbosely")
	f.Bool(&j.test, "t", "test compressed archive data")
	f.Bool(&j.comment, "z", "display archive comment only")
	f.Do("Z", "ZipInfo mode, of which there is -Z1: list file names only", func() error { j.names = true; return nil })
	f.Do("1", "list file names only, with -Z", func() error { j.list = true; return nil })
	f.Bool(&j.freshen, "f", "freshen existing files, create none")
	f.Bool(&j.update, "u", "update files, create if necessary")
	f.Bool(&j.never, "n", "never overwrite existing files")
	f.Bool(&j.overwrite, "o", "overwrite files WITHOUT prompting")
	f.Bool(&j.junk, "j", "junk paths (do not make directories)")
	f.Bool(&j.lower, "L", "make names lowercase")
	f.Bool(&j.fold, "C", "match filenames case-insensitively")
	f.Count(&j.quiet, "q", "quiet mode (-qq => quieter)")
	f.String(&j.dir, "d", "extract files into `exdir`")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) == 0 && j.verbose {
		return f.Version()
	}
	if len(args) == 0 {
		return f.Fail(builtins.Usage("no zipfile given"))
	}
	j.wanted = args[1:]
	if j.fold {
		j.filter.flags = pattern.IgnoreCase
	}
	j.filter.add(&j.filter.include, j.wanted)
	j.filter.add(&j.filter.exclude, lists['x'])
	j.matched = make([]bool, len(j.wanted))
	defer func() { c.Free(j.held) }()
	return j.run(args[0])
}

// run opens the archive and does what is asked of it.
func (j *unzipJob) run(name string) error {
	c := j.call
	a, err := openZip(c, name)
	if errors.Is(err, fs.ErrNotExist) {
		if a, err = openZip(c, name+".zip"); err == nil {
			name += ".zip"
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		fmt.Fprintf(c.Stderr, "unzip:  cannot find or open %s, %s.zip or %s.ZIP.\n", name, name, name)
		return unzipNoFile
	case err != nil && c.Ends(err):
		return err
	case err != nil:
		fmt.Fprintf(c.Stdout, "Archive:  %s\n", name)
		fmt.Fprintf(c.Stderr, "  End-of-central-directory signature not found.  Either this file is not\n"+
			"  a zipfile, or it constitutes one disk of a multi-part archive.  In the\n"+
			"  latter case the central directory and zipfile comment will be found on\n"+
			"  the last disk(s) of this archive.\n"+
			"unzip:  cannot find zipfile directory in one of %s or\n"+
			"        %s.zip, and cannot find %s.ZIP, period.\n", name, name, name)
		return unzipNoFile
	}
	defer a.Close()
	quiet := j.quiet > 0 || j.pipe || j.names
	if !quiet {
		fmt.Fprintf(j.out, "Archive:  %s\n", name)
	}
	if a.Comment != "" && !quiet {
		fmt.Fprintln(j.out, a.Comment)
	}
	switch {
	case j.comment:
	case j.names:
		err = j.listNames(a)
	case j.list || j.verbose:
		err = j.table(a)
	default:
		err = j.extract(a)
	}
	if err == nil && j.test && j.status == 0 {
		fmt.Fprintf(j.out, "No errors detected in compressed data of %s.\n", name)
	}
	if flushErr := j.out.Flush(); err == nil {
		err = flushErr
	}
	if err == nil && j.status != 0 {
		err = j.status
	}
	return err
}

// wants reports whether an entry is one of those that were named.
func (j *unzipJob) wants(name string) bool {
	if len(j.filter.include) > 0 {
		i := matchAny(j.filter.include, name)
		if i < 0 {
			return false
		}
		j.matched[i] = true
	}
	return matchAny(j.filter.exclude, name) < 0
}

func (j *unzipJob) worsen(status builtins.Exit) { j.status = max(j.status, status) }

func (j *unzipJob) listNames(a *zipArchive) error {
	for _, f := range a.File {
		if j.wants(f.Name) {
			fmt.Fprintln(j.out, f.Name)
		}
	}
	return j.call.Poll(len(a.File))
}

// table prints the entries in a table.
func (j *unzipJob) table(a *zipArchive) error {
	var files, size, packed int64
	header, footer := j.quiet < 2, j.quiet < 2
	if header && j.verbose {
		fmt.Fprint(j.out, " Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n"+
			"--------  ------  ------- ---- ---------- ----- --------  ----\n")
	} else if header {
		fmt.Fprint(j.out, "  Length      Date    Time    Name\n---------  ---------- -----   ----\n")
	}
	loc := localZone(j.call)
	for _, f := range a.File {
		if err := j.call.Poll(1); err != nil {
			return err
		}
		if !j.wants(f.Name) {
			continue
		}
		n, p := int64(f.UncompressedSize64), int64(f.CompressedSize64)
		files, size, packed = files+1, size+n, packed+p
		when := zipTime(&f.FileHeader, loc).Format("2006-01-02 15:04")
		if j.verbose {
			fmt.Fprintf(j.out, "%8d  %-6s %8d %3d%% %s %08x  %s\n", n, methodName(f), p, zipPercent(n, p), when, f.CRC32, f.Name)
		} else {
			fmt.Fprintf(j.out, "%9d  %s   %s\n", n, when, f.Name)
		}
	}
	word := "files"
	if files == 1 {
		word = "file"
	}
	switch {
	case footer && j.verbose:
		fmt.Fprintf(j.out, "--------          -------  ---                            -------\n%8d         %8d %3d%%                            %d %s\n",
			size, packed, zipPercent(size, packed), files, word)
	case footer:
		fmt.Fprintf(j.out, "---------                     -------\n%9d                     %d %s\n", size, files, word)
	}
	if files == 0 {
		j.worsen(unzipNoMatch)
	}
	return nil
}

func methodName(f *zip.File) string {
	switch f.Method {
	case zip.Store:
		return "Stored"
	case zip.Deflate:
		return [...]string{"Defl:N", "Defl:X", "Defl:F", "Defl:S"}[f.Flags>>1&3]
	}
	return fmt.Sprintf("Unk:%03d", f.Method)
}

// extract extracts or tests the entries.
func (j *unzipJob) extract(a *zipArchive) error {
	var seen spanSet
	for _, f := range a.File {
		if err := j.call.Poll(1); err != nil {
			return err
		}
		if !j.wants(f.Name) {
			continue
		}
		if data, err := dataSpan(f); err == nil && !seen.add(data) {
			_ = j.out.Flush()
			fmt.Fprintln(j.call.Stderr, "error: invalid zip file with overlapped components (possible zip bomb)")
			j.worsen(unzipBomb)
			return j.finish()
		}
		if err := j.entry(f); err != nil {
			return err
		}
	}
	for i, name := range j.wanted {
		if !j.matched[i] {
			_ = j.out.Flush()
			fmt.Fprintf(j.call.Stderr, "caution: filename not matched:  %s\n", name)
			j.worsen(unzipNoMatch)
		}
	}
	return j.finish()
}

// say prints a line about an entry unless it is to be quiet.
func (j *unzipJob) say(format string, args ...any) {
	if j.quiet == 0 && !j.pipe {
		fmt.Fprintf(j.out, format, args...)
	}
}

// verbs are what unzip says that it does, by method.
func verb(f *zip.File) string {
	if f.Method == zip.Store {
		return " extracting"
	}
	return "  inflating"
}

func (j *unzipJob) entry(f *zip.File) error {
	if j.test {
		j.say("    testing: %-22s  ", f.Name)
		ok, err := j.copyTo(io.Discard, f)
		if ok {
			j.say(" OK\n")
		}
		return err
	}
	if j.pipe || j.show {
		if strings.HasSuffix(f.Name, "/") {
			return nil
		}
		if j.show {
			j.say("%s: %-22s  \n", verb(f), f.Name)
		}
		_, err := j.copyTo(j.out, f)
		if j.show {
			j.say("\n")
		}
		return err
	}
	name, ok := j.target(f.Name)
	if !ok {
		return nil
	}
	if strings.HasSuffix(f.Name, "/") {
		return j.makeDir(f, name)
	}
	return j.file(f, name)
}

// target returns where an entry is extracted, without what would lead out of
// the directory.
func (j *unzipJob) target(name string) (string, bool) {
	if j.junk {
		if strings.HasSuffix(name, "/") {
			return "", false
		}
		name = path.Base(name)
	}
	if j.lower {
		name = strings.ToLower(name)
	}
	if strings.HasPrefix(name, "/") {
		j.warn("warning:  stripped absolute path spec from %s", name)
		name = strings.TrimLeft(name, "/")
	}
	var parts []string
	skipped := false
	for part := range strings.SplitSeq(strings.Trim(name, "/"), "/") {
		if part == ".." {
			skipped = true
		} else if part != "" && part != "." {
			parts = append(parts, part)
		}
	}
	if skipped {
		j.warn("warning:  skipped \"../\" path component(s) in %s", name)
	}
	if len(parts) == 0 {
		return "", false
	}
	name = strings.Join(parts, "/")
	if j.dir != "" {
		name = strings.TrimRight(j.dir, "/") + "/" + name
	}
	return name, true
}

func (j *unzipJob) warn(format string, args ...any) {
	_ = j.out.Flush()
	fmt.Fprintf(j.call.Stderr, format+"\n", args...)
	j.worsen(unzipWarning)
}

// fail reports that an entry cannot be extracted.
func (j *unzipJob) fail(name string, err error) error {
	if j.call.Ends(err) {
		return err
	}
	_ = j.out.Flush()
	fmt.Fprintf(j.call.Stderr, "error:  cannot create %s\n        %v\n", name, vfs.ErrnoOf(err))
	j.worsen(unzipError)
	return nil
}
