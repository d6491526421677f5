package git

import (
	"fmt"

	"github.com/limpet-sh/limpet/vfs"
)

// hashObject is git hash-object.
func (g *git) hashObject(args []string) error {
	kind, write, stdin, noFilters := "blob", false, false, false
	f := g.options("[-t <type>] [-w] [--stdin] <file>...")
	f.string(&kind, "t")
	f.bool(&write, "w")
	f.bool(&stdin, "stdin")
	f.bool(&noFilters, "no-filters,literally")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil && write {
		return err
	}
	put := func(data []byte) error {
		h := hashOf(kind, data)
		if write {
			if h, err = g.objects.write(kind, data); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintln(g.out, h)
		return err
	}
	if stdin {
		data, err := g.readAll()
		if err != nil {
			return err
		}
		if err := put(data); err != nil {
			return err
		}
	}
	for _, name := range append(args, rest...) {
		info, err := g.FS.Stat(name)
		if err != nil {
			return fatalf("could not open '%s' for reading: %v", name, vfs.ErrnoOf(err))
		}
		if err := g.hold(int(info.Size())); err != nil {
			return err
		}
		data, err := vfs.ReadFile(g.FS, name)
		if err != nil {
			return fatalf("could not open '%s' for reading: %v", name, vfs.ErrnoOf(err))
		}
		if err := put(data); err != nil {
			return err
		}
	}
	return nil
}

// readAll reads standard input.
func (g *git) readAll() ([]byte, error) {
	var data []byte
	buf := make([]byte, 32<<10)
	for {
		n, err := g.Stdin.Read(buf)
		if err := g.hold(2 * n); err != nil {
			return nil, err
		}
		if err := g.Poll(1); err != nil {
			return nil, err
		}
		data = append(data, buf[:n]...)
		if err != nil {
			return data, nil
		}
	}
}
