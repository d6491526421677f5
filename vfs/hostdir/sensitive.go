package hostdir

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A SensitiveError says that a directory is, has or is in what no script should
// see unless somebody has said so. Name it in [Options.Sensitive] to say so.
type SensitiveError struct {
	Dir  string // that was to be opened
	Path string // what is sensitive about it
}

// Error names both.
func (e *SensitiveError) Error() string {
	return fmt.Sprintf("%s gives access to %s, which is sensitive: it must be allowed by its name", e.Dir, e.Path)
}

// A sensitivePath is a place with secrets, or with power over the host.
type sensitivePath struct {
	path   string
	inside bool // directories in it are as sensitive as itself
}

// sensitivePaths returns the places that hosts usually have. Home, which may be
// empty, is sensitive for what it holds: one made for a single task is not.
func sensitivePaths(home string) []sensitivePath {
	list := []sensitivePath{
		{"/", false}, {"/root", false}, {"/home", false}, {"/Users", false},
		{"/etc", true}, {"/boot", true}, {"/proc", true}, {"/sys", true}, {"/dev", false}, {"/dev/pts", true},
		{"/run", false}, {"/var/run", false}, {"/var/lib/docker", true}, {"/var/lib/kubelet", true},
		{"/run/docker.sock", true}, {"/var/run/docker.sock", true}, {"/run/docker", true}, {"/run/containerd", true}, {"/run/podman", true}, {"/run/secrets", true},
		{"/var/run/secrets", true},
	}
	for _, h := range []string{"/root", home} {
		if h == "" || h == "/" {
			continue
		}
		for _, name := range []string{
			".ssh", ".aws", ".kube", ".gnupg", ".docker", ".azure", ".netrc", ".git-credentials", ".password-store", ".config/gcloud", ".config/gh",
		} {
			list = append(list, sensitivePath{filepath.Join(h, filepath.FromSlash(name)), true})
		}
	}
	return list
}

// checkSensitive fails with a SensitiveError unless the directory dir, which info
// describes, may be opened: it is not sensitive, or allowed by name.
func checkSensitive(dir string, info fs.FileInfo, allowed []string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return err
	}
	if now, err := os.Stat(real); err != nil || !os.SameFile(now, info) {
		return fmt.Errorf("%s: %w", dir, errReplaced)
	}
	if slices.ContainsFunc(allowed, func(a string) bool {
		a, err := filepath.Abs(a)
		return err == nil && (a == abs || a == real)
	}) {
		return nil
	}
	home, _ := os.UserHomeDir()
	for _, s := range sensitivePaths(home) {
		if s.concerns(real, info) {
			return &SensitiveError{dir, s.path}
		}
	}
	return nil
}

// concerns reports whether s exists, and the directory real is s, or is in it or
// above it where that matters.
func (s sensitivePath) concerns(real string, info fs.FileInfo) bool {
	at, err := filepath.EvalSymlinks(s.path)
	if err != nil {
		return false
	}
	there, err := os.Stat(at)
	return err == nil && (os.SameFile(there, info) || within(at, real) || s.inside && within(real, at))
}

// within reports whether a path is below dir.
func within(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && rest != "" && (os.IsPathSeparator(rest[0]) || os.IsPathSeparator(dir[len(dir)-1]))
}
