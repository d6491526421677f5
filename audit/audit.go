// Package audit writes what scripts do to a structured log.
//
//	log := &audit.Log{Logger: slog.Default(), Secrets: []string{token}}
//	sh, err := limpet.New(limpet.Config{Watch: limpet.Watch{Event: log.Event}})
//
// What looks like a secret is left out of it; see [Log].
package audit

import (
	"context"
	"log/slog"
	"regexp"
	"strings"

	"github.com/limpet-sh/limpet"
)

// A Log writes events. It is safe for concurrent use, and must not be changed while
// it is used.
type Log struct {
	// Logger is where they are written: refusals, limits and requests that
	// failed as warnings, the rest as information. It is required.
	Logger *slog.Logger

	// Secrets are texts that are written as [redacted] wherever they appear.
	Secrets []string

	// KeepAll writes also what only looks like a secret: the values of variables and
	// options whose names say password, secret, token, credential or key, what
	// follows Authorization, Bearer and Basic, and passwords in URLs.
	KeepAll bool

	// MaxText is how many bytes of a script or an argument are written; what is
	// longer ends in [...]. Zero means 4096.
	MaxText int
}

// redacted is what is written in the place of a secret.
const redacted = "[redacted]"

var (
	assigned = regexp.MustCompile(`(?i)([a-z0-9_-]*(?:passw(?:or)?d|secret|token|credential|(?:api|private|access)[_-]?key)[a-z0-9_-]*\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s"';&|]+)`)
	passed   = regexp.MustCompile(`(?i)(--?[a-z0-9-]*(?:passw(?:or)?d|secret|token|credential|api-?key)[a-z0-9-]*\s+)("[^"]*"|'[^']*'|[^\s"';&|-][^\s"';&|]*)`)
	named    = regexp.MustCompile(`(?i)^--?[a-z0-9-]*(?:passw(?:or)?d|secret|token|credential|api-?key)[a-z0-9-]*$`)
	header   = regexp.MustCompile(`(?i)((?:authorization\s*:\s*)?(?:bearer|basic)\s+)[^\s"']+`)
	userinfo = regexp.MustCompile(`(?i)([a-z][a-z0-9+.-]*://[^\s/:@"']*:)[^\s/@"']+@`)
)

// Event writes an event. It is for the field Event of a limpet.Watch.
func (l *Log) Event(ctx context.Context, e *limpet.Event) {
	level := slog.LevelInfo
	if e.Kind == limpet.CommandRefused || e.Kind == limpet.FileRefused || e.Kind == limpet.LimitReached || e.Err != nil {
		level = slog.LevelWarn
	}
	if !l.Logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{slog.Uint64("execution", e.Execution), slog.Time("at", e.Time)}
	if e.Script != "" {
		attrs = append(attrs, slog.String("script", l.text(e.Script)))
	}
	if c := e.Command; c != nil {
		attrs = append(attrs, slog.Any("args", l.args(c.Args)), slog.String("kind", c.Kind.String()), slog.String("dir", c.Dir), slog.Int("pid", c.PID))
	}
	if f := e.File; f != nil {
		attrs = append(attrs, slog.String("file", l.text(f.Name)), slog.Int("flag", f.Flag), slog.Int("pid", f.PID))
	}
	if r := e.Request; r != nil {
		attrs = append(attrs, slog.String("method", r.Method), slog.String("url", l.text(r.URL)))
	}
	if e.Kind == limpet.CommandEnded || e.Kind == limpet.ExecutionEnded {
		attrs = append(attrs, slog.Int("status", e.Status), slog.Duration("took", e.Took))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", l.text(e.Err.Error())))
	}
	l.Logger.LogAttrs(ctx, level, e.Kind.String(), attrs...)
}

// args returns arguments as they are written: one that follows an option for a secret
// is one.
func (l *Log) args(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		if !l.KeepAll && i > 0 && named.MatchString(args[i-1]) {
			out[i] = redacted
		} else {
			out[i] = l.text(a)
		}
	}
	return out
}

// text returns text as it is written.
func (l *Log) text(s string) string {
	for _, secret := range l.Secrets {
		if secret != "" {
			s = strings.ReplaceAll(s, secret, redacted)
		}
	}
	if !l.KeepAll {
		s = header.ReplaceAllString(s, "${1}"+redacted)
		s = passed.ReplaceAllString(s, "${1}"+redacted)
		s = assigned.ReplaceAllString(s, "${1}"+redacted)
		s = userinfo.ReplaceAllString(s, "${1}"+redacted+"@")
	}
	limit := l.MaxText
	if limit == 0 {
		limit = 4096
	}
	if len(s) > limit {
		return s[:limit] + "[...]"
	}
	return s
}
