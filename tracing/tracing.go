// Package tracing makes OpenTelemetry spans of what scripts do: one for each
// execution, below the span of the context that it was started with, and one for each
// command below that.
//
//	spans := tracing.New(provider.Tracer("limpet"))
//	sh, err := limpet.New(limpet.Config{Watch: limpet.Watch{Event: spans.Event}})
package tracing

import (
	"context"
	"sync"

	"github.com/limpet-sh/limpet"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Spans makes spans of the events of one Shell. Create it with [New]. It is safe for
// concurrent use.
type Spans struct {
	tracer trace.Tracer

	mu         sync.Mutex
	executions map[uint64]open
	commands   map[*limpet.CommandRun]trace.Span
}

// open is an execution that has not ended.
type open struct {
	ctx  context.Context
	span trace.Span
}

// New returns what makes spans with a tracer. Arguments of commands are not in them,
// because they may be secrets; names, kinds and statuses are.
func New(tracer trace.Tracer) *Spans {
	return &Spans{tracer: tracer, executions: map[uint64]open{}, commands: map[*limpet.CommandRun]trace.Span{}}
}

// Event makes the spans of an event. It is for the field Event of a limpet.Watch.
func (s *Spans) Event(ctx context.Context, e *limpet.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, running := s.executions[e.Execution]
	switch e.Kind {
	case limpet.ExecutionStarted:
		ctx, span := s.tracer.Start(ctx, "limpet.exec", trace.WithAttributes(attribute.Int("limpet.script.bytes", len(e.Script))))
		s.executions[e.Execution] = open{ctx, span}
		return
	case limpet.CommandEnded:
		if span := s.commands[e.Command]; span != nil {
			delete(s.commands, e.Command)
			end(span, e)
		}
		return
	}
	if !running {
		return
	}
	switch e.Kind {
	case limpet.ExecutionEnded:
		delete(s.executions, e.Execution)
		end(x.span, e)
	case limpet.CommandStarted:
		_, span := s.tracer.Start(x.ctx, e.Command.Args[0], trace.WithAttributes(
			attribute.String("limpet.command.kind", e.Command.Kind.String()), attribute.Int("limpet.pid", e.Command.PID)))
		s.commands[e.Command] = span
	case limpet.CommandRefused:
		x.span.AddEvent(e.Kind.String(), trace.WithAttributes(attribute.String("limpet.command", e.Command.Args[0])))
	case limpet.FileOpened, limpet.FileRefused:
		x.span.AddEvent(e.Kind.String(), trace.WithAttributes(attribute.String("limpet.file", e.File.Name)))
	case limpet.NetworkRequested:
		x.span.AddEvent(e.Kind.String(), trace.WithAttributes(attribute.String("http.request.method", e.Request.Method), attribute.String("url.full", e.Request.URL)))
	case limpet.LimitReached:
		x.span.RecordError(e.Err)
	}
}

// end ends a span with a status.
func end(span trace.Span, e *limpet.Event) {
	span.SetAttributes(attribute.Int("limpet.status", e.Status))
	if e.Err != nil {
		span.SetStatus(codes.Error, e.Err.Error())
	}
	span.End()
}
