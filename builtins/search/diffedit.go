package search

import (
	"bytes"

	"github.com/limpet-sh/limpet/internal/linediff"
)

type change = linediff.Change

// changes returns what is different between two files, in order.
func (d *differ) changes(x, y *diffFile) ([]change, error) {
	for _, f := range []*diffFile{x, y} {
		if err := d.split(f); err != nil {
			return nil, err
		}
	}
	from, toX, toY, err := d.middle(x, y)
	if err != nil {
		return nil, err
	}
	if err := d.classify(x, y, from, toX, toY); err != nil {
		return nil, err
	}
	list, err := linediff.Compare(x.class, y.class, d.minimal, d.Poll)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].A += from
		list[i].B += from
	}
	if d.blankLines || d.ignore != nil {
		for i := range list {
			list[i].Trivial = d.isTrivial(x, y, &list[i])
		}
	}
	return list, nil
}

// middle returns the part of both files that is compared: what is between the
// lines at the beginning and at the end that they have in common, of which as
// many as are context are part of it. Changes do not move beyond.
func (d *differ) middle(x, y *diffFile) (from, toX, toY int, err error) {
	context := d.horizon
	if d.style == styleContext || d.style == styleUnified {
		context = max(d.horizon, d.context)
	}
	n, m := len(x.lines), len(y.lines)
	for from < min(n, m) && bytes.Equal(x.text(from), y.text(from)) {
		if err := d.Poll(1); err != nil {
			return 0, 0, 0, err
		}
		from++
	}
	from -= min(from, context)
	same := 0
	for same < min(n, m)-from && bytes.Equal(x.text(n-1-same), y.text(m-1-same)) {
		if err := d.Poll(1); err != nil {
			return 0, 0, 0, err
		}
		same++
	}
	same -= min(same, context)
	return from, n - same, m - same, nil
}

// isTrivial reports whether all lines of a change are blank or to be ignored.
func (d *differ) isTrivial(x, y *diffFile, c *change) bool {
	ignored := func(f *diffFile, i int) bool {
		text := bytes.TrimSuffix(f.text(i), []byte{'\n'})
		blank := text
		if d.space != spaceCounts || d.trailingSpace {
			blank = bytes.TrimRight(text, " \t\v\f\r")
		}
		return d.blankLines && len(blank) == 0 || d.ignore != nil && d.ignore.Match(text)
	}
	for i := range c.Del {
		if !ignored(x, c.A+i) {
			return false
		}
	}
	for i := range c.Ins {
		if !ignored(y, c.B+i) {
			return false
		}
	}
	return true
}
