// Package limpet runs Bash scripts inside this process, in a world of their own:
// files, processes, network and clock are simulated, resources are bounded, no
// process is spawned and no file of the host is touched.
//
//	sh, err := limpet.New(limpet.Config{})
//	if err != nil { … }
//	defer sh.Close()
//	res, err := sh.Exec(ctx, limpet.Request{Script: "echo hello | tr a-z A-Z"})
//
// The zero [Config] is the safe one: empty files in memory, no network, the
// default limits, every command.
package limpet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/builtins/all"
	"github.com/limpet-sh/limpet/interp"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/vfs"
)

// A Config describes a shell to be made by [New]. Every field may be left zero.
type Config struct {
	// Files is the root of the file system. Nil means a new one in memory
	// with the directories that scripts expect and a program file for every
	// command, in which Dir is empty. One that is given is used as it is:
	// programs are found only where it has their files; see [Populate].
	Files vfs.FS

	// Quota bounds what the files in memory that Files is nil for hold, and
	// have open, together with file systems of the host's that were made with
	// the same Quota, such as those in Mounts. Nil means that Limits alone
	// bound them.
	Quota *vfs.Quota

	// Mounts are file systems that appear below the root.
	Mounts []Mount

	// Dir is the directory of the user's work, which is made where Files is
	// nil. Empty means /workspace.
	Dir string

	// Start is where scripts start. Empty means Dir.
	Start string

	// Env are the variables that scripts inherit, besides PATH, HOME, USER
	// and their like, which it may replace.
	Env map[string]string

	// Secrets are variables like those of Env, whose values the tools keep from models;
	// see [SecretsOf].
	Secrets map[string]string

	// Network says what scripts may reach. The zero policy is nothing.
	Network netpolicy.Policy

	// Limits bounds each execution, and the files. The zero Limits is the
	// default profile.
	Limits limits.Limits

	// Commands are the programs that there are. Nil means all of the module.
	Commands []*builtins.Command

	// Extra are further commands, which replace those of the same name.
	Extra []*builtins.Command

	// User is who runs the scripts. The zero User is "user", with the ids
	// 1000.
	User builtins.User

	// Hostname is what hostname prints. Empty means limpet.
	Hostname string

	// Clock is the time that scripts see. Nil means that of the host, in
	// which scripts really sleep; see [VirtualClock].
	Clock builtins.Clock

	// Random is what /dev/urandom and $RANDOM read. Nil means
	// crypto/rand.
	Random io.Reader

	// Lifecycle is what happens when the shell is made, and when it is closed. It
	// is not for forks of the shell.
	Lifecycle Lifecycle

	// Access is how much of the shell the tools give to a model. Zero is all.
	Access Access

	// Background says that there may be processes in the background, which go on
	// from one execution to the next; see [Shell.Processes].
	Background bool

	// Grace is how long jobs that a script has left in the background may
	// go on after it. Zero ends them with the script.
	Grace time.Duration

	// Guard watches the memory of the process. Nil means that nobody does.
	Guard *Guard

	// Watch follows what scripts do, and refuses it. The zero Watch does
	// neither.
	Watch Watch
}

// A Mount is a file system at a place of another.
type Mount struct {
	Path string // absolute
	FS   vfs.FS
}

// A Shell is a sandbox in this process. Its files persist from one execution to
// the next; the state of the shell does not, but in a [Session]. It is safe for
// concurrent use.
type Shell struct {
	cfg    Config
	interp *interp.Config
	files  vfs.FS
	env    map[string]string
	starts starts
	life   Life

	executions atomic.Uint64 // that a watch was told of
	background processTable

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelFunc
}

// ErrPipe is what the Write of a request's Stdout or Stderr returns where nobody
// reads what is written: the command dies of SIGPIPE then.
var ErrPipe error = vfs.EPIPE

// ErrClosed is what a method of a closed shell or session returns.
var ErrClosed = errors.New("limpet: closed")

