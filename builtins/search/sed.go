package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "sed",
	Synopsis: "[OPTION]... {script-only-if-no-other-script} [input-file]...",
	Summary:  "edit a stream of text",
	Run:      func(_ context.Context, c *builtins.Call) error { return runSed(c) },
})

// sedOptions are the options of sed.
type sedOptions struct {
	quiet      bool
	extended   bool
	posix      bool
	debug      bool
	sandbox    bool
	separate   bool
	inPlace    bool
	follow     bool // -i edits what a symbolic link names
	suffix     string
	unbuffered bool
	delim      byte
	width      int // of l; 0 means not to wrap
}

// Statuses of sed.
const (
	sedBadUsage builtins.Exit = 1
	sedBadInput builtins.Exit = 2
	sedPanic    builtins.Exit = 4
)

const sedHint = "Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...\nTry 'sed --help' for more information.\n"

func runSed(c *builtins.Call) error {
	o := sedOptions{delim: '\n', width: 70}
	var parts []scriptPart
	f := c.Flags()
	f.Hint = sedHint
	f.Bool(&o.quiet, "n,quiet,silent", "suppress automatic printing of pattern space")
	f.Func("e,expression", "add the `SCRIPT` to the commands to be executed", func(s string) error {
		parts = append(parts, scriptPart{text: s})
		return nil
	})
	f.Func("f,file", "add the contents of `SCRIPT-FILE` to the commands to be executed", func(s string) error {
		parts = append(parts, scriptPart{file: s})
		return nil
	})
	f.Bool(&o.extended, "E,r,regexp-extended", "use extended regular expressions in the script")
	f.Optional("i,in-place", "edit files in place (makes backup if `SUFFIX` supplied)", func(s string, _ bool) error {
		o.inPlace, o.separate, o.suffix = true, true, s
		return nil
	})
	f.Bool(&o.follow, "follow-symlinks", "follow symlinks when processing in place")
	f.Func("l,line-length", "specify the desired line-wrap length `N` for the l command", func(s string) error {
		digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
		n, err := strconv.ParseUint(s[:digits], 10, 31) // GNU: what is no number is 0, and wraps nothing
		if errors.Is(err, strconv.ErrRange) {
			n = math.MaxInt32
		}
		o.width = int(n)
		return nil
	})
	f.Bool(&o.posix, "posix", "do not print the pattern space when N finds no next line")
	f.Bool(&o.separate, "s,separate", "consider files as separate rather than as a single continuous long stream")
	f.Bool(&o.sandbox, "sandbox", "reject the r and w commands")
	f.Bool(&o.unbuffered, "u,unbuffered", "load minimal amounts of data from the input files and flush the output often")
	f.Do("z,null-data,zero-terminated", "separate lines by NUL characters", func() error { o.delim = 0; return nil })
	f.Bool(&o.debug, "debug", "print the script, and what it does")
	f.Do("b,binary", "read files as they are, as on Unix anyway", func() error { return nil })
	operands, err := f.Parse()
	if err != nil {
		return err
	}
	if len(parts) == 0 {
		if len(operands) == 0 {
			fmt.Fprint(c.Stderr, sedHint)
			return sedBadUsage
		}
		parts, operands = []scriptPart{{text: operands[0]}}, operands[1:]
	}
	return newSed(c, o).run(parts, operands)
}

// A sed is one call of sed.
type sed struct {
	*builtins.Call
	sedOptions
	script []sedCommand
	trace  *sedTrace // of --debug
	files  []string  // inputs not yet opened

	input   *sedInput
	out     *sedOutput
	stdout  *sedOutput
	outputs map[string]*sedOutput
	readers map[string]*builtins.LineReader // of R
	closers []func()

	space, hold sedSpace
	scratch     buffer
	line        int64
	name        string // of the file that the line is from
	replaced    bool   // s has replaced something since the last input or t
	pending     []sedAppend
	last        *sedRegex // the last expression that was used
	status      builtins.Exit
}

// A sedSpace is the pattern space or the hold space.
type sedSpace struct {
	buffer
	open bool // the line it came from was not ended by a delimiter
}

// A sedAppend is what is to be printed at the end of a cycle.
type sedAppend struct {
	text []byte
	file string // for r: the file to copy
}

func newSed(c *builtins.Call, o sedOptions) *sed {
	s := &sed{Call: c, sedOptions: o, outputs: make(map[string]*sedOutput), readers: make(map[string]*builtins.LineReader)}
	for _, b := range []*buffer{&s.space.buffer, &s.hold.buffer, &s.scratch} {
		b.call = c
	}
	return s
}

func (s *sed) run(parts []scriptPart, files []string) error {
	defer s.close()
	s.stdout = s.newOutput(s.Stdout, "stdout")
	s.out = s.stdout
	if s.debug {
		s.trace = &sedTrace{w: s.stdout.w}
	}
	if err := s.compile(parts); err != nil {
		return s.fail(err)
	}
	if s.trace != nil {
		s.trace.program(s.script)
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	s.files = files
	err := s.cycles()
	if err == nil || isExit(err) {
		if flushErr := s.flush(); flushErr != nil {
			return s.fail(flushErr)
		}
	}
	if err != nil {
		return s.fail(err)
	}
	return s.status
}

func isExit(err error) bool {
	_, ok := errors.AsType[builtins.Exit](err)
	return ok
}

// A sedError is an error that ends sed with a status.
type sedError struct {
	status builtins.Exit
	text   string
}

func (e *sedError) Error() string { return e.text }

// fail prints the message of err, if it has one, and returns how the call ends.
func (s *sed) fail(err error) error {
	e, ok := errors.AsType[*sedError](err)
	if !ok {
		return err
	}
	s.discardTemporary()
	_ = s.flush()
	fmt.Fprintf(s.Stderr, "sed: %s\n", e.text)
	return e.status
}

// close gives back what the call holds.
func (s *sed) close() {
	s.discardTemporary()
	if s.input != nil {
		s.input.close()
	}
	for _, f := range s.closers {
		f()
	}
	for _, r := range s.readers {
		if r != nil {
			r.Close()
		}
	}
	for _, b := range []*buffer{&s.space.buffer, &s.hold.buffer, &s.scratch} {
		b.release()
	}
}

// backupName returns the name of the backup of the file name.
func (s *sed) backupName(name string) string {
	dir, base := "", name
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		dir, base = name[:i+1], name[i+1:]
	}
	backup := base + s.suffix
	if strings.Contains(s.suffix, "*") {
		backup = strings.ReplaceAll(s.suffix, "*", base)
	}
	if strings.Contains(backup, "/") {
		return backup
	}
	return dir + backup
}
