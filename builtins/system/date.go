package system

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/dateparse"
	"github.com/limpet-sh/limpet/internal/strftime"
	"github.com/limpet-sh/limpet/internal/zone"
	"github.com/limpet-sh/limpet/vfs"
)

var date = commands.Add(&builtins.Command{
	Name:     "date",
	Synopsis: "[OPTION]... [+FORMAT]\n  or:  date [-u|--utc|--universal] [MMDDhhmm[[CC]YY][.ss]]",
	Summary:  "display the current time in the given FORMAT, or set the system date",
	Run:      runDate,
})

// The formats that options of date stand for.
const (
	dateDefault = "%a %b %e %H:%M:%S %Z %Y"
	dateEmail   = "%a, %d %b %Y %H:%M:%S %z"
)

var isoFormats = map[string]string{
	"hours": "%Y-%m-%dT%H%:z", "minutes": "%Y-%m-%dT%H:%M%:z", "date": "%Y-%m-%d",
	"seconds": "%Y-%m-%dT%H:%M:%S%:z", "ns": "%Y-%m-%dT%H:%M:%S,%N%:z",
}

var rfc3339Formats = map[string]string{
	"date": "%Y-%m-%d", "seconds": "%Y-%m-%d %H:%M:%S%:z", "ns": "%Y-%m-%d %H:%M:%S.%N%:z",
}

// A dateRequest is what the options of date ask for.
type dateRequest struct {
	text, batch, reference, set *string
	utc, resolution             bool
	format                      string
	formats                     int // how many options gave one
}

func runDate(ctx context.Context, c *builtins.Call) error {
	var d dateRequest
	f := c.Flags()
	d.declare(f)
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if err := d.check(); err != nil {
		return f.Fail(err)
	}
	if len(args) > 1 {
		return f.Fail(builtins.Usage("extra operand %s", builtins.QuoteLocale(args[1])))
	}
	if len(args) == 1 {
		if err := d.operand(args[0]); err != nil {
			return f.Fail(err)
		}
		args = args[strings.Count(args[0][:min(1, len(args[0]))], "+"):]
	}
	if d.format == "" && d.formats == 0 {
		d.format = dateDefault
		if d.resolution {
			d.format = "%s.%N"
		}
	}
	now := localTime(c)
	if d.utc {
		now = now.UTC()
	}
	return d.run(c, now, args)
}

// localTime returns the time in the zone of the script; that is UTC unless TZ
// says otherwise.
func localTime(c *builtins.Call) time.Time { return c.Clock.Now().In(zone.Load(c.Getenv("TZ"))) }

func (d *dateRequest) declare(f *builtins.Flags) {
	text := func(p **string, names, help string) {
		f.Func(names, help, func(s string) error { *p = &s; return nil })
	}
	text(&d.text, "d,date", "display time described by `STRING`, not 'now'")
	text(&d.batch, "f,file", "like --date; once for each line of `DATEFILE`")
	iso := "date"
	f.Optional("I,iso-8601", "output date/time in ISO 8601 format; `FMT` is date, hours, minutes, seconds or ns", func(s string, ok bool) error {
		if ok {
			if err := builtins.Choose(&iso, s, "iso-8601", []string{"hours", "minutes", "date", "seconds", "ns"}); err != nil {
				return err
			}
		}
		d.setFormat(isoFormats[iso])
		return nil
	})
	f.Do("resolution", "output the available resolution of timestamps", func() error { d.resolution = true; return nil })
	f.Do("R,rfc-email,rfc-822,rfc-2822", "output date and time in RFC 5322 format", func() error { d.setFormat(dateEmail); return nil })
	f.Func("rfc-3339", "output date/time in RFC 3339 format; `FMT` is date, seconds or ns", func(s string) error {
		choice := ""
		if err := builtins.Choose(&choice, s, "rfc-3339", []string{"date", "seconds", "ns"}); err != nil {
			return err
		}
		d.setFormat(rfc3339Formats[choice])
		return nil
	})
	text(&d.reference, "r,reference", "display the last modification time of `FILE`")
	text(&d.set, "s,set", "set time described by `STRING`")
	f.Bool(&d.utc, "u,utc,universal,uct", "print or set Coordinated Universal Time (UTC)")
}

func (d *dateRequest) setFormat(format string) {
	d.format = format
	d.formats++
}

