package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "write manual pages of all commands to a directory",
		Example: `  limpet man /usr/local/share/man/man1
  limpet completion bash > /usr/share/bash-completion/completions/limpet`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			return writeManuals(cmd.Root(), args[0])
		},
	}
}

// writeManuals writes the page of a command and of those below it.
func writeManuals(cmd *cobra.Command, dir string) error {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(manual(cmd)), 0o644); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			if err := writeManuals(sub, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// manual returns the page of a command in the language of man(7).
func manual(cmd *cobra.Command) string {
	var b strings.Builder
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %s 1\n.SH NAME\n%s \\- %s\n", strings.ToUpper(escape(name)), escape(name), escape(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", escape(cmd.CommandPath()))
	if _, rest, ok := strings.Cut(cmd.Use, " "); ok {
		fmt.Fprintf(&b, "%s\n", escape(rest))
	}
	if cmd.Long != "" {
		fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", paragraphs(cmd.Long))
	}
	writeOptions(&b, cmd.NonInheritedFlags())
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", escape(cmd.Example))
	}
	if also := related(cmd); len(also) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(also, ",\n"))
	}
	return b.String()
}

func writeOptions(b *strings.Builder, flags *pflag.FlagSet) {
	first := true
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		if first {
			b.WriteString(".SH OPTIONS\n")
			first = false
		}
		name := `\-\-` + escape(f.Name)
		if f.Shorthand != "" {
			name = `\-` + f.Shorthand + ", " + name
		}
		value, usage := pflag.UnquoteUsage(f)
		if value != "" {
			value = `=\fI` + escape(value) + `\fR`
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR%s\n%s", name, value, escape(usage))
		if standard := f.DefValue; standard != "" && standard != "false" && standard != "[]" && standard != "0" && standard != "0s" {
			fmt.Fprintf(b, " (default %s)", escape(standard))
		}
		b.WriteString("\n")
	})
}

// related names the pages of the command above, and of those below.
func related(cmd *cobra.Command) (list []string) {
	add := func(c *cobra.Command) {
		list = append(list, fmt.Sprintf("\\fB%s\\fR(1)", escape(strings.ReplaceAll(c.CommandPath(), " ", "-"))))
	}
	if cmd.HasParent() {
		add(cmd.Parent())
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			add(sub)
		}
	}
	return list
}

// paragraphs returns text as paragraphs of a page.
func paragraphs(text string) string {
	return strings.ReplaceAll(escape(strings.TrimSpace(text)), "\n\n", "\n.PP\n")
}

// escape returns text that has no meaning to the formatter.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
