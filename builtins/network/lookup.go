package network

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/netpolicy"
)

var dig = commands.Add(&builtins.Command{
	Name:     "dig",
	Synopsis: "[+short] [-x ADDRESS] [-t TYPE] NAME [TYPE]",
	Summary:  "look a name up",
	Trouble:  1,
	Run:      runDig,
})

var host = commands.Add(&builtins.Command{
	Name:     "host",
	Synopsis: "[-t TYPE] NAME",
	Summary:  "look a name up",
	Trouble:  1,
	Run:      runHost,
})

var nslookup = commands.Add(&builtins.Command{
	Name:     "nslookup",
	Synopsis: "[-type=TYPE] NAME",
	Summary:  "look a name up",
	Trouble:  1,
	Run:      runNslookup,
})

// recordTypes are those that can be asked for.
const recordTypes = " A AAAA CNAME MX NS TXT PTR "

func recordType(text string) (string, error) {
	kind := strings.ToUpper(text)
	if !strings.Contains(recordTypes, " "+kind+" ") || strings.Contains(kind, " ") {
		return "", fmt.Errorf("type %s is not one of%s", text, strings.TrimRight(recordTypes, " "))
	}
	return kind, nil
}

// notFound reports whether err says that there is no such name, and what to say of
// other errors.
func notFound(err error) (bool, string) {
	var lookup *netpolicy.LookupError
	if text, ok := denied(err); ok {
		return false, text
	}
	if errors.As(err, &lookup) {
		var absent interface{ Temporary() bool }
		if errors.As(lookup.Err, &absent) && absent.Temporary() {
			return false, "the resolver failed"
		}
		return true, ""
	}
	return false, err.Error()
}

func runDig(ctx context.Context, c *builtins.Call) error {
	kind, name, reverse := "A", "", false
	short := false
	var args []string
	for _, a := range c.Args {
		switch {
		case a == "+short":
			short = true
		case strings.HasPrefix(a, "+") || strings.HasPrefix(a, "@"):
			fmt.Fprintf(c.Stderr, "dig: %s is not supported: the resolver is that of the network policy\n", a)
			return builtins.Exit(1)
		default:
			args = append(args, a)
		}
	}
	call := *c
	call.Args = args
	f := call.Flags()
	f.Func("t", "ask for records of a `TYPE`", func(s string) (err error) { kind, err = recordType(s); return err })
	f.Func("x", "look up the name of an `ADDRESS`", func(s string) error { name, kind, reverse = s, "PTR", true; return nil })
	f.Func("q", "the `NAME`", func(s string) error { name = s; return nil })
	rest, err := f.Parse()
	if err != nil {
		return err
	}
	for _, a := range rest {
		if k, err := recordType(a); err == nil {
			kind = k
		} else if !strings.EqualFold(a, "IN") {
			name = a
		}
	}
	if name == "" {
		return f.Fail(errors.New("a name is needed"))
	}
	list, err := c.Net.Lookup(ctx, name, kind)
	status := "NOERROR"
	if err != nil {
		if c.Ends(err) {
			return err
		}
		absent, text := notFound(err)
		if !absent {
			fmt.Fprintf(c.Stderr, "dig: %s: %s\n", name, text)
			return builtins.Exit(9)
		}
		status = "NXDOMAIN"
	}
	if short {
		for _, r := range list {
			fmt.Fprintln(c.Stdout, r.Data)
		}
		return nil
	}
	if reverse {
		name = reverseName(name)
	}
	fmt.Fprintf(c.Stdout, ";; ->>HEADER<<- opcode: QUERY, status: %s\n;; QUESTION SECTION:\n;%s.\t\tIN\t%s\n\n", status, strings.TrimSuffix(name, "."), kind)
	if len(list) > 0 {
		fmt.Fprint(c.Stdout, ";; ANSWER SECTION:\n")
	}
	for _, r := range list {
		fmt.Fprintf(c.Stdout, "%s.\t0\tIN\t%s\t%s\n", strings.TrimSuffix(name, "."), r.Type, r.Data)
	}
	return nil
}

