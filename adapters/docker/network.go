package docker

import "github.com/limpet-sh/limpet/netpolicy"

// isAll reports whether a policy allows everything.
func isAll(netpolicy.Policy) bool { return false }
