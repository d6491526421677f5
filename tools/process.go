package tools

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/limpet-sh/limpet"
)

// Bounds of the process tools.
const (
	outputBytes = 64_000 // of one page
	inputBytes  = 1 << 20
)

type startInput struct {
	Command string            `json:"command" jsonschema:"The command or script to run in the background"`
	Dir     string            `json:"cwd,omitempty" arg:"default=\"\"" jsonschema:"Where it starts; the workspace unless given"`
	Env     map[string]string `json:"env,omitempty" arg:"default={}" jsonschema:"Variables for it"`
}

type startOutput struct {
	ProcessID string               `json:"processId"`
	Status    limpet.ProcessStatus `json:"status"`
}

var processStart = define(Tool{
	Name: "process.start", Flat: "process_start", Title: "Start a process", Destructive: true, OpenWorld: true,
	Description: "Starts a command in the background and returns its processId at once. It goes on from one call to the next until it ends or is stopped.",
	needs:       limpet.AccessFull, missing: withoutProcesses,
}, func(ctx context.Context, b *Toolbox, c Call, in startInput) (startOutput, error) {
	if errs := checkStart(in); errs != nil {
		return startOutput{}, invalid("process.start", errs...)
	}
	p, err := b.processes("")
	if err != nil {
		return startOutput{}, err
	}
	dir := in.Dir
	if dir != "" {
		if dir, err = b.absolute(ctx, dir); err != nil {
			return startOutput{}, err
		}
	}
	info, err := p.Start(ctx, limpet.ProcessRequest{ID: b.processID(c), Command: in.Command, Dir: dir, Env: in.Env})
	if limpet.IsProcessError(err, limpet.CodeInvalidDirectory) {
		return startOutput{}, invalid("process.start", ArgumentError{"cwd", "invalid_working_directory", "Working directory must exist and be a directory"})
	}
	return startOutput{info.ID, info.Status}, err
})

// processID names a process by the session and the call, so that a call that is repeated
// finds the process that it has started.
func (b *Toolbox) processID(c Call) string {
	call := cmp.Or(c.ID, rand.Text())
	sum := sha256.Sum256([]byte("process\x00" + b.cfg.Session + "\x00process.start\x00" + call + "\x00"))
	return b.processPrefix() + hex.EncodeToString(sum[:12])
}

// processPrefix is what the processes of this session are called.
func (b *Toolbox) processPrefix() string {
	sum := sha256.Sum256([]byte(b.cfg.Session))
	return "process-" + hex.EncodeToString(sum[:6]) + "-"
}

// processes returns the processes of the sandbox. Those of other sessions are unknown
// here.
func (b *Toolbox) processes(id string) (limpet.Processes, error) {
	if id != "" && !strings.HasPrefix(id, b.processPrefix()) {
		return nil, limpet.UnknownProcess(id)
	}
	return limpet.ProcessesOf(b.sandbox)
}

// checkStart finds what a schema does not say.
func checkStart(in startInput) (errs []ArgumentError) {
	if strings.TrimSpace(in.Command) == "" {
		errs = append(errs, ArgumentError{"command", "empty_command", "Command must not be empty"})
	}
	for name, value := range in.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			errs = append(errs, ArgumentError{"env", "invalid_environment_name", "Environment names must not be empty or contain = or NUL"})
		}
		if strings.Contains(value, "\x00") {
			errs = append(errs, ArgumentError{"env." + name, "invalid_environment_value", "Environment values must not contain NUL"})
		}
	}
	return errs
}

// withoutProcesses says why a sandbox has no background processes.
func withoutProcesses(b *Toolbox) error {
	_, err := limpet.ProcessesOf(b.sandbox)
	return err
}

type outputInput struct {
	ProcessID string `json:"processId"`
	From      string `json:"from,omitempty" arg:"enum=start|end,default=\"start\"" jsonschema:"end returns the newest output, and no cursor is needed"`
	Cursor    int64  `json:"cursor,omitempty" arg:"min=0,default=0" jsonschema:"Where to read on: the nextCursor of the last call"`
	WaitMs    int    `json:"waitMs,omitempty" arg:"min=0,max=30000,default=0" jsonschema:"How long to wait for new output or the end of the process"`
	MaxBytes  int    `json:"maxBytes,omitempty" arg:"min=1,default=16000"`
}

