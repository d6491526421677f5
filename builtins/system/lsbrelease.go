package system

import (
	"context"
	"fmt"

	"github.com/limpet-sh/limpet/builtins"
)

var lsbRelease = commands.Add(&builtins.Command{
	Name:     "lsb_release",
	Synopsis: "[options]",
	Summary:  "print distribution-specific information",
	Run:      runLSBRelease,
})

func runLSBRelease(ctx context.Context, c *builtins.Call) error {
	rows := []struct{ names, title, value, help string }{
		{"i,id", "Distributor ID", "Debian", "show distributor ID"},
		{"d,description", "Description", "Debian GNU/Linux 12 (bookworm)", "show description of this distribution"},
		{"r,release", "Release", "12", "show release number of this distribution"},
		{"c,codename", "Codename", "bookworm", "show code name of this distribution"},
	}
	var shown [4]bool
	var all, short bool
	f := c.Flags()
	f.Info("h", "")
	for i, row := range rows {
		f.Bool(&shown[i], row.names, row.help)
	}
	f.Bool(&all, "a,all", "show all of the above information")
	f.Bool(&short, "s,short", "show requested information in short format")
	if err := noOperands(f); err != nil {
		return err
	}
	for i, row := range rows {
		if !shown[i] && !all {
			continue
		}
		text := row.title + ":\t" + row.value
		if short {
			text = row.value
		}
		if _, err := fmt.Fprintln(c.Stdout, text); err != nil {
			return err
		}
	}
	return nil
}
