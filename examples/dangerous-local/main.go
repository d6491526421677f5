// Dangerous-local runs a script on this host, without any isolation:
//
//	ALLOW_DANGEROUS_LOCAL_HOST=1 go run ./examples/dangerous-local
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/host"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	box, err := host.New(ctx, host.Config{Lifecycle: limpet.Lifecycle{
		Hooks: []limpet.Hooks{limpet.GitIdentity("An Agent", "agent@example.com")},
	}})
	if err != nil {
		return err
	}
	defer box.Close()
	res, err := box.Exec(ctx, limpet.Request{Script: `uname -s; git config --global user.name; pwd`})
	if err != nil {
		return err
	}
	fmt.Printf("%s%s(status %d)\n", res.Stdout, res.Stderr, res.Status)
	return box.Close()
}
