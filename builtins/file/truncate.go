package file

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/afero"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "truncate",
	Synopsis: "OPTION... FILE...",
	Summary:  "shrink or extend the size of a file to the specified size",
	Run:      runTruncate,
})

// A resize is a size as truncate's -s says it, perhaps relative to another.
type resize struct {
	op     byte // 0, '+' (also of negative numbers), '<', '>', '/' or '%'
	n      int64
	blocks bool // n counts blocks
	from   int64
}

func runTruncate(_ context.Context, c *builtins.Call) error {
	var noCreate, blocks bool
	var ref *string
	var r resize // GNU: a modifier of one -s is there for the next
	sized := false
	f := c.Flags()
	f.Bool(&noCreate, "c,no-create", "do not create any files")
	f.Bool(&blocks, "o,io-blocks", "treat SIZE as number of IO blocks instead of bytes")
	f.Func("r,reference", "base size on `RFILE`", func(s string) error { ref = &s; return nil })
	f.Func("s,size", "set or adjust the file size by `SIZE` bytes", func(s string) (err error) {
		sized = true
		r, err = parseResize(s, r.op)
		return err
	})
	names, err := f.Parse()
	if err != nil {
		return err
	}
	if !sized {
		r.op = '+'
	}
	r.blocks, r.from = blocks, -1
	switch {
	case !sized && ref == nil:
		return f.Fail(builtins.Usage("you must specify either ‘--size’ or ‘--reference’"))
	case sized && ref != nil && r.op == 0:
		return f.Fail(builtins.Usage("you must specify a relative ‘--size’ with ‘--reference’"))
	case blocks && !sized:
		return f.Fail(builtins.Usage("‘--io-blocks’ was specified but ‘--size’ was not"))
	case len(names) == 0:
		return f.Fail(builtins.Usage("missing file operand"))
	}
	if ref != nil {
		info, err := c.FS.Stat(*ref)
		if err != nil {
			return fmt.Errorf("cannot stat %s: %w", builtins.Quote(*ref), reason(err))
		}
		r.from = info.Size()
	}
	for _, name := range names {
		if err := c.Poll(1); err != nil {
			return err
		}
		if err := r.file(c, name, noCreate); err != nil {
			c.Warn(err)
		}
	}
	return nil
}

// parseResize parses a size. op is the modifier that it has if it has none of its own.
func parseResize(s string, op byte) (r resize, err error) {
	r.op = op
	text := strings.TrimLeft(s, " \t")
	if text != "" && strings.IndexByte("<>/%", text[0]) >= 0 {
		r.op, text = text[0], strings.TrimLeft(text[1:], " \t")
	}
	sign := int64(1)
	if text != "" && (text[0] == '+' || text[0] == '-') {
		if r.op != 0 {
			return r, builtins.Usage("multiple relative modifiers specified")
		}
		if r.op = '+'; text[0] == '-' {
			sign = -1
		}
		text = text[1:]
		if strings.HasPrefix(text, "+") {
			text = "-"
		}
	}
	switch r.n, err = parseSize(text, "EgGkKmMPtTYZ0"); {
	case err == errTooLarge:
		return r, fmt.Errorf("Invalid number: %s: Value too large for defined data type", builtins.QuoteLocale(s))
	case err != nil:
		return r, fmt.Errorf("Invalid number: %s", builtins.QuoteLocale(s))
	case r.n == 0 && (r.op == '/' || r.op == '%'):
		return r, fmt.Errorf("division by zero")
	}
	r.n *= sign
	return r, nil
}

func (r resize) file(c *builtins.Call, name string, noCreate bool) error {
	flag := vfs.O_WRONLY
	if !noCreate {
		flag |= vfs.O_CREATE
	}
	file, err := c.FS.OpenFile(name, flag, 0o666)
	if err != nil {
		if noCreate && reason(err) == vfs.ENOENT {
			return nil
		}
		return fmt.Errorf("cannot open %s for writing: %w", builtins.Quote(name), reason(err))
	}
	size, err := r.size(file, name)
	if err == nil {
		if e := file.Truncate(size); e != nil {
			err = fmt.Errorf("failed to truncate %s at %d bytes: %w", builtins.Quote(name), size, reason(e))
		}
	}
	if e := file.Close(); e != nil && err == nil {
		err = fmt.Errorf("failed to close %s: %w", builtins.Quote(name), reason(e))
	}
	return err
}

// size returns what the size of file shall be.
func (r resize) size(file afero.File, name string) (int64, error) {
	n := r.n
	info, err := file.Stat()
	if err != nil {
		return 0, fmt.Errorf("cannot fstat %s: %w", builtins.Quote(name), reason(err))
	}
	if r.blocks {
		const block = 4096
		if n > math.MaxInt64/block || n < math.MinInt64/block {
			return 0, fmt.Errorf("overflow in %d * %d byte blocks for file %s", n, block, builtins.Quote(name))
		}
		n *= block
	}
	old := info.Size()
	if r.from >= 0 {
		old = r.from
	}
	switch r.op {
	case 0:
		return n, nil
	case '<':
		return min(old, n), nil
	case '>':
		return max(old, n), nil
	case '/':
		return old / n * n, nil
	case '%':
		rest := old % n
		if rest == 0 {
			return old, nil
		}
		n -= rest
	}
	if n > 0 && old > math.MaxInt64-n {
		if r.op == '%' {
			return 0, fmt.Errorf("overflow rounding up size of file %s", builtins.Quote(name))
		}
		return 0, fmt.Errorf("overflow extending size of file %s", builtins.Quote(name))
	}
	return max(old+n, 0), nil
}
