package text

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "pr",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "make pages or columns of files",
	Run:      runPr,
})

// The lines of a page besides its body.
const (
	prHeaderLines = 5
	prFooterLines = 5
)

// A paginator is one run of pr.
type paginator struct {
	call *builtins.Call
	out  *output

	first, last  uint64 // pages to print
	columns      int
	columnsSet   bool
	across       bool
	merge        bool
	double       bool
	formFeed     bool // between pages, instead of empty lines
	header       string
	headerSet    bool
	dateFormat   string
	join         bool // whole lines, without alignment
	pageLines    int
	bodyLines    int
	margin       int
	bare         bool // no headers and footers
	keepFeeds    bool // of the input, where bare
	quiet        bool // about files that cannot be opened
	width        int
	truncate     bool
	separator    string
	separatorSet bool
	expandTab    int // of the input; 0 for not at all
	expandChar   byte
	outputTab    int // of what is printed
	outputChar   byte
	control      byte // how to show control characters: c, v or 0
	number       bool
	numberDigits int
	numberSep    byte
	startNumber  int64
	nextNumber   int64
	oldSeparator bool // -s without -w
	tabify       bool
	columnWidth  int
	numberWidth  int
	page         uint64
	line         prLine
	headerText   [2]string // the date and the title
}

func runPr(ctx context.Context, c *builtins.Call) (err error) {
	p := paginator{
		call: c, first: 1, last: math.MaxUint64, columns: 1, pageLines: 66, width: 72,
		dateFormat: "%Y-%m-%d %H:%M", numberDigits: 5, numberSep: '\t', startNumber: 1,
		outputTab: tabWidth, outputChar: '\t',
	}
	f := c.Flags()
	p.flags(f)
	args, err := f.Parse()
	if err != nil {
		return err
	}
	var files []string
	for _, arg := range args {
		if strings.HasPrefix(arg, "+") && p.pages(arg[1:]) {
			continue
		}
		files = append(files, arg)
	}
	if err := p.layout(len(files)); err != nil {
		return f.Fail(err)
	}
	p.out = newOutput(c)
	p.line.pr = &p
	defer p.out.close(&err)
	if p.merge && len(files) > 0 {
		return p.mergeFiles(files)
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		if err := p.file(name); err != nil {
			return err
		}
	}
	return nil
}

// flags declares the options.
func (p *paginator) flags(f *builtins.Flags) {
	number := func(target *int, names, letter, what, help string, least uint64) {
		f.Func(names, help, func(v string) error {
			n, err := numberOption(v, "", least, math.MaxInt32/2, letter+" "+what)
			*target = int(n)
			return err
		})
	}
	f.Func("pages", "print only the pages `FIRST[:LAST]`", func(v string) error {
		if !p.pages(v) {
			return fmt.Errorf("invalid page range %s", builtins.QuoteLocale(v))
		}
		return nil
	})
	setColumns := func(v string) error {
		n, err := numberOption(v, "", 1, math.MaxInt32/2, "invalid number of columns")
		p.columns, p.columnsSet = int(n), true
		return err
	}
	f.Func("columns", "make `N` columns", setColumns)
	digits := ""
	f.Number = func(v string) error { digits += v; return setColumns(digits) }
	f.Bool(&p.across, "a,across", "fill rows before columns")
	f.Do("c,show-control-chars", "show control characters as ^X and \\nnn", func() error { p.control = 'c'; return nil })
	f.Bool(&p.double, "d,double-space", "put an empty line after each line")
	f.String(&p.dateFormat, "D,date-format", "print the date in this `FORMAT` of date")
	f.Optional("e,expand-tabs", "make spaces of tabs; `CHAR` and width may follow", func(v string, ok bool) error {
		p.expandChar, p.expandTab = '\t', 8
		return p.charAndNumber(v, "-e", &p.expandChar, &p.expandTab)
	})
	f.Bool(&p.formFeed, "F,f,form-feed", "separate pages with form feeds")
	f.Func("h,header", "print `HEADER` instead of the name of the file", func(v string) error { p.header, p.headerSet = v, true; return nil })
	f.Optional("i,output-tabs", "make tabs of spaces; `CHAR` and width may follow", func(v string, ok bool) error {
		p.tabify = true
		return p.charAndNumber(v, "-i", &p.outputChar, &p.outputTab)
	})
	f.Bool(&p.join, "J,join-lines", "print whole lines in columns, without alignment")
	number(&p.pageLines, "l,length", "'-l PAGE_LENGTH'", "invalid number of lines", "make pages of `N` lines, not 66", 1)
	f.Bool(&p.merge, "m,merge", "print the files in columns next to each other")
	f.Optional("n,number-lines", "number lines; `SEP` and digits may follow", func(v string, ok bool) error {
		p.number = true
		return p.charAndNumber(v, "-n", &p.numberSep, &p.numberDigits)
	})
	f.Func("N,first-line-number", "begin with the number `N`", func(v string) (err error) {
		p.startNumber, err = signedOption(v, math.MinInt32, math.MaxInt32, "'-N NUMBER' invalid starting line number")
		return err
	})
	number(&p.margin, "o,indent", "'-o MARGIN'", "invalid line offset", "indent lines by `MARGIN` columns", 0)
	f.Bool(&p.quiet, "r,no-file-warnings", "do not warn of files that cannot be opened")
	f.Optional("s,separator", "separate columns with `CHAR`, a tab unless said", func(v string, ok bool) error {
		p.oldSeparator = true
		switch {
		case len(v) > 1:
			return fmt.Errorf("'-s CHAR' takes one character: %s", builtins.QuoteLocale(v))
		case ok && v != "":
			p.separator, p.separatorSet = v, true
		case !p.separatorSet:
			p.separator = "\t"
		}
		return nil
	})
	f.Optional("S,sep-string", "separate columns with `STRING`", func(v string, ok bool) error {
		p.separator, p.separatorSet = v, true
		p.oldSeparator = false
		return nil
	})
	f.Do("t,omit-header", "print no headers and footers", func() error { p.bare, p.keepFeeds = true, true; return nil })
	f.Do("T,omit-pagination", "print no headers and footers, and no form feeds", func() error { p.bare, p.keepFeeds = true, false; return nil })
	f.Do("v,show-nonprinting", "show what is not printable as \\nnn", func() error { p.control = 'v'; return nil })
	f.Func("w,width", "use pages of `WIDTH` columns, not 72, with more than one column", func(v string) error {
		n, err := numberOption(v, "", 1, math.MaxInt32/2, "'-w PAGE_WIDTH' invalid number of characters")
		if p.width = int(n); !p.truncate {
			p.oldSeparator = false
		}
		return err
	})
	f.Func("W,page-width", "use pages of `WIDTH` columns, and truncate lines", func(v string) error {
		n, err := numberOption(v, "", 1, math.MaxInt32/2, "'-W PAGE_WIDTH' invalid number of characters")
		p.width, p.truncate = int(n), true
		return err
	})
}

