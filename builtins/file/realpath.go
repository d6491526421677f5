package file

import (
	"bufio"
	"context"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "realpath",
	Synopsis: "[OPTION]... FILE...",
	Summary:  "print the resolved absolute file name",
	Run:      runRealpath,
})

// A pathPrinter is realpath with its options.
type pathPrinter struct {
	resolver
	logical  bool // resolve ".." before symbolic links
	to, base string
}

func runRealpath(_ context.Context, c *builtins.Call) error {
	var quiet, zero bool
	p := pathPrinter{resolver: resolver{c: c}}
	f := c.Flags()
	f.Do("e,canonicalize-existing", "all components of the path must exist", func() error { p.need = needAll; return nil })
	f.Do("m,canonicalize-missing", "no path components need exist or be a directory", func() error { p.need = needNothing; return nil })
	f.Do("L,logical", "resolve '..' components before symlinks", func() error { p.plain, p.logical = true, true; return nil })
	f.Do("P,physical", "resolve symlinks as encountered (default)", func() error { p.plain, p.logical = false, false; return nil })
	f.Bool(&quiet, "q,quiet", "suppress most error messages")
	f.String(&p.to, "relative-to", "print the resolved path relative to `DIR`")
	f.String(&p.base, "relative-base", "print absolute paths unless paths below `DIR`")
	f.Do("s,strip,no-symlinks", "don't expand symlinks", func() error { p.plain, p.logical = true, false; return nil })
	f.Bool(&zero, "z,zero", "end each output line with NUL, not newline")
	names, err := operands(f, 1, -1)
	if err != nil {
		return err
	}
	if err := p.prepare(); err != nil {
		return err
	}
	out := bufio.NewWriter(c.Stdout)
	for _, name := range names {
		if err := c.Poll(1); err != nil {
			return err
		}
		path, err := p.real(name)
		if err != nil {
			c.Fail()
			if !quiet {
				c.Warn(builtins.FileError(name, err))
			}
			continue
		}
		out.WriteString(p.relative(path))
		out.WriteByte(lineEnd(zero))
	}
	return finish(out, nil)
}

// prepare resolves the directories that results are relative to.
func (p *pathPrinter) prepare() error {
	if p.base != "" && p.to == "" {
		p.to = p.base
	}
	for _, dir := range []*string{&p.to, &p.base} {
		if *dir == "" {
			continue
		}
		path, err := p.real(*dir)
		if err == nil && p.need == needAll {
			info, e := p.c.FS.Stat(path)
			if err = e; e == nil && !info.IsDir() {
				err = vfs.ENOTDIR
			}
		}
		if err != nil {
			return builtins.FileError(*dir, err)
		}
		*dir = path
	}
	if p.base != "" && !below(p.to, p.base) {
		p.to, p.base = "", ""
	}
	return nil
}

func (p *pathPrinter) real(name string) (string, error) {
	path, err := p.resolve(name)
	if err == nil && p.logical {
		r := p.resolver
		r.plain = false
		return r.resolve(path)
	}
	return path, err
}

// relative returns path as the options want it shown.
func (p *pathPrinter) relative(path string) string {
	if p.to == "" || p.base != "" && !below(path, p.base) {
		return path
	}
	return relativeTo(path, p.to)
}

// below reports whether path is dir or inside it. Both are canonical.
func below(path, dir string) bool {
	return dir == "/" || path == dir || strings.HasPrefix(path, dir+"/")
}

// relativeTo returns the way from the directory dir to path, both canonical.
func relativeTo(path, dir string) string {
	if path == dir {
		return "."
	}
	to, from := components(path), components(dir)
	for len(to) > 0 && len(from) > 0 && to[0] == from[0] {
		to, from = to[1:], from[1:]
	}
	up := strings.TrimSuffix(strings.Repeat("../", len(from)), "/")
	switch {
	case len(to) == 0:
		return up
	case up == "":
		return strings.Join(to, "/")
	}
	return up + "/" + strings.Join(to, "/")
}

func components(path string) []string {
	if path == "/" {
		return nil
	}
	return strings.Split(path[1:], "/")
}
