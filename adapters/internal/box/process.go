package box

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/internal/invoke"
	"github.com/limpet-sh/limpet/internal/quote"
)

// A registry is the background processes of a box. The zero registry has none.
type registry struct {
	mu   sync.Mutex
	list []*process
	byID map[string]*process
}

// A process is a job that nobody waits for.
type process struct {
	path string

	mu    sync.Mutex
	info  limpet.ProcessInfo
	typed int // how often something was written
}

// background is a box as its processes.
type background Box

// Processes returns the background processes.
func (b *Box) Processes() (limpet.Processes, error) {
	if !b.opts.Background {
		return nil, &limpet.UnsupportedError{Sandbox: b.opts.Kind, Reason: b.opts.NoBackground}
	}
	return (*background)(b), nil
}

// terminalEnv are the variables of processes on a terminal.
var terminalEnv = map[string]string{
	"TERM": "xterm-256color", "COLUMNS": strconv.Itoa(limpet.TerminalColumns), "LINES": strconv.Itoa(limpet.TerminalLines),
	"GIT_PAGER": "cat", "PAGER": "cat", "LESS": "-FX", "DEBIAN_FRONTEND": "noninteractive",
}

// pythonTerminal is a program that runs its arguments on a terminal, for images without
// the command script.
const pythonTerminal = `import fcntl,os,pty,select,struct,sys,termios
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[3], sys.argv[3:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", int(sys.argv[1]), int(sys.argv[2]), 0, 0))
while True:
    for f in select.select([0, fd], [], [])[0]:
        try:
            data = os.read(f, 65536)
        except OSError:
            data = b""
        if not data:
            status = os.waitpid(pid, 0)[1]
            sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
        to = fd if f == 0 else 1
        while data:
            data = data[os.write(to, data):]
`

// onTerminal returns a command line that runs a command in a login shell on a terminal,
// if the sandbox can make one.
func (b *Box) onTerminal(command string) []string {
	rows, columns := strconv.Itoa(limpet.TerminalLines), strconv.Itoa(limpet.TerminalColumns)
	switch b.terminal {
	case "script":
		return []string{"script", "-qefc", "stty rows " + rows + " cols " + columns + " 2> /dev/null; exec " + b.shell + " -lc " + quote.Single(command), "/dev/null"}
	case "python3":
		return []string{"python3", "-I", "-c", pythonTerminal, rows, columns, b.shell, "-lc", command}
	default:
		return []string{b.shell, "-lc", command}
	}
}

const startedScript = `n=0
while [ ! -s "$J/pid" ] && [ ! -s "$J/status" ] && [ -d "$J" ] && [ $n -lt 500 ]; do n=$((n+1)); sleep 0.01; done
if [ ! -d "$J" ]; then echo gone; elif [ -s "$J/pid" ]; then echo started; elif [ -s "$J/reason" ]; then cat "$J/reason"; else echo failed; fi
`

// Start starts a process.
func (g *background) Start(ctx context.Context, req limpet.ProcessRequest) (limpet.ProcessInfo, error) {
	b := (*Box)(g)
	end, err := b.begin()
	if err != nil {
		return limpet.ProcessInfo{}, err
	}
	defer end()
	b.processes.mu.Lock()
	defer b.processes.mu.Unlock()
	if req.ID == "" {
		req.ID = "process-" + newName()
	}
	if old := b.processes.byID[req.ID]; old != nil {
		if info := old.state(); info.Command == req.Command {
			return info, nil
		}
		return limpet.ProcessInfo{}, limpet.NewProcessError(limpet.CodeIdentityConflict, req.ID, nil)
	}
	p := &process{path: b.opts.Control + "/" + newName(), info: limpet.ProcessInfo{ID: req.ID, Command: req.Command, Status: limpet.ProcessRunning, Started: time.Now()}}
	if err := b.startProcess(ctx, p, req); err != nil {
		return limpet.ProcessInfo{}, err
	}
	if b.processes.byID == nil {
		b.processes.byID = map[string]*process{}
	}
	b.processes.byID[req.ID] = p
	b.processes.list = append(b.processes.list, p)
	return p.info, nil
}

// startProcess starts the job of a process.
func (b *Box) startProcess(ctx context.Context, p *process, req limpet.ProcessRequest) error {
	failed := func(err error) error { return limpet.StartFailed("spawn", err) }
	if err := invoke.CheckEnv(req.Env); err != nil {
		return failed(err)
	}
	if strings.ContainsRune(req.Command, 0) {
		return failed(errors.New("a zero byte in the command"))
	}
	if err := b.prepare(ctx); err != nil {
		return failed(err)
	}
	env := maps.Clone(terminalEnv)
	maps.Copy(env, b.opts.Env)
	maps.Copy(env, req.Env)
	command := append(append([]string{"env"}, invoke.Environ(env)...), b.onTerminal(req.Command)...)
	dir := b.opts.Workspace
	if req.Dir != "" {
		dir = b.Path(req.Dir)
	}
	j := &job{box: b, path: p.path}
	j.launch([]file{{"command", []byte(req.Command)}}, "0", dir, command, "mkfifo \"$J/in\"\n: > \"$J/out\"\n")
	for range tries {
		out, err := b.call(ctx, j.start+b.sweep()+startedScript, j.input)
		if err != nil {
			return failed(err)
		}
		switch state := strings.TrimSpace(string(out)); state {
		case "started":
			return nil
		case "gone":
			if _, err := b.install(ctx); err != nil {
				return failed(err)
			}
		case "directory":
			return limpet.NewProcessError(limpet.CodeInvalidDirectory, req.ID, nil)
		default:
			return failed(errors.New("the supervisor in the sandbox says " + quote.C(state)))
		}
	}
	return failed(errors.New("the command could not be sent to the sandbox whole"))
}

