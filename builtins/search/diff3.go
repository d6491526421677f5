package search

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io/fs"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "diff3",
	Synopsis: "[OPTION]... MYFILE OLDFILE YOURFILE",
	Summary:  "compare three files line by line",
	Trouble:  2,
	Run:      func(_ context.Context, c *builtins.Call) error { return runDiff3(c) },
})

// A merger is one call of diff3.
type merger struct {
	*builtins.Call
	out        *bufio.Writer
	differ     differ
	script     string // which of -AeExX3 was given
	merge      bool
	showOld    bool // -A: in conflicts, and where only the old file differs
	flagging   bool // conflicts are bracketed
	overlaps   bool // only what overlaps
	easy       bool // only what does not
	finalWrite bool
	initialTab bool
	labels     []string
	files      [3]*diffFile
	conflicts  bool
}

func runDiff3(c *builtins.Call) error {
	m := &merger{Call: c, differ: differ{Call: c, diffOptions: diffOptions{context: 3, tabSize: 8, style: styleNormal, horizon: 10}}}
	f := c.Flags()
	f.Hint = "diff3: Try 'diff3 --help' for more information.\n"
	incompatible := false
	script := func(names, help string, set ...*bool) {
		f.Do(names, help, func() error {
			if m.script != "" && m.script != names {
				incompatible = true
			}
			m.script = names
			for _, p := range set {
				*p = true
			}
			return nil
		})
	}
	script("A,show-all", "output all changes, bracketing conflicts", &m.showOld, &m.flagging)
	script("e,ed", "output an ed script from OLDFILE to YOURFILE for MYFILE")
	script("E,show-overlap", "like -e, but bracket conflicts", &m.flagging)
	script("3,easy-only", "like -e, but only what does not overlap", &m.easy)
	script("x,overlap-only", "like -e, but only what overlaps", &m.overlaps)
	script("X", "like -x", &m.overlaps) // and no brackets, whatever GNU's manual says
	f.Bool(&m.finalWrite, "i", "append the commands w and q to ed scripts")
	f.Bool(&m.merge, "m,merge", "output the merged file")
	f.Bool(&m.differ.text, "a,text", "treat all files as text")
	f.Bool(&m.differ.stripCR, "strip-trailing-cr", "strip trailing carriage return on input")
	f.Bool(&m.initialTab, "T,initial-tab", "make tabs line up by prepending a tab")
	f.Strings(&m.labels, "L,label", "use `LABEL` instead of the name of a file")
	f.Do("v", "print the version", f.Version)
	names, err := f.Parse()
	if err != nil {
		return err
	}
	if m.script == "" && m.merge {
		m.showOld, m.flagging = true, true
	}
	switch {
	case len(m.labels) > 3:
		return f.Fail(builtins.Usage("too many file label options"))
	case incompatible || m.finalWrite && m.merge || len(m.labels) > 0 && !m.flagging:
		return f.Fail(builtins.Usage("incompatible options"))
	case len(names) < 3:
		return f.Fail(builtins.Usage("missing operand after '%s'", append([]string{"diff3"}, c.Args...)[len(c.Args)]))
	case len(names) > 3:
		return f.Fail(builtins.Usage("extra operand '%s'", names[3]))
	}
	return m.run(names)
}

func (m *merger) run(names []string) error {
	m.out = bufio.NewWriterSize(m.Stdout, 32<<10)
	std := 0
	for i, name := range names {
		if name == "-" {
			std++
		}
		if std > 1 {
			return fmt.Errorf("'-' specified for more than one input file")
		}
		file, err := m.differ.look(name)
		if err != nil {
			return err
		}
		if file.isDir() {
			return &fs.PathError{Op: "read", Path: name, Err: vfs.EISDIR}
		}
		m.files[i] = file
	}
	m.labels = append(m.labels, names[len(m.labels):]...)
	defer func() {
		for _, f := range m.files {
			m.Free(f.cost)
		}
	}()
	for _, f := range m.files {
		if err := m.differ.load(f); err != nil {
			return err
		}
	}
	base := 2 // the file that both others are compared with
	if m.merge || m.script != "" {
		base = 1
	}
	blocks, err := m.blocks(base)
	if err == nil {
		err = m.print(blocks, base)
	}
	if flushed := m.out.Flush(); err == nil {
		err = flushed
	}
	if err == nil && m.conflicts {
		return builtins.Exit(1)
	}
	return err
}

