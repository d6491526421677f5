package digest

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/limpet-sh/limpet/builtins"
)

// lines writes the dump with addresses and characters.
func (x *xxdJob) lines(r *bufio.Reader) error {
	address := x.seek + x.display
	octets := make([]byte, x.columns)
	var line []byte
	for {
		n, err := io.ReadFull(r, octets)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		if n == 0 {
			break
		}
		if err := x.call.Poll(1); err != nil {
			return err
		}
		line = x.line(line[:0], octets[:n], address)
		address += int64(n)
		zero := x.autoskip && n == len(octets)
		for _, b := range octets[:n] {
			zero = zero && b == 0
		}
		x.put(line, zero)
	}
	x.flushZeros(true)
	return nil
}

// line appends the line of some octets.
func (x *xxdJob) line(dst, octets []byte, address int64) []byte {
	format := "%08x:"
	if x.decimal {
		format = "%08d:"
	}
	dst = fmt.Appendf(dst, format, address)
	width, digits := 2*x.group+1, x.digits()
	text := (width*x.columns - 1) / x.group
	if x.form == xxdBits {
		width = 8*x.group + 1
		text = (width*x.columns - 1) / x.group
	} else if x.form == xxdLittle {
		text = width*((x.columns+x.group-1)/x.group) - 1
	}
	base := len(dst)
	for range text + 3 + len(octets) + 2*width {
		dst = append(dst, ' ')
	}
	row := dst[base:]
	last := text + 3 + len(octets)
	for i, b := range octets {
		place := i
		if x.form == xxdLittle {
			place ^= x.group - 1
		}
		at := 1 + width*place/x.group
		if x.form == xxdBits {
			for k := range 8 {
				row[at+k] = '0' + b>>(7-k)&1
			}
		} else {
			row[at], row[at+1] = digits[b>>4], digits[b&15]
		}
		if b < ' ' || b > '~' {
			b = '.'
		}
		row[text+3+i] = b
	}
	row[last] = '\n'
	return dst[:base+last+1]
}

// put writes a line, or holds it back where it is one of several lines of
// zeros.
func (x *xxdJob) put(line []byte, zero bool) {
	if !zero {
		x.flushZeros(false)
		x.out.Write(line)
		return
	}
	x.zeros++
	switch x.zeros {
	case 1:
		x.out.Write(line)
	case 2:
		x.second = append(x.second[:0], line...)
	}
	x.last = append(x.last[:0], line...)
}

// flushZeros writes what stands for the lines held back; at the end of the
// input the last of them is shown.
func (x *xxdJob) flushZeros(end bool) {
	n := x.zeros
	if end {
		n--
	}
	switch {
	case n == 2:
		x.out.Write(x.second)
	case n > 2:
		x.out.WriteString("*\n")
	}
	if end && n > 0 {
		x.out.Write(x.last)
	}
	x.zeros = 0
}

var errBackward = errors.New("Sorry, cannot seek backwards.")

// A reverter writes the bytes of a dump at their places.
type reverter struct {
	job        *xxdJob
	file       io.Writer
	have, want int64
}

// revert reads a dump and writes the bytes that it shows. It goes through the
// text as xxd does, garbage included.
func (x *xxdJob) revert(w io.Writer) error {
	switch x.form {
	case xxdHex, xxdPlain:
	default:
		x.call.Warn(errors.New("Sorry, cannot revert this type of hexdump"))
		return builtins.Exit(255)
	}
	base := x.seek
	if x.fromEnd {
		base = -base
	}
	v := reverter{job: x, file: w}
	r := bufio.NewReaderSize(x.in, bufferSize)
	n1, n2, n3, p, ignore := -1, 0, 0, x.columns, true
	for {
		c, err := r.ReadByte()
		if err == nil {
			err = x.call.Poll(1)
		}
		if err != nil {
			return ignoreEOF(err)
		}
		if c == '\r' || x.form == xxdPlain && (c == ' ' || c == '\n' || c == '\t') {
			continue
		}
		if c == '\n' {
			v.want, p, ignore = 0, x.columns, true
		}
		n3, n2, n1 = n2, n1, hexDigit(c)
		if n1 < 0 && ignore {
			continue
		}
		ignore = false
		if x.form == xxdHex && p >= x.columns {
			if n1 < 0 {
				p = 0
			} else {
				v.want = v.want<<4 | int64(n1)
			}
			continue
		}
		skip := false
		if n2 >= 0 && n1 >= 0 {
			if err := v.put(base, byte(n2<<4|n1)); err != nil {
				return err
			}
			n1 = -1
			p++
			skip = x.form == xxdHex && p >= x.columns
		} else if n1 < 0 && n2 < 0 && n3 < 0 {
			skip = true
		}
		if skip {
			if x.form == xxdHex {
				v.want = 0
			}
			ignore = true
			if c != '\n' {
				err = skipLine(r)
			}
			if err != nil {
				return ignoreEOF(err)
			}
		}
	}
}

func skipLine(r *bufio.Reader) error {
	for {
		_, err := r.ReadSlice('\n')
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// put writes a byte at the place that the dump gave.
func (v *reverter) put(base int64, b byte) error {
	x := v.job
	if at := base + v.want; at != v.have {
		if err := x.out.Flush(); err != nil {
			return err
		}
		if s, ok := v.file.(io.Seeker); ok {
			if _, err := s.Seek(at-v.have, io.SeekCurrent); err == nil {
				v.have = at
			}
		}
		if at < v.have {
			x.call.Warn(errBackward)
			return xxdBackward
		}
		for ; v.have < at; v.have++ {
			if err := x.call.Poll(1); err != nil {
				return err
			}
			if err := x.out.WriteByte(0); err != nil {
				return err
			}
		}
	}
	v.have++
	v.want++
	return x.out.WriteByte(b)
}
