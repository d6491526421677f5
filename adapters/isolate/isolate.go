//go:build linux

package isolate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/builtins/all"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
)

// A Sandbox runs scripts in a process of its own. It is safe for concurrent use.
type Sandbox struct {
	*state
	setup *process // that the hooks for its creation use; nil elsewhere
}

// state is what a Sandbox shares with those that its hooks get.
type state struct {
	cfg     Config
	wire    wireConfig
	network *netpolicy.Guard

	mu      sync.Mutex
	closed  bool
	process *process
	life    *limpet.Life // of the process
	running sync.WaitGroup
}

const (
	defaultPatience = 10 * time.Second
	headroom        = 256 << 20
)

// New starts the process of a sandbox, and runs its setup.
func New(ctx context.Context, cfg Config) (*Sandbox, error) {
	if err := crosses(cfg); err != nil {
		return nil, err
	}
	cfg.Patience = cmp.Or(cfg.Patience, defaultPatience)
	network, err := cfg.Shell.Network.Open()
	if err != nil {
		return nil, fmt.Errorf("isolate: %w", err)
	}
	wire, err := wireOf(cfg)
	if err != nil {
		return nil, fmt.Errorf("isolate: %w", err)
	}
	s := &Sandbox{state: &state{cfg: cfg, wire: wire, network: network}}
	if _, err := s.live(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("isolate: %w", err), s.Close())
	}
	return s, nil
}

// crosses fails where a configuration has what cannot be handed to another process.
func crosses(cfg Config) error {
	c := cfg.Shell
	for _, field := range []struct {
		name, advice string
		set          bool
	}{
		{"Files", "the process has files of its own: write them with WriteFile, or name directories of the host in Dirs", c.Files != nil},
		{"Quota", "it cannot be shared with another process: Limits bounds the files", c.Quota != nil},
		{"Mounts", "a file system cannot be handed to another process: name directories of the host in Dirs", len(c.Mounts) > 0},
		{"Clock", "the process has the clock of the host", c.Clock != nil},
		{"Random", "the process has randomness of its own", c.Random != nil},
		{"Guard", "the process has a guard of its own: see Memory", c.Guard != nil},
		{"Network.Bindings", "secrets stay out of the process that runs scripts", len(c.Network.Bindings) > 0},
		{"Network.Resolver", "the process has the resolver of the host", c.Network.Resolver != nil},
		{"Network.Roots", "the process has the roots of the host", c.Network.Roots != nil},
	} {
		if field.set {
			return &limpet.OptionError{Option: "Shell." + field.name, Text: "isolate: Shell." + field.name + ": " + field.advice}
		}
	}
	if cfg.Memory < 0 || cfg.Memory > 0 && cfg.Memory < smallest {
		return &limpet.OptionError{Option: "Memory", Text: fmt.Sprintf("isolate: Memory: a process needs %d bytes at least", int64(smallest))}
	}
	return nil
}

// smallest is how much memory a process needs to run anything.
const smallest = 128 << 20

// wireOf returns what the process is to know of a configuration.
func wireOf(cfg Config) (wireConfig, error) {
	w := wireConfig{
		Shell: wireShellOf(cfg.Shell), Memory: cfg.Memory, Dirs: slices.Clone(cfg.Dirs),
		Events: cfg.Shell.Watch.Event != nil, Approves: cfg.Shell.Watch.Approve != nil,
		ApprovesFiles: cfg.Shell.Watch.ApproveFile != nil, LogsNetwork: cfg.Shell.Network.Log != nil,
	}
	if w.Memory == 0 {
		w.Memory = headroom + 2*max(cfg.Shell.Limits.Of(limits.Memory), limits.Default().Of(limits.Memory))
	}
	for i := range w.Dirs {
		var err error
		if w.Dirs[i].Host, err = filepath.Abs(w.Dirs[i].Host); err != nil {
			return w, err
		}
	}
	var err error
	if w.Commands, err = wireCommands(cfg.Shell.Commands); err == nil {
		w.Extra, err = wireCommands(cfg.Shell.Extra)
	}
	return w, err
}

func wireCommands(list []*builtins.Command) (wire []wireCommand, err error) {
	if list == nil {
		return nil, nil
	}
	wire = []wireCommand{}
	standard := all.Commands()
	for _, c := range list {
		if c == nil || c.Name == "" || c.Run == nil {
			return nil, errors.New("a command without a name or a Run function")
		}
		wire = append(wire, wireCommand{
			Name: c.Name, Synopsis: c.Synopsis, Summary: c.Summary, Aliases: c.Aliases, Trouble: c.Trouble,
			Standard: slices.Contains(standard, c),
		})
	}
	return wire, nil
}

