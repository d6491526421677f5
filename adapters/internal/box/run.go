package box

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/internal/invoke"
	"github.com/limpet-sh/limpet/internal/quote"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

// Statuses of scripts that were stopped.
const (
	statusTimeout = 124
	statusStopped = 137
)

// Exec runs a script and waits for it. Standard input is read to its end before.
func (b *Box) Exec(ctx context.Context, req limpet.Request) (*limpet.Result, error) {
	res, _, err := b.exec(ctx, req, nil)
	return res, err
}

// exec runs a script, of a conversation if there is one, and returns where it ended.
func (b *Box) exec(ctx context.Context, req limpet.Request, c *conversation) (res *limpet.Result, dir string, err error) {
	end, err := b.begin()
	if err != nil {
		return nil, "", err
	}
	defer end()
	if ctx.Err() != nil {
		return nil, "", context.Cause(ctx)
	}
	if err := b.prepare(ctx); err != nil {
		return nil, "", err
	}
	j := &job{box: b, path: b.opts.Control + "/" + newName(), req: req, limit: b.opts.Timeout}
	if req.Timeout > 0 {
		j.limit = min(j.limit, req.Timeout)
	}
	if err := j.prepare(ctx, c); err != nil {
		return nil, "", err
	}
	defer b.forget(j.path)
	return j.do(ctx)
}

// A job is one script on its way.
type job struct {
	box   *Box
	path  string
	req   limpet.Request
	limit time.Duration

	start string // the script that starts it
	input []byte // of that
	place string // the file that says where the script ends; "" where nobody asks

	out, errs stream
	stopping  sync.Once
	cause     error // why this process has stopped it
}

// A stream is output of a script: what has come of it, and where it goes.
type stream struct {
	w    io.Writer
	data []byte
	got  int64
}

// take passes b on.
func (s *stream) take(b []byte) error {
	s.got += int64(len(b))
	if s.w == nil {
		s.data = append(s.data, b...)
		return nil
	}
	if len(b) == 0 {
		return nil
	}
	_, err := s.w.Write(b)
	return err
}

// prepare makes the script that starts the job.
func (j *job) prepare(ctx context.Context, c *conversation) error {
	for _, env := range []map[string]string{j.box.opts.Env, j.req.Env} {
		if err := invoke.CheckEnv(env); err != nil {
			return err
		}
	}
	inv, err := invoke.Of(j.box.shell, j.req)
	if err != nil {
		return err
	}
	stdin, err := readAll(ctx, j.req.Stdin)
	if err != nil {
		return fmt.Errorf("cannot read standard input: %w", err)
	}
	env := maps.Clone(j.box.opts.Env)
	if env == nil {
		env = map[string]string{}
	}
	var files []file
	if inv.File {
		files = append(files, file{"script", []byte(j.req.Script)})
	}
	if c == nil {
		maps.Copy(env, j.req.Env)
	} else {
		maps.Copy(env, c.variables())
		files = append(files, file{"prologue", []byte(c.memory.Prologue(j.req.Env))})
		env["BASH_ENV"] = j.path + "/prologue"
		j.place = c.memory.Path + "/dir"
		j.req.Dir = cmp.Or(j.req.Dir, c.dir)
	}
	j.out.w, j.errs.w = j.req.Stdout, j.req.Stderr
	files = append(files, file{"in", stdin})
	command := append([]string{"env"}, invoke.Environ(env)...)
	command = append(command, inv.With(j.path+"/script")...)
	before := ""
	if c != nil { // a machine that has slept has forgotten it
		before = "( umask 077; mkdir -p -- " + quote.Single(c.memory.Path) + " )\n"
	}
	j.launch(files, seconds(j.limit), cmp.Or(j.req.Dir, j.box.opts.Workspace), command, before)
	return nil
}

// A file is one of a job.
type file struct {
	name string
	data []byte
}

// launch makes the script that starts a command as a job, if that was not done. What
// was cut on the way is noticed, and nothing is started.
func (j *job) launch(files []file, seconds, dir string, command []string, before string) {
	var b strings.Builder
	fmt.Fprintf(&b, "umask 077; J=%s\nif [ -e %s ] && mkdir -- \"$J\" 2> /dev/null; then\numask 022\n", quote.Single(j.path), quote.Single(j.box.opts.Control+"/supervisor"))
	var input []byte
	for i, f := range files {
		if len(f.data) == 0 {
			fmt.Fprintf(&b, ": > \"$J/%s\"\n", f.name)
			continue
		}
		if i == len(files)-1 {
			fmt.Fprintf(&b, "cat > \"$J/%s\"\n", f.name)
		} else {
			fmt.Fprintf(&b, "head -c %d > \"$J/%s\"\n", len(f.data), f.name)
		}
		fmt.Fprintf(&b, "[ $(wc -c < \"$J/%s\") = %d ] || { rm -rf -- \"$J\"; exit; }\n", f.name, len(f.data))
		input = append(input, f.data...)
	}
	b.WriteString(before)
	detach := "setsid -f sh"
	if !j.box.detach {
		detach = "setsid sh"
	}
	fmt.Fprintf(&b, "%s %s run \"$J\" %s %s", detach, quote.Single(j.box.opts.Control+"/supervisor"), seconds, quote.Single(dir))
	for _, a := range command {
		b.WriteString(" " + quote.Single(a))
	}
	b.WriteString(" < /dev/null > /dev/null 2>&1")
	if !j.box.detach {
		b.WriteString(" &")
	}
	b.WriteString("\nfi\n")
	j.start, j.input = b.String(), input
}

