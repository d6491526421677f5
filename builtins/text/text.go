// Package text implements the commands that read and write lines of text.
package text

import "github.com/limpet-sh/limpet/builtins"

var commands builtins.Set

// Commands returns the commands of this package.
func Commands() []*builtins.Command { return commands.Commands() }
