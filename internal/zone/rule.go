package zone

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"time"
)

// A rule is a value of TZ in the form of POSIX: std offset [dst [offset] [,start,end]].
type rule struct {
	std, dst       string
	offset, saving int    // seconds east of UTC
	dates          string // "" where the text has none
}

// parseRule returns the zone that text, a rule of POSIX, describes.
func parseRule(text string) *time.Location {
	r, ok := readRule(text)
	switch {
	case !ok:
		return time.FixedZone(r.std, 0)
	case r.dst == "":
		return time.FixedZone(r.std, r.offset)
	}
	if loc, err := time.LoadLocationFromTZData(text, r.encode()); err == nil {
		return loc
	}
	return time.FixedZone(r.std, r.offset)
}

// readRule parses text as far as it is well formed.
func readRule(text string) (r rule, ok bool) {
	r.std, text = readName(text)
	if r.std == "" {
		return r, false
	}
	if r.offset, text, ok = readOffset(text); !ok {
		return r, false
	}
	if text == "" {
		return r, true
	}
	if r.dst, text = readName(text); r.dst == "" {
		return r, true
	}
	r.saving = r.offset + 3600
	if offset, rest, ok := readOffset(text); ok {
		r.saving, text = offset, rest
	}
	r.dates = text
	return r, true
}

// readName takes an abbreviation: three letters or more, or anything between
// angle brackets.
func readName(text string) (name, rest string) {
	if inner, ok := strings.CutPrefix(text, "<"); ok {
		name, rest, ok = strings.Cut(inner, ">")
		if ok {
			return name, rest
		}
		return "", text
	}
	n := 0
	for n < len(text) && (text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z') {
		n++
	}
	if n < 3 {
		return "", text
	}
	return text[:n], text[n:]
}

// readOffset takes [+-]hh[:mm[:ss]], which counts west of UTC, and returns it
// counted east. What is too large is cut to what the C library takes.
func readOffset(text string) (seconds int, rest string, ok bool) {
	sign := -1
	if text != "" && (text[0] == '+' || text[0] == '-') {
		if text[0] == '-' {
			sign = 1
		}
		text = text[1:]
	}
	unit, top := 3600, 24
	for {
		n, digits := 0, 0
		for digits < len(text) && digits < 4 && text[digits] >= '0' && text[digits] <= '9' {
			n = n*10 + int(text[digits]-'0')
			digits++
		}
		if digits == 0 {
			return sign * seconds, text, unit < 3600
		}
		seconds += min(n, top) * unit
		text, unit, top = text[digits:], unit/60, 59
		if unit == 0 || !strings.HasPrefix(text, ":") {
			return sign * seconds, text, true
		}
		text = text[1:]
	}
}

// encode returns the rule as a zone file of version 2 (RFC 8536) that has no
// transitions, so that its footer, the rule, holds at all times.
func (r rule) encode() []byte {
	var b bytes.Buffer
	header := func(types, chars uint32) {
		b.WriteString("TZif2")
		b.Write(make([]byte, 15))
		for _, n := range []uint32{0, 0, 0, 0, types, chars} {
			_ = binary.Write(&b, binary.BigEndian, n)
		}
	}
	header(0, 0)
	header(1, uint32(len(r.std)+1))
	_ = binary.Write(&b, binary.BigEndian, int32(r.offset))
	b.Write([]byte{0, 0})
	b.WriteString(r.std)
	b.WriteByte(0)
	fmt.Fprintf(&b, "\n<%s>%s<%s>%s%s\n", r.std, west(r.offset), r.dst, west(r.saving), r.dates)
	return b.Bytes()
}

// west writes an offset as rules have it.
func west(seconds int) string {
	sign := "-"
	if seconds <= 0 {
		sign, seconds = "", -seconds
	}
	return fmt.Sprintf("%s%d:%02d:%02d", sign, seconds/3600, seconds/60%60, seconds%60)
}
