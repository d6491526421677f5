package limpet

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/builtins/system"
	"github.com/limpet-sh/limpet/interp"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

func unavailable(name string) string {
	hint, _ := system.Unavailable(name)
	return hint
}

func parent(name string) string { return path.Dir(name) }

// makeFiles makes the file system.
func (sh *Shell) makeFiles() error {
	cfg := &sh.cfg
	if cfg.Random == nil {
		cfg.Random = rand.Reader
	}
	cfg.Random = &lockedReader{r: cfg.Random}
	root := cfg.Files
	if root == nil {
		mem, err := cfg.standardTree()
		if err != nil {
			return err
		}
		root = mem
	}
	sh.files = root
	if len(cfg.Mounts) > 0 {
		m := vfs.NewMount(root)
		for _, mount := range cfg.Mounts {
			if mem, ok := root.(*vfs.Mem); ok { // mounting is not for the user to do
				if err := mem.As(vfs.User{}).MkdirAll(mount.Path, 0o755); err != nil {
					return fmt.Errorf("limpet: %w", err)
				}
			}
			if err := m.Mount(mount.Path, mount.FS); err != nil {
				return fmt.Errorf("limpet: %w", err)
			}
		}
		sh.files = m
	}
	return nil
}

// isStandard reports whether the tree is the one that most shells have, which
// need not be built again.
func (cfg *Config) isStandard() bool {
	return cfg.Commands == nil && cfg.Extra == nil && cfg.Dir == "/workspace" && cfg.Hostname == "limpet" &&
		cfg.User.Name == "user" && cfg.User.Group == "user" && cfg.User.UID == 1000 && cfg.User.GID == 1000 && cfg.User.Home == "/home/user"
}

// standardTree returns the files that a shell begins with.
func (cfg *Config) standardTree() (*vfs.Mem, error) {
	opts := cfg.memOptions()
	if cfg.isStandard() {
		base, err := standardMem()
		if err != nil {
			return nil, err
		}
		return base.ForkWith(opts), nil
	}
	table, err := cfg.table()
	if err != nil {
		return nil, err
	}
	opts.User = vfs.User{}
	mem := vfs.NewMem(opts)
	if err := Populate(mem, *cfg, slices.Collect(maps.Keys(table))); err != nil {
		return nil, err
	}
	return mem.As(cfg.owner()), nil
}

// memOptions returns those of files in memory.
func (cfg *Config) memOptions() vfs.MemOptions {
	o := vfs.MemOptions{User: cfg.owner(), Now: cfg.Clock.Now, Random: cfg.Random, Quota: cfg.Quota}
	return o.Within(cfg.Limits)
}

func (cfg *Config) owner() vfs.User {
	return vfs.User{UID: cfg.User.UID, GID: cfg.User.GID, Groups: cfg.User.Groups}
}

// standardMem is the tree of shells with the default configuration.
var standardMem = sync.OnceValues(func() (*vfs.Mem, error) {
	cfg := Config{}.withDefaults()
	mem := vfs.NewMem(vfs.MemOptions{Now: cfg.Clock.Now, Storage: limits.Unlimited, Files: limits.Unlimited, FileSize: limits.Unlimited})
	err := Populate(mem, cfg, slices.Collect(maps.Keys(standardCommands())))
	return mem.As(cfg.owner()), err
})

// shellNames are the program files of what the interpreter is itself.
var shellNames = []string{"bash", "sh"}

// builtinFiles are builtins of the shell that POSIX wants as programs too, and
// that find no command of their own.
var builtinFiles = []string{}

// Populate makes the directories and files that scripts expect in a file system
// that acts as root: /workspace, /home, /tmp, /dev, /etc, /proc, and /usr/bin
// with a program file for each of the names.
func Populate(root vfs.FS, cfg Config, names []string) error {
	cfg = cfg.withDefaults()
	b := &treeBuilder{root: root, user: cfg.User}
	for _, dir := range []string{
		"/usr/bin", "/usr/sbin", "/usr/lib", "/usr/share", "/usr/local/bin", "/usr/local/sbin", "/usr/local/lib",
		"/etc", "/dev", "/proc/self", "/home", "/root", "/run", "/var/log", "/var/lib", "/opt", "/mnt", "/srv",
	} {
		b.dir(dir, 0o755, false)
	}
	b.dir("/tmp", fs.ModeSticky|0o777, false)
	b.dir("/var/tmp", fs.ModeSticky|0o777, false)
	b.dir("/dev/shm", fs.ModeSticky|0o777, false)
	b.chmod("/root", 0o700)
	for _, dir := range []string{"/", "/mnt", "/opt", "/srv", "/usr/local", "/usr/local/bin", "/usr/local/sbin", "/usr/local/lib", "/var/log", "/var/lib"} {
		b.own(dir)
	}
	for link, target := range map[string]string{"/bin": "usr/bin", "/sbin": "usr/sbin", "/lib": "usr/lib"} {
		b.link(target, link)
	}
	b.dir(cfg.User.Home, 0o755, true)
	b.dir(cfg.Dir, 0o755, true)
	b.devices()
	b.etc(cfg)
	b.proc(cfg)
	for _, name := range slices.Concat(names, shellNames, builtinFiles) {
		if strings.Contains(name, "/") {
			b.dir("/"+parent(name), 0o755, false)
			b.file("/"+name, string(interp.Stub(name)), 0o755)
			continue
		}
		b.file("/usr/bin/"+name, string(interp.Stub(name)), 0o755)
	}
	return b.err
}