// print prints the blocks in the form that was asked for. base is the file that
// they come from comparing the others with.
func (m *merger) print(blocks []block3, base int) error {
	if base == 2 {
		for i := range blocks {
			if err := m.printBlock(&blocks[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if m.merge {
		return m.printMerged(blocks)
	}
	for i := len(blocks) - 1; i >= 0; i-- {
		if err := m.printScript(&blocks[i]); err != nil {
			return err
		}
	}
	if m.finalWrite {
		_, _ = m.out.WriteString("w\nq\n")
	}
	return nil
}

// printBlock prints a block for readers.
func (m *merger) printBlock(b *block3) error {
	order, quiet := []int{0, 1, 2}, 3 // and the file that has the same lines as a later one
	switch b.odd {
	case allDiffer:
		_, _ = m.out.WriteString("====\n")
	case 1: // the first and the third are the same, and stand next to each other
		order = []int{0, 2, 1}
		fallthrough
	default:
		fmt.Fprintf(m.out, "====%d\n", b.odd+1)
		if quiet = 0; b.odd == 0 {
			quiet = 1
		}
	}
	indent := "  "
	if m.initialTab {
		indent = "\t"
	}
	for _, i := range order {
		s := b.span[i]
		switch s.end - s.first {
		case 0:
			fmt.Fprintf(m.out, "%d:%da\n", i+1, s.end)
		case 1:
			fmt.Fprintf(m.out, "%d:%dc\n", i+1, s.end)
		default:
			fmt.Fprintf(m.out, "%d:%d,%dc\n", i+1, s.first+1, s.end)
		}
		if i == quiet {
			continue
		}
		for k := s.first; k < s.end; k++ {
			if err := m.Poll(1); err != nil {
				return err
			}
			text := s.file.text(k)
			_, _ = m.out.WriteString(indent)
			_, _ = m.out.Write(text)
			if !bytes.HasSuffix(text, []byte{'\n'}) {
				_, _ = m.out.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	return nil
}

// wants reports whether a block is part of a merge, and whether it is a conflict.
func (m *merger) wants(b *block3) (wanted, conflict bool) {
	switch b.odd {
	case 1:
		return m.showOld, true
	case 2:
		return !m.overlaps, false
	case allDiffer:
		return !m.easy, m.flagging
	}
	return false, false
}

// printMerged prints my file with the changes.
func (m *merger) printMerged(blocks []block3) error {
	mine := m.files[0]
	done := 0
	for i := range blocks {
		b := &blocks[i]
		wanted, conflict := m.wants(b)
		if !wanted {
			continue
		}
		if err := m.lines(diffSpan{mine, done, b.span[0].first}); err != nil {
			return err
		}
		done = b.span[0].end
		if conflict {
			m.conflicts = true
			mark := "<<<<<<<"
			if b.odd == allDiffer {
				fmt.Fprintf(m.out, "<<<<<<< %s\n", m.labels[0])
				if err := m.lines(b.span[0]); err != nil {
					return err
				}
				mark = "|||||||"
			}
			if m.showOld {
				fmt.Fprintf(m.out, "%s %s\n", mark, m.labels[1])
				if err := m.lines(b.span[1]); err != nil {
					return err
				}
			}
			_, _ = m.out.WriteString("=======\n")
		}
		if err := m.lines(b.span[2]); err != nil {
			return err
		}
		if conflict {
			fmt.Fprintf(m.out, ">>>>>>> %s\n", m.labels[2])
		}
	}
	return m.lines(diffSpan{mine, done, len(mine.lines)})
}

// lines prints lines as they are.
func (m *merger) lines(s diffSpan) error {
	for i := s.first; i < s.end; i++ {
		if err := m.Poll(1); err != nil {
			return err
		}
		_, _ = m.out.Write(s.file.text(i))
	}
	return nil
}

// printScript prints the commands of ed for a block.
func (m *merger) printScript(b *block3) error {
	wanted, conflict := m.wants(b)
	if !wanted {
		return nil
	}
	mine, yours := b.span[0], b.span[2]
	lines := yours.end - yours.first
	switch {
	case conflict:
		m.conflicts = true
		m.printConflict(b)
	case lines == 0:
		fmt.Fprintf(m.out, "%sd\n", editSpan(mine.first, mine.end-mine.first, ","))
	default:
		letter := "c"
		if mine.first == mine.end {
			letter = "a"
		}
		fmt.Fprintf(m.out, "%s%s\n", editSpan(mine.first, mine.end-mine.first, ","), letter)
		m.endText(m.dotted(yours), mine.first+1, lines)
	}
	return m.Poll(1 + lines)
}

// printConflict prints the commands of ed that bracket a conflict.
func (m *merger) printConflict(b *block3) {
	mine, old, yours := b.span[0], b.span[1], b.span[2]
	oldLines, yourLines := old.end-old.first, yours.end-yours.first
	fmt.Fprintf(m.out, "%da\n", mine.end)
	dots := false
	if b.odd == allDiffer {
		if m.showOld {
			fmt.Fprintf(m.out, "||||||| %s\n", m.labels[1])
			dots = m.dotted(old)
		}
		_, _ = m.out.WriteString("=======\n")
		dots = m.dotted(yours) || dots
	}
	fmt.Fprintf(m.out, ">>>>>>> %s\n", m.labels[2])
	m.endText(dots, mine.end+2, oldLines+yourLines+1)
	label := m.labels[0]
	if b.odd != allDiffer {
		label = m.labels[1]
	}
	fmt.Fprintf(m.out, "%da\n<<<<<<< %s\n", mine.first, label)
	dots = false
	if b.odd != allDiffer {
		dots = m.dotted(old)
		_, _ = m.out.WriteString("=======\n")
	}
	m.endText(dots, mine.first+2, oldLines)
}

// dotted prints lines for ed, with one more dot where they begin with one, and
// reports whether any does.
func (m *merger) dotted(s diffSpan) (dots bool) {
	for i := s.first; i < s.end; i++ {
		text := s.file.text(i)
		if text[0] == '.' {
			_ = m.out.WriteByte('.')
			dots = true
		}
		_, _ = m.out.Write(bytes.TrimSuffix(text, []byte{'\n'}))
		_ = m.out.WriteByte('\n')
	}
	return dots
}

// endText ends text for ed, and removes the dots that dotted has added to some of
// the n lines from the first on.
func (m *merger) endText(dots bool, first, n int) {
	_, _ = m.out.WriteString(".\n")
	switch {
	case !dots:
	case n == 1:
		fmt.Fprintf(m.out, "%ds/^\\.//\n", first)
	default:
		fmt.Fprintf(m.out, "%d,%ds/^\\.//\n", first, first+n-1)
	}
}
