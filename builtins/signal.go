package builtins

import (
	"context"
	"strconv"
	"strings"
)

// A Signal is a signal by its Linux number. As an error it is the cause of a
// context that the signal cancelled.
type Signal uint8

// The signals that code refers to; all the others have numbers and names too.
const (
	SIGHUP  Signal = 1
	SIGINT  Signal = 2
	SIGQUIT Signal = 3
	SIGKILL Signal = 9
	SIGUSR1 Signal = 10
	SIGSEGV Signal = 11
	SIGUSR2 Signal = 12
	SIGPIPE Signal = 13
	SIGALRM Signal = 14
	SIGTERM Signal = 15
	SIGCHLD Signal = 17
	SIGCONT Signal = 18
	SIGSTOP Signal = 19
	SIGTSTP Signal = 20
)

// signals has the names of the standard signals, by number, and what bash says
// of a process that died of one.
var signals = [...]struct{ name, death string }{
	1: {"HUP", "Hangup"}, 2: {"INT", "Interrupt"}, 3: {"QUIT", "Quit"}, 4: {"ILL", "Illegal instruction"},
	5: {"TRAP", "Trace/breakpoint trap"}, 6: {"ABRT", "Aborted"}, 7: {"BUS", "Bus error"},
	8: {"FPE", "Floating point exception"}, 9: {"KILL", "Killed"}, 10: {"USR1", "User defined signal 1"},
	11: {"SEGV", "Segmentation fault"}, 12: {"USR2", "User defined signal 2"}, 13: {"PIPE", "Broken pipe"},
	14: {"ALRM", "Alarm clock"}, 15: {"TERM", "Terminated"}, 16: {"STKFLT", "Stack fault"},
	17: {"CHLD", "Child exited"}, 18: {"CONT", "Continued"}, 19: {"STOP", "Stopped (signal)"},
	20: {"TSTP", "Stopped"}, 21: {"TTIN", "Stopped (tty input)"}, 22: {"TTOU", "Stopped (tty output)"},
	23: {"URG", "Urgent I/O condition"}, 24: {"XCPU", "CPU time limit exceeded"},
	25: {"XFSZ", "File size limit exceeded"}, 26: {"VTALRM", "Virtual timer expired"},
	27: {"PROF", "Profiling timer expired"}, 28: {"WINCH", "Window changed"}, 29: {"IO", "I/O possible"},
	30: {"PWR", "Power failure"}, 31: {"SYS", "Bad system call"},
}

const (
	sigrtmin  = 34
	sigrtmax  = 64
	numSignal = sigrtmax + 1
)

// Signals returns every signal there is, in order of their numbers.
func Signals() []Signal {
	var list []Signal
	for s := Signal(1); s < numSignal; s++ {
		if s.Name() != "" {
			list = append(list, s)
		}
	}
	return list
}

// Error returns the name of the signal with SIG before it.
func (s Signal) Error() string { return "SIG" + s.Name() }

// Name returns the name of the signal without SIG, or "" where there is no such
// signal.
func (s Signal) Name() string {
	switch {
	case s == 0:
		return "EXIT"
	case int(s) < len(signals):
		return signals[s].name
	case s == sigrtmin:
		return "RTMIN"
	case s == sigrtmax:
		return "RTMAX"
	case s > sigrtmin && s <= sigrtmin+15:
		return "RTMIN+" + strconv.Itoa(int(s-sigrtmin))
	case s > sigrtmin && s < sigrtmax:
		return "RTMAX-" + strconv.Itoa(int(sigrtmax-s))
	}
	return ""
}

// Death returns what a shell says of a process that the signal killed.
func (s Signal) Death() string {
	if int(s) < len(signals) && signals[s].death != "" {
		return signals[s].death
	}
	return "Unknown signal " + strconv.Itoa(int(s))
}

// ParseSignal finds a signal by its number or its name, with or without SIG, in
// either case.
func ParseSignal(text string) (Signal, bool) {
	if n, err := strconv.Atoi(text); err == nil {
		return Signal(n), n >= 0 && n < numSignal && Signal(n).Name() != ""
	}
	name := strings.TrimPrefix(strings.ToUpper(text), "SIG")
	for s := Signal(0); s < numSignal; s++ {
		if n := s.Name(); n != "" && n == name {
			return s, true
		}
	}
	switch name {
	case "CLD":
		return SIGCHLD, true
	case "IOT":
		return 6, true
	case "POLL":
		return 29, true
	}
	return 0, false
}

type killKey struct{}

// WithKill returns a context for a command that a signal may end by way of ctx, and that
// may have a trap for that signal: when kill is done it is killed for good.
func WithKill(ctx, kill context.Context) context.Context {
	return context.WithValue(ctx, killKey{}, kill)
}

// KillContext returns what WithKill was given, or nil.
func KillContext(ctx context.Context) context.Context {
	kill, _ := ctx.Value(killKey{}).(context.Context)
	return kill
}
