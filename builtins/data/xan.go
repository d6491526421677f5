package data

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "xan",
	Aliases:  []string{"csv"},
	Synopsis: "SUBCOMMAND [OPTION]... [ARGUMENT]... [FILE]",
	Summary:  "work on CSV files; xan help lists the subcommands",
	Run:      runXan,
})

// A subcommand of xan.
type subcommand struct {
	names    string // the name, and others for the same
	synopsis string
	summary  string
	run      func(*xanCall) error
}

// subcommands returns the subcommands of xan.
func subcommands() []subcommand {
	return []subcommand{
		{"headers h", "[FILE]...", "print the names of the columns", xanHeaders},
		{"count n", "[FILE]", "count the rows", xanCount},
		{"select", "COLUMNS [FILE]", "keep columns", xanSelect},
		{"drop", "COLUMNS [FILE]", "leave out columns", xanDrop},
		{"rename", "NAMES [FILE]", "rename columns", xanRename},
		{"behead", "[FILE]", "leave out the header", xanBehead},
		{"enum", "[FILE]", "number the rows", xanEnum},
		{"head", "[FILE]", "keep the first rows", xanHead},
		{"tail", "[FILE]", "keep the last rows", xanTail},
		{"slice", "[FILE]", "keep rows by their numbers", xanSlice},
		{"reverse", "[FILE]", "reverse the rows", xanReverse},
		{"search grep", "PATTERN [FILE]", "keep rows with a text", xanSearch},
		{"sort", "[FILE]", "sort the rows", xanSort},
		{"dedup", "[FILE]", "keep the first of equal rows", xanDedup},
		{"frequency freq", "[FILE]", "count the values of columns", xanFrequency},
		{"stats", "[FILE]", "tell about the values of columns", xanStats},
		{"join", "COLUMNS FILE COLUMNS FILE", "join the rows of two files", xanJoin},
		{"cat", "rows|cols [FILE]...", "put files after, or beside, each other", xanCat},
		{"fixlengths", "[FILE]", "give all rows the same length", xanFixLengths},
		{"transpose t", "[FILE]", "make rows of columns", xanTranspose},
		{"fmt", "[FILE]", "write in another form of CSV", xanFmt},
		{"from", "[FILE]", "read another format", xanFrom},
		{"to", "FORMAT [FILE]", "write another format", xanTo},
		{"view v", "[FILE]", "show a table", xanView},
		{"flatten f", "[FILE]", "show each row on lines of its own", xanFlatten},
	}
}

// A xanCall is one run of a subcommand.
type xanCall struct {
	*builtins.Call
	*builtins.Flags

	delimiter byte
	noHeaders bool
	output    string
	columns   string // of -s
	out       *csvWriter
	held      int
	inputs    []io.Closer // that were opened
}

func runXan(ctx context.Context, c *builtins.Call) (err error) {
	f := c.Flags()
	if len(c.Args) == 0 || slices.Contains([]string{"help", "-h", "--help", "--version", "-V"}, c.Args[0]) {
		f.Ordered = true
		f.Info("h", "V")
		if _, err := f.Parse(); err != nil {
			return err
		}
		return xanHelp(c)
	}
	name := c.Args[0]
	for _, s := range subcommands() {
		if !slices.Contains(strings.Fields(s.names), name) {
			continue
		}
		c.Args = c.Args[1:]
		own := *c.Command
		own.Synopsis, own.Summary = name+" [OPTION]... "+s.synopsis, s.summary
		c.Command = &own
		t := &xanCall{Call: c, Flags: c.Flags(), delimiter: ','}
		t.Info("h", "")
		t.Func("d,delimiter", "the `CHAR` between fields of the input", t.setDelimiter)
		t.Bool(&t.noHeaders, "n,no-headers", "the first row is no header")
		t.String(&t.output, "o,output", "write to this `FILE`")
		defer t.release()
		return t.finish(s.run(t))
	}
	c.Warnf("unknown subcommand %s; see %s help", builtins.QuoteLocale(name), c.Name)
	return nil
}

func xanHelp(c *builtins.Call) error {
	w := bufio.NewWriter(c.Stdout)
	fmt.Fprintf(w, "Usage: %s %s\n\n", c.Name, c.Command.Synopsis)
	for _, s := range subcommands() {
		fmt.Fprintf(w, "  %-18s %s\n", strings.ReplaceAll(s.names, " ", ", "), s.summary)
	}
	return w.Flush()
}

func (t *xanCall) setDelimiter(s string) error {
	switch {
	case s == `\t` || s == "tab":
		t.delimiter = '\t'
	case len(s) == 1:
		t.delimiter = s[0]
	default:
		return fmt.Errorf("a delimiter must be one character, not %s", builtins.QuoteLocale(s))
	}
	return nil
}

