package archive

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/account"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "cpio",
	Synopsis: "-o | -i [PATTERN]... | -t [PATTERN]... | -p DIRECTORY [OPTION]...",
	Summary:  "copy files to and from archives; names of files to store are read from standard input",
	Trouble:  2,
	Run:      runCpio,
})

// cpioTrailer is the name of the member that ends an archive.
const cpioTrailer = "TRAILER!!!"

// A cpioJob is one run of cpio.
type cpioJob struct {
	*builtins.Call
	mode    byte // o, i or p
	list    bool // -t
	format  cpioFormat
	null    bool
	file    string // the archive
	dirs    bool   // -d
	over    bool   // -u
	times   bool   // -m
	verbose bool
	dots    bool
	quiet   bool
	numeric bool
	link    bool // -l
	follow  bool // -L
	invert  bool // -f
	stdout  bool
	paths   bool // absolute names are kept
	owner   string
	keep    bool // --no-preserve-owner
	dir     string

	badFormat string // one that there is not

	view     *vfs.View
	patterns []*pattern.Pattern
	blocks   counter
	pending  []restoredTimes // of directories
}

// restoredTimes are times that are set at the end.
type restoredTimes struct {
	name string
	at   time.Time
}

func runCpio(ctx context.Context, c *builtins.Call) error {
	j := &cpioJob{Call: c, view: c.FS}
	f := c.Flags()
	f.Hint = fmt.Sprintf("Try '%s --help' or '%s --usage' for more information.\n", c.Name, c.Name)
	var patternFile string
	mode := func(m byte) func() error { return func() error { j.mode = m; return nil } }
	f.Do("i,extract", "extract files from an archive", mode('i'))
	f.Do("o,create", "create an archive of the files that standard input names", mode('o'))
	f.Do("p,pass-through", "copy the files that standard input names to a directory", mode('p'))
	f.Bool(&j.list, "t,list", "list the members of an archive")
	f.Bool(&j.null, "0,null", "names end in NUL")
	f.Do("B", "use blocks of 5120 bytes, which changes nothing here", func() error { return nil })
	f.Do("c", "use the old portable format", func() error { j.format = cpioODC; return nil })
	f.Func("C,io-size", "use blocks of `N` bytes, which changes nothing here", func(string) error { return nil })
	f.String(&j.dir, "D,directory", "change to the directory `DIR`")
	f.Bool(&j.dirs, "d,make-directories", "make directories where they are needed")
	f.String(&patternFile, "E,pattern-file", "read patterns from `FILE`")
	f.Bool(&j.invert, "f,nonmatching", "take members that match no pattern")
	f.String(&j.file, "F,I,O,file", "the archive is `FILE`")
	f.Func("H,format", "the `FORMAT` of the archive: bin, odc, newc or crc", j.setFormat)
	f.Bool(&j.link, "l,link", "with -p, link files rather than copying them")
	f.Bool(&j.follow, "L,dereference", "store what symbolic links refer to")
	f.Bool(&j.times, "m,preserve-modification-time", "keep the times of files")
	f.Bool(&j.numeric, "n,numeric-uid-gid", "list users and groups by number")
	f.Do("no-absolute-filenames", "make all files below the directory, as without an option", func() error { return nil })
	f.Bool(&j.paths, "absolute-filenames", "do not take slashes from the beginning of names")
	f.Bool(&j.keep, "no-preserve-owner", "do not change the owners of files")
	f.Bool(&j.quiet, "quiet", "do not tell the number of blocks")
	f.String(&j.owner, "R,owner", "the owner of all files: `[USER][:.][GROUP]`")
	f.Bool(&j.stdout, "to-stdout", "extract to standard output")
	f.Bool(&j.over, "u,unconditional", "replace newer files too")
	f.Bool(&j.verbose, "v,verbose", "tell the names of files")
	f.Bool(&j.dots, "V,dot", "print a dot for each file")
	args, err := f.Parse()
	if err == builtins.Exit(2) {
		return builtins.Exit(64) // BSD's EX_USAGE
	}
	if err != nil {
		return err
	}
	if j.list {
		j.mode = 'i'
	}
	switch {
	case j.badFormat != "":
		return f.Fail(builtins.Usage("invalid archive format `%s'; valid formats are:\ncrc newc odc bin ustar tar (all-caps also recognized)", j.badFormat))
	case j.mode == 0:
		return f.Fail(builtins.Usage("You must specify one of -oipt options."))
	case j.mode == 'o' && len(args) > 0:
		return f.Fail(builtins.Usage("Too many arguments"))
	case j.mode == 'p' && len(args) != 1:
		return f.Fail(builtins.Usage("Too many arguments"))
	}
	if j.dir != "" {
		view := *c.FS
		view.Dir = path.Clean(c.FS.Abs(j.dir))
		if info, err := view.Stat("."); err != nil || !info.IsDir() {
			c.Warnf("cannot change to directory `%s': %v", j.dir, vfs.ENOENT)
			return nil
		}
		j.view = &view
	}
	switch j.mode {
	case 'o':
		err = j.copyOut()
	case 'p':
		err = j.pass(args[0])
	default:
		if patternFile != "" {
			if args, err = j.patternLines(patternFile, args); err != nil {
				return err
			}
		}
		for _, a := range args {
			j.patterns = append(j.patterns, pattern.Compile(a, 0))
		}
		err = j.copyIn()
	}
	return err
}

