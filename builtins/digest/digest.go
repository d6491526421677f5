// Package digest implements the commands that show data in another form: check
// sums, base64 and its relatives, and dumps.
package digest

import "github.com/limpet-sh/limpet/builtins"

var commands builtins.Set

// Commands returns the commands of this package.
func Commands() []*builtins.Command { return commands.Commands() }