// seconds writes a duration for sleep, rounded up to milliseconds.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(float64((d+time.Millisecond-1)/time.Millisecond)/1000, 'f', 3, 64)
}

// do runs the job.
func (j *job) do(ctx context.Context) (*limpet.Result, string, error) {
	hard, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	slack := j.box.opts.Slack
	timer := time.AfterFunc(j.limit+slack, func() { cancel(&limpet.TimeoutError{Timeout: j.limit}) })
	defer timer.Stop()
	var stops sync.WaitGroup
	defer stops.Wait()
	stop := func(cause error) {
		j.stopping.Do(func() {
			j.cause = cause
			late := time.AfterFunc(slack, func() { cancel(cause) })
			stops.Go(func() {
				<-hard.Done()
				late.Stop()
			})
			stops.Go(func() {
				_, _ = j.box.call(hard, j.box.stopScript(j.path, "stopped", time.Second), nil) // what matters is whether the job ends
			})
		})
	}
	defer func() { cancel(nil) }()
	defer context.AfterFunc(ctx, func() { stop(context.Cause(ctx)) })()
	stops.Go(func() { j.signal(hard) })
	started := time.Now()
	h, err := j.follow(hard, stop)
	if err != nil {
		if cause := context.Cause(hard); cause != nil {
			err = cause
		}
		if errors.Is(err, limpet.ErrClosed) {
			return nil, "", err
		}
		return nil, "", &UnknownOutcomeError{Sandbox: j.box.opts.Kind, Err: err}
	}
	cancel(nil)
	stops.Wait()
	res := &limpet.Result{Status: h.status, Usage: limpet.Usage{Time: time.Since(started), Output: j.out.got + j.errs.got}}
	switch {
	case h.reason == "directory":
		return nil, "", fmt.Errorf("cannot start %s: no directory %s", j.box.shell, quote.C(j.req.Dir))
	case h.reason == "timeout":
		res.Stopped = &limpet.TimeoutError{Timeout: j.limit}
	case h.reason == "stopped":
		res.Stopped = j.cause
	case h.reason == "full":
		res.Stopped = fmt.Errorf("%s: no space is left in %s of the sandbox, where output is kept: %w", j.box.opts.Kind, j.box.opts.Control, vfs.ENOSPC)
	}
	if res.Stopped != nil {
		res.Status = statusStopped
		if errors.Is(res.Stopped, context.DeadlineExceeded) {
			res.Status = statusTimeout
		}
		_ = j.errs.take([]byte("limpet: " + res.Stopped.Error() + "\n")) // nobody is left to be told
	}
	res.Stdout, res.Stderr = j.out.data, j.errs.data
	return res, h.dir, nil
}

// signal passes signals on to the processes of the job until ctx is done.
func (j *job) signal(ctx context.Context) {
	for {
		select {
		case sig := <-j.req.Signals:
			script := fmt.Sprintf("sh %s signal %s %d", quote.Single(j.box.opts.Control+"/supervisor"), quote.Single(j.path), sig)
			_, _ = j.box.call(ctx, script, nil) // it is sent or, where the sandbox cannot be reached, not
		case <-ctx.Done():
			return
		}
	}
}

// stopScript returns a script that has the supervisor end a job.
func (b *Box) stopScript(path, reason string, grace time.Duration) string {
	return fmt.Sprintf("sh %s stop %s %s %d > /dev/null 2>&1", quote.Single(b.opts.Control+"/supervisor"), quote.Single(path), reason, int(grace/(50*time.Millisecond)))
}

