// Koyeb runs a script on a machine of Koyeb, which costs money while it is there:
//
//	KOYEB_API_KEY=… go run ./examples/koyeb
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/koyeb"
	"github.com/limpet-sh/limpet/netpolicy"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	box, err := koyeb.New(ctx, koyeb.Config{Network: netpolicy.All(), Lifetime: time.Hour})
	if err != nil {
		return err
	}
	defer box.Close()
	res, err := box.Exec(ctx, limpet.Request{Script: "uname -a; python3 --version"})
	if err != nil {
		return err
	}
	fmt.Printf("%s%s", res.Stdout, res.Stderr)
	return box.Close()
}
