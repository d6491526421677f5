package fuzz

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/internal/snapshot"
)

// Snapshots writes checkpoints of sessions that are damaged or forged: a few bytes are
// others, and the checksum is right or not.
type Snapshots struct{ Seed uint64 }

// stateScript leaves something of everything that a checkpoint has.
const stateScript = `mkdir -p d/e; ln -s d l; mkfifo p; echo text > d/f; ln d/f d/g; chmod 640 d/f; truncate -s 1M sparse
	x=1; declare -i n=3; declare -r ro=4; declare -x ex=5; a=(1 2 [9]=x); declare -A m=([k]=v [' ']=w); declare -n ref=x; declare -u up=abc
	f() { local x; echo "$1" | cat <<E; }; g() ( f; ); export -f f; alias hi='echo hello'; trap 'echo bye' EXIT USR1
	set -o pipefail; shopt -s extglob; umask 027; cd d; pushd /tmp; set -- a b; OPTIND=2; hash ls`

// sound returns a checkpoint that is as it should be.
var sound = sync.OnceValues(func() ([]byte, error) {
	sh, err := limpet.New(limpet.Config{Limits: Limits})
	if err != nil {
		return nil, err
	}
	defer sh.Close()
	s, err := sh.NewSession(context.Background(), limpet.SessionOptions{})
	if err != nil {
		return nil, err
	}
	if _, err := s.Exec(context.Background(), limpet.Request{Script: stateScript}); err != nil {
		return nil, err
	}
	c, err := s.Checkpoint()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = c.Save(&b, nil)
	return b.Bytes(), err
})

const (
	snapshotHead = 17 + 4 // bytes before what a checkpoint holds
	snapshotTail = 12     // bytes behind it
)

// Bytes returns the checkpoint with the number n.
func (s Snapshots) Bytes(n uint64) []byte {
	r := rand.New(rand.NewPCG(s.Seed, n))
	data, err := sound()
	if err != nil {
		panic(err) // the same script each time
	}
	if r.IntN(4) == 0 {
		return Mutate(r, data)
	}
	inside := data[snapshotHead : len(data)-snapshotTail]
	if state := bytes.LastIndex(inside, []byte("LIMPET")); r.IntN(2) == 0 && state > 0 { // the session stands behind the files
		return Framed(append(bytes.Clone(inside[:state]), Mutate(r, inside[state:])...))
	}
	return Framed(Mutate(r, inside))
}

// Script returns the bytes as a string.
func (s Snapshots) Script(n uint64) string { return string(s.Bytes(n)) }

// Framed returns what stands in a small checkpoint as one with a head and a checksum.
func Framed(inside []byte) []byte {
	var b bytes.Buffer
	w := snapshot.NewWriter(&b)
	w.Raw(inside)
	_, _ = w.Close() // of a buffer
	return b.Bytes()
}

// Loading is an [Oracle] that says that a checkpoint of any bytes is refused, or
// makes a session that keeps what is promised. What it is given as a script are the bytes.
type Loading struct{}

// Check loads a checkpoint and uses it.
func (Loading) Check(ctx context.Context, data string) error {
	finding := func(promise string, err error) error { return &Finding{Promise: promise, Script: data, Err: err} }
	sh, err := limpet.New(limpet.Config{Limits: Limits, Guard: heapGuard()})
	if err != nil {
		return err
	}
	defer sh.Close()
	started := time.Now()
	c, err := sh.Load(bytes.NewReader([]byte(data)), nil)
	if took := time.Since(started); took > slack {
		return finding("a checkpoint is read soon", fmt.Errorf("after %v", took))
	}
	if err != nil {
		return nil
	}
	s, err := sh.NewSession(ctx, limpet.SessionOptions{})
	if err != nil {
		return err
	}
	if s.Restore(c) != nil {
		return nil
	}
	const use = `declare -p; declare -f; alias; trap; shopt; set -o; ls -lR / | tail -100; cat d/* l/* sparse; f; g; echo "${a[@]}" "${!m[@]}" $ref; getopts ab o -a; popd; cd -`
	res, err := s.Exec(ctx, limpet.Request{Script: use})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return finding("a session of a checkpoint does not panic", err)
	case res.Usage.Memory > Limits.Memory:
		return finding("a session of a checkpoint stays within its memory", fmt.Errorf("%d bytes", res.Usage.Memory))
	case res.Usage.Time > Limits.Time+slack:
		return finding("a session of a checkpoint ends at its deadline", fmt.Errorf("ran for %v", res.Usage.Time))
	}
	return nil
}
