package text

import (
	"context"
	"fmt"
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
	goal, digits, prefix := -1, "", ""
	widthSet := false
	setWidth := func(v string) error {
		n, err := numberOption(v, "", 0, maxFmtChars/2, "invalid width")
		p.width, widthSet = int(n), true
		return err
	}
	f := c.Flags()
	f.Bool(&p.crown, "c,crown-margin", "keep the indentation of the first two lines")
	f.Func("g,goal", "aim at lines of `WIDTH` columns, not 93% of the width", func(v string) error {
		n, err := numberOption(v, "", 0, maxFmtChars/2, "invalid width")
		goal = int(n)
		return err
	})
	f.String(&prefix, "p,prefix", "reformat only lines that begin with `STRING`")
	f.Bool(&p.split, "s,split-only", "split long lines, but do not join short ones")
	f.Bool(&p.tagged, "t,tagged-paragraph", "the first line is indented differently from the second")
	f.Bool(&p.uniform, "u,uniform-spacing", "one space between words, two after sentences")
	f.Func("w,width", "make lines of at most `WIDTH` columns, not 75", setWidth)
	f.Number = func(v string) error { digits += v; return setWidth(digits) }
	files, err := f.Parse()
	if err != nil {
		return err
	}
	switch {
	case goal >= 0:
		if !widthSet {
			p.width = goal + 10
		} else if goal > p.width {
			return f.Fail(fmt.Errorf("invalid width: %s: %w", builtins.QuoteLocale(fmt.Sprint(goal)), errRange))
		}
		p.goal = goal
	default:
		p.goal = p.width * (2*(100-fmtLeeway) + 1) / 200
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
