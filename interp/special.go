package interp

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"
)

// A dynamic is a variable whose value is computed when it is read. Nil functions
// do nothing.
type dynamic struct {
	get  func(sh *Shell) string
	set  func(sh *Shell, s string)
	list func(sh *Shell) []string // for an array

	// For an associative array.
	pairs   func(sh *Shell) map[string]string
	setPair func(sh *Shell, key, value string)
}

// Names that the shell itself refers to get the first numbers.
const (
	idIFS = iota
	idOPTIND
)

// version is what BASH_VERSION says: the version that this shell behaves like.
const version = "5.2.15(1)-release"

// initVariables makes the variables that every shell starts with. (bash manual,
// Bash Variables)
func (sh *Shell) initVariables() {
	sh.names.id("IFS")
	sh.names.id("OPTIND")
	sh.grow()
	put := func(name, value string, flags uint32) {
		v := sh.own(sh.id(name))
		v.str, v.flags = value, v.flags|vSet|vStr|flags
	}
	put("IFS", " \t\n", 0)
	put("OPTIND", "1", vHook)
	put("OPTERR", "1", vHook)
	put("PS4", "+ ", 0)
	put("HOSTTYPE", "x86_64", 0)
	put("MACHTYPE", "x86_64-pc-linux-gnu", 0)
	put("OSTYPE", "linux-gnu", 0)
	put("BASH", "/usr/bin/bash", 0)
	put("BASH_VERSION", version, 0)
	put("PPID", itoa(firstPID-1), vReadonly|vInteger)
	versinfo := sh.own(sh.id("BASH_VERSINFO"))
	versinfo.arr, versinfo.flags = &array{}, vIndexed|vSet|vReadonly
	for i, s := range []string{"5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"} {
		versinfo.arr.set(int64(i), element{str: s, kind: textElement})
	}
	sh.initDynamic()
	for _, name := range []string{"HOSTNAME", "UID", "EUID", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "PWD", "OLDPWD", "SHLVL"} {
		sh.names.id(name) // so that they are in the table that all shells share
	}
	for _, name := range []string{"PATH", "POSIXLY_CORRECT", "BASH_XTRACEFD", "FUNCNEST", "LC_ALL", "LC_CTYPE", "LANG"} {
		sh.own(sh.id(name)).flags |= vHook
	}
}

// initIdentity makes the variables that say where the shell runs, and as whom.
func (sh *Shell) initIdentity() {
	uid := itoa(int64(sh.cfg.User.UID))
	for _, v := range []struct {
		name, value string
		flags       uint32
	}{
		{"HOSTNAME", sh.cfg.Host, 0}, {"UID", uid, vReadonly | vInteger}, {"EUID", uid, vReadonly | vInteger},
	} {
		to := sh.own(sh.id(v.name))
		to.str, to.flags = v.value, to.flags|vSet|vStr|v.flags
	}
}

// importEnvironment makes the variables and functions of the environment, and
// those that depend on how the shell is started.
func (sh *Shell) importEnvironment() {
	shlvl := int64(0)
	for name, value := range sh.startup.Env {
		if f, ok := strings.CutPrefix(name, "BASH_FUNC_"); ok && strings.HasSuffix(f, "%%") {
			sh.imports = append(sh.imports, strings.TrimSuffix(f, "%%")+" "+value)
			continue
		}
		if !isName(name) {
			continue
		}
		if name == "SHLVL" {
			shlvl, _ = plainInt(value)
		}
		v := sh.own(sh.id(name))
		if v.flags&vReadonly != 0 {
			continue
		}
		if v.flags&vDynamic != 0 {
			if v.dyn.set != nil && name != "SHELLOPTS" {
				v.dyn.set(sh, value)
			}
			continue
		}
		v.str, v.flags = value, v.flags|vSet|vStr|vExport
	}
	sh.setLocale()
	if sh.vars[idIFS].owner == sh.owner {
		sh.own(idIFS).setText(sh, " \t\n") // Bash: IFS is not inherited
	}
	if v := sh.own(sh.id("PATH")); v.flags&vSet == 0 {
		v.str, v.flags = defaultPath, v.flags|vSet|vStr
	}
	if v := sh.own(sh.id("SHELL")); v.flags&vSet == 0 {
		v.str, v.flags = "/bin/bash", v.flags|vSet|vStr
	}
	if v := sh.own(sh.id("TERM")); v.flags&vSet == 0 {
		v.str, v.flags = "dumb", v.flags|vSet|vStr
	}
	if sh.interactive() {
		for name, value := range map[string]string{
			"PS1": `\s-\v\$ `, "PS2": "> ",
			"HISTFILE": sh.get("HOME") + "/.bash_history", "HISTSIZE": "500", "HISTFILESIZE": "500",
		} {
			if v := sh.own(sh.id(name)); v.flags&vSet == 0 {
				v.setText(sh, value)
			}
		}
	}
	pwd := sh.own(sh.id("PWD"))
	pwd.str, pwd.flags = sh.dir, vSet|vStr|vExport
	old := sh.own(sh.id("OLDPWD"))
	old.flags |= vExport
	level := sh.own(sh.id("SHLVL"))
	level.str, level.flags = itoa(shlvl+1), vSet|vStr|vExport
}