// New returns a new shell.
func New(cfg Config) (*Shell, error) {
	sh := &Shell{cfg: cfg.withDefaults()}
	if err := CheckSecrets(cfg.Secrets); err != nil {
		return nil, err
	}
	commands, err := sh.cfg.table()
	if err != nil {
		return nil, err
	}
	guard, err := sh.cfg.Network.Open()
	if err != nil {
		return nil, fmt.Errorf("limpet: %w", err)
	}
	if err := sh.makeFiles(); err != nil {
		return nil, err
	}
	if info, err := sh.files.Stat(sh.cfg.Start); err != nil {
		return nil, fmt.Errorf("limpet: start directory: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("limpet: start directory: %w", &fs.PathError{Op: "stat", Path: sh.cfg.Start, Err: vfs.ENOTDIR})
	}
	sh.interp = &interp.Config{
		FS: sh.files, Clock: sh.cfg.Clock, Rand: sh.cfg.Random, User: sh.cfg.User, Host: sh.cfg.Hostname,
		Network: guard, Command: func(name string) *builtins.Command { return commands[name] },
		Unavailable: unavailable,
	}
	sh.env = map[string]string{
		"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME": sh.cfg.User.Home, "USER": sh.cfg.User.Name, "LOGNAME": sh.cfg.User.Name,
		"SHELL": "/bin/bash", "TERM": "dumb", "LANG": "C.UTF-8",
	}
	maps.Copy(sh.env, sh.cfg.Env)
	maps.Copy(sh.env, sh.cfg.Secrets)
	maps.Copy(sh.env, guard.Environ()) // last: never what the placeholder stands for
	sh.ctx, sh.cancel = context.WithCancel(context.Background())
	if err := sh.life.Begin(sh.ctx, cfg.Lifecycle, sh); err != nil {
		return nil, fmt.Errorf("limpet: %w", errors.Join(err, sh.Close()))
	}
	return sh, nil
}

func (cfg Config) withDefaults() Config {
	if cfg.Dir == "" {
		cfg.Dir = "/workspace"
	}
	if cfg.Start == "" {
		cfg.Start = cfg.Dir
	}
	if cfg.User.Name == "" {
		cfg.User = builtins.User{Name: "user", Group: "user", UID: 1000, GID: 1000}
	}
	if cfg.User.Home == "" {
		cfg.User.Home = "/home/" + cfg.User.Name
	}
	if cfg.User.Group == "" {
		cfg.User.Group = cfg.User.Name
	}
	if cfg.Hostname == "" {
		cfg.Hostname = "limpet"
	}
	if cfg.Clock == nil {
		cfg.Clock = hostClock{}
	}
	return cfg
}

// table returns the commands by name.
func (cfg *Config) table() (map[string]*builtins.Command, error) {
	if cfg.Commands == nil && cfg.Extra == nil {
		return standardCommands(), nil
	}
	list := cfg.Commands
	if list == nil {
		list = all.Commands()
	}
	table := map[string]*builtins.Command{}
	for _, c := range slices.Concat(list, cfg.Extra) {
		if c == nil || c.Name == "" || c.Run == nil {
			return nil, fmt.Errorf("limpet: a command without a name or a Run function")
		}
		table[c.Name] = c
		for _, alias := range c.Aliases {
			table[alias] = c
		}
	}
	return table, nil
}

// standardCommands returns all commands by name. The map is not to be changed.
var standardCommands = sync.OnceValue(func() map[string]*builtins.Command {
	table := map[string]*builtins.Command{}
	for _, c := range all.Commands() {
		table[c.Name] = c
		for _, alias := range c.Aliases {
			table[alias] = c
		}
	}
	return table
})

// begin notes that an execution has begun, and returns what ends it.
func (sh *Shell) begin() (end func(), err error) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.closed {
		return nil, ErrClosed
	}
	sh.running.Add(1)
	return sh.running.Done, nil
}

// Close runs the hooks for the end, ends what is running and waits for it.
func (sh *Shell) Close() error {
	err := sh.life.End(sh)
	sh.mu.Lock()
	sh.closed = true
	sh.mu.Unlock()
	sh.cancel()
	sh.running.Wait()
	return err
}

