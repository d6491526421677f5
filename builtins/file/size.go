package file

import (
	"math"

	"github.com/limpet-sh/limpet/internal/size"
)

// Errors of parseSize.
var (
	errBadNumber = size.ErrNumber
	errBadSuffix = size.ErrSuffix
	errTooLarge  = size.ErrOverflow
)

// units are the letters that multiply a size.
const units = size.Units

// parseSize is [size.Parse] for sizes of files: a number that is too large is
// math.MaxInt64, with errTooLarge.
func parseSize(s, suffixes string) (int64, error) {
	n, err := size.Parse(s, suffixes)
	if n > math.MaxInt64 && (err == nil || err == errTooLarge) {
		return math.MaxInt64, errTooLarge
	}
	return int64(n), err
}
