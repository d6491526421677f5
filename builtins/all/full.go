//go:build !slim

package all

import (
	"slices"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/builtins/network"
	"github.com/limpet-sh/limpet/builtins/sqlite"
)

// optional returns what slim leaves out.
func optional() []*builtins.Command { return slices.Concat(network.Commands(), sqlite.Commands()) }
