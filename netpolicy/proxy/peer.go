package proxy

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"
)

// A frame is a line of JSON between an [Owner] and [Egress]: a question of either, or
// the answer to one.
type frame struct {
	ID    int64           `json:"id,omitempty"`
	Ask   string          `json:"ask,omitempty"` // what is asked; "" where it is an answer
	Body  json.RawMessage `json:"body,omitempty"`
	Error string          `json:"error,omitempty"`
}

// A peer is one end. Questions that were lost with a connection are asked again with the
// next one, and may be answered more than once: handle must not mind.
type peer struct {
	handle func(ctx context.Context, ask string, body json.RawMessage) (any, error)

	mu      sync.Mutex
	w       io.Writer // nil while there is no connection
	last    int64
	waiting map[int64]chan frame
}

// again is how long an answer is waited for until the question is asked again.
const again = 3 * time.Second

// longestFrame bounds a line that is read.
const longestFrame = 4 << 20

// send writes a frame, if there is a connection.
func (p *peer) send(f frame) {
	line, err := json.Marshal(f)
	if err != nil {
		return // it is made of strings and of what was marshalled
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w != nil {
		_, _ = p.w.Write(append(line, '\n')) // the reader of the connection notices its end
	}
}

// ask asks a question and decodes the answer.
func (p *peer) ask(ctx context.Context, what string, body, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	got := make(chan frame, 1)
	p.mu.Lock()
	p.last++
	f := frame{ID: p.last, Ask: what, Body: data}
	if p.waiting == nil {
		p.waiting = map[int64]chan frame{}
	}
	p.waiting[f.ID] = got
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.waiting, f.ID)
	}()
	tick := time.NewTicker(again)
	defer tick.Stop()
	for {
		p.send(f)
		select {
		case a := <-got:
			if a.Error != "" {
				return errors.New(a.Error)
			}
			return json.Unmarshal(a.Body, answer)
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// tell says something that has no answer.
func (p *peer) tell(what string, body any) {
	if data, err := json.Marshal(body); err == nil {
		p.send(frame{Ask: what, Body: data})
	}
}

// speak reads frames, and answers questions, until the connection or ctx ends. Lines
// that are no frames are what is left of a connection before it.
func (p *peer) speak(ctx context.Context, r io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	var answering sync.WaitGroup
	defer answering.Wait()
	defer cancel()
	p.mu.Lock()
	p.w = w
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.w = nil
	}()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestFrame)
	for lines.Scan() {
		var f frame
		if json.Unmarshal(lines.Bytes(), &f) != nil {
			continue
		}
		if f.Ask == "" {
			p.deliver(f)
			continue
		}
		if f.ID == 0 { // in the order in which it was said
			_, _ = p.handle(ctx, f.Ask, f.Body)
			continue
		}
		answering.Go(func() { p.answer(ctx, f) })
	}
	return lines.Err()
}

func (p *peer) deliver(f frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.waiting[f.ID] <- f: // never ready where nobody waits: the channel is nil
	default:
	}
}

func (p *peer) answer(ctx context.Context, f frame) {
	a := frame{ID: f.ID}
	got, err := p.handle(ctx, f.Ask, f.Body)
	if err == nil {
		a.Body, err = json.Marshal(got)
	}
	if err != nil {
		a.Error = err.Error()
	}
	p.send(a)
}
