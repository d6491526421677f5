//go:build linux

package isolate_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/isolate"
)

// The main function of a program begins with isolate.Main().
func Example() {
	ctx := context.Background()
	s, err := isolate.New(ctx, isolate.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	res, err := s.Exec(ctx, limpet.Request{Script: "echo hello | tr a-z A-Z"})
	switch {
	case err != nil:
		fmt.Println(err)
	case errors.Is(res.Stopped, isolate.ErrLost):
		fmt.Println("the process has died with what it had:", res.Stopped)
	default:
		fmt.Printf("%s", res.Stdout)
	}
	// Output: HELLO
}
