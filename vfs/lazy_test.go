package vfs_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

func TestWriteLazy(t *testing.T) {
	m := vfs.NewMem(vfs.MemOptions{})
	calls := 0
	fetch := func() ([]byte, error) {
		calls++
		return []byte("hello"), nil
	}
	require.NoError(t, m.WriteLazy("/f", 5, 0o600, fetch))
	require.NoError(t, m.WriteLazy("/unread", 5, 0o600, fetch))
	require.NoError(t, m.WriteLazy("/bad", 5, 0o600, func() ([]byte, error) { return nil, errors.New("no network") }))
	require.NoError(t, m.WriteLazy("/short", 5, 0o600, func() ([]byte, error) { return []byte("x"), nil }))
	require.Zero(t, calls)
	vfstest.Script(t, m, `
		stat /f size mode -> 5 -rw-------
		ls / -> bad f short unread
		mv /f /g
		cat /g -> hello
		cat /bad -> EIO
		cat /short -> EIO
		open g wa /g
		put g !
		cat /g -> hello!
		write /unread new
		cat /unread -> new
	`)
	require.Equal(t, 1, calls)
	require.EqualValues(t, len("hello!new"), m.Usage().Bytes)
	data, err := vfs.ReadFile(m.Fork(), "/g")
	require.NoError(t, err)
	require.Equal(t, "hello!", string(data))
}
