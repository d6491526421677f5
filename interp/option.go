package interp

import (
	"math/bits"
	"slices"
	"strings"
)

// An option is a bit of Shell.opts: an option of the set builtin.
type option uint32

const (
	optAllexport option = 1 << iota
	optBraceexpand
	optEmacs
	optErrexit
	optErrtrace
	optFunctrace
	optHashall
	optHistexpand
	optHistory
	optIgnoreeof
	optInteractiveComments
	optKeyword
	optMonitor
	optNoclobber
	optNoexec
	optNoglob
	optNolog
	optNotify
	optNounset
	optOnecmd
	optPhysical
	optPipefail
	optPosix
	optRestricted // not among those that set -o knows
	optPrivileged
	optVerbose
	optVi
	optXtrace
)

// setOptions has one row an option, in the order in which set -o lists them.
var setOptions = []struct {
	name   string
	letter byte
	bit    option
}{
	{"allexport", 'a', optAllexport}, {"braceexpand", 'B', optBraceexpand}, {"emacs", 0, optEmacs},
	{"errexit", 'e', optErrexit}, {"errtrace", 'E', optErrtrace}, {"functrace", 'T', optFunctrace},
	{"hashall", 'h', optHashall}, {"histexpand", 'H', optHistexpand}, {"history", 0, optHistory},
	{"ignoreeof", 0, optIgnoreeof}, {"interactive-comments", 0, optInteractiveComments},
	{"keyword", 'k', optKeyword}, {"monitor", 'm', optMonitor}, {"noclobber", 'C', optNoclobber},
	{"noexec", 'n', optNoexec}, {"noglob", 'f', optNoglob}, {"nolog", 0, optNolog},
	{"notify", 'b', optNotify}, {"nounset", 'u', optNounset}, {"onecmd", 't', optOnecmd},
	{"physical", 'P', optPhysical}, {"pipefail", 0, optPipefail}, {"posix", 0, optPosix},
	{"privileged", 'p', optPrivileged}, {"verbose", 'v', optVerbose}, {"vi", 0, optVi},
	{"xtrace", 'x', optXtrace},
}

const defaultOptions = optBraceexpand | optHashall | optInteractiveComments

// A shopt is a bit of Shell.shopts: an option of the shopt builtin.
type shopt uint64

// shoptNames are the options of shopt in the order in which it lists them; the
// bit of each is 1 shifted by its index.
var shoptNames = []string{
	"autocd", "assoc_expand_once", "cdable_vars", "cdspell", "checkhash", "checkjobs", "checkwinsize",
	"cmdhist", "compat31", "compat32", "compat40", "compat41", "compat42", "compat43", "compat44",
	"complete_fullquote", "direxpand", "dirspell", "dotglob", "execfail", "expand_aliases", "extdebug",
	"extglob", "extquote", "failglob", "force_fignore", "globasciiranges", "globskipdots", "globstar",
	"gnu_errfmt", "histappend", "histreedit", "histverify", "hostcomplete", "huponexit",
	"inherit_errexit", "interactive_comments", "lastpipe", "lithist", "localvar_inherit",
	"localvar_unset", "login_shell", "mailwarn", "no_empty_cmd_completion", "nocaseglob",
	"nocasematch", "noexpand_translation", "nullglob", "patsub_replacement", "progcomp",
	"progcomp_alias", "promptvars", "restricted_shell", "shift_verbose", "sourcepath",
	"varredir_close", "xpg_echo",
}

// shoptBit returns the bit of a shopt option, or 0 where there is none.
func shoptBit(name string) shopt {
	if i := slices.Index(shoptNames, name); i >= 0 {
		return 1 << i
	}
	return 0
}

var (
	shoptAssocExpandOnce   = shoptBit("assoc_expand_once")
	shoptCheckhash         = shoptBit("checkhash")
	shoptDotglob           = shoptBit("dotglob")
	shoptExecfail          = shoptBit("execfail")
	shoptExpandAliases     = shoptBit("expand_aliases")
	shoptExtdebug          = shoptBit("extdebug")
	shoptExtglob           = shoptBit("extglob")
	shoptFailglob          = shoptBit("failglob")
	shoptGlobskipdots      = shoptBit("globskipdots")
	shoptGlobstar          = shoptBit("globstar")
	shoptInheritErrexit    = shoptBit("inherit_errexit")
	shoptLastpipe          = shoptBit("lastpipe")
	shoptLocalvarInherit   = shoptBit("localvar_inherit")
	shoptLoginShell        = shoptBit("login_shell")
	shoptLocalvarUnset     = shoptBit("localvar_unset")
	shoptNocaseglob        = shoptBit("nocaseglob")
	shoptNocasematch       = shoptBit("nocasematch")
	shoptNullglob          = shoptBit("nullglob")
	shoptPatsubReplacement = shoptBit("patsub_replacement")
	shoptRestricted        = shoptBit("restricted_shell")
	shoptShiftVerbose      = shoptBit("shift_verbose")
	shoptSourcepath        = shoptBit("sourcepath")
	shoptXpgEcho           = shoptBit("xpg_echo")
)

