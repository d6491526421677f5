package text

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// A follow is how tail -f goes on.
type follow struct {
	how      string // descriptor, name, or "" for not at all
	retry    bool
	interval time.Duration
	checks   uint64 // --max-unchanged-stats
	pid      uint64
}

func (w *follow) on() bool     { return w.how != "" }
func (w *follow) byName() bool { return w.how == "name" }

// flags declares the options about following.
func (w *follow) flags(f *builtins.Flags) {
	f.OptionalEnum(&w.how, "descriptor", "f,follow", "follow", []string{"descriptor", "name"}, "print what is added to the file; `HOW` is name or descriptor")
	f.Do("F", "the same as --follow=name --retry", func() error { w.how, w.retry = "name", true; return nil })
	f.Func("max-unchanged-stats", "with --follow=name, reopen a file that has not changed in `N` looks", func(s string) (err error) {
		w.checks, err = numberOption(s, "", 0, math.MaxUint64, "invalid maximum number of unchanged stats between opens")
		return err
	})
	f.Func("pid", "with -f, end after the process `PID`", func(s string) (err error) {
		w.pid, err = numberOption(s, "", 0, math.MaxInt32, "invalid PID")
		return err
	})
	f.Bool(&w.retry, "retry", "keep trying to open a file that is missing")
	f.Func("s,sleep-interval", "with -f, look every `N` seconds", func(s string) (err error) {
		w.interval, err = parseInterval(s)
		return err
	})
}

// check warns of options without an effect, and returns an error where what is
// asked for cannot be.
func (w *follow) check(c *builtins.Call, files []string) error {
	note := func(text string) { _, _ = io.WriteString(c.Stderr, c.Name+": warning: "+text+"\n") }
	if w.retry {
		if !w.on() {
			note("--retry ignored; --retry is useful only when following")
			w.retry = false
		} else if !w.byName() {
			note("--retry only effective for the initial open")
		}
	}
	if w.pid != 0 && !w.on() {
		note("PID ignored; --pid=PID is useful only when following")
	}
	for _, name := range files {
		if name == "-" && w.byName() {
			return fmt.Errorf("cannot follow %s by name", builtins.Quote("-"))
		}
	}
	return nil
}

// A followedFile is a file that is watched.
type followedFile struct {
	name    string
	in      *input // nil while there is none
	missing bool
	err     error // why it is missing
	info    fs.FileInfo
	size    int64
}

// note remembers how far the file was read.
func (f *followedFile) note() {
	f.info, f.size = stat(f.in.Reader), 0
	if s, ok := f.in.Reader.(io.Seeker); ok {
		f.size, _ = s.Seek(0, io.SeekCurrent)
	}
}

// watch prints what is added to the files, until the context ends.
func (t *tailer) watch(ctx context.Context, files []*followedFile) error {
	c := t.call
	defer func() {
		for _, f := range files {
			if f.in != nil {
				_ = f.in.close()
			}
		}
	}()
	files = dropPipes(files)
	var last *followedFile
	if len(files) > 0 {
		last = files[len(files)-1]
	}
	for {
		if len(files) == 0 {
			if c.Failed() {
				c.Warnf("no files remaining")
			}
			return nil
		}
		if err := t.out.flush(); err != nil {
			return err
		}
		dead := t.follow.pid != 0 && c.Processes.Signal(int(t.follow.pid), 0) == vfs.ESRCH
		changed := false
		for _, f := range files {
			more, err := t.look(f, &last)
			if err != nil {
				return err
			}
			changed = changed || more
		}
		if t.follow.byName() && !t.follow.retry {
			files = slices.DeleteFunc(files, func(f *followedFile) bool { return f.in == nil })
		}
		if dead && !changed {
			return nil
		}
		if _, err := c.Stdout.Write(nil); err != nil {
			return err // nobody reads any more
		}
		if !changed && !dead {
			if err := c.Clock.Sleep(ctx, t.follow.interval); err != nil {
				return err
			}
		}
	}
}

// dropPipes leaves out standard input where it is a pipe, for nothing is added
// to it after its end.
func dropPipes(files []*followedFile) []*followedFile {
	var kept []*followedFile
	for _, f := range files {
		if f.name == "-" && (f.info == nil || f.info.Mode()&fs.ModeNamedPipe != 0) {
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// look prints what is new in f, and reports whether there was anything. last is
// the file that was printed last.
func (t *tailer) look(f *followedFile, last **followedFile) (changed bool, err error) {
	c := t.call
	if t.follow.byName() {
		t.reopen(f)
	}
	if f.in == nil {
		return false, nil
	}
	info := stat(f.in.Reader)
	if info != nil && info.Mode().IsRegular() {
		switch {
		case info.Size() == f.size:
			return false, nil
		case info.Size() < f.size:
			c.Warnf("%s: file truncated", builtins.QuoteMaybe(f.in.title()))
			if s, ok := f.in.Reader.(io.Seeker); ok {
				_, _ = s.Seek(0, io.SeekStart)
			}
			f.size = 0
		}
	}
	err = eachBlock(c, f.in, func(b []byte) error {
		if !changed && t.titles.on && *last != f {
			t.titles.print(f.in.title())
		}
		*last, changed = f, true
		return t.out.write(b)
	})
	if c.Ends(err) {
		return changed, err
	}
	if err != nil {
		c.Warn(errnoError(err, "error reading %s", builtins.Quote(f.in.title())))
	}
	f.note()
	return changed, t.out.flush()
}

// reopen makes f the file that its name stands for now.
func (t *tailer) reopen(f *followedFile) {
	c := t.call
	info, err := c.FS.Stat(f.name)
	switch {
	case err != nil && f.in == nil:
		return
	case err != nil:
		if t.follow.retry {
			c.Warnf("%s has become inaccessible: %w", builtins.Quote(f.name), vfs.ErrnoOf(err))
		} else {
			c.Warn(builtins.FileError(f.name, err))
		}
		_ = f.in.close()
		f.in, f.missing = nil, true
		return
	case f.in != nil && (f.info == nil || vfs.SameFile(info, f.info)):
		return
	}
	in, err := openInput(c, f.name)
	if err != nil {
		return
	}
	what := "has been replaced; "
	if f.missing {
		what = "has appeared; "
	}
	c.Warnf("%s %s following new file", builtins.Quote(f.name), what)
	if f.in != nil {
		_ = f.in.close()
	}
	f.in, f.missing = in, false
	f.note()
}
