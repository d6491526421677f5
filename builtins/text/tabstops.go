package text

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// tabStops is where the tabs of expand and unexpand lead to.
type tabStops struct {
	list  []uint64
	every uint64 // after the list: multiples of it
	step  uint64 // after the list: steps of it, from its last
}

// next returns the column of the next stop; ok is false after the last.
func (t *tabStops) next(column uint64) (stop uint64, ok bool) {
	if t.list == nil && t.step == 0 {
		return column + t.every - column%t.every, true
	}
	for _, stop := range t.list {
		if stop > column {
			return stop, true
		}
	}
	switch {
	case t.every > 0:
		return column + t.every - column%t.every, true
	case t.step > 0:
		last := uint64(0)
		if len(t.list) > 0 {
			last = t.list[len(t.list)-1]
		}
		return column + t.step - (column-last)%t.step, true
	}
	return 0, false
}

// add adds the stops of an argument of -t.
func (t *tabStops) add(s string) error {
	for s != "" {
		if s[0] == ',' || isBlank(s[0]) {
			s = s[1:]
			continue
		}
		kind := s[0]
		if kind == '/' || kind == '+' {
			s = s[1:]
		}
		digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
		s = s[len(digits):]
		switch {
		case digits == "" && (kind == '/' || kind == '+') && s == "":
			return nil
		case s != "" && (s[0] == '/' || s[0] == '+'):
			return fmt.Errorf("'%c' specifier not at start of number: %s", s[0], builtins.QuoteLocale(s))
		case s != "" && s[0] != ',' && !isBlank(s[0]):
			return fmt.Errorf("tab size contains invalid character(s): %s", builtins.QuoteLocale(s))
		}
		n, err := parseSize(digits, "")
		if err != nil || n >= math.MaxInt64 {
			return fmt.Errorf("tab stop is too large %s", builtins.QuoteLocale(digits))
		}
		if err := t.addStop(kind, n); err != nil {
			return err
		}
	}
	return nil
}

func (t *tabStops) addStop(kind byte, n uint64) error {
	switch kind {
	case '/':
		if t.every > 0 {
			return errors.New("'/' specifier only allowed with the last value")
		}
		t.every = n
	case '+':
		if t.step > 0 {
			return errors.New("'+' specifier only allowed with the last value")
		}
		t.step = n
	default:
		if t.every > 0 || t.step > 0 {
			other := byte('/')
			if t.step > 0 {
				other = '+'
			}
			return fmt.Errorf("'%c' specifier only allowed with the last value", other)
		}
		t.list = append(t.list, n)
	}
	return nil
}

// finish checks the stops, and makes a single one the size of all.
func (t *tabStops) finish() error {
	for i, stop := range t.list {
		if stop == 0 {
			return errors.New("tab size cannot be 0")
		}
		if i > 0 && stop <= t.list[i-1] {
			return errors.New("tab sizes must be ascending")
		}
	}
	switch {
	case t.every > 0 && t.step > 0:
		return errors.New("'/' specifier is mutually exclusive with '+'")
	case len(t.list) == 0 && t.every == 0 && t.step == 0:
		t.every = 8
	case len(t.list) == 1 && t.every == 0 && t.step == 0:
		t.every, t.list = t.list[0], nil
	}
	return nil
}
