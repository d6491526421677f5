package text

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "ptx",
	Synopsis: "[OPTION]... [INPUT]...\n       ptx -G [OPTION]... [INPUT [OUTPUT]]",
	Summary:  "output a permuted index, including context, of the words in the input files",
	Run:      runPtx,
})

// An indexer is one run of ptx.
type indexer struct {
	*builtins.Call

	auto, refs, rightRefs bool
	traditional, fold     bool
	truncation, macro     string
	format                byte // 0 for text, O for roff, T for TeX
	width, gap            int
	sentence, word        *regex.Matcher // nil where there is none
	ending                string         // the text of sentence
	letters               [256]bool      // of words, where there is no expression for them
	ignore, only          [][]byte       // sorted; nil where there is no file

	inputs  []*ptxInput
	found   []occurrence
	longest int // of all words
	refMax  int // the width of references

	half, before, after int // widths of fields
}

// A ptxInput is the text of a file.
type ptxInput struct {
	name  string
	text  []byte
	lines int
}

// An occurrence is a word in its context.
type occurrence struct {
	in          *ptxInput
	start, end  int // of the word
	left, right int // ends of the context
	refStart    int // of the reference
	line        int // number, from 1
}

// ptxSentence ends a sentence.
const ptxSentence = "[.?!][]\"')}]*\\($\\|\t\\|  \\)[ \t\n]*"

func runPtx(ctx context.Context, c *builtins.Call) error {
	x := &indexer{Call: c, truncation: "/", macro: "xx", width: 72, gap: 3}
	var sentence, word, breaks, ignore, only string
	sentenceGiven := false
	f := c.Flags()
	f.Bool(&x.auto, "A,auto-reference", "output automatically generated references")
	f.Bool(&x.traditional, "G,traditional", "behave more like System V 'ptx'")
	f.Func("F,flag-truncation", "use `STRING` for flagging line truncations. The default is '/'", func(s string) error {
		x.truncation = cUnescape(s)
		return nil
	})
	f.String(&x.macro, "M,macro-name", "macro name `STRING` to use instead of 'xx'")
	f.Do("O", "generate output as roff directives", func() error { x.format = 'O'; return nil })
	f.Do("T", "generate output as TeX directives", func() error { x.format = 'T'; return nil })
	f.Func("format", "generate output as `roff or tex` directives", func(s string) error {
		var name string
		if err := builtins.Choose(&name, s, "format", []string{"roff", "tex"}); err != nil {
			return err
		}
		x.format = map[string]byte{"roff": 'O', "tex": 'T'}[name]
		return nil
	})
	f.Bool(&x.rightRefs, "R,right-side-refs", "put references at right, not counted in -w")
	f.Func("S,sentence-regexp", "`REGEXP` for end of lines or end of sentences", func(s string) error {
		sentence, sentenceGiven = cUnescape(s), true
		return nil
	})
	f.String(&word, "W,word-regexp", "use `REGEXP` to match each keyword")
	f.String(&breaks, "b,break-file", "word break characters in this `FILE`")
	f.Bool(&x.fold, "f,ignore-case", "fold lower case to upper case for sorting")
	f.Func("g,gap-size", "gap size in columns between output fields: `NUMBER`", x.number(&x.gap, "gap width"))
	f.String(&ignore, "i,ignore-file", "read ignore word list from `FILE`")
	f.String(&only, "o,only-file", "read only word list from this `FILE`")
	f.Bool(&x.refs, "r,references", "first field of each line is a reference")
	f.Do("t,typeset-mode", "not implemented, as in GNU ptx", func() error { return nil })
	f.Func("w,width", "output width in columns, reference excluded: `NUMBER`", x.number(&x.width, "line width"))
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if !sentenceGiven {
		sentence = "\n"
		if !x.traditional && !x.refs {
			sentence = ptxSentence
		}
	}
	x.ending = sentence
	if x.sentence, err = x.expression(sentence); err != nil {
		return err
	}
	if x.word, err = x.expression(cUnescape(word)); err != nil {
		return err
	}
	if err := x.tables(breaks, ignore, only); err != nil {
		return err
	}
	if x.traditional && x.format == 0 {
		x.format = 'O'
	}
	return x.run(f, args)
}

// number returns what parses a positive number.
func (x *indexer) number(p *int, what string) func(string) error {
	return func(s string) error {
		n, err := strconv.ParseUint(s, 10, 31)
		if err != nil || n == 0 {
			return fmt.Errorf("invalid %s: %s", what, builtins.QuoteLocale(s))
		}
		*p = int(n)
		return nil
	}
}

