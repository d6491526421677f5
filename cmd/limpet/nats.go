//go:build natsd

package main

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// startNATS starts a NATS server that keeps what it is given in a directory.
func startNATS(dir, listen string) (url string, stop func(), err error) {
	host, text, err := net.SplitHostPort(listen)
	port, portErr := strconv.Atoi(text)
	if err = errors.Join(err, portErr); err != nil {
		return "", nil, fmt.Errorf("--nats-listen %s: want HOST:PORT", listen)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	s, err := server.NewServer(&server.Options{JetStream: true, StoreDir: filepath.Join(dir, "nats"), Host: host, Port: port, NoSigs: true})
	if err != nil {
		return "", nil, fmt.Errorf("--nats %s: %w", embedded, err)
	}
	s.Start()
	stop = func() {
		s.Shutdown()
		s.WaitForShutdown()
	}
	if !s.ReadyForConnections(30 * time.Second) {
		stop()
		return "", nil, fmt.Errorf("--nats %s: the server does not start; is another one at %s?", embedded, listen)
	}
	return s.ClientURL(), stop, nil
}
