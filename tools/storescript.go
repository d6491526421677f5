package tools

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet"
)

//go:embed store.sh
var storeText string

// A scriptStore is one whose files only scripts can reach.
type scriptStore struct{ sandbox limpet.Sandbox }

// run runs the script that stands for all of them, with its output to w.
func (s *scriptStore) run(ctx context.Context, w io.Writer, in []byte, args ...string) error {
	res, err := s.sandbox.Exec(ctx, limpet.Request{
		Script: storeText, Name: args[0], Args: args, Stdin: bytes.NewReader(in), Stdout: w, Dir: s.sandbox.Workspace(),
	})
	switch {
	case err != nil:
		return err
	case res.Stopped != nil:
		return res.Stopped
	case res.Status != 0:
		if text := strings.TrimSpace(string(res.Stderr)); text != "" {
			return errors.New(text)
		}
		return fmt.Errorf("%s: status %d", args[0], res.Status)
	}
	return nil
}

func (s *scriptStore) entry(ctx context.Context, name string) (entry, error) {
	var b bytes.Buffer
	if err := s.run(ctx, &b, nil, "entry", name); err != nil {
		return entry{}, err
	}
	parts := strings.Split(b.String(), "\x00")
	if len(parts) != 5 {
		return entry{}, fmt.Errorf("stat: unexpected output %q", b.String())
	}
	e := entry{path: parts[0], kind: special, changed: parts[3]}
	e.size, _ = strconv.ParseInt(parts[2], 10, 64) // by our own script
	switch parts[1] {
	case "missing":
		e.kind = missing
	case "directory":
		e.kind = directory
	case "regular file", "regular empty file":
		e.kind = file
	}
	return e, nil
}

// copy notes an error of w, which the sandbox may take for a reader that has gone.
func (s *scriptStore) copy(ctx context.Context, name string, w io.Writer) error {
	note := &noted{w: w}
	err := s.run(ctx, note, nil, "copy", name)
	if note.err != nil {
		return note.err
	}
	return err
}

// noted remembers the error of a writer, and then says that nobody reads.
type noted struct {
	w   io.Writer
	err error
}

// Write passes b on until there is an error.
func (n *noted) Write(b []byte) (int, error) {
	if n.err == nil {
		_, n.err = n.w.Write(b)
	}
	if n.err != nil {
		return 0, limpet.ErrPipe
	}
	return len(b), nil
}

func (s *scriptStore) replace(ctx context.Context, name string, data []byte) error {
	return s.run(ctx, nil, data, "replace", name, strings.ToLower(rand.Text()[:8]))
}

func (s *scriptStore) remove(ctx context.Context, name string) error {
	return s.run(ctx, nil, nil, "remove", name)
}

func (s *scriptStore) private(ctx context.Context, dir string) error {
	return s.run(ctx, nil, nil, "private", dir)
}
