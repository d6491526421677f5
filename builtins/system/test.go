package system

import (
	"context"
	"io/fs"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/condition"
)

var testCommand = commands.Add(&builtins.Command{
	Name:     "test",
	Synopsis: "EXPRESSION",
	Summary:  "check file types and compare values",
	Trouble:  2,
	Run: func(ctx context.Context, c *builtins.Call) error {
		return evaluate(c, condition.Test)
	},
})

var bracket = commands.Add(&builtins.Command{
	Name:     "[",
	Synopsis: "EXPRESSION ]",
	Summary:  "check file types and compare values",
	Trouble:  2,
	Run: func(ctx context.Context, c *builtins.Call) error {
		return evaluate(c, condition.Bracket)
	},
})

func evaluate(c *builtins.Call, test func(condition.Env, []string) (bool, error)) error {
	if c.FS == nil || c.Name == "[" && len(c.Args) == 1 && (c.Args[0] == "--help" || c.Args[0] == "--version") {
		_, err := c.Flags().Parse() // the options are asked for, of which there are none, or one of those that all have is given
		return err
	}
	ok, err := test(files{c}, c.Args)
	if err != nil {
		return err
	}
	if !ok {
		return builtins.Exit(1)
	}
	return nil
}

// files answers conditions for a command, which has no variables and options of
// a shell to tell of.
type files struct{ call *builtins.Call }

func (f files) Stat(name string) (fs.FileInfo, error)  { return f.call.FS.Stat(name) }
func (f files) Lstat(name string) (fs.FileInfo, error) { return f.call.FS.Lstat(name) }
func (f files) VarSet(string) bool                     { return false }
func (f files) RefSet(string) bool                     { return false }
func (f files) OptSet(string) bool                     { return false }
func (f files) IDs() (uid, gid int)                    { return f.call.User.UID, f.call.User.GID }

func (f files) IsTerminal(descriptor int) bool {
	switch descriptor {
	case 0:
		return builtins.Interactive(f.call.Stdin)
	case 1:
		return builtins.Interactive(f.call.Stdout)
	case 2:
		return builtins.Interactive(f.call.Stderr)
	}
	return false
}

func (f files) Access(name string, mode condition.Access) bool {
	info, err := f.call.FS.Stat(name)
	return err == nil && f.call.User.May(info, fs.FileMode(mode))
}
