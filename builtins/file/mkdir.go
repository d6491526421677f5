package file

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "mkdir",
	Synopsis: "[OPTION]... DIRECTORY...",
	Summary:  "make directories",
	Run:      runMkdir,
})

func runMkdir(_ context.Context, c *builtins.Call) error {
	var parents, verbose bool
	var mode *string
	f := c.Flags()
	f.Func("m,mode", "set the `MODE` of the directories, as chmod does", func(s string) error { mode = &s; return nil })
	f.Bool(&parents, "p,parents", "no error if existing, make parent directories as needed")
	f.Bool(&verbose, "v,verbose", "print a message for each created directory")
	names, err := operands(f, 1, -1)
	if err != nil {
		return err
	}
	m := dirMaker{c: c, verbose: verbose, prefix: c.Name + ": created directory", out: c.Stdout}
	if mode != nil {
		change, err := filemode.Parse(*mode)
		if err != nil {
			return fmt.Errorf("invalid mode %s", builtins.QuoteLocale(*mode))
		}
		bits := change.Apply(0o777, true, filemode.Bits(c.FS.Umask))
		m.mode = &bits
	}
	for _, name := range names {
		if err := c.Poll(1); err != nil {
			return err
		}
		if parents {
			err = m.all(name)
		} else {
			err = m.one(name)
		}
		if err != nil {
			c.Warn(err)
		}
	}
	return nil
}

// A dirMaker makes directories and says so.
type dirMaker struct {
	c       *builtins.Call
	verbose bool
	mode    *uint32 // nil for what the umask leaves
	prefix  string  // of the announcement
	out     io.Writer
}

func dirError(name string, err error) error {
	return fmt.Errorf("cannot create directory %s: %w", builtins.QuoteLocale(name), reason(err))
}

func (m *dirMaker) one(name string) error {
	if err := m.make(name); err != nil {
		return dirError(name, err)
	}
	if m.mode != nil {
		if err := m.c.FS.Chmod(name, filemode.Mode(*m.mode)); err != nil {
			return fmt.Errorf("cannot set permissions of %s: %w", builtins.Quote(name), reason(err))
		}
	}
	return nil
}

// make makes a directory and announces it.
func (m *dirMaker) make(name string) error {
	if err := m.c.FS.Mkdir(name, 0o777); err != nil {
		return err
	}
	if m.verbose {
		_, err := fmt.Fprintf(m.out, "%s %s\n", m.prefix, builtins.Quote(name))
		return err
	}
	return nil
}

// all makes the directory name where it does not exist, after its parents.
func (m *dirMaker) all(name string) error {
	if info, err := m.c.FS.Stat(name); err == nil {
		if info.IsDir() {
			return nil
		}
		return dirError(name, vfs.EEXIST)
	}
	if err := m.parents(name); err != nil {
		return err
	}
	err := m.one(name)
	if err == nil {
		return nil
	}
	switch info, e := m.c.FS.Stat(name); {
	case e == nil && info.IsDir():
		return nil // made by "a/." or by somebody else
	case reason(e) == vfs.ELOOP:
		return fmt.Errorf("cannot stat %s: %w", builtins.QuoteLocale(name), vfs.ELOOP)
	}
	return err
}

// parents makes the directories above name. Their owner may write and search
// them whatever the umask says.
func (m *dirMaker) parents(name string) error {
	for i := 1; i < len(name); i++ {
		if name[i] != '/' || name[i-1] == '/' || strings.Trim(name[i:], "/") == "" {
			continue
		}
		dir := name[:i]
		info, err := m.c.FS.Stat(dir)
		switch {
		case err == nil && info.IsDir():
			continue
		case err == nil:
			return dirError(dir, vfs.ENOTDIR)
		case reason(err) == vfs.ELOOP:
			return dirError(dir, err)
		}
		if err := m.make(dir); err != nil {
			return dirError(dir, err)
		}
		if m.c.FS.Umask&0o300 != 0 {
			if err := m.c.FS.Chmod(dir, fs.ModePerm&^m.c.FS.Umask|0o300); err != nil {
				return dirError(dir, err)
			}
		}
	}
	return nil
}
