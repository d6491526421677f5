package docker

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/moby/moby/client"
)

// A place is where an engine is.
type place struct {
	Host string // "" is that of this machine
	TLS  string // the directory with ca.pem, cert.pem and key.pem; "" where there are none
}

// placeOf returns the place of an address or, where that is empty, that of the
// environment or of the current context of the docker command. Addresses that are not
// those of a context have the certificates of DOCKER_CERT_PATH, as they do for the docker
// command.
func placeOf(host string) (place, error) {
	host = cmp.Or(host, os.Getenv("DOCKER_HOST"))
	if host == "" {
		return currentContext()
	}
	p := place{Host: host}
	if strings.HasPrefix(host, "tcp://") {
		p.TLS = os.Getenv("DOCKER_CERT_PATH")
	}
	return p, nil
}

// connect makes a client for the engine.
func (p place) connect() (*client.Client, error) {
	var opts []client.Opt
	if p.Host != "" {
		opts = append(opts, client.WithHost(p.Host))
	}
	if p.TLS != "" {
		at := func(name string) string { return filepath.Join(p.TLS, name) }
		opts = append(opts, client.WithTLSClientConfig(at("ca.pem"), at("cert.pem"), at("key.pem")))
	}
	return client.New(opts...)
}

// currentContext returns the context that the docker command would use; the zero one
// where that is the default.
func currentContext() (place, error) {
	dir := os.Getenv("DOCKER_CONFIG")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return place{}, nil // without a home there is no configuration
		}
		dir = filepath.Join(home, ".docker")
	}
	name := os.Getenv("DOCKER_CONTEXT")
	if name == "" {
		var config struct{ CurrentContext string }
		if err := readJSON(filepath.Join(dir, "config.json"), &config); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return place{}, err
		}
		name = config.CurrentContext
	}
	if name == "" || name == "default" {
		return place{}, nil
	}
	sum := sha256.Sum256([]byte(name))
	id := hex.EncodeToString(sum[:])
	var meta struct {
		Endpoints map[string]struct{ Host string }
	}
	if err := readJSON(filepath.Join(dir, "contexts", "meta", id, "meta.json"), &meta); err != nil {
		return place{}, fmt.Errorf("docker context %q: %w", name, err)
	}
	c := place{Host: meta.Endpoints["docker"].Host}
	if tls := filepath.Join(dir, "contexts", "tls", id, "docker"); isDir(tls) {
		c.TLS = tls
	}
	return c, nil
}

func readJSON(name string, value any) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
