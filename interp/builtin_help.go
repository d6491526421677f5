package interp

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/pattern"
)

// helpText has what help tells of each command: its name, for what is no builtin " = "
// and the synopsis, a summary, and after an empty line more. A period ends it.
//
//go:embed help.txt
var helpText string

// A topic is what help tells of a command.
type topic struct {
	name, synopsis, summary string
	lines                   []string // the summary and what follows it
}

// topics returns the topics, in order.
func (sh *Shell) topics() []topic {
	var list []topic
	for block := range strings.SplitSeq(strings.TrimSuffix(helpText, "\n.\n"), "\n.\n") {
		lines := strings.Split(block, "\n")
		name, synopsis, ok := strings.Cut(lines[0], " = ")
		if !ok {
			synopsis = strings.TrimSpace(name + " " + sh.names.builtin(name).usage)
		}
		list = append(list, topic{name: name, synopsis: synopsis, summary: lines[1], lines: lines[1:]})
	}
	return list
}

// builtinHelp shows what builtins and keywords do.
func builtinHelp(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("help", args, "dms")
	if !ok {
		return ctlNone
	}
	form := (*topic).full
	for _, o := range opts {
		switch o.letter {
		case 'd':
			form = (*topic).description
		case 's':
			form = (*topic).usage
		case 'm':
			form = (*topic).manual
		}
	}
	topics := sh.topics()
	if len(args) == 0 {
		sh.print("help", sh.helpList(topics))
		return sh.done(0)
	}
	var b strings.Builder
	if pattern.HasMeta(args[0], true) {
		plural := ""
		if len(args) > 1 {
			plural = "s"
		}
		b.WriteString("Shell commands matching keyword" + plural + " `" + strings.Join(args, ", ") + "'\n\n")
	}
	status := 0
	for _, p := range args {
		found := sh.topicsFor(topics, p)
		for i := range found {
			b.WriteString(form(&found[i]))
		}
		if len(found) == 0 {
			sh.complain("help", "no help topics match `%s'.  Try `help help' or `man -k %s' or `info %s'.", p, p, p)
			status = 1
		}
	}
	if !sh.print("help", b.String()) {
		return ctlNone
	}
	return sh.done(status)
}

// topicsFor returns the topics that p names: those that it matches as a pattern, the one
// of that name, or those that begin so.
func (sh *Shell) topicsFor(topics []topic, p string) []topic {
	choose := func(matches func(name string) bool) (list []topic) {
		for _, t := range topics {
			if matches(t.name) {
				list = append(list, t)
			}
		}
		return list
	}
	if pattern.HasMeta(p, true) {
		return choose(func(name string) bool { return sh.matches(p, name) })
	}
	if list := choose(func(name string) bool { return name == p }); len(list) > 0 {
		return list
	}
	return choose(func(name string) bool { return strings.HasPrefix(name, p) })
}

func (t *topic) usage() string       { return t.name + ": " + t.synopsis + "\n" }
func (t *topic) description() string { return t.name + " - " + t.summary + "\n" }

func (t *topic) full() string { return t.usage() + indented(t.lines) }

func (t *topic) manual() string {
	return "NAME\n    " + t.description() + "\nSYNOPSIS\n    " + t.synopsis + "\n\nDESCRIPTION\n" + indented(t.lines) +
		"\nSEE ALSO\n    bash(1)\n\nIMPLEMENTATION\n    GNU bash, version " + version + " (x86_64-pc-linux-gnu)\n"
}

func indented(lines []string) string {
	return "    " + strings.Join(lines, "\n    ") + "\n"
}

// helpList returns the list of all topics, in two columns of half a screen each.
func (sh *Shell) helpList(topics []topic) string {
	const width = 40
	cell := func(t topic, room int) string {
		mark := " "
		if sh.disabled[t.name] {
			mark = "*"
		}
		if len(t.synopsis) > room {
			return mark + t.synopsis[:room-1] + ">"
		}
		return mark + t.synopsis
	}
	var b strings.Builder
	b.WriteString("GNU bash, version " + version + " (x86_64-pc-linux-gnu)\n" +
		"These commands belong to the shell itself.  `help name' tells more of one of them.\n" +
		"A star (*) is in front of those that are turned off.\n\n")
	list := slices.Clone(topics)
	half := (len(list) + 1) / 2
	for i := range half {
		left := cell(list[i], width-2)
		b.WriteString(left)
		if half+i < len(list) {
			b.WriteString(strings.Repeat(" ", width-len(left)) + cell(list[half+i], width-3))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
