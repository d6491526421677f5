package tracing_test

import (
	"context"
	"sync"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/tracing"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// A recorder is a tracer that notes what it is told.
type recorder struct {
	noop.Tracer

	mu    sync.Mutex
	spans []*recorded
}

type recorded struct {
	noop.Span
	name   string
	parent trace.Span
	status codes.Code
	code   int64
	ended  bool
}

// Start notes a span.
func (r *recorder) Start(ctx context.Context, name string, _ ...trace.SpanStartOption) (context.Context, trace.Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &recorded{name: name, parent: trace.SpanFromContext(ctx)}
	r.spans = append(r.spans, s)
	return trace.ContextWithSpan(ctx, s), s
}

func (s *recorded) End(...trace.SpanEndOption)          { s.ended = true }
func (s *recorded) SetStatus(code codes.Code, _ string) { s.status = code }
func (s *recorded) SetAttributes(list ...attribute.KeyValue) {
	for _, kv := range list {
		s.code = kv.Value.AsInt64()
	}
}

func TestSpans(t *testing.T) {
	r := &recorder{}
	spans := tracing.New(r)
	sh, err := limpet.New(limpet.Config{Watch: limpet.Watch{Event: spans.Event}, Limits: limits.Limits{Steps: 10_000}})
	require.NoError(t, err)
	defer sh.Close()
	ctx, outer := r.Start(t.Context(), "outer")
	_, err = sh.Exec(ctx, limpet.Request{Script: `ls /nosuch; while :; do :; done`})
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(r.spans), 3)
	exec, ls := r.spans[1], r.spans[2]
	require.Equal(t, []any{"limpet.exec", outer, codes.Error, true}, []any{exec.name, exec.parent, exec.status, exec.ended})
	require.Equal(t, []any{"ls", trace.Span(exec), int64(2), true}, []any{ls.name, ls.parent, ls.code, ls.ended})
}
