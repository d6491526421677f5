package text

import (
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// A converter is one run of iconv.
type converter struct {
	call     *builtins.Call
	from, to charset
	omit     bool
	ignore   bool // omit, and complain in the end
	translit bool // write something similar where the output's encoding lacks a character
	ignored  bool // something was omitted with ignore
	out      *output
	begun    bool // the output has its byte order mark
}

// file converts a file. What cannot be converted ends the command.
func (v *converter) file(name string) error {
	in, err := openInput(v.call, name)
	if err != nil {
		v.call.Warnf("cannot open input file `%s': %w", name, vfs.ErrnoOf(err))
		return nil
	}
	defer in.close()
	from := v.from
	marked := from.width == 0
	block := make([]byte, 16<<10)
	have, offset := 0, 0
	for {
		n, err := in.Read(block[have:])
		have += n
		if err != nil && err != io.EOF {
			v.call.Warnf("unable to read input file `%s': %w", name, vfs.ErrnoOf(err))
			return builtins.Exit(1)
		}
		if pollErr := v.call.Poll(1 + n>>2); pollErr != nil {
			return pollErr
		}
		if have >= from.width && !marked {
			marked = true
			var skip int
			from, skip = from.order(block[:have])
			offset += skip
			have = copy(block, block[skip:have])
		}
		done := 0
		if marked {
			var convertErr error
			if done, convertErr = v.convert(from, block[:have], offset); convertErr != nil {
				return convertErr
			}
		}
		offset += done
		have = copy(block, block[done:have])
		if err == io.EOF {
			break
		}
	}
	if v.ignored {
		return v.stop("illegal input sequence at position %d", offset+have)
	}
	if have > 0 {
		return v.stop("incomplete character or shift sequence at end of buffer")
	}
	return nil
}

// stop ends the command with a message, after the output.
func (v *converter) stop(format string, args ...any) error {
	if err := v.out.flush(); err != nil {
		return err
	}
	v.call.Warn(fmt.Errorf(format, args...))
	return builtins.Exit(1)
}

// convert converts the whole characters of b, and returns how many bytes they
// have.
func (v *converter) convert(from charset, b []byte, offset int) (int, error) {
	at := 0
	for at < len(b) {
		r, n := from.decode(b[at:])
		if n == 0 {
			break
		}
		ok := n > 0
		if ok {
			ok = v.put(r)
		}
		if !ok && v.ignore {
			v.ignored = true
		} else if !ok && !v.omit {
			return at, v.stop("illegal input sequence at position %d", offset+at)
		}
		at += max(n, 1)
	}
	return at, v.out.spill()
}

// put adds a character to the output if its encoding has it.
func (v *converter) put(r rune) bool {
	if !v.begun && v.to.width > 0 {
		v.out.buf, _ = v.to.encode(v.out.buf, 0xfeff)
	}
	v.begun = true
	buf, ok := v.to.encode(v.out.buf, r)
	if ok || !v.translit {
		if ok {
			v.out.buf = buf
		}
		return ok
	}
	buf = v.out.buf
	for _, similar := range transliterate(r) {
		if buf, ok = v.to.encode(buf, similar); !ok {
			return false
		}
	}
	v.out.buf = buf
	return true
}

// order returns the encoding without a mark that is meant by the beginning of a
// text, and the size of the mark there.
func (s charset) order(start []byte) (charset, int) {
	for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
		plain := wide(s.width, order, false)
		if r, n := plain.decode(start); n > 0 && r == 0xfeff {
			return plain, n
		}
	}
	return wide(s.width, binary.LittleEndian, false), 0
}

func utf16In(order byteOrder) func(b []byte) (rune, int) {
	return func(b []byte) (rune, int) {
		if len(b) < 2 {
			return 0, 0
		}
		r := rune(order.Uint16(b))
		switch {
		case !utf16.IsSurrogate(r):
			return r, 2
		case r >= 0xdc00:
			return 0, -1
		case len(b) < 4:
			return 0, 0
		}
		if r = utf16.DecodeRune(r, rune(order.Uint16(b[2:]))); r == utf8.RuneError {
			return 0, -1
		}
		return r, 4
	}
}

func utf16Out(order byteOrder) func(dst []byte, r rune) ([]byte, bool) {
	return func(dst []byte, r rune) ([]byte, bool) {
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			return order.AppendUint16(order.AppendUint16(dst, uint16(high)), uint16(low)), true
		}
		return order.AppendUint16(dst, uint16(r)), true
	}
}

func utf32In(order byteOrder) func(b []byte) (rune, int) {
	return func(b []byte) (rune, int) {
		if len(b) < 4 {
			return 0, 0
		}
		n := order.Uint32(b)
		if n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
			return 0, -1
		}
		return rune(n), 4
	}
}
