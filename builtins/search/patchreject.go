package search

import (
	"fmt"

	"github.com/limpet-sh/limpet/builtins"
)

// report says how many hunks were rejected, and saves them.
func (f *patched) report(d *fileDiff, outName string, from, to int) error {
	n := len(f.rejected)
	if n == 0 {
		return nil
	}
	f.failed = true
	how := "FAILED"
	if f.skip {
		how = "ignored"
	}
	f.say("%d out of %d hunk%s %s", n, len(d.hunks), plural(len(d.hunks)), how)
	name := f.rejects
	if name == "" {
		name = outName + ".rej"
	}
	if f.dryRun || name == "-" {
		f.say("\n")
		return nil
	}
	f.say(" -- saving rejects to file %s\n", builtins.QuoteMaybe(name))
	out := buffer{call: f.Call}
	defer out.release()
	write := f.rejectUnified
	marks := [2]string{"---", "+++"}
	if d.context && f.rejectFormat != "unified" || f.rejectFormat == "context" {
		write, marks = f.rejectContext, [2]string{"***", "---"}
	}
	for i, side := range []int{from, to} {
		header := d.header[side]
		if header == nil {
			header = []byte("/dev/null")
		}
		if err := out.add(fmt.Appendf(nil, "%s %s\n", marks[i], header)); err != nil {
			return err
		}
	}
	for _, h := range f.rejected {
		if err := write(&out, h); err != nil {
			return err
		}
	}
	return f.write(name, out.b, 0o666, false)
}

func (f *patched) rejectUnified(out *buffer, h *patchHunk) error {
	span := func(side int) string {
		if h.count[side] == 1 {
			return fmt.Sprint(h.start[side] + h.shift)
		}
		return fmt.Sprintf("%d,%d", h.start[side]+h.shift, h.count[side])
	}
	if err := out.add(fmt.Appendf(nil, "@@ -%s +%s @@\n", span(0), span(1))); err != nil {
		return err
	}
	for _, e := range h.edits {
		if err := rejectLine(out, "", e); err != nil {
			return err
		}
	}
	return nil
}

// rejectContext writes a hunk in the context format.
func (f *patched) rejectContext(out *buffer, h *patchHunk) error {
	span := func(side int) string {
		if h.count[side] <= 1 {
			return fmt.Sprint(h.start[side] + h.shift)
		}
		return fmt.Sprintf("%d,%d", h.start[side]+h.shift, h.start[side]+h.shift+h.count[side]-1)
	}
	old, added := h.marked()
	stars, dashes := " ****", " ----"
	if h.bare {
		stars, dashes = "", " -----"
	}
	if err := out.add(fmt.Appendf(nil, "***************\n*** %s%s\n", span(0), stars)); err != nil {
		return err
	}
	for _, e := range old {
		if err := rejectLine(out, string(e[:1])+" ", e[1:]); err != nil {
			return err
		}
	}
	if err := out.add(fmt.Appendf(nil, "--- %s%s\n", span(1), dashes)); err != nil {
		return err
	}
	for _, e := range added {
		if err := rejectLine(out, string(e[:1])+" ", e[1:]); err != nil {
			return err
		}
	}
	return nil
}

// marked returns the lines of either side as a context diff has them: lines that
// replace others are marked.
func (h *patchHunk) marked() (old, added [][]byte) {
	for i := 0; i < len(h.edits); {
		if h.edits[i][0] == ' ' {
			old, added = append(old, h.edits[i]), append(added, h.edits[i])
			i++
			continue
		}
		end, minus, plus := i, false, false
		for ; end < len(h.edits) && h.edits[end][0] != ' '; end++ {
			minus, plus = minus || h.edits[end][0] == '-', plus || h.edits[end][0] == '+'
		}
		for ; i < end; i++ {
			e := h.edits[i]
			side := &old
			if e[0] == '+' {
				side = &added
			}
			if minus && plus && !h.bare {
				e = append([]byte("!"), e[1:]...)
			}
			*side = append(*side, e)
		}
	}
	return old, added
}

// rejectLine writes a line as it is: GNU patch does not say that a newline is
// missing.
func rejectLine(out *buffer, mark string, line []byte) error {
	if err := out.add([]byte(mark)); err != nil {
		return err
	}
	return out.add(line)
}
