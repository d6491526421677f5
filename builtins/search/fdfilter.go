package search

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/account"
	"github.com/limpet-sh/limpet/vfs"
)

// An fdFilter decides about a file by its status.
type fdFilter func(info fs.FileInfo) bool

// declareFilters declares the options about the status of files.
func (d *finder) declareFilters(f *builtins.Flags) {
	add := func(filter fdFilter) { d.filters = append(d.filters, filter) }
	f.Func("S,size", "only show files of a `SIZE`, as in +10k or -1Mi", func(s string) error {
		filter, ok := parseFdSize(s)
		if !ok {
			return fdValue(s, "size <size>", "'%s' is not a valid size constraint. See 'fd --help'.", s)
		}
		add(filter)
		return nil
	})
	when := func(names, help string, later bool) {
		f.Func(names, help, func(s string) error {
			limit, ok := d.parseWhen(s)
			if !ok && d.badDate == "" {
				d.badDate = s
			}
			add(func(info fs.FileInfo) bool {
				if later {
					return info.ModTime().After(limit)
				}
				return info.ModTime().Before(limit)
			})
			return nil
		})
	}
	when("changed-within,change-newer-than,newer,changed-after", "only show files modified after `DATE`, or in that time, as in 2weeks", true)
	when("changed-before,change-older-than,older", "only show files modified before `DATE`, or that long ago", false)
	f.Func("o,owner", "only show files of `USER:GROUP`, either of which may be missing or have a ! before it", func(s string) error {
		filter, err := d.parseOwner(s)
		if err == nil && filter != nil {
			add(filter)
		}
		return err
	})
}

// fdValue is the error of a bad value of an option.
func fdValue(value, option, format string, args ...any) error {
	return builtins.Usage("Invalid value '%s' for '--%s': %s", value, option, fmt.Sprintf(format, args...))
}

// parseFdSize returns the filter for a size such as +10k.
func parseFdSize(s string) (fdFilter, bool) {
	rest := strings.TrimLeft(s, "+-")
	if len(s)-len(rest) > 1 {
		return nil, false
	}
	unit := strings.ToLower(strings.TrimLeft(rest, "0123456789"))
	n, err := strconv.ParseInt(rest[:len(rest)-len(unit)], 10, 64)
	scale, ok := map[string]int64{
		"b": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40,
	}[unit]
	if err != nil || !ok {
		return nil, false
	}
	n *= scale
	return func(info fs.FileInfo) bool {
		switch size := info.Size(); {
		case !info.Mode().IsRegular():
			return false
		case s[0] == '+':
			return size >= n
		case s[0] == '-':
			return size <= n
		default:
			return size == n
		}
	}, true
}

// fdUnits are the units of durations.
var fdUnits = map[string]time.Duration{
	"ns": 1, "nsec": 1, "us": time.Microsecond, "usec": time.Microsecond, "ms": time.Millisecond, "msec": time.Millisecond,
	"s": time.Second, "sec": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour, "w": 168 * time.Hour, "week": 168 * time.Hour, "weeks": 168 * time.Hour,
	"M": 2630016 * time.Second, "month": 2630016 * time.Second, "months": 2630016 * time.Second,
	"y": 31557600 * time.Second, "year": 31557600 * time.Second, "years": 31557600 * time.Second,
}

// parseWhen returns the time that is a duration ago, or a date.
func (d *finder) parseWhen(s string) (time.Time, bool) {
	if ago, ok := parseAgo(s); ok {
		return d.Clock.Now().Add(-ago), true
	}
	for _, form := range []string{time.RFC3339, time.DateOnly, time.DateTime} {
		if t, err := time.ParseInLocation(form, s, d.Clock.Now().Location()); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// parseAgo parses a duration such as 1h 30min.
func parseAgo(s string) (total time.Duration, ok bool) {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		rest := strings.TrimLeft(s, "0123456789")
		n, err := strconv.ParseInt(s[:len(s)-len(rest)], 10, 32)
		if err != nil {
			return 0, false
		}
		rest = strings.TrimLeft(rest, " ")
		end := strings.IndexFunc(rest, func(r rune) bool { return r == ' ' || r >= '0' && r <= '9' })
		if end < 0 {
			end = len(rest)
		}
		unit, known := fdUnits[rest[:end]]
		if !known {
			return 0, false
		}
		total += time.Duration(n) * unit
		s, ok = rest[end:], true
	}
	return total, ok
}

// parseOwner returns the filter for an owner, a group or both.
func (d *finder) parseOwner(s string) (fdFilter, error) {
	user, group, _ := strings.Cut(s, ":")
	if strings.Count(s, ":") > 1 {
		return nil, fdValue(s, "owner <user:group>", "more than one ':' present in owner string '%s'. See 'fd --help'.", s)
	}
	uid, notUser, err := ownerID(s, user, "user", account.Users(d.FS).ID)
	if err != nil {
		return nil, err
	}
	gid, notGroup, err := ownerID(s, group, "group", account.Groups(d.FS).ID)
	if err != nil || uid < 0 && gid < 0 {
		return nil, err
	}
	return func(info fs.FileInfo) bool {
		st := vfs.StatOf(info)
		return (uid < 0 || (st.UID == uid) != notUser) && (gid < 0 || (st.GID == gid) != notGroup)
	}, nil
}

// ownerID returns the number that name stands for, -1 for none, and whether it is
// the one to leave out.
func ownerID(s, name, what string, find func(string) (int, bool)) (id int, not bool, err error) {
	name, not = strings.CutPrefix(name, "!")
	if name == "" {
		return -1, not, nil
	}
	if n, err := strconv.ParseUint(name, 10, 31); err == nil {
		return int(n), not, nil
	}
	id, ok := find(name)
	if !ok {
		return 0, not, fdValue(s, "owner <user:group>", "'%s' is not a recognized %s name", name, what)
	}
	return id, not, nil
}
