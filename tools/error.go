package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/limpet-sh/limpet"
)

// An Error is a failure of a call, as a model sees it.
type Error struct {
	Code      string         `json:"name"`
	Message   string         `json:"message"`
	Details   map[string]any `json:"details,omitempty"`
	Retryable bool           `json:"-"` // the same call may succeed later
}

// The codes of errors that are not those of processes, which are the values of
// [limpet.ProcessCode].
const (
	CodeFailed           = "tool_failed"
	CodeInvalidArguments = "invalid_arguments"
	CodeInvalidCall      = "InvalidToolCall" // there is no such tool
	CodeDenied           = "tool_denied"
	CodeApproval         = "approval_required"
	CodeCancelled        = "cancelled"
	CodeUnsupported      = "unsupported"
)

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// JSON returns what a model is shown.
func (e *Error) JSON() []byte {
	var shown struct {
		Result struct {
			Type  string `json:"type"`
			Error *Error `json:"error"`
		} `json:"result"`
	}
	shown.Result.Type, shown.Result.Error = "error", e
	return marshal(shown)
}

// failf returns an error with the code CodeFailed.
func failf(format string, args ...any) *Error {
	return &Error{Code: CodeFailed, Message: fmt.Sprintf(format, args...)}
}

// with returns e with a detail.
func (e *Error) with(name string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[name] = value
	return e
}

// asError makes an Error of any error.
func asError(ctx context.Context, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*limpet.ProcessError](err); ok {
		return processError(e)
	}
	if ctx.Err() != nil {
		return &Error{Code: CodeCancelled, Message: "The call was cancelled: " + context.Cause(ctx).Error()}
	}
	if errors.Is(err, errors.ErrUnsupported) {
		return &Error{Code: CodeUnsupported, Message: err.Error()}
	}
	return failf("%v", err)
}

// An ArgumentError is one thing that is wrong with the arguments of a call.
type ArgumentError struct {
	Location string `json:"location"` // a path such as content.0.old_str
	Type     string `json:"type"`
	Message  string `json:"message"`
}

// invalid returns the error for arguments that are wrong.
func invalid(tool string, list ...ArgumentError) *Error {
	message := "Invalid arguments for " + tool
	for i, e := range list {
		message += map[bool]string{true: ": ", false: "; "}[i == 0]
		if e.Location != "" {
			message += e.Location + ": "
		}
		message += e.Message
	}
	return &Error{Code: CodeInvalidArguments, Message: message, Details: map[string]any{"tool": tool, "errors": list}}
}

// marshal writes v, which always can be written, without escapes for HTML.
func marshal(v any) []byte {
	var b jsonBuffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // a type of this package that has no JSON form
	}
	return b[:len(b)-1]
}

// A jsonBuffer is what is written to it.
type jsonBuffer []byte

// Write appends.
func (b *jsonBuffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}
