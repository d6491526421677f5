// Package system implements the commands that tell of, and change, the
// circumstances in which a script runs: its environment, user, processes,
// clock and host.
package system

import "github.com/limpet-sh/limpet/builtins"

var commands builtins.Set

// Commands returns the commands of this package.
func Commands() []*builtins.Command { return commands.Commands() }
