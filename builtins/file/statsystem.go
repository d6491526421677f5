package file

import (
	"errors"
	"fmt"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// systemMagic has the numbers of file systems that Linux gives them, and the
// names by which stat knows them.
var systemMagic = map[string]struct {
	number uint64
	name   string
}{
	"tmpfs":    {0x1021994, "tmpfs"},
	"overlay":  {0x794c7630, "overlayfs"},
	"ext4":     {0xef53, "ext2/ext3"},
	"proc":     {0x9fa0, "proc"},
	"sysfs":    {0x62656572, "sysfs"},
	"devtmpfs": {0x1021994, "tmpfs"},
	"fuse":     {0x65735546, "fuseblk"},
}

func (s *statter) showSystem(name string) error {
	if name == "-" {
		return errors.New("using '-' to denote standard input does not work in file system mode")
	}
	system, err := s.c.FS.StatFS(name)
	if err != nil {
		return fmt.Errorf("cannot read file system information for %s: %w", builtins.Quote(name), reason(err))
	}
	id := uint64(0)
	if info, err := s.c.FS.Stat(name); err == nil {
		id = vfs.StatOf(info).Dev
	}
	return s.print(s.format, func(d statDirective) (string, error) { return systemValue(name, id, system, d), nil })
}

// systemValue returns what a directive of stat -f stands for.
func systemValue(name string, id uint64, system vfs.StatFS, d statDirective) string {
	magic, known := systemMagic[system.Type]
	switch d.letter {
	case 'n':
		return d.text(name)
	case 'i':
		return d.hex(id)
	case 'l':
		return d.int(system.NameMax)
	case 't':
		return d.hex(magic.number)
	case 'T':
		if !known {
			return d.text(system.Type)
		}
		return d.text(magic.name)
	case 'b':
		return d.int(system.Blocks)
	case 'f', 'a':
		return d.int(system.Free)
	case 's', 'S':
		return d.int(system.BlockSize)
	case 'c':
		return d.int(system.Files)
	case 'd':
		return d.int(system.FilesFree)
	}
	return "?"
}
