//go:build linux

package hostdir_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs/hostdir"
)

func TestSensitiveDirectoriesAreNamed(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, dir := range []string{"/.ssh/keys", "/.aws", "/.kube", "/work/.ssh", "/.config/gcloud", "/.config/other"} {
		require.NoError(t, os.MkdirAll(home+dir, 0o755))
	}
	link := t.TempDir() + "/link"
	require.NoError(t, os.Symlink(home+"/.ssh", link))
	t.Chdir(home)
	for dir, path := range map[string]string{
		"/": "/", "/etc": "/", "/etc/../etc/": "/", "/proc/self": "/proc", "/proc/self/root": "/", "/sys": "/", "/dev": "/dev",
		home: home + "/.ssh", ".": home + "/.ssh", home + "/.ssh": home + "/.ssh", home + "/.ssh/keys": home + "/.ssh", link: home + "/.ssh", link + "/keys": home + "/.ssh",
		home + "/.aws": home + "/.aws", home + "/.config": home + "/.config/gcloud", home + "/.config/gcloud": home + "/.config/gcloud",
	} {
		_, err := hostdir.Open(dir, hostdir.Options{ReadOnly: true})
		var sensitive *hostdir.SensitiveError
		require.ErrorAs(t, err, &sensitive, dir)
		require.Equal(t, dir, sensitive.Dir)
		if path != "/" { // else something else of it may be named
			require.Equal(t, path, sensitive.Path, dir)
		}
		open(t, dir, hostdir.Options{ReadOnly: true, Sensitive: []string{"/nowhere", dir}})
		_, err = hostdir.Open(dir, hostdir.Options{ReadOnly: true, Sensitive: []string{dir + "/x", "/tmp"}})
		require.ErrorAs(t, err, &sensitive, "another name: %s", dir)
	}
	empty := t.TempDir()
	t.Setenv("HOME", empty)
	open(t, empty, hostdir.Options{ReadOnly: true})
	t.Setenv("HOME", home)
	for _, dir := range []string{home + "/work", home + "/work/.ssh", home + "/.config/other", t.TempDir(), "/dev/shm", "/usr/share", "/usr"} {
		open(t, dir, hostdir.Options{ReadOnly: true})
	}
}
