package file

import (
	"errors"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

// A target is where the last operand, or -t, of cp, mv, ln and install says to
// put things.
type target struct {
	dir    string // -t
	isFile bool   // -T
	links  bool   // it is for ln, which has its own words
	strip  bool   // --strip-trailing-slashes

	// stripOne makes strip hold for a single source with a new name too:
	// for mv and not for cp.
	stripOne bool
}

func (t *target) flags(f *builtins.Flags, strip bool) {
	f.Func("t,target-directory", "copy all SOURCE arguments into `DIRECTORY`", func(s string) error {
		if t.dir != "" {
			return errors.New("multiple target directories specified")
		}
		t.dir = s
		return nil
	})
	f.Bool(&t.isFile, "T,no-target-directory", "treat DEST as a normal file")
	if strip {
		f.Bool(&t.strip, "strip-trailing-slashes", "remove any trailing slashes from each SOURCE argument")
	}
}

// A placement is a source with its destination.
type placement struct{ src, dst string }

// errCombined is the mistake of asking for both -t and -T.
var errCombined = errors.New("cannot combine --target-directory (-t) and --no-target-directory (-T)")

// split takes the destination from the operands. dir is the directory to put
// the sources in, or else there is one source, and dst is its new name.
func (t *target) split(c *builtins.Call, args []string) (sources []string, dir, dst string, err error) {
	switch {
	case len(args) == 0:
		return nil, "", "", builtins.Usage("missing file operand")
	case len(args) == 1 && t.dir == "":
		return nil, "", "", builtins.Usage("missing destination file operand after %s", builtins.Quote(args[0]))
	case t.isFile && t.dir != "":
		return nil, "", "", errCombined
	case t.isFile && len(args) > 2:
		return nil, "", "", builtins.Usage("extra operand %s", builtins.Quote(args[2]))
	case t.isFile:
		return args[:1], "", args[1], nil
	case t.dir != "":
		if err := isDirectory(c, t.dir); err != nil {
			return nil, "", "", t.noDirectory(err)
		}
		return args, t.dir, "", nil
	}
	last := args[len(args)-1]
	err = isDirectory(c, last)
	switch {
	case err == nil:
		return args[:len(args)-1], last, "", nil
	case len(args) > 2:
		return nil, "", "", fmt.Errorf("target %s: %w", builtins.Quote(last), err)
	}
	return args[:1], "", last, nil
}

// noDirectory says that the directory of -t cannot be one.
func (t *target) noDirectory(err error) error {
	switch {
	case !t.links:
		return fmt.Errorf("target directory %s: %w", builtins.Quote(t.dir), err)
	case err == vfs.ENOTDIR:
		return fmt.Errorf("target %s is not a directory", builtins.Quote(t.dir))
	}
	return fmt.Errorf("failed to access %s: %w", builtins.Quote(t.dir), err)
}

// place returns what goes where.
func (t *target) place(c *builtins.Call, args []string) ([]placement, error) {
	sources, dir, dst, err := t.split(c, args)
	if err != nil {
		return nil, err
	}
	list := make([]placement, len(sources))
	for i, src := range sources {
		if bare := strings.TrimRight(src, "/"); t.strip && bare != "" && (dir != "" || t.stripOne) {
			src = bare
		}
		list[i] = placement{src, dst}
		if dir != "" {
			list[i].dst = walk.Join(dir, lastName(src))
		}
	}
	return list, nil
}

// lastName is walk.Base, but for the root, which has none.
func lastName(name string) string {
	if base := walk.Base(name); base != "/" {
		return base
	}
	return ""
}

func isDirectory(c *builtins.Call, name string) error {
	info, err := c.FS.Stat(name)
	switch {
	case err != nil:
		return reason(err)
	case !info.IsDir():
		return vfs.ENOTDIR
	}
	return nil
}