// operands parses the arguments; the first need of them must be there, and more
// than extra others must not.
func (t *xanCall) operands(need, extra int) ([]string, error) {
	args, err := t.Parse()
	switch {
	case err != nil:
		return nil, err
	case len(args) < need:
		return nil, t.Flags.Fail(builtins.Usage("missing operand"))
	case extra >= 0 && len(args) > need+extra:
		return nil, t.Flags.Fail(builtins.Usage("extra operand %s", builtins.QuoteLocale(args[need+extra])))
	}
	w := t.Stdout
	if t.output != "" {
		f, err := t.FS.OpenFile(t.output, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
		if err != nil {
			return nil, builtins.FileError(t.output, err)
		}
		w = f
	}
	t.out = newCSVWriter(w)
	return args, nil
}

// finish writes what is buffered.
func (t *xanCall) finish(err error) error {
	if t.out == nil {
		return err
	}
	flush := t.out.flush()
	if f, ok := t.out.dst.(io.Closer); ok && t.output != "" {
		err = errors.Join(err, f.Close())
	}
	return cmp.Or(flush, err)
}

// release gives back what the call holds.
func (t *xanCall) release() {
	t.Free(t.held)
	for _, f := range t.inputs {
		_ = f.Close() // where it is closed already that does no harm
	}
}

// grow charges memory that is held to the end.
func (t *xanCall) grow(n int) error {
	if err := t.Alloc(n); err != nil {
		return err
	}
	t.held += n
	return nil
}

// input opens the one operand of most subcommands: a file, or standard input
// where there is none.
func (t *xanCall) input() (*csvReader, error) {
	args, err := t.operands(0, 1)
	if err != nil {
		return nil, err
	}
	return t.open(args, 0)
}

// inputSelected opens what input does, and finds the columns of -s in it.
func (t *xanCall) inputSelected() (*csvReader, []int, error) {
	in, err := t.input()
	if err != nil {
		return nil, nil, err
	}
	columns, err := t.selected(in.header)
	return in, columns, err
}

// open opens the file that is operand i; standard input if there is none.
func (t *xanCall) open(args []string, i int) (*csvReader, error) {
	name := "-"
	if i < len(args) {
		name = args[i]
	}
	return t.openFile(name)
}

// openFile opens a file, and reads its header.
func (t *xanCall) openFile(name string) (*csvReader, error) {
	r := t.Stdin
	closeFile := func() {}
	if name != "-" {
		f, err := t.Open(name)
		if err != nil {
			return nil, builtins.FileError(name, err)
		}
		t.inputs = append(t.inputs, f)
		r, closeFile = f, func() { _ = f.Close() }
	}
	in := &csvReader{call: t.Call, in: bufio.NewReaderSize(r, 64<<10), delimiter: t.delimiter, close: closeFile}
	if strings.HasSuffix(name, ".tsv") && t.delimiter == ',' {
		in.delimiter = '\t'
	}
	first, err := in.next()
	if err != nil && err != io.EOF {
		return nil, err
	}
	first = cloneRow(first)
	if t.noHeaders {
		if err == nil {
			in.pending = first
		}
		for i := range first {
			in.header = append(in.header, fmt.Sprint(i))
		}
		return in, nil
	}
	in.header, in.headed = first, true
	return in, nil
}

func cloneRow(row []string) []string {
	out := make([]string, len(row))
	for i, s := range row {
		out[i] = strings.Clone(s)
	}
	return out
}

// each calls do with every row of in, which is valid until the next.
func (t *xanCall) each(in *csvReader, do func(row []string) error) error {
	defer in.close()
	for {
		row, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if in.width == 0 {
			in.width = max(len(in.header), 1)
		}
		if len(row) != in.width && !in.flexible {
			return fmt.Errorf("CSV error: record %d (line: %d): found record with %d fields, but the previous record has %d fields",
				in.rows, in.line, len(row), in.width)
		}
		if err := do(row); err != nil {
			return err
		}
	}
}

// errEnough ends a loop that has all it wants.
var errEnough = errors.New("enough")

// rows reads all rows into memory.
func (t *xanCall) rows(in *csvReader) ([][]string, error) {
	var list [][]string
	err := t.each(in, func(row []string) error {
		size := 24
		for _, s := range row {
			size += 16 + len(s)
		}
		if err := t.grow(size); err != nil {
			return err
		}
		list = append(list, cloneRow(row))
		return nil
	})
	return list, err
}

// headerOut writes a header, unless there is none.
func (t *xanCall) headerOut(header []string) error {
	if t.noHeaders {
		return nil
	}
	return t.out.row(header)
}
