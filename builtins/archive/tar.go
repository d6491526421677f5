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

	// what is asked for by the options of tarmore.go
	ctx                          context.Context
	tags                         []tarTag
	occurrence                   int
	wantTop                      bool
	top                          string
	program                      string // of -I
	children                     []childReader
	command                      string // of --to-command
	ignoreCommand                bool
	totals                       bool
	started                      time.Time
	utc, clamp, ignoreFailedRead bool
	oneFS, hardDereference       bool
	recursiveUnlink              bool
	keepDirLink, keepDirs        bool
	indexFile                    string
	flags                        *builtins.Flags
	listed                       []string // options that -T has read
	differs                      bool

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
	j := &tarJob{call: c, ctx: ctx, started: c.Clock.Now(), names: tarNames{quoted: true}, width: 19, archive: "-", view: c.FS, recurse: true, messages: c.Stdout, format: "gnu", record: 10240}
	f := c.Flags()
	f.Hint = tarHint
	f.Ordered = true
	j.flags = f
	j.declare(f)
	j.declareExtract(f)
	j.declareStore(f)
	j.declareMatching(f)
	j.declareLists(f)
	j.declareRest(f)
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
	if err == nil {
		err = j.settle()
	}
	if err != nil {
		return j.misuse(f, err)
	}
	defer j.endChildren()
	if j.indexFile != "" {
		index, err := c.FS.Create(j.indexFile)
		if err != nil {
			return j.finish(j.fatal("%s: Cannot open: %v", j.indexFile, openError(err)))
		}
		defer index.Close()
		j.messages = index
	}
	switch j.mode {
	case 'c':
		err = j.create()
	case 'r', 'u':
		err = j.appendFiles()
	case 'D':
		err = j.deleteMembers()
	case 'A':
		err = j.concatenate()
	default:
		err = j.read()
	}
	return j.finish(err)
}

// settle derives from the options what follows from several of them.
func (j *tarJob) settle() error {
	if j.program != "" {
		j.method = j.programMethod()
	}
	if j.occurrence > 0 && len(j.operands) == 0 {
		return builtins.Usage("--occurrence is meaningless without a file list")
	}
	if j.wantTop && j.top == "" {
		base := path.Base(j.archive)
		if m := methodFor(base); m != nil {
			base = strings.TrimSuffix(base, path.Ext(base))
			if m.suffix == "" || !strings.HasSuffix(j.archive, m.suffix) {
				base += ".tar" // the suffix was one such as .tgz
			}
		}
		if j.top = strings.TrimSuffix(base, ".tar"); j.top == base || j.top == "" {
			return builtins.Usage("Cannot deduce top-level directory name; please set it explicitly with --one-top-level=DIR")
		}
	}
	return nil
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
	case !j.failed && j.differs:
		return builtins.Exit(1)
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
