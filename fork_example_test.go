package limpet_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/limpet-sh/limpet"
)

// A fork goes on from where a session is, with its files and its state, and both
// change freely.
func ExampleSession_Fork() {
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
	run := func(s *limpet.Session, script string) {
		res, err := s.Exec(ctx, limpet.Request{Script: script})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(string(res.Stdout))
	}
	run(s, `mkdir work; cd work; echo base > notes; tries=0`)
	for _, idea := range []string{"first", "second"} {
		f, err := s.Fork()
		if err != nil {
			log.Fatal(err)
		}
		run(f, `tries=$((tries + 1)); echo "`+idea+`" >> notes; echo $tries $(cat notes)`)
	}
	run(s, `echo $tries $(cat notes)`)
	// Output:
	// 1 base first
	// 1 base second
	// 0 base
}

// Two checkpoints tell what a script has done, and one takes it back.
func ExampleDiff() {
	ctx := context.Background()
	sh, err := limpet.New(limpet.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer sh.Close()
	exec := func(script string) {
		res, err := sh.Exec(ctx, limpet.Request{Script: script})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(string(res.Stdout))
	}
	checkpoint := func() *limpet.Checkpoint {
		c, err := sh.Checkpoint()
		if err != nil {
			log.Fatal(err)
		}
		return c
	}
	exec(`seq 3 > numbers`)
	before := checkpoint()
	exec(`sed -i 's/2/two/' numbers; mkdir new; chmod 600 numbers`)
	if err := limpet.Diff(ctx, os.Stdout, before, checkpoint()); err != nil {
		log.Fatal(err)
	}
	if err := sh.Restore(before); err != nil {
		log.Fatal(err)
	}
	exec(`cat numbers; ls`)
	// Output:
	// # created directory workspace/new, mode 0755
	// diff --git a/workspace/numbers b/workspace/numbers
	// old mode 100644
	// new mode 100600
	// --- a/workspace/numbers
	// +++ b/workspace/numbers
	// @@ -1,3 +1,3 @@
	//  1
	// -2
	// +two
	//  3
	// 1
	// 2
	// 3
	// numbers
}
