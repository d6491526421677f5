package tools_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/tools"
	"github.com/stretchr/testify/require"
)

// A request is the body of a request to a provider, as far as tools are concerned.
type request struct {
	Messages []struct {
		Role      string
		Content   json.RawMessage
		ToolCalls []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
		ToolCallID string `json:"tool_call_id"`
	}
}

// decodeFile reads a file of testdata/requests.
func decodeFile(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/requests/" + name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, into), name)
}

// What a provider accepts is known from requests that it documents: with our tools
// in them they are as valid, and its calls are answered as they are there.
func TestRequests(t *testing.T) {
	for format, schema := range map[string]string{"openai": "openai", "mistral": "mistral", "anthropic": "anthropic", "anthropic-builtin": "anthropic"} {
		var s jsonschema.Schema
		decodeFile(t, schema+".schema.json", &s)
		valid, err := s.Resolve(nil)
		require.NoError(t, err)
		var body map[string]any
		decodeFile(t, format+".json", &body)
		require.NoError(t, valid.Validate(body), "%s as it was", format)
		b := open(t, limpet.Config{Background: true}, tools.Config{})
		rendered, err := tools.Render(format, b.Tools())
		require.NoError(t, err)
		var list []any
		require.NoError(t, json.Unmarshal(rendered, &list))
		body["tools"] = list
		require.NoError(t, valid.Validate(body), "%s with our tools", format)
		list[0].(map[string]any)["dangerous"] = true
		require.Error(t, valid.Validate(body), "%s: the schema refuses what the provider would", format)

		var r request
		decodeFile(t, format+".json", &r)
		if format == "anthropic-builtin" || format == "anthropic" {
			answerAnthropic(t, b, r, format == "anthropic-builtin")
		} else {
			answerFunctions(t, b, r)
		}
	}
}

// answerFunctions makes the calls of chat completions, and compares the answers.
func answerFunctions(t *testing.T, b *box, r request) {
	answers := map[string]string{}
	for _, message := range r.Messages {
		for _, c := range message.ToolCalls {
			res := b.Call(t.Context(), tools.Call{Name: c.Function.Name, ID: c.ID, Arguments: json.RawMessage(c.Function.Arguments)})
			answers[c.ID] = res.Text()
		}
		if message.Role == "tool" {
			var want string
			require.NoError(t, json.Unmarshal(message.Content, &want))
			require.Equal(t, want, answers[message.ToolCallID])
		}
	}
	require.NotEmpty(t, answers)
}

// answerAnthropic makes the calls of Anthropic's messages.
func answerAnthropic(t *testing.T, b *box, r request, builtin bool) {
	answers := map[string]string{}
	for _, message := range r.Messages {
		var parts []struct {
			Type, ID, Name string
			Input          json.RawMessage
			ToolUseID      string `json:"tool_use_id"`
			Content        string
		}
		if json.Unmarshal(message.Content, &parts) != nil { // a text
			continue
		}
		for _, p := range parts {
			c := tools.Call{Name: p.Name, ID: p.ID, Arguments: p.Input}
			switch {
			case p.Type == "tool_use" && builtin:
				answers[p.ID] = b.CallAnthropic(t.Context(), c).Text()
			case p.Type == "tool_use":
				answers[p.ID] = b.Call(t.Context(), c).Text()
			case p.Type == "tool_result" && (p.Content == "edited" || p.Content == "inserted" || p.Content == "created primes.py"): // in words of its own
				require.NotContains(t, answers[p.ToolUseID], `"error"`)
			case p.Type == "tool_result":
				require.Equal(t, p.Content, answers[p.ToolUseID])
			}
		}
	}
	require.NotEmpty(t, answers)
}
