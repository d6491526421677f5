// Command agent is an agent in a hundred lines: a model, the tools of a sandbox, and the loop
// between them.
//
//	go run ./examples/agent                      # a scripted model: nothing is sent anywhere
//	OPENAI_BASE_URL=… OPENAI_API_KEY=… OPENAI_MODEL=… go run ./examples/agent 'count the words of README'
//
// With the variables it asks a provider that has OpenAI's chat completions, as Mistral and
// many others do.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/tools"
)

func main() {
	task := cmp.Or(strings.Join(os.Args[1:], " "), "How many distinct words are in poem.txt?")
	var m model = &scripted{}
	if url := os.Getenv("OPENAI_BASE_URL"); url != "" {
		m = &provider{url: url, key: os.Getenv("OPENAI_API_KEY"), model: os.Getenv("OPENAI_MODEL")}
	}
	if err := run(context.Background(), m, task, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

// A model answers a conversation.
type model interface {
	answer(ctx context.Context, conversation []message, tools json.RawMessage) (message, error)
}

// A message is one of chat completions.
type message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// mostTurns ends a model that never comes to an answer.
const mostTurns = 30

// run has the model work on a task until it answers.
func run(ctx context.Context, m model, task string, w io.Writer) error {
	sh, err := limpet.New(limpet.Config{})
	if err != nil {
		return err
	}
	defer sh.Close()
	if err := sh.WriteFile(ctx, "poem.txt", []byte("the sea the shell\nthe limpet holds\n"), 0o644); err != nil {
		return err
	}
	box, err := tools.New(sh, tools.Config{})
	if err != nil {
		return err
	}
	defer box.Close()
	told, err := tools.Render("openai", box.Tools())
	if err != nil {
		return err
	}
	conversation := []message{{Role: "system", Content: box.Prompt()}, {Role: "user", Content: task}}
	for range mostTurns {
		reply, err := m.answer(ctx, conversation, told)
		if err != nil {
			return err
		}
		conversation = append(conversation, reply)
		if len(reply.ToolCalls) == 0 {
			fmt.Fprintln(w, reply.Content)
			return nil
		}
		for _, c := range reply.ToolCalls {
			res := box.Call(ctx, tools.Call{Name: c.Function.Name, ID: c.ID, Arguments: json.RawMessage(c.Function.Arguments)})
			fmt.Fprintf(w, "> %s %s\n%s\n", c.Function.Name, c.Function.Arguments, res.Text())
			conversation = append(conversation, message{Role: "tool", ToolCallID: c.ID, Content: res.Text()})
		}
	}
	return fmt.Errorf("no answer after %d turns", mostTurns)
}

// A scripted model does what somebody once did, whatever it is asked.
type scripted struct{ turn int }

func (s *scripted) answer(_ context.Context, conversation []message, _ json.RawMessage) (message, error) {
	steps := []struct{ name, arguments string }{
		{"read_file", `{"path":"poem.txt"}`},
		{"bash", `{"command":"tr -s ' ' '\\n' < poem.txt | sort -u | wc -l"}`},
	}
	if s.turn == len(steps) {
		last := conversation[len(conversation)-1].Content
		return message{Role: "assistant", Content: "There are " + strings.TrimSpace(last) + " distinct words."}, nil
	}
	c := toolCall{ID: fmt.Sprintf("call%d", s.turn), Type: "function"}
	c.Function.Name, c.Function.Arguments = steps[s.turn].name, steps[s.turn].arguments
	s.turn++
	return message{Role: "assistant", ToolCalls: []toolCall{c}}, nil
}

// A provider is a model behind an API.
type provider struct{ url, key, model string }

func (p *provider) answer(ctx context.Context, conversation []message, told json.RawMessage) (message, error) {
	body, err := json.Marshal(map[string]any{"model": p.model, "messages": conversation, "tools": told})
	if err != nil {
		return message{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(p.url, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return message{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+p.key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return message{}, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, 10<<20))
	if err != nil {
		return message{}, err
	}
	if res.StatusCode != http.StatusOK {
		return message{}, fmt.Errorf("%s: %s", res.Status, data)
	}
	var reply struct {
		Choices []struct {
			Message message `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(data, &reply); err != nil {
		return message{}, err
	}
	if len(reply.Choices) == 0 {
		return message{}, fmt.Errorf("no answer: %s", data)
	}
	return reply.Choices[0].Message, nil
}
