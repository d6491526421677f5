package interp

import (
	"path"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

func directoryBuiltins() []*builtin {
	return []*builtin{
		{name: "cd", usage: "[-L|[-P [-e]] [-@]] [dir]", run: builtinCd},
		{name: "pwd", usage: "[-LP]", run: builtinPwd},
		{name: "pushd", usage: "[-n] [+N | -N | dir]", run: builtinPushd},
		{name: "popd", usage: "[-n] [+N | -N]", run: builtinPopd},
		{name: "dirs", usage: "[-clpv] [+N] [-N]", run: builtinDirs},
	}
}

func builtinCd(sh *Shell, args []string) ctl {
	if sh.isRestricted("cd") {
		return ctlNone
	}
	opts, args, ok := sh.options("cd", args, "LPe@")
	if !ok {
		return ctlNone
	}
	physical := sh.is(optPhysical)
	for _, o := range opts {
		switch o.letter {
		case 'P':
			physical = true
		case 'L':
			physical = false
		}
	}
	if len(args) > 1 {
		sh.complain("cd", "too many arguments")
		return sh.done(1)
	}
	show := false
	var target string
	switch {
	case len(args) == 0:
		v := sh.lookup("HOME")
		if !v.isSet() {
			sh.complain("cd", "HOME not set")
			return sh.done(1)
		}
		if target = v.text(sh); target == "" {
			return sh.done(0)
		}
	case args[0] == "-":
		v := sh.lookup("OLDPWD")
		if !v.isSet() {
			sh.complain("cd", "OLDPWD not set")
			return sh.done(1)
		}
		target, show = v.text(sh), true
	default:
		target = args[0]
	}
	dir, viaPath, err := sh.cdTarget(target, physical, len(args) > 0 && args[0] != "-")
	if err != nil {
		sh.complain("cd", "%s: %v", target, err)
		return sh.done(1)
	}
	if !sh.moveTo(dir) {
		return sh.done(1)
	}
	if show || viaPath {
		if !sh.print("cd", dir+"\n") {
			return ctlNone
		}
	}
	return sh.done(0)
}

// moveTo makes dir the working directory, which it is known to be able to.
func (sh *Shell) moveTo(dir string) bool {
	old := sh.get("PWD")
	sh.dir = dir
	return sh.forCommand(func() bool {
		ok := sh.set("OLDPWD", old)
		return sh.set("PWD", dir) && ok
	})
}

// cdTarget returns the directory that cd means by name, through CDPATH where use
// allows it.
func (sh *Shell) cdTarget(name string, physical, use bool) (dir string, viaPath bool, err error) {
	if use && name != "" && name[0] != '/' && name != "." && name != ".." && !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") {
		if v := sh.lookup("CDPATH"); v.isSet() && v.text(sh) != "" {
			for _, p := range strings.Split(v.text(sh), ":") {
				full := strings.TrimSuffix(p, "/") + "/" + name
				if p == "" {
					full = name
				}
				if dir, err := sh.resolveDir(full, physical); err == nil {
					return dir, p != "", nil
				}
			}
		}
	}
	dir, err = sh.resolveDir(name, physical)
	return dir, false, err
}

// resolveDir returns the absolute name of a directory: with its symbolic links
// where physical is false.
func (sh *Shell) resolveDir(name string, physical bool) (string, error) {
	v := sh.view()
	full := name
	if name == "" {
		full = sh.dir
	} else if name[0] != '/' {
		full = strings.TrimSuffix(sh.dir, "/") + "/" + name
	}
	if !physical {
		if clean, err := sh.logical(v, full); err == nil {
			return clean, nil
		}
	}
	info, err := v.Stat(full)
	if err != nil {
		return "", vfs.ErrnoOf(err)
	}
	if !info.IsDir() {
		return "", vfs.ENOTDIR
	}
	if !sh.access(info, 1) {
		return "", vfs.EACCES
	}
	return sh.physicalDir(v, full)
}

