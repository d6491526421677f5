package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "mkfifo",
	Synopsis: "[OPTION]... NAME...",
	Summary:  "make FIFOs (named pipes)",
	Run:      runMkfifo,
})

func runMkfifo(_ context.Context, c *builtins.Call) error {
	var mode *string
	f := c.Flags()
	f.Func("m,mode", "set file permission bits to `MODE`, as chmod does", func(s string) error { mode = &s; return nil })
	names, err := operands(f, 1, -1)
	if err != nil {
		return err
	}
	n, err := newNode(c, mode)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := c.Poll(1); err != nil {
			return err
		}
		if err := n.make(name, fs.ModeNamedPipe, 0); err != nil {
			c.Warnf("cannot create fifo %s: %w", builtins.Quote(name), reason(err))
		}
	}
	return nil
}

// A node makes FIFOs and devices.
type node struct {
	c    *builtins.Call
	perm fs.FileMode
	set  bool // whatever the umask says
}

// newNode returns a node with permissions in chmod's notation, or the usual
// ones where mode is nil.
func newNode(c *builtins.Call, mode *string) (node, error) {
	n := node{c: c, perm: 0o666}
	if mode == nil {
		return n, nil
	}
	change, err := filemode.Parse(*mode)
	if err != nil {
		return n, errors.New("invalid mode")
	}
	bits := change.Apply(0o666, false, filemode.Bits(c.FS.Umask))
	if bits&^filemode.Perm != 0 {
		return n, errors.New("mode must specify only file permission bits")
	}
	return node{c, filemode.Mode(bits), true}, nil
}

func (n node) make(name string, kind fs.FileMode, dev uint64) error {
	if err := n.c.FS.Mknod(name, kind|n.perm, dev); err != nil || !n.set {
		return err
	}
	return n.c.FS.Chmod(name, n.perm)
}

var _ = commands.Add(&builtins.Command{
	Name:     "mknod",
	Synopsis: "[OPTION]... NAME TYPE [MAJOR MINOR]",
	Summary:  "make block or character special files",
	Run:      runMknod,
})

func runMknod(_ context.Context, c *builtins.Call) error {
	var mode *string
	f := c.Flags()
	f.Func("m,mode", "set file permission bits to `MODE`, as chmod does", func(s string) error { mode = &s; return nil })
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if err := checkNode(args); err != nil {
		return f.Fail(err)
	}
	n, err := newNode(c, mode)
	if err != nil {
		return err
	}
	var kind fs.FileMode
	var dev uint64
	switch args[1][:1] {
	case "p":
		kind = fs.ModeNamedPipe
	case "b":
		kind = fs.ModeDevice
	case "c", "u":
		kind = fs.ModeDevice | fs.ModeCharDevice
	default:
		return f.Fail(builtins.Usage("invalid device type %s", builtins.QuoteLocale(args[1])))
	}
	if kind != fs.ModeNamedPipe {
		if dev, err = parseDevice(args[2], args[3]); err != nil {
			return err
		}
	}
	if err := n.make(args[0], kind, dev); err != nil {
		return builtins.FileError(args[0], err)
	}
	return nil
}

// checkNode checks the number of mknod's operands.
func checkNode(args []string) error {
	want := 4
	if len(args) < 2 || args[1] != "" && args[1][0] == 'p' {
		want = 2
	}
	switch {
	case len(args) == 0:
		return builtins.Usage("missing operand")
	case len(args) < want && len(args) == 2:
		return builtins.Usage("missing operand after %s\nSpecial files require major and minor device numbers.", builtins.QuoteLocale(args[1]))
	case len(args) < want:
		return builtins.Usage("missing operand after %s", builtins.QuoteLocale(args[len(args)-1]))
	case len(args) == 4 && want == 2:
		return builtins.Usage("extra operand %s\nFifos do not have major and minor device numbers.", builtins.QuoteLocale(args[2]))
	case len(args) > want:
		return builtins.Usage("extra operand %s", builtins.QuoteLocale(args[want]))
	}
	return nil
}

func parseDevice(major, minor string) (uint64, error) {
	a, err := strconv.ParseUint(major, 0, 32)
	if err != nil {
		return 0, fmt.Errorf("invalid major device number %s", builtins.QuoteLocale(major))
	}
	b, err := strconv.ParseUint(minor, 0, 32)
	if err != nil {
		return 0, fmt.Errorf("invalid minor device number %s", builtins.QuoteLocale(minor))
	}
	return vfs.Dev(uint32(a), uint32(b)), nil
}
