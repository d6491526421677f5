package limpet_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
)

func Example() {
	sh, err := limpet.New(limpet.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer sh.Close()
	res, err := sh.Exec(context.Background(), limpet.Request{
		Script: `for f in "$@"; do echo "$f"; done | sort -r | head -n 2`,
		Args:   []string{"b", "c", "a"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s%d\n", res.Stdout, res.Status)
	// Output:
	// c
	// b
	// 0
}

// Files persist from one execution to the next; the state of the shell persists
// in a session.
func ExampleShell_NewSession() {
	ctx := context.Background()
	sh, err := limpet.New(limpet.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer sh.Close()
	s, err := sh.NewSession(ctx, limpet.SessionOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for _, script := range []string{
		`mkdir src && cd src && greet() { echo "hello from $PWD"; }`,
		`greet`,
	} {
		res, err := s.Exec(ctx, limpet.Request{Script: script})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(string(res.Stdout))
	}
	// Output: hello from /workspace/src
}

// A script that a limit stops is a result that says which.
func ExampleResult() {
	sh, err := limpet.New(limpet.Config{Limits: limits.Limits{Memory: 1 << 20}})
	if err != nil {
		log.Fatal(err)
	}
	defer sh.Close()
	res, err := sh.Exec(context.Background(), limpet.Request{Script: `echo before; x=x; while :; do x+=$x; done`})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(res.Stdout), res.Status, "\n")
	var exceeded *limits.ExceededError
	if errors.As(res.Stopped, &exceeded) {
		fmt.Println(exceeded.Resource, exceeded.Limit)
	}
	// Output:
	// before
	// 137
	// memory 1048576
}

// The output of a script can be had while it runs.
func ExampleRequest() {
	sh, err := limpet.New(limpet.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer sh.Close()
	_, err = sh.Exec(context.Background(), limpet.Request{
		Script:  `while read -r name; do echo "hello $name"; done`,
		Stdin:   strings.NewReader("Ada\nGrace\n"),
		Stdout:  os.Stdout,
		Timeout: 5 * time.Second,
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// hello Ada
	// hello Grace
}

// Commands of the embedding program are programs of the sandbox.
func ExampleConfig_commands() {
	shout := &builtins.Command{
		Name:     "shout",
		Synopsis: "[FILE...]",
		Summary:  "print files in capitals",
		Run: func(_ context.Context, c *builtins.Call) error {
			in := bufio.NewScanner(c.Stdin)
			for in.Scan() {
				fmt.Fprintln(c.Stdout, strings.ToUpper(in.Text()))
			}
			return in.Err()
		},
	}
	sh, err := limpet.New(limpet.Config{Extra: []*builtins.Command{shout}})
	if err != nil {
		log.Fatal(err)
	}
	defer sh.Close()
	res, err := sh.Exec(context.Background(), limpet.Request{Script: `echo hello | shout; type shout`})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(res.Stdout))
	// Output:
	// HELLO
	// shout is /usr/bin/shout
}

func ExampleCheckpoint_Save() {
	ctx := context.Background()
	sh, err := limpet.New(limpet.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer sh.Close()
	s, err := sh.NewSession(ctx, limpet.SessionOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Exec(ctx, limpet.Request{Script: "count=41; echo data > file"}); err != nil {
		log.Fatal(err)
	}
	c, err := s.Checkpoint()
	if err != nil {
		log.Fatal(err)
	}
	var saved bytes.Buffer // or a file
	if err := c.Save(&saved, nil); err != nil {
		log.Fatal(err)
	}

	// Elsewhere, and later:
	other, err := limpet.New(limpet.Config{Limits: limits.Hardened()})
	if err != nil {
		log.Fatal(err)
	}
	defer other.Close()
	again, err := other.Load(&saved, nil)
	if err != nil {
		log.Fatal(err)
	}
	t, err := other.NewSession(ctx, limpet.SessionOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if err := t.Restore(again); err != nil {
		log.Fatal(err)
	}
	res, err := t.Exec(ctx, limpet.Request{Script: "echo $((count + 1)); cat file"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", res.Stdout)
	// Output:
	// 42
	// data
}
