package limpet

import (
	"errors"
	"time"

	"github.com/limpet-sh/limpet/internal/snapshot"
)

// Bounds of what a checkpoint says of a process.
const (
	maxProcesses   = 1 << 20
	maxProcessText = 64 << 20
	processSize    = 128 // in memory, without its texts
)

// infos returns what there is to say of the processes; nothing where there never were
// any.
func (t *processTable) infos() []ProcessInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []ProcessInfo
	for _, p := range t.list {
		list = append(list, p.info())
	}
	return list
}

// adopt adds the processes of a checkpoint that are not known here: those that have
// ended then, and as orphans those that were running. Their output is lost.
func (t *processTable) adopt(list []ProcessInfo) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := map[string]bool{}
	for _, p := range t.list {
		known[p.id] = true
	}
	for _, info := range list {
		if known[info.ID] {
			continue
		}
		known[info.ID] = true
		if info.Status == ProcessRunning {
			info.Status = ProcessOrphaned
		}
		t.list = append(t.list, &process{
			id: info.ID, command: info.Command, started: info.Started, status: info.Status, code: info.ExitCode, lost: true,
		})
	}
}

// errLost is why there is no output of a process that was adopted.
var errLost = errors.New("it was lost with the sandbox that the process was started in")

// writeProcesses writes what a checkpoint says of processes.
func writeProcesses(s *snapshot.Writer, list []ProcessInfo) {
	s.Uint(uint64(len(list)))
	for _, p := range list {
		s.Text(p.ID)
		s.Text(p.Command)
		s.Text(string(p.Status))
		s.Int(int64(p.ExitCode))
		s.Int(p.Started.UnixNano())
	}
}

// readProcesses reads it.
func readProcesses(s *snapshot.Reader) (list []ProcessInfo) {
	for range s.Each(maxProcesses) {
		s.Hold(processSize)
		p := ProcessInfo{ID: s.Text(maxProcessText), Command: s.Text(maxProcessText), Status: ProcessStatus(s.Text(64))}
		p.ExitCode, p.Started = int(s.Int()), time.Unix(0, s.Int())
		switch p.Status {
		case ProcessRunning, ProcessCompleted, ProcessFailed, ProcessStopped, ProcessOrphaned:
		default:
			s.Fail(snapshot.Damaged("a process whose status is %q", p.Status))
		}
		list = append(list, p)
	}
	return list
}

// adopt is that of the processes, if there may be any.
func (sh *Shell) adopt(list []ProcessInfo) {
	if sh.cfg.Background && len(list) > 0 {
		sh.background.once.Do(func() { sh.background.init(sh) })
		sh.background.adopt(list)
	}
}
