package docker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/internal/box"
	"github.com/limpet-sh/limpet/adapters/internal/lease"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"
)

// A Sandbox is a container. It is safe for concurrent use.
type Sandbox struct {
	*box.Box
	cfg    Config
	at     place
	engine *client.Client
	link   *link
	lease  *lease.Lease
	local  bool // the engine sees the files of this machine
	uid    int  // of the user of the scripts
	gid    int
	shared *shared // the workspace, where it is a directory of this machine
	gate   *gate   // the only way out; nil where there is none, or no need of one
	life   limpet.Life

	closing sync.Mutex
	closed  bool
}

// labelSession and labelMachine are the labels of a container: the id of its lease,
// and what tells the machine of its owner.
const (
	labelSession = "sh.limpet.session"
	labelMachine = "sh.limpet.machine"
)

// record is what the lease tells whoever cleans up.
type record struct{ place }

// New makes a container and runs its setup.
func New(ctx context.Context, cfg Config) (_ *Sandbox, err error) {
	s := &Sandbox{cfg: cfg.defaults()}
	if isProxied(cfg.Network) {
		if s.gate, err = newGate(cfg); err != nil {
			return nil, err
		}
	}
	if err := limpet.CheckSecrets(cfg.Secrets); err != nil {
		return nil, err
	}
	if s.at, err = placeOf(cfg.Host); err != nil {
		return nil, err
	}
	if s.engine, err = s.at.connect(); err != nil {
		return nil, err
	}
	if _, err := Reap(ctx, cfg.Host); err != nil {
		return nil, errors.Join(err, s.engine.Close())
	}
	base, err := lease.Base("docker")
	if err == nil {
		s.lease, err = lease.New(base)
	}
	if err != nil {
		return nil, errors.Join(err, s.engine.Close())
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.remove())
	}
	if err := s.life.Begin(ctx, cfg.Lifecycle, s); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open makes and starts the container.
