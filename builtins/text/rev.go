package text

import (
	"bytes"
	"context"
	"io"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "rev",
	Synopsis: "[FILE]...",
	Summary:  "reverse the characters of each line",
	Run:      runRev,
})

func runRev(ctx context.Context, c *builtins.Call) (err error) {
	f := c.Flags()
	f.Info("h", "V")
	files, err := f.Parse()
	if err != nil {
		return err
	}
	out := newOutput(c)
	defer out.close(&err)
	if len(files) == 0 {
		return reverseLines(c, out, c.Stdin)
	}
	for _, name := range files {
		in, err := c.Open(name) // "-" too is a file
		if err != nil {
			c.Warn(errnoError(err, "cannot open %s", name))
			continue
		}
		err = reverseLines(c, out, in)
		_ = in.Close()
		if c.Ends(err) {
			return err
		}
		if err != nil {
			c.Warn(readError(name, err))
		}
	}
	return nil
}

// reverseLines prints the lines of r with their characters in reverse. Bytes
// that are not UTF-8 are characters too.
func reverseLines(c *builtins.Call, out *output, r io.Reader) error {
	return eachLine(c, r, '\n', func(line []byte) error {
		text, ended := bytes.CutSuffix(line, newline)
		buf := out.buf
		for i := len(text) - 1; i >= 0; i-- {
			if text[i] < utf8.RuneSelf {
				buf = append(buf, text[i])
				continue
			}
			_, size := utf8.DecodeLastRune(text[:i+1])
			i -= size - 1
			buf = append(buf, text[i:i+size]...)
		}
		if ended {
			buf = append(buf, '\n')
		}
		out.buf = buf
		return out.spill()
	})
}
