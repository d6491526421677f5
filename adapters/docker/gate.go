package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/internal/box"
	"github.com/limpet-sh/limpet/netpolicy/proxy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// A gate is the only way out of a sandbox: a container with a proxy, which is in the
// network of the sandbox and in another one. This process speaks with it over its
// standard streams, so that the engine may be anywhere, and no secret is in a file.
type gate struct {
	program string // the file of limpet
	owner   *proxy.Owner
	engine  *client.Client
	id      string
	first   *proxy.Setup // until it was handed out

	cancel context.CancelFunc
	done   sync.WaitGroup
}

// newGate finds what a gate is made of.
func newGate(cfg Config) (g *gate, err error) {
	g = &gate{program: cfg.Proxy}
	if g.owner, err = proxy.NewOwner(cfg.Network); err != nil {
		return nil, &limpet.OptionError{Option: "Network", Text: "LocalDockerSandbox cannot enforce this policy: " + err.Error()}
	}
	if g.program == "" {
		if g.program, err = exec.LookPath("limpet"); err != nil {
			return nil, fmt.Errorf("a policy that allows some of the network needs the program limpet, which is the proxy: %w: set Config.Proxy", err)
		}
	}
	return g, checkStatic(g.program)
}

// gatePort is where the proxy listens.
const gatePort = "3128"

// open makes the network of the sandbox and the gate in it.
func (g *gate) open(ctx context.Context, engine *client.Client, labels map[string]string, name string, progress io.Writer) error {
	g.engine = engine
	image, err := importImage(ctx, engine, g.program, progress)
	if err != nil {
		return err
	}
	if err := createNetwork(ctx, engine, name, labels); err != nil {
		return err
	}
	yes, processes := true, int64(256)
	created, err := engine.ContainerCreate(ctx, client.ContainerCreateOptions{
		Name: name + "-gate",
		Config: &container.Config{
			Image: image, User: "65534:65534", Entrypoint: []string{"/limpet", "proxy"}, Hostname: "gate", Labels: labels,
			OpenStdin: true, AttachStdin: true, AttachStdout: true, Env: []string{"GOMEMLIMIT=" + strconv.Itoa(gateMemory*3/4)},
		},
		HostConfig: &container.HostConfig{
			NetworkMode: container.NetworkMode(name), ReadonlyRootfs: true, Init: &yes, CapDrop: []string{"ALL"},
			SecurityOpt: []string{"no-new-privileges:true"}, Resources: container.Resources{PidsLimit: &processes, Memory: gateMemory, MemorySwap: gateMemory},
			Sysctls:   map[string]string{"net.ipv4.ip_forward": "0"},
			LogConfig: container.LogConfig{Type: "none"},
		},
	})
	if err != nil {
		return err
	}
	g.id = created.ID
	if _, err := engine.NetworkConnect(ctx, "bridge", client.NetworkConnectOptions{Container: g.id}); err != nil {
		return err
	}
	if _, err := engine.ContainerStart(ctx, g.id, client.ContainerStartOptions{}); err != nil {
		return err
	}
	address, err := g.address(ctx, name)
	if err != nil {
		return err
	}
	stay, cancel := context.WithCancel(context.Background())
	g.cancel = cancel
	g.done.Go(func() { g.speak(stay) })
	ctx, stop := context.WithTimeoutCause(ctx, opening, errors.New("docker: the proxy of the sandbox does not answer"))
	defer stop()
	setup, err := g.owner.Open(ctx, net.JoinHostPort(address.String(), gatePort), box.Bundle(control), 0)
	g.first = &setup
	return err
}

const (
	gateMemory = 256 << 20
	opening    = 30 * time.Second // how long the proxy may take to begin
)

// address returns the one that the sandbox reaches the gate at.
func (g *gate) address(ctx context.Context, network string) (netip.Addr, error) {
	c, err := g.engine.ContainerInspect(ctx, g.id, client.ContainerInspectOptions{})
	if err != nil {
		return netip.Addr{}, err
	}
	if n := c.Container.NetworkSettings.Networks[network]; n != nil && n.IPAddress.IsValid() {
		return n.IPAddress, nil
	}
	return netip.Addr{}, errors.New("docker: the proxy of the sandbox has no address")
}

// speak keeps a connection to the streams of the gate until ctx is done.
func (g *gate) speak(ctx context.Context) {
	for pause := 50 * time.Millisecond; ctx.Err() == nil; pause = min(2*pause, 2*time.Second) {
		attached, err := g.engine.ContainerAttach(ctx, g.id, client.ContainerAttachOptions{Stream: true, Stdin: true, Stdout: true})
		if err == nil {
			conn := attached.HijackedResponse
			stop := context.AfterFunc(ctx, conn.Close)
			start := time.Now()
			_ = g.owner.Serve(ctx, &demultiplexer{r: conn.Reader}, conn.Conn) // it is made again
			stop()
			conn.Close()
			if time.Since(start) > time.Minute {
				pause = 50 * time.Millisecond
			}
		} else if errdefs.IsNotFound(err) {
			return // the sandbox has no network from now on
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// setup returns what the next command sources.
func (g *gate) setup(ctx context.Context) (proxy.Setup, error) {
	if first := g.first; first != nil { // one call at a time
		g.first = nil
		return *first, nil
	}
	ctx, stop := context.WithTimeoutCause(ctx, opening, errors.New("docker: the proxy of the sandbox does not answer"))
	defer stop()
	return g.owner.Renew(ctx)
}

// close ends the connection. The container goes with that of the sandbox.
func (g *gate) close() {
	if g.cancel != nil {
		g.cancel()
	}
	g.done.Wait()
}
