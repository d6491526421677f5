package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
)

// Bounds of bash.
const (
	streamBytes    = 16_000 // of each stream, in a result
	tailBytes      = 4_000  // of the end of a longer one, besides
	defaultTimeout = 300
)

type bashInput struct {
	Command string `json:"command" arg:"length=1" jsonschema:"The command or script"`
	Timeout int    `json:"timeout_seconds,omitempty" arg:"min=1,max=300,default=300" jsonschema:"How long it may take, in seconds: 1 to 300, 300 unless given"`
}

type bashOutput struct {
	Command      string `json:"command"`
	Stdout       string `json:"stdout"`
	Stderr       string `json:"stderr"`
	ReturnCode   int    `json:"returncode"`
	WasTruncated bool   `json:"was_truncated"`

	Out     *streamRest `json:"stdout_rest,omitempty" jsonschema:"An extension: what stdout leaves out"`
	Err     *streamRest `json:"stderr_rest,omitempty" jsonschema:"An extension: what stderr leaves out"`
	Invalid bool        `json:"invalid_utf8,omitempty" jsonschema:"An extension: bytes that are not UTF-8 are shown as U+FFFD"`
	Stopped string      `json:"stopped,omitempty" jsonschema:"An extension: the limit that ended the command"`
	Dir     string      `json:"cwd,omitempty" jsonschema:"An extension: the directory that the next command starts in"`
}

// Text shows both streams, with the ends of what is long, and the status.
func (o bashOutput) Text() string {
	var b strings.Builder
	b.WriteString(withRest(o.Stdout, o.Out))
	if o.Stderr != "" {
		b.WriteString(ending(b.String()) + "[stderr]\n" + withRest(o.Stderr, o.Err))
	}
	if o.Stopped != "" {
		b.WriteString(ending(b.String()) + "[stopped: " + o.Stopped + "]")
	}
	if o.ReturnCode != 0 {
		fmt.Fprintf(&b, "%s[exit status %d]", ending(b.String()), o.ReturnCode)
	}
	if o.Invalid {
		b.WriteString(ending(b.String()) + "[bytes that are not UTF-8 are shown as \uFFFD]")
	}
	if b.Len() == 0 {
		return "[no output]"
	}
	return b.String()
}

// most is a bound of the size of the result as JSON, in which a byte may take six.
func (o bashOutput) most() int {
	if o.WasTruncated {
		return math.MaxInt
	}
	return 6*(len(o.Command)+len(o.Stdout)+len(o.Stderr)+len(o.Dir)+len(o.Stopped)) + 200
}

var bash = define(Tool{
	Name: "file_system.bash", Flat: "bash", Title: "Run a command", Destructive: true, OpenWorld: true,
	describe: describeBash,
	needs:    limpet.AccessFull,
}, func(ctx context.Context, b *Toolbox, c Call, in bashInput) (bashOutput, error) {
	if strings.Contains(in.Command, "\x00") {
		return bashOutput{}, invalid("file_system.bash", ArgumentError{"command", "invalid_command", "contains a NUL byte, which no command can"})
	}
	shell, release, err := b.shells.take(ctx, &b.cfg)
	if err != nil {
		return bashOutput{}, err
	}
	defer release()
	out, errs := newStream(c.Progress), newStream(c.Progress)
	timeout := time.Duration(in.Timeout) * time.Second
	res, err := shell.Exec(ctx, limpet.Request{Script: in.Command, Stdout: out, Stderr: errs, Timeout: timeout})
	if err != nil {
		return bashOutput{}, err
	}
	o := bashOutput{Command: echoed(in.Command), ReturnCode: res.Status, Dir: shell.Dir()}
	o.Stdout, o.Out = out.result(ctx, b, c, "stdout")
	o.Stderr, o.Err = errs.result(ctx, b, c, "stderr")
	o.WasTruncated = o.Out != nil || o.Err != nil
	o.Invalid = out.invalid() || errs.invalid()
	switch {
	case res.Stopped == nil:
	case errors.Is(res.Stopped, context.DeadlineExceeded) && ctx.Err() == nil:
		return o, timedOut(o, in, res.Stopped)
	case errors.Is(res.Stopped, limits.ErrExceeded):
		o.Stopped = res.Stopped.Error()
	default:
		return o, asError(ctx, res.Stopped).with("stdout", o.Stdout).with("stderr", o.Stderr)
	}
	return o, nil
})

// echoed is a command as the result repeats it: where it is so long that nothing else
// of the result would be shown, not all of it.
func echoed(command string) string {
	head := cutText(command, streamBytes)
	if head == command {
		return command
	}
	return fmt.Sprintf("%s… [%d bytes left out]", head, len(command)-len(head))
}

// timedOut is the error for a command whose time has run out, with its output until
// then.
func timedOut(o bashOutput, in bashInput, cause error) *Error {
	seconds := fmt.Sprint(in.Timeout)
	var limit *limits.ExceededError
	if errors.As(cause, &limit) {
		seconds = fmt.Sprint(time.Duration(limit.Limit).Seconds())
	}
	e := failf("Command timed out after %ss: '%s'", seconds, echoed(in.Command))
	e.with("timed_out", true).with("returncode", o.ReturnCode).with("stdout", o.Stdout).with("stderr", o.Stderr)
	if o.Out != nil {
		e.with("stdout_rest", o.Out)
	}
	if o.Err != nil {
		e.with("stderr_rest", o.Err)
	}
	if limit != nil {
		e.with("limit", limit.Error())
	}
	return e
}

// quiet are variables that keep programs from asking, paging and colouring.
var quiet = map[string]string{
	"CI": "true", "NONINTERACTIVE": "1", "NO_TTY": "1", "TERM": "dumb", "DEBIAN_FRONTEND": "noninteractive",
	"GIT_PAGER": "cat", "PAGER": "cat", "LESS": "-FX", "LC_CTYPE": "C.UTF-8",
}

// login is what a login shell does first. LC_ALL would be stronger than LC_CTYPE.
const login = `unset LC_ALL
if [ -r /etc/profile ]; then . /etc/profile; fi
for REPLY in ~/.bash_profile ~/.bash_login ~/.profile; do
  if [ -r "$REPLY" ]; then . "$REPLY"; break; fi
done
unset REPLY
unset LC_ALL`

// open starts the shell that a command runs in.
func (cfg *Config) open(ctx context.Context, s limpet.Sandbox) (limpet.Conversation, error) {
	env := maps.Clone(quiet)
	maps.Copy(env, cfg.Env)
	shell, err := s.OpenSession(ctx, limpet.SessionOptions{Env: env})
	if err != nil {
		return nil, err
	}
	if _, err := shell.Exec(ctx, limpet.Request{Script: login, Dir: s.Workspace()}); err != nil {
		return nil, errors.Join(err, shell.Close())
	}
	return shell, nil
}

// describeBash says how bash behaves in this sandbox.
func describeBash(b *Toolbox) string {
	text := "Runs a command in bash and returns its output and status. The default time limit is 300 seconds, which is also the most that can be asked for"
	for _, l := range limpet.Describe(b.sandbox).Limits {
		if l.Name == limits.Time.String() && l.Value != "unlimited" {
			text += "; the sandbox itself ends a command after " + l.Value
		}
	}
	text += ". Standard input is empty. What a command leaves in the background ends with it. Of each stream the first 16000 bytes are returned; " +
		"longer output is kept in a file that the result names."
	if b.cfg.Independent {
		return text + " Commands are independent: files persist; the directory, variables, aliases and functions do not."
	}
	return text + " The directory, variables and functions stay from one command to the next."
}
