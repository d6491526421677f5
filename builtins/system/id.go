package system

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var id = commands.Add(&builtins.Command{
	Name:     "id",
	Synopsis: "[OPTION]... [USER]...",
	Summary:  "print real and effective user and group IDs",
	Run:      runID,
})

// An idFormat is what id prints of a user.
type idFormat struct{ user, group, groups, name, real, zero bool }

func runID(ctx context.Context, c *builtins.Call) error {
	var o idFormat
	f := c.Flags()
	f.Do("a", "ignore, for compatibility with other versions", func() error { return nil })
	f.Do("Z,context", "print only the security context of the process", func() error {
		return errors.New("--context (-Z) works only on an SELinux-enabled kernel")
	})
	f.Bool(&o.group, "g,group", "print only the effective group ID")
	f.Bool(&o.groups, "G,groups", "print all group IDs")
	f.Bool(&o.name, "n,name", "print a name instead of a number, for -ugG")
	f.Bool(&o.real, "r,real", "print the real ID instead of the effective ID, with -ugG")
	f.Bool(&o.user, "u,user", "print only the effective user ID")
	f.Bool(&o.zero, "z,zero", "delimit entries with NUL characters, not whitespace")
	names, err := f.Parse()
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return f.Fail(err)
	}
	if len(names) == 0 {
		_, err := io.WriteString(c.Stdout, o.format(c, current(c), false))
		return err
	}
	for _, name := range names {
		u, ok := lookupUser(c, name)
		if !ok {
			c.Warnf("%s: no such user", builtins.QuoteLocale(name))
			continue
		}
		if _, err := io.WriteString(c.Stdout, o.format(c, u, len(names) > 1)); err != nil {
			return err
		}
	}
	return nil
}

func (o idFormat) check() error {
	only := 0
	for _, set := range []bool{o.user, o.group, o.groups} {
		if set {
			only++
		}
	}
	switch {
	case only > 1:
		return errors.New(`cannot print "only" of more than one choice`)
	case only == 0 && (o.name || o.real):
		return errors.New("cannot print only names or real IDs in default format")
	case only == 0 && o.zero:
		return errors.New("option --zero not permitted in default format")
	}
	return nil
}

// format returns what id prints of u; several says that u is one of several.
func (o idFormat) format(c *builtins.Call, u builtins.User, several bool) string {
	end, separator := "\n", " "
	if o.zero {
		end, separator = "\x00", "\x00"
	}
	switch {
	case o.user && o.name:
		return users(c).Show(u.UID) + end
	case o.user:
		return strconv.Itoa(u.UID) + end
	case o.group:
		return o.groupList(c, []int{u.GID}, separator) + end
	case o.groups && o.zero && several:
		return o.groupList(c, u.Groups, separator) + end + end
	case o.groups:
		return o.groupList(c, u.Groups, separator) + end
	}
	return describeUser(c, u) + end
}

func (o idFormat) groupList(c *builtins.Call, gids []int, separator string) string {
	table := groups(c)
	var list []string
	for _, gid := range gids {
		if o.name {
			list = append(list, table.Show(gid))
		} else {
			list = append(list, strconv.Itoa(gid))
		}
	}
	return strings.Join(list, separator)
}

// describeUser returns uid=0(root) gid=0(root) groups=0(root).
func describeUser(c *builtins.Call, u builtins.User) string {
	table := groups(c)
	show := func(id int, name string, ok bool) string {
		if ok {
			return strconv.Itoa(id) + "(" + name + ")"
		}
		return strconv.Itoa(id)
	}
	user, ok := users(c).Name(u.UID)
	text := "uid=" + show(u.UID, user, ok)
	group, ok := table.Name(u.GID)
	text += " gid=" + show(u.GID, group, ok) + " groups="
	for i, gid := range u.Groups {
		if i > 0 {
			text += ","
		}
		name, ok := table.Name(gid)
		text += show(gid, name, ok)
	}
	return text
}
