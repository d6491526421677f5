package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/limpet-sh/limpet"
)

func run(args []string) int {
	if len(args) == 0 || args[0] != "run" {
		fmt.Fprintln(os.Stderr, "usage: limpet run [FILE]")
		return 2
	}
	args = args[1:]
	req := limpet.Request{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	switch {
	case len(args) > 1 && args[0] == "-c":
		req.Script = args[1]
	case len(args) > 0:
		b, err := os.ReadFile(args[0])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		req.Script, req.Name, req.Args, req.Batch = string(b), args[0], args[1:], true
	default:
		b, _ := io.ReadAll(os.Stdin)
		req.Script, req.Batch, req.Stdin = string(b), true, nil
	}
	sh, err := limpet.New(limpet.Config{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer sh.Close()
	res, err := sh.Exec(context.Background(), req)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return res.Status
}
