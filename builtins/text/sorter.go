package text

import (
	"bytes"
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
}

// compare compares two lines.
func (s *sorter) compare(a, b []byte) int { return s.compareFrom(0, a, b) }

// compareFrom compares two lines that are equal in the keys before the given.
func (s *sorter) compareFrom(key int, a, b []byte) int {
	for _, k := range s.keys[min(key, len(s.keys)):] {
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
	if !s.hasLastResort() {
		return 0
	}
	d := bytes.Compare(a, b)
	if s.reverse {
		return -d
	}
	return d
}

// hasLastResort reports whether lines with equal keys are compared as a whole.
func (s *sorter) hasLastResort() bool { return len(s.keys) == 0 || !s.stable && !s.unique }

// sortAll prints the lines of all files in order.
func (s *sorter) sortAll(names []string, finish func() (*output, error)) error {
	lines := sortLines{call: s.call, delim: s.delim}
	defer lines.drop()
	err := s.each(names, func(_ string, r io.Reader) error { return lines.add(r) })
	if err != nil {
		return err
	}
	if err := lines.split(); err != nil {
		return err
	}
	if err := s.sort(&lines); err != nil {
		return err
	}
	out, err := finish()
	if err != nil {
		return err
	}
	var last []byte
	for i := range lines.entries {
		line := lines.line(lines.entries[i].place)
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
