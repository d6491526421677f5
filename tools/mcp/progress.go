package mcp

import (
	"context"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// How often clients are told of progress: of output, and of nothing but time.
const (
	outputInterval  = 200 * time.Millisecond
	silenceInterval = 5 * time.Second
)

// messageBytes is how much of new output a notification has: its end.
const messageBytes = 2000

// A progress tells a client how a command is doing.
type progress struct {
	quit, done chan struct{}

	mu  sync.Mutex
	new []byte
}

// startProgress begins to tell the client.
func startProgress(ctx context.Context, session *sdk.ServerSession, token any) *progress {
	p := &progress{quit: make(chan struct{}), done: make(chan struct{})}
	go p.run(ctx, session, token)
	return p
}

func (p *progress) run(ctx context.Context, session *sdk.ServerSession, token any) {
	defer close(p.done)
	began := time.Now()
	said := began
	tick := time.NewTicker(outputInterval)
	defer tick.Stop()
	for {
		select {
		case <-p.quit:
			return
		case <-ctx.Done():
			return
		case now := <-tick.C:
			text := p.take()
			if text == "" && now.Sub(said) < silenceInterval {
				continue
			}
			said = now
			// Where the client has gone, the call ends soon.
			_ = session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: now.Sub(began).Seconds(), Message: text})
		}
	}
}

// text takes what a command prints.
func (p *progress) text(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.new = append(p.new, b...)
	if len(p.new) > 2*messageBytes {
		p.new = append(p.new[:0], p.new[len(p.new)-messageBytes:]...)
	}
}

func (p *progress) take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := string(p.new[max(0, len(p.new)-messageBytes):])
	p.new = p.new[:0]
	return strings.ToValidUTF8(text, "\uFFFD")
}

// stop ends the notifications: there are none behind the result.
func (p *progress) stop() {
	close(p.quit)
	<-p.done
}
