// Package data implements the commands for tables and marked-up text.
package data

import "github.com/limpet-sh/limpet/builtins"

var commands builtins.Set

// Commands returns the commands of this package.
func Commands() []*builtins.Command { return commands.Commands() }
