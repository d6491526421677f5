package search

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "sdiff",
	Synopsis: "[OPTION]... FILE1 FILE2",
	Summary:  "merge the differences between two files side by side",
	Trouble:  2,
	Run:      func(_ context.Context, c *builtins.Call) error { return runSdiff(c) },
})

// A sideMerger asks, for each change, which of two files has what is wanted.
type sideMerger struct {
	*sidePrinter
	x, y    *diffFile
	answers *builtins.LineReader
	merged  *bufio.Writer
	silent  bool // about common lines
}

func runSdiff(c *builtins.Call) error {
	d := &differ{Call: c, diffOptions: diffOptions{context: 3, width: 130, tabSize: 8, color: "never", style: styleSide}}
	output := ""
	f := c.Flags()
	f.Hint = "sdiff: Try 'sdiff --help' for more information.\n"
	f.String(&output, "o,output", "operate interactively, sending output to `FILE`")
	f.Bool(&d.ignoreCase, "i,ignore-case", "consider upper- and lower-case to be the same")
	f.Bool(&d.tabExpansion, "E,ignore-tab-expansion", "ignore changes due to tab expansion")
	f.Bool(&d.trailingSpace, "Z,ignore-trailing-space", "ignore white space at line end")
	f.Do("b,ignore-space-change", "ignore changes in the amount of white space", func() error {
		d.space = max(d.space, spaceAmount)
		return nil
	})
	f.Do("W,ignore-all-space", "ignore all white space", func() error { d.space = spaceNone; return nil })
	f.Bool(&d.blankLines, "B,ignore-blank-lines", "ignore changes whose lines are all blank")
	f.Strings(&d.ignoreMatching, "I,ignore-matching-lines", "ignore changes all whose lines match `RE`")
	f.Bool(&d.stripCR, "strip-trailing-cr", "strip trailing carriage return on input")
	f.Bool(&d.text, "a,text", "treat all files as text")
	number := func(set func(int) error, names, what, help string) {
		f.Func(names, help, func(s string) error {
			n, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, 31)
			if err != nil || n == 0 {
				c.Name, f.Hint = "diff", diffHint // which gets the option
				return builtins.Usage("invalid %s '%s'", what, s)
			}
			err = set(int(n))
			if err != nil {
				c.Name = "diff"
			}
			return err
		})
	}
	number(d.setWidth, "w,width", "width", "output at most `NUM` (default 130) print columns")
	f.Bool(&d.leftColumn, "l,left-column", "output only the left column of common lines")
	f.Bool(&d.suppressCommon, "s,suppress-common-lines", "do not output common lines")
	f.Bool(&d.expandTabs, "t,expand-tabs", "expand tabs to spaces in output")
	number(d.setTabSize, "tabsize", "tabsize", "tab stops at every `NUM` (default 8) print columns")
	f.Bool(&d.minimal, "d,minimal", "try hard to find a smaller set of changes")
	f.Do("v", "print the version", f.Version)
	operands, err := f.Parse()
	switch {
	case err != nil:
		return err
	case len(operands) < 2:
		return f.Fail(builtins.Usage("missing operand after '%s'", append([]string{"sdiff"}, c.Args...)[len(c.Args)]))
	case len(operands) > 2:
		return f.Fail(builtins.Usage("extra operand '%s'", operands[2]))
	}
	if err := d.expressions(); err != nil {
		c.Name = "diff"
		return f.Fail(err)
	}
	if output == "" {
		c.Name = "diff" // which compares the files, and has something to say about them
		return d.run([][2]string{{operands[0], operands[1]}})
	}
	return d.mergeSides(operands[0], operands[1], output)
}

// mergeSides merges two files into a third.
func (d *differ) mergeSides(a, b, output string) (err error) {
	d.out = bufio.NewWriterSize(d.Stdout, 32<<10)
	m := &sideMerger{sidePrinter: d.sides(), answers: d.Lines(d.Stdin, '\n'), silent: d.suppressCommon}
	defer m.answers.Close()
	for name, f := range map[string]**diffFile{a: &m.x, b: &m.y} {
		if *f, err = d.look(name); err != nil {
			return err
		}
	}
	defer func() { d.Free(m.x.cost + m.y.cost) }()
	for _, f := range []*diffFile{m.x, m.y} {
		if err := d.load(f); err != nil {
			return err
		}
	}
	target, err := d.FS.Create(output)
	if err != nil {
		return fmt.Errorf("%s: %w", output, vfs.ErrnoOf(err))
	}
	m.merged = bufio.NewWriterSize(target, 32<<10)
	defer func() {
		for _, end := range []func() error{m.out.Flush, m.merged.Flush, target.Close} {
			if failed := end(); err == nil {
				err = failed
			}
		}
	}()
	changes, err := d.changes(m.x, m.y)
	if err != nil {
		return err
	}
	left, right := 0, 0
	for i := range changes {
		c := &changes[i]
		if c.Trivial {
			continue
		}
		if err := m.keep(diffSpan{m.x, left, c.A}, diffSpan{m.y, right, c.B}); err != nil {
			return err
		}
		m.changed(m.x, m.y, c)
		if err := m.ask(c); err != nil {
			return err
		}
		left, right = c.A+c.Del, c.B+c.Ins
		d.differs = true
	}
	err = m.keep(diffSpan{m.x, left, len(m.x.lines)}, diffSpan{m.y, right, len(m.y.lines)})
	if err != nil || !d.differs {
		return err
	}
	return builtins.Exit(1)
}

// keep prints common lines, and takes those of the first file.
func (m *sideMerger) keep(left, right diffSpan) error {
	if !m.silent {
		if err := m.common(left, right); err != nil {
			return err
		}
	}
	return m.take(left)
}

// take adds lines to what is merged.
func (m *sideMerger) take(s diffSpan) error {
	for i := s.first; i < s.end; i++ {
		if err := m.Poll(1); err != nil {
			return err
		}
		_, _ = m.merged.Write(s.file.text(i))
	}
	return nil
}

const sideHelp = `ed:	Edit then use both versions, each decorated with a header.
eb:	Edit then use both versions.
el or e1:	Edit then use the left version.
er or e2:	Edit then use the right version.
e:	Discard both versions then edit a new one.
l or 1:	Use the left version.
r or 2:	Use the right version.
s:	Silently include common lines.
v:	Verbosely include common lines.
q:	Quit.
`

// ask asks which lines of a change to take.
func (m *sideMerger) ask(c *change) error {
	for {
		_, _ = m.out.WriteString("%")
		if err := m.out.Flush(); err != nil {
			return err
		}
		answer, err := m.answers.Next()
		if err == io.EOF {
			return builtins.Exit(2)
		}
		if err != nil {
			return err
		}
		switch strings.TrimSpace(string(answer)) {
		case "l", "1":
			return m.take(diffSpan{m.x, c.A, c.A + c.Del})
		case "r", "2":
			return m.take(diffSpan{m.y, c.B, c.B + c.Ins})
		case "s":
			m.silent = true
			continue
		case "v":
			m.silent = false
			continue
		case "q":
			return builtins.Exit(2)
		}
		fmt.Fprint(m.Stderr, sideHelp)
	}
}