// A treeBuilder builds a tree until something fails.
type treeBuilder struct {
	root vfs.FS
	user builtins.User
	err  error
}

func (b *treeBuilder) do(f func() error) {
	if b.err == nil {
		b.err = f()
	}
}

// dir makes a directory, which is the user's where own is true.
func (b *treeBuilder) dir(name string, mode fs.FileMode, own bool) {
	b.do(func() error { return b.root.MkdirAll(name, 0o755) })
	b.chmod(name, mode)
	if own {
		b.own(name)
	}
}

// own gives a directory to the user: what is local to the sandbox is the user's,
// who cannot become root to change it.
func (b *treeBuilder) own(name string) {
	b.do(func() error { return b.root.Chown(name, b.user.UID, b.user.GID) })
}

func (b *treeBuilder) chmod(name string, mode fs.FileMode) {
	b.do(func() error { return b.root.Chmod(name, mode) })
}

func (b *treeBuilder) link(target, name string) {
	b.do(func() error { return b.root.SymlinkIfPossible(target, name) })
}

func (b *treeBuilder) file(name, text string, mode fs.FileMode) {
	b.do(func() error { return vfs.WriteFile(b.root, name, []byte(text), mode) })
}

func (b *treeBuilder) devices() {
	for name, dev := range map[string]uint64{
		"null": vfs.Dev(1, 3), "zero": vfs.Dev(1, 5), "full": vfs.Dev(1, 7),
		"random": vfs.Dev(1, 8), "urandom": vfs.Dev(1, 9), "tty": vfs.Dev(5, 0),
	} {
		b.do(func() error {
			return b.root.Mknod("/dev/"+name, fs.ModeDevice|fs.ModeCharDevice|0o666, dev)
		})
	}
	b.dir("/proc/self/fd", 0o755, false)
	for link, target := range map[string]string{
		"/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0", "/dev/stdout": "/proc/self/fd/1", "/dev/stderr": "/proc/self/fd/2",
	} {
		b.link(target, link)
	}
}

func (b *treeBuilder) etc(cfg Config) {
	u := cfg.User
	b.file("/etc/passwd", fmt.Sprintf("root:x:0:0:root:/root:/bin/bash\n%s:x:%d:%d:%s:%s:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
		u.Name, u.UID, u.GID, u.Name, u.Home), 0o644)
	b.file("/etc/group", fmt.Sprintf("root:x:0:\n%s:x:%d:\nnogroup:x:65534:\n", u.Group, u.GID), 0o644)
	b.file("/etc/hostname", cfg.Hostname+"\n", 0o644)
	b.file("/etc/hosts", "127.0.0.1\tlocalhost\n::1\tlocalhost\n127.0.1.1\t"+cfg.Hostname+"\n", 0o644)
	b.file("/etc/os-release", "PRETTY_NAME=\"limpet\"\nNAME=\"limpet\"\nID=limpet\nID_LIKE=debian\nVERSION_ID=\"12\"\nHOME_URL=\"https://github.com/limpet-sh/limpet\"\n", 0o644)
	b.file("/etc/shells", "/bin/sh\n/bin/bash\n/usr/bin/bash\n", 0o644)
}

func (b *treeBuilder) proc(cfg Config) {
	b.file("/proc/version", "Linux version 6.1.0 (limpet)\n", 0o444)
	b.file("/proc/self/comm", "bash\n", 0o444)
	b.file("/proc/self/cmdline", "bash\x00", 0o444)
	b.file("/proc/self/status", fmt.Sprintf("Name:\tbash\nState:\tR (running)\nPid:\t1000\nPPid:\t999\nUid:\t%[1]d\t%[1]d\t%[1]d\t%[1]d\nGid:\t%[2]d\t%[2]d\t%[2]d\t%[2]d\n",
		cfg.User.UID, cfg.User.GID), 0o444)
	b.file("/proc/cpuinfo", "processor\t: 0\n", 0o444)
	b.file("/proc/uptime", "0.00 0.00\n", 0o444)
}
