package fuzz

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/builtins/all"
)

//go:embed commands.grammar
var commandsGrammar string

// CommandGrammar returns the grammar of scripts that run commands, with options
// and on inputs that are generated. Its features are the names of the commands. The
// options are those that the commands declare: one that is added is generated without
// further ado, with values that the comment at the head of commands.grammar speaks of.
var CommandGrammar = sync.OnceValue(func() *Grammar {
	g, err := ParseGrammar(addCommands(commandsGrammar, all.Commands()))
	if err != nil {
		panic(err) // it is part of the program
	}
	return g
})

// addCommands adds to the text of a grammar what the commands declare of which it
// says how they are run.
func addCommands(text string, commands []*builtins.Command) string {
	given := nonterminals(text)
	var b strings.Builder
	b.WriteString(text)
	b.WriteString("\ncommand\n")
	var options strings.Builder
	for _, c := range commands {
		if given["run "+c.Name] == nil {
			continue
		}
		list := optionRules(c, given)
		if list == nil {
			fmt.Fprintf(&b, "\t1 %s | %[1]s«run %[1]s»\n", c.Name)
			continue
		}
		fmt.Fprintf(&b, "\t1 %s | %[1]s«options %[1]s»«run %[1]s»\n", c.Name)
		fmt.Fprintf(&options, "options %s\n", c.Name)
		for weight, count := range []int{4: 1, 3: 0, 2: 2, 1: 4} {
			if weight > 0 {
				fmt.Fprintf(&options, "\t%d | %s\n", weight, strings.Repeat("«option "+c.Name+"»", count))
			}
		}
		fmt.Fprintf(&options, "option %s\n\t1 | %s\n", c.Name, strings.Join(list, "\n\t1 | "))
	}
	return b.String() + options.String()
}

// optionRules returns the alternatives of an option of c: each of its names, with a
// value where it takes one.
func optionRules(c *builtins.Command, given map[string][]string) (rules []string) {
	never := given["never "+c.Name]
	for _, o := range builtins.Describe(c) {
		var names []string
		for _, s := range o.Short {
			names = append(names, "-"+s)
		}
		for _, l := range o.Long {
			names = append(names, "--"+l)
		}
		if isInfo(o) || slices.ContainsFunc(names, func(n string) bool { return slices.Contains(never, n) }) {
			continue
		}
		value := valueOf(c, o, names, given)
		for _, n := range names {
			rules = append(rules, optionForms(n, value, o.Optional)...)
		}
	}
	return rules
}

// isInfo reports whether an option prints texts, which are our own.
func isInfo(o *builtins.Option) bool {
	return strings.HasPrefix(o.Help, "print this help") || strings.HasPrefix(o.Help, "print the version")
}

// valueOf returns the nonterminal of the values of an option, or "".
func valueOf(c *builtins.Command, o *builtins.Option, names []string, given map[string][]string) string {
	if o.Value == "" {
		return ""
	}
	for _, n := range append(names, o.Value) {
		if own := c.Name + " " + n; given[own] != nil {
			return "«" + own + "»"
		}
	}
	if general := "value " + o.Value; given[general] != nil {
		return "«" + general + "»"
	}
	return "«value»"
}

// optionForms returns the ways to write an option of one name.
func optionForms(name, value string, optional bool) []string {
	long := strings.HasPrefix(name, "--")
	switch {
	case value == "":
		return []string{" " + name}
	case optional && long:
		return []string{" " + name, " " + name + "=" + value}
	case optional:
		return []string{" " + name, " " + name + value}
	case long:
		return []string{" " + name + "=" + value}
	}
	return []string{" " + name + " " + value, " " + name + value}
}

// nonterminals returns the texts of the alternatives of each nonterminal.
func nonterminals(text string) map[string][]string {
	found := map[string][]string{}
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] != '\t':
			name = line
		default:
			_, rule, _ := strings.Cut(line, "| ")
			found[name] = append(found[name], rule)
		}
	}
	return found
}
