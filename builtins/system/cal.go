package system

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
)

var cal = commands.Add(&builtins.Command{
	Name:     "cal",
	Synopsis: "[-13jy] [-A MONTHS] [-B MONTHS] [-d YYYY-MM] [-m MONTH] [[MONTH] YEAR]",
	Summary:  "print a calendar",
	Trouble:  usageStatus,
	Run:      runCal,
})

// usageStatus is BSD's EX_USAGE.
const usageStatus builtins.Exit = 64

// A calendar is what cal prints: months, counted from the year 0.
type calendar struct {
	first, last int
	julian      bool // days are counted from the beginning of the year
}

// Columns of a month, and how many stand side by side.
func (c *calendar) width() int {
	if c.julian {
		return 29
	}
	return 22
}

func (c *calendar) across() int {
	if c.julian {
		return 2
	}
	return 3
}

func runCal(ctx context.Context, c *builtins.Call) error {
	k := &calendar{}
	now := localTime(c)
	year, month := now.Year(), int(now.Month())
	var one, three, whole bool
	before, after, named := 0, 0, ""
	f := c.Flags()
	f.Do("1", "print one month", func() error { one, three = true, false; return nil })
	f.Do("3", "print the month before and the one after too", func() error { three, one = true, false; return nil })
	f.Func("A", "print so many `MONTHS` after", months(&after))
	f.Func("B", "print so many `MONTHS` before", months(&before))
	f.Func("d", "take `YYYY-MM` for the current month", func(s string) error {
		y, m, ok := strings.Cut(s, "-")
		var err, other error
		year, err = strconv.Atoi(y)
		month, other = strconv.Atoi(m)
		if !ok || err != nil || other != nil || month < 1 || month > 12 {
			return builtins.Usage("invalid date %s", builtins.QuoteLocale(s))
		}
		return nil
	})
	f.Bool(&k.julian, "j", "number days from the beginning of the year")
	f.String(&named, "m", "print a `MONTH`: a name, or a number, of the next year with f and of the last with p")
	f.Bool(&whole, "y", "print a year")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if named != "" {
		if month, year, err = monthNamed(named, month, year); err != nil {
			return f.Fail(err)
		}
	}
	switch len(args) {
	case 0:
	case 1:
		whole = whole || named == ""
	case 2:
		if month, year, err = monthNamed(args[0], month, year); err != nil || named != "" {
			if err == nil {
				err = builtins.Usage("extra operand %s", builtins.QuoteLocale(args[1]))
			}
			return f.Fail(err)
		}
		whole = false
	default:
		return f.Fail(builtins.Usage("extra operand %s", builtins.QuoteLocale(args[2])))
	}
	if len(args) > 0 {
		if year, err = yearNamed(args[len(args)-1]); err != nil {
			return f.Fail(err)
		}
		for letter, given := range map[string]bool{"1": one, "3": three} {
			if given && whole && len(args) == 1 {
				return f.Fail(fmt.Errorf("-%s together with a given year but no given month is not supported.", letter))
			}
		}
	}
	k.first = year*12 + month - 1
	switch {
	case whole:
		k.first = year * 12
		k.last = k.first + 11
	case three:
		k.first, k.last = k.first-1, k.first+1
	default:
		k.first, k.last = k.first-before, k.first+after
	}
	if k.first < 0 || k.last-k.first > 12*9999 {
		return f.Fail(fmt.Errorf("year `%d' not in range 1..9999", k.first/12))
	}
	return k.print(c)
}

// months returns what parses a number of months.
func months(p *int) func(string) error {
	return func(s string) error {
		n, err := strconv.ParseUint(s, 10, 31)
		if err != nil {
			return builtins.Usage("invalid number of months: %s", builtins.QuoteLocale(s))
		}
		*p = int(n)
		return nil
	}
}

func yearNamed(s string) (int, error) {
	n, err := strconv.Atoi(s)
	switch {
	case err != nil:
		return 0, fmt.Errorf("not a valid year %s", s)
	case n < 1 || n > 9999:
		return 0, fmt.Errorf("year `%s' not in range 1..9999", s)
	}
	return n, nil
}

