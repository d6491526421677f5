package text

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
	"golang.org/x/text/encoding/charmap"
)

var _ = commands.Add(&builtins.Command{
	Name:     "iconv",
	Synopsis: "[-c] [-f ENCODING] [-t ENCODING] [-o FILE] [FILE...]",
	Summary:  "convert text from one character encoding to another",
	Run:      runIconv,
})

// charmaps are the encodings with a byte for each character, by their names
// without punctuation.
var charmaps = map[string]*charmap.Charmap{
	"ISO88591": charmap.ISO8859_1, "LATIN1": charmap.ISO8859_1, "L1": charmap.ISO8859_1, "ISO88592": charmap.ISO8859_2, "LATIN2": charmap.ISO8859_2,
	"ISO88593": charmap.ISO8859_3, "ISO88594": charmap.ISO8859_4, "ISO88595": charmap.ISO8859_5, "ISO88596": charmap.ISO8859_6,
	"ISO88597": charmap.ISO8859_7, "ISO88598": charmap.ISO8859_8, "ISO88599": charmap.ISO8859_9, "LATIN5": charmap.ISO8859_9,
	"ISO885910": charmap.ISO8859_10, "ISO885913": charmap.ISO8859_13, "ISO885914": charmap.ISO8859_14, "ISO885915": charmap.ISO8859_15,
	"LATIN9": charmap.ISO8859_15, "ISO885916": charmap.ISO8859_16, "KOI8R": charmap.KOI8R, "KOI8U": charmap.KOI8U,
	"CP437": charmap.CodePage437, "IBM437": charmap.CodePage437, "CP850": charmap.CodePage850, "CP852": charmap.CodePage852, "CP866": charmap.CodePage866,
	"CP1250": charmap.Windows1250, "WINDOWS1250": charmap.Windows1250, "CP1251": charmap.Windows1251, "WINDOWS1251": charmap.Windows1251,
	"CP1252": charmap.Windows1252, "WINDOWS1252": charmap.Windows1252, "CP1253": charmap.Windows1253, "WINDOWS1253": charmap.Windows1253,
	"CP1254": charmap.Windows1254, "WINDOWS1254": charmap.Windows1254, "CP1257": charmap.Windows1257, "WINDOWS1257": charmap.Windows1257,
}

// otherCharsets are names of the encodings that findCharset knows besides.
var otherCharsets = []string{
	"ASCII", "US-ASCII", "UTF-8", "UTF8", "UTF-16", "UTF-16BE", "UTF-16LE", "UNICODE", "UCS-2LE", "UTF-32", "UTF-32BE", "UTF-32LE", "UCS-4", "UCS-4BE", "UCS-4LE",
}

// A charset converts characters one at a time.
type charset struct {
	// decode returns the first character of b and its size: 0 where b is
	// too short to tell, less than 0 where that is no character.
	decode func(b []byte) (rune, int)
	// encode adds r to dst, and reports whether the encoding has it.
	encode func(dst []byte, r rune) ([]byte, bool)
	width  int // of the byte order mark that it begins with; 0 for none
}

func runIconv(_ context.Context, c *builtins.Call) (err error) {
	from, to, file := "UTF-8", "UTF-8", ""
	v := converter{call: c}
	f := c.Flags()
	f.Info("?", "V")
	f.String(&from, "f,from-code", "the encoding of the input: `NAME`, UTF-8 unless given")
	f.String(&to, "t,to-code", "the encoding of the output: `NAME`, UTF-8 unless given")
	f.Bool(&v.omit, "c", "leave out what the output's encoding does not have, or is wrong")
	f.String(&file, "o,output", "write to `FILE`")
	list := false
	f.Bool(&list, "l,list", "list the names of encodings")
	f.Bool(new(bool), "s,silent", "suppress warnings, of which there are none")
	files, err := f.Parse()
	if err != nil {
		return err
	}
	if list {
		return listCharsets(c)
	}
	var known [2]bool
	from, _, _ = strings.Cut(from, "//")
	to, how, _ := strings.Cut(strings.ToUpper(to), "//")
	v.translit, v.ignore = strings.Contains(how, "TRANSLIT"), strings.Contains(how, "IGNORE")
	v.from, known[0] = findCharset(from)
	v.to, known[1] = findCharset(to)
	if !known[0] || !known[1] {
		fmt.Fprintln(c.Stderr, "iconv: failed to start conversion processing: No such file or directory")
		return builtins.Exit(1)
	}
	v.out = newOutput(c)
	if file != "" && file != "-" {
		target := &lateFile{call: c, name: file}
		defer target.close()
		v.out.w, v.out.name = target, file
	}
	defer v.out.close(&err)
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		if err := v.file(name); err != nil {
			return err
		}
	}
	return nil
}

