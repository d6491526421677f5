package text

import (
	"errors"
	"fmt"
	"math"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/size"
)

var (
	errNumber   = size.ErrNumber
	errSuffix   = size.ErrSuffix
	errOverflow = size.ErrOverflow
	errRange    = errors.New("Numerical result out of range")
)

// sizeSuffixes are the multipliers that most GNU tools take.
const sizeSuffixes = "bkKmMGTPEZY0"

// parseSize is [size.Parse].
func parseSize(s, suffixes string) (n uint64, err error) { return size.Parse(s, suffixes) }

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
