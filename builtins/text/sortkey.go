package text

import (
	"fmt"
	"math"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// A sortOrder is how a key is compared.
type sortOrder struct {
	dictionary, fold, printing bool // -d -f -i
	kind                       byte // one of g h M n R V, or 0 for bytes
	reverse                    bool
	skipStart, skipEnd         bool // leading blanks, before an offset is counted
}

// plain reports whether no option of an order is set.
func (o *sortOrder) plain() bool {
	return *o == sortOrder{} || *o == sortOrder{reverse: true}
}

// A sortKey is the part of a line that is compared, and how.
type sortKey struct {
	sortOrder
	kinds               string // the letters of all kinds that were asked for
	startField, startAt int
	endField, endAt     int // endField may be endOfLine
}

// endOfLine is the endField of a key that goes to the end of the line.
const endOfLine = math.MaxInt

// set adds the ordering options at the beginning of s, and returns what follows
// them. Blanks are skipped at the ends that start and end name.
func (k *sortKey) set(s string, start, end bool) (rest string) {
	for ; s != ""; s = s[1:] {
		switch s[0] {
		case 'b':
			k.skipStart = k.skipStart || start
			k.skipEnd = k.skipEnd || end
		case 'd':
			k.dictionary, k.printing = true, false
		case 'f':
			k.fold = true
		case 'i':
			if !k.dictionary {
				k.printing = true
			}
		case 'r':
			k.reverse = true
		case 'g', 'h', 'M', 'n', 'R', 'V':
			k.setKind(s[0])
		default:
			return s
		}
	}
	return s
}

func (k *sortKey) setKind(kind byte) {
	k.kind = kind
	if strings.IndexByte(k.kinds, kind) < 0 {
		k.kinds += string(kind)
	}
}

// conflict returns the letters of options that exclude each other, or "".
func (k *sortKey) conflict() string {
	var all string
	if k.dictionary {
		all += "d"
	}
	if k.fold {
		all += "f"
	}
	kinds := 0
	for _, kind := range []byte("ghiMnRV") {
		has := strings.IndexByte(k.kinds, kind) >= 0
		if kind == 'i' {
			has = k.printing
		}
		if has {
			all += string(kind)
			if kind == 'R' || kind == 'V' || kind == 'i' {
				continue
			}
			kinds++
		}
	}
	if strings.ContainsAny(k.kinds, "RV") || k.dictionary || k.printing {
		kinds++
	}
	if kinds <= 1 {
		return ""
	}
	return all
}

// parseSortKey parses the argument of -k.
func parseSortKey(spec string) (*sortKey, error) {
	k := &sortKey{endField: endOfLine}
	bad := func(reason string) error {
		return fmt.Errorf("%s: invalid field specification %s", reason, builtins.QuoteLocale(spec))
	}
	var err error
	s := spec
	if k.startField, s, err = sortCount(s, "invalid number at field start"); err != nil {
		return nil, err
	}
	if k.startField--; k.startField < 0 {
		return nil, bad("field number is zero")
	}
	if strings.HasPrefix(s, ".") {
		if k.startAt, s, err = sortCount(s[1:], "invalid number after '.'"); err != nil {
			return nil, err
		}
		if k.startAt--; k.startAt < 0 {
			return nil, bad("character offset is zero")
		}
	}
	s = k.set(s, true, false)
	if strings.HasPrefix(s, ",") {
		if k.endField, s, err = sortCount(s[1:], "invalid number after ','"); err != nil {
			return nil, err
		}
		if k.endField--; k.endField < 0 {
			return nil, bad("field number is zero")
		}
		if strings.HasPrefix(s, ".") {
			if k.endAt, s, err = sortCount(s[1:], "invalid number after '.'"); err != nil {
				return nil, err
			}
		}
		s = k.set(s, false, true)
	}
	if s != "" {
		return nil, bad("stray character in field spec")
	}
	return k, nil
}

// sortCount parses the number at the beginning of s. One that is too large is
// the largest.
func sortCount(s, mistake string) (n int, rest string, err error) {
	digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	if digits == "" {
		return 0, s, fmt.Errorf("%s: invalid count at start of %s", mistake, builtins.QuoteLocale(s))
	}
	v, err := parseSize(digits, "")
	if err != nil || v > math.MaxInt32 {
		v = math.MaxInt32
	}
	return int(v), s[len(digits):], nil
}

// isSortBlank reports whether b separates fields where -t is not given.
func isSortBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' }

// noTab is the tab of sort without -t.
const noTab = -1

// find returns the part of line that the key stands for. It may be empty.
func (k *sortKey) find(line []byte, tab int) []byte {
	start := k.start(line, tab)
	if k.endField == endOfLine {
		return line[start:]
	}
	return line[start:max(start, k.end(line, tab))]
}

func (k *sortKey) start(line []byte, tab int) int {
	i := 0
	for n := k.startField; n > 0 && i < len(line); n-- {
		i = skipField(line, i, tab)
		if tab != noTab && i < len(line) {
			i++
		}
	}
	if k.skipStart {
		for i < len(line) && isSortBlank(line[i]) {
			i++
		}
	}
	return min(len(line), i+k.startAt)
}

func (k *sortKey) end(line []byte, tab int) int {
	i, n := 0, k.endField
	if k.endAt == 0 {
		n++ // all of the field
	}
	for ; n > 0 && i < len(line); n-- {
		i = skipField(line, i, tab)
		if tab != noTab && i < len(line) && (n > 1 || k.endAt != 0) {
			i++
		}
	}
	if k.endAt == 0 {
		return i
	}
	if k.skipEnd {
		for i < len(line) && isSortBlank(line[i]) {
			i++
		}
	}
	return min(len(line), i+k.endAt)
}

// skipField returns the end of the field of line that begins at i. Without a
// tab the blanks before a field are part of it.
func skipField(line []byte, i, tab int) int {
	if tab != noTab {
		for i < len(line) && line[i] != byte(tab) {
			i++
		}
		return i
	}
	for i < len(line) && isSortBlank(line[i]) {
		i++
	}
	for i < len(line) && !isSortBlank(line[i]) {
		i++
	}
	return i
}
