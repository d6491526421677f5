package awk

import (
	"context"
	"fmt"
	"strconv"
	"unsafe"
)

// What a value and an element of a list take.
const (
	valueSize = int(unsafe.Sizeof(value{}))
	itemSize  = int(unsafe.Sizeof(item{}))
)

func newMachine(ctx context.Context, p *Program, c Config) *machine {
	m := &machine{
		memory:  memory{alloc: c.Call.Alloc, free: c.Call.Free},
		prog:    p,
		ctx:     ctx,
		call:    c.Call,
		globals: make([]value, len(p.slots)),
		regexps: map[regexpKey]*matcher{},
		outputs: map[string]*output{},
		inputs:  map[string]*inputFile{},
		ofs:     " ", ors: "\n", rs: "\n", subsep: "\x1c",
		convfmt: "%.6g", ofmt: "%.6g",
		splitter: &splitter{kind: byBlanks},
		splitBy:  spFS,
		random:   newRandom(1),
		seed:     1,
	}
	m.memory.poll = m.poll
	m.rec = record{m: m, split: m.splitter}
	m.out = newOutput(m, "/dev/stdout", c.Call.Stdout)
	if c.InPlace {
		m.inPlace = &inPlace{suffix: c.Suffix}
	}
	for i, v := range p.slots {
		m.globals[i] = value{k: unset}
		if v.special != spNone {
			m.specials[v.special] = i
			if init, ok := initial[v.special]; ok {
				m.globals[i] = init
			}
		}
	}
	return m
}

// setUp gives the variables the values that come from the command line.
func (m *machine) setUp(c Config) {
	if m.script = c.Script; c.Sandbox {
		m.sandbox = append([]string{}, c.Args...)
	}
	argv := m.fillArray(spARGV)
	*argv.ref(intKey(0)) = str(m.call.Name)
	for i, arg := range c.Args {
		m.assign(argv.ref(intKey(i+1)), given(arg))
	}
	*m.slot(spARGC) = num(float64(len(c.Args) + 1))
	env := m.fillArray(spENVIRON)
	for name, val := range m.call.Env.All() {
		m.assign(env.ref(stringKey(name)), given(val))
	}
	info := m.fillArray(spPROCINFO)
	for name, val := range map[string]value{
		"version": str("5.2.1"), "FS": str("FS"), "platform": str("posix"),
		"pid": num(float64(m.call.PID)), "ppid": num(float64(m.call.PPID)),
		"uid": num(float64(m.call.User.UID)), "euid": num(float64(m.call.User.UID)),
		"gid": num(float64(m.call.User.GID)), "egid": num(float64(m.call.User.GID)),
		"strftime": str(defaultTime),
	} {
		m.assign(info.ref(stringKey(name)), val)
	}
	for _, a := range c.Assign {
		m.assignVariable(a.Name, a.Value)
	}
}

// fillArray returns the array of a special variable.
func (m *machine) fillArray(s special) *array {
	a := m.newArray(m.prog.slots[m.specials[s]].name)
	*m.slot(s) = value{k: arrayRef, arr: a}
	return a
}

// runRules runs the program.
func (m *machine) runRules() {
	to := m.protect(func() control { return m.runList(m.code.begin) })
	if to != exits && m.code.reads {
		for to = nexts; to != proceeds && to != exits; {
			to = m.protect(m.runInput)
			if to == nextFiles {
				m.skipFile()
			}
		}
	}
	m.protect(func() control { return m.runList(m.code.end) })
}

// protect runs f, and returns the control that left a function of the program.
func (m *machine) protect(f func() control) (to control) {
	defer func() {
		if e := recover(); e != nil {
			u, ok := e.(unwind)
			if !ok {
				panic(e)
			}
			m.leaveAll()
			to = u.to
		}
	}()
	return f()
}

func (m *machine) runList(rules []func(*machine) control) control {
	for _, run := range rules {
		if to := run(m); to != proceeds {
			return to
		}
	}
	return proceeds
}

// runInput runs the rules for each record that is left.
func (m *machine) runInput() control {
	rules := m.code.rules
	for {
		text, ok := m.nextRecord()
		if !ok {
			return proceeds
		}
		m.poll(1)
		m.rec.set(text)
		for _, run := range rules {
			to := run(m)
			if to == proceeds {
				continue
			}
			if to == exits {
				return exits
			}
			if to == nextFiles {
				m.skipFile()
			}
			break
		}
	}
}

// skipFile leaves the current file of the main input.
func (m *machine) skipFile() {
	if m.inFile {
		m.endFile()
	}
}

// runFileRules runs rules of the kinds BEGINFILE or ENDFILE. It reports whether
// they skip the file.
func (m *machine) runFileRules(rules []func(*machine) control) bool {
	switch to := m.runList(rules); to {
	case exits:
		panic(unwind{exits})
	case nextFiles:
		return true
	}
	return false
}

// An inPlace replaces the files of the main input with what the program prints
// while it reads them.
type inPlace struct {
	suffix string // of the backups
	stdout *output
	temp   string
	close  func() error
	count  int
}

func (m *machine) beginInPlace(name string) {
	p := m.inPlace
	if p == nil || m.mainFile == nil {
		return
	}
	p.count++
	p.temp = name + ".gawk" + strconv.Itoa(m.call.PID) + "." + strconv.Itoa(p.count)
	f, err := m.call.FS.Create(p.temp)
	if err != nil {
		m.fatal("inplace: cannot create `%s': %v", p.temp, err)
	}
	p.stdout, p.close = m.out, f.Close
	m.out.flush()
	m.out = newOutput(m, p.temp, f)
}

func (m *machine) endInPlace() {
	p := m.inPlace
	if p == nil || p.stdout == nil {
		return
	}
	m.out.flush()
	m.out, p.stdout = p.stdout, nil
	name := m.mainName
	err := p.close()
	if info, statErr := m.call.FS.Stat(name); err == nil && statErr == nil {
		err = m.call.FS.Chmod(p.temp, info.Mode())
	}
	if err == nil && p.suffix != "" {
		err = m.call.FS.Rename(name, name+p.suffix)
	}
	if err == nil {
		err = m.call.FS.Rename(p.temp, name)
	}
	if err != nil {
		panic(&fatalError{fmt.Sprintf("fatal: inplace: cannot replace `%s': %v", name, err)})
	}
}
