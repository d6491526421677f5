package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/limpet-sh/limpet/serve"
	"github.com/limpet-sh/limpet/serve/cluster"
	"github.com/nats-io/nats.go"
)

// embedded is the --nats of a server in this process.
const embedded = "embedded"

// runWorker serves as one of several servers that share their sessions by NATS.
func (f *serveFlags) runWorker(dir string) (err error) {
	url := f.nats
	if url == embedded {
		var stop func()
		if url, stop, err = startNATS(dir, f.natsListen); err != nil {
			return err
		}
		defer stop()
	}
	conn, err := nats.Connect(url, nats.Name("limpet serve"), nats.MaxReconnects(-1))
	if err != nil {
		return fmt.Errorf("--nats %s: %w", url, err)
	}
	defer conn.Close()
	limited, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	store, err := cluster.Open(limited, conn, 0)
	if err != nil {
		return err
	}
	f.cfg.Store = store
	s, err := serve.New(f.cfg)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	node, err := cluster.Join(store, s, f.cfg.MaxBody)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	return errors.Join(f.serve(node, node.Drain), node.Close())
}
