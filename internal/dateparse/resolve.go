package dateparse

import (
	"math"
	"time"
)

// anyDST is the daylight saving flag of a time that may be in either.
const anyDST = -1

// A civil is a date and a time of day in no zone; its fields may be out of
// range.
type civil struct{ year, month, day, hour, minute, second int64 }

// resolve computes the time that the items stand for, in the steps and with
// the quirks of GNU's parser.
func (p *parser) resolve() (time.Time, bool) {
	for _, n := range []int{p.times, p.dates, p.days, p.isDST, p.local + p.zones} {
		if n > 1 {
			return time.Time{}, false
		}
	}
	c, ok := p.fields()
	if !ok {
		return time.Time{}, false
	}
	isDST := anyDST
	switch {
	case p.local > 0:
		isDST = int(p.localDST)
	case p.dates+p.days+p.times == 0 && p.now.IsDST():
		isDST = 1
	case p.dates+p.days+p.times == 0:
		isDST = 0
	}
	loc := p.now.Location()
	t := c.in(loc, isDST)
	if civilOf(t) != c {
		// What the local zone skips may exist in the zone that is named.
		t = c.in(time.FixedZone("", int(p.zone)), anyDST)
		if p.zones == 0 || civilOf(t) != c {
			return time.Time{}, false
		}
	}
	if p.days > 0 && p.dates == 0 {
		today := int64(t.Weekday())
		ordinal := p.ordinal
		if ordinal > 0 && today != p.weekday {
			ordinal--
		}
		c.day += (p.weekday-today+7)%7 + 7*ordinal
		t = c.in(loc, anyDST)
		c.year, c.month, c.day = int64(t.Year()), int64(t.Month()), int64(t.Day())
	}
	return p.shift(t, c, isDST)
}

// fields returns the date and time of day that were given, with the rest from
// now.
func (p *parser) fields() (civil, bool) {
	c := civil{year: p.fullYear(), month: p.month, day: p.day}
	if max(c.year-1900, c.month, c.day, p.hour, p.minute, p.second) > math.MaxInt32 {
		return c, false
	}
	if p.times == 0 && !(p.moved && p.dates == 0 && p.days == 0) {
		p.nanos = 0
		return c, true
	}
	c.hour, c.minute, c.second = p.hour, p.minute, p.second
	if p.meridian != day24 {
		if p.hour < 1 || p.hour > 12 {
			return c, false
		}
		c.hour = p.hour%12 + p.meridian
	}
	return c, true
}

// fullYear returns the year without its sign, and with the century where it has
// two digits.
func (p *parser) fullYear() int64 {
	y := p.year
	y.value = max(y.value, -y.value)
	switch {
	case y.digits == 2 && y.value < 69:
		return y.value + 2000
	case y.digits == 2:
		return y.value + 1900
	default:
		return y.value
	}
}

// shift applies the relative items and the zone to t, which is c in the local
// zone.
func (p *parser) shift(t time.Time, c civil, isDST int) (time.Time, bool) {
	r := &p.relative
	loc := t.Location()
	if r.year != 0 || r.month != 0 || r.day != 0 {
		c.year = r.add(c.year, r.year)
		c.month = r.add(c.month, r.month)
		c.day = r.add(c.day, r.day)
		if r.overflow || max(c.year-1900, c.month, c.day) > math.MaxInt32 || min(c.year-1900, c.month, c.day) < math.MinInt32 {
			return time.Time{}, false
		}
		t = c.in(loc, isDST)
	}
	if p.zones > 0 {
		_, offset := t.Zone()
		t = t.Add(time.Duration(int64(offset)-p.zone) * time.Second)
	}
	seconds := r.add(r.add(t.Unix(), r.times(r.hour, 3600)), r.add(r.times(r.minute, 60), r.second))
	t = time.Unix(seconds, int64(p.nanos)+r.nanos).In(loc)
	year := int64(t.Year()) - 1900
	return t, !r.overflow && year <= math.MaxInt32 && year >= math.MinInt32
}

// civilOf returns the date and time of day that clocks show at t.
func civilOf(t time.Time) civil {
	y, mo, d := t.Date()
	h, mi, s := t.Clock()
	return civil{int64(y), int64(mo), int64(d), int64(h), int64(mi), int64(s)}
}

// unix returns c as seconds since 1970, as if it were UTC.
func (c civil) unix() int64 {
	month := c.month - 1
	year := c.year + month/12
	if month %= 12; month < 0 {
		month, year = month+12, year-1
	}
	first := time.Date(int(year), time.Month(month+1), 1, 0, 0, 0, 0, time.UTC).Unix()
	return first + (c.day-1)*86400 + c.hour*3600 + c.minute*60 + c.second
}

// in returns the time at which clocks in loc show c, as mktime finds it: of
// two, the one that its search meets first; in a gap, the one after it. Where
// isDST is 0 or 1 and the time found is not of that kind, the offset of the
// nearest time that is counts.
func (c civil) in(loc *time.Location, isDST int) time.Time {
	want := c.unix()
	offset := func(at int64) int64 {
		_, seconds := time.Unix(at, 0).In(loc).Zone()
		return int64(seconds)
	}
	at, before := want, want
	for range 4 {
		next := want - offset(at)
		if next == at {
			break
		}
		before, at = at, next
	}
	if want-offset(at) != at { // a gap: the later of the two
		at = max(at, before)
	}
	t := time.Unix(at, 0).In(loc)
	if isDST == anyDST || t.IsDST() == (isDST == 1) {
		return t
	}
	const stride, bound = 601200, 536454000/2 + 601200
	for delta := int64(stride); delta < bound; delta += stride {
		for _, near := range []int64{at - delta, at + delta} {
			if time.Unix(near, 0).In(loc).IsDST() == (isDST == 1) {
				return time.Unix(want-offset(near), 0).In(loc)
			}
		}
	}
	return t
}