func (j *cpioJob) setFormat(s string) error {
	for i, name := range cpioFormats {
		if strings.ToLower(s) == name {
			j.format = cpioFormat(i)
			return nil
		}
	}
	j.badFormat = s
	return nil
}

func (j *cpioJob) patternLines(name string, args []string) ([]string, error) {
	r, err := j.Open(name)
	if err != nil {
		return nil, builtins.FileError(name, err)
	}
	defer r.Close()
	err = j.names(r, func(name string) error { args = append(args, name); return nil })
	return args, err
}

// names calls do with each name of a list.
func (j *cpioJob) names(r io.Reader, do func(string) error) error {
	delim := byte('\n')
	if j.null {
		delim = 0
	}
	in := j.Lines(r, delim)
	defer in.Close()
	for {
		line, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ = builtins.TrimDelim(line, delim)
		if len(line) == 0 {
			continue
		}
		if err := do(string(line)); err != nil {
			return err
		}
	}
}

// summary tells how much has been copied.
func (j *cpioJob) summary(bytes int64) {
	if j.dots {
		fmt.Fprintln(j.Stderr)
	}
	if j.quiet {
		return
	}
	n := (bytes + 511) / 512
	word := "blocks"
	if n == 1 {
		word = "block"
	}
	fmt.Fprintf(j.Stderr, "%d %s\n", n, word)
}

// shown tells of a file that has been copied.
func (j *cpioJob) shown(name string) {
	switch {
	case j.dots:
		fmt.Fprint(j.Stderr, ".")
	case j.verbose:
		fmt.Fprintln(j.Stderr, name)
	}
}

// wants reports whether a member is asked for.
func (j *cpioJob) wants(name string) bool {
	matched := len(j.patterns) == 0
	for _, p := range j.patterns {
		matched = matched || p.Match(name)
	}
	return matched != j.invert
}

// copyIn lists or extracts an archive.
func (j *cpioJob) copyIn() error {
	src := j.Stdin
	if j.file != "" {
		f, err := j.FS.Open(j.file)
		if err != nil {
			j.Warnf("Cannot open %s: %w", j.file, vfs.ErrnoOf(err))
			return nil
		}
		defer f.Close()
		src = f
	}
	n := &counter{Reader: polled{src, j.Call}}
	r := &cpioReader{r: bufio.NewReaderSize(n, 32<<10)}
	x := &cpioExtractor{cpioJob: j, empty: map[[2]uint64][]string{}, made: map[[2]uint64]string{}}
	users, groups := account.Users(j.FS), account.Groups(j.FS)
	out := bufio.NewWriter(j.Stdout)
	for {
		if err := j.Poll(1); err != nil {
			return err
		}
		h, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			_ = out.Flush()
			if j.Ends(err) {
				return err
			}
			j.Warn(err)
			return nil
		}
		content := io.LimitReader(r.r, h.size)
		switch {
		case !j.wants(h.name):
		case j.list:
			target := ""
			if j.verbose && h.mode&0o170000 == 0o120000 {
				b, _ := io.ReadAll(io.LimitReader(content, 4096))
				target = " -> " + string(b)
			}
			if j.verbose {
				out.WriteString(j.long(h, users, groups))
			}
			if _, err := out.WriteString(h.name + target + "\n"); err != nil {
				return err
			}
		case j.stdout:
			if _, err := transfer(j.Call, out, content); err != nil {
				return err
			}
		default:
			if err := x.member(h, content); err != nil {
				return err
			}
		}
		if err := r.skip(j.Call, content); err != nil {
			j.Warn(err)
			return nil
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, p := range j.pending {
		_ = j.view.Chtimes(p.name, p.at, p.at)
	}
	j.summary(n.n)
	return nil
}

// long returns what -tv shows of a member, up to its name.
func (j *cpioJob) long(h *cpioHeader, users, groups *account.Table) string {
	user, ok := users.Name(int(h.uid))
	if !ok || j.numeric {
		user = fmt.Sprint(h.uid)
	}
	group, ok := groups.Name(int(h.gid))
	if !ok || j.numeric {
		group = fmt.Sprint(h.gid)
	}
	at := time.Unix(h.mtime, 0).In(time.UTC)
	format := "Jan _2 15:04"
	if now := j.Clock.Now(); now.Sub(at) > 6*30*24*time.Hour || at.Sub(now) > time.Hour {
		format = "Jan _2  2006"
	}
	size := fmt.Sprint(h.size)
	if kind := h.mode & 0o170000; kind == 0o020000 || kind == 0o060000 {
		size = fmt.Sprintf("%3d, %3d", h.rdev>>8, h.rdev&0xff)
	}
	return fmt.Sprintf("%s %3d %-8s %-8s %8s %s ", filemode.Letters(h.mode), h.nlink, user, group, size, at.Format(format))
}
