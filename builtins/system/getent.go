package system

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var getent = commands.Add(&builtins.Command{
	Name:     "getent",
	Synopsis: "database [key ...]",
	Summary:  "get entries from administrative database",
	Run:      runGetent,
})

// unfound is the status of getent where a key is not in the database.
const unfound builtins.Exit = 2

func runGetent(ctx context.Context, c *builtins.Call) error {
	f := c.Flags()
	f.Info("?", "V")
	f.Hint = "Try `getent --help' or `getent --usage' for more information.\n"
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return f.Fail(builtins.Usage("wrong number of arguments"))
	}
	var lines []entry
	switch args[0] {
	case "passwd", "group", "shadow", "services", "protocols":
		lines = colonEntries(c, "/etc/"+args[0])
	case "hosts", "ahosts":
		for _, h := range hosts(c) {
			lines = append(lines, entry{append(h.names, h.address), fmt.Sprintf("%-15s %s", h.address, strings.Join(h.names, " "))})
		}
	default:
		fmt.Fprintf(c.Stderr, "Unknown database: %s\n", args[0])
		if _, err := io.WriteString(c.Stdout, f.Hint); err != nil {
			return err
		}
		return builtins.Exit(1)
	}
	return printEntries(c, lines, args[1:])
}

// An entry is a line of a database, with the keys that find it.
type entry struct {
	keys []string
	text string
}

// colonEntries reads a file of fields that colons separate; name and number
// are keys.
func colonEntries(c *builtins.Call, file string) []entry {
	var list []entry
	data, _ := vfs.ReadFile(c.FS, file)
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		fields := strings.Split(line, ":")
		if line == "" || line[0] == '#' || len(fields) < 3 {
			continue
		}
		list = append(list, entry{[]string{fields[0], fields[2]}, line})
	}
	return list
}

// printEntries prints the entries of the keys, or all of them.
func printEntries(c *builtins.Call, list []entry, keys []string) error {
	var err error
	if len(keys) == 0 {
		for _, e := range list {
			if _, err := io.WriteString(c.Stdout, e.text+"\n"); err != nil {
				return err
			}
		}
		return nil
	}
	for _, key := range keys {
		found := false
		for _, e := range list {
			for _, k := range e.keys {
				found = found || k == key
			}
			if found {
				if _, err := io.WriteString(c.Stdout, e.text+"\n"); err != nil {
					return err
				}
				break
			}
		}
		if !found {
			err = unfound
		}
	}
	return err
}