// initDynamic makes the variables that are computed.
func (sh *Shell) initDynamic() {
	for name, d := range map[string]*dynamic{
		"RANDOM":          {get: (*Shell).nextRandom, set: (*Shell).seedRandom},
		"SRANDOM":         {get: func(sh *Shell) string { return itoa(int64(sh.randomWord())) }},
		"SECONDS":         {get: (*Shell).seconds, set: (*Shell).setSeconds},
		"EPOCHSECONDS":    {get: func(sh *Shell) string { return itoa(sh.cfg.Clock.Now().Unix()) }},
		"EPOCHREALTIME":   {get: epochRealtime},
		"LINENO":          {get: func(sh *Shell) string { return itoa(int64(sh.line)) }, set: func(sh *Shell, s string) {}},
		"BASHPID":         {get: func(sh *Shell) string { return itoa(int64(sh.proc.pid)) }},
		"BASH_COMMAND":    {get: (*Shell).commandText, set: func(*Shell, string) {}},
		"BASH_SUBSHELL":   {get: (*Shell).subshellLevel, set: func(*Shell, string) {}},
		"BASH_ARGV0":      {get: func(sh *Shell) string { return sh.name }, set: func(sh *Shell, s string) { sh.name = s }},
		"BASH_ALIASES":    {pairs: func(sh *Shell) map[string]string { return sh.aliases }, setPair: func(sh *Shell, name, value string) { sh.setAlias(name, value) }, get: noText},
		"BASH_CMDS":       {pairs: (*Shell).hashedPaths, setPair: (*Shell).setHashed, get: noText},
		"HISTCMD":         {get: func(sh *Shell) string { return itoa(int64(max(sh.historyBase+len(sh.history), 1))) }},
		"COMP_WORDBREAKS": {get: func(sh *Shell) string { return " \t\n\"'@><=;|&(:" }, set: func(*Shell, string) {}},
		"_":               {get: func(sh *Shell) string { return sh.last }, set: func(sh *Shell, s string) { sh.last = s }},
		"FUNCNAME":        {list: (*Shell).functionNames, set: func(*Shell, string) {}},
		"BASH_SOURCE":     {list: (*Shell).sourceFiles},
		"BASH_LINENO":     {list: (*Shell).callLines},
		"PIPESTATUS":      {list: (*Shell).pipeStatus},
		"DIRSTACK":        {list: (*Shell).dirStackShown},
		"GROUPS":          {list: (*Shell).groups, set: func(*Shell, string) {}},
		"BASH_ARGC":       {list: (*Shell).argCounts},
		"BASH_ARGV":       {list: (*Shell).argValues},
		"SHELLOPTS":       {get: (*Shell).shellopts},
		"BASHOPTS":        {get: (*Shell).bashopts},
	} {
		v := sh.own(sh.id(name))
		v.flags, v.dyn = vDynamic, d
		if d.get == nil {
			list := d.list
			d.get = func(sh *Shell) string {
				if l := list(sh); len(l) > 0 {
					return l[0]
				}
				return ""
			}
		}
		switch name {
		case "SHELLOPTS", "BASHOPTS":
			v.flags |= vReadonly
		case "RANDOM", "SRANDOM", "SECONDS", "BASHPID", "HISTCMD":
			v.flags |= vInteger
		}
	}
}

// noText is the value of an associative array without a subscript.
func noText(*Shell) string { return "" }

// hashedPaths is BASH_CMDS.
func (sh *Shell) hashedPaths() map[string]string {
	paths := make(map[string]string, len(sh.hash))
	for name, h := range sh.hash {
		paths[name] = h.path
	}
	return paths
}

func (sh *Shell) setHashed(name, path string) {
	sh.setHash(name, hashed{path: path})
}

// nextRandom is bash's generator: the minimal standard one of Park and Miller,
// folded to 15 bits.
func (sh *Shell) nextRandom() string {
	if !sh.seeded {
		sh.random, sh.seeded = sh.randomWord(), true
	}
	for {
		n := sh.stepRandom()
		if n != sh.lastRandom {
			sh.lastRandom = n
			return itoa(int64(n))
		}
	}
}

// seedRandom is the assignment to RANDOM.
func (sh *Shell) seedRandom(s string) {
	sh.random, sh.seeded, sh.lastRandom = uint32(sh.evalText(s)), true, 0
}

func (sh *Shell) stepRandom() uint32 {
	seed := int64(int32(sh.random))
	if sh.random == 0 {
		seed = 123459876
	}
	h, l := seed/127773, seed-127773*(seed/127773)
	t := 16807*l - 2836*h
	if t < 0 {
		t += 0x7fffffff
	}
	sh.random = uint32(t)
	return (sh.random>>16 ^ sh.random&0xffff) & 0x7fff
}

