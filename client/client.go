// Package client speaks to limpet serve: it makes sessions on a server, runs scripts in them
// and reads and writes their files.
//
//	c := client.Client{URL: "http://127.0.0.1:8080", Token: token}
//	s, err := c.Create(ctx, client.Spec{})
//	res, err := c.Exec(ctx, s.ID, client.Request{Script: "echo hello"})
//
// What the server refuses is a [*Problem].
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// A Client speaks to one server. It may be used from many goroutines.
type Client struct {
	URL   string       // of the server, such as http://127.0.0.1:8080
	Token string       // the bearer token
	HTTP  *http.Client // nil means http.DefaultClient
}

// A Problem is what a server says of a request that has failed. (RFC 9457)
type Problem struct {
	Status int    `json:"status"`
	Type   string `json:"type"` // such as TypeRepeated
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Errors []struct {
		Message  string `json:"message"`
		Location string `json:"location"`
	} `json:"errors"`
}

// Error returns the status and what the server says.
func (p *Problem) Error() string {
	text := fmt.Sprintf("limpet serve: %d %s: %s", p.Status, p.Title, p.Detail)
	for _, e := range p.Errors {
		text += fmt.Sprintf("; %s: %s", e.Location, e.Message)
	}
	return text
}

// do makes a request, whose answer has succeeded. The caller closes its body.
func (c *Client) do(ctx context.Context, method, path string, body io.Reader, kind string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.URL, "/")+"/v1/sessions"+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Token)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	hc := c.HTTP
	if hc == nil {
		hc = http.DefaultClient
	}
	resp, err := hc.Do(req)
	if err != nil || resp.StatusCode < 400 {
		return resp, err
	}
	defer resp.Body.Close()
	p := &Problem{}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(p); err != nil {
		p.Detail = "no reason was given" // by something between us and the server
	}
	p.Status, p.Title = resp.StatusCode, http.StatusText(resp.StatusCode)
	return nil, p
}

// call makes a request with JSON in and JSON out, either of which may be nil.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	kind := ""
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body, kind = bytes.NewReader(data), "application/json"
	}
	resp, err := c.do(ctx, method, path, body, kind)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

// fetch makes a request for bytes.
func (c *Client) fetch(ctx context.Context, path string) ([]byte, error) {
	resp, err := c.do(ctx, "GET", path, nil, "")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func at(id string, more ...string) string {
	path := "/" + url.PathEscape(id)
	for _, m := range more {
		path += "/" + url.PathEscape(m)
	}
	return path
}

func query(name, value string) string { return "?" + url.Values{name: {value}}.Encode() }

// Create makes a session.
func (c *Client) Create(ctx context.Context, spec Spec) (s Session, err error) {
	return s, c.call(ctx, "POST", "", spec, &s)
}

// Sessions lists the sessions of the client.
func (c *Client) Sessions(ctx context.Context) (list []Session, err error) {
	return list, c.call(ctx, "GET", "", nil, &list)
}

// Session shows a session.
func (c *Client) Session(ctx context.Context, id string) (s Session, err error) {
	return s, c.call(ctx, "GET", at(id), nil, &s)
}

// Delete deletes a session and ends what runs in it.
func (c *Client) Delete(ctx context.Context, id string) error {
	return c.call(ctx, "DELETE", at(id), nil, nil)
}

// Fork makes a session that goes on from where one is.
func (c *Client) Fork(ctx context.Context, id string) (s Session, err error) {
	return s, c.call(ctx, "POST", at(id, "fork"), nil, &s)
}

// Exec runs a script and waits for it. An error that is no Problem says that the answer was
// missed: [Client.Session] tells what has become of the script.
func (c *Client) Exec(ctx context.Context, id string, req Request) (res Result, err error) {
	return res, c.call(ctx, "POST", at(id, "exec"), req, &res)
}

// ReadFile returns the content of a file.
func (c *Client) ReadFile(ctx context.Context, id, name string) ([]byte, error) {
	return c.fetch(ctx, at(id, "files")+query("path", name))
}

// WriteFile writes a file, and makes the directories that it is in.
func (c *Client) WriteFile(ctx context.Context, id, name string, data []byte) error {
	return c.send(ctx, "PUT", at(id, "files")+query("path", name), data, nil)
}

// send makes a request with bytes.
func (c *Client) send(ctx context.Context, method, path string, data []byte, out any) error {
	resp, err := c.do(ctx, method, path, bytes.NewReader(data), "application/octet-stream")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

// Remove removes a file, or a directory and what is below it.
func (c *Client) Remove(ctx context.Context, id, name string) error {
	return c.call(ctx, "DELETE", at(id, "files")+query("path", name), nil, nil)
}

// ReadDir lists a directory.
func (c *Client) ReadDir(ctx context.Context, id, name string) (list []Entry, err error) {
	return list, c.call(ctx, "GET", at(id, "directory")+query("path", name), nil, &list)
}

// Changes returns what has become of the files since a snapshot, or since the session
// began where that is empty.
func (c *Client) Changes(ctx context.Context, id, since string) (list []Change, err error) {
	return list, c.call(ctx, "GET", at(id, "changes")+query("since", since), nil, &list)
}

// Patch returns the same as a unified patch.
func (c *Client) Patch(ctx context.Context, id, since string) ([]byte, error) {
	return c.fetch(ctx, at(id, "patch")+query("since", since))
}

// Snapshot notes what a session is.
func (c *Client) Snapshot(ctx context.Context, id string) (s Snapshot, err error) {
	return s, c.call(ctx, "POST", at(id, "snapshots"), nil, &s)
}

// Download returns a snapshot, for [Spec].State.
func (c *Client) Download(ctx context.Context, id, snapshot string) ([]byte, error) {
	return c.fetch(ctx, at(id, "snapshots", snapshot))
}

// Restore makes a session what it was at a snapshot.
func (c *Client) Restore(ctx context.Context, id, snapshot string) error {
	return c.call(ctx, "POST", at(id, "snapshots", snapshot, "restore"), nil, nil)
}

// RemoveSnapshot removes a snapshot.
func (c *Client) RemoveSnapshot(ctx context.Context, id, snapshot string) error {
	return c.call(ctx, "DELETE", at(id, "snapshots", snapshot), nil, nil)
}

// Start starts a command in the background of a session that was made with Background.
func (c *Client) Start(ctx context.Context, id string, req ProcessRequest) (p Process, err error) {
	return p, c.call(ctx, "POST", at(id, "processes"), req, &p)
}

// Processes lists the processes of a session.
func (c *Client) Processes(ctx context.Context, id string) (list []Process, err error) {
	return list, c.call(ctx, "GET", at(id, "processes"), nil, &list)
}

// Output returns what a process has printed from an offset on. It waits up to some seconds for
// something new.
func (c *Client) Output(ctx context.Context, id, process string, offset int64, wait float64) (o ProcessOutput, err error) {
	q := url.Values{"offset": {strconv.FormatInt(offset, 10)}, "wait": {strconv.FormatFloat(wait, 'f', -1, 64)}}
	return o, c.call(ctx, "GET", at(id, "processes", process, "output")+"?"+q.Encode(), nil, &o)
}

// Input writes to the standard input of a process, and returns how many bytes it has taken.
func (c *Client) Input(ctx context.Context, id, process string, data []byte) (n int, err error) {
	return n, c.send(ctx, "POST", at(id, "processes", process, "input"), data, &n)
}

// Stop ends a process.
func (c *Client) Stop(ctx context.Context, id, process string) (p Process, err error) {
	return p, c.call(ctx, "DELETE", at(id, "processes", process), nil, &p)
}
