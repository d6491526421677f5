package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/vfs"
)

var tarCommand = commands.Add(&builtins.Command{
	Name:     "tar",
	Synopsis: "[OPTION...] [FILE]...",
	Summary:  "save many files together in an archive, and restore them from it",
	Trouble:  64, // of an option that tar does not know; see tarFailure
	Run:      runTar,
})

// tarHint is what GNU tar says after a mistake in its arguments.
const tarHint = "Try 'tar --help' or 'tar --usage' for more information.\n"

// tarFailure is the status of all other troubles.
const tarFailure builtins.Exit = 2

// A tarOperand is a file or member that was named, with the directory that was
// current then.
type tarOperand struct {
	name string
	dir  *vfs.View
}

// A tarJob is what tar is asked to do.
type tarJob struct {
	call      *builtins.Call
	mode      byte // c r t u x
	archive   string
	method    *method
	auto      bool // the method follows from the name of the archive
	view      *vfs.View
	operands  []tarOperand
	names     tarNames
	selection tarSelection
	verbose   int

	// what is stored
	recurse, dereference bool
	owner, group         *tarOwner
	mtime                *time.Time
	chmod                *filemode.Change
	format               string
	record               int64 // what the archive is padded to a multiple of
	newer                *time.Time
	removeFiles          bool
	fileLists            bool // operands came from -T, and may be none

	// what is restored
	toStdout, keep, skipOld, keepNewer, overwrite bool
	touch, ignoreZeros                            bool
	samePermissions, sameOwner                    *bool
	numeric, fullTime, showTransformed            bool

	width    int       // of the columns before the date, in long listings
	messages io.Writer // where names go with -v
	failed   bool
}

// A tarOwner is the value of --owner or --group.
type tarOwner struct {
	name string
	id   int
}

func runTar(ctx context.Context, c *builtins.Call) error {
	j := &tarJob{call: c, width: 19, archive: "-", view: c.FS, recurse: true, messages: c.Stdout, format: "gnu", record: 10240}
	f := c.Flags()
	f.Hint = tarHint
	f.Ordered = true
	j.declare(f)
	j.declareExtract(f)
	j.declareStore(f)
	if err := j.parse(f); err != nil {
		return err
	}
	var err error
	switch j.mode {
	case 0:
		err = builtins.Usage("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options")
	case 'c', 'r', 'u':
		if len(j.operands) == 0 && !j.fileLists {
			err = builtins.Usage("Cowardly refusing to create an empty archive")
		}
	}
	if err != nil {
		return j.misuse(f, err)
	}
	switch j.mode {
	case 'c':
		err = j.create()
	case 'r', 'u':
		err = j.appendFiles()
	default:
		err = j.read()
	}
	return j.finish(err)
}

// misuse explains a mistake in the arguments.
func (j *tarJob) misuse(f *builtins.Flags, err error) error {
	if j.call.Ends(err) {
		return err
	}
	_ = f.Fail(err)
	return tarFailure
}

// errFatal ends tar after it has said why.
var errFatal = errors.New("not recoverable")

// isWrite reports whether err is that of a write, but for one to a pipe that nobody
// reads.
func isWrite(err error) bool {
	e, ok := errors.AsType[*fs.PathError](err)
	return ok && e.Op == "write" && !errors.Is(err, vfs.EPIPE)
}

// finish returns the status for what has happened.
func (j *tarJob) finish(err error) error {
	switch {
	case errors.Is(err, errFatal):
		j.call.Warnf("Error is not recoverable: exiting now")
	case isWrite(err):
		name := j.archive
		if name == "" {
			name = "-"
		}
		j.call.Warnf("%s: Cannot write: %w", name, vfs.ErrnoOf(err))
		j.call.Warnf("Error is not recoverable: exiting now")
	case err != nil:
		return err
	case j.failed:
		j.call.Warnf("Exiting with failure status due to previous errors")
	default:
		return nil
	}
	return tarFailure
}

// warn prints a message that makes tar fail in the end.
func (j *tarJob) warn(format string, args ...any) {
	j.failed = true
	j.note(format, args...)
}

// note prints a message.
func (j *tarJob) note(format string, args ...any) {
	fmt.Fprintf(j.call.Stderr, "tar: "+format+"\n", args...)
}

// fatal prints a message that ends tar.
func (j *tarJob) fatal(format string, args ...any) error {
	j.warn(format, args...)
	return errFatal
}

