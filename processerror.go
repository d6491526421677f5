package limpet

import (
	"errors"
	"fmt"
	"strings"
)

// A ProcessError is a failure of [Processes].
type ProcessError struct {
	Code    ProcessCode
	Message string
	Stage   string // of CodeStartFailed: shell_resolution, output_initialization, spawn, post_spawn or persistence

	Cursor, Oldest, Available int64 // of CodeInvalidCursor

	Err error // the cause, if there is one
}

// A ProcessCode says what kind of failure a [ProcessError] is.
type ProcessCode string

// The kinds of failures.
const (
	CodeUnknownProcess    ProcessCode = "unknown_process"
	CodeNotRunning        ProcessCode = "process_not_running"
	CodeStartFailed       ProcessCode = "process_start_failed"
	CodeIOFailed          ProcessCode = "process_io_failed"
	CodeStopFailed        ProcessCode = "process_stop_failed"
	CodeOutputUnavailable ProcessCode = "process_output_unavailable"
	CodeInvalidCursor     ProcessCode = "invalid_cursor"
	CodeIdentityConflict  ProcessCode = "process_identity_conflict"
	CodeInvalidDirectory  ProcessCode = "invalid_working_directory"
)

// Error returns the message and the cause.
func (e *ProcessError) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *ProcessError) Unwrap() error { return e.Err }

// processMessages are what is said of failures. A text that ends in a colon goes on
// with the id of the process.
var processMessages = map[ProcessCode]string{
	CodeUnknownProcess:    "Unknown process:",
	CodeNotRunning:        "Process is not running:",
	CodeStartFailed:       "Process could not be started",
	CodeIOFailed:          "Process input failed",
	CodeStopFailed:        "Process could not be stopped:",
	CodeOutputUnavailable: "Process output is unavailable:",
	CodeIdentityConflict:  "Another process has the ID:",
	CodeInvalidDirectory:  "Working directory must exist and be a directory",
}

// NewProcessError returns the error of a kind about the process with an id, so that every
// sandbox says the same. Cause may be nil.
func NewProcessError(code ProcessCode, id string, cause error) *ProcessError {
	e := &ProcessError{Code: code, Message: processMessages[code], Err: cause}
	if strings.HasSuffix(e.Message, ":") {
		e.Message += " " + id
	}
	return e
}

// InvalidCursor returns the error for a cursor that is not within an output.
func InvalidCursor(cursor, oldest, available int64) *ProcessError {
	return &ProcessError{
		Code: CodeInvalidCursor, Message: fmt.Sprintf("Invalid cursor: %d", cursor), Cursor: cursor, Oldest: oldest, Available: available,
	}
}

// StartFailed returns the error for a process that could not be started, because of what
// has failed at a stage.
func StartFailed(stage string, cause error) *ProcessError {
	e := NewProcessError(CodeStartFailed, "", cause)
	e.Stage = stage
	return e
}

// UnknownProcess returns the error for an id that no process has.
func UnknownProcess(id string) error { return NewProcessError(CodeUnknownProcess, id, nil) }

// IsProcessError reports whether err is a [ProcessError] of the kind.
func IsProcessError(err error, code ProcessCode) bool {
	e, ok := errors.AsType[*ProcessError](err)
	return ok && e.Code == code
}
