package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// formats are how providers want tools to be described.
var formats = map[string]func([]*Tool) any{
	"openai":            func(list []*Tool) any { return each(list, renderFunction) },
	"mistral":           func(list []*Tool) any { return each(list, renderFunction) },
	"anthropic":         func(list []*Tool) any { return each(list, renderAnthropic) },
	"anthropic-builtin": renderBuiltin,
	"mcp":               func(list []*Tool) any { return each(list, renderMCP) },
}

// Formats returns the names that [Render] knows.
func Formats() []string {
	var names []string
	for name := range formats {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Render returns the JSON by which a provider is told of tools: openai, which is that
// of chat completions, mistral, anthropic, anthropic-builtin, with the tools for bash
// and text that Claude is trained on in place of ours (see [Toolbox.CallAnthropic]),
// or mcp. Where names may have no dots they are the flat ones.
func Render(format string, list []*Tool) ([]byte, error) {
	render := formats[format]
	if render == nil {
		return nil, fmt.Errorf("unknown format %q: want one of %s", format, strings.Join(Formats(), ", "))
	}
	return marshal(render(list)), nil
}

func each(list []*Tool, render func(*Tool) any) []any {
	out := make([]any, len(list))
	for i, t := range list {
		out[i] = render(t)
	}
	return out
}

type functionTool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Parameters  any    `json:"parameters"` // a schema
}

func renderFunction(t *Tool) any {
	var in any = t.Input
	if len(t.Input.Properties) == 0 { // which the library leaves out, and providers demand
		in = map[string]any{"type": "object", "properties": map[string]any{}, "additionalProperties": false}
	}
	return functionTool{"function", function{t.Flat, t.Description, in}}
}

type anthropicTool struct {
	Type        string             `json:"type,omitempty"`
	Name        string             `json:"name"`
	Description string             `json:"description,omitempty"`
	InputSchema *jsonschema.Schema `json:"input_schema,omitempty"`
}

func renderAnthropic(t *Tool) any {
	return anthropicTool{Name: t.Flat, Description: t.Description, InputSchema: t.Input}
}

// The tools that Claude knows without a schema.
const (
	anthropicBash   = "bash_20250124"
	anthropicEditor = "text_editor_20250728"
	editorName      = "str_replace_based_edit_tool"
)

// renderBuiltin puts the built-in tools in place of bash and of those for text.
func renderBuiltin(list []*Tool) any {
	var out []any
	for _, t := range list {
		switch t.Flat {
		case "bash":
			out = append(out, anthropicTool{Type: anthropicBash, Name: "bash"})
		case "edit":
			out = append(out, anthropicTool{Type: anthropicEditor, Name: editorName})
		case "read_file", "write_file":
		default:
			out = append(out, renderAnthropic(t))
		}
	}
	return out
}

// Annotations are the hints of MCP about a tool.
type Annotations struct {
	Title       string `json:"title"`
	ReadOnly    bool   `json:"readOnlyHint"`
	Destructive bool   `json:"destructiveHint"`
	Idempotent  bool   `json:"idempotentHint"`
	OpenWorld   bool   `json:"openWorldHint"`
}

// Annotations returns those of the tool.
func (t *Tool) Annotations() Annotations {
	return Annotations{t.Title, t.ReadOnly, t.Destructive, t.Idempotent, t.OpenWorld}
}

type mcpTool struct {
	Name         string             `json:"name"`
	Title        string             `json:"title"`
	Description  string             `json:"description"`
	InputSchema  *jsonschema.Schema `json:"inputSchema"`
	OutputSchema *jsonschema.Schema `json:"outputSchema"`
	Annotations  Annotations        `json:"annotations"`
}

func renderMCP(t *Tool) any {
	return mcpTool{t.Flat, t.Title, t.Description, t.Input, t.Output, t.Annotations()}
}
