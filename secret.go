package limpet

import (
	"fmt"
	"maps"
	"slices"
)

// A SecretHolder is a sandbox that was given secrets.
type SecretHolder interface{ Secrets() map[string]string }

// SecretsOf returns the secrets that s was given: the values of variables by their
// names. Package tools shows the names where a result has a value.
//
// That is a guard against accidents. A script can read its variables and print them in
// a form that nobody recognizes, or cut in two; and they are part of the state of a
// session, and of what [Checkpoint.Save] writes of it. A secret that scripts must not
// know belongs into a binding of the network policy.
func SecretsOf(s Sandbox) map[string]string {
	if h, ok := s.(SecretHolder); ok {
		return h.Secrets()
	}
	return nil
}

// shortestSecret is how long a value has to be to be told from other text.
const shortestSecret = 6

// CheckSecrets fails where a secret could not be kept from anybody, for those who
// implement a sandbox.
func CheckSecrets(secrets map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		if len(secrets[name]) < shortestSecret {
			return &OptionError{Option: "Secrets", Text: fmt.Sprintf("the value of the secret %s has fewer than %d bytes and cannot be told from other text: make it an ordinary variable", name, shortestSecret)}
		}
	}
	return nil
}

// Secrets returns those of the configuration.
func (sh *Shell) Secrets() map[string]string { return maps.Clone(sh.cfg.Secrets) }