// logical takes "." and ".." out of a name by its text, as long as every
// directory on the way exists.
func (sh *Shell) logical(v *vfs.View, full string) (string, error) {
	clean := "/"
	for _, part := range strings.Split(full, "/") {
		switch part {
		case "", ".":
			continue
		case "..":
			if info, err := v.Stat(clean); err != nil || !info.IsDir() {
				return "", vfs.ENOENT
			}
			clean = path.Dir(clean)
			continue
		}
		clean = strings.TrimSuffix(clean, "/") + "/" + part
	}
	info, err := v.Stat(clean)
	switch {
	case err != nil:
		return "", vfs.ErrnoOf(err)
	case !info.IsDir():
		return "", vfs.ENOTDIR
	case !sh.access(info, 1):
		return "", vfs.EACCES
	}
	return clean, nil
}

// physicalDir returns the name of a directory without symbolic links.
func (sh *Shell) physicalDir(v *vfs.View, full string) (string, error) {
	resolved := "/"
	parts := strings.Split(full, "/")
	for links := 0; len(parts) > 0; {
		part := parts[0]
		parts = parts[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			resolved = path.Dir(resolved)
			continue
		}
		next := strings.TrimSuffix(resolved, "/") + "/" + part
		target, err := v.Readlink(next)
		if err != nil {
			resolved = next
			continue
		}
		if links++; links > 40 {
			return "", vfs.ELOOP
		}
		if strings.HasPrefix(target, "/") {
			resolved = "/"
		}
		parts = append(strings.Split(target, "/"), parts...)
	}
	return resolved, nil
}

func builtinPwd(sh *Shell, args []string) ctl {
	opts, _, ok := sh.options("pwd", args, "LP")
	if !ok {
		return ctlNone
	}
	physical := sh.is(optPhysical)
	for _, o := range opts {
		physical = o.letter == 'P'
	}
	dir := sh.dir
	if physical {
		var err error
		if dir, err = sh.physicalDir(sh.view(), sh.dir); err != nil {
			sh.complain("pwd", "%v", err)
			return sh.done(1)
		}
	}
	if !sh.print("pwd", dir+"\n") {
		return ctlNone
	}
	return sh.done(0)
}

// dirStack returns the directory stack, the working directory first.
func (sh *Shell) dirStack() []string { return append([]string{sh.dir}, sh.stack...) }

// dirStackShown is DIRSTACK: the stack with ~ for the home directory.
func (sh *Shell) dirStackShown() []string {
	list := sh.dirStack()
	for i := range list {
		list[i] = sh.tildeDir(list[i])
	}
	return list
}

// tildeDir writes ~ for the home directory.
func (sh *Shell) tildeDir(dir string) string {
	home := sh.get("HOME")
	if home != "" && home != "/" && (dir == home || strings.HasPrefix(dir, home+"/")) {
		return "~" + dir[len(home):]
	}
	return dir
}

// stackArg parses +N and -N.
func stackArg(arg string, size int) (index int, is, ok bool) {
	if len(arg) < 2 || arg[0] != '+' && arg[0] != '-' {
		return 0, false, true
	}
	n, isNum := plainInt(arg[1:])
	if !isNum {
		return 0, false, true
	}
	i := int(n)
	if arg[0] == '-' {
		i = size - 1 - i
	}
	return i, true, i >= 0 && i < size
}

func builtinPushd(sh *Shell, args []string) ctl {
	if sh.isRestricted("pushd") {
		return ctlNone
	}
	noMove := false
	for len(args) > 0 && (args[0] == "-n" || args[0] == "--") {
		noMove = noMove || args[0] == "-n"
		args = args[1:]
	}
	list := sh.dirStack()
	if len(args) == 0 {
		if noMove {
			return sh.done(0)
		}
		if len(list) < 2 {
			sh.complain("pushd", "no other directory")
			return sh.done(1)
		}
		list[0], list[1] = list[1], list[0]
		return sh.changeStack("pushd", list, noMove)
	}
	if len(args) > 1 {
		sh.complain("pushd", "too many arguments")
		return sh.done(1)
	}
	if i, is, ok := stackArg(args[0], len(list)); is {
		if !ok {
			if len(list) == 1 {
				sh.complain("pushd", "directory stack empty")
			} else {
				sh.complain("pushd", "%s: directory stack index out of range", args[0])
			}
			return sh.done(1)
		}
		list = append(append([]string{}, list[i:]...), list[:i]...)
		return sh.changeStack("pushd", list, noMove)
	}
	if len(args[0]) > 1 && args[0][0] == '-' && args[0] != "-" {
		sh.complain("pushd", "%s: invalid number", args[0])
		return sh.usage("pushd")
	}
	target := args[0]
	if target == "-" {
		target = sh.get("OLDPWD")
	}
	if noMove {
		if !sh.setStack(append([]string{target}, sh.stack...)) {
			return sh.take()
		}
		return sh.showStack("pushd")
	}
	dir, _, err := sh.cdTarget(target, sh.is(optPhysical), true)
	if err != nil {
		sh.complain("pushd", "%s: %v", target, err)
		return sh.done(1)
	}
	return sh.changeStack("pushd", append([]string{dir}, list...), false)
}

