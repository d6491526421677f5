package interp

import (
	"errors"
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
)

// reserved are the words that mean something at the beginning of a command.
var reserved = map[string]bool{
	"if": true, "then": true, "else": true, "elif": true, "fi": true, "case": true, "esac": true, "for": true, "select": true,
	"while": true, "until": true, "do": true, "done": true, "function": true, "time": true, "coproc": true,
	"{": true, "}": true, "!": true, "[[": true,
}

// misreadAt returns what puts src, the text from the beginning of a command on, into the
// form that bash misreads it in: the end of a word to be quoted, a reserved one or the name
// in front of a list; or 0 and whether the first of two parentheses is one alone. Bash: when
// the text of an eval ends within a quote, its reader takes the next line for the rest of a
// command.
func misreadAt(src string) (word int, subshell bool) {
	if strings.HasPrefix(src, "((") {
		return 0, true
	}
	end := strings.IndexAny(src, " \t\n;&|()<>")
	switch {
	case end <= 0:
		return 0, false
	case reserved[src[:end]]:
		return end, false
	case src[end] == '(' && src[end-1] == '=' && isTarget(strings.TrimSuffix(src[:end-1], "+")):
		return end, false
	}
	return 0, false
}

// misreadAs returns what src, which follows in a script, is to bash, and the word in it that
// has been quoted.
func (sh *Shell) misreadAs(src string) (as, word string) {
	sh.misread = false
	end, subshell := misreadAt(src)
	switch {
	case subshell:
		return "( " + src[1:], ""
	case end > 0:
		return `\` + src, src[:end]
	}
	return src, ""
}

// readMisread reads what follows group i of a script, where bash misreads it.
func (sh *Shell) readMisread(u *unit, i int) (prog *parse.Program, err error, ok bool) {
	end := u.prog.LineEnds()[i]
	rest := u.prog.Source[end:]
	as, word := sh.misreadAs(rest)
	if as == rest {
		return nil, nil, false
	}
	prog, err = parse.FileContext(sh.proc.ctx, u.prog.Source[:end]+as, end, sh.parseMode())
	return prog, unquoted(err, word), true
}

// unquoted returns err without the backslash that has been put in front of a word.
func unquoted(err error, word string) error {
	var syn *parse.SyntaxError
	if word == "" || !errors.As(err, &syn) {
		return err
	}
	shown := *syn
	shown.Messages = nil
	for _, m := range syn.Messages {
		m.Text = strings.Replace(m.Text, "`\\"+word, "`"+word, 1)
		shown.Messages = append(shown.Messages, m)
	}
	return &shown
}
