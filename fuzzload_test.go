package limpet_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/fuzz"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// FuzzLoad loads what it is given, as the bytes of a checkpoint and as what stands
// in one between its head and its checksum. Nothing may panic, neither then nor
// when what was loaded is used.
func FuzzLoad(f *testing.F) {
	s := newSession(f, limpet.Config{Commands: nil})
	say(f, s, makeState)
	data := save(f, checkpoint(f, s), nil)
	f.Add(data, false)
	f.Add(data[17+4:len(data)-12], true)
	f.Add([]byte("limpet snapshot\n\x02"), false)
	f.Fuzz(func(t *testing.T, data []byte, inside bool) {
		if inside {
			data = fuzz.Framed(data)
		}
		useLoaded(t, data)
	})
}

// useLoaded loads a checkpoint and uses it, if it can be loaded, which it reports.
func useLoaded(t testing.TB, data []byte) bool {
	sh, err := limpet.New(limpet.Config{Limits: limits.Limits{Memory: 64 << 20, Storage: 16 << 20, Files: 10_000, Time: 2 * time.Second}})
	require.NoError(t, err)
	defer sh.Close()
	c, err := sh.Load(bytes.NewReader(data), nil)
	if err != nil {
		return false
	}
	s, err := sh.NewSession(context.Background(), limpet.SessionOptions{})
	require.NoError(t, err)
	if s.Restore(c) != nil {
		return false
	}
	_, err = s.Exec(context.Background(), limpet.Request{Script: showAll + "; ls -lR / > /dev/null; f; g; hi; OPTIND=1; getopts ab o -a"})
	require.NoError(t, err)
	return true
}

// TestChangedSessions changes the state of a session in its bytes at random.
func TestChangedSessions(t *testing.T) {
	s := newSession(t, limpet.Config{})
	say(t, s, makeState)
	data := save(t, checkpoint(t, s), nil)
	payload := data[17+4 : len(data)-12]
	state := bytes.LastIndex(payload, []byte("LIMPET")) // the files are before
	r := rand.New(rand.NewPCG(3, 4))
	used := 0
	for range 500 {
		p := bytes.Clone(payload)
		for range 1 + r.IntN(3) {
			switch i := state + r.IntN(len(p)-state); r.IntN(3) {
			case 0:
				p[i] = byte(r.IntN(256))
			case 1:
				p = append(p[:i], p[min(i+1+r.IntN(4), len(p)):]...)
			case 2:
				p = slices.Insert(p, i, p[r.IntN(len(p))])
			}
		}
		if useLoaded(t, fuzz.Framed(p)) {
			used++
		}
	}
	require.Greater(t, used, 10)
}
