package dateparse

// timeItem reads a time of day: 10pm, 10:30, 10:30:15.5 pm, 10:30+02:00, 10+02.
func (p *parser) timeItem() bool {
	p.times++
	if p.peek(1).kind == meridian {
		p.setTime(p.take(1), token{}, token{})
		p.meridian = p.take(1).value
		return true
	}
	if !p.isoTime() {
		return false
	}
	if p.peek(0).kind == meridian {
		p.meridian = p.take(1).value
	}
	return true
}

// isoTime reads a time of day without am and pm.
func (p *parser) isoTime() bool {
	switch {
	case p.match(unsigned, ':', unsigned, ':', unsigned), p.match(unsigned, ':', unsigned, ':', fraction):
		p.setTime(p.peek(0), p.peek(2), p.peek(4))
		p.take(5)
	case p.match(unsigned, ':', unsigned):
		p.setTime(p.peek(0), p.peek(2), token{})
		p.take(3)
	case p.match(unsigned, signed):
		p.setTime(p.take(1), token{}, token{})
	default:
		return false
	}
	if p.peek(0).kind == signed {
		return p.zoneOffset() && p.peek(0).kind != meridian
	}
	return true
}

func (p *parser) setTime(hour, minute, second token) {
	p.hour, p.minute, p.second, p.nanos = hour.value, minute.value, second.value, second.nanos
	p.meridian = day24
}

// isoDate reads YYYY-MM-DD and what may follow it after a T.
func (p *parser) isoDate() bool {
	p.dates++
	p.year, p.month, p.day = p.peek(0), -p.peek(1).value, -p.peek(2).value
	p.take(3)
	if p.peek(0).kind != tee {
		return true
	}
	p.take(1)
	p.times++
	return p.isoTime()
}

// slashed reads M/D, M/D/Y and YYYY/M/D.
func (p *parser) slashed() bool {
	p.dates++
	switch {
	case p.match(unsigned, '/', unsigned, '/', unsigned):
		a, b, c := p.peek(0), p.peek(2), p.peek(4)
		if a.digits >= 4 {
			a, b, c = b, c, a
		}
		p.month, p.day, p.year = a.value, b.value, c
		p.take(5)
	case p.match(unsigned, '/', unsigned):
		p.month, p.day = p.peek(0).value, p.peek(2).value
		p.take(3)
	default:
		return false
	}
	return true
}

// dayMonth reads 17 June, 17 June 1992 and 17-JUN-1992.
func (p *parser) dayMonth() bool {
	p.dates++
	p.day, p.month = p.peek(0).value, p.peek(1).value
	p.take(2)
	if p.peek(0).numeric() {
		p.setYear(p.take(1))
	}
	return true
}

// monthDay reads June 17, June 17, 1992 and JUN-17-1992.
func (p *parser) monthDay() bool {
	p.dates++
	p.month = p.peek(0).value
	switch {
	case p.match(month, signed, signed):
		p.day = -p.peek(1).value
		p.setYear(p.peek(2))
		p.take(3)
	case p.match(month, unsigned, ',', unsigned):
		p.day = p.peek(1).value
		p.setYear(p.peek(3))
		p.take(4)
	case p.match(month, unsigned):
		p.day = p.peek(1).value
		p.take(2)
	default:
		return false
	}
	return true
}

// setYear takes a year, or one whose sign is the dash before it.
func (p *parser) setYear(t token) {
	p.year = t
	if t.kind == signed {
		p.year.value = -t.value
	}
}

// dayItem reads a day of the week.
func (p *parser) dayItem(ordinal int64) bool {
	p.days++
	p.ordinal, p.weekday = ordinal, p.take(1).value
	return true
}