// defaultShopts are those that a non-interactive bash starts with.
var defaultShopts = func() (bits shopt) {
	for _, name := range []string{"checkwinsize", "cmdhist", "complete_fullquote", "extquote", "force_fignore",
		"globasciiranges", "globskipdots", "hostcomplete", "interactive_comments", "patsub_replacement",
		"progcomp", "promptvars", "sourcepath"} {
		bits |= shoptBit(name)
	}
	return bits
}()

func (sh *Shell) is(o option) bool   { return sh.opts&o != 0 }
func (sh *Shell) shopt(o shopt) bool { return sh.shopts&o != 0 }
func (sh *Shell) interactive() bool  { return sh.startup.Interactive }
func (o option) count() int          { return bits.OnesCount32(uint32(o)) }
func (sh *Shell) fromStdin() bool    { return sh.startup.Stdin }
func (sh *Shell) fromCommand() bool  { return sh.startup.Command }

// setOption returns the option of set that has a letter, or 0.
func setOption(letter byte) option {
	if letter == 'r' {
		return optRestricted
	}
	for _, row := range setOptions {
		if row.letter == letter && letter != 0 {
			return row.bit
		}
	}
	return 0
}

// setShopt turns options of shopt on or off.
func (sh *Shell) setShopt(bits shopt, on bool) {
	bits &^= shoptRestricted // which tells what the shell is
	if on {
		sh.shopts |= bits
	} else {
		sh.shopts &^= bits
	}
}

func (sh *Shell) optionByName(name string) option {
	for _, row := range setOptions {
		if row.name == name {
			return row.bit
		}
	}
	return 0
}

// setOption turns an option of the set builtin on or off.
func (sh *Shell) setOption(o option, on bool) {
	if o&optRestricted != 0 {
		if on {
			sh.restrict()
		}
		return
	}
	if on {
		sh.opts |= o
	} else {
		sh.opts &^= o
	}
	if o&optPosix != 0 {
		sh.setPosix(on)
	}
	if o&optHistory != 0 && on {
		for _, name := range []string{"HISTSIZE", "HISTFILESIZE"} {
			if v := sh.own(sh.id(name)); v.flags&vSet == 0 {
				v.setText(sh, "500")
			}
		}
	}
	sh.refreshHooks()
}

// setPosix changes what else POSIX mode changes. Bash: inherit_errexit stays on
// afterwards.
func (sh *Shell) setPosix(on bool) {
	id := sh.id("POSIXLY_CORRECT")
	if v := sh.vars[id]; v.flags&vReadonly == 0 && on != (v.flags&vSet != 0) {
		v = sh.own(id)
		v.setText(sh, "y")
		if !on {
			v.str, v.flags = "", v.flags&(vHook|vDeclared)
		}
	}
	if on {
		sh.shopts |= shoptExpandAliases | shoptInheritErrexit | shoptShiftVerbose
		return
	}
	sh.shopts &^= shoptShiftVerbose
	sh.setShopt(shoptExpandAliases, sh.interactive())
}

// strict reports whether mistakes of special builtins and of assignments end the
// shell.
func (sh *Shell) strict() bool { return sh.opts&optPosix != 0 && !sh.interactive() }

// flags returns the value of $-.
func (sh *Shell) flags() string {
	var b strings.Builder
	for _, letter := range []byte("abefhkmnprtuvxBCEHPT") {
		if letter == 'r' && sh.is(optRestricted) {
			b.WriteByte('r')
		}
		for _, row := range setOptions {
			if row.letter == letter && sh.is(row.bit) {
				b.WriteByte(letter)
			}
		}
		if letter == 'h' && sh.interactive() {
			b.WriteByte('i')
		}
	}
	switch {
	case sh.fromCommand():
		b.WriteByte('c')
	case sh.fromStdin():
		b.WriteByte('s')
	}
	return b.String()
}

// shellopts returns the value of SHELLOPTS.
func (sh *Shell) shellopts() string {
	var names []string
	for _, row := range setOptions {
		if sh.is(row.bit) {
			names = append(names, row.name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ":")
}

// bashopts returns the value of BASHOPTS.
func (sh *Shell) bashopts() string {
	var names []string
	for i, name := range shoptNames {
		if sh.shopts&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ":")
}
