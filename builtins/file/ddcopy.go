package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// A ddCopier is dd at work.
type ddCopier struct {
	*ddOptions
	c     *builtins.Call
	start time.Time

	in        io.Reader
	inName    string
	out       io.Writer
	outName   string
	closers   []io.Closer
	held      int
	input     []byte
	pending   []byte // of an output block
	converter ddConverter
	hole      int64 // zeros that conv=sparse has passed over

	full, partial           int64 // records in
	fullOut, partialOut     int64
	written                 int64
	failedRead, failedWrite bool
}

func (d *ddCopier) close() {
	for _, f := range d.closers {
		_ = f.Close()
	}
	d.c.Free(d.held)
}

func (d *ddCopier) run() error {
	if err := d.open(); err != nil {
		return err
	}
	var err error
	if d.input, err = d.alloc(d.ibs); err != nil {
		return err
	}
	d.converter = newDdConverter(d.ddOptions)
	if err = d.copy(); err == nil {
		err = d.end()
	}
	if err != nil && d.c.Ends(err) {
		return err
	}
	if err != nil {
		d.c.Warn(err)
	}
	d.report()
	return nil
}

// alloc returns a buffer of n bytes, which close gives back.
func (d *ddCopier) alloc(n int64) ([]byte, error) {
	if err := d.c.Alloc(int(n)); err != nil {
		return nil, err
	}
	d.held += int(n)
	return make([]byte, n), nil
}

// open opens the input and the output and goes to where they begin.
func (d *ddCopier) open() error {
	d.in, d.inName = d.c.Stdin, "'standard input'"
	if d.ddOptions.input != nil {
		d.inName = builtins.Quote(*d.ddOptions.input)
		if err := d.openInput(*d.ddOptions.input); err != nil {
			return fmt.Errorf("failed to open %s: %w", d.inName, reason(err))
		}
	}
	d.out, d.outName = d.c.Stdout, "'standard output'"
	if d.output != nil {
		d.outName = builtins.Quote(*d.output)
		if err := d.openOutput(*d.output); err != nil {
			return err
		}
	}
	return nil
}

func (d *ddCopier) openInput(name string) error {
	if err := d.checkFlags(name, d.iflags); err != nil {
		return err
	}
	file, err := d.c.FS.Open(name)
	if err == nil {
		d.in = file
		d.closers = append(d.closers, file)
	}
	return err
}

// checkFlags applies the flags directory and nofollow.
func (d *ddCopier) checkFlags(name string, flags map[string]bool) error {
	if !flags["directory"] && !flags["nofollow"] {
		return nil
	}
	info, err := d.c.FS.Lstat(name)
	switch {
	case err != nil:
		return err
	case flags["nofollow"] && isLink(info):
		return vfs.ELOOP
	case flags["directory"]:
		return isDirectory(d.c, name)
	}
	return nil
}

func (d *ddCopier) offset() int64 {
	if d.seekIsBytes {
		return d.seek
	}
	return d.seek * d.obs
}

func (d *ddCopier) openOutput(name string) error {
	fail := func(err error) error { return fmt.Errorf("failed to open %s: %w", d.outName, reason(err)) }
	if err := d.checkFlags(name, d.oflags); err != nil && reason(err) != vfs.ENOENT {
		return fail(err)
	}
	flag := vfs.O_WRONLY
	if !d.conv["nocreat"] {
		flag |= vfs.O_CREATE
	}
	if d.conv["excl"] {
		flag |= vfs.O_EXCL
	}
	if d.offset() < d.obs && !d.conv["notrunc"] {
		flag |= vfs.O_TRUNC
	}
	if d.oflags["append"] {
		flag |= vfs.O_APPEND
	}
	file, err := d.c.FS.OpenFile(name, flag, 0o666)
	if err != nil {
		return fail(err)
	}
	d.out = file
	d.closers = append(d.closers, file)
	if info, err := file.Stat(); d.seek > 0 && !d.conv["notrunc"] && err == nil && info.Mode().IsRegular() {
		if err := file.Truncate(d.offset()); err != nil {
			return fmt.Errorf("failed to truncate to %d bytes in output file %s: %w", d.offset(), d.outName, reason(err))
		}
	}
	return nil
}

// copy copies all blocks.
func (d *ddCopier) copy() error {
	if err := d.skipInput(); err != nil {
		return err
	}
	if n := d.offset(); n > 0 {
		if err := d.skipOutput(n); err != nil {
			return err
		}
	}
	for left := d.count; !d.counted || left > 0; {
		if err := d.c.Poll(1 + len(d.input)>>12); err != nil {
			return err
		}
		want := d.input
		if d.counted && d.countIsBytes {
			want = want[:min(int64(len(want)), left)]
		}
		n, err := d.read(want)
		if err != nil {
			return d.endRead(err)
		}
		if d.countIsBytes {
			left -= int64(n)
		} else {
			left--
		}
		if err := d.block(want[:n]); err != nil {
			return err
		}
	}
	return nil
}

