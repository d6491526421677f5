package interp

import "strings"

// restrict makes the shell a restricted one, for good. (bash manual, The Restricted
// Shell)
func (sh *Shell) restrict() {
	if sh.is(optRestricted) {
		return
	}
	sh.opts |= optRestricted
	sh.shopts |= shoptRestricted
	for _, name := range []string{"PATH", "SHELL", "ENV", "BASH_ENV", "HISTFILE"} {
		sh.own(sh.id(name)).flags |= vReadonly
	}
}

// isRestricted reports whether the shell is restricted, and says so in the name of a
// builtin.
func (sh *Shell) isRestricted(name string) bool {
	if !sh.is(optRestricted) {
		return false
	}
	sh.complain(name, "restricted")
	sh.status = 1
	return true
}

// restrictedPath reports whether a restricted shell refuses a name that has a slash.
func (sh *Shell) restrictedPath(name string) bool {
	return sh.is(optRestricted) && strings.Contains(name, "/")
}
