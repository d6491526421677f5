package interp

import (
	"fmt"
	"io/fs"
	"strings"
)

func miscBuiltins() []*builtin {
	return []*builtin{
		{name: "times", special: true, usage: "", run: builtinTimes},
		{name: "umask", usage: "[-p] [-S] [mode]", run: builtinUmask},
		{name: "ulimit", usage: "[-SHabcdefiklmnpqrstuvxPRT] [limit]", run: builtinUlimit},
		{name: "help", usage: "[-dms] [pattern ...]", run: builtinHelp},
		{name: "history", usage: "[-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]", run: builtinHistory},
		{name: "fc", usage: "[-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]", run: builtinFc},
		{name: "bind", usage: "[-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] [keyseq:readline-function or readline-command]", run: builtinBind},
	}
}

func builtinTimes(sh *Shell, args []string) ctl {
	if _, _, ok := sh.options("times", args, ""); !ok {
		return ctlNone
	}
	sh.print("times", "0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n")
	return sh.done(0)
}

func builtinUmask(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("umask", args, "pS")
	if !ok {
		return ctlNone
	}
	reusable, symbolic := false, false
	for _, o := range opts {
		switch o.letter {
		case 'p':
			reusable = true
		case 'S':
			symbolic = true
		}
	}
	if len(args) == 0 {
		text := fmt.Sprintf("%04o", sh.umask)
		if symbolic {
			text = symbolicMask(sh.umask)
		}
		if reusable {
			if symbolic {
				text = "umask -S " + text
			} else {
				text = "umask " + text
			}
		}
		if !sh.print("umask", text+"\n") {
			return ctlNone
		}
		return sh.done(0)
	}
	mask, ok := sh.parseMask(args[0])
	if !ok {
		return sh.done(1)
	}
	sh.umask = mask
	if symbolic {
		sh.print("umask", symbolicMask(mask)+"\n")
	}
	return sh.done(0)
}

func symbolicMask(mask fs.FileMode) string {
	var parts []string
	for i, who := range []string{"u", "g", "o"} {
		bits := ^mask >> (6 - 3*i) & 7
		s := who + "="
		for j, c := range "rwx" {
			if bits&(4>>j) != 0 {
				s += string(c)
			}
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ",")
}

// parseMask parses an octal mask or a symbolic mode.
func (sh *Shell) parseMask(s string) (fs.FileMode, bool) {
	if s != "" && s[0] >= '0' && s[0] <= '9' {
		n := fs.FileMode(0)
		for _, c := range s {
			if c < '0' || c > '7' || n > 0o7777 {
				sh.complain("umask", "%s: octal number out of range", s)
				return 0, false
			}
			n = n*8 + fs.FileMode(c-'0')
		}
		if n > 0o7777 {
			sh.complain("umask", "%s: octal number out of range", s)
			return 0, false
		}
		return n & 0o777, true
	}
	allowed := ^sh.umask & 0o777
	for _, clause := range strings.Split(s, ",") {
		rest := strings.TrimLeft(clause, "ugoa")
		who := clause[:len(clause)-len(rest)]
		if who == "" || strings.Contains(who, "a") {
			who = "ugo"
		}
		if rest == "" || strings.IndexByte("+-=", rest[0]) < 0 {
			bad := byte(0)
			if rest != "" {
				bad = rest[0]
			}
			sh.complain("umask", "`%c': invalid symbolic mode operator", bad)
			return 0, false
		}
		bits := fs.FileMode(0)
		for _, p := range rest[1:] {
			i := strings.IndexRune("xwr", p)
			if i < 0 {
				sh.complain("umask", "`%c': invalid symbolic mode character", p)
				return 0, false
			}
			bits |= 1 << i
		}
		for i, w := range "ugo" {
			if !strings.ContainsRune(who, w) {
				continue
			}
			shift := 6 - 3*i
			switch rest[0] {
			case '+':
				allowed |= bits << shift
			case '-':
				allowed &^= bits << shift
			case '=':
				allowed = allowed&^(7<<shift) | bits<<shift
			}
		}
	}
	return ^allowed & 0o777, true
}
