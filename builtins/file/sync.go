package file

import (
	"context"
	"errors"
	"fmt"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "sync",
	Synopsis: "[OPTION] [FILE]...",
	Summary:  "synchronize cached writes to persistent storage",
	Run:      runSync,
})

func runSync(_ context.Context, c *builtins.Call) error {
	var data, system bool
	f := c.Flags()
	f.Bool(&data, "d,data", "sync only file data, no unneeded metadata")
	f.Bool(&system, "f,file-system", "sync the file systems that contain the files")
	names, err := f.Parse()
	switch {
	case err != nil:
		return err
	case data && system:
		return errors.New("cannot specify both --data and --file-system")
	case data && len(names) == 0:
		return errors.New("--data needs at least one argument")
	}
	for _, name := range names {
		if err := c.Poll(1); err != nil {
			return err
		}
		if err := syncFile(c, name); err != nil {
			c.Warn(err)
		}
	}
	return nil
}

func syncFile(c *builtins.Call, name string) error {
	file, err := c.FS.Open(name)
	if err != nil {
		return fmt.Errorf("error opening %s: %w", builtins.Quote(name), reason(err))
	}
	defer file.Close()
	if err := file.Sync(); err != nil {
		return fmt.Errorf("error syncing %s: %w", builtins.Quote(name), reason(err))
	}
	return nil
}
