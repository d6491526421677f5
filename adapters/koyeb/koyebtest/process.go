package koyebtest

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// Bounds of what the executor keeps of the output of a process: lines of each stream,
// and bytes of a line. A longer one ends the reading, and the process waits for ever.
const (
	keptLines   = 10_000
	longestLine = 1 << 20
)

// A job is a process of start_process. Its exit code is kept nowhere.
type job struct {
	command
	id, text string

	mu     sync.Mutex
	status string // running, completed, failed or killed
	lines  map[string][]logLine
	done   chan struct{}
}

// A logLine is a line of output.
type logLine struct {
	Timestamp time.Time `json:"timestamp"`
	Stream    string    `json:"stream"`
	Data      string    `json:"data"`
}

// lines calls f with the lines of a stream, without their ends.
func lines(r io.Reader, longest int, f func(text string)) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, longest)
	for s.Scan() {
		f(text(s.Bytes()))
	}
}

// event writes an event, and sends it.
func event(w http.ResponseWriter, name string, data any) {
	encoded, _ := json.Marshal(data) // it is made of texts
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, encoded)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// stream begins a stream of events.
func stream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
}

// runStreaming runs a command and sends its output by lines.
func (e *executor) runStreaming(w http.ResponseWriter, req request) {
	c, ok := e.start(w, req)
	if !ok {
		return
	}
	stream(w)
	var mu sync.Mutex
	var both sync.WaitGroup
	for name, r := range map[string]io.Reader{"stdout": c.out, "stderr": c.errs} {
		both.Go(func() {
			lines(r, 64<<20, func(text string) {
				mu.Lock()
				defer mu.Unlock()
				event(w, "output", object{"stream": name, "data": text})
			})
		})
	}
	both.Wait()
	code := e.wait(c)
	event(w, "complete", object{"code": code, "error": code != 0})
}

// startProcess starts a process, and keeps some of its output.
func (e *executor) startProcess(w http.ResponseWriter, req request) {
	if req.Cmd == "" {
		http.Error(w, "Command is required", http.StatusBadRequest)
		return
	}
	c, ok := e.start(w, req)
	if !ok {
		return
	}
	j := &job{command: c, id: rand.Text(), text: req.Cmd, status: "running", lines: map[string][]logLine{}, done: make(chan struct{})}
	e.mu.Lock()
	e.jobs = append(e.jobs, j)
	e.mu.Unlock()
	go func() {
		defer close(j.done)
		var both sync.WaitGroup
		for name, r := range map[string]io.Reader{"stdout": c.out, "stderr": c.errs} {
			both.Go(func() { lines(r, longestLine, func(text string) { j.keep(name, text) }) })
		}
		both.Wait()
		code := e.wait(c)
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.status == "running" {
			j.status = map[bool]string{true: "completed", false: "failed"}[code == 0]
		}
	}()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	answer(w, object{"id": j.id, "pid": c.Process.Pid, "status": "running"})
}

func (j *job) keep(stream, text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	kept := append(j.lines[stream], logLine{time.Now(), stream, text})
	j.lines[stream] = kept[max(0, len(kept)-keptLines):]
}

// find returns the process with an id.
func (e *executor) find(id string) *job {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, j := range e.jobs {
		if j.id == id {
			return j
		}
	}
	return nil
}

func (e *executor) listProcesses(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	list := []object{}
	for _, j := range e.jobs {
		j.mu.Lock()
		list = append(list, object{"id": j.id, "command": j.text, "pid": j.Process.Pid, "status": j.status})
		j.mu.Unlock()
	}
	answer(w, object{"processes": list})
}

// killProcess kills the shell, and nothing that it has started.
func (e *executor) killProcess(w http.ResponseWriter, req request) {
	refused := func(text string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		answer(w, object{"success": false, "error": text})
	}
	j := e.find(req.ID)
	switch {
	case req.ID == "":
		http.Error(w, "Process ID is required", http.StatusBadRequest)
		return
	case j == nil:
		refused("process not found: " + req.ID)
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.status != "running" {
		refused("process is not running (status: " + j.status + ")")
		return
	}
	j.status = "killed"
	_ = j.Process.Kill() // it may have ended
	answer(w, object{"success": true, "message": "Process killed successfully"})
}

// processLogs sends what is kept of the output of a process: all of one stream and
// then the other, and then what comes until its end.
func (e *executor) processLogs(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	if id == "" {
		http.Error(w, "Process ID is required", http.StatusBadRequest)
		return
	}
	stream(w)
	j := e.find(id)
	if j == nil {
		event(w, "error", object{"error": "process not found: " + id})
		return
	}
	sent := map[string]int{}
	for ended := false; ; {
		j.mu.Lock()
		for _, name := range []string{"stdout", "stderr"} {
			for _, line := range j.lines[name][sent[name]:] {
				event(w, "log", line)
			}
			sent[name] = len(j.lines[name])
		}
		j.mu.Unlock()
		if ended {
			event(w, "complete", object{"message": "stream ended"})
			return
		}
		select {
		case <-j.done:
			ended = true
		case <-r.Context().Done():
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}
