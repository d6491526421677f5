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
	"strings"
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
	handle := map[string]func(http.ResponseWriter, request){
		"/run": e.run, "/write_file": writeFile, "/read_file": readFile, "/bind_port": e.bind, "/unbind_port": e.unbind,
	}[path]
	if handle == nil {
		http.Error(w, "404 page not found", http.StatusNotFound)
		return
	}
	var body request
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
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
	Port          string
}

// run runs a command of sh.
func (e *executor) run(w http.ResponseWriter, req request) {
	if info, err := os.Stat(req.Cwd); req.Cwd != "" && (err != nil || !info.IsDir()) {
		http.Error(w, "Invalid working directory: "+req.Cwd, http.StatusBadRequest)
		return
	}
	cmd := exec.CommandContext(context.Background(), "sh", "-c", req.Cmd)
	cmd.Dir = req.Cwd
	cmd.Env = append(os.Environ(), "SANDBOX_SECRET="+e.secret, e.instance, "TMPDIR="+e.temp)
	for name, value := range req.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, outErr := cmd.StdoutPipe()
	errs, errErr := cmd.StderrPipe()
	if err := errors.Join(outErr, errErr); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	e.mu.Lock()
	if e.ended {
		e.mu.Unlock()
		http.Error(w, "no healthy upstream", http.StatusServiceUnavailable)
		return
	}
	if err := cmd.Start(); err != nil {
		e.mu.Unlock()
		answer(w, object{"stdout": "", "stderr": "", "code": -1, "error": err.Error()})
		return
	}
	e.procs[cmd.Process] = true
	e.done.Add(1)
	e.mu.Unlock()
	defer e.done.Done()
	stdout, _ := io.ReadAll(out) // and only then the other
	stderr, _ := io.ReadAll(errs)
	_ = cmd.Wait() // the status says it
	e.mu.Lock()
	delete(e.procs, cmd.Process)
	e.mu.Unlock()
	code := cmd.ProcessState.ExitCode()
	o := object{"stdout": text(stdout), "stderr": text(stderr), "code": code}
	if code != 0 {
		o["error"] = "Non-zero exit code"
	}
	answer(w, o)
}

// text replaces what is not UTF-8.
func text(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

func writeFile(w http.ResponseWriter, req request) {
	if err := os.WriteFile(req.Path, []byte(req.Content), 0o644); err != nil {
		answer(w, object{"error": err.Error(), "success": false})
		return
	}
	answer(w, object{"success": true})
}

func readFile(w http.ResponseWriter, req request) {
	data, err := os.ReadFile(req.Path)
	switch {
	case err != nil:
		answer(w, object{"error": err.Error()})
	case len(data) == 0:
		answer(w, object{})
	default:
		answer(w, object{"content": text(data)})
	}
}

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
