package koyeb

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/adapters/internal/box"
	"github.com/limpet-sh/limpet/internal/quote"
)

// A link runs scripts through the executor of a machine. It uses of it only what works:
// the run of short commands that print little on standard output alone, in base64, and
// the writing of files.
type link struct {
	service *service
	secret  string
	control string
	pause   time.Duration
}

// healthTime bounds one look at the health of the executor.
const healthTime = 5 * time.Second

// healthy reports whether the executor answers.
func (s *service) healthy(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/health", nil)
	if err != nil {
		return false
	}
	if s.routing != "" {
		req.Header.Set("X-Routing-Key", s.routing)
	}
	res, err := s.api.client.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	var answer struct{ Status string }
	err = json.NewDecoder(io.LimitReader(res.Body, 1<<16)).Decode(&answer)
	return err == nil && slices.Contains([]string{"ok", "healthy", "ready"}, answer.Status)
}

// post calls the executor. Only 503 is tried again, which the edge says before the
// executor has seen the request.
func (l *link) post(ctx context.Context, path string, body, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	pause := l.pause
	for try := 0; ; try++ {
		status, got, err := l.once(ctx, path, data)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil, status == http.StatusBadGateway, status == http.StatusGatewayTimeout:
			return &box.LostError{Err: errors.Join(err, httpStatus(status))}
		case status == http.StatusServiceUnavailable && try < 3:
			if err := sleep(ctx, pause); err != nil {
				return err
			}
			pause *= 2
			continue
		case status != http.StatusOK:
			return fmt.Errorf("koyeb: Sandbox service error (%d): %s", status, strings.TrimSpace(string(got[:min(len(got), 1000)])))
		}
		if err := json.Unmarshal(got, answer); err != nil {
			return &box.LostError{Err: fmt.Errorf("an answer that is none: %w", err)}
		}
		return nil
	}
}

// httpStatus makes an error of a status; nil where there is none.
func httpStatus(status int) error {
	if status == 0 {
		return nil
	}
	return fmt.Errorf("HTTP status %d", status)
}

// once makes one request.
func (l *link) once(ctx context.Context, path string, body []byte) (status int, data []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.service.base+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+l.secret)
	req.Header.Set("Content-Type", "application/json")
	if l.service.routing != "" {
		req.Header.Set("X-Routing-Key", l.service.routing)
	}
	res, err := l.service.api.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	data, err = io.ReadAll(io.LimitReader(res.Body, longest))
	return res.StatusCode, data, err
}

// short is how long a script and its input may each be, in base64, that go into the
// command itself: an argument has less than 128 KiB.
const short = 60_000

// command wraps a script in what survives the executor: no output but one line.
const command = `unset SANDBOX_SECRET; umask 077; C=%s; mkdir -p -- "$C"; f=$C/answer.$$
{ %s | ( umask 022; eval "$(%s)" ); } > "$f" 2> /dev/null < /dev/null
printf 'done %%d ' "$(wc -c < "$f")"; base64 < "$f" | tr -d '\n'; rm -f -- "$f"`

// Run runs a script.
func (l *link) Run(ctx context.Context, script string, input []byte) ([]byte, error) {
	feed, err := l.source(ctx, input)
	if err != nil {
		return nil, err
	}
	text, err := l.source(ctx, []byte(script))
	if err != nil {
		return nil, err
	}
	var answer struct {
		Stdout, Stderr, Error string
		Code                  int
	}
	cmd := fmt.Sprintf(command, quote.Single(l.control), feed, text)
	if err := l.post(ctx, "/run", object{"cmd": cmd, "cwd": "/"}, &answer); err != nil {
		return nil, err
	}
	size, encoded, ok := strings.Cut(strings.TrimPrefix(answer.Stdout, "done "), " ")
	n, sizeErr := strconv.Atoi(size)
	out, decodeErr := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if !ok || sizeErr != nil || decodeErr != nil || len(out) != n {
		return nil, &box.LostError{Err: fmt.Errorf("an answer that is none: %s, status %d", quote.C(answer.Stdout[:min(len(answer.Stdout), 200)]+answer.Stderr), answer.Code)}
	}
	return out, nil
}

// source returns a command that prints data: from itself, or from a file that is put
// there first.
func (l *link) source(ctx context.Context, data []byte) (string, error) {
	if len(data) == 0 {
		return ":", nil
	}
	encoded := base64.StdEncoding.EncodeToString(data)
	if len(encoded) <= short {
		return "printf %s " + encoded + " | base64 -d", nil
	}
	name := l.control + ".upload." + newSecret()[:16]
	var answer struct {
		Success bool
		Error   string
	}
	if err := l.post(ctx, "/write_file", object{"path": name, "content": encoded}, &answer); err != nil {
		return "", err
	}
	if answer.Error != "" || !answer.Success {
		return "", fmt.Errorf("koyeb: cannot write to the sandbox: %s", answer.Error)
	}
	return "{ base64 -d < " + quote.Single(name) + "; rm -f -- " + quote.Single(name) + "; }", nil
}

// Expose binds the one port that the world can reach.
func (s *Sandbox) Expose(ctx context.Context, port int) (string, error) {
	if port < 1 || port > 65535 {
		return "", fmt.Errorf("koyeb: %d is not a port", port)
	}
	var answer struct {
		Success bool
		Error   string
	}
	if err := s.link.post(ctx, "/unbind_port", object{}, &answer); err != nil {
		return "", err
	}
	if err := s.link.post(ctx, "/bind_port", object{"port": strconv.Itoa(port)}, &answer); err != nil {
		return "", err
	}
	return s.service.public, nil
}
