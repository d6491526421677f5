// Package docker is the sandbox that is a container of a Docker engine.
//
// The container has a root that is read-only, no capabilities, no new privileges, no
// network unless it is allowed, limits of memory, processors and processes, and runs
// commands as a user that is not root. On an engine of this machine /workspace is a
// directory of the user's cache, and elsewhere it is in the memory of the container.
// Both go with the sandbox; what an owner that was killed has left, [Reap] removes.
package docker

import (
	"io"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/netpolicy"
)

// DefaultImage is the image where none is given.
const DefaultImage = "python:3.12-bookworm"

// A Config describes a sandbox. Every field may be left zero.
type Config struct {
	// Image is what the container is made of: it needs a sh, grep and setsid, and bash
	// for scripts of bash. Empty means DefaultImage. One that the engine does not have
	// is pulled.
	Image string

	// Progress gets lines about that. Nil means that nobody is told.
	Progress io.Writer

	// Host is the address of the engine, such as unix:///var/run/docker.sock. Empty
	// means what DOCKER_HOST says, or else the current context of the docker command.
	// An address that begins with tcp:// is reached with the certificates of the
	// directory DOCKER_CERT_PATH, if that is set.
	Host string

	// SupportsBackgroundProcesses says that the image can run processes in the
	// background. DefaultImage can; another one is not asked unless this is set.
	SupportsBackgroundProcesses bool

	// Network is what can be reached. None is nothing at all, and All is everything, the
	// host and private addresses included. Under any other policy, All with bindings
	// among them, the container reaches a proxy in a container beside it and nothing
	// else; that lets HTTP and HTTPS through where the policy does, and adds what is
	// bound. Rules for tcp and ports of the loopback interface are refused.
	Network netpolicy.Policy

	// Proxy is the file of a static limpet for the system of the engine, which is that
	// proxy. Empty means the limpet in PATH.
	Proxy string

	// Env are variables that scripts get besides those of the image.
	Env map[string]string

	// Secrets are variables like those of Env, whose values the tools keep from models;
	// see [limpet.SecretsOf].
	Secrets map[string]string

	// Timeout bounds each script. Zero means ten minutes.
	Timeout time.Duration

	// MaxOutput is how many bytes a script may print. Zero means the default of
	// package limits. It has to fit into Scratch.
	MaxOutput int64

	Memory    int64   // bytes; zero means 2 GiB, and less than zero no limit
	CPUs      float64 // zero means 2, and less than zero no limit
	Processes int64   // zero means 512, and less than zero no limit
	Scratch   int64   // bytes of /tmp, of the home directory, and of output that was not read yet, each; zero means 1 GiB

	// WritableRoot lets scripts write to what they may of the image.
	WritableRoot bool

	// Lifecycle is what happens when the sandbox is made and when it is closed.
	Lifecycle limpet.Lifecycle

	// Access is how much of the sandbox the tools give to a model. Zero is all.
	Access limpet.Access
}

// Paths in the container.
const (
	workspace = "/workspace"
	control   = "/run/limpet" // of the supervisor
	home      = "/home/limpet"
)

// defaults returns c with what zero means.
func (c Config) defaults() Config {
	if c.Image == "" {
		c.Image, c.SupportsBackgroundProcesses = DefaultImage, true
	}
	if c.Memory == 0 {
		c.Memory = 2 << 30
	}
	if c.CPUs == 0 {
		c.CPUs = 2
	}
	if c.Processes == 0 {
		c.Processes = 512
	}
	if c.Scratch == 0 {
		c.Scratch = 1 << 30
	}
	return c
}