// A lateFile is a file that is made when something is written to it.
type lateFile struct {
	call *builtins.Call
	name string
	file io.WriteCloser
}

// Write writes to the file.
func (l *lateFile) Write(p []byte) (int, error) {
	if l.file == nil {
		file, err := l.call.FS.Create(l.name)
		if err != nil {
			fmt.Fprintf(l.call.Stderr, "iconv: cannot open output file: %v\n", vfs.ErrnoOf(err))
			return 0, builtins.Exit(1)
		}
		l.file = file
	}
	return l.file.Write(p)
}

// close closes the file, if it has been made.
func (l *lateFile) close() {
	if l.file != nil {
		_ = l.file.Close()
	}
}

// listCharsets prints the names of the encodings.
func listCharsets(c *builtins.Call) error {
	names := slices.AppendSeq(slices.Clone(otherCharsets), maps.Keys(charmaps))
	slices.Sort(names)
	for _, name := range names {
		if _, err := fmt.Fprintln(c.Stdout, name+"//"); err != nil {
			return err
		}
	}
	return nil
}

// findCharset returns the encoding with a name. Case and punctuation of names
// do not matter.
func findCharset(name string) (charset, bool) {
	name = strings.ToUpper(strings.NewReplacer("-", "", "_", "", ":", "").Replace(name))
	if m, ok := charmaps[name]; ok {
		return mapped(m), true
	}
	switch name {
	case "UTF8":
		return charset{decode: decodeUTF8, encode: func(dst []byte, r rune) ([]byte, bool) { return utf8.AppendRune(dst, r), true }}, true
	case "ASCII", "USASCII", "ANSIX3.41968", "646", "C":
		return ascii, true
	case "UTF16", "UNICODE":
		return wide(2, binary.LittleEndian, true), true
	case "UTF16LE", "UCS2LE", "UNICODELITTLE":
		return wide(2, binary.LittleEndian, false), true
	case "UTF16BE", "UNICODEBIG":
		return wide(2, binary.BigEndian, false), true
	case "UTF32":
		return wide(4, binary.LittleEndian, true), true
	case "UTF32LE", "UCS4LE":
		return wide(4, binary.LittleEndian, false), true
	case "UTF32BE", "UCS4", "UCS4BE":
		return wide(4, binary.BigEndian, false), true
	}
	return charset{}, false
}

var ascii = charset{
	decode: func(b []byte) (rune, int) {
		if b[0] < utf8.RuneSelf {
			return rune(b[0]), 1
		}
		return 0, -1
	},
	encode: func(dst []byte, r rune) ([]byte, bool) { return append(dst, byte(r)), r < utf8.RuneSelf },
}

func decodeUTF8(b []byte) (rune, int) {
	r, n := utf8.DecodeRune(b)
	switch {
	case r != utf8.RuneError || n > 1:
		return r, n
	case !utf8.FullRune(b):
		return 0, 0
	}
	return 0, -1
}

func mapped(m *charmap.Charmap) charset {
	return charset{
		decode: func(b []byte) (rune, int) {
			if r := m.DecodeByte(b[0]); r != utf8.RuneError {
				return r, 1
			}
			return 0, -1
		},
		encode: func(dst []byte, r rune) ([]byte, bool) {
			b, ok := m.EncodeRune(r)
			return append(dst, b), ok
		},
	}
}

// A byteOrder reads and writes units.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// wide returns the encoding whose units have width bytes.
func wide(width int, order byteOrder, marked bool) charset {
	var s charset
	if width == 2 {
		s.decode, s.encode = utf16In(order), utf16Out(order)
	} else {
		s.decode, s.encode = utf32In(order), func(dst []byte, r rune) ([]byte, bool) { return order.AppendUint32(dst, uint32(r)), true }
	}
	if marked {
		s.width = width
	}
	return s
}