// changeStack makes list the directory stack and moves to its first.
func (sh *Shell) changeStack(name string, list []string, noMove bool) ctl {
	if !noMove {
		dir, err := sh.resolveDir(list[0], sh.is(optPhysical))
		if err != nil {
			sh.complain(name, "%s: %v", list[0], err)
			return sh.done(1)
		}
		sh.moveTo(dir)
	}
	if !sh.setStack(append([]string{}, list[1:]...)) {
		return sh.take()
	}
	return sh.showStack(name)
}

func (sh *Shell) showStack(name string) ctl {
	if !sh.print(name, strings.Join(sh.dirStackShown(), " ")+"\n") {
		return ctlNone
	}
	return sh.done(0)
}

func builtinPopd(sh *Shell, args []string) ctl {
	noMove := false
	for len(args) > 0 && (args[0] == "-n" || args[0] == "--") {
		noMove = noMove || args[0] == "-n"
		args = args[1:]
	}
	list := sh.dirStack()
	i := 0
	if len(args) > 0 {
		n, is, ok := stackArg(args[0], len(list))
		if !is {
			sh.complain("popd", "%s: invalid argument", args[0])
			return sh.usage("popd")
		}
		if !ok && len(list) > 1 {
			sh.complain("popd", "%s: directory stack index out of range", args[0])
			return sh.done(1)
		}
		i = n
	}
	if len(list) == 1 {
		sh.complain("popd", "directory stack empty")
		return sh.done(1)
	}
	if i == 0 && noMove {
		i = 1
	}
	list = append(append([]string{}, list[:i]...), list[i+1:]...)
	return sh.changeStack("popd", list, i != 0)
}

func builtinDirs(sh *Shell, args []string) ctl {
	var clearStack, long, lines, numbers bool
	list := sh.dirStack()
	for _, a := range args {
		if i, is, ok := stackArg(a, len(list)); is {
			if !ok && len(list) == 1 {
				sh.complain("dirs", "directory stack empty")
				return sh.done(1)
			}
			if !ok {
				sh.complain("dirs", "%s: directory stack index out of range", strings.TrimLeft(a, "+-"))
				return sh.done(1)
			}
			list = list[i : i+1]
			continue
		}
		if len(a) < 2 || a[0] != '-' {
			sh.complain("dirs", "%s: invalid option", a)
			return sh.usage("dirs")
		}
		for _, letter := range a[1:] {
			switch letter {
			case 'c':
				clearStack = true
			case 'l':
				long = true
			case 'p':
				lines = true
			case 'v':
				lines, numbers = true, true
			default:
				sh.complain("dirs", "%s: invalid number", a)
				return sh.usage("dirs")
			}
		}
	}
	if clearStack {
		sh.setStack(nil)
		return sh.done(0)
	}
	var b strings.Builder
	for i, dir := range list {
		if !long {
			dir = sh.tildeDir(dir)
		}
		switch {
		case numbers:
			n := itoa(int64(i))
			b.WriteString(strings.Repeat(" ", max(0, 2-len(n))) + n + "  " + dir + "\n")
		case lines:
			b.WriteString(dir + "\n")
		case i > 0:
			b.WriteString(" " + dir)
		default:
			b.WriteString(dir)
		}
	}
	if !lines {
		b.WriteString("\n")
	}
	if !sh.print("dirs", b.String()) {
		return ctlNone
	}
	return sh.done(0)
}