// parse parses the arguments, whose options take effect where they stand.
func (j *tarJob) parse(f *builtins.Flags) error {
	c := j.call
	if err := expandOldOptions(c, f); err != nil {
		return err
	}
	args := c.Args
	var plain []string
	for i, arg := range args {
		if arg == "--" {
			args, plain = args[:i], args[i+1:]
			break
		}
	}
	for c.Args = args; ; c.Args = c.Args[1:] {
		rest, err := f.Parse()
		if err != nil {
			return err
		}
		if len(rest) == 0 {
			break
		}
		j.operand(rest[0])
		c.Args = rest
	}
	for _, name := range plain {
		j.operand(name)
	}
	return nil
}

func (j *tarJob) operand(name string) {
	j.operands = append(j.operands, tarOperand{name, j.view})
}

// expandOldOptions rewrites the first argument where it is letters without a
// dash, whose values follow in order: tar cfC x.tar dir.
func expandOldOptions(c *builtins.Call, f *builtins.Flags) error {
	if len(c.Args) == 0 || c.Args[0] == "" || c.Args[0][0] == '-' {
		return nil
	}
	letters, rest := c.Args[0], c.Args[1:]
	var list []string
	for _, letter := range letters {
		list = append(list, "-"+string(letter))
		if strings.ContainsRune("bCfFgHIKLNTVX", letter) {
			if len(rest) == 0 {
				_ = f.Fail(builtins.Usage("Old option '%c' requires an argument.", letter))
				return tarFailure
			}
			list, rest = append(list, rest[0]), rest[1:]
		}
	}
	c.Args = append(list, rest...)
	return nil
}

// declare declares the options of all operations.
func (j *tarJob) declare(f *builtins.Flags) {
	for _, o := range []struct{ names, help string }{
		{"c,create", "create a new archive"},
		{"r,append", "append files to the end of an archive"},
		{"t,list", "list the contents of an archive"},
		{"u,update", "only append files newer than copy in archive"},
		{"x,extract,get", "extract files from an archive"},
	} {
		f.Do(o.names, o.help, func() error {
			if j.mode != 0 && j.mode != o.names[0] {
				return j.misuse(f, builtins.Usage("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option"))
			}
			j.mode = o.names[0]
			return nil
		})
	}
	f.String(&j.archive, "f,file", "use archive file or device `ARCHIVE`")
	f.Func("C,directory", "change to directory `DIR`", j.chdir)
	for _, o := range []struct {
		names, help string
		method      *method
	}{
		{"j,bzip2", "filter the archive through bzip2", bzip2Method},
		{"J,xz", "filter the archive through xz", xzMethod},
		{"lzma", "filter the archive through lzma", lzmaMethod},
		{"z,gzip,gunzip,ungzip", "filter the archive through gzip", gzipMethod},
		{"zstd", "filter the archive through zstd", zstdMethod},
	} {
		f.Do(o.names, o.help, func() error { j.method = o.method; return nil })
	}
	f.Bool(&j.auto, "a,auto-compress", "use archive suffix to determine the compression program")
	f.Count(&j.verbose, "v,verbose", "verbosely list files processed")
	f.Func("T,files-from", "get names to extract or create from `FILE`", func(name string) error { return j.filesFrom(name, &j.names.null) })
	f.Bool(&j.names.null, "null", "-T reads null-terminated names")
	f.Func("X,exclude-from", "exclude patterns listed in `FILE`", j.excludeFrom)
	f.Func("exclude", "exclude files, given as a `PATTERN`", func(p string) error { j.selection.exclude(p); return nil })
	f.Do("exclude-vcs", "exclude version control system directories", func() error {
		for _, name := range []string{".git", ".gitignore", ".gitattributes", ".gitmodules", ".hg", ".hgignore", ".svn", "CVS", ".bzr"} {
			j.selection.exclude(name)
		}
		return nil
	})
	f.Bool(&j.selection.wildcards, "wildcards", "use wildcards")
	f.Do("no-wildcards", "verbatim string matching", func() error { j.selection.wildcards, j.selection.literal = false, true; return nil })
	f.Bool(&j.names.absolute, "P,absolute-names", "don't strip leading '/'s from file names")
	f.Func("strip-components", "strip `NUMBER` leading components from file names on extraction", func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return j.misuse(f, builtins.Usage("%s: Invalid number of elements", s))
		}
		j.names.strip = n
		return nil
	})
	f.Func("transform,xform", "use sed replace `EXPRESSION` to transform file names", func(s string) error {
		if err := j.names.transform(s); err != nil {
			return j.misuse(f, err)
		}
		return nil
	})
	f.Bool(&j.showTransformed, "show-transformed-names,show-stored-names", "show file or archive names after transformation")
	f.Bool(&j.numeric, "numeric-owner", "always use numbers for user/group names")
	f.Bool(&j.fullTime, "full-time", "print file time to its full resolution")
	f.Bool(&j.ignoreZeros, "i,ignore-zeros", "ignore zeroed blocks in archive (means EOF)")
}

