package interp

import "fmt"

// errorf prints a message as bash prints errors: after the shell's or script's
// name and the line.
func (sh *Shell) errorf(format string, args ...any) {
	if sh.x.halted.Load() {
		return
	}
	sh.message(fmt.Sprintf(format, args...))
}

// warnf is errorf for what is no failure.
func (sh *Shell) warnf(format string, args ...any) { sh.errorf("warning: "+format, args...) }

func (sh *Shell) message(text string) {
	name := sh.scriptName()
	if sh.interactive() {
		_ = sh.write(2, []byte(name+": "+text+"\n"))
		return
	}
	_ = sh.write(2, []byte(fmt.Sprintf("%s: line %d: %s\n", name, sh.line, text)))
}

// scriptName is what messages call the source that is running: the first element
// of BASH_SOURCE, or $0 where there is none.
func (sh *Shell) scriptName() string {
	switch {
	case sh.file != "":
		return sh.file
	case len(sh.frames) > 0:
		return sh.environmentName()
	}
	return sh.name
}

// complain is errorf for a builtin, whose name comes before the message.
func (sh *Shell) complain(name, format string, args ...any) {
	sh.errorf("%s: %s", name, fmt.Sprintf(format, args...))
}

func (sh *Shell) rawMessage(format string, args ...any) {
	_ = sh.write(2, []byte(fmt.Sprintf(format, args...)+"\n"))
}
