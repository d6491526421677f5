package interp

import "slices"

// argCounts and argValues are BASH_ARGC and BASH_ARGV, which extdebug keeps.
func (sh *Shell) argCounts() []string {
	if !sh.shopt(shoptExtdebug) {
		if !sh.knowsBase() {
			return nil
		}
		return []string{itoa(int64(len(sh.baseArgs)))}
	}
	n := len(sh.frames)
	list := make([]string, 0, n+1)
	params := sh.params
	for i := n - 1; i >= 0; i-- {
		list = append(list, itoa(int64(len(params))))
		params = sh.frames[i].params
	}
	return append(list, itoa(int64(len(params))))
}

// knowsBase reports whether BASH_ARGV has the arguments of the script without extdebug:
// once it has been looked at outside of functions.
func (sh *Shell) knowsBase() bool {
	if !sh.baseKnown && len(sh.frames) == 0 {
		sh.baseArgs, sh.baseKnown = sh.params, true
	}
	return sh.baseKnown
}

// startDebugger looks for bash's debugger, which is not there.
func (sh *Shell) startDebugger() {
	sh.knowsBase()
	sh.rawMessage("%s: /usr/share/bashdb/bashdb-main.inc: No such file or directory", sh.name)
	sh.rawMessage("%s: warning: cannot start debugger; debugging mode disabled", sh.name)
}

func (sh *Shell) argValues() []string {
	var list []string
	if !sh.shopt(shoptExtdebug) {
		if sh.knowsBase() {
			list = slices.Clone(sh.baseArgs)
			slices.Reverse(list)
		}
		return list
	}
	add := func(params []string) {
		for i := len(params) - 1; i >= 0; i-- {
			list = append(list, params[i])
		}
	}
	params := sh.params
	for i := len(sh.frames) - 1; i >= 0; i-- {
		add(params)
		params = sh.frames[i].params
	}
	add(params)
	return list
}