// randomWord returns 32 random bits.
func (sh *Shell) randomWord() uint32 {
	var b [4]byte
	src := sh.cfg.Rand
	if src == nil {
		src = rand.Reader
	}
	_, _ = io.ReadFull(src, b[:])
	return binary.LittleEndian.Uint32(b[:])
}

func (sh *Shell) seconds() string {
	return itoa(int64(sh.cfg.Clock.Now().Sub(sh.started)/time.Second) + sh.secondsBase)
}

func (sh *Shell) setSeconds(s string) {
	n, _ := plainInt(s)
	sh.started, sh.secondsBase = sh.cfg.Clock.Now(), n
}

func epochRealtime(sh *Shell) string {
	now := sh.cfg.Clock.Now()
	return fmt.Sprintf("%d.%06d", now.Unix(), now.Nanosecond()/1000)
}

// commandText is BASH_COMMAND.
func (sh *Shell) commandText() string {
	if sh.command == nil {
		return ""
	}
	return sh.command()
}

// subshellLevel is BASH_SUBSHELL. Bash: a simple command of a pipeline expands its
// words before it counts as a subshell.
func (sh *Shell) subshellLevel() string {
	if sh.stageLevel == sh.level() {
		return itoa(int64(sh.subshells) - 1)
	}
	return itoa(int64(sh.subshells))
}

// level counts what runs around the running command: functions, sourced files,
// eval.
func (sh *Shell) level() int { return len(sh.frames) + sh.evals }

// shellPID is $$: the process of the shell that subshells come from.
func (sh *Shell) shellPID() int {
	if sh.mainPID != 0 {
		return sh.mainPID
	}
	return firstPID
}

// functionNames is FUNCNAME, which exists within functions alone.
func (sh *Shell) functionNames() []string {
	for i := range sh.frames {
		if sh.frames[i].isFunc {
			return sh.frameNames()
		}
	}
	return nil
}

// frameNames are the names of the functions and sourced files that are running,
// the innermost first.
func (sh *Shell) frameNames() []string {
	var list []string
	for i := len(sh.frames) - 1; i >= 0; i-- {
		list = append(list, sh.frames[i].name)
	}
	if sh.fromCommand() && sh.mainFile() == "" || sh.fromStdin() {
		return list
	}
	return append(list, "main")
}

// mainFile is the script that the shell was started with.
func (sh *Shell) mainFile() string {
	if len(sh.frames) > 0 {
		return sh.frames[0].caller
	}
	return sh.file
}

// sourceFiles is BASH_SOURCE.
func (sh *Shell) sourceFiles() []string {
	var list []string
	for i := len(sh.frames) - 1; i >= 0; i-- {
		f := sh.frames[i].file
		if f == "" {
			f = sh.environmentName()
		}
		list = append(list, f)
	}
	if f := sh.mainFile(); f != "" {
		list = append(list, f)
	}
	return list
}

// environmentName is what BASH_SOURCE has for functions that no file defines.
func (sh *Shell) environmentName() string {
	if sh.fromCommand() {
		return "environment"
	}
	return "main"
}

// callLines is BASH_LINENO.
func (sh *Shell) callLines() []string {
	var list []string
	for i := len(sh.frames) - 1; i >= 0; i-- {
		list = append(list, itoa(int64(sh.frames[i].line)))
	}
	if sh.mainFile() != "" {
		list = append(list, "0")
	}
	return list
}

func (sh *Shell) pipeStatus() []string {
	if !sh.piped {
		return []string{itoa(int64(sh.lastStatus))}
	}
	var list []string
	for _, st := range sh.pipes {
		list = append(list, itoa(int64(st)))
	}
	return list
}

func (sh *Shell) groups() []string {
	list := []string{fmt.Sprint(sh.cfg.User.GID)}
	for _, g := range sh.cfg.User.Groups {
		if g != sh.cfg.User.GID {
			list = append(list, fmt.Sprint(g))
		}
	}
	return list
}

// hookVariable does what follows from a change of a variable with an effect.
func (sh *Shell) hookVariable(id int, v *variable) {
	switch sh.names.name(id) {
	case "OPTIND":
		n, ok := plainInt(v.text(sh))
		if !ok || n < 1 {
			n = 1
		}
		sh.getopt = getoptState{index: int(n)}
	case "PATH":
		sh.clearHash()
	case "FUNCNEST":
		n, _ := plainInt(v.text(sh))
		sh.funcNest = int(max(n, 0))
	case "BASH_XTRACEFD":
		sh.setTraceFD(v)
	case "LC_ALL", "LC_CTYPE", "LANG":
		sh.setLocale()
		sh.ifs.valid = false
	case "POSIXLY_CORRECT":
		sh.setOption(optPosix, v.flags&vSet != 0)
	}
}
