package file

import (
	"errors"
	"math"
	"math/big"
	"strings"
)

// Errors of parseSize.
var (
	errBadNumber = errors.New("invalid number")
	errBadSuffix = errors.New("invalid suffix")
	errTooLarge  = errors.New("value too large")
)

// units are the letters that multiply a size, each a thousand or 1024 times
// the one before it.
const units = "KMGTPEZY"

// parseSize parses a number of bytes as GNU tools do: decimal digits, then
// perhaps one of the letters of allowed with its power of 1024; B or iB may
// follow the letter, and with B alone it is a power of 1000. The letters b
// (512), c (1) and w (2) have no such forms. A number that is too large is
// math.MaxInt64, with errTooLarge.
func parseSize(s, allowed string) (int64, error) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	s = strings.TrimPrefix(s, "+")
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	suffix := s[digits:]
	n := big.NewInt(1)
	if digits > 0 {
		n.SetString(s[:digits], 10)
	} else if suffix == "" || !strings.Contains(allowed, suffix[:1]) {
		return 0, errBadNumber
	}
	if suffix != "" {
		scale, err := multiplier(suffix, allowed)
		if err != nil {
			return 0, err
		}
		n.Mul(n, scale)
	}
	if !n.IsInt64() {
		return math.MaxInt64, errTooLarge
	}
	return n.Int64(), nil
}

func multiplier(suffix, allowed string) (*big.Int, error) {
	if !strings.Contains(allowed, suffix[:1]) {
		return nil, errBadSuffix
	}
	switch suffix {
	case "b":
		return big.NewInt(512), nil
	case "B":
		return big.NewInt(1024), nil
	case "c":
		return big.NewInt(1), nil
	case "w":
		return big.NewInt(2), nil
	}
	base := int64(1024)
	switch suffix[1:] {
	case "", "iB":
	case "B", "D":
		base = 1000
	default:
		return nil, errBadSuffix
	}
	power := strings.IndexByte(units, upper(suffix[0])) + 1
	return new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(power)), nil), nil
}

func upper(b byte) byte {
	if b >= 'a' && b <= 'z' {
		return b - 'a' + 'A'
	}
	return b
}
