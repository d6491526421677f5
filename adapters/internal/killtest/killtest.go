// Package killtest kills the owners of sandboxes at random moments, for the tests of
// what cleans up after them.
package killtest

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// variable tells the test program that it is an owner.
const variable = "KILLTEST_OWNER"

// atOnce is how many owners there are at one time.
const atOnce = 10

// Owner reports whether this is a program that Run has started, which is to use
// sandboxes until it is killed.
func Owner() bool { return os.Getenv(variable) != "" }

// Run starts the test of the caller in programs of their own, as owners, and kills each
// after a time up to most. Further variables for them are in env.
func Run(t *testing.T, times int, most time.Duration, env ...string) {
	t.Helper()
	name := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	free := make(chan struct{}, atOnce)
	var wait sync.WaitGroup
	for range times {
		free <- struct{}{}
		wait.Go(func() {
			defer func() { <-free }()
			cmd := exec.Command(os.Args[0], "-test.run", name)
			cmd.Env = append(append(os.Environ(), variable+"=1"), env...)
			if err := cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			time.Sleep(rand.N(most))
			if err := cmd.Process.Kill(); err != nil {
				t.Errorf("the owner has ended by itself: %v", err)
			}
			_ = cmd.Wait() // it was killed
		})
	}
	wait.Wait()
	require.False(t, t.Failed())
}
