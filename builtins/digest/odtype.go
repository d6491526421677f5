package digest

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// An odType is one of the formats in which od shows a block.
type odType struct {
	form  byte // a c d f o u x
	size  int  // bytes of a field
	width int  // characters of a field
	pad   int  // blanks that the fields of a line share
	ascii bool // the characters follow
}

// fieldWidths has, by size in bytes, how many characters numbers take.
var fieldWidths = map[byte][17]int{
	'o': {1: 3, 2: 6, 4: 11, 8: 22},
	'd': {1: 4, 2: 6, 4: 11, 8: 20},
	'u': {1: 3, 2: 5, 4: 10, 8: 20},
	'x': {1: 2, 2: 4, 4: 8, 8: 16},
	'f': {4: 15, 8: 24, 16: 29},
}

// parseOdTypes reads the value of od -t.
func parseOdTypes(text string) ([]odType, error) {
	var list []odType
	rest := text
	for rest != "" {
		t := odType{form: rest[0], size: 1, width: 3}
		rest = rest[1:]
		switch t.form {
		case 'a', 'c':
		case 'd', 'o', 'u', 'x', 'f':
			var err error
			if t.size, rest, err = odSize(t.form, rest, text); err != nil {
				return nil, err
			}
			t.width = fieldWidths[t.form][t.size]
		default:
			return nil, fmt.Errorf("invalid character '%c' in type string %s", t.form, builtins.QuoteLocale(text))
		}
		rest, t.ascii = strings.CutPrefix(rest, "z")
		list = append(list, t)
	}
	return list, nil
}

// odSize reads the size of a field from the start of rest.
func odSize(form byte, rest, text string) (size int, _ string, err error) {
	letters, kind := map[byte]int{'C': 1, 'S': 2, 'I': 4, 'L': 8}, "integral"
	size = 4
	if form == 'f' {
		letters, kind, size = map[byte]int{'F': 4, 'D': 8, 'L': 16}, "floating point", 8
	}
	if rest != "" && letters[rest[0]] != 0 {
		return letters[rest[0]], rest[1:], nil
	}
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	if digits != "" {
		n, err := strconv.Atoi(digits)
		if err != nil || n > 16 || fieldWidths[form][n] == 0 {
			return 0, "", fmt.Errorf("invalid type string %s;\nthis system doesn't provide a %s-byte %s type",
				builtins.QuoteLocale(text), digits, kind)
		}
		size = n
	}
	return size, rest[len(digits):], nil
}

// blanks is what padding is taken from.
const blanks = "                                                                "

func writeBlanks(w *bufio.Writer, n int) {
	for ; n > len(blanks); n -= len(blanks) {
		w.WriteString(blanks)
	}
	w.WriteString(blanks[:max(n, 0)])
}

// line writes a block, of which n bytes count, without address and newline.
func (t *odType) line(w *bufio.Writer, block []byte, n int, bigEndian bool) {
	fields := len(block) / t.size
	blank := (len(block) - n) / t.size
	left := t.pad
	var field [32]byte
	for i := fields; i > blank; i-- {
		next := t.pad * (i - 1) / fields
		start := (fields - i) * t.size
		text := t.append(field[:0], block[start:start+t.size], bigEndian)
		writeBlanks(w, left-next+t.width-len(text))
		w.Write(text)
		left = next
	}
	if t.ascii {
		writeBlanks(w, blank*t.width+t.pad*blank/fields)
		w.WriteString("  >")
		for _, b := range block[:n] {
			if b < ' ' || b > '~' {
				b = '.'
			}
			w.WriteByte(b)
		}
		w.WriteByte('<')
	}
}

