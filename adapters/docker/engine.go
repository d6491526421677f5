package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/limpet-sh/limpet/adapters/internal/lease"
	"github.com/moby/moby/client"
)

// ErrNoEngine is what calls fail with that do not reach an engine.
var ErrNoEngine = errors.New("no Docker engine can be reached: is it installed and running, and may this user use it?")

// ErrNoSpace is what calls fail with where the engine has no space left.
var ErrNoSpace = errors.New("the Docker engine has no space left on its device")

// connect makes a client for an engine, and does not talk to it yet.
func connect(host string) (*client.Client, error) {
	at, err := placeOf(host)
	if err != nil {
		return nil, err
	}
	return at.connect()
}

// Ping reports why no engine can be reached, and the version of its interface where it
// can.
func Ping(ctx context.Context, host string) (version string, err error) {
	engine, err := connect(host)
	if err != nil {
		return "", err
	}
	defer engine.Close()
	pong, err := engine.Ping(ctx, client.PingOptions{})
	return pong.APIVersion, explain(err)
}

// HasImage reports whether an engine has an image, without pulling it.
func HasImage(ctx context.Context, host, image string) (bool, error) {
	engine, err := connect(host)
	if err != nil {
		return false, err
	}
	defer engine.Close()
	_, err = engine.ImageInspect(ctx, image)
	if errdefs.IsNotFound(err) {
		return false, nil
	}
	return err == nil, explain(err)
}

// explain wraps an error of the engine in what it means.
func explain(err error) error {
	switch {
	case err == nil:
		return nil
	case client.IsErrConnectionFailed(err):
		return fmt.Errorf("%w: %w", ErrNoEngine, err)
	case strings.Contains(err.Error(), "no space left on device"):
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	default:
		return err
	}
}

// pull has the engine fetch an image.
func pull(ctx context.Context, engine *client.Client, image string, progress io.Writer) error {
	answer, err := engine.ImagePull(ctx, image, client.ImagePullOptions{})
	if err != nil {
		return fmt.Errorf("the Docker engine does not have the image %s and cannot pull it: %w", image, err)
	}
	defer answer.Close()
	last := map[string]string{}
	for m, err := range answer.JSONMessages(ctx) {
		if err == nil && m.Error != nil {
			err = m.Error
		}
		if err != nil {
			return fmt.Errorf("the Docker engine does not have the image %s and cannot pull it: %w", image, err)
		}
		if progress != nil && m.Status != last[m.ID] {
			last[m.ID] = m.Status
			if _, err := fmt.Fprintln(progress, strings.TrimPrefix(m.ID+": "+m.Status, ": ")); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeContainers removes the containers of a session, waits until they are gone, and
// removes their networks.
func removeContainers(ctx context.Context, engine *client.Client, session string) error {
	for {
		list, err := engine.ContainerList(ctx, client.ContainerListOptions{
			All: true, Filters: client.Filters{}.Add("label", labelSession+"="+session),
		})
		if err != nil {
			return err
		}
		if len(list.Items) == 0 {
			return removeNetworks(ctx, engine, session)
		}
		for _, c := range list.Items {
			_, err := engine.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
			if err != nil && !errdefs.IsNotFound(err) && !errdefs.IsConflict(err) { // in progress already
				return err
			}
		}
		timer := time.NewTimer(20 * time.Millisecond)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// Reap removes the containers and directories of sandboxes of this machine whose owners
// have died without closing them. It returns how many there were.
func Reap(ctx context.Context, host string) (int, error) {
	return lease.Reap("docker", func(l *lease.Lease) error { return explain(reap(ctx, l, host)) })
}

// reap removes what belongs to one lease.
func reap(ctx context.Context, l *lease.Lease, host string) error {
	at, err := placeOf(host)
	if err != nil {
		return err
	}
	r := record{at}
	if err := l.Recorded(&r); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	engine, err := r.connect()
	if err != nil {
		return err
	}
	defer engine.Close()
	if err := removeContainers(ctx, engine, l.ID); err != nil {
		return err
	}
	return l.End()
}

// Strays removes the containers of this machine that belong to no directory any more:
// those that an engine has made after their owner's end was cleaned up.
func Strays(ctx context.Context, host string) (int, error) {
	base, err := lease.Base("docker")
	if err != nil {
		return 0, err
	}
	engine, err := connect(host)
	if err != nil {
		return 0, err
	}
	defer engine.Close()
	list, err := engine.ContainerList(ctx, client.ContainerListOptions{
		All: true, Filters: client.Filters{}.Add("label", labelMachine+"="+machine()),
	})
	if err != nil {
		return 0, explain(err)
	}
	networks, err := engine.NetworkList(ctx, client.NetworkListOptions{Filters: client.Filters{}.Add("label", labelMachine+"="+machine())})
	if err != nil {
		return 0, explain(err)
	}
	sessions := map[string]bool{}
	for _, c := range list.Items {
		sessions[c.Labels[labelSession]] = true
	}
	for _, n := range networks.Items {
		sessions[n.Labels[labelSession]] = true
	}
	n := 0
	for session := range sessions {
		if _, err := os.Stat(base + "/" + session); err == nil {
			continue
		}
		if err := removeContainers(ctx, engine, session); err != nil {
			return n, explain(err)
		}
		n++
	}
	return n, nil
}

// machine returns what tells this machine and user from others that use an engine.
func machine() string {
	id, err := os.ReadFile("/etc/machine-id")
	if err != nil || len(id) == 0 {
		name, _ := os.Hostname() // "" is a name too
		id = []byte(name)
	}
	base, _ := lease.Base("docker") // New has made it
	return strings.TrimSpace(string(id)) + ":" + base
}
