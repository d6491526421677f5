package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
)

var _ = commands.Add(&builtins.Command{
	Name:     "nl",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "number lines of files",
	Run:      runNl,
})

// The sections of a page.
const (
	nlHeader = iota
	nlBody
	nlFooter
	nlSections
)

// An nlStyle says which lines of a section get numbers.
type nlStyle struct {
	kind  byte // a, t, n or p
	regex *regex.Matcher
}

// A numberer numbers lines.
type numberer struct {
	call      *builtins.Call
	out       *output
	styles    [nlSections]nlStyle
	section   int
	delims    [nlSections]string // the lines that begin sections
	increment int64
	start     int64
	next      int64
	overflow  bool
	join      int64 // how many empty lines count as one
	blank     int64 // empty lines up to here
	keep      bool  // numbers go on after a page begins
	format    string
	separator string
	width     int
}

func runNl(ctx context.Context, c *builtins.Call) (err error) {
	n := numberer{call: c, start: 1, increment: 1, join: 1, format: "rn", separator: "\t", width: 6, section: nlBody}
	n.styles = [nlSections]nlStyle{{kind: 'n'}, {kind: 't'}, {kind: 'n'}}
	delim, bad := `\:`, false
	f := c.Flags()
	style := func(section int, names, what string) {
		f.Func(names, "number the lines of the "+what+" by `STYLE`: a for all, t for those not empty, n for none, pBRE for those that match", func(s string) error {
			err := n.style(section, s)
			if err == errStyle {
				c.Warnf("invalid %s numbering style: %s", what, builtins.QuoteLocale(s))
				bad, err = true, nil
			}
			return err
		})
	}
	number := func(p *int64, names, what, help string, least, most int64) {
		f.Func(names, help, func(s string) (err error) {
			*p, err = signedOption(s, least, most, what)
			return err
		})
	}
	style(nlBody, "b,body-numbering", "body")
	f.String(&delim, "d,section-delimiter", "`CC` stands for logical page delimiters, not \\:")
	style(nlFooter, "f,footer-numbering", "footer")
	style(nlHeader, "h,header-numbering", "header")
	number(&n.increment, "i,line-increment", "invalid line number increment", "add `N` for each line", math.MinInt64, math.MaxInt64)
	number(&n.join, "l,join-blank-lines", "invalid line number of blank lines", "count `N` empty lines as one", 1, math.MaxInt64)
	f.Func("n,number-format", "print numbers as `FORMAT` says: ln left, rn right, rz right with zeros", func(s string) error {
		if s != "ln" && s != "rn" && s != "rz" {
			c.Warnf("invalid line numbering format: %s", builtins.QuoteLocale(s))
			bad = true
		}
		n.format = s
		return nil
	})
	f.Bool(&n.keep, "p,no-renumber", "go on numbering when a page begins")
	f.String(&n.separator, "s,number-separator", "print `STRING` after numbers")
	number(&n.start, "v,starting-line-number", "invalid starting line number", "begin each page with `N`", math.MinInt64, math.MaxInt64)
	var width int64 = 6
	number(&width, "w,number-width", "invalid line number field width", "use `N` columns for numbers", 1, math.MaxInt32)
	files, err := f.Parse()
	if err != nil {
		return err
	}
	if bad {
		fmt.Fprintf(c.Stderr, "Try '%s --help' for more information.\n", c.Name)
		return builtins.Exit(1)
	}
	n.width, n.next = int(width), n.start
	n.setDelimiters(delim)
	n.out = newOutput(c)
	defer n.out.close(&err)
	defer n.close()
	if err := c.Alloc(n.width + len(n.separator)); err != nil {
		return err
	}
	defer c.Free(n.width + len(n.separator))
	return c.EachInput(files, func(name string, r io.Reader) error {
		return eachLine(c, r, '\n', n.line)
	})
}

