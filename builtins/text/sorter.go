package text

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/limpet-sh/limpet/builtins"
)

// A sorter sorts lines, merges sorted files, or checks that one is sorted.
type sorter struct {
	call    *builtins.Call
	keys    []*sortKey // none means whole lines
	tab     int        // what separates fields, or noTab
	reverse bool       // of the comparison that is the last resort
	stable  bool       // without that one
	unique  bool
	delim   byte
	seed    []byte // of random order

	parallel bool // use two goroutines
}

// compare compares two lines.
func (s *sorter) compare(a, b []byte) int {
	for _, k := range s.keys {
		d := k.compare(k.find(a, s.tab), k.find(b, s.tab), s.seed)
		if d == 0 {
			continue
		}
		if k.reverse {
			return -d
		}
		return d
	}
	return s.lastResort(a, b)
}

// lastResort compares lines whose keys are equal.
func (s *sorter) lastResort(a, b []byte) int {
	if len(s.keys) > 0 && (s.stable || s.unique) {
		return 0
	}
	d := bytes.Compare(a, b)
	if s.reverse {
		return -d
	}
	return d
}

// prepare fills the parts of e that come from the first key of line.
func (s *sorter) prepare(e *sortEntry, line []byte) {
	if len(s.keys) == 0 {
		e.prefix, e.exact = (&sortOrder{}).prefix(line, nil)
		if s.reverse {
			e.prefix = ^e.prefix
		}
		return
	}
	k := s.keys[0]
	key := k.find(line, s.tab)
	if len(key) > 0 {
		e.keyOff = uint32(cap(line) - cap(key))
		e.keyLen = uint32(len(key))
	}
	e.prefix, e.exact = k.prefix(key, s.seed)
	if k.reverse {
		e.prefix = ^e.prefix
	}
}

// sortAll prints the lines of all files in order.
func (s *sorter) sortAll(ctx context.Context, names []string, finish func() (*output, error)) error {
	lines := sortLines{call: s.call, delim: s.delim}
	defer lines.drop()
	err := s.each(names, func(_ string, r io.Reader) error { return lines.add(r) })
	if err != nil {
		return err
	}
	if err := lines.split(s); err != nil {
		return err
	}
	if err := lines.sort(ctx, s.entryOrder(&lines), s.parallel); err != nil {
		return err
	}
	out, err := finish()
	if err != nil {
		return err
	}
	var last []byte
	for i := range lines.entries {
		line := lines.line(&lines.entries[i])
		if s.unique {
			if i > 0 && s.compare(last, line) == 0 {
				continue
			}
			last = line
		}
		out.buf = append(append(out.buf, line...), s.delim)
		if len(out.buf) >= blockSize {
			if err := s.call.Poll(blockSize >> 8); err != nil {
				return err
			}
			if err := out.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// entryOrder returns a comparison of entries that is [sorter.compare] of their
// lines.
func (s *sorter) entryOrder(l *sortLines) func(a, b *sortEntry) int {
	if len(s.keys) == 0 {
		return func(a, b *sortEntry) int {
			switch {
			case a.prefix < b.prefix:
				return -1
			case a.prefix > b.prefix:
				return 1
			case a.exact && b.exact:
				return 0
			}
			return s.lastResort(l.line(a), l.line(b))
		}
	}
	first, rest := s.keys[0], &sorter{}
	*rest = *s
	rest.keys = s.keys[1:]
	more := len(rest.keys) > 0
	return func(a, b *sortEntry) int {
		switch {
		case a.prefix < b.prefix:
			return -1
		case a.prefix > b.prefix:
			return 1
		case a.exact && b.exact:
		default:
			if d := first.compare(l.key(a), l.key(b), s.seed); d != 0 {
				if first.reverse {
					return -d
				}
				return d
			}
		}
		if more {
			return rest.compare(l.line(a), l.line(b))
		}
		return s.lastResort(l.line(a), l.line(b))
	}
}

// each calls do for each input. Any error is the end.
func (s *sorter) each(names []string, do func(name string, r io.Reader) error) error {
	for _, name := range names {
		in, err := openInput(s.call, name)
		if err != nil {
			return errnoError(err, "open failed: %s", builtins.QuoteMaybe(name))
		}
		err = do(name, in)
		_ = in.close()
		if err != nil {
			return errnoError(err, "read failed: %s", builtins.QuoteMaybe(name))
		}
	}
	return nil
}

// check returns the status 1 if the lines of a file are not in order, and names
// the first such line unless quiet.
func (s *sorter) check(name string, quiet bool) error {
	last := keptLine{call: s.call}
	defer last.drop()
	number := 0
	return s.each([]string{name}, func(name string, r io.Reader) error {
		return eachLine(s.call, r, s.delim, func(line []byte) error {
			number++
			text, _ := bytes.CutSuffix(line, []byte{s.delim})
			if last.set {
				if d := s.compare(last.text, text); d > 0 || d == 0 && s.unique {
					if !quiet {
						s.disorder(name, number, text)
					}
					return builtins.Exit(1)
				}
			}
			return last.keep(text)
		})
	})
}

func (s *sorter) disorder(name string, number int, line []byte) {
	fmt.Fprintf(s.call.Stderr, "%s: %s:%d: disorder: %s\n", s.call.Name, name, number, line)
}
