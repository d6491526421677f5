package interp

import "github.com/limpet-sh/limpet/vfs"

// mapfile reads lines into an array.
func (sh *Shell) mapfile(cmd string, args []string) ctl {
	opts, args, ok := sh.options(cmd, args, "d:u:n:O:ts:C:c:")
	if !ok {
		return ctlNone
	}
	delim, fd, count, origin, skip, quantum := byte('\n'), int64(0), int64(0), int64(0), int64(0), int64(5000)
	trim, keep, callback := false, false, ""
	for _, o := range opts {
		number := func(p *int64, what string) bool {
			n, ok := builtinInt(o.value)
			if !ok || n < 0 {
				sh.complain(cmd, "%s: invalid %s", o.value, what)
				return false
			}
			*p = n
			return true
		}
		ok := true
		switch o.letter {
		case 'd':
			delim = 0
			if o.value != "" {
				delim = o.value[0]
			}
		case 't':
			trim = true
		case 'u':
			ok = number(&fd, "file descriptor specification")
		case 'n':
			ok = number(&count, "line count")
		case 'O':
			ok = number(&origin, "array origin")
			keep = true
		case 's':
			ok = number(&skip, "line count")
		case 'C':
			callback = o.value
		case 'c':
			if ok = number(&quantum, "callback quantum"); ok && quantum == 0 {
				sh.complain(cmd, "%s: invalid callback quantum", o.value)
				ok = false
			}
		}
		if !ok {
			return sh.done(1)
		}
	}
	name := "MAPFILE"
	if len(args) > 0 {
		name = args[0]
	}
	if !isName(name) {
		sh.complain(cmd, "`%s': not a valid identifier", name)
		return sh.done(1)
	}
	f := sh.fd(int(fd))
	if f == nil && fd == 0 { // Bash: standard input is not looked at
		f = newOpenFile(nullStream{})
	}
	if f == nil {
		sh.complain(cmd, "%d: invalid file descriptor: %v", fd, vfs.EBADF)
		return sh.done(1)
	}
	id := sh.id(name)
	if v := sh.resolve(id); v.flags&vAssoc != 0 {
		sh.complain(cmd, "%s: not an indexed array", name)
		return sh.done(1)
	}
	var v *variable
	sh.forCommand(func() bool { v = sh.writableArray(id); return v != nil })
	if v == nil {
		return sh.done(1)
	}
	if !keep {
		sh.hold(-v.arr.size())
		v.arr = &array{}
	}
	v.flags |= vSet
	in := &byteReader{sh: sh, ctx: sh.proc.ctx, stream: f.Stream, delim: int(delim)}
	defer in.unread()
	next, n := origin, int64(0)
	for count == 0 || n < count {
		line, found := sh.mapLine(in, delim)
		if sh.pending != ctlNone {
			return ctlNone
		}
		if !found && len(line) == 0 {
			break
		}
		if skip > 0 {
			skip--
			continue
		}
		if !trim && found {
			line = append(line, delim)
		}
		n++
		text := upToNUL(string(line))
		if callback != "" && n%quantum == 0 {
			sh.evalString(callback+" "+itoa(next)+" "+quoteArg(text), cmd)
		}
		if v = sh.writableArray(id); v == nil || !sh.setElement(v, next, element{str: text, kind: textElement}) {
			return sh.done(1)
		}
		next++
		if !found {
			break
		}
	}
	return sh.done(0)
}

// mapLine reads one line without its delimiter, and reports whether it had one.
func (sh *Shell) mapLine(in *byteReader, delim byte) ([]byte, bool) {
	var line []byte
	for {
		b, err := in.next()
		if err != nil {
			return line, false
		}
		if b == delim {
			return line, true
		}
		if sh.steps--; sh.steps < 0 && sh.poll() != ctlNone {
			return line, false
		}
		line = append(line, b)
		if len(line)&0xffff == 0xffff && !sh.fits(2*len(line)) {
			return line, false
		}
	}
}
