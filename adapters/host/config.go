// Package host is the sandbox that is none: scripts run as processes of this host,
// with the rights of its user, as tools of a developer's own machine do.
//
// It refuses to be made unless the variable ALLOW_DANGEROUS_LOCAL_HOST of this
// process is 1. On Linux the first sandbox makes this process a subreaper, so that
// what a script leaves behind can be found and ended with it.
package host

import (
	"errors"
	"io"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/netpolicy"
)

// OptInName and OptInValue are the variable of the environment that allows the
// sandbox.
const (
	OptInName  = "ALLOW_DANGEROUS_LOCAL_HOST"
	OptInValue = "1"
)

// ErrNotAllowed is what [New] fails with where the host has not opted in.
var ErrNotAllowed = errors.New("DangerousLocalSandbox runs commands on the host without any isolation: set " +
	OptInName + "=" + OptInValue + " to allow it")

// A Config describes a sandbox. Every field may be left zero.
type Config struct {
	// Shell is what scripts are for: bash or sh. Empty means bash. There are no
	// sessions with sh.
	Shell string

	// Workspace is the absolute path of the directory that scripts start in, which is
	// made where there is none, and kept. Empty means a new one in the user's cache,
	// which is deleted in the end.
	Workspace string

	// Cleanup says otherwise.
	Cleanup Cleanup

	// Env are variables that scripts get besides PATH, HOME, USER and their like,
	// which it may replace.
	Env map[string]string

	// Secrets are variables like those of Env, whose values the tools keep from models;
	// see [limpet.SecretsOf].
	Secrets map[string]string

	// InheritEnv gives the environment of this process to scripts, with all secrets
	// in it. Otherwise they get a clean one, with a HOME of their own.
	InheritEnv bool

	// Timeout bounds each script. Zero means ten minutes.
	Timeout time.Duration

	// MaxOutput is how many bytes a script may print. Zero means the default of
	// package limits.
	MaxOutput int64

	// Network must be nil: no policy can be enforced here.
	Network *netpolicy.Policy

	// Lifecycle is what happens when the sandbox is made and when it is closed.
	Lifecycle limpet.Lifecycle

	// Access is how much of the sandbox the tools give to a model. Zero is all.
	Access limpet.Access

	// Warnings gets the warning that there is no isolation. Nil means standard
	// error.
	Warnings io.Writer
}

// A Cleanup says what becomes of the workspace when the sandbox is closed.
type Cleanup uint8

// What becomes of it.
const (
	CleanupOwn Cleanup = iota // it is deleted where the sandbox has made it in the cache
	CleanupAll                // it is deleted
	CleanupNone
)
