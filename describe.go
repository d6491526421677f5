package limpet

import (
	"maps"
	"slices"
)

// Describe says what the shell is.
func (sh *Shell) Describe() Description {
	d := Description{
		Kind: "shell", Where: "in a Bash interpreter over a virtual file system: there is no operating system below it",
		Network: sh.cfg.Network.String(),
	}
	if table, err := sh.cfg.table(); err == nil {
		d.Commands = slices.Sorted(maps.Keys(table))
	}
	for name, value := range sh.cfg.Limits.All() {
		d.Limits = append(d.Limits, NamedCap{name, value})
	}
	return d
}