// follow starts the job and takes its output until it has ended.
func (j *job) follow(ctx context.Context, stop func(error)) (head, error) {
	live := j.out.w != nil || j.errs.w != nil
	sweep := j.box.sweep()
	script := j.start + sweep
	input := j.input
	restarts := 0
	for {
		answer, err := j.box.call(ctx, script+j.look(live), input)
		if err != nil {
			return head{}, err
		}
		h, rest, err := parseHead(answer)
		if err != nil {
			return head{}, fmt.Errorf("%s: %w", j.box.opts.Kind, err)
		}
		switch h.state {
		case "gone": // the upload was cut, or there is no supervisor any more
			if script == "" { // it was there
				return h, errors.New("the sandbox has lost all that was in it")
			}
			if restarts++; restarts > tries {
				return h, errors.New("the script could not be sent to the sandbox whole")
			}
			if _, err := j.box.install(ctx); err != nil {
				return h, err
			}
			continue
		case "dead":
			return h, errors.New("the supervisor in the sandbox was killed")
		}
		script, input = "", nil
		for _, part := range []struct {
			to *stream
			n  int64
		}{{&j.out, h.out}, {&j.errs, h.errs}} {
			if err := part.to.take(rest[:part.n]); err != nil {
				stop(err)
			}
			rest = rest[part.n:]
		}
		h.dir = strings.TrimSuffix(string(rest), "\n")
		if j.out.got+j.errs.got > j.box.opts.MaxOutput && j.box.opts.MaxOutput > 0 {
			stop(&limits.ExceededError{Resource: limits.Output, Limit: j.box.opts.MaxOutput})
		}
		if h.state == "ended" && j.out.got == h.outSize && j.errs.got == h.errSize {
			return h, nil
		}
	}
}

// look returns a script that waits for the end of the job, or for new output if that is
// wanted live, and prints a head and what is new.
func (j *job) look(live bool) string {
	news := ""
	if live {
		news = fmt.Sprintf(`[ $(wc -c < "$J/out") = %d ] 2> /dev/null && [ $(wc -c < "$J/err") = %d ] 2> /dev/null || [ ! -e "$J/err" ] || break`, j.out.got, j.errs.got)
	}
	return fmt.Sprintf(lookScript, quote.Single(j.path), news, int(j.box.opts.Turn/(50*time.Millisecond))+30,
		j.out.got, j.errs.got, j.box.opts.Page, quote.Single(j.place))
}

const lookScript = `J=%s n=0 state=running supervisor=
[ -d "$J" ] || { echo gone 0 0 0 0 0 0; exit; }
while [ ! -s "$J/status" ]; do
  %s
  n=$((n+1))
  [ $n -lt %d ] || break
  if [ $n -lt 30 ]; then sleep 0.01; else sleep 0.05; fi
  [ "$supervisor" ] || { read -r supervisor < "$J/supervisor"; } 2> /dev/null
  [ -z "$supervisor" ] || kill -0 "$supervisor" 2> /dev/null || [ -s "$J/status" ] || { echo dead 0 0 0 0 0 0; exit; }
done
status=0 reason=-
full=
if [ -s "$J/status" ]; then state=ended; read -r status full < "$J/status"; fi
{ read -r reason < "$J/reason"; } 2> /dev/null
[ -z "$full" ] || [ "$reason" != - ] || reason=full
o=0 e=0
[ ! -s "$J/out" ] || o=$(wc -c < "$J/out")
[ ! -s "$J/err" ] || e=$(wc -c < "$J/err")
a=%d b=%d most=%d place=%s
x=$((o - a)) y=$((e - b))
[ $x -le $most ] || x=$most
[ $y -le $most ] || y=$most
echo $state $status $reason $o $e $x $y
[ $x -le 0 ] || tail -c +$((a + 1)) "$J/out" | head -c $x
[ $y -le 0 ] || tail -c +$((b + 1)) "$J/err" | head -c $y
if [ $state = ended ] && [ "$place" ]; then cat "$J/dir" 2> /dev/null || cat "$place" 2> /dev/null; fi
`

// A head is the first line of an answer.
type head struct {
	state            string // running, ended, gone or dead
	status           int
	reason           string
	outSize, errSize int64
	out, errs        int64 // bytes of them in the answer
	dir              string
}

// parseHead reads it.
func parseHead(answer []byte) (h head, rest []byte, err error) {
	line, rest, _ := bytes.Cut(answer, []byte("\n"))
	_, err = fmt.Sscan(string(line), &h.state, &h.status, &h.reason, &h.outSize, &h.errSize, &h.out, &h.errs)
	if err != nil || h.out < 0 || h.errs < 0 || h.out+h.errs > int64(len(rest)) {
		return h, nil, fmt.Errorf("an answer that is none: %s", quote.C(string(line[:min(len(line), 200)])))
	}
	return h, rest, nil
}

// readAll reads standard input to its end, no longer than ctx lasts. A Read that blocks
// is left behind.
func readAll(ctx context.Context, r io.Reader) ([]byte, error) {
	if r == nil {
		return nil, nil
	}
	type read struct {
		data []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		data, err := io.ReadAll(r)
		done <- read{data, err}
	}()
	select {
	case got := <-done:
		return got.data, got.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
