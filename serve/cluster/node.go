package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/client"
	"github.com/limpet-sh/limpet/serve"
	"github.com/nats-io/nats.go"
)

// The subjects: of one worker, and of any.
const (
	workerSubject = "limpet.worker."
	anySubject    = "limpet.any"
	queue         = "limpet"
)

// patience is how long a request waits for a worker that takes it, in lives of workers.
const patience = 3

// A Node is a worker and a way to all others: an http.Handler that has each request served by
// the worker that owns its session.
type Node struct {
	store   *Store
	server  *serve.Server
	maxBody int64
	ctx     context.Context
	cancel  context.CancelFunc
	tasks   sync.WaitGroup

	mu       sync.Mutex
	draining bool
	anyone   *nats.Subscription
	own      *nats.Subscription
}

// Join makes a node of a server that has the store. MaxBody is that of the server's configuration, or zero.
func Join(store *Store, server *serve.Server, maxBody int64) (n *Node, err error) {
	if maxBody == 0 {
		maxBody = 64 << 20
	}
	n = &Node{store: store, server: server, maxBody: maxBody}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	if n.own, err = store.conn.Subscribe(workerSubject+store.id, n.receive); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if n.anyone, err = store.conn.QueueSubscribe(anySubject, queue, n.receive); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return n, store.conn.Flush()
}

// Drain lets others have what is new, and drains the server. Close gives its sessions to them.
func (n *Node) Drain(ctx context.Context) error {
	n.mu.Lock()
	n.draining = true
	n.mu.Unlock()
	err := n.anyone.Unsubscribe()
	n.server.Drain(ctx)
	return err
}

// Close ends the node and its server, which closes the store.
func (n *Node) Close() error {
	n.mu.Lock()
	n.draining = true
	n.mu.Unlock()
	err := n.server.Close()
	n.cancel()
	err = errors.Join(err, n.own.Unsubscribe())
	n.tasks.Wait()
	return err
}

func (n *Node) isDraining() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.draining
}

// ServeHTTP has a request served.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest, ok := strings.CutPrefix(r.URL.Path, "/v1/sessions")
	name, known := n.server.Caller(r)
	if !ok || !known || rest == "" && r.Method != http.MethodPost {
		n.server.ServeHTTP(w, r)
		return
	}
	key := ""
	if id, _, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/"); id != "" {
		key = name + "." + id
	}
	m, err := n.request(r, key)
	if err != nil {
		answer(w, http.StatusRequestEntityTooLarge, "", err.Error())
		return
	}
	n.route(w, r, m, key)
}

// route sends the message of a request to a worker, and to the next one while none has begun with it.
func (n *Node) route(w http.ResponseWriter, r *http.Request, m *nats.Msg, key string) {
	for end := time.Now().Add(patience * n.store.life); time.Now().Before(end) && r.Context().Err() == nil; {
		to := anySubject
		if key != "" {
			worker, _, err := n.store.owner(r.Context(), key)
			if err != nil {
				answer(w, http.StatusServiceUnavailable, "", err.Error())
				return
			}
			if worker != "" {
				to = workerSubject + worker
			}
		}
		if n.ask(w, r, m, to) {
			return
		}
		time.Sleep(50 * time.Millisecond) // the worker is dead or drains, and its sessions are about to be free
	}
	answer(w, http.StatusServiceUnavailable, "", "no worker takes the request")
}

// ask sends the message to a subject and copies the answer. It reports false where nobody has begun with
// the request, so that it may be sent again.
func (n *Node) ask(w http.ResponseWriter, r *http.Request, m *nats.Msg, to string) bool {
	inbox := nats.NewInbox()
	sub, err := n.store.conn.SubscribeSync(inbox)
	if err != nil {
		answer(w, http.StatusServiceUnavailable, "", err.Error())
		return true
	}
	defer sub.Unsubscribe()
	m.Subject, m.Reply = to, inbox
	m.Header.Set(cancelTo, inbox+".cancel")
	if err := n.store.conn.PublishMsg(m); err != nil {
		answer(w, http.StatusServiceUnavailable, "", err.Error())
		return true
	}
	a := answering{node: n, w: w, r: r}
	for {
		got, err := a.next(sub, inbox+".cancel")
		switch {
		case errors.Is(err, nats.ErrNoResponders):
			return false
		case err != nil:
			a.fail(err)
			return true
		}
		switch got.Header.Get(kind) {
		case moved:
			return false
		case accepted:
			a.worker = got.Header.Get(worker)
		default:
			if a.copy(got); got.Header.Get(kind) == last {
				return true
			}
		}
	}
}

