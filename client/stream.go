package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// Stream runs a script and copies what it prints to the writers, when it prints it. The
// result has no output.
func (c *Client) Stream(ctx context.Context, id string, req Request, stdout, stderr io.Writer) (res Result, err error) {
	data, err := json.Marshal(req)
	if err != nil {
		return res, err
	}
	resp, err := c.do(ctx, "POST", at(id, "exec", "stream"), bytes.NewReader(data), "application/json")
	if err != nil {
		return res, err
	}
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	for {
		name, data, err := event(r)
		if err != nil {
			return res, fmt.Errorf("limpet serve: the answer ends early: %w", err)
		}
		switch name {
		case "stdout":
			err = copyChunk(stdout, data)
		case "stderr":
			err = copyChunk(stderr, data)
		case "result":
			return res, json.Unmarshal(data, &res)
		case "failure":
			p := &Problem{}
			if err := json.Unmarshal(data, p); err != nil {
				return res, err
			}
			return res, p
		}
		if err != nil {
			return res, err
		}
	}
}

// event reads one event: lines up to an empty one.
func event(r *bufio.Reader) (name string, data []byte, err error) {
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return "", nil, noEnd(err)
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		if len(line) == 0 {
			return name, data, nil
		}
		if rest, ok := bytes.CutPrefix(line, []byte("event: ")); ok {
			name = string(rest)
		}
		if rest, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			data = rest
		}
	}
}

// noEnd says that the end of a stream came too early.
func noEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func copyChunk(w io.Writer, data []byte) error {
	var c Chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	_, err := w.Write(c.Data())
	return err
}