func (d *dateRequest) check() error {
	if d.formats > 1 {
		return errors.New("multiple output formats specified")
	}
	sources := 0
	for _, set := range []bool{d.text != nil, d.batch != nil, d.reference != nil, d.resolution} {
		if set {
			sources++
		}
	}
	switch {
	case sources > 1:
		return builtins.Usage("the options to specify dates for printing are mutually exclusive")
	case d.set != nil && sources > 0:
		return builtins.Usage("the options to print and set the time may not be used together")
	}
	return nil
}

// operand takes the operand: a format, or the time to set.
func (d *dateRequest) operand(arg string) error {
	format, ok := strings.CutPrefix(arg, "+")
	switch {
	case ok && d.formats > 0:
		return errors.New("multiple output formats specified")
	case ok:
		d.setFormat(format)
	case d.text != nil || d.set != nil || d.batch != nil || d.reference != nil:
		return builtins.Usage("the argument %s lacks a leading '+';\n"+
			"when using an option to specify date(s), any non-option\n"+
			"argument must be a format string beginning with '+'", builtins.QuoteLocale(arg))
	}
	return nil
}

// run prints the times that d asks for.
func (d *dateRequest) run(c *builtins.Call, now time.Time, args []string) error {
	switch {
	case d.batch != nil:
		return d.file(c, now)
	case d.set != nil:
		t, ok := dateparse.Parse(*d.set, now)
		return d.refuse(c, t, *d.set, ok)
	case len(args) == 1:
		t, ok := posixTime(args[0], now)
		return d.refuse(c, t, args[0], ok)
	case d.text != nil:
		return d.print(c, c.Stdout, *d.text, now)
	case d.resolution:
		now = time.Unix(0, 1).UTC()
	case d.reference != nil:
		info, err := c.FS.Stat(*d.reference)
		if err != nil {
			return builtins.FileError(*d.reference, err)
		}
		now = info.ModTime().In(now.Location())
	}
	return d.show(c, c.Stdout, now)
}

// refuse says that the clock cannot be set, and prints what it would show.
func (d *dateRequest) refuse(c *builtins.Call, t time.Time, text string, ok bool) error {
	if !ok {
		return fmt.Errorf("invalid date %s", builtins.QuoteLocale(text))
	}
	c.Warnf("cannot set date: %w", vfs.EPERM)
	return d.show(c, c.Stdout, t)
}

// print prints the time that text describes.
func (d *dateRequest) print(c *builtins.Call, w io.Writer, text string, now time.Time) error {
	t, ok := dateparse.Parse(text, now)
	if !ok {
		return fmt.Errorf("invalid date %s", builtins.QuoteLocale(text))
	}
	return d.show(c, w, t)
}

func (d *dateRequest) show(c *builtins.Call, w io.Writer, t time.Time) error {
	held := 0
	format := strftime.Format{Date: true, Grow: func(n int) error { held += n; return c.Alloc(n) }}
	text, err := format.Append(nil, d.format, t)
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	c.Free(held)
	return err
}

// file prints the time of each line of a file.
func (d *dateRequest) file(c *builtins.Call, now time.Time) error {
	in := c.Stdin
	if *d.batch != "-" {
		f, err := c.Open(*d.batch)
		if err != nil {
			return builtins.FileError(*d.batch, err)
		}
		defer f.Close()
		in = f
	}
	lines := c.Lines(in, '\n')
	defer lines.Close()
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		text := string(bytes.TrimSuffix(line, []byte("\n")))
		if err := d.print(c, c.Stdout, text, now); err != nil {
			if c.Ends(err) {
				return err
			}
			c.Warn(err)
		}
	}
}

// posixTime reads MMDDhhmm[[CC]YY][.ss].
func posixTime(text string, now time.Time) (time.Time, bool) {
	digits, seconds, dotted := strings.Cut(text, ".")
	if strings.Trim(digits+seconds, "0123456789") != "" || dotted && len(seconds) != 2 {
		return now, false
	}
	pair := func(s string) int { return int(s[0]-'0')*10 + int(s[1]-'0') }
	year := now.Year()
	switch len(digits) {
	case 8:
	case 10:
		if year = pair(digits[8:]) + 1900; year < 1969 {
			year += 100
		}
	case 12:
		year = pair(digits[8:])*100 + pair(digits[10:])
	default:
		return now, false
	}
	second := 0
	if dotted {
		second = pair(seconds)
	}
	month, day, hour, minute := pair(digits), pair(digits[2:]), pair(digits[4:]), pair(digits[6:])
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, now.Location())
	return t, int(t.Month()) == month && t.Day() == day && t.Hour() == hour && t.Minute() == minute && t.Second() == second
}
