package text

import (
	"context"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "fmt",
	Synopsis: "[-WIDTH] [OPTION]... [FILE]...",
	Summary:  "reformat paragraphs",
	Run:      runFmt,
})

func runFmt(ctx context.Context, c *builtins.Call) (err error) {
	p := paragraphs{call: c, width: 75}
	var goal, width *string // the last ones given
	digits, prefix := "", ""
	f := c.Flags()
	f.Bool(&p.crown, "c,crown-margin", "keep the indentation of the first two lines")
	f.Func("g,goal", "aim at lines of `WIDTH` columns, not 93% of the width", func(v string) error { goal = &v; return nil })
	f.String(&prefix, "p,prefix", "reformat only lines that begin with `STRING`")
	f.Bool(&p.split, "s,split-only", "split long lines, but do not join short ones")
	f.Bool(&p.tagged, "t,tagged-paragraph", "the first line is indented differently from the second")
	f.Bool(&p.uniform, "u,uniform-spacing", "one space between words, two after sentences")
	f.Func("w,width", "make lines of at most `WIDTH` columns, not 75", func(v string) error { width = &v; return nil })
	f.Number = func(v string) error { digits += v; width = &digits; return nil }
	files, err := f.Parse()
	if err != nil {
		return err
	}
	if err := p.setWidths(width, goal); err != nil {
		return f.Fail(err)
	}
	p.setPrefix(prefix)
	p.out = newOutput(c)
	defer p.out.close(&err)
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		in, err := openInput(c, name)
		if err != nil {
			c.Warn(errnoError(err, "cannot open %s for reading", builtins.Quote(name)))
			continue
		}
		err = p.file(in)
		_ = in.close()
		if c.Ends(err) {
			return err
		}
		if err != nil {
			c.Warnf("read error")
		}
	}
	return nil
}

// setWidths takes the widths that are given.
func (p *paragraphs) setWidths(width, goal *string) error {
	if width != nil {
		n, err := numberOption(*width, "", 0, maxFmtChars/2, "invalid width")
		if err != nil {
			return err
		}
		p.width = int(n)
	}
	if goal == nil {
		p.goal = p.width * (2*(100-fmtLeeway) + 1) / 200
		return nil
	}
	n, err := numberOption(*goal, "", 0, uint64(p.width), "invalid width")
	if err != nil {
		return err
	}
	if p.goal = int(n); width == nil {
		p.width = p.goal + 10
	}
	return nil
}

// setPrefix makes text the prefix of lines that are reformatted.
func (p *paragraphs) setPrefix(text string) {
	trimmed := strings.TrimLeft(text, " ")
	p.lead = len(text) - len(trimmed)
	p.fullLength = len(trimmed)
	p.prefix = strings.TrimRight(trimmed, " ")
}

// file reformats a file.
func (p *paragraphs) file(r io.Reader) error {
	p.bytes = newByteReader(p.call, r)
	p.tabs, p.otherIndent = false, 0
	p.next = p.readPrefix()
	for {
		more, err := p.paragraph()
		if err != nil {
			return err
		}
		if !more {
			return p.bytes.err
		}
		p.choose()
		p.printLines(len(p.words))
		if err := p.out.spill(); err != nil {
			return err
		}
	}
}