// charAndNumber parses an optional character and an optional number.
func (p *paginator) charAndNumber(v, option string, char *byte, number *int) error {
	if v != "" && !isDigit(v[0]) {
		*char, v = v[0], v[1:]
	}
	if v == "" {
		return nil
	}
	n, err := strconv.ParseUint(v, 10, 16)
	if err != nil || n == 0 {
		return builtins.Usage("'%s' extra characters or invalid number in the argument: %s", option, builtins.QuoteLocale(v))
	}
	*number = int(n)
	return nil
}

// pages parses a range of pages.
func (p *paginator) pages(v string) bool {
	from, to, both := strings.Cut(v, ":")
	first, err := parseSize(from, "")
	if err != nil || first == 0 {
		return false
	}
	last := uint64(math.MaxUint64)
	if both {
		if last, err = parseSize(to, ""); err != nil || last < first {
			return false
		}
	}
	p.first, p.last = first, last
	return true
}

// layout decides where what goes.
func (p *paginator) layout(files int) error {
	switch {
	case p.merge && p.columnsSet:
		return errors.New("cannot specify number of columns when printing in parallel")
	case p.merge && p.across:
		return errors.New("cannot specify both printing across and printing in parallel")
	}
	if p.merge && files > 0 {
		p.columns = files
	} else {
		p.merge = false
	}
	if p.pageLines <= prHeaderLines+prFooterLines {
		p.bare, p.keepFeeds = true, true
	}
	p.bodyLines = p.pageLines
	if !p.bare {
		p.bodyLines -= prHeaderLines + prFooterLines
	}
	if p.double {
		p.bodyLines = max(1, p.bodyLines/2)
	}
	if p.oldSeparator && p.columns > 1 && !p.truncate {
		p.join = true
	}
	if p.number {
		p.numberWidth = p.numberDigits + 1
		if p.numberSep == '\t' {
			p.numberWidth = p.numberDigits + 8 - p.numberDigits%8
		}
	}
	if p.columns > 1 {
		if !p.separatorSet && !p.oldSeparator {
			p.separator = " "
			if p.join {
				p.separator = "\t"
			}
		} else if !p.join && p.separator == "\t" {
			p.separator = " "
		}
		p.truncate = true
		if p.separator != "\t" && p.expandTab == 0 {
			p.expandTab, p.expandChar = 8, '\t'
		}
		p.tabify = true
	}
	if p.join {
		p.truncate = false
	}
	useful := p.width - (p.columns-1)*len(p.separator)
	if p.merge {
		useful -= p.numberWidth
	}
	if p.columnWidth = useful / p.columns; p.columnWidth < 1 {
		return errors.New("page width too narrow")
	}
	p.nextNumber = p.startNumber
	return p.call.Alloc(2*(p.margin+p.width) + p.pageLines) // a line is held until it is whole
}
