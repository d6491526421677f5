package parse

import (
	"errors"
	"fmt"
	"io"
	"runtime"
)

// ErrTooDeep reports source that nests deeper than this package parses. It is
// a limit, not a syntax error: bash would have read on.
var ErrTooDeep = errors.New("nesting too deep")

// ErrTooLong reports a command that aliases made longer than [Reader.Limit].
var ErrTooLong = errors.New("aliases expand to too much text")

// A BugError reports a panic in the parser.
type BugError struct {
	Value any
	Stack string
}

func (e *BugError) Error() string { return fmt.Sprintf("parser: %v", e.Value) }

const (
	// maxFrames is how far the stack may grow while parsing. A level of nesting
	// costs the parser about ten frames.
	maxFrames = 20_000

	// chunk is how much the parser gets at a time, and so what it can nest
	// between two checks of the stack.
	chunk = 1 << 10
)

// bounded hands out a source in small pieces, and refuses to when the stack
// has grown too far. The parser calls Read from within its recursion, so the
// depth of the stack is that of the source, and a stack overflow, from which
// no Go program recovers, is averted.
type bounded struct {
	src  string
	base int // frames below the parser
}

func (b *bounded) Read(p []byte) (int, error) {
	var pc [1]uintptr
	if runtime.Callers(b.base+maxFrames, pc[:]) > 0 {
		return 0, ErrTooDeep
	}
	if b.src == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), chunk)], b.src)
	b.src = b.src[n:]
	return n, nil
}

// guard runs a parser over src.
func guard(src string, parse func(*bounded) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			stack := make([]byte, 16<<10)
			err = &BugError{Value: v, Stack: string(stack[:runtime.Stack(stack, false)])}
		}
	}()
	return parse(&bounded{src: src, base: frames()})
}

// frames returns the depth of the caller's stack.
func frames() int {
	var pcs [256]uintptr
	depth := 0
	for {
		n := runtime.Callers(depth, pcs[:])
		depth += n
		if n < len(pcs) {
			return depth
		}
	}
}
