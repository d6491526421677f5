package interp

import "strings"

// hasTilde reports whether literal text holds a tilde to expand. A tilde and the
// name after it reach up to a slash, a colon, or the end of the word: what is quoted or expanded behind them makes them literal.
func hasTilde(s string, ctx wordContext, first, last bool) bool {
	const stops = "/:"
	if first && strings.HasPrefix(s, "~") && (last || strings.ContainsAny(s, stops)) {
		return true
	}
	i := strings.LastIndex(s, ":~")
	return ctx&inAssign != 0 && i >= 0 && (last || strings.ContainsAny(s[i+1:], stops))
}

// tilde compiles literal text that holds tildes to expand.
func (c *compiler) tilde(s string, ctx wordContext) text {
	words := []string{s}
	if ctx&inAssign != 0 {
		words = strings.Split(s, ":")
	}
	return func(sh *Shell) string {
		var b strings.Builder
		for i, w := range words {
			if i > 0 {
				b.WriteByte(':')
			}
			b.WriteString(sh.expandTilde(w, ctx))
		}
		return b.String()
	}
}

// expandTilde expands the tilde at the start of literal text.
func (sh *Shell) expandTilde(w string, ctx wordContext) string {
	if strings.HasPrefix(w, "~") {
		name, rest := w[1:], ""
		if i := strings.IndexAny(name, "/:"); i >= 0 {
			name, rest = name[:i], name[i:]
		}
		if dir, ok := sh.homeOf(name); ok {
			if strings.HasSuffix(dir, "/") && strings.HasPrefix(rest, "/") {
				dir = dir[:len(dir)-1]
			}
			return quoted(dir, ctx) + unescape(rest, ctx)
		}
	}
	return unescape(w, ctx)
}

// homeOf returns what ~name stands for.
func (sh *Shell) homeOf(name string) (string, bool) {
	switch name {
	case "":
		if id, ok := sh.names.lookup("HOME"); ok && id < len(sh.vars) && sh.vars[id].isSet() {
			return sh.vars[id].text(sh), true
		}
		return sh.cfg.User.Home, true
	case "+":
		return sh.dir, true
	case "-":
		if v := sh.lookup("OLDPWD"); v.isSet() {
			return v.text(sh), true
		}
		return "", false
	case sh.cfg.User.Name:
		return sh.cfg.User.Home, true
	case "root":
		return "/root", true
	}
	if n, ok := plainInt(strings.TrimPrefix(name, "+")); ok {
		list := sh.dirStack()
		if strings.HasPrefix(name, "-") {
			n += int64(len(list)) - 1
		}
		if n >= 0 && n < int64(len(list)) {
			return list[n], true
		}
	}
	return "", false
}
