package text

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/internal/version"
)

// compare compares two keys in the order o, but for its reversal. seed is that
// of random order.
func (o *sortOrder) compare(a, b []byte, seed []byte) int {
	if o.kind != 0 {
		if (o.dictionary || o.printing || o.fold) && (o.kind == 'V' || o.kind == 'R') {
			a, b = o.transform(a), o.transform(b)
		}
		switch o.kind {
		case 'n':
			return compareNumbers(trimBlanks(a), trimBlanks(b))
		case 'h':
			a, b = trimBlanks(a), trimBlanks(b)
			if x, y := humanUnit(a), humanUnit(b); x != y {
				return x - y
			}
			return compareNumbers(a, b)
		case 'g':
			return compareFloats(a, b)
		case 'M':
			return monthOf(a) - monthOf(b)
		case 'V':
			return version.Compare(a, b)
		}
		x, y := randomDigest(a, seed), randomDigest(b, seed)
		if d := bytes.Compare(x[:], y[:]); d != 0 {
			return d
		}
		return bytes.Compare(a, b)
	}
	switch {
	case o.dictionary || o.printing:
		return o.compareSome(a, b)
	case o.fold:
		return compareFolded(a, b)
	}
	return bytes.Compare(a, b)
}

// ignores reports whether a byte is left out of the comparison.
func (o *sortOrder) ignores(b byte) bool {
	return o.dictionary && !isBlank(b) && !isAlpha(b) && !isDigit(b) || o.printing && (b < ' ' || b >= 127)
}

// compareSome compares the bytes that are not ignored.
func (o *sortOrder) compareSome(a, b []byte) int {
	for {
		for len(a) > 0 && o.ignores(a[0]) {
			a = a[1:]
		}
		for len(b) > 0 && o.ignores(b[0]) {
			b = b[1:]
		}
		if len(a) == 0 || len(b) == 0 {
			return len(a) - len(b)
		}
		x, y := a[0], b[0]
		if o.fold {
			x, y = upper(x), upper(y)
		}
		if x != y {
			return int(x) - int(y)
		}
		a, b = a[1:], b[1:]
	}
}

// transform returns what is left of a key without what is ignored, in upper
// case if case is.
func (o *sortOrder) transform(key []byte) []byte {
	var kept []byte
	for _, b := range key {
		if o.ignores(b) {
			continue
		}
		if o.fold {
			b = upper(b)
		}
		kept = append(kept, b)
	}
	return kept
}

// A prefix is what is known of a key: a number such that keys with different
// numbers compare as these do, before reversal.
type prefix struct {
	number uint64
	exact  bool // of two keys that are, those with the same number are equal
	more   bool // and for those that are not, it goes on with what follows
}

// prefix returns the prefix of a key, in the orders that compare bytes of the part
// behind the first depth that are not ignored.
func (o *sortOrder) prefix(key []byte, depth int, seed []byte) prefix {
	switch o.kind {
	case 0:
		if !o.dictionary && !o.printing && !o.fold {
			return bytesPrefix(key[min(depth, len(key)):])
		}
		return o.somePrefix(key, depth)
	case 'n':
		f, exact := numberKey(trimBlanks(key))
		return prefix{number: orderedBits(f), exact: exact}
	case 'M':
		return prefix{number: uint64(monthOf(key)), exact: true}
	case 'h':
		return prefix{number: uint64(humanUnit(trimBlanks(key)) + 16)}
	case 'g':
		kind, f := floatKey(key)
		if kind != floatNumber {
			return prefix{number: uint64(kind), exact: true}
		}
		return prefix{number: orderedBits(f), exact: true}
	case 'R':
		if o.dictionary || o.printing || o.fold {
			key = o.transform(key)
		}
		d := randomDigest(key, seed)
		return prefix{number: binary.BigEndian.Uint64(d[:])}
	}
	return prefix{}
}

// bytesPrefix is the prefix of a key that is compared as it is. It is exact for
// a short one that does not end in a NUL, which the number would not show.
func bytesPrefix(key []byte) prefix {
	if len(key) > 8 {
		return prefix{number: binary.BigEndian.Uint64(key), more: true}
	}
	var first [8]byte
	copy(first[:], key)
	return prefix{number: binary.BigEndian.Uint64(first[:]), exact: len(key) == 0 || key[len(key)-1] != 0}
}

// somePrefix is the prefix of a key of which not all bytes are compared as they
// are.
func (o *sortOrder) somePrefix(key []byte, depth int) prefix {
	var first [9]byte
	n := -depth
	for _, b := range key {
		if o.ignores(b) {
			continue
		}
		if n >= 0 {
			if o.fold {
				b = upper(b)
			}
			first[n] = b
		}
		if n++; n == len(first) {
			break
		}
	}
	return bytesPrefix(first[:max(n, 0)])
}