// read reads one block.
func (d *ddCopier) read(p []byte) (n int, err error) {
	if d.iflags["fullblock"] {
		n, err = io.ReadFull(d.in, p)
		if err == io.ErrUnexpectedEOF {
			err = nil
		}
	} else {
		for n == 0 && err == nil {
			if err = d.c.Poll(1); err == nil {
				n, err = d.in.Read(p)
			}
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, err
}

// endRead ends the copy at the end of the input, or at an error of it.
func (d *ddCopier) endRead(err error) error {
	if err == io.EOF {
		return nil
	}
	if d.c.Ends(err) {
		return err
	}
	return fmt.Errorf("error reading %s: %w", d.inName, reason(err))
}

// block copies one block of input.
func (d *ddCopier) block(p []byte) error {
	if int64(len(p)) == d.ibs {
		d.full++
	} else {
		d.partial++
		if d.conv["sync"] {
			pad := byte(0)
			if d.conv["block"] || d.conv["unblock"] {
				pad = ' '
			}
			n := len(p)
			p = d.input[:d.ibs]
			for i := n; i < len(p); i++ {
				p[i] = pad
			}
		}
	}
	if d.bs {
		return d.write(p)
	}
	return d.converter.convert(p, d.emit)
}

// emit adds p to the output, which leaves in blocks.
func (d *ddCopier) emit(p []byte) error {
	if d.pending == nil {
		buffer, err := d.alloc(d.obs)
		if err != nil {
			return err
		}
		d.pending = buffer[:0]
	}
	for len(p) > 0 {
		n := min(len(p), int(d.obs)-len(d.pending))
		d.pending, p = append(d.pending, p[:n]...), p[n:]
		if int64(len(d.pending)) < d.obs {
			break
		}
		if err := d.write(d.pending); err != nil {
			return err
		}
		d.pending = d.pending[:0]
	}
	return nil
}

// write writes one block.
func (d *ddCopier) write(p []byte) error {
	if d.conv["sparse"] && len(bytes.TrimLeft(p, "\x00")) == 0 {
		if s, ok := d.out.(io.Seeker); ok {
			if _, err := s.Seek(int64(len(p)), io.SeekCurrent); err == nil {
				d.wrote(len(p))
				d.hole = int64(len(p))
				return nil
			}
		}
	}
	d.hole = 0
	n, err := d.out.Write(p)
	if err != nil {
		d.written += int64(n)
		if errors.Is(err, vfs.EPIPE) {
			return err
		}
		return fmt.Errorf("error writing %s: %w", d.outName, reason(err))
	}
	d.wrote(n)
	return nil
}

func (d *ddCopier) wrote(n int) {
	d.written += int64(n)
	if int64(n) == d.obs {
		d.fullOut++
	} else {
		d.partialOut++
	}
}

// end writes what remains of the output.
func (d *ddCopier) end() error {
	err := d.converter.finish(d.emit)
	if err == nil && len(d.pending) > 0 {
		err = d.write(d.pending)
	}
	if err != nil {
		return err
	}
	if d.hole > 0 {
		if t, ok := d.out.(interface {
			io.Seeker
			Truncate(int64) error
		}); ok {
			end, err := t.Seek(0, io.SeekCurrent)
			if err == nil {
				err = t.Truncate(end)
			}
			if err != nil {
				return fmt.Errorf("failed to truncate to %d bytes in output file %s: %w", end, d.outName, reason(err))
			}
		}
	}
	if s, ok := d.out.(interface{ Sync() error }); ok && (d.conv["fsync"] || d.conv["fdatasync"]) {
		if err := s.Sync(); err != nil {
			return fmt.Errorf("fsync failed for %s: %w", d.outName, reason(err))
		}
	}
	return nil
}

// skipInput passes over the beginning of the input.
func (d *ddCopier) skipInput() error {
	n := d.skip
	if !d.skipIsBytes {
		n *= d.ibs
	}
	if n == 0 {
		return nil
	}
	name := builtins.QuoteMaybe("standard input")
	if d.ddOptions.input != nil {
		name = builtins.QuoteMaybe(*d.ddOptions.input)
	}
	if s, ok := d.in.(io.Seeker); ok {
		end, err := s.Seek(0, io.SeekEnd)
		if err == nil {
			_, err = s.Seek(n, io.SeekStart)
		}
		if err == nil {
			if end < n && end > 0 && d.status != "none" {
				fmt.Fprintf(d.c.Stderr, "%s: %s: cannot skip to specified offset\n", d.c.Name, name)
			}
			return nil
		}
	}
	for n > 0 {
		if err := d.c.Poll(1); err != nil {
			return err
		}
		got, err := d.in.Read(d.input[:min(n, d.ibs)])
		n -= int64(got)
		if err == io.EOF {
			if d.status != "none" {
				fmt.Fprintf(d.c.Stderr, "%s: %s: cannot skip to specified offset\n", d.c.Name, name)
			}
			return nil
		}
		if err != nil {
			return d.endRead(err)
		}
	}
	return nil
}

// skipOutput passes over the beginning of the output.
func (d *ddCopier) skipOutput(n int64) error {
	if s, ok := d.out.(io.Seeker); ok {
		if _, err := s.Seek(n, io.SeekCurrent); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s: cannot seek: %w", d.outName, vfs.ESPIPE)
}
