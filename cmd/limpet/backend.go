package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/docker"
	"github.com/limpet-sh/limpet/adapters/host"
	"github.com/limpet-sh/limpet/adapters/koyeb"
	"github.com/limpet-sh/limpet/netpolicy/proxy"
	"github.com/spf13/pflag"
)

// A backendFlags is the part of the command line that says which sandbox it is.
type backendFlags struct {
	name       string
	isolate    bool // short for the name isolate
	image      string
	dockerHost string
	workspace  string
	instance   string
	region     string
	proxyURL   string
	listen     string
}

// register defines the flags.
func (f *backendFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.name, "backend", "shell", "run in a `BACKEND`: shell is this program, isolate a process of its own, docker a container, host the host itself without isolation, koyeb a machine of Koyeb")
	flags.BoolVar(&f.isolate, "isolate", false, "likewise: --backend isolate, which survives what no Go program does")
	flags.StringVar(&f.image, "image", "", "make the container of an `IMAGE` (default "+docker.DefaultImage+", or "+koyeb.DefaultImage+" on Koyeb)")
	flags.StringVar(&f.dockerHost, "docker-host", "", "use the Docker engine at an `ADDRESS`; else DOCKER_HOST or the current context says which")
	flags.StringVar(&f.workspace, "workspace", "", "start in a directory `DIR` of the host and keep it, with the backend host")
	flags.StringVar(&f.instance, "instance", "", "take a machine of a `TYPE` of Koyeb (default medium)")
	flags.StringVar(&f.region, "region", "", "take one in a `REGION` (default KOYEB_REGION, or na)")
	flags.StringVar(&f.proxyURL, "proxy-url", "", "add what is bound by a proxy that Koyeb reaches at a `URL`, as http://HOST:PORT")
	flags.StringVar(&f.listen, "proxy-listen", "", "be that proxy, at an `ADDRESS` of this host")
}

// backendOptions are the flags that a backend has, besides those that all of them
// have.
var backendOptions = map[string][]string{
	"docker":  {"image", "docker-host", "network", "network-rules", "bind-header", "secret"},
	"host":    {"workspace", "secret"},
	"isolate": {"isolate", "dir", "dir-rw", "mount", "sensitive", "limits", "limit", "network", "network-rules", "secret"},
	"koyeb":   {"image", "instance", "region", "network", "network-rules", "bind-header", "proxy-url", "proxy-listen"},
}

// shellOptions are those of them that the shell has too.
var shellOptions = []string{"dir", "dir-rw", "mount", "sensitive", "limits", "limit", "network", "network-rules", "bind-header", "secret"}

// check fails where a flag was given that the backend does not have. All backends have
// the common ones.
func (f *backendFlags) check(flags *pflag.FlagSet, common ...string) (err error) {
	if f.isolate {
		if flags.Changed("backend") && f.name != "isolate" {
			return fmt.Errorf("--isolate is --backend isolate, and not %s", f.name)
		}
		f.name = "isolate"
	}
	own, elsewhere := backendOptions[f.name]
	if !elsewhere && f.name != "shell" {
		return fmt.Errorf("--backend %q: want shell, isolate, docker, host or koyeb", f.name)
	}
	flags.Visit(func(given *pflag.Flag) {
		_, foreign := ownerOf(given.Name)
		ok := slices.Contains([]string{"backend", "env"}, given.Name) || slices.Contains(common, given.Name) || slices.Contains(own, given.Name)
		if !elsewhere {
			ok = !foreign || slices.Contains(shellOptions, given.Name)
		}
		if !ok && err == nil {
			err = fmt.Errorf("the backend %s has no --%s", f.name, given.Name)
		}
	})
	return err
}

// ownerOf returns a backend other than the shell that has a flag.
func ownerOf(flag string) (string, bool) {
	for name, flags := range backendOptions {
		if slices.Contains(flags, flag) {
			return name, true
		}
	}
	return "", false
}

// elsewhere reports whether it is a backend other than the shell.
func (f *backendFlags) elsewhere() bool { return f.name != "shell" }

// open makes a sandbox of a backend other than the shell. Background says that an image
// of the user's can run processes in the background.
func (f *backendFlags) open(ctx context.Context, s *sandboxFlags, access limpet.Access, background bool) (limpet.Sandbox, error) {
	env := map[string]string{}
	for _, e := range s.env {
		name, value, ok := strings.Cut(e, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--env %q: want NAME=VALUE", e)
		}
		env[name] = value
	}
	secrets, err := s.hostSecrets()
	if err != nil {
		return nil, err
	}
	switch f.name {
	case "isolate":
		return s.openIsolated(ctx, env, secrets, access, background)
	case "host":
		return host.New(ctx, host.Config{Workspace: f.workspace, Env: env, Secrets: secrets, Access: access})
	}
	policy, err := s.network.policy()
	if err != nil {
		return nil, err
	}
	if f.name == "koyeb" {
		way, err := f.serveProxy()
		if err != nil {
			return nil, err
		}
		return koyeb.New(ctx, koyeb.Config{
			Proxy: way, Image: f.image, Instance: f.instance, Region: f.region, Network: policy, Env: env,
			Access: access, SupportsBackgroundProcesses: background,
		})
	}
	self, err := os.Executable() // which is the proxy of a container, where there is one
	if err != nil {
		return nil, err
	}
	return docker.New(ctx, docker.Config{
		Proxy: self, Image: f.image, Host: f.dockerHost, Network: policy, Env: env, Secrets: secrets, Progress: os.Stderr,
		Access: access, SupportsBackgroundProcesses: background,
	})
}

// serveProxy starts the proxy of a machine of Koyeb, which ends with this program.
func (f *backendFlags) serveProxy() (p koyeb.Proxy, err error) {
	if f.proxyURL == "" && f.listen == "" {
		return p, nil
	}
	if f.proxyURL == "" || f.listen == "" {
		return p, errors.New("a proxy needs both --proxy-url and --proxy-listen")
	}
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return p, err
	}
	p = koyeb.Proxy{Server: &proxy.Server{}, URL: f.proxyURL}
	go func() { _ = proxy.NewHTTP(p.Server).Serve(l) }() // nobody ends it
	return p, nil
}

// runElsewhere runs the script in a backend other than the shell.
func (f *runFlags) runElsewhere(args []string) (status int, err error) {
	req, err := f.request(args)
	if err != nil {
		return statusUsage, err
	}
	req.Dir = f.cwd
	if isTerminal(os.Stdin) && !req.FromStdin && f.backend.name != "isolate" {
		req.Stdin = nil // it would have to end before the script begins
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	sandbox, err := f.backend.open(ctx, &f.sandboxFlags, limpet.AccessFull, false)
	stop()
	if err != nil {
		return statusUsage, err
	}
	defer func() {
		if closeErr := sandbox.Close(); closeErr != nil {
			status, err = statusUsage, errors.Join(err, closeErr)
		}
	}()
	signals, release := hostSignals(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer release()
	req.Signals = signals
	signal.Ignore(syscall.SIGPIPE)
	res, err := sandbox.Exec(context.Background(), req)
	if err != nil {
		return statusUsage, err
	}
	if f.json {
		return res.Status, printResult(os.Stdout, res, outcome{})
	}
	return res.Status, nil
}
