package limpet

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/netpolicy"
)

// Describe says what the shell is.
func (sh *Shell) Describe() Description {
	d := Description{
		Kind: "shell", Where: "in a Bash interpreter over a virtual file system: there is no operating system below it",
		Network: reach(sh.cfg.Network),
	}
	if table, err := sh.cfg.table(); err == nil {
		d.Commands = slices.Sorted(maps.Keys(table))
	}
	for name, value := range sh.cfg.Limits.All() {
		d.Limits = append(d.Limits, NamedCap{name, value})
	}
	return d
}

// reach says what a policy lets scripts reach.
func reach(p netpolicy.Policy) string {
	var list []string
	if p.Everything {
		list = append(list, "every public address")
	}
	for _, r := range p.Rules {
		host := r.Host
		if host == "" {
			host = r.CIDR.String()
		}
		text := cmp.Or(r.Scheme, "https") + "://" + host
		if r.Port != 0 {
			text += fmt.Sprintf(":%d", r.Port)
		}
		list = append(list, text+r.Path)
	}
	for _, port := range p.Loopback {
		list = append(list, fmt.Sprintf("localhost:%d", port))
	}
	if list == nil {
		return "nothing"
	}
	return strings.Join(list, ", ")
}
