// Command limpet runs Bash scripts in a sandbox.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/limpet-sh/limpet/adapters/isolate"
	"github.com/limpet-sh/limpet/builtins/git"
	"github.com/spf13/cobra"
)

func main() {
	isolate.Main(git.Commands()...)
	spareProcessor()
	os.Exit(execute(os.Args[1:]))
}

// spareProcessor gives a program that has one processor a second of the
// runtime's. Without an idle one the runtime takes the processor from every system call
// that lasts longer than 20 µs, and large reads and writes become a tenth slower.
func spareProcessor() {
	if runtime.GOMAXPROCS(0) == 1 && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(2)
	}
}

// statusUsage is the status of a command line that is wrong.
const statusUsage = 2

// execute runs a command line and returns its status.
func execute(args []string) int {
	status := 0
	root := &cobra.Command{
		Use:           "limpet",
		Short:         "a Bash sandbox",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(runCommand(&status), analyzeCommand(&status), replCommand(&status), toolsCommand(&status), mcpCommand(&status), serveCommand(&status), playgroundCommand(&status), manCommand(), fuzzCommand(&status), doctorCommand(&status), proxyCommand())
	if len(args) == 0 && isTerminal(os.Stdin) && isTerminal(os.Stdout) {
		args = []string{"repl"}
	}
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		fmt.Fprintf(os.Stderr, "limpet: %s\n", strings.TrimPrefix(err.Error(), "limpet: "))
		return statusUsage
	}
	return status
}
