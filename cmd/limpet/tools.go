package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/limpet-sh/limpet/tools"
	"github.com/spf13/cobra"
)

// toolsCommand is limpet tools.
func toolsCommand(status *int) *cobra.Command {
	var format string
	var prompt bool
	var disabled []string
	var background bool
	var f sandboxFlags
	cmd := &cobra.Command{
		Use:   "tools [flags]",
		Short: "print the tools that models are given",
		Long: `Print the tools that a model is given, as the API of a provider wants them, or a
text for its system prompt, for a sandbox with the given limits.`,
		Example: `  limpet tools --format anthropic
  limpet tools --disable 'process.*' --format openai
  limpet tools --prompt --limits hardened`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			*status = statusUsage
			cfg, err := f.config()
			if err != nil {
				return err
			}
			cfg.Background = background
			sh, err := f.open(cfg)
			if err != nil {
				return err
			}
			defer sh.Close()
			box, err := tools.New(sh, tools.Config{Disabled: disabled})
			if err != nil {
				return err
			}
			defer box.Close()
			if prompt {
				*status = 0
				_, err = fmt.Fprint(os.Stdout, box.Prompt())
				return err
			}
			data, err := tools.Render(format, box.Tools())
			if err != nil {
				return err
			}
			var pretty bytes.Buffer
			_ = json.Indent(&pretty, data, "", "  ") // it was just written
			*status = 0
			_, err = fmt.Fprintln(os.Stdout, pretty.String())
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&format, "format", "mcp", "the `FORMAT`: "+strings.Join(tools.Formats(), ", "))
	flags.BoolVar(&prompt, "prompt", false, "print a text for the system prompt instead")
	flags.StringArrayVar(&disabled, "disable", nil, "leave out tools whose names match a `PATTERN` such as process.*")
	flags.BoolVar(&background, "background", true, "with the tools for processes in the background")
	f.register(flags, "default")
	return cmd
}
