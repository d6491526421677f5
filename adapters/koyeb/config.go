// Package koyeb is the sandbox that is a service of type SANDBOX on Koyeb: a machine of
// its own, elsewhere, which costs money for as long as it is there.
//
// The service is deleted when the sandbox is closed, and by Koyeb itself after its
// Lifetime, whatever happens; [Reap] deletes those whose owner was killed. Who has the
// token of the account can read the secret of every sandbox, and so can every script.
package koyeb

import (
	"net/http"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/netpolicy/proxy"
)

// DefaultImage is the image where none is given.
const DefaultImage = "koyeb/sandbox"

// Tokens are the variables of the environment that a token is looked for in.
var Tokens = [...]string{"KOYEB_API_KEY", "NUAGE_KOYEB_SANDBOX_API_TOKEN", "AGENTS_SDK_KOYEB_SANDBOX_API_TOKEN"}

// A Config describes a sandbox. The zero Config is refused: Network must say that
// everything can be reached.
type Config struct {
	// Token is that of the account. Empty means the first of Tokens that is set.
	Token string

	// API is the address of the control plane. Empty means KOYEB_API_HOST, or
	// else that of Koyeb.
	API string

	// Image must be public and have a sh, base64, grep and setsid, and bash for scripts of
	// bash. Empty means DefaultImage.
	Image string

	// SupportsBackgroundProcesses says that Image can run processes in the background.
	// DefaultImage can; another one is not asked unless this is set.
	SupportsBackgroundProcesses bool

	Instance string // the type of the machine; empty means medium
	Region   string // empty means KOYEB_REGION, or else na

	// IdleTimeout is how long nobody asks until the machine sleeps; it is awake again
	// with the next call, without what was in its memory. Zero means never.
	IdleTimeout time.Duration

	// Lifetime is when Koyeb deletes the service, whatever happens. Zero means a day.
	Lifetime time.Duration

	// DeleteAfterSleep is how long a machine that sleeps is kept. Zero means until the
	// Lifetime is over.
	DeleteAfterSleep time.Duration

	// Network must allow everything, as Koyeb has no way to enforce less. Its Bindings
	// are added by Proxy, which they need; programs that do not use the proxy go without
	// them.
	Network netpolicy.Policy

	// Proxy is where the machine finds a proxy for HTTP and HTTPS.
	Proxy Proxy

	Env     map[string]string // variables that scripts get
	Secrets map[string]string // variables of the service whose values are Koyeb's secrets of these names

	// Workspace is the directory that scripts start in, which is made. Empty means
	// /workspace.
	Workspace string

	Timeout   time.Duration // of each script; zero means ten minutes
	MaxOutput int64         // bytes that a script may print; zero means the default of package limits
	Ready     time.Duration // how long the machine may take to be ready; zero means five minutes
	Slack     time.Duration // how much longer than its script a call may take; zero means 15 seconds

	// Lifecycle is what happens when the sandbox is made and when it is closed.
	Lifecycle limpet.Lifecycle

	// Access is how much of the sandbox the tools give to a model. Zero is all.
	Access limpet.Access

	// Client makes the requests. Nil means one of its own.
	Client *http.Client

	// Pause is how long one waits between two looks at a machine that is not ready,
	// and before the first of three further tries where the edge is not; zero means a
	// second. The pauses double.
	Pause time.Duration
}

// A Proxy is a server that Koyeb can reach. The zero Proxy is none.
type Proxy struct {
	// Server issues the passes. The program serves it itself: see [proxy.NewHTTP].
	Server *proxy.Server

	// URL is where a machine of Koyeb reaches Server, by HTTP or HTTPS, as in
	// "https://proxy.example.com:8443".
	URL string

	// Good is how long a key of a pass is good. Zero means [proxy.Good].
	Good time.Duration
}
