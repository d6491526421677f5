package interp

import (
	"context"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// A Shell is a shell environment: variables, functions, options, traps, jobs,
// descriptors and a working directory. Create it with [New]. It is not safe for
// concurrent use.
type Shell struct {
	cfg     *Config
	startup Startup
	names   *nameTable
	x       *execution
	proc    *process
	parent  *Shell // the shell that waits for this one; nil where none waits

	// owner marks the variables that this shell may change; see variable.
	owner uint64
	vars  []*variable // by name; see setVar
	funcs []*function // by name; see setFunc

	// What is borrowed belongs to other shells too, and is copied before it is
	// changed.
	borrowedVars, borrowedFuncs bool

	name       string // $0
	params     []string
	paramSets  int // how often set has changed params
	paramsHeld int // bytes charged for params
	reserved   int // bytes charged for what expansions make, until a command has it
	made       int // bytes of words that were made since
	status     int
	last       string // $_
	bg         int    // $!

	// PIPESTATUS is pipes where piped is true, and lastStatus alone otherwise.
	exited     bool // the last program, by a command
	pipes      []int
	piped      bool
	lastStatus int

	opts           option
	shopts         shopt
	hooks          hook // what commands have to look at
	mild, mildNext bool // the builtin that runs, or the next, was called through command
	quiet          int  // > 0 where errexit and the ERR trap do not apply
	spared         int  // > 0 in eval and source there, in which errexit does not apply to errors of expansions either

	pending     ctl  // set by an expansion that failed
	forgiven    bool // what failed ends no more than the test that it is part of
	abandoned   bool // what is discarded is more than a line; see abandon
	failStatus  int
	assigning   bool // a command assigns, not an assignment
	substStatus int  // of the last command substitution of this command, or -1

	loops    int // around the running command
	funcNest int // the depth of functions that FUNCNEST allows, or 0
	levels   int // of break or continue

	steps   int // until the next poll
	held    int // memory not yet charged
	charged int // memory charged
	depth   int

	line     int           // of the running command
	errLine  int           // of the last simple command
	lostLine int           // where the reader of a script counts on after this command; 0 for where it is
	drift    int           // what the lines that are read from now on are short by
	file     string        // that it is in
	command  func() string // BASH_COMMAND
	evalName string        // what runs the running source, for syntax errors
	through  *[]through    // what the running builtin assigns; nil where it does not matter
	misread  bool          // the text of an eval ended within a quote; see misreadWord
	evals    int           // eval and source around the running command

	leaves    bool   // the redirections are those of a program, which never come back
	lost      bool   // what has failed is an expansion in an expression, which ends the line
	exprName  string // the command in whose name expressions are evaluated
	exprDepth int

	frames []frame // functions and sourced files, the innermost last
	locals []saved

	fds      []*openFile
	substFDs []int // of process substitutions
	dir      string
	umask    fs.FileMode
	bytes    bool     // characters are bytes; see setLocale
	stack    []string // the directory stack, below dir

	hash                map[string]hashed
	aliases             map[string]string
	disabled            map[string]bool      // builtins
	ulimits, hardLimits map[byte]int64       // that ulimit was told
	specs               map[string]*compSpec // of complete, by command
	specNames           []string             // in the order in which they were made
	env                 *inheritance         // what commands inherit; nil when it has changed
	imports             []string             // functions of the environment, to be defined
	history             []string             // where the option is on
	recorded            bool                 // the last entry is the command that is running
	historyBase         int                  // how many entries have been dropped before it
	commands            int                  // that have been read from the script

	traps      map[string]string
	listed     map[string]string // traps of the parent, which trap -p shows
	inTrap     int               // bits
	trapStatus []int             // the statuses that running traps began with
	trapResult int               // the status of the last trap's action
	debugged   bool              // the DEBUG trap has run for the command that comes next
	tracing    bool              // a trace is being printed
	traceFD    int               // what traces are written to; 0 is standard error

	unheeded     uint64          // signals that the shell was started to ignore
	beforeReturn int             // the status before the return command
	killedBy     builtins.Signal // what has ended the shell; 0 for nothing

	dead               *process // the program that a signal has just killed, until it is told
	jobs               jobList
	baseArgs           []string // what BASH_ARGV has of the script, where baseKnown is true
	baseKnown          bool
	dumping, catalogue bool // only the strings to be translated are printed
	coprocs            []coprocState
	substJob           *job // the last process substitution
	mainPID            int  // $$ where it is not the first process
	subshells          int  // that it is in
	inSubst            bool // in a command substitution

	stageLevel int // the level on which it is a simple command of a pipeline, or -1

	random, lastRandom uint32
	seeded             bool
	started            time.Time // when SECONDS was secondsBase
	secondsBase        int64

	args   []string    // scratch for the words of commands
	outBuf []byte      // scratch for what builtins print
	spare  []*variable // that may be used again
	getopt getoptState
	ifs    ifsCache
	globs  []lateGlob // of the words that are being expanded, where they are expanded late; else nil

	matcher cachedMatcher // of the last =~
}

// A frame is a function call or a sourced file that is running.
type frame struct {
	name   string // of the function; "source" for a file
	file   string // where the function or file is
	line   int    // of the call
	caller string // the file of the call
	isFunc bool

	locals     int // len(Shell.locals) when it began
	params     []string
	paramsHeld int
	loops      int
	suspended  map[string]string // traps that the function does not inherit
	getopt     getoptState       // of the caller
}

// A saved variable is what a local one hides.
type saved struct {
	id    int
	v     *variable
	frame int     // the number of frames when it was hidden
	opts  *option // saved options, of local -
	by    hider

	outlives bool // the value of the variable that hides this one is assigned to it
}

// A hider is what hides a variable.
type hider uint8

const (
	byLocal  hider = iota
	byPrefix       // an assignment before a command
	byCall         // one before the call of a function, which has the variable for its own
)

// first is what template returns. Its initializer would refer to itself, by way of
// the builtins that run scripts.
var first struct {
	once sync.Once
	sh   *Shell
}

// template returns the shell that all shells begin as. It is not to be changed.
func template() *Shell {
	first.once.Do(func() {
		sh := &Shell{
			names:       &nameTable{ids: map[string]int{}, builtins: newBuiltins(), cache: newCache(nil)},
			opts:        defaultOptions,
			shopts:      defaultShopts,
			substStatus: -1,
			stageLevel:  -1,
			getopt:      getoptState{index: 1},
		}
		sh.owner = sh.names.owners.Add(1)
		sh.initVariables()
		first.sh = sh
	})
	return first.sh
}

// New returns a shell that has run nothing yet.
func New(cfg *Config, s Startup) *Shell {
	base := template()
	sh := new(Shell)
	*sh = *base
	sh.cfg = cfg
	sh.names = base.names.above()
	sh.owner = sh.names.owners.Add(1)
	sh.unshare()
	sh.startup, sh.name, sh.dir, sh.umask = s, s.Name, s.Dir, s.Umask
	sh.started = cfg.Clock.Now()
	if s.Posix {
		sh.opts |= optPosix
		sh.setPosix(true)
	}
	if s.Interactive {
		sh.shopts |= shoptExpandAliases
		sh.opts |= optHistory | optHistexpand | optEmacs
	}
	sh.initIdentity()
	sh.importEnvironment()
	return sh
}

// begin makes sh run p in the execution x.
func (sh *Shell) begin(x *execution, p Program) {
	sh.x = x
	sh.proc = x.table.add(nil, x.ctx, sh.name)
	if p.Signals != nil { // a signal ends what the shell waits for, too
		sh.proc.ctx, sh.proc.cancel = context.WithCancelCause(x.ctx)
		sh.proc.done = make(chan struct{})
	}
	sh.file = p.File
	sh.params = p.Args
	sh.fds = []*openFile{newOpenFile(p.Stdin), newOpenFile(p.Stdout), newOpenFile(p.Stderr)}
	sh.steps, sh.held, sh.charged, sh.depth, sh.pending = 0, 0, 0, 0, ctlNone
	sh.quiet, sh.loops, sh.levels = 0, 0, 0
	sh.exited, sh.killedBy = false, 0
	sh.jobs = jobList{}
	if !sh.interactive() {
		sh.status, sh.traps = 0, nil
		sh.pipes, sh.piped = sh.pipes[:0], true
		sh.opts &^= optErrexit
	}
	sh.refreshHooks()
	sh.chargeState()
}

// chargeState charges what the shell holds from earlier runs.
func (sh *Shell) chargeState() {
	n := sh.tableSize()
	for _, v := range sh.vars {
		n += v.size()
	}
	sh.hold(n)
}

// end lets go of what lasts no longer than a run.
func (sh *Shell) end() {
	sh.closeFDs()
	sh.unwind(0)
	sh.frames = sh.frames[:0]
}

// setVar puts v in the place of the variable id.
func (sh *Shell) setVar(id int, v *variable) {
	if sh.borrowedVars {
		sh.vars, sh.borrowedVars = slices.Clone(sh.vars), false
	}
	sh.vars[id] = v
}

// setFunc puts f in the place of the function id.
func (sh *Shell) setFunc(id int, f *function) {
	if sh.borrowedFuncs {
		sh.funcs, sh.borrowedFuncs = slices.Clone(sh.funcs), false
	}
	sh.funcs[id] = f
}

// grow makes sure that every name has a place in the tables.
func (sh *Shell) grow() {
	n := sh.names.len()
	if n <= len(sh.vars) {
		return
	}
	// Behind the end of what is borrowed there may be room, which is not for sh.
	sh.vars, sh.funcs = slices.Clip(sh.vars), slices.Clip(sh.funcs)
	sh.borrowedVars, sh.borrowedFuncs = false, false
	for len(sh.vars) < n {
		sh.vars = append(sh.vars, unsetVariable)
		sh.funcs = append(sh.funcs, nil)
	}
}

// id returns the number of name, with a place in the tables.
func (sh *Shell) id(name string) int {
	id := sh.names.id(name)
	if id >= len(sh.vars) {
		sh.grow()
	}
	return id
}

// own returns the variable id for sh to write.
func (sh *Shell) own(id int) *variable {
	v := sh.vars[id]
	if v.owner != sh.owner {
		if v == unsetVariable {
			sh.hold(96)
		}
		v = v.clone(sh)
		sh.setVar(id, v)
	}
	return v
}

// closeFDs lets go of every descriptor.
func (sh *Shell) closeFDs() {
	for i, f := range sh.fds {
		f.release()
		sh.fds[i] = nil
	}
	sh.fds = sh.fds[:0]
}

// view returns the file system as this shell's process sees it.
func (sh *Shell) view() *vfs.View {
	v := &vfs.View{FS: sh.cfg.FS, Dir: sh.dir, Umask: sh.umask, Context: sh.proc.ctx, Descriptor: sh.descriptor, Descriptors: sh.descriptors}
	if h := sh.x.hooks; h != nil {
		if h.Opening != nil {
			v.Opening, v.Changing = sh.opening, sh.changing
		}
		if h.Opened != nil {
			v.Opened = sh.opened
		}
	}
	return v
}

// Dir returns the working directory.
func (sh *Shell) Dir() string { return sh.dir }

// Prepare changes what the next Run begins with: $0, the directory and exported
// variables. Empty ones stay as they are. The function that it returns takes the
// variables back that the run has not changed.
func (sh *Shell) Prepare(name, dir string, env map[string]string) (restore func()) {
	if name != "" {
		sh.name = name
	}
	if dir != "" {
		sh.dir = dir
		if id := sh.id("PWD"); sh.vars[id].flags&vReadonly == 0 {
			sh.vars[id] = &variable{owner: sh.owner, str: dir, flags: vSet | vStr | vExport}
		}
	}
	type old struct {
		id int
		v  *variable
	}
	var olds []old
	for k, s := range env {
		if !isName(k) {
			continue
		}
		id := sh.id(k)
		if sh.vars[id].flags&(vReadonly|vDynamic) != 0 {
			continue
		}
		olds = append(olds, old{id, sh.vars[id]})
		sh.setVar(id, &variable{owner: sh.owner, str: s, flags: vSet | vStr | vExport | sh.vars[id].flags&vHook})
	}
	sh.env = nil
	return func() {
		for _, o := range olds {
			sh.setVar(o.id, o.v)
		}
		sh.env = nil
	}
}
