package mcp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/tools"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A room is a sandbox and its tools.
type room struct {
	id      string
	sandbox limpet.Sandbox
	box     *tools.Toolbox
	calls   atomic.Int64
	timer   *time.Timer // closes it when it has not been used

	users int  // how many calls are under way; guarded by rooms.mu
	gone  bool // it is not in the list any more; likewise
	once  sync.Once
	err   error // of the end
}

// nextCall names a call.
func (r *room) nextCall() string { return fmt.Sprintf("%s-%d", r.id[:8], r.calls.Add(1)) }

// end closes the sandbox.
func (r *room) end() error {
	r.once.Do(func() {
		if r.timer != nil {
			r.timer.Stop()
		}
		r.err = errors.Join(r.box.Close(), r.sandbox.Close())
	})
	return r.err
}

// rooms are those that there are, by their ids, and of sessions by theirs.
type rooms struct {
	cfg *Config

	mu     sync.Mutex
	list   map[string]*room
	making int
	spare  *room // the one that told what tools there are: for the first who needs one
	closed bool
	wait   sync.WaitGroup // for those who wait for sessions to end
}

// make makes a room that is in no list.
func (l *rooms) make(ctx context.Context) (*room, error) {
	s, err := l.cfg.Open(ctx)
	if err != nil {
		return nil, err
	}
	id := rand.Text()
	tc := l.cfg.Tools
	tc.Session = id
	box, err := tools.New(s, tc)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &room{id: id, sandbox: s, box: box}, nil
}

// open makes a room and lists it under a key, or under its id where that is empty.
func (l *rooms) open(ctx context.Context, key string) (*room, error) {
	l.mu.Lock()
	switch {
	case l.closed:
		l.mu.Unlock()
		return nil, limpet.ErrClosed
	case len(l.list)+l.making >= l.cfg.Most:
		l.mu.Unlock()
		return nil, fmt.Errorf("there are %d sandboxes already; close one with sandbox_close, or try again later", l.cfg.Most)
	}
	l.making++
	r, err := l.spare, error(nil)
	l.spare = nil
	l.mu.Unlock()
	if r != nil {
		r.timer.Stop()
	} else {
		r, err = l.make(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.making--
	if err != nil {
		return nil, err
	}
	if l.closed {
		return nil, errors.Join(limpet.ErrClosed, r.end())
	}
	if key == "" {
		key = r.id
	}
	if other := l.list[key]; other != nil { // two first calls at the same time
		_ = r.end() // nobody has used it
		return other, nil
	}
	l.list[key] = r
	r.timer = time.AfterFunc(l.cfg.Idle, func() { l.expire(key, r) })
	return r, nil
}

// keep makes r the spare room.
func (l *rooms) keep(r *room) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spare = r
	r.timer = time.AfterFunc(l.cfg.Idle, func() {
		l.mu.Lock()
		unused := l.spare == r
		if unused {
			l.spare = nil
		}
		l.mu.Unlock()
		if unused {
			_ = r.end() // nobody is there to be told
		}
	})
}

// expire closes a room that was not used, unless it is in use now.
func (l *rooms) expire(key string, r *room) {
	l.mu.Lock()
	if r.gone || r.users > 0 {
		l.mu.Unlock()
		return
	}
	r.gone = true
	delete(l.list, key)
	l.mu.Unlock()
	_ = r.end() // nobody is there to be told
}

// use returns a room for a call, and what says that the call has ended.
func (l *rooms) use(key string) (*room, func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.list[key]
	if r == nil {
		return nil, nil
	}
	r.users++
	r.timer.Stop()
	return r, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if r.users--; r.users == 0 && !r.gone {
			r.timer.Reset(l.cfg.Idle)
		}
	}
}

// remove closes a room, which ends the calls that use it.
func (l *rooms) remove(key string) (found bool, err error) {
	l.mu.Lock()
	r := l.list[key]
	if r != nil {
		r.gone = true
		delete(l.list, key)
	}
	l.mu.Unlock()
	if r == nil {
		return false, nil
	}
	return true, r.end()
}

func (l *rooms) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.list)
}

func (l *rooms) close() error {
	l.mu.Lock()
	l.closed = true
	list := l.list
	l.list = map[string]*room{}
	for _, r := range list {
		r.gone = true
	}
	spare := l.spare
	l.spare = nil
	l.mu.Unlock()
	var errs []error
	if spare != nil {
		errs = append(errs, spare.end())
	}
	for _, r := range list {
		errs = append(errs, r.end())
	}
	l.wait.Wait()
	return errors.Join(errs...)
}

// room returns the room for a call: the one of that id, or else that of the session.
func (s *Server) room(ctx context.Context, session *sdk.ServerSession, id string) (*room, func(), error) {
	if id != "" {
		if r, release := s.rooms.use(id); r != nil {
			return r, release, nil
		}
		return nil, nil, fmt.Errorf("there is no sandbox %q: it was closed, or not used for %v, or never opened; open one with sandbox_open", id, s.cfg.Idle)
	}
	key := session.ID()
	if key == "" && !s.local {
		return nil, nil, errors.New("sandbox_id is required where there is no session: open a sandbox with sandbox_open")
	}
	key = "session " + key
	for {
		if r, release := s.rooms.use(key); r != nil {
			return r, release, nil
		}
		if _, err := s.rooms.open(context.WithoutCancel(ctx), key); err != nil {
			return nil, nil, err
		}
		s.rooms.wait.Go(func() {
			_ = session.Wait()         // however it ends
			_, _ = s.rooms.remove(key) // nobody is there to be told
		})
	}
}

type openOutput struct {
	SandboxID string `json:"sandbox_id"`
	Workspace string `json:"workspace"`
}

type closeInput struct {
	SandboxID string `json:"sandbox_id"`
}

type closeOutput struct {
	Closed bool `json:"closed"`
}

// addRooms adds the tools that open and close sandboxes.
func (s *Server) addRooms() {
	no := false
	sdk.AddTool(s.sdk, &sdk.Tool{
		Name: "sandbox_open", Title: "Open a sandbox",
		Description: fmt.Sprintf("Opens a new sandbox and returns its sandbox_id, for the other tools. It is closed by sandbox_close, or when it has not been used for %v.", s.cfg.Idle),
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no},
	}, func(ctx context.Context, _ *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, openOutput, error) {
		r, err := s.rooms.open(ctx, "")
		if err != nil {
			return nil, openOutput{}, err
		}
		return nil, openOutput{r.id, r.sandbox.Workspace()}, nil
	})
	sdk.AddTool(s.sdk, &sdk.Tool{
		Name: "sandbox_close", Title: "Close a sandbox", Description: "Closes a sandbox that sandbox_open has opened. Its files are lost.",
		Annotations: &sdk.ToolAnnotations{IdempotentHint: true, OpenWorldHint: &no},
	}, func(_ context.Context, _ *sdk.CallToolRequest, in closeInput) (*sdk.CallToolResult, closeOutput, error) {
		found, err := s.rooms.remove(in.SandboxID)
		if err == nil && !found {
			err = fmt.Errorf("there is no sandbox %q", in.SandboxID)
		}
		return nil, closeOutput{found}, err
	})
}
