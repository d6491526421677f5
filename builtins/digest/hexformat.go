package digest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A hexFormat is a format string of hexdump.
type hexFormat struct{ units []*hexUnit }

// size returns how many bytes the format shows.
func (f *hexFormat) size() int {
	n := 0
	for _, u := range f.units {
		n += u.bytes * u.repeat
	}
	return n
}

// A hexUnit is a part of a format string: iterations/bytes "text".
type hexUnit struct {
	repeat  int
	counted bool // the iterations were given
	bytes   int  // that one iteration shows; 0 where none were given
	text    string
	end     bool // shown after the input, because of %_A
	items   []hexItem
}

// A hexItem is a conversion of a unit with the text before and after it, or
// text alone.
type hexItem struct {
	before, after string
	flags         string // flags, width and precision
	verb          string // "" for text alone; _a is followed by its radix
	bytes         int
}

// add parses a format string.
func (h *hexdumper) add(text string) error {
	f := &hexFormat{}
	bad := fmt.Errorf("bad format {%s}", text)
	for rest := strings.TrimLeft(text, " \t\n"); rest != ""; rest = strings.TrimLeft(rest, " \t\n") {
		u := &hexUnit{repeat: 1}
		var n int
		var ok bool
		if n, rest, ok = leadingInt(rest); ok {
			u.repeat, u.counted = n, true
			rest = strings.TrimLeft(rest, " \t\n")
		}
		if after, found := strings.CutPrefix(rest, "/"); found {
			if u.bytes, rest, ok = leadingInt(strings.TrimLeft(after, " \t\n")); !ok {
				return bad
			}
			rest = strings.TrimLeft(rest, " \t\n")
		}
		after, found := strings.CutPrefix(rest, `"`)
		quoted, after, closed := strings.Cut(after, `"`)
		if !found || !closed {
			return bad
		}
		u.text, rest = unescapeC(quoted), after
		f.units = append(f.units, u)
	}
	if len(f.units) > 0 {
		h.formats = append(h.formats, f)
	}
	return nil
}

func leadingInt(s string) (n int, rest string, ok bool) {
	end := len(s) - len(strings.TrimLeft(s, "0123456789"))
	n, err := strconv.Atoi(s[:end])
	return min(n, 1<<16), s[end:], err == nil
}

