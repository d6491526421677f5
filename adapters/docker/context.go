package docker

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/moby/moby/client"
)

// An engineContext is a place of an engine that the docker command knows by a name.
type engineContext struct {
	Host string
	tls  string // the directory of its certificates; "" where there are none
}

// currentContext returns the context that the docker command would use; the zero one
// where that is the default.
func currentContext() (engineContext, error) {
	dir := os.Getenv("DOCKER_CONFIG")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return engineContext{}, nil // without a home there is no configuration
		}
		dir = filepath.Join(home, ".docker")
	}
	name := os.Getenv("DOCKER_CONTEXT")
	if name == "" {
		var config struct{ CurrentContext string }
		if err := readJSON(filepath.Join(dir, "config.json"), &config); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return engineContext{}, err
		}
		name = config.CurrentContext
	}
	if name == "" || name == "default" {
		return engineContext{}, nil
	}
	sum := sha256.Sum256([]byte(name))
	id := hex.EncodeToString(sum[:])
	var meta struct {
		Endpoints map[string]struct{ Host string }
	}
	if err := readJSON(filepath.Join(dir, "contexts", "meta", id, "meta.json"), &meta); err != nil {
		return engineContext{}, fmt.Errorf("docker context %q: %w", name, err)
	}
	c := engineContext{Host: meta.Endpoints["docker"].Host}
	if tls := filepath.Join(dir, "contexts", "tls", id, "docker"); isDir(tls) {
		c.tls = tls
	}
	return c, nil
}

// options returns what makes a client for the context.
func (c engineContext) options() []client.Opt {
	opts := []client.Opt{client.WithHost(c.Host)}
	if c.tls != "" {
		opts = append(opts, client.WithTLSClientConfig(filepath.Join(c.tls, "ca.pem"), filepath.Join(c.tls, "cert.pem"), filepath.Join(c.tls, "key.pem")))
	}
	return opts
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