func (j *tarJob) declareExtract(f *builtins.Flags) {
	yes, no := true, false
	f.Bool(&j.toStdout, "O,to-stdout", "extract files to standard output")
	f.Bool(&j.keep, "k,keep-old-files", "don't replace existing files when extracting, treat them as errors")
	f.Bool(&j.skipOld, "skip-old-files", "don't replace existing files when extracting, silently skip over them")
	f.Bool(&j.keepNewer, "keep-newer-files", "don't replace existing files that are newer than their archive copies")
	f.Bool(&j.overwrite, "overwrite", "overwrite existing files when extracting")
	f.Do("U,unlink-first", "remove each file prior to extracting over it", func() error { j.overwrite = false; return nil })
	f.Bool(&j.touch, "m,touch", "don't extract file modified time")
	f.Do("p,preserve-permissions,same-permissions", "extract information about file permissions", func() error { j.samePermissions = &yes; return nil })
	f.Do("no-same-permissions", "apply the user's umask when extracting permissions", func() error { j.samePermissions = &no; return nil })
	f.Do("same-owner", "try extracting files with the same ownership", func() error { j.sameOwner = &yes; return nil })
	f.Do("o,no-same-owner", "extract files as yourself", func() error { j.sameOwner = &no; return nil })
}

func (j *tarJob) declareStore(f *builtins.Flags) {
	f.Do("recursion", "recurse into directories (default)", func() error { j.recurse = true; return nil })
	f.Do("no-recursion", "avoid descending automatically in directories", func() error { j.recurse = false; return nil })
	f.Bool(&j.dereference, "h,dereference", "follow symlinks; archive and dump the files they point to")
	f.Bool(&j.removeFiles, "remove-files", "remove files after adding them to the archive")
	f.Func("owner", "force `NAME` as owner for added files", func(s string) error { j.owner = parseOwner(s); return nil })
	f.Func("group", "force `NAME` as group for added files", func(s string) error { j.group = parseOwner(s); return nil })
	f.Func("mtime", "set mtime for added files from `DATE-OR-FILE`", func(s string) (err error) { j.mtime, err = j.date(s); return err })
	f.Func("N,newer,after-date", "only store files newer than `DATE-OR-FILE`", func(s string) (err error) { j.newer, err = j.date(s); return err })
	f.Func("newer-mtime", "compare date and time when data changed only, with `DATE`", func(s string) (err error) { j.newer, err = j.date(s); return err })
	f.Func("mode", "force (symbolic) mode `CHANGES` for added files", func(s string) error {
		change, err := filemode.Parse(s)
		if err != nil {
			return j.misuse(f, builtins.Usage("Invalid mode given on option"))
		}
		j.chmod = &change
		return nil
	})
	f.Func("b,blocking-factor", "`BLOCKS` x 512 bytes per record", func(s string) error {
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil || n < 1 {
			return j.misuse(f, builtins.Usage("%s: Invalid blocking factor", s))
		}
		j.record = n * 512
		return nil
	})
	sort := ""
	f.Enum(&sort, "sort", "sort", []string{"none", "name", "inode"}, "directory sorting `ORDER`; it is always by name here")
	f.Func("H,format", "create archive of the given `FORMAT`: gnu, oldgnu, pax, posix, ustar or v7", func(s string) error {
		switch s {
		case "gnu", "oldgnu", "pax", "posix", "ustar", "v7":
			j.format = s
			return nil
		}
		return j.misuse(f, builtins.Usage("%s: Invalid archive format", s))
	})
	f.Do("posix", "same as --format=posix", func() error { j.format = "posix"; return nil })
}

// chdir makes dir the directory of the operands that follow.
func (j *tarJob) chdir(dir string) error {
	info, err := j.view.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: dir, Err: vfs.ENOTDIR}
	}
	if err != nil {
		return j.finish(j.fatal("%s: Cannot open: %v", dir, vfs.ErrnoOf(err)))
	}
	view := *j.view
	view.Dir = path.Join("/", j.view.Abs(dir))
	j.view = &view
	return nil
}

func parseOwner(text string) *tarOwner {
	name, id, ok := strings.Cut(text, ":")
	if !ok {
		id = name
	}
	n, err := strconv.Atoi(id)
	if err == nil && !ok {
		name = ""
	}
	if err != nil {
		n = -1
	}
	return &tarOwner{name, n}
}
