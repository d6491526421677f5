package interp

import (
	"errors"
	"strings"

	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
	"mvdan.cc/sh/v3/syntax"
)

// A redirection is a compiled redirection.
type redirection struct {
	op     syntax.RedirOperator
	fd     int    // the descriptor, or -1 where it has a variable
	name   string // of the variable
	target fields
	word   text   // the target in POSIX mode: it is neither split nor a pattern
	text   text   // of a here-document or here-string
	source string // the target as it is written
	plain  bool   // expanding it neither fails nor changes the shell, but for nounset
	fixed  bool   // it has no expansions
}

func (c *compiler) redirections(list []*syntax.Redirect) []*redirection {
	var out []*redirection
	for _, r := range list {
		out = append(out, c.redirection(r))
	}
	return out
}

func (c *compiler) redirection(r *syntax.Redirect) *redirection {
	red := &redirection{op: r.Op, fd: 1}
	red.plain, red.fixed = harmless(r.Word, r.Hdoc)
	red.plain = red.plain && (r.N == nil || !strings.HasPrefix(r.N.Value, "{"))
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		red.fd = 0
	}
	if r.N != nil {
		n := r.N.Value
		if name, ok := strings.CutPrefix(n, "{"); ok {
			red.name, red.fd = strings.TrimSuffix(name, "}"), -1
		} else {
			red.fd = -2
			if v, ok := plainInt(strings.TrimLeft(n, "0")); ok && v < 1<<20 {
				red.fd = int(v)
			} else if strings.Trim(n, "0") == "" {
				red.fd = 0
			}
		}
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		red.text = constant("")
		if r.Hdoc != nil {
			var sound bool
			red.text, sound = c.document(r)
			red.plain = red.plain && sound
		}
	case syntax.WordHdoc:
		word := c.parts(r.Word.Parts, inText|inJoined)
		red.text = func(sh *Shell) string { return sh.join2(word(sh), "\n") }
	default:
		red.target, red.word = c.field(r.Word), c.word(r.Word)
		red.source = c.text(r.Word.Pos(), r.Word.End())
	}
	return red
}

// harmless reports whether expanding words changes nothing of the shell and fails
// with nounset only, and whether there is nothing to expand.
func harmless(words ...*syntax.Word) (plain, fixed bool) {
	plain, fixed = true, true
	for _, w := range words {
		if w == nil {
			continue
		}
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.ParamExp:
				fixed = false
				plain = plain && (isPlainName(n) || n.Short)
				return false
			case *syntax.CmdSubst, *syntax.ProcSubst: // run in shells of their own
				fixed = false
				return false
			case *syntax.ArithmExp:
				plain, fixed = false, false
			}
			return plain
		})
	}
	return plain, fixed
}

// redirected compiles a compound command with redirections.
func (c *compiler) redirected(list []*syntax.Redirect, run node) node {
	redirs := c.redirections(list)
	return func(sh *Shell) ctl {
		restore, ok := sh.redirect(redirs)
		if !ok {
			k := sh.redirectFailed(nil)
			if k == ctlNone && sh.hooks&hookError != 0 {
				return sh.onError(sh.errLine, sh.hooks)
			}
			return k
		}
		defer restore.undo(sh)
		return run(sh)
	}
}

// A restoration is the descriptors that redirections have replaced.
type restoration []savedFD

type savedFD struct {
	fd   int
	file *openFile
}

// undo brings the descriptors back, the last replaced first.
func (r restoration) undo(sh *Shell) {
	for i := len(r) - 1; i >= 0; i-- {
		sh.setFD(r[i].fd, r[i].file).release()
	}
}

// keep lets go of what was replaced.
func (r restoration) keep() {
	for _, s := range r {
		s.file.release()
	}
}

// redirect does redirections in order. Where one fails, it brings back what the
// ones before it have replaced.
func (sh *Shell) redirect(list []*redirection) (r restoration, ok bool) {
	if len(list) == 0 {
		return nil, true
	}
	for _, red := range list {
		if !red.apply(sh, &r) {
			r.undo(sh)
			return nil, false
		}
	}
	return r, true
}

// put makes descriptor n refer to f.
func (r *restoration) put(sh *Shell, n int, f *openFile) {
	*r = append(*r, savedFD{n, sh.setFD(n, f)})
}

// number returns the descriptor that a redirection is of.
func (red *redirection) number(sh *Shell, closing bool) (int, bool) {
	switch {
	case red.fd == -2 || red.fd > sh.maxFD():
		sh.errorf("%d: %v", red.fd, vfs.EBADF)
		return 0, false
	case red.fd >= 0:
		return red.fd, true
	case closing:
		v := sh.valueOf(red.name)
		n, ok := plainInt(v.s)
		if !ok || sh.fd(int(n)) == nil {
			sh.errorf("%s: %v", red.name, vfs.EBADF)
			return 0, false
		}
		return int(n), true
	}
	n := sh.freeFD(10)
	if n > sh.maxFD() {
		sh.errorf("%s: %v", red.name, vfs.EMFILE)
		return 0, false
	}
	return n, true
}