func (p *process) state() limpet.ProcessInfo {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.info
}

// find returns the process with an id.
func (g *background) find(id string) (*process, error) {
	g.processes.mu.Lock()
	defer g.processes.mu.Unlock()
	if p := g.processes.byID[id]; p != nil {
		return p, nil
	}
	return nil, limpet.UnknownProcess(id)
}

// pageScript waits for output behind an offset, which is that of now where it is
// negative, and prints a head and a page: from an offset on, or the newest where that
// is negative.
const pageScript = `J=%s after=%d from=%d most=%d n=0
[ -d "$J" ] || { echo gone 0 - 0 0 0 0; exit; }
while :; do
  ended= ; [ ! -s "$J/status" ] || ended=1
  size=$(wc -c < "$J/out")
  [ $after -ge 0 ] || after=$size
  [ -z "$ended" ] && [ $size -le $after ] && [ $size -ge $from ] && [ $n -lt %d ] || break
  read -r supervisor < "$J/supervisor"
  kill -0 "$supervisor" 2> /dev/null || [ -s "$J/status" ] || break
  n=$((n+1)); sleep 0.05
done
state=running status=0 reason=- oldest=0
{ read -r oldest < "$J/oldest"; } 2> /dev/null
{ read -r reason < "$J/reason"; } 2> /dev/null
if [ "$ended" ]; then state=ended; read -r status full < "$J/status"
elif read -r supervisor < "$J/supervisor" && ! kill -0 "$supervisor" 2> /dev/null && [ ! -s "$J/status" ]; then state=dead; fi
if [ $from -lt 0 ]; then from=$((size - most)); fi
[ $from -ge $oldest ] || from=$oldest
x=$((size - from))
[ $x -ge 0 ] || x=0
[ $x -le $most ] || x=$most
echo $state $status $reason $size $oldest $from $x
[ $x = 0 ] || tail -c +$((from + 1)) "$J/out" | head -c $x
`

// defaultPage is how much of the output is returned where nobody says.
const defaultPage = 16_000

// turn is how long one call for the output of a process waits.
const turn = 5 * time.Second

// Output returns part of the output.
func (g *background) Output(ctx context.Context, id string, req limpet.OutputRequest) (limpet.ProcessOutput, error) {
	b := (*Box)(g)
	end, err := b.begin()
	if err != nil {
		return limpet.ProcessOutput{}, err
	}
	defer end()
	p, err := g.find(id)
	if err != nil {
		return limpet.ProcessOutput{}, err
	}
	if !req.FromEnd && req.Cursor < 0 {
		return limpet.ProcessOutput{}, limpet.InvalidCursor(req.Cursor, 0, 0)
	}
	if req.Max <= 0 {
		req.Max = defaultPage
	}
	deadline := time.Now().Add(req.Wait)
	after, from := req.Cursor, req.Cursor
	if req.FromEnd {
		after, from = -1, -1
	}
	for {
		wait := max(min(time.Until(deadline), turn), 0)
		out, err := b.page(ctx, p, fmt.Sprintf(pageScript, quote.Single(p.path), after, from, req.Max, int(wait/(50*time.Millisecond))))
		switch {
		case err != nil:
			return out, err
		case out.Status == limpet.ProcessOrphaned:
			return limpet.ProcessOutput{}, limpet.NewProcessError(limpet.CodeOutputUnavailable, id, errLost)
		case !req.FromEnd && req.Cursor > out.Available:
			return limpet.ProcessOutput{}, limpet.InvalidCursor(req.Cursor, out.Oldest, out.Available)
		case out.Status != limpet.ProcessRunning, time.Until(deadline) < 50*time.Millisecond, after >= 0 && out.Available > after:
			return out, nil
		case after < 0:
			after = out.Available
		}
	}
}

// errLost is why there is no output of an orphan.
var errLost = errors.New("it was lost with the machine that the process was on")

