package system

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var hostname = commands.Add(&builtins.Command{
	Name:     "hostname",
	Synopsis: "[-a|-A|-d|-f|-i|-I|-s]",
	Summary:  "show the system's host name",
	Trouble:  255,
	Run:      runHostname,
})

func runHostname(ctx context.Context, c *builtins.Call) error {
	form := byte('h')
	f := c.Flags()
	f.Info("", "V")
	for _, o := range []struct{ names, help string }{
		{"a,alias", "alias names"},
		{"A,all-fqdns", "all long host names (FQDNs)"},
		{"d,domain", "DNS domain name"},
		{"f,fqdn,long", "long host name (FQDN)"},
		{"i,ip-address", "addresses for the host name"},
		{"I,all-ip-addresses", "all addresses for the host"},
		{"s,short", "short host name"},
	} {
		f.Do(o.names, o.help, func() error { form = o.names[0]; return nil })
	}
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) > 0 {
		c.Warn(errors.New("you must be root to change the host name"))
		return builtins.Exit(1)
	}
	text, ok := hostText(c, form)
	if !ok {
		c.Warn(errors.New("Name or service not known"))
		return builtins.Exit(1)
	}
	_, err = io.WriteString(c.Stdout, text)
	return err
}

// hostText returns what hostname prints, and whether there is such a name.
func hostText(c *builtins.Call, form byte) (string, bool) {
	h, found := findHost(c, c.Host)
	if !found {
		h = host{names: []string{c.Host}}
	}
	short, domain, dotted := strings.Cut(h.names[0], ".")
	switch form {
	case 's':
		short, _, _ := strings.Cut(c.Host, ".")
		return short + "\n", true
	case 'f':
		return h.names[0] + "\n", true
	case 'd':
		if dotted {
			return domain + "\n", true
		}
		return "", short != ""
	case 'a':
		return strings.Join(h.names[1:], " ") + "\n", true
	case 'i':
		return h.address + "\n", found
	case 'A', 'I': // there is no network interface
		return "\n", true
	}
	return c.Host + "\n", true
}

// A host is a line of /etc/hosts.
type host struct {
	address string
	names   []string
}

// hosts returns the lines of /etc/hosts.
func hosts(c *builtins.Call) []host {
	var list []host
	data, _ := vfs.ReadFile(c.FS, "/etc/hosts")
	for line := range strings.Lines(string(data)) {
		text, _, _ := strings.Cut(line, "#")
		if fields := strings.Fields(text); len(fields) > 1 {
			list = append(list, host{fields[0], fields[1:]})
		}
	}
	return list
}

// findHost finds a host by one of its names.
func findHost(c *builtins.Call, name string) (host, bool) {
	for _, h := range hosts(c) {
		if slices.Contains(h.names, name) {
			return h, true
		}
	}
	return host{}, false
}

var dnsdomainname = commands.Add(&builtins.Command{
	Name:    "dnsdomainname",
	Summary: "show the system's DNS domain name",
	Run: func(ctx context.Context, c *builtins.Call) error {
		if err := noOperands(c.Flags()); err != nil {
			return err
		}
		text, _ := hostText(c, 'd')
		_, err := fmt.Fprint(c.Stdout, text)
		return err
	},
})
