//go:build linux

package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/internal/lease"
	"github.com/limpet-sh/limpet/limits"
)

const (
	defaultTimeout = 10 * time.Minute
	warning        = "limpet: WARNING: DangerousLocalSandbox has no isolation: scripts run on this host as its user and can read, change and delete everything that the user can\n"
)

// A Sandbox runs scripts on the host. It is safe for concurrent use.
type Sandbox struct {
	cfg       Config
	lease     *lease.Lease
	shell     string // its path
	workspace string
	env       map[string]string
	processes processes
	life      limpet.Life

	mu      sync.Mutex
	closed  bool
	serial  int
	running sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelCauseFunc
}

// New makes a sandbox and runs its setup.
func New(ctx context.Context, cfg Config) (*Sandbox, error) {
	if os.Getenv(OptInName) != OptInValue {
		return nil, ErrNotAllowed
	}
	if cfg.Network != nil {
		return nil, &limpet.OptionError{Option: "Network", Text: "DangerousLocalSandbox runs on the host, so it always has the host's network and cannot enforce another policy: remove the network argument"}
	}
	if cfg.Workspace != "" && !filepath.IsAbs(cfg.Workspace) {
		return nil, &limpet.OptionError{Option: "Workspace", Text: fmt.Sprintf("the workspace must be an absolute path, and %q is not", cfg.Workspace)}
	}
	cfg.Shell = cmp.Or(cfg.Shell, "bash")
	if cfg.Shell != "bash" && cfg.Shell != "sh" {
		return nil, &limpet.OptionError{Option: "Shell", Text: fmt.Sprintf("the shell must be bash or sh, and not %q", cfg.Shell)}
	}
	if err := limpet.CheckSecrets(cfg.Secrets); err != nil {
		return nil, err
	}
	if err := supported(); err != nil {
		return nil, err
	}
	s := &Sandbox{cfg: cfg}
	s.cfg.Timeout = cmp.Or(cfg.Timeout, defaultTimeout)
	s.cfg.MaxOutput = cmp.Or(cfg.MaxOutput, limits.Limits{}.Of(limits.Output))
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	if err := s.open(); err != nil {
		return nil, err
	}
	w := cfg.Warnings
	if w == nil {
		w = os.Stderr
	}
	_, _ = io.WriteString(w, warning) // nobody listens where it fails
	if err := s.life.Begin(ctx, cfg.Lifecycle, s); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open makes the directories.
func (s *Sandbox) open() (err error) {
	if s.shell, err = exec.LookPath(s.cfg.Shell); err != nil {
		return fmt.Errorf("no %s on this host: %w", s.cfg.Shell, err)
	}
	base, err := lease.Base("host")
	if err != nil {
		return err
	}
	if s.lease, err = lease.New(base); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.lease.End())
		}
	}()
	s.workspace = s.cfg.Workspace
	if s.workspace == "" {
		own, err := lease.Base("host-workspaces")
		if err != nil {
			return err
		}
		s.workspace = filepath.Join(own, s.lease.ID)
	}
	if s.deletes() {
		if err := s.lease.Record(record{Workspace: s.workspace}); err != nil {
			return err
		}
	}
	for _, dir := range []string{s.workspace, s.at("home"), s.at("tmp"), s.at("run")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if s.workspace, err = filepath.EvalSymlinks(s.workspace); err != nil {
		return err
	}
	s.env = s.environment()
	return nil
}

// deletes reports whether the workspace is deleted in the end.
func (s *Sandbox) deletes() bool {
	return s.cfg.Cleanup == CleanupAll || s.cfg.Cleanup == CleanupOwn && s.cfg.Workspace == ""
}

// record is what the lease tells whoever cleans up.
type record struct {
	Workspace string // to be deleted
}

// at returns the name of something that the sandbox keeps for itself.
func (s *Sandbox) at(name string) string { return filepath.Join(s.lease.Dir, name) }

// environment returns what scripts inherit.
func (s *Sandbox) environment() map[string]string {
	env := map[string]string{}
	if s.cfg.InheritEnv {
		for _, e := range os.Environ() {
			for i := 1; i < len(e); i++ {
				if e[i] == '=' {
					env[e[:i]] = e[i+1:]
					break
				}
			}
		}
	} else {
		env["PATH"] = cmp.Or(os.Getenv("PATH"), "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
		env["HOME"], env["TMPDIR"] = s.at("home"), s.at("tmp")
		env["LANG"], env["TERM"], env["SHELL"] = "C.UTF-8", "dumb", s.shell
		for _, name := range []string{"USER", "LOGNAME", "TZ"} {
			if v, ok := os.LookupEnv(name); ok {
				env[name] = v
			}
		}
	}
	maps.Copy(env, s.cfg.Env)
	maps.Copy(env, s.cfg.Secrets)
	return env
}

// begin notes that something has begun. It returns what ends it, and a number that
// nothing else has.
func (s *Sandbox) begin() (serial int, end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, nil, limpet.ErrClosed
	}
	s.running.Add(1)
	s.serial++
	return s.serial, s.running.Done, nil
}

// Workspace returns the directory that scripts start in.
func (s *Sandbox) Workspace() string { return s.workspace }

// Access returns that of the configuration.
func (s *Sandbox) Access() limpet.Access { return s.cfg.Access }

// Secrets returns those of the configuration.
func (s *Sandbox) Secrets() map[string]string { return maps.Clone(s.cfg.Secrets) }

// Streams reports true.
func (s *Sandbox) Streams() bool { return true }

// Describe says what the sandbox is.
func (s *Sandbox) Describe() limpet.Description {
	return limpet.Description{
		Kind: "host", Where: "on the host itself, as its user, without any isolation", Network: "everything that the host can reach",
		Limits: []limpet.NamedCap{{Name: "time", Value: s.cfg.Timeout.String()}},
	}
}

// Close runs the hooks for the end, ends everything that the sandbox has started, and
// deletes what it consists of.
func (s *Sandbox) Close() error {
	err := s.life.End(s)
	s.mu.Lock()
	was := s.closed
	s.closed = true
	s.mu.Unlock()
	s.cancel(limpet.ErrClosed)
	s.running.Wait()
	if was {
		return err
	}
	s.processes.close()
	err = errors.Join(err, killMarked(s.mark("")))
	if s.deletes() {
		err = errors.Join(err, lease.RemoveAll(s.workspace))
	}
	return errors.Join(err, s.lease.End())
}

// Reap ends the processes and deletes the directories of sandboxes whose owners have
// died without closing them. It returns how many there were.
func Reap() (int, error) {
	return lease.Reap("host", reap)
}

// reap removes what belongs to one lease.
func reap(l *lease.Lease) error {
	if err := killMarked(markName + "=" + l.ID + "."); err != nil {
		return err
	}
	var r record
	if err := l.Recorded(&r); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if r.Workspace != "" {
		if err := lease.RemoveAll(r.Workspace); err != nil {
			return err
		}
	}
	return l.End()
}

// markName is the variable by which processes of a sandbox are known: its value is the
// id of the sandbox, a point, and what started them.
const markName = "LIMPET_HOST_SANDBOX"

// mark returns the variable for what the sandbox starts.
func (s *Sandbox) mark(what string) string { return markName + "=" + s.lease.ID + "." + what }
