package search

import (
	"bytes"
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
	if d.context {
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
			return fmt.Sprint(h.start[side])
		}
		return fmt.Sprintf("%d,%d", h.start[side], h.count[side])
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

// rejectContext writes a hunk of a normal diff, which has no context.
func (f *patched) rejectContext(out *buffer, h *patchHunk) error {
	span := func(side int) string {
		if h.count[side] <= 1 {
			return fmt.Sprint(h.start[side])
		}
		return fmt.Sprintf("%d,%d", h.start[side], h.start[side]+h.count[side]-1)
	}
	if err := out.add(fmt.Appendf(nil, "***************\n*** %s\n", span(0))); err != nil {
		return err
	}
	for _, line := range h.old {
		if err := rejectLine(out, "- ", line); err != nil {
			return err
		}
	}
	if err := out.add(fmt.Appendf(nil, "--- %s -----\n", span(1))); err != nil {
		return err
	}
	for _, line := range h.new {
		if err := rejectLine(out, "+ ", line); err != nil {
			return err
		}
	}
	return nil
}

func rejectLine(out *buffer, mark string, line []byte) error {
	if err := out.add([]byte(mark)); err != nil {
		return err
	}
	if err := out.add(line); err != nil || bytes.HasSuffix(line, []byte("\n")) {
		return err
	}
	return out.add([]byte("\n\\ No newline at end of file\n"))
}
