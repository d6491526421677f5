//go:build !js

// Command playground is the sandbox as a WebAssembly module: see main.go.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "playground: this program is for a web page; build it with GOOS=js GOARCH=wasm, or run limpet playground")
	os.Exit(1)
}
