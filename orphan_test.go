package limpet_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/stretchr/testify/require"
)

// TestOrphans checks what becomes of background processes in a snapshot: in the shell
// that has it they go on, and elsewhere the ones that were running are orphans.
func TestOrphans(t *testing.T) {
	ctx := t.Context()
	sh := newShell(t, limpet.Config{Background: true})
	p, err := sh.Processes()
	require.NoError(t, err)
	for id, command := range map[string]string{"ended": "echo out; exit 3", "running": "sleep 1000"} {
		_, err = p.Start(ctx, limpet.ProcessRequest{ID: id, Command: command})
		require.NoError(t, err)
	}
	_, err = p.Output(ctx, "ended", limpet.OutputRequest{Wait: 30 * time.Second})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		list, err := p.List(ctx)
		return err == nil && (list[0].Status == limpet.ProcessCompleted || list[1].Status == limpet.ProcessCompleted)
	}, 30*time.Second, time.Millisecond)
	c, err := sh.Checkpoint()
	require.NoError(t, err)
	before, err := p.List(ctx)
	require.NoError(t, err)
	require.NoError(t, sh.Restore(c))
	after, err := p.List(ctx)
	require.NoError(t, err)
	require.Equal(t, before, after, "nothing becomes of those of the shell itself")

	var saved bytes.Buffer
	require.NoError(t, c.Save(&saved, nil))
	other := newShell(t, limpet.Config{Background: true})
	loaded, err := other.Load(&saved, nil)
	require.NoError(t, err)
	require.NoError(t, other.Restore(loaded))
	require.NoError(t, other.Restore(loaded), "and again")
	q, err := other.Processes()
	require.NoError(t, err)
	list, err := q.List(ctx)
	require.NoError(t, err)
	require.Len(t, list, 2)
	for i, info := range list {
		require.True(t, before[i].Started.Equal(info.Started))
		want := before[i].Status
		if want == limpet.ProcessRunning {
			want = limpet.ProcessOrphaned
		}
		require.Equal(t, want, info.Status)
		_, err = q.Output(ctx, info.ID, limpet.OutputRequest{})
		require.True(t, limpet.IsProcessError(err, limpet.CodeOutputUnavailable), "%v", err)
		_, _, err = q.Write(ctx, info.ID, []byte("x"))
		require.True(t, limpet.IsProcessError(err, limpet.CodeNotRunning), "%v", err)
		stopped, err := q.Stop(ctx, info.ID)
		require.NoError(t, err)
		require.Equal(t, want, stopped.Status)
		again, err := q.Start(ctx, limpet.ProcessRequest{ID: info.ID, Command: info.Command, Env: map[string]string{"A": "b"}})
		require.NoError(t, err)
		require.Equal(t, want, again.Status, "a start that is repeated")
		_, err = q.Start(ctx, limpet.ProcessRequest{ID: info.ID, Command: "other"})
		require.True(t, limpet.IsProcessError(err, limpet.CodeIdentityConflict), "%v", err)
	}
	require.Contains(t, []int{list[0].ExitCode, list[1].ExitCode}, 3)
	_, err = q.Start(ctx, limpet.ProcessRequest{Command: "true"})
	require.NoError(t, err)

	off := newShell(t, limpet.Config{})
	require.NoError(t, off.Restore(loaded))
	_, err = off.Processes()
	require.Error(t, err)
}
