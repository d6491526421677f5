package interp

import "strings"

// getoptState is where getopts stands.
type getoptState struct {
	index int // OPTIND
	place int // in the word at index, for bundled options
}

func builtinGetopts(sh *Shell, args []string) ctl {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) < 2 {
		return sh.usage("getopts")
	}
	spec, name := args[0], args[1]
	words := args[2:]
	if len(args) == 2 {
		words = sh.params
	}
	silent := strings.HasPrefix(spec, ":")
	quiet := silent || sh.get("OPTERR") == "0"
	g := &sh.getopt
	g.index = min(g.index, len(words)+1)
	finish := func(value string, status int) ctl {
		v := sh.own(idOPTIND)
		v.setText(sh, itoa(int64(g.index)))
		sh.assigned("OPTIND", v.str)
		sh.assigned(name, value)
		if !isName(name) {
			sh.complain("getopts", "`%s': not a valid identifier", name)
			return sh.done(1)
		}
		if !sh.forCommand(func() bool { return sh.set(name, value) }) {
			return sh.done(1)
		}
		return sh.done(status)
	}
	if g.place == 0 {
		if g.index > len(words) || len(words[g.index-1]) < 2 || words[g.index-1][0] != '-' {
			sh.unsetVariable(sh.id("OPTARG"))
			return finish("?", 1)
		}
		if words[g.index-1] == "--" {
			g.index++
			sh.unsetVariable(sh.id("OPTARG"))
			return finish("?", 1)
		}
		g.place = 1
	}
	if g.index > len(words) || g.place >= len(words[g.index-1]) {
		g.place = 0
		return finish("?", 1)
	}
	word := words[g.index-1]
	letter := word[g.place]
	g.place++
	at := strings.IndexByte(spec, letter)
	next := func() {
		if g.place >= len(word) {
			g.index, g.place = g.index+1, 0
		}
	}
	if at < 0 || letter == ':' {
		next()
		if silent {
			sh.set("OPTARG", string(letter))
		} else {
			sh.unsetVariable(sh.id("OPTARG"))
			if !quiet {
				sh.rawMessage("%s: illegal option -- %c", sh.name, letter)
			}
		}
		return finish("?", 0)
	}
	if at+1 >= len(spec) || spec[at+1] != ':' {
		next()
		sh.unsetVariable(sh.id("OPTARG"))
		return finish(string(letter), 0)
	}
	switch {
	case g.place < len(word):
		sh.set("OPTARG", word[g.place:])
		g.index, g.place = g.index+1, 0
	case g.index < len(words):
		sh.set("OPTARG", words[g.index])
		g.index, g.place = g.index+2, 0
	default:
		g.index, g.place = g.index+1, 0
		if silent {
			sh.set("OPTARG", string(letter))
			return finish(":", 0)
		}
		sh.unsetVariable(sh.id("OPTARG"))
		if !quiet {
			sh.rawMessage("%s: option requires an argument -- %c", sh.name, letter)
		}
		return finish("?", 0)
	}
	return finish(string(letter), 0)
}
