package interp

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/limpet-sh/limpet/internal/condition"
	"github.com/limpet-sh/limpet/internal/quote"
	"github.com/limpet-sh/limpet/vfs"
)

func outputBuiltins() []*builtin {
	return []*builtin{
		{name: "echo", usage: "[-neE] [arg ...]", run: builtinEcho},
		{name: "printf", usage: "[-v var] format [arguments]", run: builtinPrintf},
		{name: "test", usage: "[expr]", run: func(sh *Shell, args []string) ctl {
			ok, err := condition.Test(&testEnv{sh}, args)
			return sh.testDone("test", ok, err)
		}},
		{name: "[", usage: "arg... ]", run: func(sh *Shell, args []string) ctl {
			ok, err := condition.Bracket(&testEnv{sh}, args)
			return sh.testDone("[", ok, err)
		}},
	}
}

func (sh *Shell) testDone(name string, ok bool, err error) ctl {
	if err != nil {
		sh.complain(name, "%v", err)
		return sh.done(2)
	}
	return sh.done(b2i(!ok))
}

func quoteArg(s string) string { return quote.Backslash(s) }

func builtinEcho(sh *Shell, args []string) ctl {
	newline, escapes := true, sh.shopt(shoptXpgEcho)
	for len(args) > 0 && !(sh.is(optPosix) && sh.shopt(shoptXpgEcho)) {
		a := args[0]
		if len(a) < 2 || a[0] != '-' || strings.Trim(a[1:], "neE") != "" {
			break
		}
		for _, letter := range a[1:] {
			switch letter {
			case 'n':
				newline = false
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
		args = args[1:]
	}
	buf := sh.outBuf[:0]
	for i, a := range args {
		if i > 0 {
			buf = append(buf, ' ')
		}
		if escapes {
			var stopped bool
			if buf, stopped = quote.UnescapeEcho(buf, a); stopped {
				newline = false
				break
			}
			continue
		}
		if len(a) > 1<<16 && !sh.fits(len(buf)+len(a)) {
			return ctlNone
		}
		buf = append(buf, a...)
	}
	if newline {
		buf = append(buf, '\n')
	}
	if cap(buf) < 1<<16 {
		sh.outBuf = buf[:0]
	}
	if !sh.printBytes("echo", buf) {
		return sh.afterWriteError()
	}
	return sh.done(0)
}

// writeFailed reports a write of a builtin that failed.
func (sh *Shell) writeFailed(name string, err error) {
	switch {
	case errors.Is(err, vfs.EPIPE):
		sh.sigpipe()
	case errors.Is(err, vfs.EINTR), sh.x.meter.Err() != nil:
		sh.status = 1
	default:
		sh.complain(name, "write error: %v", vfs.ErrnoOf(err))
		sh.status = 1
	}
}

// sigpipe is what a write to a pipe that nobody reads does: the signal ends the
// shell unless it is caught or ignored.
func (sh *Shell) sigpipe() {
	sh.proc.signal(13)
	sh.status = 1
	if sh.proc.killed.Load() != 0 {
		sh.status = 141
	}
}

// afterWriteError goes on after a write that failed: the shell may have to end.
func (sh *Shell) afterWriteError() ctl {
	if sh.proc.notice.Load() || sh.x.halted.Load() {
		return sh.poll()
	}
	return ctlNone
}

// A testEnv answers what test and [[ ask.
type testEnv struct{ sh *Shell }

// Stat returns the status of a file.
func (e *testEnv) Stat(name string) (fs.FileInfo, error) {
	if name == "" {
		return nil, vfs.ENOENT
	}
	return e.sh.view().Stat(name)
}

// Lstat returns the status of a symbolic link itself.
func (e *testEnv) Lstat(name string) (fs.FileInfo, error) {
	if name == "" {
		return nil, vfs.ENOENT
	}
	return e.sh.view().Lstat(name)
}

// Access reports whether a file may be used so.
func (e *testEnv) Access(name string, mode condition.Access) bool {
	info, err := e.Stat(name)
	return err == nil && e.sh.access(info, fs.FileMode(mode))
}

// IsTerminal reports whether a descriptor is a terminal.
func (e *testEnv) IsTerminal(n int) bool {
	f := e.sh.fd(n)
	if f == nil {
		return false
	}
	t, ok := f.Stream.(interface{ Terminal() bool })
	return ok && t.Terminal()
}

// VarSet reports whether a variable or an element is set.
func (e *testEnv) VarSet(name string) bool {
	sh := e.sh
	if i := strings.IndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		base, index := name[:i], name[i+1:len(name)-1]
		id, ok := sh.names.lookup(base)
		if !ok || id >= len(sh.vars) {
			return false
		}
		v := sh.resolve(id)
		if v.flags&vAssoc == 0 && (index == "@" || index == "*") {
			return v.flags&vIndexed != 0 && v.arr.len() > 0 || v.flags&vIndexed == 0 && v.isSet()
		}
		val := sh.element(v, sh.compileSubscript(base, index))
		return val.set
	}
	if n, ok := plainInt(name); ok && n > 0 {
		return n <= int64(len(sh.params))
	}
	return sh.lookup(name).isSet()
}

// RefSet reports whether name is a name reference.
func (e *testEnv) RefSet(name string) bool {
	v := e.sh.lookupRaw(name)
	return v.flags&vNameref != 0 && v.str != ""
}

// OptSet reports whether an option of set is on.
func (e *testEnv) OptSet(name string) bool {
	o := e.sh.optionByName(name)
	return o != 0 && e.sh.is(o)
}

// IDs returns the user and the group.
func (e *testEnv) IDs() (uid, gid int) { return e.sh.cfg.User.UID, e.sh.cfg.User.GID }