// expression compiles a regular expression; an empty one is none.
func (x *indexer) expression(s string) (*regex.Matcher, error) {
	if s == "" {
		return nil, nil
	}
	flags := regex.Multiline
	if x.fold {
		flags |= regex.IgnoreCase
	}
	re, err := regex.Compile(s, regex.Emacs, flags)
	if err != nil {
		return nil, fmt.Errorf("%w (for regexp %s)", err, builtins.QuoteLocale(s))
	}
	return re.Matcher(x.Call), nil
}

// cUnescape resolves the escapes of C.
func cUnescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	simple := map[byte]byte{'a': 7, 'b': 8, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		c, ok := simple[s[i]]
		switch {
		case ok:
			b.WriteByte(c)
		case s[i] == 'c':
			return b.String()
		case s[i] == 'x':
			n := 0
			for i+1 < len(s) && n < 3 && strings.IndexByte("0123456789abcdefABCDEF", s[i+1]) >= 0 {
				i, n = i+1, n+1
			}
			v, _ := strconv.ParseUint(s[i+1-n:i+1], 16, 16)
			b.WriteByte(byte(v))
		case s[i] == '0':
			n := 0
			for i+1 < len(s) && n < 3 && s[i+1] >= '0' && s[i+1] <= '7' {
				i, n = i+1, n+1
			}
			v, _ := strconv.ParseUint("0"+s[i+1-n:i+1], 8, 16)
			b.WriteByte(byte(v))
		default:
			b.WriteString(s[i-1 : i+1])
		}
	}
	return b.String()
}

// tables reads the files of characters and words.
func (x *indexer) tables(breaks, ignore, only string) error {
	for c := range x.letters {
		x.letters[c] = x.traditional && c != ' ' && c != '\t' && c != '\n' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	if breaks != "" {
		text, err := x.read(breaks)
		if err != nil {
			return err
		}
		for c := range x.letters {
			x.letters[c] = bytes.IndexByte(text, byte(c)) < 0 && !(x.traditional && (c == ' ' || c == '\t' || c == '\n'))
		}
	}
	for _, list := range []struct {
		name string
		to   *[][]byte
	}{{ignore, &x.ignore}, {only, &x.only}} {
		if list.name == "" {
			continue
		}
		text, err := x.read(list.name)
		if err != nil {
			return err
		}
		for _, w := range bytes.Split(text, []byte("\n")) {
			if len(w) > 0 {
				*list.to = append(*list.to, w)
			}
		}
		slices.SortFunc(*list.to, x.compareWords)
	}
	return nil
}

// read reads a file.
func (x *indexer) read(name string) ([]byte, error) {
	r := io.Reader(x.Stdin)
	if name != "-" {
		f, err := x.FS.Open(name)
		if err != nil {
			return nil, builtins.FileError(name, err)
		}
		defer f.Close()
		r = f
	}
	var b bytes.Buffer
	block := make([]byte, 16<<10)
	for {
		n, err := r.Read(block)
		if err := x.Alloc(2 * n); err != nil {
			return nil, err
		}
		b.Write(block[:n])
		if e := x.Poll(1 + n/64); e != nil {
			return nil, e
		}
		if err == io.EOF {
			return b.Bytes(), nil
		}
		if err != nil {
			return nil, builtins.FileError(name, err)
		}
	}
}

// folded returns a character as it is sorted.
func (x *indexer) folded(c byte) byte {
	if x.fold && c >= 'a' && c <= 'z' {
		return c - 32
	}
	return c
}

func (x *indexer) compareWords(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if d := int(x.folded(a[i])) - int(x.folded(b[i])); d != 0 {
			return d
		}
	}
	return len(a) - len(b)
}

// run indexes the files, and prints the index.
func (x *indexer) run(f *builtins.Flags, args []string) error {
	out := io.Writer(x.Stdout)
	if x.traditional && len(args) > 1 {
		if len(args) > 2 {
			return f.Fail(builtins.Usage("extra operand %s", builtins.QuoteLocale(args[2])))
		}
		file, err := x.FS.OpenFile(args[1], vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
		if err != nil {
			return builtins.FileError(args[1], err)
		}
		defer file.Close()
		out, args = file, args[:1]
	}
	if len(args) == 0 {
		args = []string{"-"}
	}
	for _, name := range args {
		text, err := x.read(name)
		if err != nil {
			return err
		}
		in := &ptxInput{name: name, text: text, lines: bytes.Count(text, []byte("\n"))}
		if name == "-" {
			in.name = ""
		}
		x.inputs = append(x.inputs, in)
		if err := x.index(in); err != nil {
			return err
		}
	}
	var stop error
	slices.SortStableFunc(x.found, func(a, b occurrence) int {
		if err := x.Poll(1); err != nil {
			stop = err
		}
		return x.compareWords(a.in.text[a.start:a.end], b.in.text[b.start:b.end])
	})
	if stop != nil {
		return stop
	}
	x.measure()
	return x.print(out)
}
