package file

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/dateparse"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "touch",
	Synopsis: "[OPTION]... FILE...",
	Summary:  "change file timestamps",
	Run:      runTouch,
})

// A toucher sets the times of files.
type toucher struct {
	c            *builtins.Call
	access, mod  bool // which times; both where neither is set
	noCreate     bool
	noDeref      bool
	atime, mtime time.Time
}

func runTouch(_ context.Context, c *builtins.Call) error {
	t := &toucher{c: c}
	var date, stamp, ref *string
	text := func(p **string) func(string) error {
		return func(s string) error { *p = &s; return nil }
	}
	f := c.Flags()
	f.Bool(&t.access, "a", "change only the access time")
	f.Bool(&t.noCreate, "c,no-create", "do not create any files")
	f.Func("d,date", "parse `STRING` and use it instead of current time", text(&date))
	f.Do("f", "(ignored, as POSIX has it)", func() error { return nil })
	f.Do("h,no-dereference", "affect each symbolic link instead of any referenced file", func() error {
		t.noDeref = true
		return nil
	})
	f.Bool(&t.mod, "m", "change only the modification time")
	f.Func("r,reference", "use the times of `FILE` instead of current time", text(&ref))
	f.Func("t", "use `STAMP` ([[CC]YY]MMDDhhmm[.ss]) instead of current time", func(s string) error {
		if _, ok := parseStamp(s, c.Clock.Now()); !ok {
			return fmt.Errorf("invalid date format %s", builtins.QuoteLocale(s))
		}
		return text(&stamp)(s)
	})
	f.Func("time", "change the time that `WORD` names: access (-a) or modify (-m)", func(s string) error {
		var which string
		err := builtins.Choose(&which, s, "time", []string{"atime,access,use", "mtime,modify"})
		t.access, t.mod = t.access || which == "atime", t.mod || which == "mtime"
		return err
	})
	names, err := f.Parse()
	switch {
	case err != nil:
		return err
	case stamp != nil && (date != nil || ref != nil):
		return f.Fail(builtins.Usage("cannot specify times from more than one source"))
	}
	if err := t.source(date, stamp, ref); err != nil {
		return err
	}
	if len(names) == 0 {
		return f.Fail(builtins.Usage("missing file operand"))
	}
	if t.access != t.mod { // a zero time leaves what is there
		if t.access {
			t.mtime = time.Time{}
		} else {
			t.atime = time.Time{}
		}
	}
	for _, name := range names {
		if err := c.Poll(1); err != nil {
			return err
		}
		if err := t.touch(name); err != nil {
			c.Warn(err)
		}
	}
	return nil
}

// source finds out which times to set.
func (t *toucher) source(date, stamp, ref *string) error {
	now := vfs.Tick(localTime(t.c)) // the kernel's clock for files, as for what touch creates
	t.atime, t.mtime = now, now
	if ref != nil {
		look := t.c.FS.Stat
		if t.noDeref {
			look = t.c.FS.Lstat
		}
		info, err := look(*ref)
		if err != nil {
			return fmt.Errorf("failed to get attributes of %s: %w", builtins.Quote(*ref), reason(err))
		}
		t.atime, t.mtime = vfs.StatOf(info).Atime.In(now.Location()), info.ModTime().In(now.Location())
	}
	if date != nil {
		for _, p := range []*time.Time{&t.atime, &t.mtime} {
			parsed, ok := dateparse.Parse(*date, *p)
			if !ok {
				return fmt.Errorf("invalid date format %s", builtins.QuoteLocale(*date))
			}
			*p = parsed
		}
	}
	if stamp != nil {
		parsed, ok := parseStamp(*stamp, now)
		if !ok {
			return fmt.Errorf("invalid date format %s", builtins.QuoteLocale(*stamp))
		}
		t.atime, t.mtime = parsed, parsed
	}
	return nil
}

// parseStamp parses [[CC]YY]MMDDhhmm[.ss].
func parseStamp(s string, now time.Time) (time.Time, bool) {
	digits, seconds, dot := strings.Cut(s, ".")
	if dot && len(seconds) != 2 || strings.Trim(digits+seconds, "0123456789") != "" {
		return time.Time{}, false
	}
	var n []int
	for i := 0; i+2 <= len(digits); i += 2 {
		pair, _ := strconv.Atoi(digits[i : i+2])
		n = append(n, pair)
	}
	year := now.Year()
	switch len(digits) {
	case 8:
	case 10:
		if year, n = 1900+n[0], n[1:]; year < 1969 {
			year += 100
		}
	case 12:
		year, n = n[0]*100+n[1], n[2:]
	default:
		return time.Time{}, false
	}
	sec, _ := strconv.Atoi("0" + seconds)
	t := time.Date(year, time.Month(n[0]), n[1], n[2], n[3], sec, 0, now.Location())
	valid := n[0] >= 1 && n[0] <= 12 && n[1] >= 1 && n[2] < 24 && n[3] < 60 && sec <= 60
	check := time.Date(year, time.Month(n[0]), n[1], 0, 0, 0, 0, time.UTC)
	return t, valid && check.Day() == n[1]
}

// isSpecial reports whether name is a file that is no regular one: there is
// nothing to create, and opening a FIFO would wait for somebody who reads it.
func (t *toucher) isSpecial(name string) bool {
	info, err := t.c.FS.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

func (t *toucher) touch(name string) error {
	if name == "-" {
		return t.output()
	}
	var opened error
	if !t.noCreate && !t.noDeref && !t.isSpecial(name) {
		file, err := t.c.FS.OpenFile(name, vfs.O_WRONLY|vfs.O_CREATE, 0o666)
		if err == nil {
			err = file.Close()
		}
		if e := reason(err); e != vfs.EISDIR && e != vfs.EINVAL && e != vfs.EPERM && e != vfs.ENXIO {
			opened = e
		}
	}
	set := t.c.FS.Chtimes
	if t.noDeref {
		set = t.c.FS.Lchtimes
	}
	err := set(name, t.atime, t.mtime)
	switch {
	case err == nil:
		return nil
	case opened != nil:
		return fmt.Errorf("cannot touch %s: %w", builtins.Quote(name), opened)
	case t.noCreate && reason(err) == vfs.ENOENT:
		return nil
	}
	return fmt.Errorf("setting times of %s: %w", builtins.Quote(name), reason(err))
}

// output sets the times of standard output where it is a file.
func (t *toucher) output() error {
	file, ok := t.c.Stdout.(interface{ Name() string })
	if !ok {
		return nil
	}
	if err := t.c.FS.Chtimes(file.Name(), t.atime, t.mtime); err != nil {
		return fmt.Errorf("setting times of %s: %w", builtins.Quote("-"), reason(err))
	}
	return nil
}
