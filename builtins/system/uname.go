package system

import (
	"context"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var uname = commands.Add(&builtins.Command{
	Name:     "uname",
	Synopsis: "[OPTION]...",
	Summary:  "print system information",
	Run:      runUname,
})

// What uname says of the sandbox: it looks like Debian 12 on an x86-64 machine.
const (
	kernelName    = "Linux"
	kernelRelease = "6.1.0-18-amd64"
	kernelVersion = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01)"
	machine       = "x86_64"
	system        = "GNU/Linux"
)

func runUname(ctx context.Context, c *builtins.Call) error {
	var all, name, node, release, version, mach, processor, platform, operating bool
	f := c.Flags()
	f.Bool(&all, "a,all", "print all information, in the following order, except omit -p and -i")
	f.Bool(&name, "s,kernel-name,sysname", "print the kernel name")
	f.Bool(&node, "n,nodename", "print the network node hostname")
	f.Bool(&release, "r,kernel-release,release", "print the kernel release")
	f.Bool(&version, "v,kernel-version", "print the kernel version")
	f.Bool(&mach, "m,machine", "print the machine hardware name")
	f.Bool(&processor, "p,processor", "print the processor type (non-portable)")
	f.Bool(&platform, "i,hardware-platform", "print the hardware platform (non-portable)")
	f.Bool(&operating, "o,operating-system", "print the operating system")
	if err := noOperands(f); err != nil {
		return err
	}
	name = name || !(all || node || release || version || mach || processor || platform || operating)
	var parts []string
	for _, part := range []struct {
		show bool
		text string
	}{
		{all || name, kernelName}, {all || node, c.Host}, {all || release, kernelRelease},
		{all || version, kernelVersion}, {all || mach, machine}, {processor && !all, "unknown"},
		{platform && !all, "unknown"}, {all || operating, system},
	} {
		if part.show {
			parts = append(parts, part.text)
		}
	}
	_, err := fmt.Fprintln(c.Stdout, strings.Join(parts, " "))
	return err
}

var arch = commands.Add(&builtins.Command{
	Name:     "arch",
	Synopsis: "[OPTION]...",
	Summary:  "print machine architecture",
	Run: func(ctx context.Context, c *builtins.Call) error {
		if err := noOperands(c.Flags()); err != nil {
			return err
		}
		_, err := fmt.Fprintln(c.Stdout, machine)
		return err
	},
})
