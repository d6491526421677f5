package search

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// A patched is a file while hunks are applied to it.
type patched struct {
	*patcher
	lines    [][]byte // of the original
	out      buffer
	frozen   int // how many lines of the original have been dealt with
	inOffset int // where hunks are found, relative to where they say
	outDelta int // how many lines hunks have added
	anyway   bool
	skip     bool
	mismatch bool
	rejected []*patchHunk
}

// file applies one diff.
func (p *patcher) file(d *fileDiff) error {
	from, to := 0, 1
	if p.reverse {
		from, to = 1, 0
		for _, h := range d.hunks {
			h.swap()
		}
	}
	name := p.target(d)
	if name == "" {
		p.noTarget(d)
		return nil
	}
	info, err := p.FS.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		p.say("File %s is not a regular file -- refusing to patch\n", builtins.QuoteMaybe(name))
		f := &patched{patcher: p, rejected: d.hunks, skip: true}
		return f.report(d, name, from, to)
	}
	exists := err == nil
	if done := p.astonishing(d, name, exists && info.Size() > 0, exists, from, to); done {
		return nil
	}
	held := p.held
	defer func() { p.Free(p.held - held); p.held = held }()
	f := &patched{patcher: p, out: buffer{call: p.Call}}
	defer f.out.release()
	if exists {
		if err := f.load(name); err != nil {
			return err
		}
	}
	outName := name
	if p.output != "" {
		outName = p.output
	} else if d.renamed[to] != "" {
		outName = d.renamed[to]
	}
	p.announce(name, outName, d.renamed[to] == outName)
	if err := f.hunks(d); err != nil {
		return err
	}
	if d.incomplete != nil && len(d.hunks) == 0 && d.cut {
		p.say("patch unexpectedly ends in middle of line\n")
	}
	if d.incomplete != nil {
		return p.fatal("%v", d.incomplete)
	}
	if err := f.rest(); err != nil {
		return err
	}
	if err := f.finish(d, name, outName, info, to); err != nil {
		return err
	}
	return f.report(d, outName, from, to)
}

// saysEmpty reports whether a side of the diff is empty.
func (d *fileDiff) saysEmpty(side int) bool {
	return d.absent[side] || len(d.hunks) > 0 && d.hunks[0].start[side] == 0 && d.hunks[0].count[side] == 0
}

// astonishing deals with a diff that would create what exists, or remove or empty what
// there is no more; it reports whether the diff is done with.
func (p *patcher) astonishing(d *fileDiff, name string, content, exists bool, from, to int) bool {
	what := ""
	switch {
	case d.absent[from] && content:
		what = fmt.Sprintf("The next patch would create the file %s,\nwhich already exists!", builtins.QuoteMaybe(name))
	case d.absent[to] && !exists:
		what = fmt.Sprintf("The next patch would delete the file %s,\nwhich does not exist!", builtins.QuoteMaybe(name))
	case exists && !content && d.saysEmpty(to):
		what = fmt.Sprintf("The next patch would empty out the file %s,\nwhich is already empty!", builtins.QuoteMaybe(name))
	default:
		return false
	}
	reverse, skip := p.reversed(what)
	if skip {
		p.ignored(len(d.hunks))
		return true
	}
	if reverse {
		p.reverse = !p.reverse
		for _, h := range d.hunks {
			h.swap()
		}
		d.absent[0], d.absent[1] = d.absent[1], d.absent[0]
	}
	return false
}

func (p *patcher) announce(name, outName string, renamed bool) {
	if p.silent {
		return
	}
	verb := "patching"
	if p.dryRun {
		verb = "checking"
	}
	p.say("%s file %s", verb, builtins.QuoteMaybe(outName))
	if name != outName {
		how := "read"
		if renamed {
			how = "renamed"
		}
		p.say(" (%s from %s)", how, builtins.QuoteMaybe(name))
	}
	p.say("\n")
}

func (f *patched) load(name string) error {
	file, err := f.FS.Open(name)
	if err != nil {
		return f.fatal("Can't open file %s : %v", builtins.QuoteMaybe(name), vfs.ErrnoOf(err))
	}
	defer file.Close()
	f.lines, err = f.readLines(file)
	return err
}

