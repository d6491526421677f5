package parse

import (
	"context"

	"fmt"
	"io"
	"runtime"

	"github.com/limpet-sh/limpet/internal/parse/scan"
)

// ErrTooDeep reports source that nests deeper than this package parses. It is
// a limit, not a syntax error: bash would have read on.
var ErrTooDeep = scan.ErrTooDeep

// ErrTooLong reports a command that aliases made longer than [Reader.Limit].
var ErrTooLong = scan.ErrTooLong

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

	// chunk is how much the parser reads between two checks of the stack, and so
	// what it can nest beyond the bound.
	chunk = 8 << 10
)

// bounded hands out a source piece by piece, and refuses to when the stack
// has grown too far, or the context is done. The parser calls Read from within its recursion, so the
// depth of the stack is that of the source, and a stack overflow, from which
// no Go program recovers, is averted.
type bounded struct {
	ctx  context.Context
	src  string
	base int // frames below the parser, where it matters
	left int // of the chunk
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		if err := b.check(); err != nil {
			return 0, err
		}
		b.left = chunk
	}
	if b.src == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), chunk)], b.src)
	b.src = b.src[n:]
	b.left -= n
	return n, nil
}

func (b *bounded) check() error {
	var pc [1]uintptr
	if runtime.Callers(b.base+maxFrames, pc[:]) > 0 {
		return ErrTooDeep
	}
	return b.ctx.Err()
}

// guard runs a parser over src.
func guard(ctx context.Context, src string, parse func(*bounded) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			stack := make([]byte, 16<<10)
			err = &BugError{Value: v, Stack: string(stack[:runtime.Stack(stack, false)])}
		}
	}()
	b := &bounded{ctx: ctx, src: src, left: chunk}
	if len(src) > chunk {
		b.base = frames()
	}
	return parse(b)
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
