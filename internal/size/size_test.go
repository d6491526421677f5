package size

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	const all = "bcwBEGgkKMmPTtYZ0"
	for _, tt := range []struct {
		text, suffixes string
		n              uint64
		err            error
	}{
		{"12", "", 12, nil}, {" +12", "", 12, nil}, {"", all, 0, ErrNumber}, {"-1", all, 0, ErrNumber}, {"x", all, 0, ErrNumber}, {"0", all, 0, nil},
		{"1K", all, 1024, nil}, {"1KB", all, 1000, nil}, {"1KiB", all, 1024, nil}, {"2MB", all, 2_000_000, nil}, {"K", all, 1024, nil},
		{"3b", all, 1536, nil}, {"3c", all, 3, nil}, {"3w", all, 6, nil}, {"1B", all, 1024, nil}, {"1KB", "K", 1, ErrSuffix}, {"1K", "", 1, ErrSuffix},
		{"1Kx", all, 1, ErrSuffix}, {"1bB", all, 1, ErrSuffix}, {"1 ", all, 1, ErrSuffix}, {"15E", all, 15 << 60, nil}, {"16E", all, math.MaxUint64, ErrOverflow},
		{"1Y", all, math.MaxUint64, ErrOverflow}, {"18446744073709551615", "", math.MaxUint64, nil}, {"18446744073709551616", "", math.MaxUint64, ErrOverflow},
		{"99999999999999999999x", all, math.MaxUint64, ErrSuffix}, {"0Y", all, 0, nil}, {"10", "0", 10, nil}, {"0", "0", 0, nil},
	} {
		n, err := Parse(tt.text, tt.suffixes)
		require.Equal(t, tt.err, err, tt.text)
		require.Equal(t, tt.n, n, tt.text)
	}
}