// reverseName is the name under which the name of an address is found.
func reverseName(text string) string {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return text
	}
	b := a.As4()
	if a.Is4() {
		return fmt.Sprintf("%d.%d.%d.%d.in-addr.arpa", b[3], b[2], b[1], b[0])
	}
	hex := strings.ReplaceAll(a.StringExpanded(), ":", "")
	var out strings.Builder
	for i := len(hex) - 1; i >= 0; i-- {
		out.WriteString(hex[i:i+1] + ".")
	}
	return out.String() + "ip6.arpa"
}

// phrases are what host and nslookup put between a name and the data.
var phrases = map[string]string{
	"A": "has address", "AAAA": "has IPv6 address", "CNAME": "is an alias for", "MX": "mail is handled by",
	"NS": "name server", "TXT": "descriptive text", "PTR": "domain name pointer",
}

// ask looks a name up: its addresses, or those records that are asked for.
func ask(ctx context.Context, c *builtins.Call, name string, kinds []string) (all []netpolicy.Record, err error) {
	for _, kind := range kinds {
		list, lerr := c.Net.Lookup(ctx, name, kind)
		if lerr != nil && c.Ends(lerr) {
			return nil, lerr
		}
		all = append(all, list...)
		err = lerr
	}
	if len(all) > 0 {
		err = nil
	}
	return all, err
}

func runHost(ctx context.Context, c *builtins.Call) error {
	kinds := []string{"A", "AAAA"}
	f := c.Flags()
	f.Func("t", "ask for records of a `TYPE`", func(s string) error {
		kind, err := recordType(s)
		kinds = []string{kind}
		return err
	})
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) != 1 {
		return f.Fail(errors.New("one name is needed"))
	}
	name := args[0]
	shown := name
	if _, err := netip.ParseAddr(name); err == nil {
		kinds, shown = []string{"PTR"}, reverseName(name)
	}
	list, err := ask(ctx, c, name, kinds)
	if err != nil {
		if c.Ends(err) {
			return err
		}
		absent, text := notFound(err)
		if !absent {
			fmt.Fprintf(c.Stderr, "host: %s: %s\n", name, text)
			return builtins.Exit(1)
		}
		fmt.Fprintf(c.Stdout, "Host %s not found: 3(NXDOMAIN)\n", name)
		return builtins.Exit(1)
	}
	if len(list) == 0 {
		fmt.Fprintf(c.Stdout, "%s has no %s record\n", name, kinds[0])
	}
	for _, r := range list {
		fmt.Fprintf(c.Stdout, "%s %s %s\n", shown, phrases[r.Type], r.Data)
	}
	return nil
}

func runNslookup(ctx context.Context, c *builtins.Call) error {
	kinds := []string{"A", "AAAA"}
	var args []string
	for _, a := range c.Args {
		if value, ok := strings.CutPrefix(a, "-type="); ok {
			a = "-query=" + value
		}
		if value, ok := strings.CutPrefix(a, "-query="); ok {
			kind, err := recordType(value)
			if err != nil {
				return c.Flags().Fail(err)
			}
			kinds = []string{kind}
			continue
		}
		args = append(args, a)
	}
	call := *c
	call.Args = args
	f := call.Flags()
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) != 1 {
		return f.Fail(errors.New("one name is needed: the resolver is that of the network policy"))
	}
	name := args[0]
	if _, err := netip.ParseAddr(name); err == nil {
		kinds = []string{"PTR"}
	}
	list, err := ask(ctx, c, name, kinds)
	if err != nil {
		if c.Ends(err) {
			return err
		}
		absent, text := notFound(err)
		if absent {
			text = "NXDOMAIN"
		}
		fmt.Fprintf(c.Stdout, "** server can't find %s: %s\n\n", name, text)
		return builtins.Exit(1)
	}
	for _, r := range list {
		switch r.Type {
		case "A", "AAAA":
			fmt.Fprintf(c.Stdout, "Name:\t%s\nAddress: %s\n", name, r.Data)
		case "PTR":
			fmt.Fprintf(c.Stdout, "%s\tname = %s\n", reverseName(name), r.Data)
		default:
			fmt.Fprintf(c.Stdout, "%s\t%s = %s\n", name, map[string]string{"MX": "mail exchanger", "NS": "nameserver", "TXT": "text", "CNAME": "canonical name"}[r.Type], r.Data)
		}
	}
	return nil
}
