package search

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An rgColor is how one kind of output is shown.
type rgColor struct {
	fg, bg                   string // a sequence without its escape, or a number of rgColorNames
	bold, intense, underline bool
}

// rgColors are the colors of rg.
type rgColors struct{ path, line, column, match rgColor }

func defaultRgColors() rgColors {
	return rgColors{path: rgColor{fg: "magenta"}, line: rgColor{fg: "green"}, match: rgColor{fg: "red", bold: true}}
}

// rgColorNames are the names of colors, by their numbers.
var rgColorNames = []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}

// set applies a SPEC of --colors.
func (c *rgColors) set(spec string) error {
	parts := strings.Split(spec, ":")
	targets := map[string]*rgColor{"path": &c.path, "line": &c.line, "column": &c.column, "match": &c.match}
	if len(parts) < 2 || len(parts) > 3 {
		return rgColorForm(spec)
	}
	target := targets[strings.ToLower(parts[0])]
	if target == nil {
		return fmt.Errorf("unrecognized output type '%s'. Choose from: path, line, column, match.", parts[0])
	}
	kind := strings.ToLower(parts[1])
	switch {
	case kind == "none" && len(parts) == 2:
		*target = rgColor{}
		return nil
	case kind != "fg" && kind != "bg" && kind != "style":
		return fmt.Errorf("unrecognized spec type '%s'. Choose from: fg, bg, style, none.", parts[1])
	case len(parts) != 3:
		return rgColorForm(spec)
	case kind == "style":
		return target.style(parts[2])
	}
	color, err := parseRgColor(parts[2])
	if kind == "fg" {
		target.fg = color
	} else {
		target.bg = color
	}
	return err
}

func rgColorForm(spec string) error {
	return fmt.Errorf("invalid color spec format: '%s'. Valid format is '(path|line|column|match):(fg|bg|style):(value)'.", spec)
}

func (c *rgColor) style(name string) error {
	lower := strings.ToLower(name)
	on := !strings.HasPrefix(lower, "no")
	switch strings.TrimPrefix(lower, "no") {
	case "bold":
		c.bold = on
	case "intense":
		c.intense = on
	case "underline":
		c.underline = on
	default:
		return fmt.Errorf("unrecognized style attribute '%s'. Choose from: nobold, bold, nointense, intense, nounderline, underline.", name)
	}
	return nil
}

// parseRgColor returns the name of a color, or its numbers separated by semicolons.
func parseRgColor(s string) (string, error) {
	if slices.Contains(rgColorNames, strings.ToLower(s)) {
		return strings.ToLower(s), nil
	}
	parts := strings.Split(s, ",")
	numbers := make([]string, len(parts))
	for i, part := range parts {
		n, err := parseColorNumber(part)
		if err != nil || len(parts) != 1 && len(parts) != 3 {
			switch {
			case len(parts) > 1:
				return "", fmt.Errorf("unrecognized RGB color triple, should be '[0-255],[0-255],[0-255]' (or a hex triple), but is '%s'", s)
			case s != "" && strings.Trim(s, "0123456789abcdefABCDEFx") == "" && s[0] >= '0' && s[0] <= '9':
				return "", fmt.Errorf("unrecognized ansi256 color number, should be '[0-255]' (or a hex number), but is '%s'", s)
			}
			return "", fmt.Errorf("unrecognized color name '%s'. Choose from: black, blue, green, red, cyan, magenta, yellow, white", s)
		}
		numbers[i] = strconv.FormatUint(n, 10)
	}
	return strings.Join(numbers, ";"), nil
}

func parseColorNumber(s string) (uint64, error) {
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		return strconv.ParseUint(hex, 16, 8)
	}
	return strconv.ParseUint(s, 10, 8)
}

// sequence returns the color in the form that grepColors has, which is without
// the first "\x1b[" and the last "m".
func (c *rgColor) sequence() string {
	codes := []string{"0"}
	if c.bold {
		codes = append(codes, "1")
	}
	if c.underline {
		codes = append(codes, "4")
	}
	color := func(value string, simple, extended int) {
		i := slices.Index(rgColorNames, value)
		switch {
		case value == "":
		case i < 0 && strings.Contains(value, ";"):
			codes = append(codes, fmt.Sprintf("%d;2;%s", extended, value))
		case i < 0:
			codes = append(codes, fmt.Sprintf("%d;5;%s", extended, value))
		case c.intense:
			codes = append(codes, fmt.Sprintf("%d;5;%d", extended, i+8))
		default:
			codes = append(codes, strconv.Itoa(simple+i))
		}
	}
	color(c.fg, 30, 38)
	color(c.bg, 40, 48)
	return strings.Join(codes, "m\x1b[")
}

// sequences returns the colors in the form that grep has them; the column has the
// place of lines, which have no color.
func (c *rgColors) sequences() grepColors {
	return grepColors{on: true, match: c.match.sequence(), file: c.path.sequence(), number: c.line.sequence(), line: c.column.sequence(), offset: "0",
		reset: "0", noErase: true}
}
