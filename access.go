package limpet

import (
	"errors"
	"fmt"
)

// An Access is how much of a sandbox the tools give to a model. The host itself,
// hooks and setup scripts have all of it.
type Access uint8

// The levels. Only bash opens connections: with the lower ones a network policy
// concerns hooks and setup scripts alone.
const (
	AccessFull  Access = iota // files, bash, processes
	AccessFiles               // reading and writing files
	AccessNone                // nothing
)

var accessNames = [...]string{AccessFull: "full", AccessFiles: "files", AccessNone: "none"}

// String returns the name of a: full, files or none.
func (a Access) String() string {
	if int(a) < len(accessNames) {
		return accessNames[a]
	}
	return fmt.Sprintf("Access(%d)", uint8(a))
}

// ParseAccess returns the level that is called name.
func ParseAccess(name string) (Access, error) {
	for a, n := range accessNames {
		if n == name {
			return Access(a), nil
		}
	}
	return AccessNone, fmt.Errorf("unknown access %q: want full, files or none", name)
}

// A Restricter is a sandbox that has an access level.
type Restricter interface{ Access() Access }

// AccessOf returns the access level of s, which is full where it says nothing.
func AccessOf(s Sandbox) Access {
	if r, ok := s.(Restricter); ok {
		return r.Access()
	}
	return AccessFull
}

// Access returns that of the configuration.
func (sh *Shell) Access() Access { return sh.cfg.Access }

// ErrNoSandbox is what [None] fails with. It matches [errors.ErrUnsupported].
var ErrNoSandbox error = noSandboxError{}

type noSandboxError struct{}

// Error says how to get a sandbox.
func (noSandboxError) Error() string {
	return "no sandbox: this agent has no shell and no files; give it a sandbox, such as limpet.New(limpet.Config{})"
}

// Is reports whether the error matches target.
func (noSandboxError) Is(target error) bool { return target == errors.ErrUnsupported }
