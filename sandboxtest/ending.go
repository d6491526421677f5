package sandboxtest

import (
	"context"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/stretchr/testify/require"
)

// endings are about [limpet.Sandbox.Close].
var endings = []test{
	{"nothing works after the end", func(t *T) {
		s, err := t.OpenSession(t.ctx, limpet.SessionOptions{})
		require.NoError(t, err)
		require.NoError(t, t.Close())
		_, err = t.Exec(t.ctx, limpet.Request{Script: "true"})
		require.ErrorIs(t, err, limpet.ErrClosed)
		_, err = s.Exec(t.ctx, limpet.Request{Script: "true"})
		require.ErrorIs(t, err, limpet.ErrClosed)
		_, err = t.OpenSession(t.ctx, limpet.SessionOptions{})
		require.ErrorIs(t, err, limpet.ErrClosed)
		require.NoError(t, s.Close())
	}},
	{"closing ends what runs", func(t *T) {
		var wait sync.WaitGroup
		started := make(seenWriter, 1)
		wait.Go(func() {
			ctx, cancel := context.WithTimeout(t.ctx, 2*patience)
			defer cancel()
			begin := time.Now()
			res, err := t.Exec(ctx, limpet.Request{Script: "echo on; sleep 1000", Stdout: started})
			if err == nil && res.Stopped == nil || time.Since(begin) > patience {
				t.Errorf("not ended: %v %+v", err, res)
			}
		})
		if limpet.Streams(t.Sandbox) {
			<-started
		} else {
			time.Sleep(time.Second)
		}
		require.NoError(t, t.Close())
		wait.Wait()
	}},
}