// page runs a script that ends as pageScript does, and notes what has become of the
// process.
func (b *Box) page(ctx context.Context, p *process, script string) (out limpet.ProcessOutput, err error) {
	answer, err := b.call(ctx, script, nil)
	if err != nil {
		return out, limpet.NewProcessError(limpet.CodeOutputUnavailable, p.info.ID, err)
	}
	line, rest, _ := bytes.Cut(answer, []byte("\n"))
	var state, why string
	var status, n int
	if _, err := fmt.Sscan(string(line), &state, &status, &why, &out.Available, &out.Oldest, &out.Start, &n); err != nil || n > len(rest) {
		return out, limpet.NewProcessError(limpet.CodeOutputUnavailable, p.info.ID, fmt.Errorf("an answer that is none: %s", quote.C(string(line))))
	}
	out.Data, out.Next = rest[:n], out.Start+int64(n)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.info.Status == limpet.ProcessRunning {
		switch {
		case state == "ended" && why == "stop":
			p.info.Status = limpet.ProcessStopped
		case state == "ended":
			p.info.Status, p.info.ExitCode = limpet.ProcessCompleted, status
		case state == "dead":
			p.info.Status = limpet.ProcessFailed
		case state == "gone": // with the machine that it was on
			p.info.Status = limpet.ProcessOrphaned
		}
	}
	out.ProcessInfo = p.info
	return out, nil
}

// look brings what is known of a process up to date.
func (b *Box) look(ctx context.Context, p *process) (limpet.ProcessInfo, error) {
	if info := p.state(); info.Status != limpet.ProcessRunning {
		return info, nil
	}
	out, err := b.page(ctx, p, fmt.Sprintf(pageScript, quote.Single(p.path), 0, 0, 0, 0))
	return out.ProcessInfo, err
}

// typeScript writes input once, however often it is run. It prints how much was taken.
const typeScript = `J=%s W=$J/typed.%d
[ -d "$J" ] && [ ! -s "$J/status" ] || { echo ended; exit; }
if mkdir "$W" 2> /dev/null; then
  cat > "$W/data"
  [ $(wc -c < "$W/data") = %d ] || { rm -rf "$W"; echo cut; exit; }
  timeout -s INT 1 dd if="$W/data" of="$J/in" bs=512 conv=notrunc 2> "$W/log" < /dev/null
  echo > "$W/done"
fi
n=0
while [ ! -e "$W/done" ] && [ $n -lt 60 ]; do n=$((n+1)); sleep 0.05; done
tail -n 1 "$W/log"`

// Write types bytes.
func (g *background) Write(ctx context.Context, id string, data []byte) (limpet.ProcessInfo, int, error) {
	b := (*Box)(g)
	end, err := b.begin()
	if err != nil {
		return limpet.ProcessInfo{}, 0, err
	}
	defer end()
	p, err := g.find(id)
	if err != nil {
		return limpet.ProcessInfo{}, 0, err
	}
	p.mu.Lock()
	p.typed++
	script := fmt.Sprintf(typeScript, quote.Single(p.path), p.typed, len(data))
	p.mu.Unlock()
	for range tries {
		out, err := b.call(ctx, script, data)
		if err != nil {
			return p.state(), 0, limpet.NewProcessError(limpet.CodeIOFailed, id, err)
		}
		text := strings.TrimSpace(string(out))
		if text == "cut" {
			continue
		}
		if text == "ended" {
			info, err := b.look(ctx, p)
			if err != nil {
				return info, 0, err
			}
			return info, 0, limpet.NewProcessError(limpet.CodeNotRunning, id, nil)
		}
		n := 0
		if _, err := fmt.Sscan(text, &n); err != nil {
			return p.state(), 0, limpet.NewProcessError(limpet.CodeIOFailed, id, errors.New(text))
		}
		return p.state(), n, nil
	}
	return p.state(), 0, limpet.NewProcessError(limpet.CodeIOFailed, id, errors.New("it could not be sent to the sandbox whole"))
}

// List returns all processes.
func (g *background) List(ctx context.Context) ([]limpet.ProcessInfo, error) {
	b := (*Box)(g)
	end, err := b.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	b.processes.mu.Lock()
	defer b.processes.mu.Unlock()
	list := make([]limpet.ProcessInfo, len(b.processes.list))
	for i, p := range b.processes.list {
		if list[i], err = b.look(ctx, p); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Stop ends a process.
func (g *background) Stop(ctx context.Context, id string) (limpet.ProcessInfo, error) {
	b := (*Box)(g)
	end, err := b.begin()
	if err != nil {
		return limpet.ProcessInfo{}, err
	}
	defer end()
	p, err := g.find(id)
	if err != nil {
		return limpet.ProcessInfo{}, err
	}
	if info := p.state(); info.Status != limpet.ProcessRunning {
		return info, nil
	}
	if _, err = b.call(ctx, b.stopScript(p.path, "stop", limpet.StopGrace), nil); err == nil {
		var out limpet.ProcessOutput
		wait := int(2 * limpet.StopGrace / (50 * time.Millisecond))
		out, err = b.page(ctx, p, fmt.Sprintf(pageScript, quote.Single(p.path), int64(1)<<62, 0, 0, wait))
		if err == nil && out.Status != limpet.ProcessRunning {
			return out.ProcessInfo, nil
		}
	}
	return p.state(), limpet.NewProcessError(limpet.CodeStopFailed, id, err)
}
