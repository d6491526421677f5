package sandboxtest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"
)

// names are of files that a careless helper would take for something else.
var names = []string{
	"$(touch pwn).txt", "`id`.txt", `a'b"c`, "-rf", "--", "a b", "*.txt", "new\nline", " ", "x\ty", `back\slash`, "é😀", "a..b", "%s", "#", "~", "$HOME",
	strings.Repeat("é", 127),
}

// files are about reading and writing them.
var files = []test{
	{"bytes", func(t *T) {
		random := make([]byte, 5<<20)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range random {
			random[i] = byte(r.Uint32())
		}
		for name, data := range map[string][]byte{
			"empty": {}, "nul": {0}, "text": []byte("a\r\nb\n"), "invalid": {0xff, 0xfe, 0x80}, "bom": []byte("\xef\xbb\xbfx"), "random": random,
		} {
			require.NoError(t, t.WriteFile(t.ctx, name, data, 0o644))
			got, err := t.ReadFile(t.ctx, t.Workspace()+"/"+name)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, got), "%s: %d of %d bytes", name, len(got), len(data))
			got, err = t.ReadFile(t.ctx, name)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, got), "%s, relative", name)
		}
		require.Equal(t, "", t.sh("cp random r1; cat random > r2; base64 random | base64 -d > r3; for f in r1 r2 r3; do cmp random $f; done"))
	}},
	{"names", func(t *T) {
		for _, name := range names {
			dir := t.Workspace() + "/d/"
			t.write(dir+name, "data of "+name)
			require.Equal(t, "data of "+name, t.read(dir+name))
			require.Equal(t, "data of "+name, t.sh(`cat -- "$1"`, dir+name))
		}
		require.Equal(t, fmt.Sprintln(len(names)), t.sh(`cd d; set -- .[!.]* *; n=0; for f; do if [ -e "$f" ]; then n=$((n+1)); fi; done; echo $n`))
		require.Equal(t, "no\n", t.sh("find . -name pwn | grep . || echo no"))
	}},
	{"directories are made", func(t *T) {
		t.write("a/b/c/file", "deep")
		require.Equal(t, "deep", t.sh("cat a/b/c/file"))
		_, err := t.ReadFile(t.ctx, "a/b")
		require.Error(t, err)
		require.NotErrorIs(t, err, fs.ErrNotExist)
		require.Error(t, t.WriteFile(t.ctx, "a/b", nil, 0o644), "over a directory")
		require.Error(t, t.WriteFile(t.ctx, "a/b/c/file/x", nil, 0o644), "below a file")
	}},
	{"errors", func(t *T) {
		_, err := t.ReadFile(t.ctx, "missing")
		require.ErrorIs(t, err, fs.ErrNotExist)
		_, isPath := errors.AsType[*fs.PathError](err)
		require.True(t, isPath, "%T", err)
		_, err = t.ReadFile(t.ctx, "no/such/dir")
		require.ErrorIs(t, err, fs.ErrNotExist)
		_, err = t.ReadFile(t.ctx, "")
		require.Error(t, err)
	}},
	{"modes and what exists", func(t *T) {
		require.NoError(t, t.WriteFile(t.ctx, "script", []byte("#!/bin/sh\necho ran \"$@\"\n"), 0o755))
		require.Equal(t, "ran a b\n", t.sh("./script a b"))
		t.write("plain", "long content")
		require.Equal(t, "644\n", t.sh("stat -c %a plain"))
		t.write("plain", "short")
		require.Equal(t, "short", t.read("plain"))
		t.sh("chmod 600 plain; ln -s plain link; ln plain hard")
		t.write("plain", "new")
		require.Equal(t, "600\n", t.sh("stat -c %a plain"), "the mode of a file that exists stays")
		require.Equal(t, "new", t.read("link"), "links are followed")
		t.write("link", "through")
		require.Equal(t, "through|symbolic link\n", t.sh(`echo "$(cat plain)|$(stat -c %F link)"`))
		require.Equal(t, "through", t.read("hard"))
	}},
	{"seen by scripts and the host", func(t *T) {
		t.sh("printf 'made by a script' > s; mkdir e; printf x > e/f")
		require.Equal(t, "made by a script", t.read("s"))
		require.Equal(t, "x", t.read("./e/../e/f"))
		t.sh("rm s")
		_, err := t.ReadFile(t.ctx, "s")
		require.ErrorIs(t, err, fs.ErrNotExist)
	}},
	{"writing at the same time", func(t *T) {
		var wait sync.WaitGroup
		for i := range 8 {
			wait.Go(func() {
				name, data := fmt.Sprintf("n/f%d", i), bytes.Repeat([]byte{byte(i)}, 10_000)
				for range 5 {
					if err := t.WriteFile(t.ctx, name, data, 0o644); err != nil {
						t.Errorf("%s: %v", name, err)
					}
					if got, err := t.ReadFile(t.ctx, name); err != nil || !bytes.Equal(got, data) {
						t.Errorf("%s: %v, %d bytes", name, err, len(got))
					}
				}
			})
		}
		wait.Wait()
	}},
}
