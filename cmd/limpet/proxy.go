package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/limpet-sh/limpet/netpolicy/proxy"
	"github.com/spf13/cobra"
)

// proxyCommand is what a container beside a sandbox runs.
func proxyCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "proxy",
		Short:  "be the only way out of a sandbox of the backend docker, which starts it itself and speaks with it over its standard input and output",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return proxy.Egress(ctx, os.Stdin, os.Stdout)
		},
	}
}
