//go:build slim

package all

import "github.com/limpet-sh/limpet/builtins"

func optional() []*builtins.Command { return nil }
