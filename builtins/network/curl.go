package network

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

var curlCommand = commands.Add(&builtins.Command{
	Name:     "curl",
	Synopsis: "[OPTION...] URL...",
	Summary:  "transfer a URL by HTTP or HTTPS",
	Trouble:  2,
	Run:      runCurl,
})

// curlVersion is the version whose behaviour this is.
const curlVersion = "7.88.1"

// A curlError is a failure with curl's number for it.
type curlError struct {
	code int
	text string
}

func (e *curlError) Error() string { return fmt.Sprintf("(%d) %s", e.code, e.text) }

func curlErrorf(code int, format string, args ...any) error {
	return &curlError{code, fmt.Sprintf(format, args...)}
}

// A curl is one run of the command.
type curl struct {
	*builtins.Call
	out     *lockedWriter // standard output
	errs    io.Writer     // standard error, or what --stderr says
	global  globalOptions
	jars    map[string]*jar
	stdin   bool // has been read
	numbers int  // of URLs so far

	mu     sync.Mutex // guards what follows
	status int
	meter  bool // the heading of the progress meter has been printed
}

// globalOptions hold for all operations.
type globalOptions struct {
	parallel  bool
	max       int
	failEarly bool
	noMeter   bool
	silent    bool
	showError bool
	verbose   bool
	noRC      bool
	stderr    string
	ended     error // what --help and --version end with
}

func runCurl(ctx context.Context, c *builtins.Call) error {
	cu := &curl{Call: c, out: &lockedWriter{w: c.Stdout}, errs: &lockedWriter{w: c.Stderr}, jars: map[string]*jar{}}
	cu.global.max = 50
	describeCurl(c)
	ops, err := cu.parse()
	if cu.global.ended != nil {
		return cu.global.ended
	}
	if err != nil {
		return cu.usage(err)
	}
	if cu.global.stderr != "" && cu.global.stderr != "-" {
		f, err := c.FS.OpenFile(cu.global.stderr, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
		if err != nil {
			cu.warn(ops[0], "Failed to open %s!", cu.global.stderr)
		} else {
			defer f.Close()
			cu.errs = &lockedWriter{w: f}
		}
	} else if cu.global.stderr == "-" {
		cu.errs = cu.out
	}
	err = cu.runAll(ctx, ops)
	for _, o := range ops {
		cu.saveCookies(o)
	}
	if err != nil {
		return err
	}
	return builtins.Exit(cu.status)
}

// usage explains a mistake in the arguments.
func (cu *curl) usage(err error) error {
	status := builtins.Exit(2)
	if e, ok := errors.AsType[*curlError](err); ok {
		if e.text != "" {
			fmt.Fprintf(cu.errs, "curl: %s\n", e.text)
		}
		status = builtins.Exit(e.code)
	} else {
		fmt.Fprintf(cu.errs, "curl: %v\n", err)
	}
	fmt.Fprint(cu.errs, "curl: try 'curl --help' or 'curl --manual' for more information\n")
	return status
}

// warn prints a warning, in lines of 79 columns, unless curl is to be silent.
func (cu *curl) warn(_ *operation, format string, args ...any) {
	const prefix, width = "Warning: ", 79 - len("Warning: ")
	if cu.global.silent {
		return
	}
	text := fmt.Sprintf(format, args...)
	for len(text) > width {
		cut := width - 1
		for cut > 0 && text[cut] != ' ' && text[cut] != '\t' {
			cut--
		}
		if cut == 0 {
			cut = width - 1
		}
		fmt.Fprintf(cu.errs, "%s%s\n", prefix, text[:cut+1])
		text = text[cut+1:]
	}
	fmt.Fprintf(cu.errs, "%s%s\n", prefix, text)
}

// runAll makes the transfers of all operations, in turn or at once.
func (cu *curl) runAll(ctx context.Context, ops []*operation) error {
	var list []*transfer
	for _, o := range ops {
		if err := o.prepare(cu); err != nil {
			return cu.fail(o, err)
		}
		more, err := o.transfers(cu)
		if err != nil {
			return cu.fail(o, err)
		}
		list = append(list, more...)
	}
	if cu.global.parallel && len(list) > 1 {
		return cu.runParallel(ctx, list)
	}
	for _, t := range list {
		if err := cu.runOne(ctx, t); err != nil {
			return err
		}
		if cu.global.failEarly && cu.status != 0 {
			break
		}
	}
	return nil
}

// runParallel makes transfers at the same time.
func (cu *curl) runParallel(ctx context.Context, list []*transfer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(1, min(cu.global.max, 50)))
	errs := make(chan error, len(list))
	for _, t := range list {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if err := cu.runOne(ctx, t); err != nil {
				errs <- err
				cancel()
			}
		})
	}
	wg.Wait()
	close(errs)
	return <-errs
}

// runOne makes a transfer and notes its status. The error is one that ends the
// command.
func (cu *curl) runOne(ctx context.Context, t *transfer) error {
	if err := cu.Meter.Charge(limits.Steps, 1); err != nil {
		return err
	}
	err := t.run(ctx)
	if err != nil && (errors.Is(err, limits.ErrExceeded) || errors.Is(err, vfs.EPIPE) || ctx.Err() != nil) {
		if _, ok := errors.AsType[*curlError](err); !ok {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		}
	}
	t.writeOut(err)
	return cu.fail(t.o, err)
}

// fail prints the failure of a transfer and notes its status.
func (cu *curl) fail(o *operation, err error) error {
	cu.mu.Lock()
	defer cu.mu.Unlock()
	if err == nil {
		if !cu.global.parallel {
			cu.status = 0 // it is that of the last transfer
		}
		return nil
	}
	e, ok := errors.AsType[*curlError](err)
	if !ok {
		if errors.Is(err, limits.ErrExceeded) {
			return err
		}
		e = &curlError{1, err.Error()}
	}
	if (!cu.global.silent || cu.global.showError) && e.text != "" {
		fmt.Fprintf(cu.errs, "curl: %v\n", e)
	}
	cu.status = e.code
	return nil
}

// A lockedWriter is a writer for several transfers.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write writes all of p before another one does.
func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(p)
}

// readInput reads a file, or standard input where the name is "-", into memory
// that is charged.
func (cu *curl) readInput(name string) ([]byte, error) {
	var r io.Reader = cu.Stdin
	if name != "-" {
		f, err := cu.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	var b bytes.Buffer
	chunk := make([]byte, 32<<10)
	for {
		n, err := r.Read(chunk)
		if err := cu.Alloc(2 * n); err != nil {
			return nil, err
		}
		if err := cu.Meter.Charge(limits.Steps, 1); err != nil {
			return nil, err
		}
		b.Write(chunk[:n])
		if err == io.EOF {
			return b.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
	}
}
