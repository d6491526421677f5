package awk

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// An inputFile is a file or a command that getline reads.
type inputFile struct {
	*reader
	close func() (status int, err error)
	order int // of opening, among outputs and inputs
}

// input returns the file or command called name, which it opens if this is the
// first time; nil if it cannot be opened.
func (m *machine) input(name string, command bool) *inputFile {
	m.confined()
	if in := m.inputs[name]; in != nil {
		return in
	}
	var in *inputFile
	if command {
		in = m.pipeFrom(name)
	} else if in = m.openInput(name); in == nil {
		return nil
	}
	m.opened++
	in.order = m.opened
	m.inputs[name] = in
	return in
}

func (m *machine) openInput(name string) *inputFile {
	if name == "-" || name == "/dev/stdin" {
		return &inputFile{reader: newReader(m, m.call.Stdin), close: func() (int, error) { return 0, nil }}
	}
	m.refuseNetwork(name)
	f, err := m.call.FS.Open(name)
	if err != nil {
		m.setSpecial(spERRNO, str(vfs.ErrnoOf(err).Error()))
		return nil
	}
	return &inputFile{reader: newReader(m, f), close: func() (int, error) { return 0, f.Close() }}
}

func (m *machine) pipeFrom(command string) *inputFile {
	m.flushAll()
	r, w := io.Pipe()
	done := m.start(command, func(c *builtins.Call) { c.Stdout = w }, func() { _ = w.Close() })
	return &inputFile{reader: newReader(m, r), close: func() (int, error) {
		_ = r.CloseWithError(vfs.EPIPE)
		return done()
	}}
}

// next returns the next record and 1, 0 at the end, or -1 for an error.
func (in *inputFile) next(m *machine) ([]byte, int) {
	text, ok := in.reader.next()
	m.rt = in.rt
	if ok {
		return text, 1
	}
	if err := in.err; err != nil && err != io.EOF {
		m.mustGoOn(err)
		m.setSpecial(spERRNO, str(vfs.ErrnoOf(err).Error()))
		return nil, -1
	}
	return nil, 0
}

// mustGoOn ends the program if err comes from a context that is done.
func (m *machine) mustGoOn(err error) {
	if m.ctx.Err() != nil {
		panic(abort{context.Cause(m.ctx)})
	}
	if m.call.Meter.Err() != nil {
		panic(abort{err})
	}
}

