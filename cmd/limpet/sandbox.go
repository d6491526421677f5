package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins/git"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/spf13/pflag"
)

// sandboxFlags are the flags that say what a sandbox is: those of every command that
// makes one.
type sandboxFlags struct {
	dir       string
	dirRW     string
	mounts    []string
	sensitive []string
	cwd       string
	env       []string
	secrets   []string
	profile   string
	limits    []string
	load      string
	network   networkFlags

	watched   bool              // what becomes of the directory of --dir is of interest
	dryRun    *dryRun           // then
	variables map[string]string // of env
}

// register defines the flags. profile is the limits where --limits does not say which.
func (f *sandboxFlags) register(flags *pflag.FlagSet, profile string) {
	flags.StringVar(&f.dir, "dir", "", "show the host directory `DIR` at /workspace, copy-on-write, and start there")
	flags.StringVar(&f.dirRW, "dir-rw", "", "likewise, but write to the host directory `DIR`")
	flags.StringArrayVar(&f.mounts, "mount", nil, "show a host directory at a path: `HOST:PATH[:ro|cow|rw]`; ro unless said")
	flags.StringArrayVar(&f.sensitive, "sensitive", nil, "allow the host directory `DIR` in spite of what is in it, such as / or ~/.ssh")
	flags.StringVar(&f.load, "load", "", "begin with what --save has written to a `FILE`; where directories were mounted, the same must be")
	flags.StringVar(&f.cwd, "cwd", "", "start in the directory `PATH` of the sandbox")
	flags.StringArrayVar(&f.env, "env", nil, "set a variable: `NAME=VALUE`")
	flags.StringArrayVar(&f.secrets, "secret", nil, "set a variable to that of the host, `NAME` or NAME=HOSTNAME, and keep its value from models")
	flags.StringVar(&f.profile, "limits", profile, "begin with the limits of a `PROFILE`: hardened, default, interactive or unlimited")
	flags.StringArrayVar(&f.limits, "limit", nil, "set one limit: `NAME=VALUE`, where NAME is one of "+strings.Join(limits.Names(), ", "))
	f.network.register(flags)
}

// config makes a configuration of the flags.
func (f *sandboxFlags) config() (cfg limpet.Config, err error) {
	if cfg.Limits, err = parseLimits(f.profile, f.limits); err != nil {
		return cfg, err
	}
	cfg.Env = map[string]string{}
	for _, e := range f.env {
		name, value, ok := strings.Cut(e, "=")
		if !ok || name == "" {
			return cfg, fmt.Errorf("--env %q: want NAME=VALUE", e)
		}
		cfg.Env[name] = value
	}
	f.variables = cfg.Env
	if cfg.Secrets, err = f.hostSecrets(); err != nil {
		return cfg, err
	}
	cfg.Quota = vfs.NewQuota(vfs.QuotaOptions{}.Within(cfg.Limits))
	o := vfs.MemOptions{User: vfs.User{UID: 1000, GID: 1000}, Quota: cfg.Quota}
	if cfg.Mounts, err = f.hostMounts(o.Within(cfg.Limits)); err != nil {
		return cfg, err
	}
	cfg.Start = f.cwd
	cfg.Network, err = f.network.policy()
	return cfg, err
}

// parseLimits returns the limits of a profile with some of them set.
func parseLimits(profile string, set []string) (limits.Limits, error) {
	l, err := limits.Profile(profile)
	for _, text := range set {
		name, value, ok := strings.Cut(text, "=")
		switch {
		case err != nil:
		case !ok:
			err = fmt.Errorf("--limit %q: want NAME=VALUE", text)
		default:
			err = l.Set(name, value)
		}
	}
	return l, err
}

// hostSecrets returns the variables of --secret.
func (f *sandboxFlags) hostSecrets() (map[string]string, error) {
	secrets := map[string]string{}
	for _, s := range f.secrets {
		name, from, ok := strings.Cut(s, "=")
		if !ok {
			from = name
		}
		value, set := os.LookupEnv(from)
		switch {
		case name == "" || from == "":
			return nil, fmt.Errorf("--secret %q: want NAME or NAME=HOSTNAME", s)
		case !set:
			return nil, fmt.Errorf("--secret %q: the variable %s is not set", s, from)
		}
		secrets[name] = value
	}
	return secrets, nil
}

// newShell makes a shell with all the commands that there are, in a process that keeps
// to the limit of memory.
func newShell(cfg limpet.Config) (*limpet.Shell, error) {
	if n := cfg.Limits.Of(limits.Memory); n > 0 {
		debug.SetMemoryLimit(n + n/4 + 64<<20)
	}
	cfg.Extra = git.Commands()
	return limpet.New(cfg)
}