type outputOutput struct {
	ProcessID         string               `json:"processId"`
	Status            limpet.ProcessStatus `json:"status"`
	ExitCode          *int                 `json:"exitCode"`
	Output            string               `json:"output"`
	OutputStartCursor *int64               `json:"outputStartCursor,omitempty"`
	NextCursor        int64                `json:"nextCursor"`
	BytesAvailable    int64                `json:"bytesAvailable"`
	HasMore           bool                 `json:"hasMore"`
	TruncatedBefore   bool                 `json:"truncatedBefore"`
}

var processOutput = define(Tool{
	Name: "process.output", Flat: "process_output", Title: "Read the output of a process", ReadOnly: true,
	Description: "Returns what a process has printed, from a cursor on, and its status. Cursors count bytes from the start of the output.",
	needs:       limpet.AccessFull, missing: withoutProcesses,
}, func(ctx context.Context, b *Toolbox, _ Call, in outputInput) (outputOutput, error) {
	p, err := b.processes(in.ProcessID)
	if err != nil {
		return outputOutput{}, err
	}
	size := min(in.MaxBytes, outputBytes)
	got, err := p.Output(ctx, in.ProcessID, limpet.OutputRequest{
		Cursor: in.Cursor, FromEnd: in.From == "end", Max: size, Wait: time.Duration(in.WaitMs) * time.Millisecond,
	})
	if err != nil {
		return outputOutput{}, err
	}
	data := got.Data
	if got.Next < got.Available || got.Status == limpet.ProcessRunning {
		if whole := trimPartial(data, true); len(whole) > 0 {
			data = whole // the next page begins with a whole character
		}
	}
	next := got.Start + int64(len(data))
	return outputOutput{
		ProcessID: got.ID, Status: got.Status, ExitCode: exitCode(got.ProcessInfo),
		Output: validText(data), OutputStartCursor: &got.Start, NextCursor: next,
		BytesAvailable: got.Available, HasMore: next < got.Available, TruncatedBefore: got.Oldest > 0,
	}, nil
})

// exitCode is there only for processes that have ended by themselves.
func exitCode(p limpet.ProcessInfo) *int {
	if p.Status != limpet.ProcessCompleted {
		return nil
	}
	return &p.ExitCode
}

type inputInput struct {
	ProcessID string   `json:"processId"`
	Text      *string  `json:"text,omitempty" jsonschema:"Text to send; a line ends with a newline"`
	Control   []string `json:"control,omitempty" jsonschema:"Keys to send: ctrl_c ctrl_d ctrl_z esc tab enter backspace up down left right"`
	Bytes     *string  `json:"bytesBase64,omitempty" jsonschema:"Bytes to send, as base64"`
}

type inputOutput struct {
	ProcessID    string               `json:"processId"`
	Status       limpet.ProcessStatus `json:"status"`
	BytesWritten int                  `json:"bytesWritten"`
}

// keys are what the names of control keys stand for.
var keys = map[string]string{
	"ctrl_c": "\x03", "ctrl_d": "\x04", "ctrl_z": "\x1a", "esc": "\x1b", "tab": "\t", "enter": "\r", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
}

var processWrite = define(Tool{
	Name: "process.write", Flat: "process_write", Title: "Send input to a process", Destructive: true,
	Description: "Sends input to a process: exactly one of text, control and bytesBase64. bytesWritten may be less where the process does not read.",
	needs:       limpet.AccessFull, missing: withoutProcesses,
}, func(ctx context.Context, b *Toolbox, _ Call, in inputInput) (inputOutput, error) {
	data, problem := in.data()
	if problem != nil {
		return inputOutput{}, invalid("process.write", *problem)
	}
	p, err := b.processes(in.ProcessID)
	if err != nil {
		return inputOutput{}, err
	}
	info, n, err := p.Write(ctx, in.ProcessID, data)
	return inputOutput{info.ID, info.Status, n}, err
})

