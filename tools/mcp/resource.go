package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/tools"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ownSandbox stands for the sandbox of a session in the names of resources.
const ownSandbox = "self"

// addResources makes files resources.
func (s *Server) addResources() {
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "file", Title: "A file of a sandbox", URITemplate: "sandbox://{sandbox_id}/{+path}",
		Description: "A file: the sandbox_id, or self for that of the session, and the path without the slash at its beginning.",
	}, s.readResource)
}

func (s *Server) readResource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	rest, ok := strings.CutPrefix(req.Params.URI, "sandbox://")
	id, name, isFile := strings.Cut(rest, "/")
	path, err := url.PathUnescape("/" + name)
	if !ok || !isFile || err != nil {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	if strings.EqualFold(id, ownSandbox) {
		id = ""
	}
	r, release, err := s.room(ctx, req.Session, id)
	if err != nil {
		return nil, err
	}
	defer release()
	args, err := json.Marshal(map[string]string{"path": path, "encoding": "base64"})
	if err != nil {
		return nil, err
	}
	res := r.box.Call(ctx, tools.Call{Name: "read_file", Arguments: args})
	if res.Error != nil {
		if strings.HasPrefix(res.Error.Message, "File not found") {
			return nil, sdk.ResourceNotFoundError(req.Params.URI)
		}
		return nil, res.Error
	}
	var file struct {
		Content  string `json:"content"`
		MIMEType string `json:"mime_type"`
	}
	if err := json.Unmarshal(res.JSON(), &file); err != nil {
		return nil, fmt.Errorf("read_file: %w", err)
	}
	data, err := base64.StdEncoding.DecodeString(file.Content)
	if err != nil {
		return nil, fmt.Errorf("read_file: %w", err)
	}
	c := &sdk.ResourceContents{URI: req.Params.URI, MIMEType: file.MIMEType}
	if utf8.Valid(data) {
		c.Text = r.box.Mask(string(data))
	} else {
		c.Blob = data
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
}
