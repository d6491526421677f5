package interp

import (
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/printf"
	"github.com/limpet-sh/limpet/internal/zone"
	"github.com/limpet-sh/limpet/limits"
)

func builtinPrintf(sh *Shell, args []string) ctl {
	name := ""
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		a := args[0]
		switch {
		case a == "--":
		case a == "-v" && len(args) > 1:
			name, args = args[1], args[1:]
		case strings.HasPrefix(a, "-v") && len(a) > 2:
			name = a[2:]
		case a == "-v":
			sh.complain("printf", "-v: option requires an argument")
			return sh.usage("printf")
		default:
			sh.complain("printf", "%s: invalid option", a[:2])
			return sh.usage("printf")
		}
		args = args[1:]
		if a == "--" {
			break
		}
	}
	if name != "" && !isName(name) && !isElementName(name) {
		sh.complain("printf", "`%s': not a valid identifier", name)
		return sh.done(usageStatus)
	}
	if len(args) == 0 {
		return sh.usage("printf")
	}
	p := printf.Printer{
		Bytes:  sh.bytes,
		Warn:   func(line string) { sh.complain("printf", "%s", line) },
		Grow:   sh.growBuffer,
		Assign: func(name string, n int) bool { return sh.setElementOrName("printf", name, itoa(int64(n))) },
		Time:   sh.timeAt,
	}
	if name == "" {
		p.Lines = func(text []byte) { _ = sh.write(1, text) }
	}
	buf, ok, err := p.Append(sh.outBuf[:0], args[0], args[1:])
	if err != nil {
		return sh.stop(err)
	}
	if cap(buf) < 1<<16 {
		sh.outBuf = buf[:0]
	}
	if name != "" {
		if !sh.setElementOrName("printf", name, upToNUL(string(buf))) {
			return sh.done(1)
		}
		return sh.done(b2i(!ok))
	}
	if !sh.printBytes("printf", buf) {
		return sh.afterWriteError()
	}
	return sh.done(b2i(!ok))
}

// upToNUL returns what is in front of the first NUL.
func upToNUL(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s
}

// growBuffer allows n more bytes for something that a builtin makes.
func (sh *Shell) growBuffer(n int) error {
	if !sh.x.meter.Fits(limits.Memory, int64(n)) {
		return sh.x.meter.Exceed(limits.Memory)
	}
	return nil
}

// setElementOrName assigns to a variable, or an element of an array, for a
// builtin.
func (sh *Shell) setElementOrName(cmd, name, s string) bool {
	sh.assigned(name, s)
	if isElementName(name) {
		i := strings.IndexByte(name, '[')
		base := name[:i]
		return sh.assignElement(sh.id(base), sh.compileSubscript(base, name[i+1:len(name)-1]), s, false)
	}
	if !isName(name) {
		sh.complain(cmd, "`%s': not a valid identifier", name)
		return false
	}
	return sh.forCommand(func() bool { return sh.set(name, s) })
}

// timeAt returns a time in the zone of TZ: n seconds after 1970, or now for -1,
// or when the shell began for -2.
func (sh *Shell) timeAt(n int64) time.Time {
	t := time.Unix(n, 0)
	switch n {
	case -1:
		t = sh.cfg.Clock.Now()
	case -2:
		t = sh.started
	}
	return t.In(sh.location())
}

// location returns the time zone that TZ names.
func (sh *Shell) location() *time.Location {
	v := sh.lookup("TZ")
	if !v.isSet() || v.flags&vExport == 0 { // Bash: only where it is exported
		return time.UTC
	}
	return zone.Load(v.text(sh))
}
