package fuzz_test

import (
	"net"
	"os"
	"testing"

	"github.com/limpet-sh/limpet/fuzz"
	"github.com/stretchr/testify/require"
)

// A canary notices what touches it, and a sandbox does not.
func TestCanary(t *testing.T) {
	c, err := fuzz.NewCanary()
	require.NoError(t, err)
	host, port, err := net.SplitHostPort(c.Addr())
	require.NoError(t, err)
	attack := "cat " + c.File() + "; echo x > " + c.File() + "; env; exec 3<> /dev/tcp/" + host + "/" + port + "; set"
	require.NoError(t, (&fuzz.Promises{Canary: c}).Check(t.Context(), attack))

	require.ErrorContains(t, c.Check("a "+os.Getenv("LIMPET_CANARY")), "printed")
	require.NoError(t, os.WriteFile(c.File()+"2", nil, 0o644))
	require.ErrorContains(t, c.Check(), "beside")
	require.NoError(t, os.Remove(c.File()))
	require.ErrorContains(t, c.Check(), "changed")
	require.NoError(t, c.Close())
}