// append appends the text of a field.
func (t *odType) append(dst, field []byte, bigEndian bool) []byte {
	switch t.form {
	case 'a':
		return append(dst, asciiNames[field[0]&0x7f]...)
	case 'c':
		return append(dst, charNames[field[0]]...)
	}
	if bigEndian {
		var swapped [16]byte
		for i, b := range field {
			swapped[len(field)-1-i] = b
		}
		field = swapped[:len(field)]
	}
	if t.form == 'f' {
		return appendFloat(dst, field)
	}
	var n uint64
	for i := len(field) - 1; i >= 0; i-- {
		n = n<<8 | uint64(field[i])
	}
	switch t.form {
	case 'd':
		shift := 64 - 8*len(field)
		return strconv.AppendInt(dst, int64(n<<shift)>>shift, 10)
	case 'u':
		return strconv.AppendUint(dst, n, 10)
	}
	base, digits := 16, t.width
	if t.form == 'o' {
		base = 8
	}
	var buf [24]byte
	text := strconv.AppendUint(buf[:0], n, base)
	for range digits - len(text) {
		dst = append(dst, '0')
	}
	return append(dst, text...)
}

// appendFloat appends the shortest decimal that stands for a little-endian
// floating point number, of the precision that its type has at least.
func appendFloat(dst, field []byte) []byte {
	switch len(field) {
	case 4:
		x := math.Float32frombits(binary.LittleEndian.Uint32(field))
		return appendShortest(dst, float64(x), 32, 6, 0x1p-126)
	case 8:
		return appendShortest(dst, math.Float64frombits(binary.LittleEndian.Uint64(field)), 64, 15, 0x1p-1022)
	}
	return appendExtended(dst, field)
}

func appendShortest(dst []byte, x float64, size, digits int, normal float64) []byte {
	switch {
	case math.IsNaN(x) && math.Signbit(x):
		return append(dst, "-nan"...)
	case math.IsNaN(x):
		return append(dst, "nan"...)
	case math.IsInf(x, 0):
		return append(dst, strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(x, 'g', -1, 64)), "+")...)
	}
	if math.Abs(x) < normal {
		digits = 1
	}
	for ; ; digits++ {
		text := strconv.AppendFloat(dst, x, 'g', digits, size)
		if y, err := strconv.ParseFloat(string(text[len(dst):]), size); err == nil && y == x {
			return text
		}
	}
}

// appendExtended is appendFloat for the 80-bit format of x87, in 16 bytes.
func appendExtended(dst, field []byte) []byte {
	fraction := binary.LittleEndian.Uint64(field)
	top := binary.LittleEndian.Uint16(field[8:])
	sign, exponent := top>>15 != 0, int(top&0x7fff)
	if sign {
		dst = append(dst, '-')
	}
	normal := fraction>>63 != 0
	if exponent == 0x7fff || exponent > 0 && !normal {
		if normal && fraction<<1 == 0 {
			return append(dst, "inf"...)
		}
		return append(dst, "nan"...)
	}
	if exponent == 0 { // the integer bit does not count, as for the C library
		normal = false
		fraction &^= 1 << 63
	}
	if fraction == 0 {
		return append(dst, '0')
	}
	digits, precision := 18, uint(64)
	if !normal {
		digits, precision = 1, uint(bits.Len64(fraction))
	}
	x := new(big.Float).SetPrec(precision).SetUint64(fraction)
	x.SetMantExp(x, max(exponent, 1)-16383-63)
	for ; ; digits++ {
		text := x.Append(dst, 'g', digits)
		y, _, err := big.ParseFloat(string(text[len(dst):]), 10, precision, big.ToNearestEven)
		if err == nil && y.Cmp(x) == 0 {
			return text
		}
	}
}

// charNames and asciiNames are how od -c and od -a show bytes.
var charNames, asciiNames = func() (c, a [256]string) {
	for i := range c {
		switch {
		case i == 0:
			c[i] = `\0`
		case i >= '\a' && i <= '\r':
			c[i] = `\` + "abtnvfr"[i-'\a':i-'\a'+1]
		case i >= ' ' && i <= '~':
			c[i] = string(rune(i))
		default:
			c[i] = fmt.Sprintf("%03o", i)
		}
		a[i] = string(rune(i))
	}
	names := "nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp"
	for i, name := range strings.Fields(names) {
		a[i] = name
	}
	a[0x7f] = "del"
	return c, a
}()
