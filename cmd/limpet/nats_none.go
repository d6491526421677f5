//go:build !natsd

package main

import "fmt"

// startNATS fails: the server would make the program a quarter larger, and the start of all commands slower.
func startNATS(string, string) (string, func(), error) {
	return "", nil, fmt.Errorf("--nats %s: this program was built without a NATS server; build it with -tags natsd, or give the URL of one", embedded)
}
