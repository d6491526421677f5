package digest

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// A codec writes bytes as text, a group at a time.
type codec struct {
	alphabet string
	bytes    int // in a group
	chars    int // that a group becomes
	padded   bool

	// encode appends the text of src, which is whole groups unless it is the
	// last of the input.
	encode func(dst, src []byte) []byte

	// group appends the bytes of one group of text, which is short only at the
	// end of the input. Where the group is wrong it appends the bytes before
	// the mistake and reports false.
	group func(dst, text []byte) ([]byte, bool)

	// bulk, unless nil, appends the bytes of many groups if none is wrong or
	// padded.
	bulk func(dst, text []byte) ([]byte, bool)
}

const z85Alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

var (
	base64Codec    = newBase64(base64.StdEncoding, "+/")
	base64URLCodec = newBase64(base64.URLEncoding, "-_")
	base32Codec    = newBase32(base32.StdEncoding, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
	base32HexCodec = newBase32(base32.HexEncoding, "0123456789ABCDEFGHIJKLMNOPQRSTUV")
	base16Codec    = newBase16()
	base2MSBFCodec = newBase2(func(i int) int { return 7 - i })
	base2LSBFCodec = newBase2(func(i int) int { return i })
	z85Codec       = newZ85()
)

// digits returns the value of each character of an alphabet, and 255 for the
// other bytes.
func digits(alphabet string) *[256]byte {
	var t [256]byte
	for i := range t {
		t[i] = 255
	}
	for i := range len(alphabet) {
		t[alphabet[i]] = byte(i)
	}
	return &t
}

func newBase64(e *base64.Encoding, last string) *codec {
	alphabet := "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last
	value := digits(alphabet)
	return &codec{
		alphabet: alphabet, bytes: 3, chars: 4, padded: true, encode: e.AppendEncode,
		bulk: func(dst, text []byte) ([]byte, bool) {
			out, err := e.AppendDecode(dst, text)
			return out, err == nil
		},
		group: func(dst, text []byte) ([]byte, bool) {
			return decodeBits(dst, text, value, 6, 4, []int{2, 3, 4})
		},
	}
}

func newBase32(e *base32.Encoding, alphabet string) *codec {
	value := digits(alphabet)
	return &codec{
		alphabet: alphabet, bytes: 5, chars: 8, padded: true, encode: e.AppendEncode,
		bulk: func(dst, text []byte) ([]byte, bool) {
			out, err := e.AppendDecode(dst, text)
			return out, err == nil
		},
		group: func(dst, text []byte) ([]byte, bool) {
			if len(text) < 8 {
				return dst, false
			}
			return decodeBits(dst, text, value, 5, 8, []int{2, 4, 5, 7, 8})
		},
	}
}

// decodeBits decodes a group of characters of so many bits. stops has the
// numbers of characters that complete a byte; after each of them padding may
// fill the group.
func decodeBits(dst, text []byte, value *[256]byte, bits, chars int, stops []int) ([]byte, bool) {
	acc, held, pos := uint64(0), 0, 0
	for _, stop := range stops {
		if pos > 0 && pos < len(text) && text[pos] == '=' {
			return dst, len(text) == chars && strings.Trim(string(text[pos:]), "=") == ""
		}
		for ; pos < stop; pos++ {
			if pos >= len(text) || value[text[pos]] == 255 {
				return dst, false
			}
			acc = acc<<bits | uint64(value[text[pos]])
			held += bits
		}
		held -= 8
		dst = append(dst, byte(acc>>held))
	}
	return dst, true
}

func newBase16() *codec {
	const alphabet = "0123456789ABCDEF"
	value := digits(alphabet)
	return &codec{
		alphabet: alphabet, bytes: 1, chars: 2,
		encode: func(dst, src []byte) []byte {
			n := len(dst)
			dst = hex.AppendEncode(dst, src)
			copy(dst[n:], bytes.ToUpper(dst[n:]))
			return dst
		},
		group: func(dst, text []byte) ([]byte, bool) {
			if len(text) < 2 || value[text[0]] == 255 || value[text[1]] == 255 {
				return dst, false
			}
			return append(dst, value[text[0]]<<4|value[text[1]]), true
		},
	}
}

// newBase2 returns a codec of binary digits, of which digit i has the weight
// 1 << shift(i).
func newBase2(shift func(i int) int) *codec {
	return &codec{
		alphabet: "01", bytes: 1, chars: 8,
		encode: func(dst, src []byte) []byte {
			for _, b := range src {
				for i := range 8 {
					dst = append(dst, '0'+b>>shift(i)&1)
				}
			}
			return dst
		},
		group: func(dst, text []byte) ([]byte, bool) {
			var b byte
			for i := range 8 {
				if i >= len(text) || text[i]&^1 != '0' {
					return dst, false
				}
				b |= text[i] & 1 << shift(i)
			}
			return append(dst, b), true
		},
	}
}

func newZ85() *codec {
	value := digits(z85Alphabet)
	return &codec{
		alphabet: z85Alphabet, bytes: 4, chars: 5,
		encode: func(dst, src []byte) []byte {
			for ; len(src) >= 4; src = src[4:] {
				n := binary.BigEndian.Uint32(src)
				var group [5]byte
				for i := 4; i >= 0; i-- {
					group[i] = z85Alphabet[n%85]
					n /= 85
				}
				dst = append(dst, group[:]...)
			}
			return dst
		},
		group: func(dst, text []byte) ([]byte, bool) {
			n := uint64(0)
			for i := range 5 {
				if i >= len(text) || value[text[i]] == 255 {
					return dst, false
				}
				n = n*85 + uint64(value[text[i]])
			}
			if n > 1<<32-1 {
				return dst, false
			}
			return binary.BigEndian.AppendUint32(dst, uint32(n)), true
		},
	}
}
