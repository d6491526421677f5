package docker

import (
	"reflect"

	"github.com/limpet-sh/limpet/netpolicy"
)

// isNone reports whether a policy denies everything.
func isNone(p netpolicy.Policy) bool { return reflect.DeepEqual(p, netpolicy.None()) }

// isAll reports whether a policy allows everything, and adds nothing to it.
func isAll(p netpolicy.Policy) bool { return reflect.DeepEqual(p, netpolicy.All()) }
