package search

import (
	"bytes"
)

// hunks applies the hunks of d, or rejects them.
func (f *patched) hunks(d *fileDiff) error {
	reverse := f.reverse
	for i, h := range d.hunks {
		if d.cut && i == len(d.hunks)-1 {
			f.say("patch unexpectedly ends in middle of line\n")
		}
		where, fuzz, err := f.place(h, d, i, reverse)
		if err != nil {
			return err
		}
		at := h.first(0) + f.outDelta
		if where > 0 {
			at = where + f.outDelta
		}
		if where == 0 {
			h.shift = f.outDelta
			f.rejected = append(f.rejected, h)
			if !f.skip && !f.silent {
				f.say("Hunk #%d FAILED at %d.\n", i+1, at)
			}
			continue
		}
		f.mismatch = f.mismatch || fuzz > 0 || f.inOffset != 0
		if err := f.splice(h, where); err != nil {
			return err
		}
		if !f.silent && (fuzz > 0 || f.inOffset != 0) {
			f.say("Hunk #%d succeeded at %d", i+1, at)
			if fuzz > 0 {
				f.say(" with fuzz %d", fuzz)
			}
			if f.inOffset == 1 {
				f.say(" (offset 1 line)")
			} else if f.inOffset != 0 {
				f.say(" (offset %d lines)", f.inOffset)
			}
			f.say(".\n")
		}
	}
	return nil
}

// place finds where hunk number i goes, and with which fuzz; 0 if nowhere. The
// first one tells whether the patch is reversed.
func (f *patched) place(h *patchHunk, d *fileDiff, i int, reverse bool) (where int, fuzz int64, err error) {
	prefix, suffix := h.margins()
	most := min(f.fuzz, int64(max(prefix, suffix)))
	for fuzz = 0; fuzz <= most && !f.skip; fuzz++ {
		where, err = f.locate(h, int(fuzz))
		if where > 0 || err != nil {
			return where, fuzz, err
		}
		f.mismatch = true
		if i > 0 || f.force || f.anyway || f.reverse != reverse {
			continue
		}
		h.swap()
		where, err = f.locate(h, int(fuzz))
		h.swap()
		if err != nil || where == 0 {
			if err != nil {
				return 0, 0, err
			}
			continue
		}
		what := "Reversed (or previously applied) patch detected!"
		if f.reverse {
			what = "Unreversed patch detected!"
		}
		turn, skip := f.reversed(what)
		f.skip = skip
		if turn {
			f.reverse = !f.reverse
			for _, h := range d.hunks {
				h.swap()
			}
			d.absent[0], d.absent[1] = d.absent[1], d.absent[0]
			return where, fuzz, nil
		}
		f.anyway, where = true, 0
		fuzz--
	}
	return 0, 0, nil
}

// locate returns the line at which h applies, nearest to where it says; 0 if
// there is none.
func (f *patched) locate(h *patchHunk, fuzz int) (int, error) {
	prefix, suffix := h.margins()
	lines := len(h.old)
	guess := h.first(0) + f.inOffset
	if lines == 0 {
		return guess, nil
	}
	head, tail := fuzz+prefix-max(prefix, suffix), fuzz+suffix-max(prefix, suffix)
	up := len(f.lines) - (lines - tail) + 1 - guess
	down := min(guess-(f.frozen+1), guess-1)
	found := func(where int) (int, error) {
		f.inOffset += where - guess
		return where, nil
	}
	if head < 0 && h.first(0) <= 1 {
		// The hunk is about the beginning, and perhaps the end too.
		if tail < 0 && lines != len(f.lines) {
			return 0, nil
		}
		if f.frozen <= prefix && 1-guess <= up && f.fits(h, 1, 0, max(tail, 0)) {
			return found(1)
		}
		return 0, nil
	}
	head = max(head, 0)
	if tail < 0 {
		last := len(f.lines) - lines + 1
		if guess-last <= down && last > 0 && f.fits(h, last, head, 0) {
			return found(last)
		}
		return 0, nil
	}
	for offset := max(0, -up); offset <= max(up, down); offset++ {
		if err := f.Poll(1); err != nil {
			return 0, err
		}
		if offset <= up && f.fits(h, guess+offset, head, tail) {
			return found(guess + offset)
		}
		if 0 < offset && offset <= down && f.fits(h, guess-offset, head, tail) {
			return found(guess - offset)
		}
	}
	return 0, nil
}

// fits reports whether the old lines of h, but for some at either end, are at a
// line.
func (f *patched) fits(h *patchHunk, line, head, tail int) bool {
	for i := head; i < len(h.old)-tail; i++ {
		at := line - 1 + i
		if at < 0 || at >= len(f.lines) || !f.same(f.lines[at], h.old[i]) {
			return false
		}
	}
	return true
}

// same compares lines; with -l, runs of blanks are the same and at the end none.
func (f *patched) same(a, b []byte) bool {
	if !f.loose {
		return bytes.Equal(a, b)
	}
	return bytes.Equal(bytes.Join(bytes.Fields(a), []byte(" ")), bytes.Join(bytes.Fields(b), []byte(" "))) &&
		startsBlank(a) == startsBlank(b)
}

func startsBlank(line []byte) bool { return len(line) > 0 && (line[0] == ' ' || line[0] == '\t') }
