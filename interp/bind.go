package interp

// builtinBind accepts key bindings, which have no effect where no lines are
// edited, and says so as bash does.
func builtinBind(sh *Shell, args []string) ctl {
	if !sh.interactive() {
		sh.complain("bind", "warning: line editing not enabled")
	}
	opts, args, ok := sh.options("bind", args, "lvpVPsSXf:q:u:m:r:x:")
	if !ok {
		return ctlNone
	}
	for _, o := range opts {
		if o.letter == 'q' || o.letter == 'u' {
			sh.complain("bind", "`%s': unknown function name", o.value)
			return sh.done(1)
		}
	}
	_ = args
	return sh.done(0)
}
