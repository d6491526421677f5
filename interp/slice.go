package interp

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// slice compiles ${x:offset:length}.
func (c *compiler) slice(pe *syntax.ParamExp, p *param, get getter) getter {
	offset := c.expandedText(c.arithSource(pe.Slice.Offset), 0)
	var length arith
	name := strings.TrimPrefix(p.name, "$")
	plain := true // looking at the length does no harm
	if pe.Slice.Length != nil {
		text := strings.TrimPrefix(strings.TrimSpace(c.arithSource(pe.Slice.Length)), "$")
		_, isNumber := plainInt(text)
		plain = isNumber || isName(text)
		length = c.expandedText(c.arithSource(pe.Slice.Length), 0)
	}
	return func(sh *Shell) value {
		v := get(sh)
		if sh.pending != ctlNone || !v.set && (!v.isList || p.id >= 0) {
			return v
		}
		off, n := sh.named(name, offset), int64(1)<<62
		id := p.id
		if v.isList && pe.Excl {
			id = sh.indirectArray(p)
		}
		if sh.pending == ctlNone && length != nil && (v.isList || !plain) && !sh.within(id, &v, off) { // Bash: the length is not looked at
			v.s, v.list = "", nil
			return v
		}
		if length != nil && sh.pending == ctlNone {
			n = sh.named(name, length)
		}
		if sh.pending != ctlNone {
			return v
		}
		if !v.isList {
			v.s, v.made = sh.substring(v.s, off, n), true
			return v
		}
		if n < 0 {
			sh.fail("%d: substring expression < 0", n)
			return v
		}
		v.list = sh.sublist(id, &v, off, n)
		return v
	}
}

// within reports whether an offset is one of a value, which may be the list of the array
// id, or of the positional parameters.
func (sh *Shell) within(id int, v *value, off int64) bool {
	last, end := int64(0), int64(0)
	switch {
	case !v.isList:
		last = int64(sh.charCount(v.s))
		end = last
	case id < 0:
		last = int64(len(v.list)) + 1
		end = last
	default:
		last = int64(len(v.list))
		end = last
		switch a := sh.resolve(id); {
		case a.flags&vIndexed != 0:
			last, end = a.arr.end()-1, a.arr.end()
		case a.flags&vAssoc != 0:
			end++ // see sublist
		}
	}
	if off < 0 {
		off += end
	}
	return 0 <= off && off <= last
}

// sublist returns the part of a list that ${a[@]:off:n} names.
// The array is the variable id; below 0 it is the positional parameters.
func (sh *Shell) sublist(id int, v *value, off, n int64) []string {
	list := v.list
	var from int64
	switch {
	case id < 0: // the positional parameters, which begin with $0
		list = append([]string{sh.name}, list...)
		if from = off; from < 0 {
			from += int64(len(list))
		}
	default:
		a := sh.resolve(id)
		if a.flags&vIndexed == 0 {
			if from = off; from < 0 {
				from += int64(len(list))
			}
			if a.flags&vAssoc != 0 {
				n = max(n, 1) // Bash: it counts from 1, and gives one at least
				if off < 0 {
					from++
				}
				if from > 0 {
					from--
				}
			}
			break
		}
		if off < 0 {
			if off += a.arr.end(); off < 0 {
				return nil
			}
		}
		if a.arr.sparse == nil && a.arr.count == len(a.arr.dense) {
			from = off
			break
		}
		for _, i := range a.arr.indices() {
			if i >= off {
				break
			}
			from++
		}
	}
	if from < 0 || from >= int64(len(list)) {
		return nil
	}
	return list[from:min(int64(len(list)), from+min(n, int64(len(list))))]
}

// substring returns the characters of s from off on, n of them or, where n is
// negative, all but the last -n.
func (sh *Shell) substring(s string, off, n int64) string {
	sh.worked(len(s))
	if sh.bytes || isASCII(s) {
		size := int64(len(s))
		from, to, ok := sh.bounds(size, off, n)
		if !ok {
			return ""
		}
		return s[from:to]
	}
	runes := int64(sh.charCount(s))
	from, to, ok := sh.bounds(runes, off, n)
	if !ok {
		return ""
	}
	i := skipChars(s, from)
	return s[i : i+skipChars(s[i:], to-from)]
}

func (sh *Shell) bounds(size, off, n int64) (from, to int64, ok bool) {
	if off < 0 {
		off += size
	}
	if off < 0 || off > size {
		return 0, 0, false
	}
	if n < 0 {
		to = size + n
		if to < off {
			sh.fail("%d: substring expression < 0", n)
			return 0, 0, false
		}
		return off, to, true
	}
	return off, min(size, off+min(n, size)), true
}

// skipChars returns how many bytes n characters of s take.
func skipChars(s string, n int64) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return i
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