func unescapeC(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if j := strings.IndexByte("abfnrtv", s[i]); j >= 0 {
				b.WriteByte("\a\b\f\n\r\t\v"[j])
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// resolve divides the text of a unit into items and finds how many bytes each
// of them shows.
func (u *hexUnit) resolve() error {
	rest, given, total := u.text, u.bytes, 0
	for {
		i := strings.IndexByte(rest, '%')
		if i < 0 {
			break
		}
		item := hexItem{before: rest[:i]}
		rest = rest[i+1:]
		end := len(rest) - len(strings.TrimLeft(rest, "#-+ 0123456789."))
		item.flags, rest = rest[:end], rest[end:]
		n, err := item.readVerb(rest, given)
		if err != nil {
			return err
		}
		if rest = rest[n:]; item.bytes > 0 && total > 0 && given > 0 {
			return errors.New("byte count with multiple conversion characters")
		}
		u.end = u.end || strings.HasPrefix(item.verb, "_A")
		total += item.bytes
		u.items = append(u.items, item)
	}
	if len(u.items) == 0 {
		u.items = []hexItem{{before: rest}}
	} else {
		u.items[len(u.items)-1].after = rest
	}
	if given == 0 || total == 0 {
		u.bytes = total
	}
	return nil
}

// readVerb takes a conversion from the start of text and returns its length.
func (item *hexItem) readVerb(text string, given int) (int, error) {
	if text == "" {
		return 0, errors.New("bad format {%}")
	}
	sizes := map[byte][]int{
		'c': {1}, 'd': {4, 1, 2, 8}, 'i': {4, 1, 2, 8}, 'o': {4, 1, 2, 8}, 'u': {4, 1, 2, 8}, 'x': {4, 1, 2, 8}, 'X': {4, 1, 2, 8},
		'e': {8, 4}, 'E': {8, 4}, 'f': {8, 4}, 'g': {8, 4}, 'G': {8, 4},
	}
	verb := text[:1]
	switch c := text[0]; c {
	case 's':
		_, precision, _ := strings.Cut(item.flags, ".")
		n, err := strconv.Atoi(precision)
		switch {
		case given > 0:
			item.bytes = given
		case err == nil:
			item.bytes = n
		default:
			return 0, errors.New("%s requires a precision or a byte count")
		}
	case '_':
		switch {
		case len(text) > 1 && strings.IndexByte("cpu", text[1]) >= 0:
			verb = text[:2]
			item.bytes = 1
		case len(text) > 2 && (text[1] == 'a' || text[1] == 'A') && strings.IndexByte("dox", text[2]) >= 0:
			verb = text[:3]
		default:
			return 0, fmt.Errorf("bad conversion character %%%.2s", text)
		}
	default:
		allowed := sizes[c]
		if allowed == nil {
			return 0, fmt.Errorf("bad conversion character %%%s", verb)
		}
		item.bytes = given
		if given == 0 {
			item.bytes = allowed[0]
		}
		for _, n := range allowed {
			if n == item.bytes {
				item.verb = verb
			}
		}
		if item.verb == "" {
			return 0, fmt.Errorf("bad byte count for conversion character %s", verb)
		}
	}
	if item.verb = verb; item.bytes > 0 && verb[0] == '_' && given > 1 {
		return 0, fmt.Errorf("bad byte count for conversion character %s", verb)
	}
	return len(verb), nil
}

// showAll shows the unit as often as it repeats, from offset on, and returns
// the offset after it.
func (u *hexUnit) showAll(w *bufio.Writer, block []byte, n, offset int, address int64) int {
	for i := range u.repeat {
		last := u.repeat > 1 && i == u.repeat-1
		at := offset
		for j := range u.items {
			item := &u.items[j]
			after := item.after
			if last && j == len(u.items)-1 && after != "" && strings.IndexByte(" \t\n", after[len(after)-1]) >= 0 {
				after = after[:len(after)-1]
			}
			item.show(w, block, n, at, address)
			w.WriteString(after)
			at += item.bytes
		}
		offset += u.bytes
	}
	return offset
}

// show shows a unit that stands after the input.
func (u *hexUnit) show(w *bufio.Writer, block []byte, n int, address int64) {
	for i := range u.items {
		u.items[i].show(w, block, n, 0, address)
		w.WriteString(u.items[i].after)
	}
}

// show shows the bytes of the block at offset, or as many blanks where they lie
// behind the n bytes of input.
func (item *hexItem) show(w *bufio.Writer, block []byte, n, offset int, address int64) {
	w.WriteString(item.before)
	switch {
	case item.verb == "":
	case item.bytes == 0: // an address
		fmt.Fprintf(w, "%"+item.flags+item.verb[2:], address+int64(offset))
	case offset >= n:
		fmt.Fprintf(w, "%"+strings.TrimLeft(item.flags, " -0+#")+"s", "")
	case offset+item.bytes <= len(block):
		item.convert(w, block[offset:offset+item.bytes])
	}
}

func (item *hexItem) convert(w *bufio.Writer, b []byte) {
	switch verb := item.verb; verb {
	case "c":
		fmt.Fprintf(w, "%"+item.flags+"s", b)
	case "s":
		text, _, _ := strings.Cut(string(b), "\x00")
		fmt.Fprintf(w, "%"+item.flags+"s", text)
	case "_p":
		fmt.Fprintf(w, "%"+item.flags+"s", printable(b[0]))
	case "_c":
		fmt.Fprintf(w, "%"+item.flags+"s", charNames[b[0]])
	case "_u":
		name := asciiNames[b[0]&0x7f]
		if b[0] >= 0x80 || name == "sp" {
			name = fmt.Sprintf("%02x", b[0])
			if b[0] == ' ' {
				name = " "
			}
		} else if name == "nl" {
			name = "lf"
		}
		fmt.Fprintf(w, "%"+item.flags+"s", name)
	case "d", "i":
		shift := 64 - 8*len(b)
		fmt.Fprintf(w, "%"+item.flags+"d", int64(littleEndian(b)<<shift)>>shift)
	case "u":
		fmt.Fprintf(w, "%"+strings.Trim(item.flags, "+ ")+"d", littleEndian(b))
	case "o", "x", "X":
		fmt.Fprintf(w, "%"+strings.Trim(item.flags, "+ ")+verb, littleEndian(b))
	default:
		flags := item.flags
		if !strings.Contains(flags, ".") {
			flags += ".6"
		}
		x := math.Float64frombits(littleEndian(b))
		if len(b) == 4 {
			x = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
		fmt.Fprintf(w, "%"+flags+verb, x)
	}
}

func printable(b byte) string {
	if b < ' ' || b > '~' {
		return "."
	}
	return string(rune(b))
}

func littleEndian(b []byte) (n uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	return n
}