// data returns the bytes to send.
func (in *inputInput) data() ([]byte, *ArgumentError) {
	given := 0
	var data []byte
	if in.Text != nil {
		given++
		data = []byte(*in.Text)
	}
	if in.Control != nil {
		given++
		for _, name := range in.Control {
			key, ok := keys[name]
			if !ok {
				return nil, &ArgumentError{"control", "enum", "unknown key " + name}
			}
			data = append(data, key...)
		}
	}
	if in.Bytes != nil {
		given++
		var err error
		if data, err = base64.StdEncoding.DecodeString(*in.Bytes); err != nil {
			return nil, &ArgumentError{"bytesBase64", "invalid_base64", "bytesBase64 must be valid base64"}
		}
	}
	switch {
	case given != 1:
		return nil, &ArgumentError{"", "value_error", "exactly one of text, control and bytesBase64 must be given"}
	case len(data) == 0:
		return nil, &ArgumentError{"", "empty_input", "Input must not be empty"}
	case len(data) > inputBytes:
		return nil, &ArgumentError{"", "value_too_large", "Input must not exceed 1048576 bytes"}
	}
	return data, nil
}

type noInput struct{}

type listedProcess struct {
	ProcessID  string               `json:"processId"`
	Command    string               `json:"command"`
	Status     limpet.ProcessStatus `json:"status"`
	ExitCode   *int                 `json:"exitCode"`
	OutputPath *string              `json:"outputPath"`
}

type processesOutput struct {
	Processes []listedProcess `json:"processes"`
}

var processList = define(Tool{
	Name: "process.list", Flat: "process_list", Title: "List processes", ReadOnly: true, Idempotent: true,
	Description: "Lists the processes that process.start has started, the ended ones too.",
	needs:       limpet.AccessFull, missing: withoutProcesses,
}, func(ctx context.Context, b *Toolbox, _ Call, _ noInput) (processesOutput, error) {
	out := processesOutput{Processes: []listedProcess{}}
	p, err := b.processes("")
	if err != nil {
		return out, err
	}
	list, err := p.List(ctx)
	for _, info := range list {
		if !strings.HasPrefix(info.ID, b.processPrefix()) {
			continue
		}
		out.Processes = append(out.Processes, listedProcess{info.ID, info.Command, info.Status, exitCode(info), nil})
	}
	return out, err
})

type stopInput struct {
	ProcessID string `json:"processId"`
}

type stopOutput struct {
	ProcessID string               `json:"processId"`
	Status    limpet.ProcessStatus `json:"status"`
	ExitCode  *int                 `json:"exitCode"`
}

var processStop = define(Tool{
	Name: "process.stop", Flat: "process_stop", Title: "Stop a process", Destructive: true, Idempotent: true,
	Description: "Ends a process and what it has started. Stopping one that has ended does nothing.",
	needs:       limpet.AccessFull, missing: withoutProcesses,
}, func(ctx context.Context, b *Toolbox, _ Call, in stopInput) (stopOutput, error) {
	p, err := b.processes(in.ProcessID)
	if err != nil {
		return stopOutput{}, err
	}
	info, err := p.Stop(ctx, in.ProcessID)
	return stopOutput{info.ID, info.Status, exitCode(info)}, err
})

// processError makes an error for a model of one of a sandbox.
func processError(e *limpet.ProcessError) *Error {
	out := &Error{Code: string(e.Code), Message: e.Message}
	if e.Err != nil && !errors.Is(e.Err, e) {
		out.with("cause", strings.ToValidUTF8(e.Err.Error(), string(utf8.RuneError)))
	}
	if e.Stage != "" {
		out.with("stage", e.Stage)
	}
	if e.Code == limpet.CodeInvalidCursor {
		out.with("cursor", e.Cursor).with("outputStartCursor", e.Oldest).with("bytesAvailable", e.Available)
	}
	out.Retryable = slices.Contains([]limpet.ProcessCode{limpet.CodeIOFailed, limpet.CodeStopFailed}, e.Code)
	return out
}
