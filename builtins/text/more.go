package text

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "more",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "print files under their names, there being no screen to show a page at a time",
	Run:      runMore,
})

const moreBanner = "::::::::::::::"

func runMore(_ context.Context, c *builtins.Call) (err error) {
	f := c.Flags()
	declareScreen(f, "d,silent f,logical l,no-pause c,print-over p,clean-print e,exit-on-eof s,squeeze u,plain", "")
	f.Func("n,lines", "the height of the screen: `NUMBER`, which there is not", func(s string) error {
		if _, err := strconv.ParseUint(s, 10, 16); err != nil {
			return fmt.Errorf("argument error: '%s'", s)
		}
		return nil
	})
	f.Number = func(string) error { return nil }
	f.Info("h", "V")
	operands, err := f.Parse()
	if err != nil {
		return err
	}
	out := newOutput(c)
	defer out.close(&err)
	files := operands
	if len(files) > 0 && startsAt(files[0]) {
		files = files[1:]
	}
	piped := !builtins.Interactive(c.Stdin)
	if piped {
		// Standard input comes before the files and does not replace them.
		if err := copyTo(c, out, c.Stdin); err != nil {
			return err
		}
	}
	for _, name := range files {
		if err := moreFile(c, out, name, piped || len(files) > 1); err != nil {
			return err
		}
	}
	return nil
}

// startsAt reports whether an operand says where to start, on a screen.
func startsAt(operand string) bool {
	where, ok := strings.CutPrefix(operand, "+")
	return ok && where != "" && (where[0] == '/' || '0' <= where[0] && where[0] <= '9')
}

// moreFile prints a file, under its name where it is titled. A file that cannot be opened does not
// change the status.
func moreFile(c *builtins.Call, out *output, name string, titled bool) error {
	f, err := c.FS.Open(name)
	if err != nil {
		if err := out.flush(); err != nil {
			return err
		}
		fmt.Fprintf(c.Stderr, "more: cannot open %s: %v\n", name, vfs.ErrnoOf(err))
		return nil
	}
	defer f.Close()
	if info := stat(f); info != nil && info.IsDir() {
		fmt.Fprintf(out, "\n*** %s: directory ***\n\n", name)
		return nil
	}
	var magic [4]byte
	n, err := io.ReadFull(f, magic[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	start := magic[:n]
	if programMagic(start) {
		fmt.Fprintf(out, "\n******** %s: Not a text file ********\n\n", name)
		return nil
	}
	if titled {
		fmt.Fprintf(out, "%s\n%s\n%s\n", moreBanner, name, moreBanner)
	}
	return copyTo(c, out, io.MultiReader(bytes.NewReader(start), f))
}

// programMagic reports whether a file that begins with start is a program.
func programMagic(start []byte) bool { return bytes.HasPrefix(start, []byte("\x7fELF")) }
