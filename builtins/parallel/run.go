package parallel

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

// A runner runs commands, several at a time.
type runner struct {
	*list
	ctx   context.Context
	end   context.CancelFunc
	slots chan int
	group sync.WaitGroup

	mu       sync.Mutex // guards what follows, and what is printed
	log      io.WriteCloser
	order    map[int]func() // what is to be printed of commands, by their number
	printed  int            // number of the last one that was
	running  int
	failed   int
	ok       int
	stop     bool // no more are started
	halted   bool
	status   builtins.Exit // of the command that has halted the others
	err      error         // why the call must end
	panicked any
}

// maxSlots is how many commands run at a time where any number may.
const maxSlots = 64

// run runs everything.
func (l *list) run(ctx context.Context) error {
	n := l.jobs
	if n == 0 {
		n = maxSlots
	}
	if limit := l.Meter.Limit(limits.Jobs); limit >= 0 {
		n = min(n, max(1, int(limit)/2))
	}
	n = min(n, 1<<12)
	r := &runner{list: l, slots: make(chan int, n), order: map[int]func(){}}
	r.ctx, r.end = context.WithCancel(ctx)
	defer r.end()
	for i := range n {
		r.slots <- i + 1
	}
	if l.logFile != "" {
		f, err := l.FS.OpenFile(l.logFile, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
		if err != nil {
			return l.fatal(fmt.Errorf("Cannot open joblog %s: %w", l.logFile, vfs.ErrnoOf(err)))
		}
		defer f.Close()
		r.log = f
		_, _ = io.WriteString(f, "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n")
	}
	var err error
	if l.pipe {
		err = r.parts()
	} else {
		err = r.records(n)
	}
	r.group.Wait()
	if r.panicked != nil {
		panic(r.panicked)
	}
	switch {
	case r.err != nil:
		return r.err
	case err != nil:
		return l.fatal(err)
	case r.halted:
		return r.status
	case r.failed > 0:
		return builtins.Exit(min(r.failed, 101))
	}
	return nil
}

// records starts a command for each record, or for several.
func (r *runner) records(slots int) error {
	for seq := 1; ; {
		batch, last, err := r.batch()
		if err != nil {
			return err
		}
		size := max(1, len(batch))
		if r.many && last { // what is left is spread over the slots
			size = max(1, (len(batch)+slots-1)/slots)
		}
		for len(batch) > 0 {
			n := min(size, len(batch))
			if !r.start(&line{list: r.list, records: batch[:n], seq: seq}, nil) {
				return nil
			}
			seq++
			batch = batch[n:]
		}
		if last {
			return nil
		}
	}
}

// batch reads the records for one command, or with -m for several. last says that
// there are no more.
func (r *runner) batch() (list []record, last bool, err error) {
	count := max(1, r.maxArgs)
	size := 0
	for {
		rec, err := r.sources.next()
		if err == io.EOF {
			return list, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		list = append(list, rec)
		for _, a := range rec {
			size += len(a) + 3
		}
		switch {
		case r.many && (r.maxArgs == 0 || len(list) < r.maxArgs):
			if size >= r.maxChars {
				return list, false, nil
			}
		case len(list) >= count:
			return list, false, nil
		}
	}
}

// parts starts a command for each part of standard input.
func (r *runner) parts() error {
	end := byte('\n')
	if r.recend != "" {
		end = r.recend[len(r.recend)-1]
	}
	in := r.Lines(r.Stdin, end)
	defer in.Close()
	var part bytes.Buffer
	seq, records := 1, 0
	flush := func() bool {
		defer part.Reset()
		records = 0
		seq++
		return r.start(&line{list: r.list, seq: seq - 1}, bytes.Clone(part.Bytes()))
	}
	for {
		b, err := in.Next()
		if err == io.EOF {
			if part.Len() > 0 {
				flush()
			}
			return nil
		}
		if err != nil {
			return err
		}
		part.Write(b)
		if !bytes.HasSuffix(part.Bytes(), []byte(r.recend)) {
			continue
		}
		records++
		if r.maxArgs > 0 && records >= r.maxArgs || r.maxArgs == 0 && part.Len() >= r.block {
			if !flush() {
				return nil
			}
		}
	}
}

// start starts a command when there is a free slot, and reports whether more may
// follow.
func (r *runner) start(n *line, input []byte) bool {
	if r.delay > 0 && n.seq > 1 {
		if r.Clock.Sleep(r.ctx, r.delay) != nil {
			return false
		}
	}
	n.slot = <-r.slots
	r.mu.Lock()
	stop := r.stop
	if !stop {
		r.running++
	}
	r.mu.Unlock()
	if stop || r.ctx.Err() != nil {
		r.slots <- n.slot
		return false
	}
	if cap(r.slots) == 1 {
		r.job(n, input)
	} else {
		r.group.Go(func() { r.job(n, input) })
	}
	return true
}

// job runs one command to its end.
func (r *runner) job(n *line, input []byte) {
	defer func() {
		if v := recover(); v != nil {
			r.mu.Lock()
			r.panicked, r.stop = v, true
			r.mu.Unlock()
		}
		r.slots <- n.slot
	}()
	j := &job{runner: r, line: n, command: n.text(), input: input}
	if r.tagged {
		raw := *n
		raw.raw = true
		j.tag = raw.expand(r.tag, -1) + "\t"
	}
	j.run()
}

// A job is a command that runs.
type job struct {
	*runner
	*line
	command  string
	input    []byte
	tag      string
	out, err capture
}

// A capture is what a command has printed.
type capture struct {
	call *builtins.Call
	buf  []byte
	held int
	mu   sync.Mutex
	live func([]byte) // prints at once, or nil
	n    int
}

// Write keeps p, or prints it.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += len(p)
	if c.live != nil {
		c.live(p)
		return len(p), nil
	}
	if need := len(c.buf) + len(p); need > c.held {
		grow := max(need, 2*c.held) - c.held
		if err := c.call.Alloc(grow); err != nil {
			return 0, err
		}
		c.held += grow
	}
	c.buf = append(c.buf, p...)
	return len(p), nil
}

// run runs the command, prints what is to be printed, and judges it.
func (j *job) run() {
	r := j.runner
	j.out.call, j.err.call = r.Call, r.Call
	if r.ungroup || r.lines {
		j.out.live = func(p []byte) { j.live(r.Stdout, p) }
		j.err.live = func(p []byte) { j.live(r.Stderr, p) }
	}
	start := r.Clock.Now()
	var status builtins.Exit
	var err error
	late := false
	if !r.dry {
		for try := 0; try < max(1, r.retries) && err == nil && (try == 0 || status != 0); try++ {
			status, late, err = j.exec()
		}
	}
	took := r.Clock.Now().Sub(start)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running--
	if err != nil {
		if r.err == nil && !r.halted {
			r.err = err
		}
		r.stop = true
		return
	}
	r.print(j.line.seq, func() { j.show(late) })
	if r.log != nil {
		signal := 0
		if status > builtins.Signaled {
			signal = int(status - builtins.Signaled)
		}
		fmt.Fprintf(r.log, "%d\t:\t%.3f\t%10.3f\t%d\t%d\t%d\t%d\t%s\n", j.line.seq, float64(start.UnixMilli())/1000, took.Seconds(),
			len(j.input), j.out.n, status, signal, j.command)
	}
	r.judge(j, status)
}

// exec runs the command once.
func (j *job) exec() (status builtins.Exit, late bool, err error) {
	r := j.runner
	ctx := r.ctx
	if r.timeout > 0 {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		go func() {
			if r.Clock.Sleep(ctx, r.timeout) == nil {
				cancel(builtins.SIGTERM)
			}
		}()
	}
	shell := r.Getenv("SHELL")
	if shell == "" {
		shell = "/bin/bash"
	}
	status, err = r.Exec(ctx, []string{shell, "-c", j.command}, func(c *builtins.Call) {
		c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(j.input), &j.out, &j.err
		c.Env = builtins.WithVariables(c.Env, map[string]string{"PARALLEL_SEQ": strconv.Itoa(j.line.seq), "PARALLEL_JOBSLOT": strconv.Itoa(j.slot)})
		if r.dir != "" {
			view := *c.FS
			view.Dir = c.FS.Abs(r.dir)
			c.FS = &view
		}
	})
	if ctx.Err() != nil && r.ctx.Err() == nil {
		return builtins.Signaled + builtins.Exit(builtins.SIGTERM), true, nil
	}
	return status, false, err
}

// live prints at once.
func (j *job) live(w io.Writer, p []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, _ = w.Write(j.withTag(p))
}

// withTag puts the tag before each line.
func (j *job) withTag(p []byte) []byte {
	if j.tag == "" || len(p) == 0 {
		return p
	}
	var b bytes.Buffer
	for line := range bytes.Lines(p) {
		b.WriteString(j.tag)
		b.Write(line)
	}
	return b.Bytes()
}

// print calls show when it is its turn: at once, or with -k after all before it.
func (r *runner) print(seq int, show func()) {
	if !r.keep {
		show()
		return
	}
	r.order[seq] = show
	for r.order[r.printed+1] != nil {
		r.printed++
		r.order[r.printed]()
		delete(r.order, r.printed)
	}
}

// show prints what the command has printed.
func (j *job) show(late bool) {
	r := j.runner
	if r.trace {
		fmt.Fprintln(r.Stderr, j.command)
	}
	if r.verbose || r.dry {
		if _, err := io.WriteString(r.Stdout, strings.TrimSuffix(j.command, "\n")+"\n"); err != nil {
			r.broken(err)
		}
	}
	if _, err := r.Stdout.Write(j.withTag(j.out.buf)); err != nil {
		r.broken(err)
	}
	_, _ = r.Stderr.Write(j.withTag(j.err.buf))
	if late {
		fmt.Fprintf(r.Stderr, "parallel: Warning: This job was killed because it timed out:\nparallel: Warning: %s\n", j.command)
	}
	r.Free(j.out.held + j.err.held)
	j.out.buf, j.err.buf = nil, nil
}

// broken ends everything: nobody reads the output.
func (r *runner) broken(err error) {
	if r.err == nil {
		r.err = err
	}
	r.stop = true
	r.end()
}

// judge counts a command that has ended, and stops where --halt says so.
func (r *runner) judge(j *job, status builtins.Exit) {
	if status != 0 {
		r.failed++
	} else {
		r.ok++
	}
	h := r.halt
	count := map[string]int{"fail": r.failed, "success": r.ok, "done": r.failed + r.ok}[h.why]
	if h.why == "" || r.stop {
		return
	}
	limit := h.count
	if h.percent {
		limit = max(3, (r.failed+r.ok)*h.count/100)
	}
	counted := h.why == "done" || (h.why == "fail") == (status != 0)
	if !counted || count < limit {
		return
	}
	r.stop, r.halted, r.status = true, true, status
	what := map[bool]string{true: "failed", false: "succeeded"}[status != 0]
	if h.why == "done" {
		what = "finished"
	}
	fmt.Fprintf(r.Stderr, "parallel: This job %s:\n%s\n", what, j.command)
	if h.now {
		r.end()
	} else if r.running > 0 {
		fmt.Fprintf(r.Stderr, "parallel: Starting no more jobs. Waiting for %d jobs to finish.\n", r.running)
	}
}