func (red *redirection) apply(sh *Shell, r *restoration) bool {
	if red.text != nil {
		s := red.text(sh)
		if sh.pending != ctlNone {
			return false
		}
		n, ok := red.number(sh, false)
		if !ok {
			return false
		}
		d := &document{text: s, meter: sh.x.meter}
		if err := d.meter.Charge(limits.Memory, int64(len(s))); err != nil {
			sh.stop(err)
			return false
		}
		return red.install(sh, r, n, newOpenFile(d))
	}
	var words []string
	if sh.strict() {
		words = []string{red.word(sh)}
	} else {
		words = red.target(sh, nil)
	}
	if sh.pending != ctlNone {
		return false
	}
	if len(words) != 1 {
		sh.errorf("%s: ambiguous redirect", red.source)
		return false
	}
	word := words[0]
	switch red.op {
	case syntax.DplIn, syntax.DplOut:
		return red.duplicate(sh, r, word)
	case syntax.RdrAll, syntax.AppAll:
		return red.both(sh, r, word, red.op == syntax.AppAll)
	}
	if sh.freeFD(0) > sh.maxFD() {
		sh.errorf("%s: %v", word, vfs.EMFILE)
		return false
	}
	n, ok := red.number(sh, false)
	if !ok {
		return false
	}
	f, err := sh.openTarget(red.op, word)
	if err != nil {
		if err != vfs.EINTR || sh.proc.ctx.Err() == nil { // else a signal has killed the shell
			sh.errorf("%s: %v", word, err)
		}
		return false
	}
	return red.install(sh, r, n, f)
}

// install makes descriptor n refer to f, and sets the variable where there is
// one.
func (red *redirection) install(sh *Shell, r *restoration, n int, f *openFile) bool {
	if red.name != "" {
		if !sh.setElementOrName("", red.name, itoa(int64(n))) {
			sh.errorf("%s: cannot assign fd to variable", red.name)
			f.release()
			return false
		}
		sh.setFD(n, f).release() // Bash: the descriptor stays open
		return true
	}
	r.put(sh, n, f)
	return true
}

// duplicate does n>&word and n<&word.
func (red *redirection) duplicate(sh *Shell, r *restoration, word string) bool {
	digits, move := strings.CutSuffix(word, "-")
	if word == "-" {
		n, ok := red.number(sh, true)
		if !ok {
			return false
		}
		if red.name != "" {
			sh.setFD(n, nil).release()
			return true
		}
		r.put(sh, n, nil)
		return true
	}
	src, ok := plainInt(digits)
	if !ok || digits == "" {
		if red.op == syntax.DplOut && red.fd == 1 && red.name == "" && !move {
			return red.both(sh, r, word, false)
		}
		source := red.source
		if move {
			source = strings.TrimSuffix(source, "-")
		}
		sh.errorf("%s: ambiguous redirect", source)
		return false
	}
	from := sh.fd(int(src))
	if from == nil {
		if move && !sh.leaves && red.name == "" && sh.fd(red.fd) != nil { // Bash: it tries to keep the other one
			_ = sh.write(2, []byte(sh.scriptName()+": redirection error: cannot duplicate fd: "+vfs.EBADF.Error()+"\n"))
		}
		sh.errorf("%s: %v", strings.TrimSuffix(red.source, "-"), vfs.EBADF)
		return false
	}
	n, ok := red.number(sh, false)
	if !ok {
		return false
	}
	if int(src) == n && red.name == "" {
		r.put(sh, n, from.retain())
		return true
	}
	if !red.install(sh, r, n, from.retain()) {
		return false
	}
	if move {
		sh.setFD(int(src), nil).release() // Bash: it stays closed
	}
	return true
}

// both does &>word: standard output and standard error.
func (red *redirection) both(sh *Shell, r *restoration, word string, add bool) bool {
	op := syntax.RdrOut
	if add {
		op = syntax.AppOut
	}
	f, err := sh.openTarget(op, word)
	if err != nil {
		sh.errorf("%s: %v", word, err)
		return false
	}
	r.put(sh, 1, f)
	r.put(sh, 2, f.retain())
	return true
}

var errClobber = errors.New("cannot overwrite existing file")

var errRestricted = errors.New("restricted: cannot redirect output")

// openTarget opens the file of a redirection.
func (sh *Shell) openTarget(op syntax.RedirOperator, name string) (*openFile, error) {
	if sh.is(optRestricted) && op != syntax.RdrIn {
		return nil, errRestricted
	}
	if isSocket(name) {
		return sh.openSocket(name)
	}
	flag := vfs.O_RDONLY
	switch op {
	case syntax.RdrOut, syntax.RdrClob:
		flag = vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
	case syntax.AppOut:
		flag = vfs.O_WRONLY | vfs.O_CREATE | vfs.O_APPEND
	case syntax.RdrInOut:
		flag = vfs.O_RDWR | vfs.O_CREATE
	}
	v := sh.view()
	if op == syntax.RdrOut && sh.opts&optNoclobber != 0 {
		info, err := v.Stat(name)
		if err == nil && info.Mode().IsRegular() {
			return nil, errClobber
		}
		if err != nil {
			flag |= vfs.O_EXCL
		}
	}
	f, err := v.OpenFile(name, flag, 0o666)
	if err != nil {
		if err = vfs.ErrnoOf(err); err == vfs.EEXIST { // a symbolic link to nothing
			err = errClobber
		}
		return nil, err
	}
	if file := sharedFile(f).retain(); file != nil {
		_ = f.Close()
		return file, nil
	}
	return newOpenFile(f), nil
}

// sharedFile returns the open file that a descriptor opened by name refers to, or nil.
func sharedFile(s vfs.Stream) *openFile {
	for {
		if ref, ok := s.(interface{ Shared() *openFile }); ok {
			return ref.Shared()
		}
		u, ok := s.(interface{ Unwrap() vfs.Stream })
		if !ok {
			return nil
		}
		s = u.Unwrap()
	}
}
