package interp

import "strings"

// assignsThrough are the builtins whose assignments to a variable that is assigned before
// them reach the variable that this hides too.
var assignsThrough = map[string]bool{"printf": true, "getopts": true, "let": true, "export": true, "command": true, "builtin": true}

// A through is an assignment that a builtin has made.
type through struct{ name, value string }

// assignThrough begins to note what a builtin assigns. What it returns brings back the
// variables that are hidden since there were mark of them, and repeats the assignments to
// them. Those of let and export are not noted: they show in the values.
func (sh *Shell) assignThrough(mark int, name string) func() {
	var list []through
	outer := sh.through
	sh.through = &list
	before := map[int]string{}
	for _, l := range sh.locals[mark:] {
		before[l.id] = sh.vars[l.id].text(sh)
	}
	return func() {
		sh.through = outer
		for id, old := range before {
			if s := sh.vars[id].text(sh); s != old && (name == "let" || name == "export") {
				list = append(list, through{sh.names.name(id), s})
			}
		}
		sh.unwindPrefix(mark)
		if sh.pending != ctlNone {
			return
		}
		for _, t := range list {
			name, _, _ := strings.Cut(t.name, "[")
			if _, hidden := before[sh.id(name)]; hidden {
				sh.setElementOrName("", t.name, t.value)
			}
		}
	}
}

// assigned notes an assignment of a builtin.
func (sh *Shell) assigned(name, value string) {
	if sh.through != nil {
		*sh.through = append(*sh.through, through{name, value})
	}
}
