package serve

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/limpet-sh/limpet/client"
)

// An InSession is what requests about a session have in common. It and its like are exported for
// the library alone, which does not look into embedded fields that are not.
type InSession struct {
	ID string `path:"id" doc:"The id of the session."`
}

// An OfFile is what requests about a file have in common.
type OfFile struct {
	InSession
	Path string `query:"path" required:"true" minLength:"1" doc:"Absolute, or relative to the workspace."`
}

type sinceInput struct {
	InSession
	Since string `query:"since" doc:"The snapshot to compare with. Empty means how the session began."`
}

type snapshotInput struct {
	InSession
	Snapshot string `path:"snapshot" doc:"The id of the snapshot."`
}

// An OfProcess is what requests about a process have in common.
type OfProcess struct {
	InSession
	Process string `path:"process" doc:"The id of the process."`
}

type executeInput struct {
	InSession
	Body client.Request
}

// An output is an answer in JSON.
type output[T any] struct{ Body T }

// A content is an answer of bytes.
type content struct {
	Type string `header:"Content-Type"`
	Body []byte
}

type empty struct{}

// routes makes the handler of all requests.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", s.serveReady)
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) { s.serveMetrics(w) })
	cfg := huma.DefaultConfig("limpet", "1")
	cfg.Info.Description = "Sandboxes for shell scripts: sessions that keep their files, variables and functions from one script to the next."
	cfg.DocsPath, cfg.SchemasPath, cfg.CreateHooks = "", "", nil // the page of the library loads scripts from elsewhere
	cfg.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"bearer": {Type: "http", Scheme: "bearer"}}
	cfg.Security = []map[string][]string{{"bearer": {}}}
	api := humago.New(mux, cfg)
	api.UseMiddleware(func(ctx huma.Context, next func(huma.Context)) {
		next(ctx)
		s.metrics.requested(ctx.Operation().OperationID, ctx.Status())
	})
	s.sessionOperations(api)
	s.executionOperations(api)
	s.fileOperations(api)
	s.snapshotOperations(api)
	s.processOperations(api)
	return s.guard(mux)
}

// operation describes an operation, whose handler answers with the status.
func (s *Server) operation(id, method, path, summary string, status int) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: "/v1/sessions" + path, Summary: summary, DefaultStatus: status,
		MaxBodyBytes: s.cfg.MaxBody, BodyReadTimeout: readTimeout,
		Errors: []int{http.StatusUnauthorized, http.StatusNotFound, http.StatusTooManyRequests, http.StatusServiceUnavailable},
	}
}

// in registers an operation on a session.
func in[I any, O any](s *Server, api huma.API, op huma.Operation, of func(*I) string, do func(context.Context, *session, *I) (O, error)) {
	huma.Register(api, op, func(ctx context.Context, input *I) (*O, error) {
		held, err := s.enter(ctx, of(input))
		if err != nil {
			return nil, err
		}
		defer held.release()
		out, err := do(ctx, held, input)
		if err != nil {
			return nil, s.failure(err)
		}
		return &out, nil
	})
}

func (s *Server) sessionOperations(api huma.API) {
	id := func(i *InSession) string { return i.ID }
	huma.Register(api, s.operation("create-session", "POST", "", "Make a session.", http.StatusCreated),
		func(ctx context.Context, i *struct{ Body client.Spec }) (*output[client.Session], error) {
			made, err := s.create(ctx, caller(ctx), i.Body)
			if err != nil {
				return nil, s.failure(err)
			}
			return &output[client.Session]{made}, nil
		})
	huma.Register(api, s.operation("list-sessions", "GET", "", "List the sessions.", http.StatusOK),
		func(ctx context.Context, _ *empty) (*output[[]client.Session], error) {
			list, err := s.sessionsOf(ctx, caller(ctx))
			if err != nil {
				return nil, s.failure(err)
			}
			return &output[[]client.Session]{list}, nil
		})
	in(s, api, s.operation("show-session", "GET", "/{id}", "Show a session.", http.StatusOK), id,
		func(_ context.Context, held *session, _ *InSession) (output[client.Session], error) {
			return output[client.Session]{held.record().session()}, nil
		})
	in(s, api, s.operation("delete-session", "DELETE", "/{id}", "Delete a session and end what runs in it.", http.StatusNoContent), id,
		func(ctx context.Context, held *session, _ *InSession) (empty, error) {
			return empty{}, held.delete(context.WithoutCancel(ctx))
		})
	in(s, api, s.operation("fork-session", "POST", "/{id}/fork", "Make a session that goes on from where this one is.", http.StatusCreated), id,
		func(ctx context.Context, held *session, _ *InSession) (output[client.Session], error) {
			made, err := held.fork(ctx, caller(ctx))
			return output[client.Session]{made}, err
		})
}

