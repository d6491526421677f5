package text

import (
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
	Name:     "sort",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "print lines in order",
	Trouble:  2,
	Run:      runSort,
})

// sortOptions is what is asked of sort besides the order.
type sortOptions struct {
	global       sortKey // the options that keys without options get
	check        byte    // 'c', 'C' or 0
	merge        bool
	output       string
	outputSet    bool
	compress     string // the program, if compressSet
	compressSet  bool
	tab          string
	tabSet       bool
	randomSource string
	names0       string
	zero         bool
}

func runSort(_ context.Context, c *builtins.Call) error {
	s := &sorter{call: c, tab: noTab}
	var o sortOptions
	f := c.Flags()
	o.orderFlags(f)
	o.flags(f, s)
	names, err := f.Parse()
	if err != nil {
		return err
	}
	if err := o.finish(c, s); err != nil {
		return f.Fail(err)
	}
	if o.names0 != "" {
		if len(names) > 0 {
			return f.Fail(builtins.Usage("extra operand %s\nfile operands cannot be combined with --files0-from", builtins.Quote(names[0])))
		}
		held := 0
		defer func() { c.Free(held) }()
		if names, held, err = sortNames(c, o.names0); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		names = []string{"-"}
	}
	if o.check != 0 {
		if len(names) > 1 {
			return fmt.Errorf("extra operand %s not allowed with -%c", builtins.Quote(names[1]), o.check)
		}
		if o.outputSet {
			return fmt.Errorf("options '-%co' are incompatible", o.check)
		}
		return s.check(names[0], o.check == 'C')
	}
	return o.run(c, s, names)
}

// orderFlags declares the options about the order.
func (o *sortOptions) orderFlags(f *builtins.Flags) {
	order := func(letter, names, help string) {
		f.Do(names, help, func() error { o.global.set(letter, true, true); return nil })
	}
	order("b", "b,ignore-leading-blanks", "do not compare the blanks at the start of keys")
	order("d", "d,dictionary-order", "compare only blanks, letters and digits")
	order("f", "f,ignore-case", "compare without regard to case")
	order("g", "g,general-numeric-sort", "compare as floating point numbers")
	order("h", "h,human-numeric-sort", "compare numbers with units, such as 2K and 1G")
	order("i", "i,ignore-nonprinting", "compare only characters that can be printed")
	order("M", "M,month-sort", "compare the names of months, such as JAN and DEC")
	order("n", "n,numeric-sort", "compare as numbers")
	order("R", "R,random-sort", "shuffle, but keep equal keys together")
	order("r", "r,reverse", "reverse the order")
	order("V", "V,version-sort", "compare numbers within the text as versions")
	words := []string{"general-numeric", "human-numeric", "month", "numeric", "random", "version"}
	word := ""
	f.Func("sort", "sort by `WORD`: general-numeric, human-numeric, month, numeric, random or version", func(v string) error {
		if err := builtins.Choose(&word, v, "sort", words); err != nil {
			return err
		}
		o.global.setKind("ghMnRV"[slices.Index(words, word)])
		return nil
	})
}

// flags declares the other options.
func (o *sortOptions) flags(f *builtins.Flags, s *sorter) {
	check := func(letter byte) error {
		if o.check != 0 && o.check != letter {
			return errors.New("options '-cC' are incompatible")
		}
		o.check = letter
		return nil
	}
	word := ""
	f.Do("c", "check whether the input is sorted, and name the first line that is not", func() error { return check('c') })
	f.Do("C", "check whether the input is sorted, and say nothing", func() error { return check('C') })
	f.Optional("check", "the same as -c, or -C with `HOW` quiet or silent", func(v string, ok bool) error {
		if !ok {
			return check('c')
		}
		if err := builtins.Choose(&word, v, "check", []string{"quiet,silent", "diagnose-first"}); err != nil {
			return err
		}
		if word == "quiet" {
			return check('C')
		}
		return check('c')
	})
	f.String(&o.names0, "files0-from", "read the names of the files, each with a NUL after it, from `F`; from standard input if F is -")
	f.Func("k,key", "sort by the key `F[.C][OPTS][,F[.C][OPTS]]`, from and to a field and a character of it", func(v string) error {
		k, err := parseSortKey(v)
		s.keys = append(s.keys, k)
		return err
	})
	f.Bool(&o.merge, "m,merge", "merge files that are sorted already")
	f.Func("o,output", "write to `FILE`, which may be one of the input", func(v string) error {
		if o.outputSet && o.output != v {
			return errors.New("multiple output files specified")
		}
		o.output, o.outputSet = v, true
		return nil
	})
	f.Func("parallel", "use `N` threads at most; one is used", func(v string) error {
		n, err := sortNumber("--parallel", v, "")
		if err == nil && n == 0 {
			return errors.New("number in parallel must be nonzero")
		}
		return err
	})
	f.Func("batch-size", "merge `N` files at once before temporary ones; there are none", func(v string) error {
		n, err := sortNumber("--batch-size", v, "")
		if err == nil && n < 2 {
			return fmt.Errorf("invalid --batch-size argument %s\nsort: minimum --batch-size argument is %s", builtins.QuoteLocale(v), builtins.QuoteLocale("2"))
		}
		return err
	})
	f.Func("compress-program", "compress temporary files with `PROG`; there are none", func(v string) error {
		if o.compressSet && o.compress != v {
			return errors.New("multiple compress programs specified")
		}
		o.compress, o.compressSet = v, true
		return nil
	})
	f.String(&o.randomSource, "random-source", "get random bytes from `FILE`")
	f.Bool(&s.stable, "s,stable", "leave lines with equal keys in their order")
	f.Func("S", "use `SIZE` of memory before temporary files; there are none", sortSize("-S"))
	f.Func("buffer-size", "the same as -S: use `SIZE` of memory", sortSize("--buffer-size"))
	f.Func("t,field-separator", "`SEP` separates fields, not the change from a non-blank to a blank", func(v string) error {
		switch {
		case v == "":
			return errors.New("empty tab")
		case v == `\0`:
			v = "\x00"
		case len(v) > 1:
			return fmt.Errorf("multi-character tab %s", builtins.QuoteLocale(v))
		}
		if o.tabSet && o.tab != v {
			return errors.New("incompatible tabs")
		}
		o.tab, o.tabSet = v, true
		return nil
	})
	f.Func("T,temporary-directory", "write temporary files to `DIR`; there are none", func(string) error { return nil })
	f.Bool(&s.unique, "u,unique", "print one of several equal lines; with -c, check that there are none")
	f.Bool(&o.zero, "z,zero-terminated", "lines end with NUL, not newline")
}

