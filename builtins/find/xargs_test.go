package find_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/builtins/find"
	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/stretchr/testify/require"
)

// TestParallel checks that xargs -P runs so many commands at a time, no more
// and no fewer, and that it waits for all of them.
func TestParallel(t *testing.T) {
	var running, most, ended atomic.Int64
	full := make(chan struct{})
	work := &builtins.Command{Name: "work", Run: func(ctx context.Context, c *builtins.Call) error {
		n := running.Add(1)
		defer running.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		if n == 4 {
			close(full)
		}
		select {
		case <-full:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		ended.Add(1)
		_, err := fmt.Fprintln(c.Stdout, strings.Join(c.Args, " "))
		return err
	}}
	m := calltest.New(t, append(find.Commands(), work), nil)
	got := m.Run(t, "1 2 3 4", "xargs", "-P", "4", "-n", "1", "work")
	require.NoError(t, got.Err)
	require.Zero(t, got.Status)
	require.Equal(t, int64(4), most.Load())
	require.Equal(t, int64(4), ended.Load())
	require.Len(t, got.Stdout, len("1\n2\n3\n4\n"))
}

// TestCancel checks that the end of the context ends a search, and xargs, at
// once.
func TestCancel(t *testing.T) {
	forever := &builtins.Command{Name: "forever", Run: func(ctx context.Context, _ *builtins.Call) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}}
	m := calltest.New(t, append(find.Commands(), forever), map[string]string{"d/f": ""})
	for _, args := range [][]string{{"find", "d", "-exec", "forever", ";"}, {"xargs", "-P", "3", "-n1", "forever"}} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		got := m.RunContext(ctx, strings.NewReader("a b c d e f"), args...)
		cancel()
		require.ErrorIs(t, got.Err, context.DeadlineExceeded, args)
	}
}
