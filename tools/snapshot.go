package tools

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
)

// checkpoints are those that a model has made. The zero value is ready for use.
type checkpoints struct {
	mu   sync.Mutex
	list []*limpet.Checkpoint
}

// maximumCheckpoints is how many a model may make.
const maximumCheckpoints = 100

func (m *checkpoints) add(c *limpet.Checkpoint) (id string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.list) == maximumCheckpoints {
		return "", failf("There are %d checkpoints; there can be no more", maximumCheckpoints)
	}
	m.list = append(m.list, c)
	return fmt.Sprintf("checkpoint-%d", len(m.list)), nil
}

func (m *checkpoints) find(id string) (*limpet.Checkpoint, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, c := range m.list {
		if id == fmt.Sprintf("checkpoint-%d", i+1) {
			return c, nil
		}
	}
	return nil, failf("Unknown checkpoint: %s", id)
}

func (m *checkpoints) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = nil
	return nil
}

// withoutSnapshots says why a sandbox has none.
func withoutSnapshots(b *Toolbox) error {
	if _, ok := b.sandbox.(*limpet.Shell); !ok {
		return &limpet.UnsupportedError{Sandbox: limpet.Describe(b.sandbox).Kind, Reason: "it has no checkpoints"}
	}
	return nil
}

// point notes what the files and the shell of bash are.
func (b *Toolbox) point() (*limpet.Checkpoint, error) {
	if s, ok := b.shells.current().(*limpet.Session); ok {
		return s.Checkpoint()
	}
	if sh, ok := b.sandbox.(*limpet.Shell); ok {
		return sh.Checkpoint()
	}
	return nil, withoutSnapshots(b)
}

type checkpointOutput struct {
	CheckpointID string `json:"checkpointId"`
}

var checkpoint = define(Tool{
	Name: "snapshot.checkpoint", Flat: "checkpoint", Title: "Make a checkpoint", ReadOnly: true, Extension: true,
	Description: "Notes what all files are, and the directory, variables and functions of bash. restore goes back to that.",
	needs:       limpet.AccessFiles, missing: withoutSnapshots,
}, func(_ context.Context, b *Toolbox, _ Call, _ noInput) (checkpointOutput, error) {
	c, err := b.point()
	if err != nil {
		return checkpointOutput{}, err
	}
	id, err := b.marks.add(c)
	return checkpointOutput{id}, err
})

type restoreInput struct {
	CheckpointID string `json:"checkpointId"`
}

var restore = define(Tool{
	Name: "snapshot.restore", Flat: "restore", Title: "Go back to a checkpoint", Destructive: true, Idempotent: true, Extension: true,
	Description: "Makes all files, and the shell of bash, what they were at a checkpoint. What was done since is lost.",
	needs:       limpet.AccessFiles, missing: withoutSnapshots,
}, func(_ context.Context, b *Toolbox, _ Call, in restoreInput) (checkpointOutput, error) {
	c, err := b.marks.find(in.CheckpointID)
	if err != nil {
		return checkpointOutput{}, err
	}
	if s, ok := b.shells.current().(*limpet.Session); ok {
		err = s.Restore(c)
	} else if sh, ok := b.sandbox.(*limpet.Shell); ok {
		err = sh.Restore(c)
	}
	return checkpointOutput{in.CheckpointID}, err
})

type changesInput struct {
	Since string `json:"since" jsonschema:"A checkpointId"`
	Diff  bool   `json:"diff,omitempty" arg:"default=false" jsonschema:"Return a unified diff as well"`
}

type changedFile struct {
	Path   string `json:"path"`
	Change string `json:"change" arg:"enum=created|changed|removed"`
}

type changesOutput struct {
	Changes []changedFile `json:"changes"`
	Diff    string        `json:"diff,omitempty"`
}

// Text is one line a file, and the diff.
func (o changesOutput) Text() string {
	if len(o.Changes) == 0 {
		return "[nothing has changed]"
	}
	var b strings.Builder
	for _, c := range o.Changes {
		fmt.Fprintf(&b, "%s %s\n", c.Change, c.Path)
	}
	return b.String() + o.Diff
}

var changes = define(Tool{
	Name: "snapshot.changes", Flat: "changes", Title: "List changes", ReadOnly: true, Idempotent: true, Extension: true,
	Description: "Lists the files that were created, changed and removed since a checkpoint.",
	needs:       limpet.AccessFiles, missing: withoutSnapshots,
}, func(ctx context.Context, b *Toolbox, _ Call, in changesInput) (changesOutput, error) {
	before, err := b.marks.find(in.Since)
	if err != nil {
		return changesOutput{}, err
	}
	after, err := b.point()
	if err != nil {
		return changesOutput{}, err
	}
	return compare(ctx, before, after, in.Diff)
})

