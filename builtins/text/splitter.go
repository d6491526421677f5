package text

import (
	"bytes"
	"fmt"
	"io"

	"github.com/limpet-sh/limpet/builtins"
)

// run splits the input.
func (j *splitJob) run(c *builtins.Call, s *splitFiles) error {
	in, err := openInput(c, s.input)
	if err != nil {
		return errnoError(err, "cannot open %s for reading", builtins.Quote(s.input))
	}
	defer in.close()
	t := splitter{splitJob: j, call: c, files: s, in: in}
	switch j.way {
	case splitLines:
		err = t.lines()
	case splitBytes:
		err = t.bytes(func() uint64 { return j.n }, 0)
	case splitLineBytes:
		err = t.lineBytes()
	case splitChunks, splitLineChunks:
		err = t.chunks()
	case splitRoundRobin:
		err = t.roundRobin()
	}
	if t.piece != nil {
		if failed := t.piece.close(); err == nil {
			err = failed
		}
	}
	return readError(in.name, err)
}

// A splitter is one run of split.
type splitter struct {
	*splitJob
	call  *builtins.Call
	files *splitFiles
	in    *input
	piece *piece // that is being written, or nil
	made  uint64
}

// next ends the piece and begins another.
func (t *splitter) next() error {
	if err := t.call.Poll(64); err != nil {
		return err
	}
	if err := t.end(); err != nil {
		return err
	}
	t.made++
	var err error
	t.piece, err = t.files.create()
	return err
}

// end ends the piece.
func (t *splitter) end() error {
	p := t.piece
	t.piece = nil
	if p == nil {
		return nil
	}
	return p.close()
}

// lines makes pieces of n lines.
func (t *splitter) lines() error {
	left := uint64(0)
	return eachBlock(t.call, t.in, func(b []byte) error {
		for len(b) > 0 {
			if left == 0 {
				if err := t.next(); err != nil {
					return err
				}
				left = t.n
			}
			end := 0
			for left > 0 {
				i := bytes.IndexByte(b[end:], t.lineEnd)
				if i < 0 {
					return t.piece.write(b)
				}
				end += i + 1
				left--
			}
			if err := t.piece.write(b[:end]); err != nil {
				return err
			}
			b = b[end:]
		}
		return nil
	})
}

// bytes makes pieces of as many bytes as size says for each. With most pieces
// the last gets the rest.
func (t *splitter) bytes(size func() uint64, most uint64) error {
	left := uint64(0)
	return eachBlock(t.call, t.in, func(b []byte) error {
		for len(b) > 0 {
			for left == 0 {
				if err := t.next(); err != nil {
					return err
				}
				left = size()
				if t.made == most {
					left = endless
				}
			}
			n := min(left, uint64(len(b)))
			if err := t.piece.write(b[:n]); err != nil {
				return err
			}
			b = b[n:]
			left -= n
		}
		return nil
	})
}

// lineBytes makes pieces of whole lines with at most n bytes. Only lines that
// are longer are split.
func (t *splitter) lineBytes() error {
	used := uint64(0)
	return eachLine(t.call, t.in, t.lineEnd, func(line []byte) error {
		if t.piece != nil && used+uint64(len(line)) > t.n && used > 0 {
			if err := t.end(); err != nil {
				return err
			}
		}
		for len(line) > 0 {
			if t.piece == nil || used == t.n {
				if err := t.next(); err != nil {
					return err
				}
				used = 0
			}
			n := min(t.n-used, uint64(len(line)))
			if err := t.piece.write(line[:n]); err != nil {
				return err
			}
			line = line[n:]
			used += n
		}
		return nil
	})
}

// chunks makes n pieces of about the same size, whose ends are between lines
// if that is wanted, or prints one of them.
func (t *splitter) chunks() error {
	s, info, at := regular(t.in)
	if s == nil {
		return fmt.Errorf("%s: cannot determine file size", builtins.QuoteMaybe(t.in.name))
	}
	size := max(uint64(max(info.Size()-at, 0)), t.n) // so that the first chunks get a byte each
	if t.way == splitLineChunks {
		return t.lineChunks(size)
	}
	share := size / t.n
	if t.only > 0 {
		start := (t.only - 1) * share
		if t.only < t.n {
			size = t.only * share
		}
		return t.printPart(s, start, size)
	}
	if err := t.bytes(func() uint64 { return share }, t.n); err != nil {
		return err
	}
	return t.fill()
}

// fill makes the pieces that are still missing.
func (t *splitter) fill() error {
	for t.made < t.n && !t.elide {
		if err := t.next(); err != nil {
			return err
		}
		if err := t.call.Poll(1); err != nil {
			return err
		}
	}
	return nil
}

// printPart prints the bytes from start to end on standard output.
func (t *splitter) printPart(s io.Seeker, start, end uint64) (err error) {
	if _, err := s.Seek(int64(start), io.SeekCurrent); err != nil {
		return err
	}
	out := newOutput(t.call)
	defer out.close(&err)
	return eachBlock(t.call, io.LimitReader(t.in, int64(end-start)), out.write)
}

// lineChunks is chunks with whole lines: a line belongs to the chunk in which it
// begins.
func (t *splitter) lineChunks(size uint64) (err error) {
	share := max(size/t.n, 1)
	out := newOutput(t.call)
	defer out.close(&err)
	pos, chunk, started := uint64(0), uint64(1), false
	err = eachLine(t.call, t.in, t.lineEnd, func(line []byte) error {
		for chunk < t.n && pos >= chunk*share {
			if !started && !t.elide && t.only == 0 {
				if err := t.next(); err != nil {
					return err
				}
			}
			chunk++
			started = false
		}
		pos += uint64(len(line))
		if t.only > 0 {
			if chunk == t.only {
				return out.write(line)
			}
			return nil
		}
		if !started {
			started = true
			if err := t.next(); err != nil {
				return err
			}
		}
		return t.piece.write(line)
	})
	if err != nil || t.only > 0 {
		return err
	}
	return t.fill()
}

// roundRobin deals lines to n pieces, or prints those of one.
func (t *splitter) roundRobin() (err error) {
	out := newOutput(t.call)
	defer out.close(&err)
	var pieces []*piece
	number := uint64(0)
	err = eachLine(t.call, t.in, t.lineEnd, func(line []byte) error {
		i := number % t.n
		number++
		if t.only > 0 {
			if i == t.only-1 {
				return out.write(line)
			}
			return nil
		}
		if i == uint64(len(pieces)) {
			p, err := t.files.create()
			if err != nil {
				return err
			}
			t.made++
			pieces = append(pieces, p)
		}
		if err := pieces[i].write(line); err != nil || !t.unbuffered {
			return err
		}
		return pieces[i].out.flush()
	})
	for _, p := range pieces {
		if failed := p.close(); err == nil {
			err = failed
		}
	}
	if err != nil || t.only > 0 {
		return err
	}
	return t.fill()
}
