package koyebtest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"sync"
)

// An executor is what runs in a sandbox. Faults of the real one are kept: it waits for
// the end of standard output before it reads standard error; it replaces what is not
// UTF-8; errors of files have the status 200; a client that goes away stops nothing; and
// every command sees the secret.
type executor struct {
	secret   string
	instance string // tells what has been started in the sandbox
	temp     string // its TMPDIR, which goes with it

	mu    sync.Mutex
	port  string
	ended bool
	procs map[*os.Process]bool
	jobs  []*job // of start_process
	done  sync.WaitGroup
}

func newExecutor(secret string) (*executor, error) {
	temp, err := os.MkdirTemp("", "koyebtest")
	return &executor{secret: secret, instance: "KOYEB_INSTANCE_ID=" + rand.Text(), temp: temp, procs: map[*os.Process]bool{}}, err
}

// end kills what runs.
func (e *executor) end() {
	e.mu.Lock()
	e.ended = true
	for p := range e.procs {
		_ = p.Kill() // it may have ended
	}
	e.mu.Unlock()
	killAll(e.instance)
	e.done.Wait()
	_ = os.RemoveAll(e.temp) // what is left is in the directory for such things
}

// serve answers one request.
func (e *executor) serve(w http.ResponseWriter, r *http.Request, path string) {
	if path == "/health" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, `{"status":"ok"}`)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+e.secret {
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
		return
	}
	e.mu.Lock()
	asleep := e.ended
	e.mu.Unlock()
	if asleep {
		http.Error(w, "no healthy upstream", http.StatusServiceUnavailable)
		return
	}
	switch path {
	case "/list_processes":
		e.listProcesses(w, r)
		return
	case "/process_logs_streaming":
		e.processLogs(w, r)
		return
	case "/start_process", "/kill_process":
		if r.Method != http.MethodPost {
			http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
			return
		}
	}
	handle := map[string]func(http.ResponseWriter, request){
		"/run": e.run, "/run_streaming": e.runStreaming, "/bind_port": e.bind, "/unbind_port": e.unbind,
		"/write_file": writeFile, "/read_file": readFile, "/list_dir": listDir, "/make_dir": makeDir, "/delete_file": deleteFile, "/delete_dir": deleteDir,
		"/start_process": e.startProcess, "/kill_process": e.killProcess,
	}[path]
	if handle == nil {
		http.Error(w, "404 page not found", http.StatusNotFound)
		return
	}
	var body request
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil && (err != io.EOF || path != "/unbind_port") {
		http.Error(w, "Invalid request", http.StatusBadRequest)
		return
	}
	handle(w, body)
}

// A request is the body of any.
type request struct {
	Cmd, Cwd      string
	Env           map[string]string
	Path, Content string
	Port, ID      string
}

// A command is a shell with its streams.
type command struct {
	*exec.Cmd
	out, errs io.Reader
}

// start starts a command of sh. It answers itself where that fails; ok is false then.
func (e *executor) start(w http.ResponseWriter, req request) (c command, ok bool) {
	if info, err := os.Stat(req.Cwd); req.Cwd != "" && (err != nil || !info.IsDir()) {
		http.Error(w, "Invalid working directory: "+req.Cwd, http.StatusBadRequest)
		return c, false
	}
	c.Cmd = exec.CommandContext(context.Background(), "sh", "-c", req.Cmd)
	c.Dir = req.Cwd
	c.Env = append(os.Environ(), "SANDBOX_SECRET="+e.secret, e.instance, "TMPDIR="+e.temp)
	for name, value := range req.Env {
		c.Env = append(c.Env, name+"="+value)
	}
	var outErr, errErr error
	c.out, outErr = c.StdoutPipe()
	c.errs, errErr = c.StderrPipe()
	if err := errors.Join(outErr, errErr); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return c, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		http.Error(w, "no healthy upstream", http.StatusServiceUnavailable)
		return c, false
	}
	if err := c.Start(); err != nil {
		answer(w, object{"stdout": "", "stderr": "", "code": -1, "error": err.Error()})
		return c, false
	}
	e.procs[c.Process] = true
	e.done.Add(1)
	return c, true
}

// wait waits for the end of a command, whose streams were read, and returns its status.
func (e *executor) wait(c command) int {
	defer e.done.Done()
	_ = c.Wait() // the status says it
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.procs, c.Process)
	return c.ProcessState.ExitCode()
}

// run runs a command to its end.
func (e *executor) run(w http.ResponseWriter, req request) {
	c, ok := e.start(w, req)
	if !ok {
		return
	}
	stdout, _ := io.ReadAll(c.out) // and only then the other
	stderr, _ := io.ReadAll(c.errs)
	code := e.wait(c)
	o := object{"stdout": text(stdout), "stderr": text(stderr), "code": code}
	if code != 0 {
		o["error"] = "Non-zero exit code"
	}
	answer(w, o)
}

// text is what a JSON string makes of bytes: those that are not UTF-8 are replaced.
func text(b []byte) string { return string(b) }

func (e *executor) bind(w http.ResponseWriter, req request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case req.Port == "":
		http.Error(w, "Port is required", http.StatusBadRequest)
	case e.port != "":
		w.WriteHeader(http.StatusConflict)
		answer(w, object{"current_port": e.port, "error": "Port already bound", "success": false})
	default:
		e.port = req.Port
		answer(w, object{"message": "Port binding configured", "port": req.Port, "success": true})
	}
}

func (e *executor) unbind(w http.ResponseWriter, _ request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.port = ""
	answer(w, object{"message": "Port binding removed", "success": true})
}
