// Command limpet runs Bash scripts in a sandbox.
package main

import (
	"os"
)

func main() { os.Exit(run(os.Args[1:])) }
