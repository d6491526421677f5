// Package network implements the commands that reach the network: curl, wget and
// the tools that look names up. They reach what the [builtins.Call]'s Net allows,
// and have no other way.
package network

import (
	"errors"
	"fmt"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/netpolicy"
)

var commands builtins.Set

// Commands returns the commands of this package.
func Commands() []*builtins.Command { return commands.Commands() }

// denied returns what to say of a refusal of the policy, and whether err is one.
func denied(err error) (string, bool) {
	d, ok := errors.AsType[*netpolicy.DeniedError](err)
	if !ok {
		return "", false
	}
	text := fmt.Sprintf("%v: %s", netpolicy.ErrDenied, d.Reason)
	if d.Hint != "" {
		text += " (" + d.Hint + ")"
	}
	return text, true
}
