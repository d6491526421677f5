package docker

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/containerd/errdefs"
	"github.com/limpet-sh/limpet/adapters/internal/box"
	"github.com/limpet-sh/limpet/internal/quote"
	"github.com/moby/moby/client"
)

// A link runs scripts in a container. Small ones go to shells that stay there, since an
// exec of the engine takes a hundred times as long as the script.
type link struct {
	engine    *client.Client
	container string
	user      string

	mu     sync.Mutex
	idle   []*resident
	closed bool
}

// A resident is a shell in the container that is connected, and runs one script after
// the other.
type resident struct {
	conn client.HijackedResponse
	out  *bufio.Reader
}

const (
	// small is how long a script and its input may be for a resident, whose shell reads
	// them a byte at a time.
	small = 24 << 10

	// spare is how many residents are kept that have nothing to do.
	spare = 8
)

// residentScript reads a word, lines of a script up to the word, and a line of input in
// base64. It answers with the output and the word, on lines of their own.
const residentScript = `umask 077; n='
'
while IFS= read -r word; do
  s=
  while IFS= read -r line && [ "$line" != "$word" ]; do s=$s$line$n; done
  IFS= read -r i || exit
  if [ -z "$i" ]; then ( eval "$s" ) < /dev/null 2> /dev/null
  else printf %s "$i" | base64 -d | ( eval "$s" ) 2> /dev/null; fi
  printf '\n%s\n' "$word"
done`

// onceScript answers one script, which is its second argument, in the same way.
const onceScript = `umask 077; ( eval "$2" ) 2> /dev/null; printf '\n%s\n' "$1"`

// Run runs a script.
func (l *link) Run(ctx context.Context, script string, input []byte) ([]byte, error) {
	if len(script)+len(input) > small {
		return l.once(ctx, script, input)
	}
	r, err := l.take(ctx)
	if err != nil {
		return nil, err
	}
	word := newWord()
	text := word + "\n" + script + "\n" + word + "\n" + base64.StdEncoding.EncodeToString(input) + "\n"
	out, err := r.ask(ctx, []byte(text), false, word)
	if err != nil {
		r.conn.Close()
		return nil, err
	}
	l.give(r)
	return out, nil
}

// take returns a resident that has nothing to do.
func (l *link) take(ctx context.Context) (*resident, error) {
	l.mu.Lock()
	if n := len(l.idle); n > 0 {
		r := l.idle[n-1]
		l.idle = l.idle[:n-1]
		l.mu.Unlock()
		return r, nil
	}
	l.mu.Unlock()
	return l.attach(ctx, "sh", "-c", residentScript)
}

// give takes a resident back.
func (l *link) give(r *resident) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.idle) == spare {
		r.conn.Close()
		return
	}
	l.idle = append(l.idle, r)
}

// once runs a script with a shell of its own.
func (l *link) once(ctx context.Context, script string, input []byte) ([]byte, error) {
	word := newWord()
	r, err := l.attach(ctx, "sh", "-c", onceScript, "sh", word, script)
	if err != nil {
		return nil, err
	}
	defer r.conn.Close()
	return r.ask(ctx, input, true, word)
}

// attach starts a command in the container.
func (l *link) attach(ctx context.Context, command ...string) (*resident, error) {
	created, err := l.engine.ExecCreate(ctx, l.container, client.ExecCreateOptions{
		User: l.user, AttachStdin: true, AttachStdout: true, WorkingDir: "/", Cmd: command,
	})
	if err != nil {
		return nil, ended(err)
	}
	attached, err := l.engine.ExecAttach(ctx, created.ID, client.ExecAttachOptions{})
	if err != nil {
		return nil, ended(err)
	}
	conn := attached.HijackedResponse
	return &resident{conn: conn, out: bufio.NewReaderSize(&demultiplexer{r: conn.Reader}, 64<<10)}, nil
}

// ended explains an error of the engine about the container.
func ended(err error) error {
	switch {
	case errdefs.IsNotFound(err), errdefs.IsConflict(err):
		return fmt.Errorf("the container of the sandbox has ended: %w", err)
	case client.IsErrConnectionFailed(err):
		return explain(err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	default:
		return &box.LostError{Err: err}
	}
}

// newWord returns a word that no output has.
func newWord() string {
	var random [12]byte
	_, _ = rand.Read(random[:]) // never fails
	return "end-" + hex.EncodeToString(random[:])
}

// ask sends text, and nothing after it if it is the last, and returns the answer.
func (r *resident) ask(ctx context.Context, text []byte, last bool, word string) ([]byte, error) {
	stop := context.AfterFunc(ctx, r.conn.Close)
	defer stop()
	sent := make(chan error, 1)
	go func() {
		_, err := r.conn.Conn.Write(text)
		if err == nil && last {
			err = r.conn.CloseWrite()
		}
		sent <- err
	}()
	out, err := r.answer(word)
	if err != nil {
		r.conn.Close()
	}
	sendErr := <-sent
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, errors.Join(err, sendErr)
	}
	return out, nil
}

// answer reads the output up to the word.
func (r *resident) answer(word string) ([]byte, error) {
	end := []byte("\n" + word + "\n")
	var out []byte
	for {
		part, err := r.out.ReadSlice('\n')
		out = append(out, part...)
		switch {
		case bytes.HasSuffix(out, end):
			return out[:len(out)-len(end)], nil
		case err == nil, errors.Is(err, bufio.ErrBufferFull):
		case bytes.HasSuffix(out, []byte("\r\n")): // what runc says where it cannot start the shell
			return nil, fmt.Errorf("docker: %s", quote.C(strings.TrimSpace(string(out))))
		default:
			return nil, &box.LostError{Err: err}
		}
	}
}

// close ends the residents.
func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, r := range l.idle {
		r.conn.Close()
	}
	l.idle = nil
}

// A demultiplexer reads the standard output of an attached stream: frames of a stream
// number, three zero bytes, a length and data.
type demultiplexer struct {
	r    io.Reader
	left int
}

// Read reads.
func (d *demultiplexer) Read(b []byte) (int, error) {
	for d.left == 0 {
		var head [8]byte
		if _, err := io.ReadFull(d.r, head[:]); err != nil {
			return 0, err
		}
		n := int(binary.BigEndian.Uint32(head[4:]))
		if head[0] == 1 {
			d.left = n
		} else if _, err := io.CopyN(io.Discard, d.r, int64(n)); err != nil {
			return 0, err
		}
	}
	n, err := d.r.Read(b[:min(len(b), d.left)])
	d.left -= n
	return n, err
}