// An answering copies the parts of an answer to whoever has asked.
type answering struct {
	node   *Node
	w      http.ResponseWriter
	r      *http.Request
	worker string // who answers; empty until that is known
	begun  bool
	gone   bool // who has asked
}

// errDead says that a worker has died before its answer has ended.
var errDead = errors.New("the worker has died meanwhile: the executions of the session tell what has become of the request")

// next waits for the next message, as long as the worker lives.
func (a *answering) next(sub *nats.Subscription, cancel string) (*nats.Msg, error) {
	for quiet := 0; ; quiet++ {
		ctx, stop := context.WithTimeout(context.Background(), a.node.store.life/5)
		wait := ctx
		if !a.gone {
			var both context.CancelFunc
			wait, both = context.WithCancel(ctx)
			defer context.AfterFunc(a.r.Context(), both)()
			defer both()
		}
		got, err := sub.NextMsgWithContext(wait)
		over := ctx.Err() != nil
		stop()
		switch {
		case err == nil || errors.Is(err, nats.ErrNoResponders):
			return got, err
		case !over && !a.gone && a.r.Context().Err() != nil:
			a.gone = true
			_ = a.node.store.conn.Publish(cancel, nil) // or the next part is not taken
			return nil, a.r.Context().Err()
		case !over:
			return nil, err
		case a.worker == "" && quiet > 5:
			return nil, errDead
		}
		if a.worker != "" {
			living, err := a.node.store.alive(context.Background(), a.worker)
			if err == nil && !living {
				return nil, errDead
			}
		}
	}
}

// copy copies one part, and says that it was taken.
func (a *answering) copy(m *nats.Msg) {
	if !a.begun {
		a.begun = true
		code, err := strconv.Atoi(m.Header.Get(status))
		if err != nil {
			code = http.StatusBadGateway
		}
		copyHeaders(a.w.Header(), http.Header(m.Header))
		a.w.WriteHeader(code)
	}
	_, err := a.w.Write(m.Data)
	if err == nil && m.Header.Get(kind) == part {
		err = http.NewResponseController(a.w).Flush()
	}
	if err == nil {
		_ = m.Respond(nil) // a worker that is not told ends the request
	}
}

// fail ends the answer with a reason.
func (a *answering) fail(err error) {
	if !a.begun {
		answer(a.w, http.StatusServiceUnavailable, client.TypeInterrupted, err.Error())
		return
	}
	if a.w.Header().Get("Content-Type") == "text/event-stream" {
		fmt.Fprintf(a.w, "event: failure\ndata: %s\n\n", problem(http.StatusServiceUnavailable, client.TypeInterrupted, err.Error()))
		return
	}
	panic(http.ErrAbortHandler) // who has asked sees that the answer is not whole
}

func problem(code int, kind, detail string) []byte {
	data, err := json.Marshal(client.Problem{Status: code, Type: kind, Title: http.StatusText(code), Detail: detail})
	if err != nil {
		panic(err) // a type of this module
	}
	return data
}

func answer(w http.ResponseWriter, code int, kind, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(code)
	w.Write(problem(code, kind, detail))
}

// receive serves a request of another node, or of this one.
func (n *Node) receive(m *nats.Msg) { n.tasks.Go(func() { n.serve(m) }) }

func (n *Node) serve(m *nats.Msg) {
	ctx, cancel := context.WithCancel(n.ctx)
	defer cancel()
	begin := func(as string) {
		reply := nats.NewMsg(m.Reply)
		reply.Header.Set(kind, as)
		reply.Header.Set(worker, n.store.id)
		_ = n.store.conn.PublishMsg(reply) // who is not told asks whether we live
	}
	if n.isDraining() {
		begin(moved)
		return
	}
	if key := m.Header.Get(session); key != "" {
		if _, claimed := errors.AsType[*serve.ClaimedError](n.server.Hold(ctx, key)); claimed {
			begin(moved)
			return
		}
	}
	begin(accepted)
	sub, err := n.store.conn.Subscribe(m.Header.Get(cancelTo), func(*nats.Msg) { cancel() })
	if err != nil {
		return // the connection is closed
	}
	defer sub.Unsubscribe()
	s := &sender{conn: n.store.conn, to: m.Reply, header: http.Header{}, ctx: n.ctx, abandon: cancel}
	r, err := n.received(ctx, m)
	if err != nil {
		answer(s, http.StatusServiceUnavailable, "", err.Error())
	} else {
		n.server.ServeHTTP(s, r)
	}
	s.WriteHeader(http.StatusOK)
	_ = s.send(last) // there is nobody else to be told
}
