package dateparse

import (
	"math"
	"time"
)

// day24 is the meridian of times that have neither am nor pm.
const day24 = -1

// A parser collects what the items of a text say.
type parser struct {
	now    time.Time
	tokens []token
	last   token // what follows the tokens

	year                token // value and digits
	month, day          int64
	hour, minute        int64
	second              int64
	nanos               int
	meridian            int64 // day24, 0 for am, 12 for pm
	weekday, ordinal    int64
	zone                int64 // seconds east
	localDST            int64
	relative            relative
	dates, times, days  int // how many items of each kind there were
	zones, local, isDST int
	moved               bool // there was a relative item
}

// A relative is what relative items add up to.
type relative struct {
	year, month, day, hour, minute, second int64
	nanos                                  int64
	overflow                               bool
}

func (p *parser) read(text string) {
	l := lexer{text: text, local: localZones(p.now)}
	for {
		t := l.next()
		if t.kind == end {
			p.last = t
			return
		}
		p.tokens = append(p.tokens, t)
	}
}

func (p *parser) peek(i int) token {
	if i < len(p.tokens) {
		return p.tokens[i]
	}
	return p.last
}

// take removes n tokens and returns the first of them.
func (p *parser) take(n int) token {
	t := p.tokens[0]
	p.tokens = p.tokens[n:]
	return t
}

// match reports whether tokens of these kinds come next.
func (p *parser) match(kinds ...kind) bool {
	for i, k := range kinds {
		if p.peek(i).kind != k {
			return false
		}
	}
	return true
}

// item reads one item. The order of the cases is that of the choices that
// GNU's grammar makes where it is ambiguous.
func (p *parser) item() bool {
	switch p.peek(0).kind {
	case unsigned:
		return p.number()
	case signed, fraction, offset, unit:
		return p.relativeItem()
	case ordinal:
		if p.peek(1).kind == weekday {
			return p.dayItem(p.take(1).value)
		}
		return p.relativeItem()
	case shift:
		p.move('d', p.take(1).value, 1)
		return true
	case month:
		return p.monthDay()
	case weekday:
		if !p.dayItem(0) {
			return false
		}
		if p.peek(0).kind == ',' {
			p.take(1)
		}
		return true
	case zoneName, tee:
		return p.zoneItem()
	case zoneDST:
		p.zones++
		p.zone = p.take(1).value
		return true
	case zoneLocal:
		return p.localZone()
	}
	return false
}

// number reads an item that starts with a number without a sign.
func (p *parser) number() bool {
	switch second := p.peek(1); {
	case second.kind == meridian, second.kind == ':':
		return p.timeItem()
	case second.kind == '/':
		return p.slashed()
	case second.kind == month:
		return p.dayMonth()
	case second.kind == weekday:
		return p.dayItem(p.take(1).value)
	case second.kind == unit:
		return p.relativeItem()
	case p.match(unsigned, signed, signed):
		return p.isoDate()
	case p.match(unsigned, signed, unit):
		p.bare(p.take(1))
		n := p.take(1)
		u := p.take(1)
		p.move(u.unit, n.value, u.value)
		return true
	case second.kind == signed:
		return p.timeItem()
	}
	p.bare(p.take(1))
	return true
}

// bare reads a number that stands alone: a year, a date or a time.
func (p *parser) bare(t token) {
	switch {
	case p.dates > 0 && p.year.digits == 0 && !p.moved && (p.times > 0 || t.digits > 2):
		p.year = t
	case t.digits > 4:
		p.dates++
		p.day, p.month = t.value%100, t.value/100%100
		p.year = token{value: t.value / 10000, digits: t.digits - 4}
	default:
		p.times++
		p.hour, p.minute, p.second, p.nanos, p.meridian = t.value, 0, 0, 0, day24
		if t.digits > 2 {
			p.hour, p.minute = t.value/100, t.value%100
		}
	}
}

// relativeItem reads [number] unit [ago].
func (p *parser) relativeItem() bool {
	n := token{kind: unsigned, value: 1}
	if p.peek(0).kind != unit {
		n = p.take(1)
	}
	u := p.peek(0)
	if u.kind != unit || u.unit != 's' && (n.kind == fraction || n.kind == offset) {
		return false
	}
	p.take(1)
	factor := int64(1)
	if p.peek(0).kind == ago {
		factor = p.take(1).value
	}
	p.move(u.unit, n.value, u.value*factor)
	p.relative.nanos += int64(n.nanos) * factor
	return true
}

// move adds n times scale units.
func (p *parser) move(unit byte, n, scale int64) {
	p.moved = true
	r := &p.relative
	field := map[byte]*int64{'y': &r.year, 'M': &r.month, 'd': &r.day, 'h': &r.hour, 'm': &r.minute, 's': &r.second}[unit]
	*field = r.add(*field, r.times(n, scale))
}

// add returns a + b, and notes when that overflows.
func (r *relative) add(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b || b < 0 && a < math.MinInt64-b {
		r.overflow = true
		return 0
	}
	return a + b
}

// times returns a * b, and notes when that overflows.
func (r *relative) times(a, b int64) int64 {
	if n := a * b; b == 0 || n/b == a && (a != math.MinInt64 || b != -1) {
		return n
	}
	r.overflow = true
	return 0
}

// zoneItem reads a zone by name, with an offset to it, a relative item or dst.
func (p *parser) zoneItem() bool {
	p.zones++
	t := p.take(1)
	p.zone = t.value
	switch {
	case p.match(signed, unit):
		return p.relativeItem()
	case p.peek(0).kind == signed:
		if t.kind == tee || !p.zoneOffset() {
			return false
		}
		p.zones--
		p.zone += t.value
	case p.peek(0).kind == dst && t.kind == zoneName:
		p.take(1)
		p.zone += 3600
	}
	return true
}

func (p *parser) localZone() bool {
	p.local++
	p.localDST = p.take(1).value
	if p.peek(0).kind == dst {
		p.take(1)
		p.localDST = 1
		p.isDST++
	}
	return true
}

// zoneOffset reads +hh, +hhmm or +hh:mm.
func (p *parser) zoneOffset() bool {
	p.zones++
	t := p.take(1)
	minutes := t.value * 60
	switch {
	case p.match(':', unsigned):
		p.take(1)
		m := p.take(1).value
		if t.negative {
			m = -m
		}
		if t.digits > 4 || m > 1440 || m < -1440 {
			return false
		}
		minutes += m
	case t.digits > 2:
		minutes = t.value/100*60 + t.value%100
	}
	p.zone = minutes * 60
	return minutes >= -24*60 && minutes <= 24*60
}