func (s *Server) executionOperations(api huma.API) {
	id := func(i *executeInput) string { return i.ID }
	op := s.operation("execute", "POST", "/{id}/exec", "Run a script and wait for it.", http.StatusOK)
	op.Errors = append(op.Errors, http.StatusConflict)
	in(s, api, op, id, func(ctx context.Context, held *session, i *executeInput) (output[*client.Result], error) {
		res, err := held.execute(ctx, i.Body)
		return output[*client.Result]{res}, err
	})
	op = s.operation("execute-stream", "POST", "/{id}/exec/stream", "Run a script and send what it prints, when it prints it.", http.StatusOK)
	op.Description = "The events are stdout and stderr, whose data is a Chunk; result, whose data is a Result without output, at the end; or failure, whose data is an ErrorModel, instead of it."
	op.Errors = append(op.Errors, http.StatusConflict)
	op.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{"text/event-stream": {
		Schema: &huma.Schema{Type: huma.TypeString},
	}}}}
	api.OpenAPI().Components.Schemas.Schema(typeOf[client.Chunk](), true, "Chunk")
	huma.Register(api, op, func(ctx context.Context, i *executeInput) (*huma.StreamResponse, error) {
		held, err := s.enter(ctx, i.ID)
		if err != nil {
			return nil, err
		}
		r, err := held.prepare(ctx, i.Body)
		if err != nil {
			held.release()
			return nil, s.failure(err)
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			defer held.release()
			s.stream(hc, r)
		}}, nil
	})
}

func (s *Server) fileOperations(api huma.API) {
	id := func(i *OfFile) string { return i.ID }
	since := func(i *sinceInput) string { return i.ID }
	in(s, api, s.operation("read-file", "GET", "/{id}/files", "Read a file.", http.StatusOK), id,
		func(ctx context.Context, held *session, i *OfFile) (content, error) {
			data, err := held.shell.ReadFile(ctx, i.Path)
			return content{"application/octet-stream", data}, err
		})
	type writeInput struct {
		OfFile
		Mode    uint32 `query:"mode" maximum:"511" doc:"Permissions of a new file. Zero means 0644, which is 420."`
		RawBody []byte
	}
	in(s, api, s.operation("write-file", "PUT", "/{id}/files", "Write a file, and make the directories that it is in.", http.StatusNoContent),
		func(i *writeInput) string { return i.ID },
		func(ctx context.Context, held *session, i *writeInput) (empty, error) {
			return empty{}, held.change(ctx, func() error { return held.shell.WriteFile(ctx, i.Path, i.RawBody, mode(i.Mode)) })
		})
	in(s, api, s.operation("remove-file", "DELETE", "/{id}/files", "Remove a file, or a directory and what is below it.", http.StatusNoContent), id,
		func(ctx context.Context, held *session, i *OfFile) (empty, error) {
			return empty{}, held.change(ctx, func() error { return held.shell.Remove(ctx, i.Path) })
		})
	in(s, api, s.operation("list-directory", "GET", "/{id}/directory", "List a directory.", http.StatusOK), id,
		func(ctx context.Context, held *session, i *OfFile) (output[[]client.Entry], error) {
			list, err := held.list(ctx, i.Path)
			return output[[]client.Entry]{list}, err
		})
	in(s, api, s.operation("changes", "GET", "/{id}/changes", "Show what has become of the files.", http.StatusOK), since,
		func(ctx context.Context, held *session, i *sinceInput) (output[[]client.Change], error) {
			list, err := held.changes(ctx, i.Since)
			return output[[]client.Change]{list}, err
		})
	in(s, api, s.operation("patch", "GET", "/{id}/patch", "Show what has become of the files, as a unified patch.", http.StatusOK), since,
		func(ctx context.Context, held *session, i *sinceInput) (content, error) {
			data, err := held.patch(ctx, i.Since)
			return content{"text/x-diff", data}, err
		})
}

