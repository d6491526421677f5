package file

import "bytes"

// A ddConverter changes bytes as conv= says.
type ddConverter struct {
	table     *[256]byte // of single bytes; nil where none changes
	swab      bool
	odd       []byte // the byte that waits for the one that it is swapped with
	block     bool
	unblock   bool
	size      int64
	column    int64 // in the record of block or unblock
	spaces    int64 // that unblock has seen and not written
	after     *[256]byte
	truncated int64
}

func newDdConverter(o *ddOptions) ddConverter {
	v := ddConverter{swab: o.conv["swab"], block: o.conv["block"], unblock: o.conv["unblock"], size: o.cbs}
	table := translation(toASCII)
	switch {
	case o.conv["ebcdic"]:
		table = translation(toEBCDIC)
	case o.conv["ibm"]:
		table = translation(toIBM)
	case !o.conv["ascii"]:
		for i := range table {
			table[i] = byte(i)
		}
	}
	change := func(in func(byte) byte) {
		var folded [256]byte
		for i := range folded {
			if o.conv["ascii"] {
				folded[i] = in(table[i])
			} else {
				folded[i] = table[in(byte(i))]
			}
		}
		table = folded
	}
	switch {
	case o.conv["ucase"]:
		change(upper)
	case o.conv["lcase"]:
		change(lower)
	}
	if v.block && (o.conv["ebcdic"] || o.conv["ibm"]) {
		v.after = &table // so that newlines and spaces are those of ASCII
	} else {
		v.table = &table
	}
	return v
}

func upper(b byte) byte {
	if b >= 'a' && b <= 'z' {
		return b - 'a' + 'A'
	}
	return b
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b - 'A' + 'a'
	}
	return b
}

// convert hands what becomes of p to emit. It may change p.
func (v *ddConverter) convert(p []byte, emit func([]byte) error) error {
	if v.swab {
		p = v.swap(p)
	}
	if v.table != nil {
		for i, b := range p {
			p[i] = v.table[b]
		}
	}
	switch {
	case v.block:
		return v.toRecords(p, v.translated(emit))
	case v.unblock:
		return v.toLines(p, emit)
	}
	return emit(p)
}

// translated returns emit after the translation that comes last.
func (v *ddConverter) translated(emit func([]byte) error) func([]byte) error {
	if v.after == nil {
		return emit
	}
	return func(p []byte) error {
		q := make([]byte, len(p))
		for i, b := range p {
			q[i] = v.after[b]
		}
		return emit(q)
	}
}

// swap exchanges the bytes of each pair. The last of an odd number waits.
func (v *ddConverter) swap(p []byte) []byte {
	q := append(v.odd, p...)
	v.odd = nil
	if len(q)%2 == 1 {
		v.odd = []byte{q[len(q)-1]}
		q = q[:len(q)-1]
	}
	for i := 0; i+1 < len(q); i += 2 {
		q[i], q[i+1] = q[i+1], q[i]
	}
	return q
}

// spacesOf are written a piece at a time.
var spacesOf = bytes.Repeat([]byte{' '}, 512)

func pad(n int64, emit func([]byte) error) error {
	for n > 0 {
		piece := min(n, int64(len(spacesOf)))
		if err := emit(spacesOf[:piece]); err != nil {
			return err
		}
		n -= piece
	}
	return nil
}

// toRecords makes records of one size of lines.
func (v *ddConverter) toRecords(p []byte, emit func([]byte) error) error {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		line := p
		if i >= 0 {
			line = p[:i]
		}
		if room := v.size - v.column; room < int64(len(line)) {
			if v.column <= v.size {
				v.truncated++
			}
			if room > 0 {
				if err := emit(line[:room]); err != nil {
					return err
				}
			}
		} else if len(line) > 0 {
			if err := emit(line); err != nil {
				return err
			}
		}
		v.column += int64(len(line))
		if i < 0 {
			return nil
		}
		if err := pad(v.size-v.column, emit); err != nil {
			return err
		}
		v.column = 0
		p = p[i+1:]
	}
	return nil
}

// toLines makes lines of records of one size, without the spaces at their ends.
func (v *ddConverter) toLines(p []byte, emit func([]byte) error) error {
	for i := 0; i < len(p); {
		if v.column == v.size {
			if err := v.endLine(emit); err != nil {
				return err
			}
		}
		n := min(len(p)-i, int(v.size-v.column))
		piece := p[i : i+n]
		v.column += int64(n)
		i += n
		text := bytes.TrimRight(piece, " ")
		if len(text) > 0 {
			if err := pad(v.spaces, emit); err != nil {
				return err
			}
			v.spaces = 0
			if err := emit(text); err != nil {
				return err
			}
		}
		v.spaces += int64(len(piece) - len(text))
	}
	return nil
}

func (v *ddConverter) endLine(emit func([]byte) error) error {
	v.column, v.spaces = 0, 0
	return emit([]byte{'\n'})
}

// finish hands over what remains.
func (v *ddConverter) finish(emit func([]byte) error) error {
	if len(v.odd) > 0 {
		last := v.odd
		v.odd, v.swab = nil, false
		if err := v.convert(last, emit); err != nil {
			return err
		}
	}
	switch {
	case v.block && v.column > 0:
		return pad(v.size-v.column, v.translated(emit))
	case v.unblock && v.column > 0:
		return v.endLine(emit)
	}
	return nil
}
