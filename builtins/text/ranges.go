package text

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// A span is a range of positions, counted from 1. Both ends belong to it.
type span struct{ lo, hi uint64 }

// endless is the upper end of a span that has none.
const endless = math.MaxUint64

// A spanKind is what the positions of a list count, as messages have it.
type spanKind struct {
	numbered, value, span, number string
	spaces                        bool // blanks separate spans as commas do
}

var (
	byteSpans = spanKind{
		numbered: "byte/character positions are numbered from 1",
		value:    "invalid byte/character position %s",
		span:     "invalid byte or character range",
		number:   "byte/character offset %s is too large",
	}
	fieldSpans = spanKind{
		numbered: "fields are numbered from 1",
		value:    "invalid field value %s",
		span:     "invalid field range",
		number:   "field number %s is too large",
	}
)

// parseSpans parses a list such as 1,3-5,7-. It returns spans in order, that
// do not overlap; those that touch are left apart.
func parseSpans(list string, kind spanKind) ([]span, error) {
	var spans []span
	for _, item := range strings.FieldsFunc(list+",", isSpanSeparator) {
		s, err := parseSpan(item, kind)
		if err != nil {
			return nil, err
		}
		spans = append(spans, s)
	}
	if len(spans) == 0 || hasEmptySpan(list) {
		return nil, builtins.Usage("%s", kind.numbered)
	}
	slices.SortFunc(spans, func(a, b span) int {
		switch {
		case a.lo < b.lo:
			return -1
		case a.lo > b.lo:
			return 1
		}
		return 0
	})
	merged := spans[:1]
	for _, s := range spans[1:] {
		if last := &merged[len(merged)-1]; s.lo <= last.hi {
			last.hi = max(last.hi, s.hi)
		} else {
			merged = append(merged, s)
		}
	}
	return merged, nil
}

func isSpanSeparator(r rune) bool { return r == ',' || r == ' ' || r == '\t' }

// hasEmptySpan reports whether nothing stands between two separators of list,
// or at one of its ends.
func hasEmptySpan(list string) bool {
	separator := true
	for _, r := range list {
		if isSpanSeparator(r) && separator {
			return true
		}
		separator = isSpanSeparator(r)
	}
	return separator
}

func parseSpan(item string, kind spanKind) (span, error) {
	lo, hi, dash := strings.Cut(item, "-")
	if item == "-" {
		return span{}, builtins.Usage("invalid range with no endpoint: -")
	}
	if strings.Contains(hi, "-") {
		return span{}, builtins.Usage("%s", kind.span)
	}
	s := span{1, endless}
	var err error
	if lo != "" {
		if s.lo, err = parsePosition(lo, item, kind); err != nil {
			return s, err
		}
	}
	if hi != "" {
		if s.hi, err = parsePosition(hi, item, kind); err != nil {
			return s, err
		}
	}
	switch {
	case !dash:
		s.hi = s.lo
	case s.hi < s.lo:
		return s, builtins.Usage("invalid decreasing range")
	}
	return s, nil
}

func parsePosition(digits, item string, kind spanKind) (uint64, error) {
	if i := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		bad := item[strings.Index(item, digits)+i:]
		return 0, builtins.Usage("%s", fmt.Sprintf(kind.value, builtins.QuoteLocale(bad)))
	}
	n, err := parseSize(digits, "")
	switch {
	case err != nil || n == endless:
		return 0, builtins.Usage("%s", fmt.Sprintf(kind.number, builtins.QuoteLocale(digits)))
	case n == 0:
		return 0, builtins.Usage("%s", kind.numbered)
	}
	return n, nil
}

// complement returns the positions that spans leaves out.
func complement(spans []span) []span {
	var rest []span
	next := uint64(1)
	for _, s := range spans {
		if s.lo > next {
			rest = append(rest, span{next, s.lo - 1})
		}
		if s.hi == endless {
			return rest
		}
		next = s.hi + 1
	}
	return append(rest, span{next, endless})
}
