package system

import (
	"context"
	"fmt"

	"github.com/limpet-sh/limpet/builtins"
)

var groupsCommand = commands.Add(&builtins.Command{
	Name:     "groups",
	Synopsis: "[OPTION]... [USERNAME]...",
	Summary:  "print the groups a user is in",
	Run:      runGroups,
})

func runGroups(ctx context.Context, c *builtins.Call) error {
	f := c.Flags()
	names, err := f.Parse()
	if err != nil {
		return err
	}
	format := idFormat{groups: true, name: true}
	if len(names) == 0 {
		_, err := fmt.Fprintln(c.Stdout, format.groupList(c, current(c).Groups, " "))
		return err
	}
	for _, name := range names {
		u, ok := lookupUser(c, name)
		if !ok {
			c.Warnf("%s: no such user", builtins.QuoteLocale(name))
			continue
		}
		if _, err := fmt.Fprintf(c.Stdout, "%s : %s\n", name, format.groupList(c, u.Groups, " ")); err != nil {
			return err
		}
	}
	return nil
}
