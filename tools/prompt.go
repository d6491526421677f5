package tools

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet"
)

// Prompt returns text for a system prompt: what the sandbox of these tools is, as it is
// configured, and how to use it.
func (b *Toolbox) Prompt() string {
	d := limpet.Describe(b.sandbox)
	var p strings.Builder
	if limpet.AccessOf(b.sandbox) == limpet.AccessNone {
		return "You have no sandbox: no shell and no files.\n"
	}
	fmt.Fprintf(&p, "You have a sandbox. Scripts run %s. The workspace is %s; names that are not absolute are relative to it.\n", d.Where, b.sandbox.Workspace())
	fmt.Fprintf(&p, "Network: %s can be reached.\n", d.Network)
	b.promptBash(&p, d)
	b.promptFiles(&p)
	if secrets := limpet.SecretsOf(b.sandbox); len(secrets) > 0 {
		fmt.Fprintf(&p, "These variables hold secrets, for commands to use: %s. You are shown their names instead of their values.\n", strings.Join(slices.Sorted(maps.Keys(secrets)), " "))
	}
	if len(d.Limits) > 0 {
		p.WriteString("Limits of one command:")
		for i, l := range d.Limits {
			if l.Value != "unlimited" {
				fmt.Fprintf(&p, "%s %s %s", map[bool]string{false: ",", true: ""}[i == 0], l.Name, l.Value)
			}
		}
		p.WriteString(".\n")
	}
	return p.String()
}

func (b *Toolbox) promptBash(p *strings.Builder, d limpet.Description) {
	if b.byName["bash"] == nil {
		p.WriteString("There is no shell.\n")
		return
	}
	if b.cfg.Independent {
		p.WriteString("Files persist from one command to the next; the directory, variables, aliases and functions do not.\n")
	} else {
		p.WriteString("Files persist from one command to the next, and so do the directory, variables and functions.\n")
	}
	if d.Commands != nil {
		fmt.Fprintf(p, "There are these programs and no others, besides the builtins of bash; each has --help: %s.\n", strings.Join(plainNames(d.Commands), " "))
		var missing []string
		for _, name := range []string{"python3", "node", "git", "curl"} {
			if !slices.Contains(d.Commands, name) {
				missing = append(missing, name)
			}
		}
		if len(missing) > 0 {
			fmt.Fprintf(p, "There is no %s.\n", strings.Join(missing, ", no "))
		}
		p.WriteString("The shell is bash 5.2: pipes, redirections, arrays, functions, here-documents, process substitution, jobs and traps work.\n")
	}
	if b.byName["process_start"] == nil {
		p.WriteString("Commands cannot go on in the background from one call to the next.\n")
	} else {
		p.WriteString("For servers and other commands that go on, use process_start.\n")
	}
}

func (b *Toolbox) promptFiles(p *strings.Builder) {
	if b.byName["read_file"] != nil {
		fmt.Fprintf(p, "The file tools work below %s.", strings.Join(b.cfg.Roots, ", "))
		if b.byName["grep"] == nil && b.byName["bash"] != nil {
			p.WriteString(" Search with bash: rg, grep and find.")
		}
		p.WriteString("\n")
	}
}

// plainNames leaves out what is no word.
func plainNames(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "[" || strings.Contains(n, "/") })
}
