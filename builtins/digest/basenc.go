package digest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var base64Command = commands.Add(&builtins.Command{
	Name:     "base64",
	Synopsis: "[OPTION]... [FILE]",
	Summary:  "base64 encode or decode data",
	Run:      func(ctx context.Context, c *builtins.Call) error { return runCodec(c, base64Codec) },
})

var base32Command = commands.Add(&builtins.Command{
	Name:     "base32",
	Synopsis: "[OPTION]... [FILE]",
	Summary:  "base32 encode or decode data",
	Run:      func(ctx context.Context, c *builtins.Call) error { return runCodec(c, base32Codec) },
})

var basenc = commands.Add(&builtins.Command{
	Name:     "basenc",
	Synopsis: "[OPTION]... [FILE]",
	Summary:  "encode or decode data in one of many bases",
	Run:      func(ctx context.Context, c *builtins.Call) error { return runCodec(c, nil) },
})

// encodings are the options of basenc.
var encodings = []struct {
	name, help string
	codec      *codec
}{
	{"base64", "same as 'base64' program (RFC4648 section 4)", base64Codec},
	{"base64url", "file- and url-safe base64 (RFC4648 section 5)", base64URLCodec},
	{"base32", "same as 'base32' program (RFC4648 section 6)", base32Codec},
	{"base32hex", "extended hex alphabet base32 (RFC4648 section 7)", base32HexCodec},
	{"base16", "hex encoding (RFC4648 section 8)", base16Codec},
	{"base2msbf", "bit string with most significant bit (msb) first", base2MSBFCodec},
	{"base2lsbf", "bit string with least significant bit (lsb) first", base2LSBFCodec},
	{"z85", "ascii85-like encoding (ZeroMQ spec:32/Z85)", z85Codec},
}

// runCodec runs base64 and its relatives; without a codec, an option names it.
func runCodec(c *builtins.Call, k *codec) error {
	var decode, ignore bool
	wrap := 76
	f := c.Flags()
	if k == nil {
		for _, e := range encodings {
			f.Do(e.name, e.help, func() error { k = e.codec; return nil })
		}
	}
	f.Bool(&decode, "d,decode", "decode data")
	f.Bool(&ignore, "i,ignore-garbage", "when decoding, ignore non-alphabet characters")
	f.Func("w,wrap", "wrap encoded lines after `COLS` character (default 76). Use 0 to disable line wrapping", func(s string) error {
		n, ok := new(big.Int).SetString(s, 10)
		if !ok || n.Sign() < 0 {
			return fmt.Errorf("invalid wrap size: %s", builtins.QuoteLocale(s))
		}
		wrap = 0
		if n.IsInt64() {
			wrap = int(n.Int64())
		}
		return nil
	})
	files, err := f.Parse()
	switch {
	case err != nil:
		return err
	case k == nil:
		return f.Fail(builtins.Usage("missing encoding type"))
	case len(files) > 1:
		return f.Fail(builtins.Usage("extra operand %s", builtins.QuoteLocale(files[1])))
	}
	in := c.Stdin
	if len(files) > 0 && files[0] != "-" {
		file, err := c.Open(files[0])
		if err != nil {
			return builtins.FileError(files[0], err)
		}
		defer file.Close()
		in = file
	}
	if err := c.Alloc(4 * bufferSize); err != nil {
		return err
	}
	defer c.Free(4 * bufferSize)
	w := bufio.NewWriterSize(c.Stdout, bufferSize)
	if decode {
		err = k.decodeStream(c, w, in, ignore)
	} else {
		err = k.encodeStream(c, w, in, wrap)
	}
	if flushErr := w.Flush(); err == nil {
		err = flushErr
	}
	return err
}

// readError returns a failure to read as these commands report it.
func readError(c *builtins.Call, err error) error {
	if c.Ends(err) {
		return err
	}
	return fmt.Errorf("read error: %w", vfs.ErrnoOf(err))
}

func (k *codec) encodeStream(c *builtins.Call, w *bufio.Writer, in io.Reader, wrap int) error {
	const size = 30 << 10 // whole groups of every codec, and what GNU reads at a time
	src, dst := make([]byte, size), []byte(nil)
	column := 0
	for {
		n, err := io.ReadFull(in, src)
		if err := c.Poll(1 + n>>8); err != nil {
			return err
		}
		if !k.padded && n%k.bytes != 0 {
			return errors.New("invalid input (length must be multiple of 4 characters)")
		}
		dst = k.encode(dst[:0], src[:n])
		if column, err = writeWrapped(w, dst, wrap, column), readEnd(err); err == io.EOF {
			break
		} else if err != nil {
			return readError(c, err)
		}
	}
	if wrap > 0 && column > 0 {
		return w.WriteByte('\n')
	}
	return nil
}

// readEnd returns err, with io.EOF for input that ended in the middle of a
// buffer.
func readEnd(err error) error {
	if err == io.ErrUnexpectedEOF {
		return io.EOF
	}
	return err
}

// writeWrapped writes text that begins at column, with a newline after every
// wrap columns unless that is 0, and returns the column after it. A write that
// fails is noticed at the next flush.
func writeWrapped(w *bufio.Writer, text []byte, wrap, column int) int {
	if wrap == 0 {
		w.Write(text)
		return 0
	}
	for len(text) > 0 {
		if column == wrap {
			w.WriteByte('\n')
			column = 0
		}
		n := min(wrap-column, len(text))
		w.Write(text[:n])
		text, column = text[n:], column+n
	}
	return column
}

var errInvalidInput = errors.New("invalid input")

func (k *codec) decodeStream(c *builtins.Call, w *bufio.Writer, in io.Reader, ignore bool) error {
	skip := k.skipped(ignore)
	buf, text, out := make([]byte, bufferSize), []byte(nil), []byte(nil)
	for {
		n, readErr := in.Read(buf)
		if err := c.Poll(1 + n>>8); err != nil {
			return err
		}
		for _, b := range buf[:n] {
			if !skip[b] {
				text = append(text, b)
			}
		}
		var ok bool
		whole := len(text) / k.chars * k.chars
		out, ok = k.decode(out[:0], text[:whole])
		text = append(text[:0], text[whole:]...)
		if ok && readErr != nil && len(text) > 0 {
			out, ok = k.group(out, text)
		}
		if _, err := w.Write(out); err != nil {
			return err
		}
		switch {
		case !ok:
			return errInvalidInput
		case readErr == io.EOF:
			return nil
		case readErr != nil:
			return readError(c, readErr)
		}
	}
}

// skipped returns the bytes that do not count: newlines and, with ignore,
// whatever is not of the alphabet.
func (k *codec) skipped(ignore bool) (skip [256]bool) {
	if ignore {
		for i, v := range digits(k.alphabet) {
			skip[i] = v == 255
		}
		skip['='] = skip['='] && !k.padded
	}
	skip['\n'] = true
	return skip
}

// decode appends the bytes of whole groups.
func (k *codec) decode(dst, text []byte) ([]byte, bool) {
	if k.bulk != nil {
		if out, ok := k.bulk(dst, text); ok {
			return out, true
		}
	}
	ok := true
	for ; ok && len(text) > 0; text = text[k.chars:] {
		dst, ok = k.group(dst, text[:k.chars])
	}
	return dst, ok
}