// orderedBits maps numbers to integers in the same order, above 16.
func orderedBits(f float64) uint64 {
	if f == 0 {
		f = 0 // -0 too
	}
	bits := math.Float64bits(f)
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

func trimBlanks(key []byte) []byte {
	for len(key) > 0 && isSortBlank(key[0]) {
		key = key[1:]
	}
	return key
}

// A numeral is the parts of a decimal number, without zeros at their ends.
type numeral struct {
	negative        bool
	whole, fraction []byte
}

func parseNumeral(s []byte) (n numeral) {
	if len(s) > 0 && s[0] == '-' {
		n.negative = true
		s = s[1:]
	}
	for len(s) > 0 && s[0] == '0' {
		s = s[1:]
	}
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	n.whole, s = s[:i], s[i:]
	if len(s) > 0 && s[0] == '.' {
		end := 0
		for i = 1; i < len(s) && isDigit(s[i]); i++ {
			if s[i] != '0' {
				end = i
			}
		}
		if end > 0 {
			n.fraction = s[1 : end+1]
		}
	}
	if len(n.whole)+len(n.fraction) == 0 {
		n.negative = false
	}
	return n
}

// compareNumbers compares decimal numbers of any length at the beginning of a
// and b.
func compareNumbers(a, b []byte) int {
	x, y := parseNumeral(a), parseNumeral(b)
	if x.negative != y.negative {
		if x.negative {
			return -1
		}
		return 1
	}
	d := len(x.whole) - len(y.whole)
	if d == 0 {
		d = bytes.Compare(x.whole, y.whole)
	}
	if d == 0 {
		d = bytes.Compare(x.fraction, y.fraction)
	}
	if x.negative {
		return -d
	}
	return d
}

// numberKey returns the number at the beginning of s, correctly rounded. exact
// is whether no other number rounds to the same unless it has more digits.
func numberKey(s []byte) (f float64, exact bool) {
	n := parseNumeral(s)
	if exact = len(n.whole)+len(n.fraction) <= 15; exact {
		mantissa := int64(0)
		for _, d := range n.whole {
			mantissa = 10*mantissa + int64(d-'0')
		}
		scale := 1.0
		for _, d := range n.fraction {
			mantissa = 10*mantissa + int64(d-'0')
			scale *= 10
		}
		f = float64(mantissa) / scale
	} else {
		f, _ = strconv.ParseFloat(string(n.whole)+"."+string(n.fraction), 64)
	}
	if n.negative {
		f = -f
	}
	return f, exact
}

// humanUnit returns the power of the unit after the number at the beginning of
// s, negative for a negative number and 0 for zero.
func humanUnit(s []byte) int {
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	nonzero, i := false, 0
	digits := func() {
		for ; i < len(s) && isDigit(s[i]); i++ {
			nonzero = nonzero || s[i] != '0'
		}
	}
	digits()
	if i+1 < len(s) && s[i] == '.' && isDigit(s[i+1]) {
		i++
		digits()
	}
	if !nonzero || i >= len(s) {
		return 0
	}
	unit := strings.IndexByte("KMGTPEZY", s[i]) + 1
	if s[i] == 'k' {
		unit = 1
	}
	if negative {
		return -unit
	}
	return unit
}

// The kinds of general numbers, in the order in which they sort.
const (
	floatNone = iota // no number at all
	floatNaN
	floatNumber
)

// floatKey returns the floating point number at the beginning of key.
func floatKey(key []byte) (kind int, f float64) {
	for len(key) > 0 && isSpace(key[0]) {
		key = key[1:]
	}
	n := floatPrefix(key)
	if n == 0 {
		return floatNone, 0
	}
	text := string(key[:n])
	if strings.ContainsAny(text, "xX") && !strings.ContainsAny(text, "pP") {
		text += "p0"
	}
	f, err := strconv.ParseFloat(text, 64)
	if math.IsNaN(f) {
		return floatNaN, f
	}
	if err != nil && !math.IsInf(f, 0) {
		return floatNone, 0
	}
	return floatNumber, f
}

// floatPrefix returns the length of the number at the beginning of s as strtod
// has it, but for what is in parentheses after a NaN.
func floatPrefix(s []byte) int {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	for _, word := range []string{"infinity", "inf", "nan"} {
		if len(s)-i >= len(word) && strings.EqualFold(string(s[i:i+len(word)]), word) {
			return i + len(word)
		}
	}
	isDigit, exponent := isDigit, byte('e')
	if len(s)-i > 2 && s[i] == '0' && lower(s[i+1]) == 'x' {
		hex := asciiClass("xdigit")
		if hex(s[i+2]) || s[i+2] == '.' && len(s)-i > 3 && hex(s[i+3]) {
			isDigit, exponent = hex, 'p'
			i += 2
		}
	}
	digits := 0
	run := func() {
		for i < len(s) && isDigit(s[i]) {
			i++
			digits++
		}
	}
	run()
	if i < len(s) && s[i] == '.' {
		i++
		run()
		if digits == 0 {
			return 0
		}
	}
	if digits == 0 {
		return 0
	}
	if i < len(s) && lower(s[i]) == exponent {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		k := j
		for k < len(s) && '0' <= s[k] && s[k] <= '9' {
			k++
		}
		if k > j {
			i = k
		}
	}
	return i
}

// compareFloats compares the floating point numbers that a and b begin with.
func compareFloats(a, b []byte) int {
	x, f := floatKey(a)
	y, g := floatKey(b)
	switch {
	case x != y:
		return x - y
	case x != floatNumber || f == g:
		return 0
	case f < g:
		return -1
	}
	return 1
}

// monthOf returns the number of the month that key begins with, or 0.
func monthOf(key []byte) int {
	key = trimBlanks(key)
	if len(key) < 3 {
		return 0
	}
	name := [3]byte{upper(key[0]), upper(key[1]), upper(key[2])}
	i := strings.Index("JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", string(name[:]))
	if i < 0 || i%3 != 0 {
		return 0
	}
	return i/3 + 1
}

// randomDigest returns the hash of a key that random order sorts by.
func randomDigest(key, seed []byte) [md5.Size]byte {
	h := md5.New()
	h.Write(seed)
	if h.Write(key); len(key) > 0 {
		h.Write([]byte{0})
	}
	return [md5.Size]byte(h.Sum(nil))
}