// callbacks returns the commands that are not of the module.
func callbacks(c limpet.Config) map[string]*builtins.Command {
	table := map[string]*builtins.Command{}
	standard := all.Commands()
	for _, cmd := range slices.Concat(c.Commands, c.Extra) {
		if !slices.Contains(standard, cmd) {
			table[cmd.Name] = cmd
		}
	}
	return table
}

// live returns the process, which it starts where there is none, once it is set up.
func (s *Sandbox) live(ctx context.Context) (*process, error) {
	if s.setup != nil {
		return s.setup, nil
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, limpet.ErrClosed
	}
	p := s.process
	if p != nil && p.alive() {
		s.mu.Unlock()
		select {
		case <-p.ready:
			return p, nil
		case <-p.dead:
			return nil, p.lost()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if p != nil {
		p.served.Wait()
	}
	p, err := startProcess(ctx, s.cfg, s.wire, s.network)
	if err != nil {
		s.mu.Unlock()
		return nil, err
	}
	life := new(limpet.Life)
	s.process, s.life = p, life
	s.mu.Unlock()
	if err := life.Begin(ctx, s.cfg.Shell.Lifecycle, &Sandbox{state: s.state, setup: p}); err != nil {
		p.kill(err)
		return nil, err
	}
	close(p.ready)
	return p, nil
}

// use notes that something has begun, and returns the process that it is for, and what
// ends it.
func (s *Sandbox) use(ctx context.Context) (p *process, end func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, context.Cause(ctx)
	}
	s.mu.Lock()
	if s.closed && s.setup == nil {
		s.mu.Unlock()
		return nil, nil, limpet.ErrClosed
	}
	s.running.Add(1)
	s.mu.Unlock()
	if p, err = s.live(ctx); err != nil {
		s.running.Done()
		return nil, nil, err
	}
	return p, s.running.Done, nil
}

// Exec runs a script and waits for it. Where the process ends meanwhile, that is what has
// stopped the script: see [LostError].
func (s *Sandbox) Exec(ctx context.Context, req limpet.Request) (*limpet.Result, error) {
	p, end, err := s.use(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	res, _, err := p.exec(ctx, req, 0)
	return res, err
}

// ReadFile returns the content of a file.
func (s *Sandbox) ReadFile(ctx context.Context, name string) ([]byte, error) {
	p, end, err := s.use(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	f, err := call[namedFile](ctx, p.peer, "readfile", namedFile{Name: name})
	return f.Data, p.or(err)
}

// WriteFile makes data the content of a file, and makes the file, with the mode perm,
// and the directories that it is in where they do not exist.
func (s *Sandbox) WriteFile(ctx context.Context, name string, data []byte, perm fs.FileMode) error {
	p, end, err := s.use(ctx)
	if err != nil {
		return err
	}
	defer end()
	_, err = call[nothing](ctx, p.peer, "writefile", namedFile{name, data, perm})
	return p.or(err)
}

// Workspace returns the directory that scripts start in.
func (s *Sandbox) Workspace() string { return s.said().Workspace }

// said returns what the process says of itself.
func (s *Sandbox) said() hello {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process.hello
}

// Access returns that of the configuration.
func (s *Sandbox) Access() limpet.Access { return s.cfg.Shell.Access }

// Secrets returns those of the configuration.
func (s *Sandbox) Secrets() map[string]string { return maps.Clone(s.cfg.Shell.Secrets) }

// Streams reports true.
func (s *Sandbox) Streams() bool { return true }

// Describe says what the sandbox is.
func (s *Sandbox) Describe() limpet.Description {
	d := s.said().Description
	d.Kind = "isolate"
	d.Where += ", in a process of its own"
	d.Limits = append(slices.Clone(d.Limits), limpet.NamedCap{Name: "process memory", Value: fmt.Sprintf("%d MiB", s.wire.Memory>>20)})
	return d
}

// Close runs the hooks for the end, ends what is running and the process.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	p, life, was := s.process, s.life, s.closed
	s.mu.Unlock()
	if p == nil || was {
		s.shut()
		return nil
	}
	err := life.End(&Sandbox{state: s.state, setup: p})
	s.shut()
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Patience)
	defer cancel()
	ended := make(chan struct{})
	p.served.Go(func() {
		defer close(ended)
		_, _ = call[nothing](ctx, p.peer, "close", nothing{}) // where it fails the process is killed all the same
		s.running.Wait()
	})
	select {
	case <-ended:
	case <-ctx.Done():
	}
	p.kill(limpet.ErrClosed)
	s.running.Wait()
	return err
}

// shut refuses what comes after.
func (s *Sandbox) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}