func (s *Server) snapshotOperations(api huma.API) {
	id := func(i *snapshotInput) string { return i.ID }
	in(s, api, s.operation("take-snapshot", "POST", "/{id}/snapshots", "Note what the session is.", http.StatusCreated),
		func(i *InSession) string { return i.ID },
		func(ctx context.Context, held *session, _ *InSession) (output[client.Snapshot], error) {
			snap, err := held.take(ctx, newID())
			return output[client.Snapshot]{snap}, err
		})
	in(s, api, s.operation("download-snapshot", "GET", "/{id}/snapshots/{snapshot}", "Download a snapshot, from which a session can be made.", http.StatusOK), id,
		func(ctx context.Context, held *session, i *snapshotInput) (content, error) {
			c, err := held.snapshot(ctx, i.Snapshot)
			if err != nil {
				return content{}, err
			}
			data, err := bytesOf(c, nil)
			return content{"application/octet-stream", data}, err
		})
	in(s, api, s.operation("restore-snapshot", "POST", "/{id}/snapshots/{snapshot}/restore", "Make the session what it was.", http.StatusNoContent), id,
		func(ctx context.Context, held *session, i *snapshotInput) (empty, error) {
			return empty{}, held.goBack(ctx, i.Snapshot)
		})
	in(s, api, s.operation("remove-snapshot", "DELETE", "/{id}/snapshots/{snapshot}", "Remove a snapshot.", http.StatusNoContent), id,
		func(ctx context.Context, held *session, i *snapshotInput) (empty, error) {
			return empty{}, held.removeSnapshot(ctx, i.Snapshot)
		})
}

func (s *Server) processOperations(api huma.API) {
	id := func(i *OfProcess) string { return i.ID }
	type startInput struct {
		InSession
		Body client.ProcessRequest
	}
	in(s, api, s.operation("start-process", "POST", "/{id}/processes", "Start a command in the background.", http.StatusCreated),
		func(i *startInput) string { return i.ID },
		func(ctx context.Context, held *session, i *startInput) (output[client.Process], error) {
			p, err := held.startProcess(ctx, i.Body)
			return output[client.Process]{p}, err
		})
	in(s, api, s.operation("list-processes", "GET", "/{id}/processes", "List the processes, the ended ones too.", http.StatusOK),
		func(i *InSession) string { return i.ID },
		func(ctx context.Context, held *session, _ *InSession) (output[[]client.Process], error) {
			return output[[]client.Process]{append([]client.Process{}, held.processes(ctx, held.record().Processes)...)}, nil
		})
	type outputInput struct {
		OfProcess
		Offset int64   `query:"offset" minimum:"0" doc:"Where to begin, in bytes."`
		Max    int     `query:"max" minimum:"0" maximum:"1048576" doc:"The most bytes. Zero means 16,000."`
		Wait   float64 `query:"wait" minimum:"0" maximum:"60" doc:"Seconds to wait for something to be there, or for the end of the process."`
	}
	in(s, api, s.operation("process-output", "GET", "/{id}/processes/{process}/output", "Read what a process has printed.", http.StatusOK),
		func(i *outputInput) string { return i.ID },
		func(ctx context.Context, held *session, i *outputInput) (output[client.ProcessOutput], error) {
			out, err := held.processOutput(ctx, i.Process, i.Offset, i.Max, i.Wait)
			return output[client.ProcessOutput]{out}, err
		})
	type inputInput struct {
		OfProcess
		RawBody []byte
	}
	in(s, api, s.operation("process-input", "POST", "/{id}/processes/{process}/input", "Write to the standard input of a process. The answer is how many bytes it has taken.", http.StatusOK),
		func(i *inputInput) string { return i.ID },
		func(ctx context.Context, held *session, i *inputInput) (output[int], error) {
			n, err := held.writeProcess(ctx, i.Process, i.RawBody)
			return output[int]{n}, err
		})
	in(s, api, s.operation("stop-process", "DELETE", "/{id}/processes/{process}", "End a process.", http.StatusOK), id,
		func(ctx context.Context, held *session, i *OfProcess) (output[client.Process], error) {
			p, err := held.stopProcess(ctx, i.Process)
			return output[client.Process]{p}, err
		})
}

func marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // a type of this module
	}
	return data
}
