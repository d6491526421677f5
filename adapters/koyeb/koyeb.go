package koyeb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/internal/box"
	"github.com/limpet-sh/limpet/adapters/internal/lease"
)

// A Sandbox is a machine of Koyeb. It is safe for concurrent use.
type Sandbox struct {
	*box.Box
	cfg       Config
	api       *api
	app       string // "" where there is none
	service   *service
	link      *link
	way       *way
	lease     *lease.Lease
	workspace string
	life      limpet.Life

	closing sync.Mutex
	closed  bool
}

// record is what the lease tells whoever cleans up.
type record struct{ API, Name string }

// New makes a service, waits until it is ready, and runs its setup. Where anything
// fails it deletes what it has made.
func New(ctx context.Context, cfg Config) (*Sandbox, error) {
	a, err := newAPI(cfg)
	if err != nil {
		return nil, err
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	base, err := lease.Base("koyeb")
	if err != nil {
		return nil, err
	}
	s := &Sandbox{cfg: cfg, api: a, workspace: cmp.Or(cfg.Workspace, "/workspace")}
	if s.lease, err = lease.New(base); err != nil {
		return nil, err
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.remove())
	}
	if err := s.life.Begin(ctx, cfg.Lifecycle, s); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open makes the service and the box in it.
func (s *Sandbox) open(ctx context.Context) error {
	secret := newSecret()
	d := s.cfg.define("limpet-"+s.lease.ID, secret)
	if err := s.api.validate(ctx, s.cfg, d); err != nil {
		return err
	}
	name := fmt.Sprintf("sandbox-app-%s-%d", d.Name, time.Now().Unix())
	err := s.lease.Record(record{API: s.api.base, Name: name})
	if err != nil {
		return err
	}
	if s.app, err = s.api.create(ctx, name); err != nil {
		if ids, listErr := s.api.appsNamed(context.WithoutCancel(ctx), name); listErr == nil && len(ids) == 1 {
			s.app = ids[0] // it was made, and the answer was lost
		}
		return err
	}
	if s.service, err = s.api.start(ctx, s.cfg, s.app, d); err != nil {
		return err
	}
	s.link = &link{service: s.service, secret: secret, control: "/tmp", pause: cmp.Or(s.cfg.Pause, time.Second)}
	var temporary []byte
	for range 4 { // the answer may be lost
		if temporary, err = s.link.Run(ctx, `printf %s "${TMPDIR:-/tmp}"`, nil); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	s.link.control = string(temporary) + "/.limpet-" + s.lease.ID
	if s.way, err = newWay(s.cfg, s.link.control); err != nil {
		return err
	}
	opts := box.Options{
		Kind: "koyeb", Link: s.link, Control: s.link.control, Workspace: s.workspace, Env: s.cfg.Env,
		Timeout: s.cfg.Timeout, MaxOutput: s.cfg.MaxOutput, Slack: s.cfg.Slack, Turn: 10 * time.Second,
		Background:   s.cfg.SupportsBackgroundProcesses || s.cfg.Image == "",
		NoBackground: "background processes are off with an image of your own: set SupportsBackgroundProcesses if it can run them",
	}
	if s.way != nil {
		opts.Setup = s.way.setup
	}
	s.Box, err = box.Open(ctx, opts)
	return err
}

// Workspace returns the directory that scripts start in.
func (s *Sandbox) Workspace() string { return s.workspace }

// Access returns that of the configuration.
func (s *Sandbox) Access() limpet.Access { return s.cfg.Access }

// Streams reports true.
func (s *Sandbox) Streams() bool { return true }

// Describe says what the sandbox is.
func (s *Sandbox) Describe() limpet.Description {
	terminal := cmp.Or(s.Terminal(), "none: background processes have pipes")
	return limpet.Description{
		Kind: "koyeb", Where: "on a machine of Koyeb of the type " + cmp.Or(s.cfg.Instance, "medium"), Network: "everything",
		Limits: []limpet.NamedCap{{Name: "terminal", Value: terminal}, {Name: "lifetime", Value: cmp.Or(s.cfg.Lifetime, 24*time.Hour).String()}},
	}
}

// Close runs the hooks for the end and deletes the app of the service.
func (s *Sandbox) Close() error {
	err := s.life.End(s)
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.closed {
		return err
	}
	s.closed = true
	return errors.Join(err, s.remove())
}

// remove deletes the app. Where that fails the lease stays, for whoever cleans up.
func (s *Sandbox) remove() (err error) {
	s.way.close()
	if s.Box != nil {
		defer s.Box.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if s.app != "" {
		for pause := cmp.Or(s.cfg.Pause, time.Second); ; pause *= 2 {
			if err = s.api.deleteApp(ctx, s.app); err == nil || sleep(ctx, pause) != nil || pause > 8*cmp.Or(s.cfg.Pause, time.Second) {
				break
			}
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("the app %s was not deleted: %w", s.app, err), s.lease.Release())
	}
	return s.lease.End()
}

// Reap deletes the apps of sandboxes of this machine whose owners have died without
// closing them. It returns how many there were.
func Reap(ctx context.Context, cfg Config) (int, error) {
	return lease.Reap("koyeb", func(l *lease.Lease) error { return reap(ctx, l, cfg) })
}

// reap deletes what belongs to one lease.
func reap(ctx context.Context, l *lease.Lease, cfg Config) error {
	var r record
	if err := l.Recorded(&r); errors.Is(err, fs.ErrNotExist) {
		return l.End()
	} else if err != nil {
		return err
	}
	cfg.API = r.API
	a, err := newAPI(cfg)
	if err != nil {
		return err
	}
	ids, err := a.appsNamed(ctx, r.Name)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := a.deleteApp(ctx, id); err != nil {
			return fmt.Errorf("the app %s was not deleted: %w", strconv.Quote(id), err)
		}
	}
	return l.End()
}
