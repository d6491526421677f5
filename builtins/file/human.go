package file

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// A blockSize says how sizes are shown: in units of size bytes or, where auto
// is set, in the unit that suits each.
type blockSize struct {
	auto   bool
	base   uint64 // 1024 or 1000
	size   uint64 // not for auto
	suffix string // of sizes that are not auto: "K", "MB", "GiB" …
}

// The block sizes that options stand for.
var (
	humanSize = blockSize{auto: true, base: 1024}
	siSize    = blockSize{auto: true, base: 1000}
	oneK      = blockSize{base: 1024, size: 1024}
	oneByte   = blockSize{base: 1024, size: 1}
)

// blockSizeFlag declares --block-size. set tells what it was.
func blockSizeFlag(f *builtins.Flags, set func(blockSize)) {
	f.Func("block-size", "scale sizes by `SIZE` when printing them", func(s string) error {
		return blockSizeOption(s, "--block-size", set)
	})
}

// blockSizeOption sets a block size to the value s of an option.
func blockSizeOption(s, option string, set func(blockSize)) error {
	b, err := parseBlockSize(s)
	switch err {
	case nil:
		set(b)
		return nil
	case errBadSuffix:
		return fmt.Errorf("invalid suffix in %s argument %s", option, builtins.Quote(s))
	case errTooLarge:
		return fmt.Errorf("%s argument %s too large", option, builtins.Quote(s))
	}
	return fmt.Errorf("invalid %s argument %s", option, builtins.Quote(s))
}

// envBlockSize returns the block size that the environment asks for: the first
// of the variables that is set. It reports false where none is.
func envBlockSize(c *builtins.Call, first string) (blockSize, bool) {
	for _, name := range []string{first, "BLOCK_SIZE", "BLOCKSIZE"} {
		if v := c.Getenv(name); v != "" {
			b, err := parseBlockSize(v)
			return b, err == nil
		}
	}
	if _, ok := c.Env.Lookup("POSIXLY_CORRECT"); ok {
		return blockSize{base: 1024, size: 512}, true
	}
	return oneK, false
}

// parseBlockSize parses a size such as 512, 4K, MB, human-readable or si.
func parseBlockSize(s string) (blockSize, error) {
	s = strings.TrimPrefix(s, "'") // groups digits, of which the locale has none
	switch s {
	case "human-readable":
		return humanSize, nil
	case "si":
		return siSize, nil
	}
	n, err := parseSize(s, "eEgGkKmMpPtTyYzZ0")
	if err != nil {
		return blockSize{}, err
	}
	if n == 0 {
		return blockSize{}, errBadNumber
	}
	b := blockSize{base: 1024, size: uint64(n)}
	if s[0] < '0' || s[0] > '9' {
		b.suffix = strings.ToUpper(s[:1]) + s[1:]
		if strings.HasSuffix(s, "B") && !strings.HasSuffix(s, "iB") {
			b.base = 1000
			if b.suffix[0] == 'K' {
				b.suffix = "k" + b.suffix[1:]
			}
		}
	}
	return b, nil
}

// format shows n bytes, rounded up.
func (b blockSize) format(n uint64) string {
	if b.auto {
		return b.scaled(n)
	}
	blocks := n / b.size
	if n%b.size != 0 {
		blocks++
	}
	return strconv.FormatUint(blocks, 10) + b.suffix
}

// formatBlocks shows n units of size bytes.
func (b blockSize) formatBlocks(n, size uint64) string {
	hi, lo := bits.Mul64(n, size)
	if hi != 0 {
		return b.format(1<<64 - 1)
	}
	return b.format(lo)
}

// scaled shows n with at most three digits before the letter of its unit, and
// one after the point where there is one digit before it.
func (b blockSize) scaled(n uint64) string {
	if n < b.base {
		return strconv.FormatUint(n, 10)
	}
	tenths, rest, power := uint64(0), false, 0
	for n >= b.base && power < len(units) {
		r := n%b.base*10 + tenths
		n, tenths = n/b.base, r/b.base
		rest = rest || r%b.base != 0
		power++
	}
	if n < 10 && rest {
		rest = false
		if tenths++; tenths == 10 {
			n, tenths = n+1, 0
		}
	}
	if n < 10 {
		return fmt.Sprintf("%d.%d%c", n, tenths, b.unit(power))
	}
	if tenths > 0 || rest {
		n++
	}
	if n == b.base && power < len(units) {
		return fmt.Sprintf("1.0%c", b.unit(power+1))
	}
	return fmt.Sprintf("%d%c", n, b.unit(power))
}

func (b blockSize) unit(power int) byte {
	if power == 1 && b.base == 1000 {
		return 'k'
	}
	return units[power-1]
}

// title names the unit as the header of df does: "1K", "512B", "1.5kB" or "1MiB".
// It is not for auto.
func (b blockSize) title() string {
	switch {
	case b.suffix != "":
		return "1" + b.suffix
	case b.size%1024 == 0:
		return blockSize{base: 1024}.scaledExactly(b.size)
	case b.size < 1000:
		return strconv.FormatUint(b.size, 10) + "B"
	}
	return blockSize{base: 1000}.scaledExactly(b.size) + "B"
}

// scaledExactly is scaled without a fraction of zero.
func (b blockSize) scaledExactly(n uint64) string {
	s := b.scaled(n)
	unit := s[len(s)-1:]
	return strings.TrimSuffix(s[:len(s)-1], ".0") + unit
}
