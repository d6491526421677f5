package system

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/limpet-sh/limpet/builtins"
)

var logname = commands.Add(&builtins.Command{
	Name:    "logname",
	Summary: "print the name of the current user",
	Run: func(ctx context.Context, c *builtins.Call) error {
		if err := noOperands(c.Flags()); err != nil {
			return err
		}
		return errors.New("no login name") // nobody logs in
	},
})

var usersCommand = commands.Add(&builtins.Command{
	Name:     "users",
	Synopsis: "[OPTION]...",
	Summary:  "print the user names of users currently logged in to the current host",
	Run: func(ctx context.Context, c *builtins.Call) error {
		return noOperands(c.Flags())
	},
})

var who = commands.Add(&builtins.Command{
	Name:     "who",
	Synopsis: "[OPTION]...",
	Summary:  "print information about users who are currently logged in",
	Run: func(ctx context.Context, c *builtins.Call) error {
		var heading, count bool
		f := c.Flags()
		f.Bool(&heading, "H,heading", "print line of column headings")
		f.Do("m", "only hostname and user associated with stdin", func() error { return nil })
		f.Bool(&count, "q,count", "all login names and number of users logged on")
		f.Do("s,short", "print only name, line, and time (default)", func() error { return nil })
		f.Do("u,users", "list users logged in", func() error { return nil })
		if _, err := f.Parse(); err != nil {
			return err
		}
		text := ""
		if heading {
			text = "NAME     LINE         TIME             COMMENT\n"
		}
		if count {
			text = "\n# users=0\n"
		}
		_, err := fmt.Fprint(c.Stdout, text)
		return err
	},
})

var uptime = commands.Add(&builtins.Command{
	Name:     "uptime",
	Synopsis: "[options]",
	Summary:  "tell how long the system has been running",
	Run: func(ctx context.Context, c *builtins.Call) error {
		var pretty, since bool
		f := c.Flags()
		f.Info("h", "V")
		f.Bool(&pretty, "p,pretty", "show uptime in pretty format")
		f.Bool(&since, "s,since", "system up since")
		if err := noOperands(f); err != nil {
			return err
		}
		now := localTime(c)
		start := bootTime(c, now)
		up := now.Sub(start)
		text := ""
		switch {
		case pretty:
			text = "up " + prettyDuration(up)
		case since:
			text = start.Format("2006-01-02 15:04:05")
		default:
			text = fmt.Sprintf(" %s up %s,  0 user,  load average: 0.00, 0.00, 0.00", now.Format("15:04:05"), shortDuration(up))
		}
		_, err := fmt.Fprintln(c.Stdout, text)
		return err
	},
})

// bootTime returns when the first process began.
func bootTime(c *builtins.Call, now time.Time) time.Time {
	start := now
	for _, p := range c.Processes.List() {
		if !p.Start.IsZero() && p.Start.Before(start) {
			start = p.Start.In(now.Location())
		}
	}
	return start
}

func shortDuration(d time.Duration) string {
	days, hours, minutes := int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60
	text := ""
	if days > 0 {
		text = fmt.Sprintf("%d %s, ", days, plural("day", days))
	}
	if hours > 0 {
		return text + fmt.Sprintf("%2d:%02d", hours, minutes)
	}
	return text + fmt.Sprintf("%d min", minutes)
}

func prettyDuration(d time.Duration) string {
	text := ""
	for _, part := range []struct {
		n    int
		name string
	}{
		{int(d.Hours()) / 24 / 7, "week"}, {int(d.Hours()) / 24 % 7, "day"}, {int(d.Hours()) % 24, "hour"}, {int(d.Minutes()) % 60, "minute"},
	} {
		if part.n > 0 {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("%d %s", part.n, plural(part.name, part.n))
		}
	}
	if text == "" {
		return "0 minutes"
	}
	return text
}

func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
