package text

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var (
	errNumber   = errors.New("invalid number")
	errSuffix   = errors.New("invalid suffix in number")
	errOverflow = errors.New("Value too large for defined data type")
	errRange    = errors.New("Numerical result out of range")
)

// sizeSuffixes are the multipliers that most GNU tools take.
const sizeSuffixes = "bkKmMGTPEZY0"

// parseSize parses a number that may have one of the suffixes as a multiplier:
// b is 512, K 1024 and so on; with '0' among the suffixes KiB is the same as K
// and KB is 1000. The error is errNumber, errSuffix or errOverflow; for the
// last, n is the largest number there is.
func parseSize(s, suffixes string) (n uint64, err error) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	s = strings.TrimPrefix(s, "+")
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	for _, d := range []byte(s[:digits]) {
		hi, lo := bits.Mul64(n, 10)
		sum, carry := bits.Add64(lo, uint64(d-'0'), 0)
		if hi|carry != 0 {
			err = errOverflow
		}
		n = sum
	}
	suffix := s[digits:]
	if digits == 0 {
		if suffix == "" || strings.IndexByte(suffixes, suffix[0]) < 0 || suffix[0] == '0' {
			return 0, errNumber
		}
		n = 1
	}
	if err != nil {
		n = math.MaxUint64
	}
	if suffix == "" {
		return n, err
	}
	base, power, ok := multiplier(suffix, suffixes)
	if !ok {
		return n, errSuffix
	}
	for range power {
		hi, lo := bits.Mul64(n, base)
		if hi != 0 {
			return math.MaxUint64, errOverflow
		}
		n = lo
	}
	return n, err
}

// multiplier returns the factor that a suffix stands for, as a power of base.
func multiplier(suffix, suffixes string) (base uint64, power int, ok bool) {
	if strings.IndexByte(suffixes, suffix[0]) < 0 || suffix[0] == '0' {
		return 0, 0, false
	}
	letter, rest := suffix[0], suffix[1:]
	base = 1024
	if strings.HasSuffix(suffixes, "0") && strings.IndexByte("EGgkKMmPTtYZ", letter) >= 0 {
		switch rest {
		case "B", "D":
			base, rest = 1000, ""
		case "iB":
			rest = ""
		}
	}
	if rest != "" {
		return 0, 0, false
	}
	switch letter {
	case 'b':
		return 512, 1, true
	case 'B':
		return 1024, 1, true
	case 'c':
		return 1, 1, true
	case 'w':
		return 2, 1, true
	}
	power = strings.IndexByte("KMGTPEZY", upper(letter)) + 1
	return base, power, power > 0
}

func upper(b byte) byte {
	if 'a' <= b && b <= 'z' {
		b -= 'a' - 'A'
	}
	return b
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}

// numberOption parses the value of an option as GNU's xdectoumax does: within
// [least, most], with a message that begins with what.
func numberOption(s, suffixes string, least, most uint64, what string) (uint64, error) {
	n, err := parseSize(s, suffixes)
	if err == nil && (n < least || n > most) {
		err = errRange
		if n > math.MaxInt32/2 {
			err = errOverflow
		}
	}
	switch err {
	case nil:
		return n, nil
	case errOverflow, errRange:
		return 0, fmt.Errorf("%s: %s: %w", what, builtins.QuoteLocale(s), err)
	}
	return 0, fmt.Errorf("%s: %s", what, builtins.QuoteLocale(s))
}
