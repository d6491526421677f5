package digest

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// escape returns name with a backslash sequence for each character that a line
// of digests cannot hold, and "\" where there is any.
func escape(name string) (mark, escaped string) {
	if !strings.ContainsAny(name, "\\\n\r") {
		return "", name
	}
	return `\`, strings.NewReplacer("\\", `\\`, "\n", `\n`, "\r", `\r`).Replace(name)
}

func unescape(name string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '\\' {
			b.WriteByte(name[i])
			continue
		}
		i++
		if i == len(name) {
			return "", false
		}
		j := strings.IndexByte(`\nr`, name[i])
		if j < 0 {
			return "", false
		}
		b.WriteByte("\\\n\r"[j])
	}
	return b.String(), true
}

// A style is how lines of digests are written.
type style struct {
	tagged, binary, zero bool
}

// format returns the line for the digest of a file.
func (s style) format(a *algorithm, bits int, sum []byte, name string) string {
	mark, end := "", "\n"
	if s.zero {
		end = "\x00"
	} else {
		mark, name = escape(name)
	}
	if s.tagged {
		tag := a.tag
		if a.variable() && bits != a.bits {
			tag += fmt.Sprintf("-%d", bits)
		}
		return fmt.Sprintf("%s%s (%s) = %x%s", mark, tag, name, sum, end)
	}
	kind := byte(' ')
	if s.binary {
		kind = '*'
	}
	return fmt.Sprintf("%s%x %c%s%s", mark, sum, kind, name, end)
}

// An entry is a line of digests that was read.
type entry struct {
	algorithm *algorithm
	sum       []byte
	name      string
}

// A lineParser reads lines of digests. The zero parser takes those of any
// algorithm that they name.
type lineParser struct {
	algorithm *algorithm
	length    int // in bits, where the algorithm has several and one was asked for

	mixed    bool // a line has shown which of the two forms below the file has
	reversed bool // one space before names, as BSD writes
}

// parse reads a line without its newline.
func (p *lineParser) parse(line string) (e entry, ok bool) {
	line = strings.TrimLeft(line, " \t")
	line, escaped := strings.CutPrefix(line, `\`)
	e, ok = p.tagged(line)
	if !ok {
		if p.algorithm == nil {
			return e, false
		}
		e, ok = p.plain(line)
	}
	if ok && escaped {
		e.name, ok = unescape(e.name)
	}
	return e, ok
}

// tagged reads MD5 (name) = digits, and MD5(name)= digits.
func (p *lineParser) tagged(line string) (e entry, ok bool) {
	tag := strings.TrimRight(line[:max(strings.IndexByte(line, '('), 0)], " ")
	for _, a := range algorithms {
		name, length, sized := strings.Cut(tag, "-")
		if name != a.tag || sized && !a.variable() || p.algorithm != nil && a != p.algorithm {
			continue
		}
		bits := a.bits
		if sized {
			if _, err := fmt.Sscanf(length, "%d", &bits); err != nil || bits <= 0 || bits%8 != 0 || bits > a.bits {
				return e, false
			}
		}
		rest := line[strings.IndexByte(line, '(')+1:]
		end := strings.LastIndexByte(rest, ')')
		if end < 0 {
			return e, false
		}
		digits, found := strings.CutPrefix(strings.TrimLeft(rest[end+1:], " \t"), "=")
		sum, err := hex.DecodeString(strings.TrimLeft(digits, " \t"))
		return entry{a, sum, rest[:end]}, found && err == nil && len(sum)*8 == bits
	}
	return e, false
}

// plain reads the digits, two characters and the name.
func (p *lineParser) plain(line string) (e entry, ok bool) {
	end := strings.IndexAny(line, " \t")
	if end < 0 {
		return e, false
	}
	sum, err := hex.DecodeString(line[:end])
	if err != nil || len(sum) == 0 || len(sum)*8 > p.algorithm.bits || !p.algorithm.variable() && len(sum)*8 != p.algorithm.bits {
		return e, false
	}
	name := line[end+1:]
	switch {
	case name == "":
		return e, false
	case len(name) == 1, name[0] != ' ' && name[0] != '*':
		if p.mixed && !p.reversed {
			return e, false
		}
		p.mixed, p.reversed = true, true
	case !p.reversed:
		p.mixed = true
		name = name[1:]
	}
	return entry{p.algorithm, sum, name}, true
}
