package text

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "strings",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "print the strings of printable characters in files",
	Run:      runStrings,
})

// A stringFinder finds strings.
type stringFinder struct {
	call      *builtins.Call
	out       *output
	least     int
	spaces    bool // all white space is printable
	base      int  // of the offsets before strings; 0 for none
	names     bool // print the names of files
	separator string
	width     int  // bytes of a character
	big       bool // with the first byte the highest one
	high      bool // characters above 127 are printable
}

func runStrings(ctx context.Context, c *builtins.Call) (err error) {
	s := stringFinder{call: c, least: 4, separator: "\n", width: 1}
	all := false
	least := func(v string) error {
		n, err := strconv.ParseInt(v, 0, 32)
		if err != nil {
			return fmt.Errorf("invalid integer argument %s", v)
		}
		s.least = int(n)
		return nil
	}
	f := c.Flags()
	f.Info("h", "v,V")
	f.Bool(&all, "a,all", "look at the whole file, which is how strings works anyway")
	f.Func("e,encoding", "characters are s (7 bits), S (8 bits), b or l (16 bits, big- or little-endian), B or L (32 bits): `ENCODING`", s.encoding)
	f.Func("T,target", "the `FORMAT` of the file, which does not matter where all of it is looked at", func(string) error { return nil })
	f.Bool(&s.names, "f,print-file-name", "print the name of the file before each string")
	f.Func("n,bytes", "print strings of at least `NUMBER` characters, not 4", least)
	f.Func("t,radix", "print the offset of each string in `RADIX` o, d or x", func(v string) error {
		base, ok := map[string]int{"o": 8, "d": 10, "x": 16}[v]
		if !ok {
			return builtins.Usage("invalid radix %s", builtins.Quote(v))
		}
		s.base = base
		return nil
	})
	f.Do("o", "the same as -t o", func() error { s.base = 8; return nil })
	f.Bool(&s.spaces, "w,include-all-whitespace", "white space of all kinds is printable")
	f.String(&s.separator, "s,output-separator", "print `STRING` after strings, not a newline")
	f.Number = least
	files, err := f.Parse()
	if err != nil {
		return err
	}
	if s.least < 1 {
		return f.Fail(fmt.Errorf("invalid minimum string length %d", s.least))
	}
	s.out = newOutput(c)
	defer s.out.close(&err)
	if len(files) == 0 {
		return errnoError(s.find("{standard input}", c.Stdin), "{standard input}")
	}
	for _, name := range files {
		if name == "-" {
			continue // GNU: the same as -a
		}
		if err := s.file(name); err != nil {
			return err
		}
	}
	return nil
}

// file prints the strings of a file.
func (s *stringFinder) file(name string) error {
	info, err := s.call.FS.Stat(name)
	switch {
	case err != nil && strings.Contains(err.Error(), "No such file"):
		s.call.Warnf("'%s': No such file", name)
		return nil
	case err == nil && info.IsDir():
		fmt.Fprintf(s.call.Stderr, "%s: Warning: '%s' is a directory\n", s.call.Name, name)
		s.call.Fail()
		return nil
	}
	f, err := s.call.Open(name)
	if err != nil {
		s.call.Warn(errnoError(err, "%s", name))
		return nil
	}
	defer f.Close()
	err = s.find(name, f)
	if s.call.Ends(err) {
		return err
	}
	if err != nil {
		s.call.Warn(errnoError(err, "%s", name))
	}
	return nil
}

// find prints the strings of r.
func (s *stringFinder) find(name string, r io.Reader) error {
	var unit []byte   // of a character that is not complete
	var start growing // of a string that is still too short
	start.call = s.call
	defer start.drop()
	offset, long := int64(0), false
	err := eachBlock(s.call, r, func(block []byte) error {
		for _, b := range block {
			offset++
			if unit = append(unit, b); len(unit) < s.width {
				continue
			}
			b, printable := s.character(unit)
			if unit = unit[:copy(unit, unit[1:])]; printable {
				unit = unit[:0]
			}
			switch {
			case !printable:
				if long {
					s.out.buf = append(s.out.buf, s.separator...)
				}
				long = false
				start.data = start.data[:0]
				continue
			case long:
				s.out.buf = append(s.out.buf, b)
			default:
				if err := start.add([]byte{b}); err != nil {
					return err
				}
				if len(start.data) == s.least {
					s.label(name, offset-int64(s.least*s.width))
					s.out.buf = append(s.out.buf, start.data...)
					long = true
				}
			}
			if len(s.out.buf) >= blockSize {
				if err := s.out.flush(); err != nil {
					return err
				}
			}
		}
		return s.out.spill()
	})
	if long {
		s.out.buf = append(s.out.buf, s.separator...)
	}
	return err
}

// encoding takes the name of an encoding.
func (s *stringFinder) encoding(v string) error {
	width, ok := map[string]int{"s": 1, "S": 1, "b": 2, "l": 2, "B": 4, "L": 4}[v]
	if !ok {
		return builtins.Usage("invalid encoding %s", builtins.Quote(v))
	}
	s.width, s.high, s.big = width, v == "S", v == "b" || v == "B"
	return nil
}

// character returns what a unit stands for, and whether that is a printable character.
func (s *stringFinder) character(unit []byte) (b byte, printable bool) {
	at := 0
	if s.big {
		at = len(unit) - 1
	}
	for i, x := range unit {
		if i != at && x != 0 {
			return 0, false
		}
	}
	b = unit[at]
	return b, b >= ' ' && b < 127 || b == '\t' || s.spaces && isSpace(b) || s.high && b > 127
}

// label prints what stands before a string.
func (s *stringFinder) label(name string, offset int64) {
	if s.names {
		s.out.buf = append(append(s.out.buf, name...), ": "...)
	}
	if s.base != 0 {
		digits := strconv.FormatInt(offset, s.base)
		s.out.buf = fmt.Appendf(s.out.buf, "%7s ", digits)
	}
}
