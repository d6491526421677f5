// Package dateparse reads dates as GNU date -d does: the language of the
// chapter "Date input formats" of the coreutils manual.
package dateparse

import (
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/zone"
)

// Parse returns the time that text names. What text leaves open is taken from
// now, whose location is the local zone; the result is in that location. It
// reports false where text is no date.
func Parse(text string, now time.Time) (time.Time, bool) {
	loc := now.Location()
	text, rules, ok := cutZone(strings.TrimLeft(text, " \t\n\v\f\r"))
	if !ok {
		return time.Time{}, false
	}
	if rules != nil {
		now = now.In(rules)
	}
	if text == "" {
		text = "0"
	}
	p := parser{now: now}
	p.read(text)
	p.year = token{value: int64(now.Year())}
	p.month, p.day = int64(now.Month()), int64(now.Day())
	p.hour, p.minute, p.second, p.nanos = int64(now.Hour()), int64(now.Minute()), int64(now.Second()), now.Nanosecond()
	p.meridian = day24
	if p.peek(0).kind == '@' {
		return p.epoch(loc)
	}
	for p.peek(0).kind != end {
		if !p.item() {
			return time.Time{}, false
		}
	}
	t, ok := p.resolve()
	return t.In(loc), ok
}

// cutZone takes TZ="…" from the start of text.
func cutZone(text string) (rest string, loc *time.Location, ok bool) {
	body, found := strings.CutPrefix(text, `TZ="`)
	if !found {
		return text, nil, true
	}
	var name strings.Builder
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			return strings.TrimLeft(body[i+1:], " \t\n\v\f\r"), zone.Load(name.String()), true
		case c == '\\' && i+1 < len(body) && strings.IndexByte(`\"`, body[i+1]) >= 0:
			i++
			name.WriteByte(body[i])
		case c == '\\':
			return text, nil, false
		default:
			name.WriteByte(c)
		}
	}
	return text, nil, false
}

// localZones returns the abbreviations that the zone of now uses in a year, and
// which of them (1) is daylight saving time.
func localZones(now time.Time) map[string]int64 {
	names := map[string]int64{}
	for quarter := range 4 {
		at := now.AddDate(0, 0, 90*quarter)
		name, _ := at.Zone()
		var isDST int64
		if at.IsDST() {
			isDST = 1
		}
		if _, ok := names[name]; !ok {
			names[name] = isDST
		}
	}
	return names
}

// epoch reads @seconds.
func (p *parser) epoch(loc *time.Location) (time.Time, bool) {
	t := p.peek(1)
	if p.peek(2).kind != end || !t.numeric() && t.kind != fraction && t.kind != offset {
		return time.Time{}, false
	}
	return time.Unix(t.value, int64(t.nanos)).In(loc), true
}
