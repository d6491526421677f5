package main

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

// A listenFlags is the part of a command line that says where to serve.
type listenFlags struct {
	address string
	remote  bool
}

// listen opens the address, which is one of this machine alone unless the user says
// otherwise. The flag is the one that named it.
func (f *listenFlags) listen(flag string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(f.address)
	if err != nil {
		return nil, fmt.Errorf("%s %s: want HOST:PORT", flag, f.address)
	}
	ip := net.ParseIP(host)
	if !f.remote && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%s %s: others could reach that; --remote allows it", flag, f.address)
	}
	return net.Listen("tcp", f.address)
}

// A tokenFlags is the part of a command line that says what clients must know.
type tokenFlags struct {
	file     string
	variable string // of the host, which has the token
}

func (f *tokenFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "token-file", "", "the token that clients need is in `FILE`")
}

// get returns the token: that of the file or of the variable, or a random one, which it
// prints.
func (f *tokenFlags) get() (string, error) {
	if f.file != "" {
		data, err := os.ReadFile(f.file)
		if err != nil {
			return "", err
		}
		if token := strings.TrimSpace(string(data)); token != "" {
			return token, nil
		}
		return "", fmt.Errorf("--token-file %s: it is empty", f.file)
	}
	if token := os.Getenv(f.variable); token != "" {
		return token, nil
	}
	token := rand.Text()
	fmt.Fprintf(os.Stderr, "limpet: the token is %s\n", token)
	return token, nil
}
