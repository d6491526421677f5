package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "mktemp",
	Synopsis: "[OPTION]... [TEMPLATE]",
	Summary:  "create a temporary file or directory",
	Run:      runMktemp,
})

// A tempMaker makes a file with a name that nothing has.
type tempMaker struct {
	c                    *builtins.Call
	directory, dry       bool
	inTmp, deprecated    bool // --tmpdir, -t
	suffixed             bool
	dir, suffix          string
	head, template, tail string // the name is head, the X's of template, tail
}

func runMktemp(_ context.Context, c *builtins.Call) error {
	var quiet bool
	m := tempMaker{c: c}
	f := c.Flags()
	f.Bool(&m.directory, "d,directory", "create a directory, not a file")
	f.Bool(&m.dry, "u,dry-run", "do not create anything; merely print a name (unsafe)")
	f.Bool(&quiet, "q,quiet", "suppress diagnostics about file/dir-creation failure")
	f.Func("suffix", "append `SUFF` to TEMPLATE", func(s string) error { m.suffix, m.suffixed = s, true; return nil })
	f.Func("p", "interpret TEMPLATE relative to `DIR`", func(s string) error { m.dir, m.inTmp = s, true; return nil })
	f.Optional("tmpdir", "interpret TEMPLATE relative to `DIR`; $TMPDIR or /tmp by default", func(s string, _ bool) error {
		m.dir, m.inTmp = s, true
		return nil
	})
	f.Do("t", "interpret TEMPLATE as a single file name component in a directory (deprecated)", func() error {
		m.inTmp, m.deprecated = true, true
		return nil
	})
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) > 1 {
		return f.Fail(builtins.Usage("too many templates"))
	}
	if err := m.prepare(args); err != nil {
		return err
	}
	name, err := m.make()
	if err != nil {
		c.Fail()
		if !quiet {
			what := "file"
			if m.directory {
				what = "directory"
			}
			c.Warnf("failed to create %s via template %s: %w", what,
				builtins.QuoteLocale(m.head+m.template+m.tail), reason(err))
		}
		return nil
	}
	if _, err := fmt.Fprintln(c.Stdout, name); err != nil {
		if !m.dry {
			_ = c.FS.Remove(name)
		}
		return writeError(err)
	}
	return nil
}

// prepare takes the template apart and puts the directory before it.
func (m *tempMaker) prepare(args []string) error {
	template := "tmp.XXXXXXXXXX"
	if len(args) > 0 {
		template = args[0]
	} else {
		m.inTmp = true
	}
	q := builtins.QuoteLocale
	end := strings.LastIndexByte(template, 'X') + 1
	if m.suffixed {
		if end != len(template) || end == 0 {
			return fmt.Errorf("with --suffix, template %s must end in X", q(template))
		}
	} else {
		m.suffix = template[end:]
	}
	if strings.Contains(m.suffix, "/") {
		return fmt.Errorf("invalid suffix %s, contains directory separator", q(m.suffix))
	}
	head := strings.TrimRight(template[:end], "X")
	start := len(head)
	if end-start < 3 {
		return fmt.Errorf("too few X's in template %s", q(template))
	}
	if m.inTmp {
		switch {
		case m.deprecated && strings.Contains(template, "/"):
			return fmt.Errorf("invalid template, %s, contains directory separator", q(template))
		case strings.HasPrefix(template, "/"):
			return fmt.Errorf("invalid template, %s; with --tmpdir, it may not be absolute", q(template))
		}
		head = strings.TrimSuffix(m.directoryName(), "/") + "/" + head
	}
	m.head, m.template, m.tail = head, template[start:end], m.suffix
	return nil
}

// directoryName returns the directory that --tmpdir, -p and -t mean.
func (m *tempMaker) directoryName() string {
	tmp := m.c.Getenv("TMPDIR")
	switch {
	case m.deprecated && tmp != "":
		return tmp
	case m.dir != "":
		return m.dir
	case tmp != "":
		return tmp
	}
	return "/tmp"
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// make makes the file or directory, trying names until one is free.
func (m *tempMaker) make() (string, error) {
	random := make([]byte, len(m.template))
	for {
		if err := m.c.Poll(1); err != nil {
			return "", err
		}
		if _, err := io.ReadFull(m.c.Rand, random); err != nil {
			return "", err
		}
		for i, b := range random {
			random[i] = letters[int(b)%len(letters)]
		}
		name := m.head + string(random) + m.tail
		err := m.create(name)
		if !errors.Is(err, vfs.EEXIST) {
			return name, err
		}
	}
}

func (m *tempMaker) create(name string) error {
	switch {
	case m.dry:
		_, err := m.c.FS.Lstat(name)
		if err == nil {
			return vfs.EEXIST
		}
		if isNotExist(err) {
			return nil
		}
		return err
	case m.directory:
		return m.c.FS.Mkdir(name, 0o700)
	}
	file, err := m.c.FS.OpenFile(name, vfs.O_RDWR|vfs.O_CREATE|vfs.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}
