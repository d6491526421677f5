package docker

import (
	"context"
	"net/netip"
	"reflect"

	"github.com/containerd/errdefs"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/moby/moby/client"
)

// isNone reports whether a policy denies everything.
func isNone(p netpolicy.Policy) bool { return reflect.DeepEqual(p, netpolicy.None()) }

// isAll reports whether a policy allows everything, and adds nothing to it.
func isAll(p netpolicy.Policy) bool { return reflect.DeepEqual(p, netpolicy.All()) }

// isProxied reports whether a policy needs a proxy, as the engine knows nothing between
// all and none.
func isProxied(p netpolicy.Policy) bool { return !isNone(p) && !isAll(p) }

// nowhere is a resolver that nobody reaches: the name server of the engine asks the one
// that a container names, at times from outside of its network.
var nowhere = netip.MustParseAddr("192.0.2.1")

// createNetwork makes the network that a sandbox shares with its way out. It leads
// nowhere else: it has no way through the host, and the host has no address in it.
func createNetwork(ctx context.Context, engine *client.Client, name string, labels map[string]string) error {
	_, err := engine.NetworkCreate(ctx, name, client.NetworkCreateOptions{
		Driver: "bridge", Internal: true, Labels: labels,
		Options: map[string]string{"com.docker.network.bridge.inhibit_ipv4": "true"},
	})
	return err
}

// removeNetworks removes the networks of a session, in which no container is left.
func removeNetworks(ctx context.Context, engine *client.Client, session string) error {
	list, err := engine.NetworkList(ctx, client.NetworkListOptions{Filters: client.Filters{}.Add("label", labelSession+"="+session)})
	if err != nil {
		return err
	}
	for _, n := range list.Items {
		if _, err := engine.NetworkRemove(ctx, n.ID, client.NetworkRemoveOptions{}); err != nil && !errdefs.IsNotFound(err) {
			return err
		}
	}
	return nil
}
