package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/afero"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "shred",
	Synopsis: "[OPTION]... FILE...",
	Summary:  "overwrite a file to hide its contents, and optionally delete it",
	Run:      runShred,
})

// A shredder overwrites files.
type shredder struct {
	c       *builtins.Call
	force   bool
	passes  int64
	size    int64 // -1 for that of the file
	remove  string
	verbose bool
	exact   bool
	zero    bool
	random  io.Reader
	buffer  []byte
}

func runShred(_ context.Context, c *builtins.Call) error {
	s := &shredder{c: c, passes: 3, size: -1, random: c.Rand}
	var source *string
	f := c.Flags()
	f.Bool(&s.force, "f,force", "change permissions to allow writing if necessary")
	f.Func("n,iterations", "overwrite `N` times instead of the default (3)", func(v string) (err error) {
		if s.passes, err = strconv.ParseInt(v, 10, 31); err != nil || s.passes < 0 {
			return fmt.Errorf("invalid number of passes: %s", builtins.QuoteLocale(v))
		}
		return nil
	})
	f.Func("random-source", "get random bytes from `FILE`", func(v string) error {
		if source != nil && *source != v {
			return errors.New("multiple random sources specified")
		}
		source = &v
		return nil
	})
	f.Func("s,size", "shred `N` bytes (suffixes like K, M, G accepted)", func(v string) (err error) {
		if s.size, err = parseSize(v, "cbBkKMGTPEZY0"); err != nil {
			return fmt.Errorf("invalid file size: %s", builtins.QuoteLocale(v))
		}
		return nil
	})
	f.Do("u", "deallocate and remove file after overwriting", func() error { s.remove = "wipesync"; return nil })
	f.OptionalEnum(&s.remove, "wipesync", "remove", "remove", []string{"unlink", "wipe", "wipesync"}, "like -u but give control on `HOW` to delete")
	f.Bool(&s.verbose, "v,verbose", "show progress")
	f.Bool(&s.exact, "x,exact", "do not round file sizes up to the next full block")
	f.Bool(&s.zero, "z,zero", "add a final overwrite with zeros to hide shredding")
	names, err := f.Parse()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return f.Fail(builtins.Usage("missing file operand"))
	}
	if source != nil {
		file, err := c.FS.Open(*source)
		if err != nil {
			return builtins.FileError(*source, err)
		}
		defer file.Close()
		s.random = file
	}
	const size = 64 << 10
	if err := c.Alloc(size); err != nil {
		return err
	}
	defer c.Free(size)
	s.buffer = make([]byte, size)
	for _, name := range names {
		if err := s.file(name); err != nil {
			if err := warn(c, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// say prints what -v wants to be told of a file.
func (s *shredder) say(name, format string, args ...any) {
	if s.verbose {
		fmt.Fprintf(s.c.Stderr, "%s: %s: %s\n", s.c.Name, builtins.QuoteMaybe(name), fmt.Sprintf(format, args...))
	}
}

func (s *shredder) file(name string) error {
	fail := func(what string, err error) error {
		return fmt.Errorf("%s: %s: %w", builtins.QuoteMaybe(name), what, reason(err))
	}
	file, err := s.c.FS.OpenFile(name, vfs.O_WRONLY, 0)
	if reason(err) == vfs.EACCES && s.force {
		if err = s.c.FS.Chmod(name, filemode.Mode(0o200)); err == nil {
			file, err = s.c.FS.OpenFile(name, vfs.O_WRONLY, 0)
		}
	}
	if err != nil {
		return fail("failed to open for writing", err)
	}
	err = s.overwrite(file, name)
	if err == nil && s.remove != "" {
		if err = file.Truncate(0); err != nil {
			err = fail("error truncating", err)
		}
	}
	if e := file.Close(); e != nil && err == nil {
		err = fail("failed to close", e)
	}
	if err != nil || s.remove == "" {
		return err
	}
	return s.wipe(name)
}

// overwrite makes all passes over a file.
func (s *shredder) overwrite(file afero.File, name string) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("%s: fstat failed: %w", builtins.QuoteMaybe(name), reason(err))
	}
	if !info.Mode().IsRegular() && s.size < 0 {
		return fmt.Errorf("%s: invalid file type", builtins.QuoteMaybe(name))
	}
	size := s.size
	if size < 0 {
		size = info.Size()
		if rest := size % ioBlock; !s.exact && rest != 0 {
			size += ioBlock - rest
		}
	}
	if size == 0 {
		return nil
	}
	passes := shredPasses(s.passes)
	if s.zero {
		passes = append(passes, "000000")
	}
	for i, pass := range passes {
		s.say(name, "pass %d/%d (%s)...", i+1, len(passes), pass)
		if err := s.pass(file, name, pass, size); err != nil {
			return err
		}
	}
	return nil
}

// shredPatterns are the passes that are not random, in the order in which they
// are taken.
var shredPatterns = []string{"000000", "ffffff", "555555", "aaaaaa", "492492", "924924", "249249", "db6db6", "b6db6d", "6db6db", "111111",
	"222222", "333333", "444444", "666666", "777777", "888888", "999999", "bbbbbb", "cccccc", "dddddd", "eeeeee"}

// shredPasses returns n passes: random ones, and for many also patterns between
// them.
func shredPasses(n int64) []string {
	passes := make([]string, 0, min(n, 1<<10))
	for i := range n {
		if n > 3 && i%2 == 1 && i != n-1 {
			passes = append(passes, shredPatterns[int(i/2)%len(shredPatterns)])
		} else {
			passes = append(passes, "random")
		}
	}
	return passes
}

// pass overwrites a file once.
func (s *shredder) pass(file afero.File, name, pass string, size int64) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("%s: cannot rewind: %w", builtins.QuoteMaybe(name), reason(err))
	}
	unit := int64(len(s.buffer) / 3 * 3)
	for at := int64(0); at < size; at += unit {
		p := s.buffer[:min(unit, size-at)]
		if err := s.c.Poll(1 + len(p)>>12); err != nil {
			return err
		}
		if err := s.fill(p, pass); err != nil {
			return err
		}
		if _, err := file.Write(p); err != nil {
			return fmt.Errorf("%s: error writing at offset %d: %w", builtins.QuoteMaybe(name), at, reason(err))
		}
	}
	return nil
}

func (s *shredder) fill(p []byte, pass string) error {
	if pass == "random" {
		if _, err := io.ReadFull(s.random, p); err != nil {
			return fmt.Errorf("random source: %w", reason(err))
		}
		return nil
	}
	bits, _ := strconv.ParseUint(pass, 16, 32)
	three := [3]byte{byte(bits >> 16), byte(bits >> 8), byte(bits)}
	for i := range p {
		p[i] = three[i%3]
	}
	return nil
}

// wipe removes a file, after giving it shorter and shorter names.
func (s *shredder) wipe(name string) error {
	s.say(name, "removing")
	at := name
	if s.remove != "unlink" {
		base := walk.Base(name)
		dir := name[:len(name)-len(base)]
		for n := len(base); n > 0; n-- {
			next := dir + strings.Repeat("0", n)
			if _, err := s.c.FS.Lstat(next); err == nil {
				continue
			}
			if err := s.c.FS.Rename(at, next); err != nil {
				continue
			}
			s.say(at, "renamed to %s", next)
			at = next
		}
	}
	if err := s.c.FS.Remove(at); err != nil {
		return fmt.Errorf("%s: failed to remove: %w", builtins.QuoteMaybe(at), reason(err))
	}
	s.say(name, "removed")
	return nil
}
