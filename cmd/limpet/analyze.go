package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet"
	"github.com/spf13/cobra"
)

// analyzeCommand returns limpet analyze.
func analyzeCommand(status *int) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "analyze FILE",
		Short: "say what a script would do, without running it",
		Long: `Analyze prints what a script names: a line for each command with its arguments, each file
that a redirection opens, each function, variable that is set and use of the network, and
each thing that cannot be known without running it. FILE is - for standard input. The
status is 1 where there is something that cannot be known.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) (err error) {
			*status, err = analyze(os.Stdout, args[0], asJSON)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// statusOpaque is the status of analyze where something cannot be known.
const statusOpaque = 1

func analyze(w io.Writer, name string, asJSON bool) (status int, err error) {
	var script []byte
	if name == "-" {
		script, err = io.ReadAll(os.Stdin)
	} else {
		script, err = os.ReadFile(name)
	}
	if err != nil {
		return statusUsage, err
	}
	a, err := limpet.Analyze(string(script))
	if err != nil {
		return statusUsage, err
	}
	if len(a.Opaque) > 0 {
		status = statusOpaque
	}
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return status, e.Encode(a)
	}
	_, err = io.WriteString(w, analysisText(a))
	return status, err
}

// analysisText returns an analysis in lines.
func analysisText(a *limpet.Analysis) string {
	var b strings.Builder
	line := func(at limpet.Position, kind, text string) { fmt.Fprintf(&b, "%v: %s: %s\n", at, kind, text) }
	for _, c := range a.Commands {
		words := []string{strconv.Quote(c.Name)}
		if c.Name == "" {
			words[0] = "?"
		}
		for _, w := range c.Args {
			words = append(words, wordText(w))
		}
		if c.More {
			words = append(words, "...")
		}
		if c.Function {
			words = append(words, "(a function of the script)")
		}
		if c.Via != "" {
			words = append(words, "(run by "+c.Via+")")
		}
		line(c.Position, "command", strings.Join(words, " "))
	}
	for _, r := range a.Redirections {
		line(r.Position, r.Mode, wordText(r.Target))
	}
	for _, n := range a.Functions {
		line(n.Position, "function", strconv.Quote(n.Name))
	}
	for _, n := range a.Variables {
		line(n.Position, "variable", strconv.Quote(n.Name))
	}
	for _, n := range a.Network {
		line(n.Position, "network", strings.TrimSuffix(n.Command+" "+n.Target, " "))
	}
	for _, o := range a.Opaque {
		line(o.Position, "opaque", strconv.Quote(o.Reason))
	}
	return b.String()
}

// wordText returns a word as it is printed: in quotes where its value is known, and
// else its source, neither of which can be taken for something else.
func wordText(w limpet.AnalyzedWord) string {
	if w.Known {
		return strconv.Quote(w.Text)
	}
	quoted := strconv.Quote(w.Text)
	return "<" + quoted[1:len(quoted)-1] + ">"
}