// Exec runs a script and waits for it to end. A script that fails, or that a
// limit stops, is a [Result]; an error means that there is none.
//
// Executions are independent: they share the files, and nothing of the shell.
func (sh *Shell) Exec(ctx context.Context, req Request) (*Result, error) {
	end, err := sh.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	shell, start := sh.start(req, SessionOptions{})
	res, err := sh.run(ctx, shell, req)
	if start != nil && err == nil && res.Stopped == nil {
		start.Keep(shell, req.Script)
	}
	return res, err
}

// start returns a shell that a request begins with, and what that was made of, if
// it can remember the program.
func (sh *Shell) start(req Request, opts SessionOptions) (*interp.Shell, *interp.Start) {
	s := interp.Startup{
		Name: cmp.Or(req.Name, "bash"), Dir: cmp.Or(req.Dir, opts.Dir, sh.cfg.Start), Env: sh.env, Umask: 0o022,
		Posix: req.Posix, Command: !req.Batch && !req.FromStdin, Stdin: req.FromStdin,
	}
	if opts.Interactive {
		s.Interactive, s.Command = true, false
	}
	if opts.Interactive || len(opts.Env)+len(req.Env) > 0 {
		s.Env = maps.Clone(sh.env)
		maps.Copy(s.Env, opts.Env)
		maps.Copy(s.Env, req.Env)
		return interp.New(sh.interp, s), nil
	}
	start := sh.starts.of(sh.interp, s)
	return start.Shell(s.Name, s.Dir), start
}

// starts has what shells start from, for each way in which they read their
// script. The zero value is ready for use.
type starts struct {
	mu   sync.Mutex
	list map[startKind]*interp.Start
}

type startKind struct{ posix, command, stdin bool }

// of returns the start for a startup.
func (t *starts) of(cfg *interp.Config, s interp.Startup) *interp.Start {
	t.mu.Lock()
	defer t.mu.Unlock()
	kind := startKind{s.Posix, s.Command, s.Stdin}
	if t.list[kind] == nil {
		if t.list == nil {
			t.list = map[startKind]*interp.Start{}
		}
		t.list[kind] = interp.NewStart(cfg, s)
	}
	return t.list[kind]
}

// Limits returns the limits of each execution.
func (sh *Shell) Limits() limits.Limits { return sh.cfg.Limits }

// Files returns the file system, for the host. It acts as the user of the
// scripts.
func (sh *Shell) Files() vfs.FS { return sh.files }

// ReadFile returns the content of a file.
func (sh *Shell) ReadFile(_ context.Context, name string) ([]byte, error) {
	return vfs.ReadFile(sh.view(), name)
}

// WriteFile makes data the content of a file, and makes the file, with the mode
// perm, and the directories that it is in where they do not exist.
func (sh *Shell) WriteFile(_ context.Context, name string, data []byte, perm fs.FileMode) error {
	v := sh.view()
	if dir := parent(v.Abs(name)); dir != "/" {
		if err := v.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	return vfs.WriteFile(v, name, data, perm)
}

// ReadDir returns the entries of a directory by name.
func (sh *Shell) ReadDir(_ context.Context, name string) ([]fs.DirEntry, error) {
	return sh.view().ReadDir(name)
}

// Stat returns the status of a file.
func (sh *Shell) Stat(_ context.Context, name string) (fs.FileInfo, error) {
	return sh.view().Stat(name)
}

// Mkdir makes a directory and those that it is in.
func (sh *Shell) Mkdir(_ context.Context, name string, perm fs.FileMode) error {
	return sh.view().MkdirAll(name, perm)
}

// Remove removes a file, or a directory and what is below it.
func (sh *Shell) Remove(_ context.Context, name string) error {
	return sh.view().RemoveAll(name)
}

func (sh *Shell) view() *vfs.View {
	return &vfs.View{FS: sh.files, Dir: sh.cfg.Start, Umask: 0o022}
}