// finish closes in, and returns the status of its command.
func (in *inputFile) finish() int {
	in.reader.close()
	status, err := in.close()
	if err != nil {
		if in.m.ctx.Err() != nil || in.m.call.Meter.Err() != nil {
			panic(abort{err})
		}
		return -1
	}
	return status
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// nextRecord returns the next record of the main input, and counts it.
func (m *machine) nextRecord() ([]byte, bool) {
	for !m.ended {
		if !m.inFile && !m.nextFile() {
			m.ended = true
			break
		}
		text, ok := m.main.next()
		m.rt = m.main.rt
		if ok {
			m.nr++
			m.fnr++
			return text, true
		}
		m.endFile()
	}
	return nil, false
}

// nextFile opens the next file among the operands, and makes the assignments
// before it.
func (m *machine) nextFile() bool {
	for {
		name, ok := m.nextOperand()
		if !ok {
			return false
		}
		if in := m.openMain(name); in {
			return true
		}
	}
}

// nextOperand returns the next operand that is a file; "-" if there was none at
// all.
func (m *machine) nextOperand() (string, bool) {
	argv := m.slot(spARGV).arr
	for {
		m.argIndex++
		if m.argIndex >= int(clamp(m.slot(spARGC).num(), 0, 1<<40)) {
			break
		}
		v := argv.find(intKey(m.argIndex))
		if v == nil {
			continue
		}
		arg := m.str(v)
		if m.sandbox != nil && !slices.Contains(m.sandbox, arg) {
			m.fatal("cannot add a new file (%s) to ARGV in sandbox mode", arg)
		}
		if arg == "" || m.assignOperand(arg) {
			continue
		}
		m.started = true
		m.setSpecial(spARGIND, num(float64(m.argIndex)))
		return arg, true
	}
	if m.started {
		return "", false
	}
	m.started = true
	return "", true
}

// assignOperand makes an assignment of an operand that is one.
func (m *machine) assignOperand(arg string) bool {
	name, val, ok := strings.Cut(arg, "=")
	if !ok || !IsName(name) || m.script {
		return false
	}
	m.assignVariable(name, val)
	return true
}

// IsName reports whether name can be that of a variable.
func IsName(name string) bool {
	for i := range len(name) {
		if !isNameStart(name[i]) && (i == 0 || !isDigit(name[i])) {
			return false
		}
	}
	return name != ""
}

// assignVariable gives a variable a value from the command line.
func (m *machine) assignVariable(name, val string) {
	if _, ok := keywords[name]; ok {
		m.fatal("cannot use gawk builtin `%s' as variable name", name)
	}
	if m.prog.library[name] != nil {
		m.fatal("cannot use gawk builtin `%s' as variable name", name)
	}
	if m.prog.IsFunction(name) {
		m.fatal("cannot use function `%s' as variable name", name)
	}
	v := given(unescape(val, func(format string, args ...any) { m.warn(format, args...) }))
	variable := m.prog.globals[name]
	if variable == nil {
		return // the program does not know it
	}
	c := &compiler{m: m}
	c.store(&varExpr{name: name, v: variable})(m, v)
}

// openMain opens a file of the main input. It is false for a file that is to be
// skipped.
func (m *machine) openMain(name string) bool {
	m.fnr = 0
	shown := name
	in, err := m.openReader(name)
	if name == "" {
		shown = ""
	}
	m.setSpecial(spFILENAME, str(shown))
	if err == nil && m.isDirectory(in) {
		err = vfs.EISDIR
	}
	m.setSpecial(spERRNO, str(""))
	if err != nil {
		m.setSpecial(spERRNO, str(vfs.ErrnoOf(err).Error()))
	}
	if len(m.code.beginFile) > 0 {
		m.inFile = true
		m.main = newReader(m, strings.NewReader(""))
		if m.runFileRules(m.code.beginFile) {
			m.inFile = false
			return false
		}
	}
	if err != nil {
		m.inFile = false
		if err == vfs.EISDIR {
			m.note("warning: command line argument `" + name + "' is a directory: skipped")
			return false
		}
		m.failedToOpen(name, err)
	}
	m.mainFile, m.mainName = nil, name
	if c, ok := in.(io.Closer); ok && in != m.call.Stdin {
		m.mainFile = c
	}
	if m.main != nil {
		m.rec.own()
		m.main.close()
	}
	m.main = newReader(m, in)
	m.inFile = true
	m.beginInPlace(name)
	return true
}

func (m *machine) openReader(name string) (io.Reader, error) {
	switch name {
	case "", "-", "/dev/stdin":
		return m.call.Stdin, nil
	}
	f, err := m.call.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (m *machine) isDirectory(in io.Reader) bool {
	s, ok := in.(vfs.Stream)
	if !ok {
		return false
	}
	info, err := s.Stat()
	return err == nil && info.IsDir()
}

func (m *machine) failedToOpen(name string, err error) {
	text := "fatal: cannot open file `" + name + "' for reading: " + vfs.ErrnoOf(err).Error()
	if m.nr > 0 {
		text = m.prog.sources[m.line.source()].where(m.line.line()) + text
	}
	panic(&fatalError{text})
}

// endFile ends the current file of the main input.
func (m *machine) endFile() {
	if err := m.main.err; err != nil && err != io.EOF {
		m.mustGoOn(err)
		if !errors.Is(err, vfs.EISDIR) {
			m.fatal("error reading input file `%s': %v", m.mainName, vfs.ErrnoOf(err))
		}
		m.note("warning: command line argument `" + m.mainName + "' is a directory: skipped")
	}
	m.rec.own()
	m.runFileRules(m.code.endFile)
	m.endInPlace()
	if m.mainFile != nil {
		_ = m.mainFile.Close()
		m.mainFile = nil
	}
	m.inFile = false
}