// sortSize returns what checks the size of a buffer.
func sortSize(option string) func(string) error {
	return func(v string) error {
		_, err := sortNumber(option, v, "EgGkKmMPtTYZb%")
		return err
	}
}

// sortNumber parses the number that is the argument of an option, which may have
// one of the suffixes.
func sortNumber(option, v, suffixes string) (uint64, error) {
	digits := strings.TrimPrefix(v, "+")
	digits = digits[:len(digits)-len(strings.TrimLeft(digits, "0123456789"))]
	_, suffix, _ := strings.Cut(v, digits)
	switch n, err := parseSize(digits, ""); {
	case err == errOverflow:
		return n, fmt.Errorf("%s argument %s too large", option, builtins.Quote(v))
	case err != nil:
		return n, fmt.Errorf("invalid %s argument %s", option, builtins.Quote(v))
	case len(suffix) > 1 || suffix != "" && !strings.Contains(suffixes, suffix):
		return n, fmt.Errorf("invalid suffix in %s argument %s", option, builtins.Quote(v))
	default:
		return n, nil
	}
}

// finish makes the options those of s.
func (o *sortOptions) finish(c *builtins.Call, s *sorter) error {
	s.delim = delimiter(o.zero)
	s.reverse = o.global.reverse
	if o.tabSet {
		s.tab = int(o.tab[0])
	}
	for _, k := range s.keys {
		if k.sortOrder == (sortOrder{}) {
			k.sortOrder, k.kinds = o.global.sortOrder, o.global.kinds
		}
	}
	if len(s.keys) == 0 && !o.global.plain() {
		k := o.global
		k.endField = endOfLine
		s.keys = append(s.keys, &k)
	}
	random := false
	for _, k := range s.keys {
		if letters := k.conflict(); letters != "" {
			return fmt.Errorf("options '-%s' are incompatible", letters)
		}
		random = random || k.kind == 'R'
	}
	if !random {
		return nil
	}
	s.seed = make([]byte, 16)
	source := c.Rand
	if o.randomSource != "" {
		file, err := c.Open(o.randomSource)
		if err != nil {
			return errnoError(err, "open failed: %s", builtins.QuoteMaybe(o.randomSource))
		}
		defer file.Close()
		source = file
	}
	if _, err := io.ReadFull(source, s.seed); err != nil {
		return fmt.Errorf("%s: end of file", builtins.QuoteLocale(o.randomSource))
	}
	return nil
}

// run sorts or merges files.
func (o *sortOptions) run(c *builtins.Call, s *sorter, names []string) (err error) {
	for _, name := range names {
		if name == "-" {
			continue
		}
		f, err := c.FS.Open(name)
		if err != nil {
			return errnoError(err, "cannot read: %s", builtins.QuoteMaybe(name))
		}
		_ = f.Close()
	}
	out := newOutput(c)
	finish := func() (*output, error) { return out, nil }
	if o.outputSet {
		f, err := c.FS.OpenFile(o.output, vfs.O_WRONLY|vfs.O_CREATE, 0o666)
		if err != nil {
			return errnoError(err, "open failed: %s", builtins.QuoteMaybe(o.output))
		}
		defer f.Close()
		out.w, out.name = f, o.output
		finish = func() (*output, error) {
			if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
				return out, nil
			}
			if err := f.Truncate(0); err != nil {
				return nil, errnoError(err, "%s: error truncating", builtins.QuoteMaybe(o.output))
			}
			return out, nil
		}
	}
	defer out.close(&err)
	if !o.merge || o.outputSet && slices.Contains(names, o.output) {
		return s.sortAll(names, finish)
	}
	if out, err = finish(); err != nil {
		return err
	}
	return s.merge(names, out)
}

// sortNames reads the names of the files to sort, and returns how much memory
// they take.
func sortNames(c *builtins.Call, from string) (names []string, held int, err error) {
	in, err := openInput(c, from)
	if err != nil {
		return nil, 0, errnoError(err, "open failed: %s", builtins.QuoteMaybe(from))
	}
	defer in.close()
	names, held, err = readNames(c, in)
	if err != nil {
		return nil, held, readError(from, err)
	}
	for i, name := range names {
		switch {
		case name == "" && from != "-":
			return nil, held, fmt.Errorf("%s:%d: invalid zero-length file name", builtins.QuoteMaybe(from), i+1)
		case name == "":
			return nil, held, fmt.Errorf("-:%d: invalid zero-length file name", i+1)
		case name == "-" && from == "-":
			return nil, held, fmt.Errorf("when reading file names from stdin, no file name of %s allowed", builtins.Quote(name))
		}
	}
	if len(names) == 0 {
		return nil, held, fmt.Errorf("no input from %s", builtins.Quote(from))
	}
	return names, held, nil
}
