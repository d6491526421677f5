package koyeb

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// ErrNoToken is what [New] fails with where there is no token.
var ErrNoToken = errors.New("no token for Koyeb: set KOYEB_API_KEY or NUAGE_KOYEB_SANDBOX_API_TOKEN, or AGENTS_SDK_KOYEB_SANDBOX_API_TOKEN in a deployment")

// FindToken returns the token of the environment.
func FindToken() (string, error) {
	for _, name := range Tokens {
		if token := os.Getenv(name); token != "" {
			return token, nil
		}
	}
	return "", ErrNoToken
}

// An APIError is a refusal of the control plane.
type APIError struct {
	Status  int    `json:"-"` // of HTTP
	Code    any    `json:"code"`
	Message string `json:"message"`
	Fields  []struct {
		Field       string `json:"field"`
		Description string `json:"description"`
	} `json:"fields"`
}

// Error has what the control plane says.
func (e *APIError) Error() string {
	text := fmt.Sprintf("koyeb: %s (%d)", e.Message, e.Status)
	for _, f := range e.Fields {
		text += "; " + f.Field + ": " + f.Description
	}
	return text
}

// An api is the control plane.
type api struct {
	base   string
	token  string
	client *http.Client
}

// defaultAPI is the control plane of Koyeb.
const defaultAPI = "https://app.koyeb.com"

// newAPI returns the control plane of a configuration.
func newAPI(cfg Config) (*api, error) {
	a := &api{base: strings.TrimSuffix(cmp.Or(cfg.API, os.Getenv("KOYEB_API_HOST"), defaultAPI), "/"), token: cfg.Token, client: cfg.Client}
	if a.client == nil {
		a.client = &http.Client{}
	}
	if a.token == "" {
		var err error
		if a.token, err = FindToken(); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// longest bounds what is read of an answer.
const longest = 64 << 20

// call makes a request and decodes the answer.
func (a *api) call(ctx context.Context, method, path string, query url.Values, body, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, a.base+path+"?"+query.Encode(), bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+a.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := a.client.Do(req)
	if err != nil {
		return fmt.Errorf("koyeb: %w", err)
	}
	defer res.Body.Close()
	data, err = io.ReadAll(io.LimitReader(res.Body, longest))
	if err != nil {
		return fmt.Errorf("koyeb: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		e := &APIError{Status: res.StatusCode}
		if json.Unmarshal(data, e) != nil || e.Message == "" {
			e.Message = strings.TrimSpace(string(data[:min(len(data), 1000)]))
		}
		return e
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return fmt.Errorf("koyeb: an answer that is none: %w", err)
	}
	return nil
}

// hasStatus reports whether err is an APIError with a status.
func hasStatus(err error, status int) bool {
	e, ok := errors.AsType[*APIError](err)
	return ok && e.Status == status
}

// deleteApp deletes an app and what is in it.
func (a *api) deleteApp(ctx context.Context, id string) error {
	err := a.call(ctx, http.MethodDelete, "/v1/apps/"+url.PathEscape(id), nil, nil, nil)
	if hasStatus(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// appsNamed returns the ids of the apps with a name.
func (a *api) appsNamed(ctx context.Context, name string) ([]string, error) {
	var answer struct{ Apps []struct{ ID, Name string } }
	if err := a.call(ctx, http.MethodGet, "/v1/apps", url.Values{"name": {name}}, nil, &answer); err != nil {
		return nil, err
	}
	var ids []string
	for _, app := range answer.Apps {
		if app.Name == name {
			ids = append(ids, app.ID)
		}
	}
	return ids, nil
}
