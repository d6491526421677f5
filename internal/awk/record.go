package awk

// A record is $0 and its fields. Fields are found when they are asked for, and
// not further than asked; $0 is put together again when it is asked for after
// a field has changed.
type record struct {
	m      *machine
	text   []byte    // $0, unless stale; it may be the reader's
	bufs   [2][]byte // memory of the record's own, for text
	buf    int       // which of bufs is free for the next text
	stale  bool      // the fields say what $0 is
	done   bool      // all fields are known
	next   int       // where to look for the next field, unless done
	spans  []span    // the fields: 1 is spans[0]
	values []value   // of fields that have been assigned; absent where not
	split  *splitter // that was in effect when the record was read
}

// A span is a part of a record.
type span struct{ start, end int }

// set makes text the record. The caller does not change text before the next
// call of set or own.
func (r *record) set(text []byte) {
	r.text = text
	r.stale, r.done, r.next = false, false, 0
	r.spans = r.spans[:0]
	if len(r.values) > 0 {
		r.forget(0)
	}
	r.split = r.m.splitter
}

// assign makes s the record.
func (r *record) assign(s string) { r.set(copied(r, s)) }

// own makes the record independent of the reader's memory.
func (r *record) own() {
	if len(r.text) == 0 {
		return
	}
	if b := r.bufs[1-r.buf]; len(b) > 0 && &b[0] == &r.text[0] {
		return
	}
	r.text = copied(r, r.text)
}

// copied returns s in memory of the record's own.
func copied[T bytesOrString](r *record, s T) []byte {
	if len(s) >= counted {
		r.m.poll(len(s) >> 8)
	}
	b := append(r.room(len(s)), s...)
	r.keep(b)
	return b
}

// room returns memory for a text of n bytes; keep makes it the one in use.
func (r *record) room(n int) []byte {
	b := r.bufs[r.buf][:0]
	if n > cap(b) {
		n += n / 4
		r.m.hold(n - cap(b))
		b = make([]byte, 0, n)
	}
	return b
}

func (r *record) keep(b []byte) {
	r.bufs[r.buf] = b
	r.buf = 1 - r.buf
}

// bytes returns $0.
func (r *record) bytes() []byte {
	if r.stale {
		r.rebuild()
	}
	return r.text
}

// count returns NF.
func (r *record) count() int {
	if !r.done {
		r.splitTo(int(^uint(0) >> 1))
	}
	return len(r.spans)
}

// splitTo finds the fields up to n.
func (r *record) splitTo(n int) {
	before := cap(r.spans)
	r.split.fields(r, n)
	if now := cap(r.spans); now != before {
		r.m.hold(16 * (now - before))
	}
}

// view returns field n, which is valid until the record changes.
func (r *record) view(n int) []byte {
	if n == 0 {
		return r.bytes()
	}
	if n > len(r.spans) {
		if r.done {
			return nil
		}
		if r.splitTo(n); n > len(r.spans) {
			return nil
		}
	}
	if n <= len(r.values) && r.values[n-1].k != absent {
		return view(r.m.str(&r.values[n-1]))
	}
	s := r.spans[n-1]
	return r.text[s.start:s.end]
}

// beyond is the n of a field after the last one. It is a string without text, and
// no number, but typeof calls it unassigned.
const beyond = 1

// field returns the value of field n.
func (r *record) field(n int) value {
	if n > 0 && n <= len(r.values) && r.values[n-1].k != absent {
		return r.values[n-1]
	}
	b := r.view(n)
	if b == nil && n > len(r.spans) {
		return value{k: input, n: beyond}
	}
	return given(r.m.string(b))
}

// setField changes field n.
func (r *record) setField(n int, v value) {
	if n == 0 {
		r.m.zeroIsSet(v)
		return
	}
	if n > r.count() {
		r.grow(n)
	}
	r.override(n)
	p := &r.values[n-1]
	r.m.resize(len(p.s), len(v.s))
	if v.k == unset {
		v = str("")
	}
	*p = v
	r.stale = true
}

// override makes room for a value of field n that is not part of the text.
func (r *record) override(n int) {
	if n <= len(r.values) {
		return
	}
	if n > cap(r.values) {
		r.m.hold(n * valueSize)
		r.values = append(make([]value, 0, n+n/4), r.values...)
	}
	was := len(r.values)
	r.values = r.values[:n]
	clear(r.values[was:])
}

// grow makes NF n, with empty fields after those there are.
func (r *record) grow(n int) {
	r.m.poll((n - len(r.spans)) / 16)
	r.m.room(16 * n)
	was := len(r.spans)
	before := cap(r.spans)
	for len(r.spans) < n {
		r.spans = append(r.spans, span{})
	}
	r.m.hold(16 * (cap(r.spans) - before))
	r.forget(was)
}

// forget drops the values of the fields after n.
func (r *record) forget(n int) {
	if n >= len(r.values) {
		return
	}
	for i := range r.values[n:] {
		r.m.resize(len(r.values[n+i].s), 0)
	}
	clear(r.values[n:])
	r.values = r.values[:n]
}

// setCount changes NF.
func (r *record) setCount(n int) {
	if n < 0 {
		r.m.fatal("NF set to negative value")
	}
	if have := r.count(); n > have {
		r.grow(n)
	} else {
		r.spans = r.spans[:n]
		r.forget(n)
	}
	r.stale = true
}

// rebuild puts $0 together from the fields.
func (r *record) rebuild() {
	r.stale = false
	ofs := r.m.ofs
	size := len(ofs) * max(0, len(r.spans)-1)
	for i := range r.spans {
		size += len(r.view(i + 1))
	}
	r.m.poll(size >> 8)
	b := r.room(size)
	for i, s := range r.spans {
		if i > 0 {
			b = append(b, ofs...)
		}
		start := len(b)
		if i < len(r.values) && r.values[i].k != absent {
			b = append(b, r.m.str(&r.values[i])...)
		} else {
			b = append(b, r.text[s.start:s.end]...)
		}
		r.spans[i] = span{start, len(b)}
	}
	r.keep(b)
	r.text = b
}
