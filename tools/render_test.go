package tools_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/tools"
	"github.com/stretchr/testify/require"
)

// Every schema is one, its defaults are valid, and what tools return is what they say.
func TestSchemas(t *testing.T) {
	for _, tool := range tools.All() {
		for _, s := range []*jsonschema.Schema{tool.Input, tool.Output} {
			data, err := json.Marshal(s)
			require.NoError(t, err)
			var again jsonschema.Schema
			require.NoError(t, json.Unmarshal(data, &again))
			_, err = again.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
			require.NoError(t, err, "%s: %s", tool.Name, data)
			require.Equal(t, "object", again.Type)
		}
	}
}

// What providers demand of a description of tools.
func TestRenderings(t *testing.T) {
	flat := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) // of OpenAI, Anthropic and Mistral alike
	decode := func(format string) (list []map[string]any) {
		data, err := tools.Render(format, tools.All())
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &list))
		return list
	}
	for _, format := range []string{"openai", "mistral"} {
		for _, item := range decode(format) {
			require.Equal(t, "function", item["type"])
			f := item["function"].(map[string]any)
			require.Regexp(t, flat, f["name"])
			require.LessOrEqual(t, len(f["description"].(string)), 1024, f["name"])
			require.Equal(t, "object", f["parameters"].(map[string]any)["type"])
			require.Contains(t, f["parameters"], "properties", f["name"])
		}
	}
	for _, item := range decode("anthropic") {
		require.Regexp(t, flat, item["name"])
		require.Equal(t, "object", item["input_schema"].(map[string]any)["type"])
	}
	builtin := decode("anthropic-builtin")
	require.Contains(t, builtin, map[string]any{"type": "bash_20250124", "name": "bash"})
	require.Contains(t, builtin, map[string]any{"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"})
	for _, item := range decode("mcp") {
		require.Regexp(t, `^[A-Za-z0-9_.-]{1,128}$`, item["name"])
		require.Contains(t, item, "inputSchema")
		require.Contains(t, item["annotations"], "readOnlyHint")
	}
	_, err := tools.Render("other", nil)
	require.ErrorContains(t, err, "anthropic, anthropic-builtin, mcp, mistral, openai")
}

// The commands of the tools that Claude knows without a schema.
func TestAnthropicTools(t *testing.T) {
	b := open(t, limpet.Config{}, tools.Config{})
	call := func(name string, pairs ...any) string {
		return b.CallAnthropic(t.Context(), tools.Call{Name: name, Arguments: args(pairs...)}).Text()
	}
	const editor = "str_replace_based_edit_tool"
	require.Contains(t, call(editor, "command", "create", "path", "/workspace/f", "file_text", "a\nb\nc\n"), "created /workspace/f")
	require.Equal(t, "     1\ta\n     2\tb\n     3\tc\n", call(editor, "command", "view", "path", "/workspace/f"))
	require.Equal(t, "     2\tb\n     3\tc\n", call(editor, "command", "view", "path", "f", "view_range", []int{2, -1}))
	require.Equal(t, "     2\tb\n", call(editor, "command", "view", "path", "f", "view_range", []int{2, 2}))
	require.Equal(t, "f (6 bytes)", call(editor, "command", "view", "path", "/workspace"))
	require.Contains(t, call(editor, "command", "str_replace", "path", "f", "old_str", "b", "new_str", "B"), "1 replacement")
	call(editor, "command", "insert", "path", "f", "insert_line", 0, "insert_text", "first")
	call(editor, "command", "insert", "path", "f", "insert_line", 4, "insert_text", "last\n")
	require.Equal(t, "first\na\nB\nc\nlast\n", b.get("f"))
	require.Contains(t, call(editor, "command", "insert", "path", "f", "insert_line", 9, "insert_text", "x"), "f has 5 lines")
	require.Contains(t, call(editor, "command", "undo_edit", "path", "f"), "should be one of view create str_replace insert")
	require.Equal(t, "1\n", call("bash", "command", "x=1; cd /tmp; echo $x"))
	require.Equal(t, "1 /tmp\n", call("bash", "command", "echo $x $PWD"))
	require.Equal(t, "tool has been restarted.", call("bash", "restart", true))
	require.Equal(t, "/workspace\n", call("bash", "command", "echo $x$PWD"))
	off := open(t, limpet.Config{}, tools.Config{Disabled: []string{"*.bash"}})
	require.Contains(t, off.CallAnthropic(t.Context(), tools.Call{Name: "bash", Arguments: args("command", "x")}).Error.Message, "not available")
}
