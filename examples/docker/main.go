// Docker runs scripts in a container, one of them in the background:
//
//	go run ./examples/docker [IMAGE]
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/docker"
)

func main() {
	cfg := docker.Config{Progress: os.Stderr}
	if len(os.Args) > 1 {
		cfg.Image, cfg.SupportsBackgroundProcesses = os.Args[1], true
	}
	if err := run(context.Background(), cfg); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, cfg docker.Config) error {
	box, err := docker.New(ctx, cfg)
	if err != nil {
		return err
	}
	defer box.Close()
	processes, err := limpet.ProcessesOf(box)
	if err != nil {
		return err
	}
	p, err := processes.Start(ctx, limpet.ProcessRequest{Command: "while sleep 0.2; do date +%T >> ticks; echo tick; done"})
	if err != nil {
		return err
	}
	out, err := processes.Output(ctx, p.ID, limpet.OutputRequest{Wait: 5 * time.Second})
	if err != nil {
		return err
	}
	res, err := box.Exec(ctx, limpet.Request{Script: "id; wc -l < ticks"})
	if err != nil {
		return err
	}
	fmt.Printf("%q\n%s%s", out.Data, res.Stdout, res.Stderr)
	return box.Close()
}