// splice copies the file up to h, and then what h has. Its context is that of
// the file.
func (f *patched) splice(h *patchHunk, where int) error {
	if err := f.copyTo(where - 1); err != nil {
		return err
	}
	at := where - 1
	for _, e := range h.edits {
		if err := f.Poll(1); err != nil {
			return err
		}
		var err error
		switch {
		case e[0] == '+':
			err = f.line(e[1:])
		case e[0] == '-':
			at++
		case at < len(f.lines):
			err = f.line(f.lines[at])
			at++
		}
		if err != nil {
			return err
		}
	}
	f.frozen = at
	f.outDelta += len(h.new) - len(h.old)
	return nil
}

// line adds a line to the result, and ends the one before it if need be.
func (f *patched) line(line []byte) error {
	if n := len(f.out.b); n > 0 && f.out.b[n-1] != '\n' {
		if err := f.out.addByte('\n'); err != nil {
			return err
		}
	}
	return f.out.add(line)
}

// copyTo copies lines of the file before the given index.
func (f *patched) copyTo(end int) error {
	for ; f.frozen < min(end, len(f.lines)); f.frozen++ {
		if err := f.line(f.lines[f.frozen]); err != nil {
			return err
		}
	}
	return nil
}

func (f *patched) rest() error { return f.copyTo(len(f.lines)) }

// finish writes the result, and removes what is no more.
func (f *patched) finish(d *fileDiff, name, outName string, info fs.FileInfo, to int) error {
	if f.dryRun {
		return nil
	}
	if info != nil && f.output == "" && !f.skip && (f.backup || !f.noMismatchBackup && (f.mismatch || len(f.rejected) > 0)) {
		if err := f.write(f.backupName(name), bytes.Join(f.lines, nil), info.Mode().Perm(), false); err != nil {
			return err
		}
	}
	if len(f.rejected) > 0 && len(f.rejected) == len(d.hunks) && f.output == "" {
		if info == nil {
			return f.fatal("Can't reopen file %s : %v", builtins.QuoteMaybe(name), vfs.ENOENT)
		}
		return nil
	}
	if f.output == "-" {
		_, err := f.Stdout.Write(f.out.b)
		return err
	}
	if f.output == "" && len(f.out.b) == 0 && (d.absent[to] || f.removeEmpty) {
		return f.remove(name)
	}
	if d.absent[to] && len(f.rejected) == 0 && f.output == "" {
		f.say("Not deleting file %s as content differs from patch\n", builtins.QuoteMaybe(outName))
		f.failed = true
	}
	mode := fs.FileMode(0o666)
	if info != nil {
		mode = info.Mode().Perm()
	}
	if f.skip {
		f.out.reset() // GNU: nothing is copied once the rest is skipped
	}
	if err := f.write(outName, f.out.b, mode, f.output != "" && f.started); err != nil {
		return err
	}
	f.started = true
	if m, ok := gitMode(d.mode); ok && f.output == "" && !f.reverse {
		if err := f.FS.Chmod(outName, m&^f.FS.Umask); err != nil {
			return err
		}
	} else if info != nil && outName != name && f.output == "" {
		if err := f.FS.Chmod(outName, mode); err != nil {
			return err
		}
	}
	if outName != name && f.output == "" {
		return f.remove(name)
	}
	return nil
}

// backupName returns the name of the backup of a file.
func (p *patcher) backupName(name string) string {
	suffix := p.suffix
	if p.prefix == "" && p.basePrefix == "" && suffix == "" {
		suffix = ".orig"
	}
	dir, base := path.Split(name)
	return p.prefix + dir + p.basePrefix + base + suffix
}

// remove removes a file, and the directories that are empty then.
func (f *patched) remove(name string) error {
	if err := f.FS.Remove(name); err != nil {
		return f.fatal("Can't remove file %s : %v", builtins.QuoteMaybe(name), vfs.ErrnoOf(err))
	}
	for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if f.FS.Remove(dir) != nil {
			break
		}
	}
	return nil
}

// write writes or appends to a file, in directories made for it.
func (p *patcher) write(name string, data []byte, mode fs.FileMode, more bool) error {
	flags := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
	if more {
		flags = vfs.O_WRONLY | vfs.O_CREATE | vfs.O_APPEND
	}
	_ = p.FS.MkdirAll(path.Dir(name), 0o777) // opening tells what is wrong
	file, err := p.FS.OpenFile(name, flags, mode)
	if err == nil {
		_, err = file.Write(data)
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
	}
	if err != nil && !p.Ends(err) {
		return p.fatal("Can't create file %s : %v", builtins.QuoteMaybe(name), vfs.ErrnoOf(err))
	}
	return err
}