// signedOption parses the value of an option as GNU's xdectoimax does.
func signedOption(s string, least, most int64, what string) (int64, error) {
	digits := strings.TrimLeft(s, " \t\n\v\f\r")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err == nil && (n < least || n > most) {
		err = errRange
		if n > math.MaxInt32/2 {
			err = errOverflow
		} else if n < math.MinInt32/2 {
			err = errOverflow
		}
	} else if errors.Is(err, strconv.ErrRange) {
		err = errOverflow
	}
	switch err {
	case nil:
		return n, nil
	case errRange, errOverflow:
		return 0, fmt.Errorf("%s: %s: %w", what, builtins.QuoteLocale(s), err)
	}
	return 0, fmt.Errorf("%s: %s", what, builtins.QuoteLocale(s))
}

// errStyle is the mistake of a style that there is not.
var errStyle = errors.New("no such style")

// style sets the style of a section.
func (n *numberer) style(section int, s string) error {
	switch {
	case s == "a" || s == "t" || s == "n":
		n.styles[section] = nlStyle{kind: s[0]}
	case strings.HasPrefix(s, "p"):
		re, err := regex.Compile(s[1:], regex.Basic, 0)
		if err != nil {
			return err
		}
		n.styles[section] = nlStyle{'p', re.Matcher(n.call)}
	default:
		return errStyle
	}
	return nil
}

func (n *numberer) close() {
	for _, s := range n.styles {
		if s.regex != nil {
			s.regex.Close()
		}
	}
}

func (n *numberer) setDelimiters(delim string) {
	if len(delim) == 1 {
		delim += ":"
	}
	for i := range n.delims {
		n.delims[i] = strings.Repeat(delim, nlSections-i)
	}
}

// line prints a line.
func (n *numberer) line(line []byte) error {
	text, _ := bytes.CutSuffix(line, newline)
	if len(text) > 0 || n.delims[0] == "" {
		for section, delim := range n.delims {
			if delim != "" && string(text) == delim {
				n.section = section
				if !n.keep {
					n.next, n.overflow = n.start, false
				}
				n.out.buf = append(n.out.buf, '\n')
				return n.out.spill()
			}
		}
	}
	numbered, err := n.numbered(text)
	if err != nil {
		return err
	}
	if numbered {
		if err := n.number(); err != nil {
			return err
		}
	} else {
		n.pad(n.width + len(n.separator))
	}
	n.out.buf = append(append(n.out.buf, text...), '\n')
	return n.out.spill()
}

// numbered reports whether a line gets a number.
func (n *numberer) numbered(text []byte) (bool, error) {
	switch s := n.styles[n.section]; s.kind {
	case 'a':
		if n.join <= 1 || len(text) > 0 {
			n.blank = 0
			return true, nil
		}
		n.blank++
		if n.blank == n.join {
			n.blank = 0
			return true, nil
		}
	case 't':
		return len(text) > 0, nil
	case 'p':
		return s.regex.Match(text), s.regex.Err()
	}
	return false, nil
}

// number prints the next number.
func (n *numberer) number() error {
	if n.overflow {
		return n.out.fatal("line number overflow")
	}
	var b [20]byte
	digits := strconv.AppendInt(b[:0], n.next, 10)
	pad := n.width - len(digits)
	switch n.format {
	case "rn":
		n.pad(pad)
	case "rz":
		if digits[0] == '-' {
			n.out.buf = append(n.out.buf, '-')
			digits = digits[1:]
		}
		for range pad {
			n.out.buf = append(n.out.buf, '0')
		}
	}
	n.out.buf = append(n.out.buf, digits...)
	if n.format == "ln" {
		n.pad(pad)
	}
	n.out.buf = append(n.out.buf, n.separator...)
	sum := n.next + n.increment
	n.overflow = (sum < n.next) != (n.increment < 0)
	n.next = sum
	return nil
}

func (n *numberer) pad(width int) {
	for range width {
		n.out.buf = append(n.out.buf, ' ')
	}
}