// monthNamed parses a month; f and p after a number mean the next and the last.
func monthNamed(s string, month, year int) (m, y int, err error) {
	digits := strings.TrimRight(s, "fp")
	if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= 12 && len(s)-len(digits) <= 1 {
		switch s[len(digits):] {
		case "f":
			if n <= month {
				year++
			}
		case "p":
			if n >= month {
				year--
			}
		}
		return n, year, nil
	}
	for m := time.January; m <= time.December; m++ {
		if name := m.String(); strings.EqualFold(s, name) || strings.EqualFold(s, name[:3]) {
			return int(m), year, nil
		}
	}
	return 0, 0, fmt.Errorf("%s is neither a month number (1..12) nor a name", s)
}

// print prints the months, some side by side.
func (k *calendar) print(c *builtins.Call) error {
	out := bufio.NewWriter(c.Stdout)
	across := k.across()
	headed := k.first%across == 0 && k.last%across == across-1
	for m := k.first; m <= k.last; m += across {
		if err := c.Poll(100); err != nil {
			return err
		}
		if m > k.first {
			out.WriteByte('\n')
		}
		if headed && (m == k.first || m%12 == 0) {
			pad := (across*k.width() - len(strconv.Itoa(m/12))) / 2
			fmt.Fprintf(out, "%*s%d\n", pad-headOffset(k), "", m/12)
		}
		row := min(across, k.last-m+1)
		var blocks [][]string
		for i := range row {
			blocks = append(blocks, k.month(m+i, !headed))
		}
		for line := range blocks[0] {
			for _, b := range blocks {
				out.WriteString(b[line])
			}
			out.WriteByte('\n')
		}
	}
	return out.Flush()
}

// headOffset is how far a year stands left of the middle.
func headOffset(k *calendar) int {
	if k.julian {
		return 2
	}
	return 3
}

// month returns the lines of a month.
func (k *calendar) month(m int, withYear bool) []string {
	width := k.width()
	title := time.Month(m%12 + 1).String()
	if withYear {
		title += " " + strconv.Itoa(m/12)
	}
	inner := width - 2
	left := (inner - len(title)) / 2
	lines := []string{fmt.Sprintf("%-*s", width, strings.Repeat(" ", left)+title)}
	cell := 2
	if k.julian {
		cell = 3
	}
	names := ""
	for _, d := range []string{"Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"} {
		names += fmt.Sprintf("%*s ", cell, d)
	}
	lines = append(lines, fmt.Sprintf("%-*s", width, names))
	year, number := m/12, m%12+1
	day, end := dayNumber(year, number, 1), dayNumber(year, number+1, 1)
	start := dayNumber(year, 1, 1)
	line := strings.Repeat(" ", (cell+1)*int((day+6)%7))
	for n := 1; day < end; day++ {
		shown := n
		if k.julian {
			shown = int(day-start) + 1
		}
		line += fmt.Sprintf("%*d ", cell, shown)
		if day%7 == 0 { // a Saturday
			lines, line = append(lines, fmt.Sprintf("%-*s", width, line)), ""
		}
		if n++; day == lastJulianDay {
			n = 14
		}
	}
	if line != "" {
		lines = append(lines, fmt.Sprintf("%-*s", width, line))
	}
	for len(lines) < 8 {
		lines = append(lines, strings.Repeat(" ", width))
	}
	return lines
}

// lastJulianDay is the number of 2 September 1752, after which Britain changed
// to the Gregorian calendar.
var lastJulianDay = julianDay(1752, 9, 2)

// dayNumber counts days from a Saturday long ago; a month may be the thirteenth.
func dayNumber(year, month, day int) int64 {
	if month > 12 {
		year, month = year+1, month-12
	}
	if year > 1752 || year == 1752 && month > 9 {
		return gregorianDay(year, month, day)
	}
	return julianDay(year, month, day)
}

// civilDay counts the days of years that begin in March, without leap days of
// centuries.
func civilDay(year, month, day int) (n, y int64) {
	y = int64(year)
	if month <= 2 {
		y, month = y-1, month+12
	}
	return 365*y + y>>2 + int64((153*(month-3)+2)/5+day), y
}

func julianDay(year, month, day int) int64 {
	n, _ := civilDay(year, month, day)
	return n + 1
}

func gregorianDay(year, month, day int) int64 {
	n, y := civilDay(year, month, day)
	return n - y/100 + y/400 + 3
}