// compare lists what differs between two checkpoints.
func compare(ctx context.Context, before, after *limpet.Checkpoint, diff bool) (changesOutput, error) {
	out := changesOutput{Changes: []changedFile{}}
	list, err := limpet.Changes(before, after)
	if err != nil {
		return out, err
	}
	for _, c := range list {
		kind := "changed"
		if c.Old == nil {
			kind = "created"
		} else if c.New == nil {
			kind = "removed"
		}
		out.Changes = append(out.Changes, changedFile{c.Name, kind})
	}
	if diff {
		var text strings.Builder
		if err := limpet.Diff(ctx, &text, before, after); err != nil {
			return out, err
		}
		out.Diff = validText([]byte(text.String()))
	}
	return out, nil
}

type forkInput struct {
	Command string `json:"command" arg:"length=1" jsonschema:"What to run in the copy"`
	Timeout int    `json:"timeout_seconds,omitempty" arg:"min=1,max=300,default=300"`
	Diff    bool   `json:"diff,omitempty" arg:"default=false" jsonschema:"Return a unified diff as well"`
}

type forkOutput struct {
	bashOutput
	Changes []changedFile `json:"changes"`
	Diff    string        `json:"diff,omitempty"`
}

// most is not known: there may be many changes.
func (o forkOutput) most() int { return math.MaxInt }

// Text is that of bash, and of the changes.
func (o forkOutput) Text() string {
	text := o.bashOutput.Text()
	return text + ending(text) + "[in the copy]\n" + changesOutput{o.Changes, o.Diff}.Text()
}

var fork = define(Tool{
	Name: "snapshot.fork", Flat: "fork", Title: "Try a command in a copy", ReadOnly: true, Extension: true, OpenWorld: true,
	Description: "Runs a command in a copy of the sandbox, and returns what bash would and which files the command has changed there. The sandbox itself stays as it is.",
	needs:       limpet.AccessFull, missing: withoutSnapshots,
}, func(ctx context.Context, b *Toolbox, c Call, in forkInput) (out forkOutput, err error) {
	s, sh, err := b.copy()
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, s.Close(), sh.Close()) }()
	before, err := s.Checkpoint()
	if err != nil {
		return out, err
	}
	stdout, stderr := newStream(c.Progress), newStream(c.Progress)
	res, err := s.Exec(ctx, limpet.Request{Script: in.Command, Stdout: stdout, Stderr: stderr, Timeout: time.Duration(in.Timeout) * time.Second})
	if err != nil {
		return out, err
	}
	o := bashOutput{Command: in.Command, ReturnCode: res.Status, Dir: s.Dir(), Invalid: stdout.invalid() || stderr.invalid()}
	o.Stdout, o.Out = stdout.result(ctx, b, c, "stdout")
	o.Stderr, o.Err = stderr.result(ctx, b, c, "stderr")
	o.WasTruncated = o.Out != nil || o.Err != nil
	if errors.Is(res.Stopped, context.DeadlineExceeded) && ctx.Err() == nil {
		return out, timedOut(o, bashInput{in.Command, in.Timeout}, res.Stopped)
	}
	if ctx.Err() != nil {
		return out, context.Cause(ctx)
	}
	if res.Stopped != nil {
		o.Stopped = res.Stopped.Error()
	}
	after, err := s.Checkpoint()
	if err != nil {
		return out, err
	}
	list, err := compare(ctx, before, after, in.Diff)
	return forkOutput{o, list.Changes, list.Diff}, err
})

// copy returns a session in a copy of the sandbox, and the copy.
func (b *Toolbox) copy() (*limpet.Session, *limpet.Shell, error) {
	if s, ok := b.shells.current().(*limpet.Session); ok {
		own, err := s.Fork()
		if err != nil {
			return nil, nil, err
		}
		return own, own.Shell(), nil
	}
	sh, ok := b.sandbox.(*limpet.Shell)
	if !ok {
		return nil, nil, withoutSnapshots(b)
	}
	own, err := sh.Fork()
	if err != nil {
		return nil, nil, err
	}
	s, err := own.NewSession(context.Background(), limpet.SessionOptions{Env: quiet})
	if err != nil {
		return nil, nil, errors.Join(err, own.Close())
	}
	return s, own, nil
}
