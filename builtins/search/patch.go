package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "patch",
	Synopsis: "[OPTION]... [ORIGFILE [PATCHFILE]]",
	Summary:  "apply a diff to files",
	Trouble:  2,
	Run:      func(_ context.Context, c *builtins.Call) error { return runPatch(c) },
})

// A patcher is one run of patch.
type patcher struct {
	*builtins.Call
	stripDirs                int // -1 means that only the last element of a name counts
	fuzz                     int64
	reverse, force, batch    bool
	forward                  bool
	backup, noMismatchBackup bool
	suffix                   string // of backups
	prefix, basePrefix       string
	rejectFormat             string
	output, rejects          string
	dryRun, silent           bool
	removeEmpty, loose       bool
	kind                     byte // the only kind of diff to look for, or 0

	operand  string
	messages io.Writer
	held     int
	failed   bool
	started  bool // something has been written to the file of -o
}

func runPatch(c *builtins.Call) error {
	p := &patcher{Call: c, stripDirs: -1, fuzz: 2, messages: c.Stdout}
	var input, dir string
	f := c.Flags()
	f.Hint = "patch: Try 'patch --help' for more information.\n"
	f.Func("p,strip", "strip `NUM` leading components from file names", func(s string) error {
		n, err := strconv.ParseUint(s, 10, 31)
		if err != nil {
			return fmt.Errorf("**** strip count %s is not a number", s)
		}
		p.stripDirs = int(n)
		return nil
	})
	f.Func("F,fuzz", "set how many lines of context may differ to `LINES`", func(s string) error {
		n, err := strconv.ParseUint(s, 10, 31)
		if err != nil {
			return fmt.Errorf("**** fuzz factor %s is not a number", s)
		}
		p.fuzz = int64(n)
		return nil
	})
	f.Bool(&p.loose, "l,ignore-whitespace", "ignore white space changes between patch and input")
	f.Do("c,context", "the patch is a context diff", func() error { p.kind = 'c'; return nil })
	f.Do("u,unified", "the patch is a unified diff", func() error { p.kind = 'u'; return nil })
	f.Do("n,normal", "the patch is a normal diff", func() error { p.kind = 'n'; return nil })
	f.Bool(&p.forward, "N,forward", "ignore patches that seem reversed or already applied")
	f.Bool(&p.reverse, "R,reverse", "the patch was made with old and new files swapped")
	f.String(&input, "i,input", "read the patch from `PATCHFILE`")
	f.String(&p.output, "o,output", "write patched files to `FILE`")
	f.String(&p.rejects, "r,reject-file", "write rejects to `FILE`")
	f.Func("reject-format", "write rejects as `FORMAT`: context or unified", func(s string) error {
		if s != "context" && s != "unified" {
			fmt.Fprint(c.Stderr, f.Hint)
			return builtins.Exit(2)
		}
		p.rejectFormat = s
		return nil
	})
	f.Bool(new(bool), "binary", "do not convert line ends, which is never done")
	f.Info("", "v")
	f.String(&p.prefix, "B,prefix", "what stands before the names of backups: `PREFIX`")
	f.String(&p.basePrefix, "Y,basename-prefix", "what stands before the last elements of the names of backups: `PREFIX`")
	f.Bool(&p.removeEmpty, "E,remove-empty-files", "remove files that are empty after patching")
	f.Bool(&p.batch, "t,batch", "ask no questions, assume reversed if it seems so")
	f.Bool(&p.force, "f,force", "ask no questions, assume that the patch is right")
	f.Bool(&p.silent, "s,quiet,silent", "work silently unless something is wrong")
	f.Bool(&p.dryRun, "dry-run", "change nothing, only say what would happen")
	f.Bool(&p.backup, "b,backup", "back up the original of each file")
	f.Do("backup-if-mismatch", "back up if the patch does not match exactly, which is the default", func() error { p.noMismatchBackup = false; return nil })
	f.Bool(&p.noMismatchBackup, "no-backup-if-mismatch", "back up if asked to only")
	f.String(&p.suffix, "z,suffix", "what is added to the names of backups: `SUFFIX`")
	f.String(&dir, "d,directory", "change to `DIR` first")
	operands, err := f.Parse()
	if err != nil {
		return err
	}
	if len(operands) > 2 {
		return f.Fail(builtins.Usage("%s: extra operand", builtins.QuoteMaybe(operands[2])))
	}
	if len(operands) > 0 {
		p.operand = operands[0]
	}
	if len(operands) > 1 {
		input = operands[1]
	}
	if p.output == "-" {
		p.messages = c.Stderr
	}
	defer func() { p.Free(p.held) }()
	return p.enter(dir, input)
}

// enter changes to the directory and applies the patch.
func (p *patcher) enter(dir, input string) error {
	if dir != "" {
		info, err := p.FS.Stat(dir)
		if err == nil && !info.IsDir() {
			err = vfs.ENOTDIR
		}
		if err != nil {
			return p.fatal("Can't change to directory %s : %v", builtins.QuoteMaybe(dir), vfs.ErrnoOf(err))
		}
		view := *p.FS
		view.Dir = p.FS.Abs(dir)
		p.FS = &view
	}
	r := p.Stdin
	if input != "" && input != "-" {
		file, err := p.FS.Open(input)
		if err != nil {
			return p.fatal("Can't open patch file %s : %v", builtins.QuoteMaybe(input), vfs.ErrnoOf(err))
		}
		defer file.Close()
		r = file
	}
	lines, err := p.readLines(r)
	if err != nil {
		return err
	}
	// The reader and the hunks refer to lines, and change few of them.
	if err := p.hold(4 * 24 * len(lines)); err != nil {
		return err
	}
	return p.apply(&patchReader{patcher: p, lines: lines})
}

