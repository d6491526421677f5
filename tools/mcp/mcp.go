// Package mcp serves the tools of a sandbox to clients of the Model Context Protocol, over
// standard input and output or over HTTP.
//
// A client gets a sandbox of its own with its first call, which ends when the client
// leaves, and may open more, which it names in the argument sandbox_id of the others. Over
// HTTP without sessions, as revision 2026-07-28 of the protocol is used, there is nothing
// that tells one client from another: there every call names a sandbox.
package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/tools"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Config says what a server serves.
type Config struct {
	// Open makes a sandbox for a client. The server closes it.
	Open func(ctx context.Context) (limpet.Sandbox, error)

	// Tools configures the tools. Its Session is not used.
	Tools tools.Config

	// Most is how many sandboxes there may be at one time. Zero means 1000.
	Most int

	// Idle is how long a sandbox that nobody uses is kept. Zero means 30 minutes.
	Idle time.Duration

	// Version is what clients are told that this program is. Empty means devel.
	Version string
}

const (
	defaultMost = 1000
	defaultIdle = 30 * time.Minute
)

// A Server serves clients. It is safe for concurrent use.
type Server struct {
	cfg   Config
	sdk   *sdk.Server
	rooms rooms
	local bool // there is one client, which needs no session
}

// New returns a server. It opens a sandbox, to see what tools there are, which the first
// client gets.
func New(ctx context.Context, cfg Config) (*Server, error) {
	cfg.Most, cfg.Idle = cmp.Or(cfg.Most, defaultMost), cmp.Or(cfg.Idle, defaultIdle)
	s := &Server{cfg: cfg}
	s.rooms = rooms{cfg: &s.cfg, list: map[string]*room{}}
	first, err := s.rooms.make(ctx)
	if err != nil {
		return nil, err
	}
	s.rooms.keep(first)
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "limpet", Title: "limpet", Version: cmp.Or(cfg.Version, "devel")}, &sdk.ServerOptions{
		Instructions: first.box.Prompt() + handles(cfg.Idle),
		Capabilities: &sdk.ServerCapabilities{},
	})
	for _, t := range first.box.Tools() {
		s.sdk.AddTool(describe(t), s.handler(t))
	}
	s.addRooms()
	s.addResources()
	return s, nil
}

// handles says how sandboxes are named.
func handles(idle time.Duration) string {
	return fmt.Sprintf("Calls without sandbox_id use the sandbox of this session. sandbox_open makes further ones; one that is not used for %v is closed.\n", idle)
}

// describe returns what clients are told of a tool.
func describe(t *tools.Tool) *sdk.Tool {
	in := clone(t.Input)
	in.Properties["sandbox_id"] = &jsonschema.Schema{Type: "string", Description: "A sandbox that sandbox_open has returned; that of this session unless given"}
	in.PropertyOrder = append(in.PropertyOrder, "sandbox_id")
	shortened, err := jsonschema.For[tools.Shortened](nil)
	if err != nil {
		panic(err) // a type of this module
	}
	a := t.Annotations()
	return &sdk.Tool{
		Name: t.Flat, Title: t.Title, Description: t.Description, InputSchema: in,
		OutputSchema: &jsonschema.Schema{Type: "object", AnyOf: []*jsonschema.Schema{clone(t.Output), shortened}},
		Annotations: &sdk.ToolAnnotations{
			Title: a.Title, ReadOnlyHint: a.ReadOnly, DestructiveHint: &a.Destructive, IdempotentHint: a.Idempotent, OpenWorldHint: &a.OpenWorld,
		},
	}
}

func clone(s *jsonschema.Schema) *jsonschema.Schema {
	c := s.CloneSchemas()
	if c.Properties == nil {
		c.Properties = map[string]*jsonschema.Schema{}
	}
	return c
}

// handler calls a tool for clients.
func (s *Server) handler(t *tools.Tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		id, args, err := takeID(req.Params.Arguments)
		if err != nil {
			return failure(&tools.Error{Code: tools.CodeInvalidArguments, Message: err.Error()}), nil
		}
		r, release, err := s.room(ctx, req.Session, id)
		if err != nil {
			return failure(&tools.Error{Code: tools.CodeFailed, Message: err.Error()}), nil
		}
		defer release()
		c := tools.Call{Name: t.Flat, ID: r.nextCall(), Arguments: args}
		if token := req.Params.GetProgressToken(); token != nil {
			p := startProgress(ctx, req.Session, token)
			defer p.stop()
			c.Progress = p.text
		}
		return answer(r.box.Call(ctx, c)), nil
	}
}

// takeID takes sandbox_id out of arguments.
func takeID(args json.RawMessage) (id string, rest json.RawMessage, err error) {
	if len(args) == 0 {
		return "", nil, nil
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(args, &m) != nil || m["sandbox_id"] == nil {
		return "", args, nil // the tool says what is wrong with the others
	}
	if err := json.Unmarshal(m["sandbox_id"], &id); err != nil {
		return "", nil, fmt.Errorf("sandbox_id should be a string")
	}
	delete(m, "sandbox_id")
	rest, err = json.Marshal(m)
	return id, rest, err
}

// answer is what a client gets for a result.
func answer(res *tools.Result) *sdk.CallToolResult {
	if res.Error != nil {
		return failure(res.Error)
	}
	out := &sdk.CallToolResult{StructuredContent: res.Structured()}
	if img, ok := res.Image(); ok {
		if data, err := img.Bytes(); err == nil {
			out.Content = []sdk.Content{&sdk.ImageContent{MIMEType: img.MIMEType, Data: data}}
			return out
		}
	}
	out.Content = []sdk.Content{&sdk.TextContent{Text: res.Text()}}
	if res.Meta != nil {
		out.Meta = res.Meta
	}
	return out
}

func failure(e *tools.Error) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(e.JSON())}}}
}

// ServeStdio serves one client, until it leaves or ctx is done.
func (s *Server) ServeStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	s.local = true
	return s.sdk.Run(ctx, &sdk.IOTransport{Reader: in, Writer: out})
}

// sessionless is the revision of the protocol from which on there are no sessions.
const sessionless = "2026-07-28"

// Handler returns what serves clients over HTTP. Requests must have the token in their
// Authorization header.
func (s *Server) Handler(token string) http.Handler {
	server := func(*http.Request) *sdk.Server { return s.sdk }
	sessions := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{SessionTimeout: s.cfg.Idle})
	single := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{Stateless: true})
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		got := sha256.Sum256([]byte(given))
		if !ok || token == "" || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a bearer token is needed", http.StatusUnauthorized)
			return
		}
		if r.Header.Get("Mcp-Protocol-Version") >= sessionless {
			single.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
}

// Sandboxes returns how many there are.
func (s *Server) Sandboxes() int { return s.rooms.count() }

// Close ends all sessions and sandboxes.
func (s *Server) Close() error {
	for session := range s.sdk.Sessions() {
		_ = session.Close() // the client may have gone
	}
	return s.rooms.close()
}