func (s *Sandbox) open(ctx context.Context) error {
	host := s.engine.DaemonHost()
	s.local = strings.HasPrefix(host, "unix://")
	if err := s.lease.Record(record{place{Host: host, TLS: s.at.TLS}}); err != nil {
		return err
	}
	s.uid, s.gid = 1000, 1000
	if s.local && os.Getuid() != 0 {
		s.uid, s.gid = os.Getuid(), os.Getgid()
	}
	if s.local {
		dir := filepath.Join(s.lease.Dir, "workspace")
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		if os.Getuid() == 0 {
			if err := os.Chown(dir, s.uid, s.gid); err != nil {
				return err
			}
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		s.shared = &shared{root: root, uid: s.uid, gid: s.gid}
	}
	if s.gate != nil {
		if err := s.gate.open(ctx, s.engine, s.labels(), s.name(), s.cfg.Progress); err != nil {
			return explain(err)
		}
	}
	created, err := s.create(ctx)
	if errdefs.IsNotFound(err) {
		if err = pull(ctx, s.engine, s.cfg.Image, s.cfg.Progress); err == nil {
			created, err = s.create(ctx)
		}
	}
	if err != nil {
		return explain(err)
	}
	if _, err := s.engine.ContainerStart(ctx, created.ID, client.ContainerStartOptions{}); err != nil {
		return explain(err)
	}
	s.link = &link{engine: s.engine, container: created.ID, user: s.user()}
	opts := box.Options{
		Kind: "docker", Link: s.link, Control: control, Workspace: workspace, Env: s.variables(),
		Timeout: s.cfg.Timeout, MaxOutput: s.cfg.MaxOutput,
		Background:   s.cfg.SupportsBackgroundProcesses,
		NoBackground: "background processes are off with an image of your own: set SupportsBackgroundProcesses if it can run them",
	}
	if s.gate != nil {
		opts.Setup = s.gate.setup
	}
	s.Box, err = box.Open(ctx, opts)
	return explain(err)
}

// variables are those that scripts get.
func (s *Sandbox) variables() map[string]string {
	env := maps.Clone(s.cfg.Env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, s.cfg.Secrets)
	return env
}

// Secrets returns those of the configuration.
func (s *Sandbox) Secrets() map[string]string { return maps.Clone(s.cfg.Secrets) }

// name is that of the container, and labels are what is known of it.
func (s *Sandbox) name() string { return "limpet-" + s.lease.ID }

func (s *Sandbox) labels() map[string]string {
	return map[string]string{labelSession: s.lease.ID, labelMachine: machine()}
}

func (s *Sandbox) user() string { return fmt.Sprintf("%d:%d", s.uid, s.gid) }

// create makes the container.
func (s *Sandbox) create(ctx context.Context) (client.ContainerCreateResult, error) {
	yes := true
	scratch := func(mode string, more string) string {
		return "rw,nosuid,nodev,exec,size=" + strconv.FormatInt(s.cfg.Scratch, 10) + ",mode=" + mode + more
	}
	owner := ",uid=" + strconv.Itoa(s.uid) + ",gid=" + strconv.Itoa(s.gid)
	host := &container.HostConfig{
		NetworkMode: "none", ReadonlyRootfs: !s.cfg.WritableRoot, Init: &yes,
		CapDrop: []string{"ALL"}, SecurityOpt: []string{"no-new-privileges:true"},
		Tmpfs: map[string]string{"/tmp": scratch("1777", ""), home: scratch("0755", owner), control: scratch("0700", owner)},
	}
	if isAll(s.cfg.Network) {
		host.NetworkMode = "bridge"
	}
	if s.gate != nil {
		host.NetworkMode, host.DNS = container.NetworkMode(s.name()), []netip.Addr{nowhere}
	}
	if s.cfg.Memory > 0 {
		host.Memory, host.MemorySwap = s.cfg.Memory, s.cfg.Memory
	}
	if s.cfg.CPUs > 0 {
		host.NanoCPUs = int64(s.cfg.CPUs * 1e9)
	}
	if s.cfg.Processes > 0 {
		host.PidsLimit = &s.cfg.Processes
	}
	if s.local {
		host.Mounts = []mount.Mount{{Type: mount.TypeBind, Source: filepath.Join(s.lease.Dir, "workspace"), Target: workspace}}
	} else {
		host.Tmpfs[workspace] = scratch("0755", owner)
	}
	return s.engine.ContainerCreate(ctx, client.ContainerCreateOptions{
		Name: s.name(), HostConfig: host,
		Config: &container.Config{
			Image: s.cfg.Image, User: "0:0", WorkingDir: workspace, Hostname: "limpet",
			// Another user than that of the scripts keeps the container alive.
			Entrypoint: []string{"sh", "-c", "while :; do sleep 3600; done"},
			Env:        []string{"HOME=" + home, "LANG=C.UTF-8", "USER=limpet", "LOGNAME=limpet"},
			Labels:     s.labels(),
		},
	})
}

// Workspace returns the directory that scripts start in.
func (s *Sandbox) Workspace() string { return workspace }

// Access returns that of the configuration.
func (s *Sandbox) Access() limpet.Access { return s.cfg.Access }

// Streams reports true.
func (s *Sandbox) Streams() bool { return true }

// Describe says what the sandbox is.
func (s *Sandbox) Describe() limpet.Description {
	d := limpet.Description{Kind: "docker", Where: "in a container of " + s.cfg.Image, Network: "nothing"}
	if isAll(s.cfg.Network) {
		d.Network = "everything, the host of the container included"
	}
	if s.gate != nil {
		d.Network = s.cfg.Network.String() + ", through a proxy"
	}
	terminal := s.Terminal()
	if terminal == "" {
		terminal = "none: background processes have pipes"
	}
	d.Limits = []limpet.NamedCap{
		{Name: "memory", Value: strconv.FormatInt(s.cfg.Memory, 10)}, {Name: "cpus", Value: strconv.FormatFloat(s.cfg.CPUs, 'g', -1, 64)},
		{Name: "processes", Value: strconv.FormatInt(s.cfg.Processes, 10)}, {Name: "terminal", Value: terminal},
	}
	return d
}

// Close runs the hooks for the end and removes the container and its files.
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

// removal bounds how long the removal of a container may take.
const removal = time.Minute

// remove removes everything that there is.
func (s *Sandbox) remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), removal)
	defer cancel()
	var gone sync.WaitGroup
	if s.Box != nil {
		gone.Go(s.Box.Close)
	}
	if s.gate != nil {
		s.gate.close()
	}
	err := removeContainers(ctx, s.engine, s.lease.ID)
	gone.Wait()
	if s.link != nil {
		s.link.close()
	}
	if s.shared != nil {
		err = errors.Join(err, s.shared.root.Close())
	}
	if err != nil { // the directory stays for the next who cleans up
		return errors.Join(explain(err), s.lease.Release(), s.engine.Close())
	}
	return errors.Join(s.lease.End(), s.engine.Close())
}