func (p *patcher) apply(r *patchReader) error {
	some := false
	for {
		d, err := r.next()
		if err != nil {
			return err
		}
		if d == nil {
			break
		}
		some = true
		if err := p.file(d); err != nil {
			return err
		}
	}
	if !some && len(r.lines) > 0 {
		if p.output != "" && p.output != "-" && !p.dryRun {
			if f, err := p.FS.Create(p.output); err == nil { // GNU: it is there by now
				_ = f.Close()
			}
		}
		return p.fatal("Only garbage was found in the patch input.")
	}
	if p.failed {
		return builtins.Exit(1)
	}
	return nil
}

func (p *patcher) wants(kind byte) bool { return p.kind == 0 || p.kind == kind }

// hold charges memory that is given back at the end.
func (p *patcher) hold(n int) error {
	err := p.Alloc(n)
	if err == nil {
		p.held += n
	}
	return err
}

// readLines returns the lines of r with their newlines.
func (p *patcher) readLines(r io.Reader) ([][]byte, error) {
	data := buffer{call: p.Call}
	var block [16 << 10]byte
	for {
		n, err := r.Read(block[:])
		if addErr := errors.Join(data.add(block[:n]), p.Poll(1+n>>6)); addErr != nil {
			data.release()
			return nil, addErr
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			data.release()
			return nil, p.fatal("read error : %v", vfs.ErrnoOf(err))
		}
	}
	p.held += cap(data.b)
	if err := p.hold(24 * (bytes.Count(data.b, []byte("\n")) + 1)); err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(data.b, []byte("\n"))
	if n := len(lines) - 1; len(lines[n]) == 0 {
		lines = lines[:n]
	}
	return lines, nil
}

// say prints a message.
func (p *patcher) say(format string, args ...any) { fmt.Fprintf(p.messages, format, args...) }

func (p *patcher) fatal(format string, args ...any) error {
	fmt.Fprintf(p.Stderr, "patch: **** "+format+"\n", args...)
	return builtins.Exit(2)
}

// target returns the name of the file that d is about: the best of those that
// exist, or else the one that d creates. It is "" where there is none.
func (p *patcher) target(d *fileDiff) string {
	if p.operand != "" {
		return p.operand
	}
	from, to := 0, 1
	if p.reverse {
		from, to = 1, 0
	}
	if d.renamed[from] != "" {
		return d.renamed[from]
	}
	best := ""
	for _, name := range []string{d.names[0], d.names[1], d.index} {
		if name == "" {
			continue
		}
		if _, err := p.FS.Lstat(name); err == nil && (best == "" || better(name, best)) {
			best = name
		}
	}
	if best == "" && d.creates(from) {
		best = d.names[to]
	}
	if best == "" && (d.git || d.absent[to]) {
		best = d.names[from]
	}
	return best
}

// creates reports whether d says that there is nothing before it.
func (d *fileDiff) creates(from int) bool {
	return d.saysEmpty(from)
}

// better reports whether a has fewer directories than b, or is shorter.
func better(a, b string) bool {
	depth := func(s string) int { return bytes.Count([]byte(s), []byte("/")) }
	switch {
	case depth(a) != depth(b):
		return depth(a) < depth(b)
	case len(path.Base(a)) != len(path.Base(b)):
		return len(path.Base(a)) < len(path.Base(b))
	}
	return len(a) < len(b)
}

// noTarget explains that there is no file for d.
func (p *patcher) noTarget(d *fileDiff) {
	p.failed = true
	p.say("can't find file to patch at input line %d\n", d.line)
	if p.stripDirs < 0 {
		p.say("Perhaps you should have used the -p or --strip option?\n")
	} else {
		p.say("Perhaps you used the wrong -p or --strip option?\n")
	}
	if len(d.lead) > 0 {
		p.say("The text leading up to this was:\n--------------------------\n")
		for _, line := range d.lead {
			p.say("|%s\n", bytes.TrimRight(line, "\n"))
		}
		p.say("--------------------------\n")
	}
	if p.force || p.batch {
		p.say("No file to patch.  Skipping patch.\n")
	} else {
		// The questions, which nobody is there to answer.
		p.say("File to patch: \nSkip this patch? [y] \nSkipping patch.\n")
	}
	p.ignored(len(d.hunks))
}

func (p *patcher) ignored(hunks int) {
	p.failed = true
	p.say("%d out of %d hunk%s ignored\n", hunks, hunks, plural(hunks))
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// reversed decides what to do about a patch that seems reversed, as what says;
// it reports whether to reverse it. Otherwise skip says whether to leave it out.
func (p *patcher) reversed(what string) (reverse, skip bool) {
	switch question, ignore := "Assume", "Assuming"; {
	case p.forward:
		p.say("%s  Skipping patch.\n", what)
		return false, true
	case p.force:
		p.say("%s  Applying it anyway.\n", what)
		return false, false
	default:
		if p.reverse {
			question, ignore = "Ignore", "Ignoring"
		}
		if p.batch {
			p.say("%s  %s -R.\n", what, ignore)
			return true, false
		}
		p.say("%s  %s -R? [n] \nApply anyway? [n] \nSkipping patch.\n", what, question)
		return false, true
	}
}

// gitMode returns the permissions that git means by the mode of a file.
func gitMode(s string) (fs.FileMode, bool) {
	n, err := strconv.ParseUint(s, 8, 32)
	return fs.FileMode(n) & fs.ModePerm, err == nil
}
