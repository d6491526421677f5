package netpolicy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"strings"
)

// A fileForm is the form of a file of rules.
type fileForm struct {
	All      bool          `json:"all"`
	Allow    []string      `json:"allow"`
	Rules    []fileRule    `json:"rules"`
	Loopback []uint16      `json:"loopback"`
	Bindings []fileBinding `json:"bindings"`
}

type fileRule struct {
	Scheme   string       `json:"scheme"`
	Host     string       `json:"host"`
	CIDR     netip.Prefix `json:"cidr"`
	Port     uint16       `json:"port"`
	Methods  []string     `json:"methods"`
	Path     string       `json:"path"`
	Rate     float64      `json:"rate"`
	Burst    int          `json:"burst"`
	Requests int64        `json:"requests"`
	Bytes    int64        `json:"bytes"`
}

// A fileBinding is a binding whose secret is in a variable of the environment of
// the host.
type fileBinding struct {
	Host        string      `json:"host"`
	Header      string      `json:"header"`
	Value       string      `json:"value"` // with {secret} for the secret
	Placeholder string      `json:"placeholder"`
	GitHub      *fileGitHub `json:"github"`
	Mistral     bool        `json:"mistral"`
	Env         string      `json:"env"`
}

type fileGitHub struct {
	Repositories []string `json:"repositories"`
	All          bool     `json:"all"`
	Write        bool     `json:"write"`
}

// Parse reads a policy from a file of rules, which is JSON:
//
//	{
//	  "all": false,
//	  "allow": ["pypi.org"],
//	  "rules": [{"host": ".example.com", "methods": ["GET"], "path": "/v1", "rate": 10}],
//	  "loopback": [8080],
//	  "bindings": [
//	    {"host": "api.example.com", "header": "Authorization", "value": "Bearer {secret}", "env": "EXAMPLE_KEY"},
//	    {"host": "api.example.org", "placeholder": "API_TOKEN", "env": "EXAMPLE_TOKEN"},
//	    {"github": {"repositories": ["owner/name"], "write": false}, "env": "GH_TOKEN"},
//	    {"mistral": true, "env": "MISTRAL_API_KEY"}
//	  ]
//	}
//
// The fields of a rule are those of [Rule]. A file has no secrets: each binding
// names the variable, of the host, that has its secret, and lookup finds it.
// Fields that are not known are errors.
func Parse(data []byte, lookup func(name string) (string, bool)) (Policy, error) {
	var f fileForm
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return Policy{}, fmt.Errorf("network rules: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return Policy{}, fmt.Errorf("network rules: text after the end")
	}
	p, err := Allow(f.Allow...)
	if err != nil {
		return Policy{}, err
	}
	p.Everything, p.Loopback = f.All, f.Loopback
	for _, r := range f.Rules {
		p.Rules = append(p.Rules, Rule(r))
	}
	for i, b := range f.Bindings {
		binding, err := b.binding(lookup)
		if err != nil {
			return Policy{}, fmt.Errorf("network rules: binding %d: %w", i+1, err)
		}
		p.Bindings = append(p.Bindings, binding)
	}
	return p, nil
}

func (b fileBinding) binding(lookup func(string) (string, bool)) (Binding, error) {
	secret, ok := lookup(b.Env)
	if !ok || secret == "" {
		return nil, fmt.Errorf("the variable %q, which has the secret, is not set", b.Env)
	}
	header := b.Host != "" || b.Header != "" || b.Value != "" || b.Placeholder != ""
	switch {
	case b.GitHub != nil && !header && !b.Mistral:
		return GitHubBinding{Repositories: b.GitHub.Repositories, AllRepositories: b.GitHub.All, Write: b.GitHub.Write, Token: secret}, nil
	case b.Mistral && !header && b.GitHub == nil:
		return MistralApiBinding{Key: secret}, nil
	case b.GitHub != nil || b.Mistral || b.Host == "":
		return nil, fmt.Errorf("want one of host, github and mistral")
	}
	value := secret
	if b.Value != "" {
		value = strings.ReplaceAll(b.Value, "{secret}", secret)
	}
	h := HeaderBinding{Host: b.Host, Name: b.Header, Value: value, Env: b.Placeholder}
	return h, h.check()
}
