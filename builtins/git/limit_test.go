package git

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// newRepository returns a machine with a repository that has a commit of some files.
func newRepository(t *testing.T, files map[string]string) *calltest.Machine {
	t.Helper()
	m := calltest.New(t, Commands(), files)
	m.Env["GIT_AUTHOR_NAME"], m.Env["GIT_AUTHOR_EMAIL"] = "a", "a@b"
	m.Env["GIT_COMMITTER_NAME"], m.Env["GIT_COMMITTER_EMAIL"] = "a", "a@b"
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "one"}} {
		got := m.Run(t, "", append([]string{"git"}, args...)...)
		require.NoError(t, got.Err)
		require.Zero(t, got.Status, got.Stderr)
	}
	return m
}

// TestLimits checks that what a repository makes git hold is charged, and that the
// end of the context ends it.
func TestLimits(t *testing.T) {
	m := newRepository(t, map[string]string{"big": strings.Repeat("line\n", 1<<20)})
	m.WriteFile(t, "big", strings.Repeat("other\n", 1<<20))
	m.Limits = limits.Limits{Memory: 4 << 20}
	for _, args := range [][]string{{"diff"}, {"add", "big"}, {"show"}, {"blame", "big"}, {"grep", "line"}, {"stash"}} {
		got := m.Run(t, "", append([]string{"git"}, args...)...)
		require.ErrorIs(t, got.Err, limits.ErrExceeded, args)
	}
	m.Limits = limits.Limits{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"diff"}, {"log", "-p"}, {"status"}} {
		require.ErrorIs(t, m.RunContext(ctx, strings.NewReader(""), append([]string{"git"}, args...)...).Err, context.Canceled)
	}
}

// TestHostile checks that trees whose names lead out of the working tree, or into
// the repository, are not checked out, and that damaged objects and packs are
// reported.
func TestHostile(t *testing.T) {
	m := newRepository(t, map[string]string{"a": "text\n"})
	blob := hashOf("blob", []byte("text\n"))
	for _, name := range []string{"..", ".git", ".GIT"} {
		tree := formatTree([]treeEntry{{name, modeFile, blob}})
		m.WriteFile(t, "tree", string(tree))
		got := m.Run(t, "", "git", "hash-object", "-t", "tree", "-w", "tree")
		require.Zero(t, got.Status, got.Stderr)
		got = m.Run(t, "", "git", "checkout", strings.TrimSpace(got.Stdout), "--", ".")
		require.NotZero(t, got.Status, name)
		require.Contains(t, got.Stderr, "invalid path", name)
	}
	for _, data := range []string{"", "x", "\x78\x9c", "\x78\x9c\x4b\xca\xc9\x4f\x52\x30"} {
		name := hashOf("blob", []byte("damaged"+data)).String()
		m.WriteFile(t, fmt.Sprintf(".git/objects/%s/%s", name[:2], name[2:]), data)
		got := m.Run(t, "", "git", "cat-file", "-p", name)
		require.NoError(t, got.Err)
		require.Equal(t, 128, got.Status, "%q", data)
	}
	m.WriteFile(t, ".git/index", "DIRC\x00\x00\x00\x02\xff\xff\xff\xff"+strings.Repeat("x", 100))
	got := m.Run(t, "", "git", "status")
	require.NoError(t, got.Err)
	require.Equal(t, 128, got.Status)
}
