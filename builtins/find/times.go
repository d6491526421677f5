package find

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/dateparse"
	"github.com/limpet-sh/limpet/vfs"
)

// times are the predicates about the times of files.
var times = map[string]predicate{
	"-atime":  age(accessed, day),
	"-ctime":  age(changed, day),
	"-mtime":  age(modified, day),
	"-amin":   age(accessed, time.Minute),
	"-cmin":   age(changed, time.Minute),
	"-mmin":   age(modified, time.Minute),
	"-newer":  newer(modified),
	"-anewer": newer(accessed),
	"-cnewer": newer(changed),
	"-used":   {parse: parseUsed},
}

const day = 24 * time.Hour

func accessed(info fs.FileInfo) time.Time { return vfs.StatOf(info).Atime }
func changed(info fs.FileInfo) time.Time  { return vfs.StatOf(info).Ctime }
func modified(info fs.FileInfo) time.Time { return info.ModTime() }
func born(info fs.FileInfo) time.Time     { return vfs.StatOf(info).Birth }

// interval parses n, +n or -n, where n may have a fraction, as that many units.
func interval(arg string, unit time.Duration) (sign byte, d time.Duration, ok bool) {
	digits := arg
	if arg != "" && (arg[0] == '+' || arg[0] == '-') {
		sign, digits = arg[0], arg[1:]
	}
	n, ok := parseReal(digits)
	if most := float64(1<<62) / float64(unit); n > most {
		n = most
	}
	return sign, time.Duration(n * float64(unit)), ok
}

// age returns a predicate about how long ago a time of the file was, in units
// of which fractions do not count.
func age(of func(fs.FileInfo) time.Time, unit time.Duration) predicate {
	return predicate{parse: func(p *parser, name string) (test, error) {
		arg, err := p.arg(name)
		if err != nil {
			return nil, err
		}
		sign, d, ok := interval(arg, unit)
		if !ok {
			return nil, badArg(name, arg)
		}
		origin := p.dayStart
		switch {
		case unit != day:
			origin = origin.Add(day)
		case sign == '-':
			origin = origin.Add(day - time.Second)
		}
		at := origin.Add(-d)
		return p.infoTest(func(info fs.FileInfo) bool {
			t := of(info)
			switch sign {
			case '+':
				return t.Before(at)
			case '-':
				return t.After(at)
			}
			return t.After(at) && !t.After(at.Add(unit))
		}), nil
	}}
}

// newer returns a predicate that compares a time with when another file was
// modified.
func newer(of func(fs.FileInfo) time.Time) predicate {
	return predicate{parse: func(p *parser, name string) (test, error) {
		ref, err := p.reference(name)
		if err != nil {
			return nil, err
		}
		return p.infoTest(func(info fs.FileInfo) bool { return of(info).After(ref.ModTime()) }), nil
	}}
}

// timeLetters are the letters of -newerXY.
var timeLetters = map[byte]func(fs.FileInfo) time.Time{'a': accessed, 'B': born, 'c': changed, 'm': modified}

// parseNewerXY parses -newerXY, which compares the time X of files with the time
// Y of a reference, or with the date that it is where Y is t.
func parseNewerXY(p *parser, name string) (test, error) {
	x, y := timeLetters[name[6]], timeLetters[name[7]]
	if x == nil || y == nil && name[7] != 't' {
		return nil, fmt.Errorf("invalid predicate `%s'", name)
	}
	var at time.Time
	if y == nil {
		arg, err := p.arg(name)
		if err != nil {
			return nil, err
		}
		parsed, ok := dateparse.Parse(arg, p.now.In(p.zone))
		if !ok {
			return nil, fmt.Errorf("I cannot figure out how to interpret %s as a date or time", builtins.QuoteLocale(arg))
		}
		at = parsed
	} else {
		ref, err := p.reference(name)
		if err != nil {
			return nil, err
		}
		at = y(ref)
	}
	return p.infoTest(func(info fs.FileInfo) bool {
		t := x(info)
		return !t.IsZero() && t.After(at)
	}), nil
}

// parseUsed parses -used, about how many days after its last change a file was
// read.
func parseUsed(p *parser, name string) (test, error) {
	arg, err := p.arg(name)
	if err != nil {
		return nil, err
	}
	sign, d, ok := interval(arg, day)
	if !ok {
		return nil, fmt.Errorf("Invalid argument %s to -used", arg)
	}
	return p.infoTest(func(info fs.FileInfo) bool {
		used := accessed(info).Sub(changed(info))
		switch {
		case used < 0:
			return false
		case sign == '+':
			return used >= d+day
		case sign == '-':
			return used < d
		}
		return used >= d && used < d+day
	}), nil
}
