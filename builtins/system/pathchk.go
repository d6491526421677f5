package system

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var pathchk = commands.Add(&builtins.Command{
	Name:     "pathchk",
	Synopsis: "[OPTION]... NAME...",
	Summary:  "diagnose invalid or unportable file names",
	Run:      runPathchk,
})

// Limits on names that POSIX guarantees.
const (
	posixNameMax = 14
	posixPathMax = 256
)

func runPathchk(ctx context.Context, c *builtins.Call) error {
	var basic, extra bool
	f := c.Flags()
	f.Bool(&basic, "p", "check for most POSIX systems")
	f.Bool(&extra, "P", "check for empty names and leading \"-\"")
	f.Do("portability", "check for all POSIX systems (equivalent to -p -P)", func() error { basic, extra = true, true; return nil })
	names, err := f.Parse()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return f.Fail(builtins.Usage("missing operand"))
	}
	for _, name := range names {
		if err := checkPath(c, name, basic, extra); err != nil {
			c.Warn(err)
		}
	}
	return nil
}

// checkPath returns what is wrong with a name.
func checkPath(c *builtins.Call, name string, basic, extra bool) error {
	if extra && (strings.HasPrefix(name, "-") || strings.Contains(name, "/-")) {
		return fmt.Errorf("leading '-' in a component of file name %s", builtins.Quote(name))
	}
	if (basic || extra) && name == "" {
		return errors.New("empty file name")
	}
	if !basic {
		if _, err := c.FS.Lstat(name); err != nil && (name == "" || !errors.Is(err, fs.ErrNotExist)) {
			return fmt.Errorf("%s: %w", builtins.QuoteMaybe(name), vfs.ErrnoOf(err))
		}
		return nil
	}
	const portable = "/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	for i := range len(name) {
		if strings.IndexByte(portable, name[i]) < 0 {
			_, size := utf8.DecodeRuneInString(name[i:])
			return fmt.Errorf("nonportable character %s in file name %s", builtins.QuoteLocale(name[i:i+size]), builtins.Quote(name))
		}
	}
	if len(name) >= posixPathMax {
		return fmt.Errorf("limit %d exceeded by length %d of file name %s", posixPathMax-1, len(name), builtins.Quote(name))
	}
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > posixNameMax {
			return fmt.Errorf("limit %d exceeded by length %d of file name component %s", posixNameMax, len(part), builtins.QuoteLocale(part))
		}
	}
	return nil
}
