package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/tools"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Mount returns the tools of another server of the Model Context Protocol as commands for
// a shell: the programs /mcp/NAME/TOOL. Set, unless it is nil, may change each of them:
// its time limit, its approval, its log. The session remains the caller's.
func Mount(ctx context.Context, name string, session *sdk.ClientSession, set func(*tools.Function)) ([]*builtins.Command, error) {
	if name == "" || strings.ContainsAny(name, "/\x00") {
		return nil, fmt.Errorf("mcp: %q is no name for a directory", name)
	}
	var commands []*builtins.Command
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		in := &jsonschema.Schema{}
		data, err := json.Marshal(tool.InputSchema)
		if err == nil {
			err = json.Unmarshal(data, in)
		}
		if err != nil {
			return nil, fmt.Errorf("mcp: %s: input schema: %w", tool.Name, err)
		}
		f := tools.Function{
			Name: "mcp/" + name + "/" + strings.ReplaceAll(tool.Name, "/", "_"), Description: tool.Description, Input: in,
			Call: func(ctx context.Context, args json.RawMessage) (any, error) {
				return callRemote(ctx, session, tool.Name, args)
			},
		}
		if set != nil {
			set(&f)
		}
		commands = append(commands, f.Command())
	}
	return commands, nil
}

// callRemote calls a tool of another server. The result is its structured content or, where
// it has none, its text, as JSON if it is that.
func callRemote(ctx context.Context, session *sdk.ClientSession, name string, args json.RawMessage) (any, error) {
	res, err := session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for _, c := range res.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	switch {
	case res.IsError:
		return nil, errors.New(text.String())
	case res.StructuredContent != nil:
		return res.StructuredContent, nil
	case len(res.Content) == 1 && json.Valid([]byte(text.String())):
		return json.RawMessage(text.String()), nil
	case text.Len() > 0:
		return text.String(), nil
	}
	return res.Content, nil
}
