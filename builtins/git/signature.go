package git

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/dateparse"
	"github.com/limpet-sh/limpet/internal/zone"
)

// A signature says who did something, and when.
type signature struct {
	name, email string
	when        time.Time
}

// String returns the signature as objects have it.
func (s signature) String() string {
	return fmt.Sprintf("%s <%s> %d %s", s.name, s.email, s.when.Unix(), s.when.Format("-0700"))
}

// parseSignature parses a signature of an object.
func parseSignature(text string) signature {
	var s signature
	open, end := strings.IndexByte(text, '<'), strings.LastIndexByte(text, '>')
	if open < 0 || end < open {
		s.name = text
		return s
	}
	s.name, s.email = strings.TrimSpace(text[:open]), text[open+1:end]
	if t, ok := rawTime(strings.TrimSpace(text[end+1:])); ok {
		s.when = t
	}
	return s
}

// rawTime parses seconds since the epoch and a time zone: "1700000000 +0100".
func rawTime(text string) (time.Time, bool) {
	seconds, offset, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(strings.TrimPrefix(seconds, "@"), 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	return time.Unix(n, 0).In(zoneOf(offset)), true
}

// zoneOf returns the time zone that text such as +0130 names.
func zoneOf(text string) *time.Location {
	n, err := strconv.Atoi(text)
	if err != nil || n == 0 {
		return time.UTC
	}
	return time.FixedZone("", (n/100*60+n%100)*60)
}

// now returns the time, in the sandbox's time zone.
func (g *git) now() time.Time {
	return g.Clock.Now().In(zone.Load(g.Getenv("TZ")))
}

// parseDate returns the time that an option or a variable of the environment
// names.
func (g *git) parseDate(text string) (time.Time, bool) {
	text = strings.TrimSpace(text)
	if fields := strings.Fields(text); len(fields) > 0 && len(fields) <= 2 {
		digits := strings.TrimPrefix(fields[0], "@")
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil && (n >= 100000000 || digits != fields[0]) {
			if len(fields) == 2 {
				return rawTime(text)
			}
			return time.Unix(n, 0).In(g.now().Location()), true
		}
	}
	local := g.now().Location()
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 -07:00", time.RFC1123Z,
		"Mon, 2 Jan 2006 15:04:05 -0700", "Mon Jan 2 15:04:05 2006 -0700",
	} {
		if t, err := time.Parse(layout, text); err == nil {
			_, offset := t.Zone()
			return t.In(time.FixedZone("", offset)), true
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04", "Mon Jan 2 15:04:05 2006"} {
		if t, err := time.ParseInLocation(layout, text, local); err == nil {
			return t, true
		}
	}
	words := strings.ReplaceAll(text, ".", " ")
	if strings.Count(text, ".") == 0 {
		words = text
	}
	return dateparse.Parse(words, g.now())
}

// author returns who a commit is by.
func (g *git) author() (signature, error) { return g.identity("AUTHOR", "author", "Author") }

// committer returns who commits.
func (g *git) committer() (signature, error) {
	return g.identity("COMMITTER", "committer", "Committer")
}

// identity returns who acts in a role, by the environment or the configuration.
func (g *git) identity(role, section, title string) (signature, error) {
	s := signature{when: g.now()}
	var ok bool
	if s.name = g.Getenv("GIT_" + role + "_NAME"); s.name == "" {
		if s.name, ok = g.config(section + ".name"); !ok {
			s.name, _ = g.config("user.name")
		}
	}
	if s.email, ok = g.Env.Lookup("GIT_" + role + "_EMAIL"); !ok {
		if s.email, ok = g.config(section + ".email"); !ok {
			if s.email, ok = g.config("user.email"); !ok {
				s.email, ok = g.Env.Lookup("EMAIL")
			}
		}
	}
	if !ok || s.name == "" {
		fmt.Fprintf(g.Stderr, "%s identity unknown\n\n*** Please tell me who you are.\n\nRun\n\n"+
			"  git config --global user.email \"you@example.com\"\n  git config --global user.name \"Your Name\"\n\n"+
			"to set your account's default identity.\nOmit --global to set the identity only in this repository.\n\n", title)
		if !ok {
			return s, fatalf("unable to auto-detect email address (got '%s@%s.(none)')", g.User.Name, g.Host)
		}
		return s, fatalf("empty ident name (for <%s>) not allowed", s.email)
	}
	if text := g.Getenv("GIT_" + role + "_DATE"); text != "" {
		if s.when, ok = g.parseDate(text); !ok {
			return s, fatalf("invalid date format: %s", text)
		}
	}
	s.name = cleanName(s.name)
	s.email = cleanName(s.email)
	return s, nil
}

// cleanName takes from a name what would confuse readers of objects.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '<' || r == '>' || r == '\n' {
			return -1
		}
		return r
	}, name)
	return strings.Trim(name, " .,:;<>\"\\'\t")
}

// formatDate returns a time in one of git's formats.
func (g *git) formatDate(t time.Time, format string) string {
	local := false
	if base, ok := strings.CutSuffix(format, "-local"); ok {
		t, format, local = t.In(g.now().Location()), base, true
	}
	if format == "local" {
		t, format, local = t.In(g.now().Location()), "default", true
	}
	switch format {
	case "iso", "iso8601":
		return t.Format("2006-01-02 15:04:05 -0700")
	case "iso-strict", "iso8601-strict":
		if _, offset := t.Zone(); offset == 0 {
			return t.Format("2006-01-02T15:04:05+00:00")
		}
		return t.Format("2006-01-02T15:04:05-07:00")
	case "rfc", "rfc2822":
		return t.Format("Mon, 2 Jan 2006 15:04:05 -0700")
	case "short":
		return t.Format("2006-01-02")
	case "unix":
		return strconv.FormatInt(t.Unix(), 10)
	case "raw":
		return fmt.Sprintf("%d %s", t.Unix(), t.Format("-0700"))
	case "relative":
		return relative(g.now(), t)
	case "human":
		return t.Format("Jan 2 2006")
	}
	if pattern, ok := strings.CutPrefix(format, "format:"); ok {
		return g.strftime(pattern, t)
	}
	if local {
		return t.Format("Mon Jan 2 15:04:05 2006")
	}
	return t.Format("Mon Jan 2 15:04:05 2006 -0700")
}

// relative says how long ago a time was.
func relative(now, t time.Time) string {
	seconds := int64(now.Sub(t) / time.Second)
	if seconds < 0 {
		return "in the future"
	}
	say := func(n int64, unit string) string {
		if n != 1 {
			unit += "s"
		}
		return fmt.Sprintf("%d %s ago", n, unit)
	}
	if seconds < 90 {
		return say(seconds, "second")
	}
	minutes := (seconds + 30) / 60
	if minutes < 90 {
		return say(minutes, "minute")
	}
	hours := (minutes + 30) / 60
	if hours < 36 {
		return say(hours, "hour")
	}
	days := (hours + 12) / 24
	switch {
	case days < 14:
		return say(days, "day")
	case days < 70:
		return say((days+3)/7, "week")
	case days < 365:
		return say((days+15)/30, "month")
	case days < 1825:
		months := (days*12*2 + 365) / (365 * 2)
		years := "1 year"
		if months/12 != 1 {
			years = fmt.Sprintf("%d years", months/12)
		}
		if months%12 == 0 {
			return years + " ago"
		}
		return years + ", " + say(months%12, "month")
	}
	return say((days+183)/365, "year")
}
