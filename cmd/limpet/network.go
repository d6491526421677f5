package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/spf13/pflag"
)

// A networkFlags is the part of the command line that is about the network.
type networkFlags struct {
	network  string
	loopback []uint
	rules    string
	bind     []string
}

// register defines the flags.
func (f *networkFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.network, "network", "none", "what scripts may reach: `none, all` (public addresses), or HOST[:PORT],..., by HTTPS")
	flags.UintSliceVar(&f.loopback, "allow-loopback", nil, "let scripts reach a `PORT` of the host's own loopback interface")
	flags.StringVar(&f.rules, "network-rules", "", "add the rules and bindings of a `FILE` of the host, in JSON")
	flags.StringArrayVar(&f.bind, "bind-header", nil, "add a header to HTTPS requests to one host, which scripts do not see: `HOST=NAME:env:VAR` has its value from a variable of the host")
}

// policy makes a policy of the flags.
func (f *networkFlags) policy() (p netpolicy.Policy, err error) {
	if f.rules != "" {
		data, err := os.ReadFile(f.rules)
		if err != nil {
			return p, fmt.Errorf("cannot read the network rules: %w", err)
		}
		if p, err = netpolicy.Parse(data, os.LookupEnv); err != nil {
			return p, err
		}
	}
	switch f.network {
	case "none":
	case "all":
		p.Everything = true
	default:
		hosts, err := netpolicy.Allow(strings.Split(f.network, ",")...)
		if err != nil {
			return p, fmt.Errorf("--network: %w", err)
		}
		p.Rules = slices.Concat(hosts.Rules, p.Rules)
	}
	for _, port := range f.loopback {
		if port == 0 || port > 65535 {
			return p, fmt.Errorf("--allow-loopback %d: want a port between 1 and 65535", port)
		}
		p.Loopback = append(p.Loopback, uint16(port))
	}
	for _, b := range f.bind {
		binding, err := headerBinding(b)
		if err != nil {
			return p, err
		}
		p.Bindings = append(p.Bindings, binding)
	}
	return p, nil
}

// headerBinding parses HOST=NAME:env:VAR.
func headerBinding(text string) (netpolicy.Binding, error) {
	host, rest, ok := strings.Cut(text, "=")
	name, source, ok2 := strings.Cut(rest, ":env:")
	if !ok || !ok2 || host == "" || name == "" || source == "" {
		return nil, fmt.Errorf("--bind-header %q: want HOST=NAME:env:VAR", text)
	}
	value := os.Getenv(source)
	if value == "" {
		return nil, fmt.Errorf("--bind-header %q: the variable %s is not set", text, source)
	}
	return netpolicy.HeaderBinding{Host: host, Name: name, Value: value}, nil
}
