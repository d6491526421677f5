package host

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// prSetChildSubreaper is the operation of prctl that makes orphans below this process
// its children.
const prSetChildSubreaper = 36

// supported prepares this process.
func supported() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); errno != 0 {
		return fmt.Errorf("cannot become a subreaper: %w", errno)
	}
	return nil
}

// A process is a row of /proc.
type process struct {
	pid, parent, group, session int
	zombie                      bool
	started                     string
}

// processesNow reads /proc.
func processesNow() ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var list []process
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := readProcess(pid); ok {
				list = append(list, p)
			}
		}
	}
	return list, nil
}

// readProcess reads one process, which may have ended meanwhile.
func readProcess(pid int) (process, bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	rest := string(data[bytes.LastIndexByte(data, ')')+1:]) // the name before may have anything in it
	f := strings.Fields(rest)
	if len(f) < 20 {
		return process{}, false
	}
	p := process{pid: pid, zombie: f[0] == "Z", started: f[19]}
	p.parent, _ = strconv.Atoi(f[1])
	p.group, _ = strconv.Atoi(f[2])
	p.session, _ = strconv.Atoi(f[3])
	return p, true
}

// marked reports whether the environment that a process began with has a variable
// that starts with mark.
func marked(pid int, mark string, whole bool) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false
	}
	for v := range bytes.SplitSeq(env, []byte{0}) {
		if string(v) == mark || !whole && bytes.HasPrefix(v, []byte(mark)) {
			return true
		}
	}
	return false
}

// tree returns the processes of the session and group that root is the leader of,
// those that are marked, and everything below them. A root of 0 is none.
func tree(root int, mark string, known map[process]bool) ([]process, error) {
	all, err := processesNow()
	if err != nil {
		return nil, err
	}
	in := map[int]bool{}
	var list []process
	add := func(p process) {
		in[p.pid] = true
		list = append(list, p)
	}
	self := os.Getpid()
	for _, p := range all {
		if p.pid != self && (p.of(root) || known[p.key()] || !p.zombie && marked(p.pid, mark, root != 0)) {
			add(p)
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !in[p.pid] && in[p.parent] {
				add(p)
				grown = true
			}
		}
	}
	return list, nil
}

// of reports whether p is root, or in its session or group.
func (p process) of(root int) bool {
	return root != 0 && (p.pid == root || p.session == root || p.group == root)
}

// key is what stays the same as long as a process lives.
func (p process) key() process { return process{pid: p.pid, started: p.started} }

// signal sends a signal to a process if it is still the same.
func (p process) signal(sig syscall.Signal) {
	handle, err := os.FindProcess(p.pid)
	if err != nil {
		return
	}
	defer handle.Release()
	if now, ok := readProcess(p.pid); ok && now.started == p.started {
		_ = handle.Signal(sig) // it may have ended
	}
}

// signalTree sends a signal to a tree of processes.
func signalTree(root int, mark string, sig syscall.Signal) error {
	list, err := tree(root, mark, nil)
	for _, p := range list {
		p.signal(sig)
	}
	return err
}

// killTime bounds how long [killTree] goes on where something cannot be killed.
const killTime = 5 * time.Second

// killTree kills a tree of processes, until nothing of it is left. The root may be a
// process that has been waited for.
func killTree(root int, mark string) error {
	self := os.Getpid()
	known := map[process]bool{}
	for deadline := time.Now().Add(killTime); ; time.Sleep(2 * time.Millisecond) {
		list, err := tree(root, mark, known)
		if err != nil {
			return err
		}
		left := 0
		for _, p := range list {
			known[p.key()] = true
			switch {
			case p.zombie && p.parent == self && p.pid != root:
				_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
			case p.zombie:
			default:
				p.signal(syscall.SIGKILL)
				left++
			}
		}
		if left == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return errors.New("processes of the sandbox cannot be killed")
		}
	}
}

// killMarked kills every process whose environment has a variable that starts with
// mark.
func killMarked(mark string) error { return killTree(0, mark) }

// workingDir returns the directory of a process; "" where it cannot be known.
func workingDir(pid int) string {
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil || strings.HasSuffix(dir, " (deleted)") {
		return ""
	}
	return dir
}
