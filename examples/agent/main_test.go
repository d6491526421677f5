package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The loop with the scripted model, in this process and behind an API.
func TestAgent(t *testing.T) {
	const want = "There are 5 distinct words.\n"
	var out strings.Builder
	require.NoError(t, run(t.Context(), &scripted{}, "count", &out))
	require.True(t, strings.HasSuffix(out.String(), want), out.String())

	m := &scripted{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model    string
			Messages []message
			Tools    []struct{ Type string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Model != "m" || body.Tools[0].Type != "function" || r.Header.Get("Authorization") != "Bearer k" {
			http.Error(w, "not as the API has it", http.StatusBadRequest)
			return
		}
		reply, _ := m.answer(r.Context(), body.Messages, nil) // it never fails
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": reply}}})
	}))
	defer server.Close()
	out.Reset()
	require.NoError(t, run(t.Context(), &provider{server.URL, "k", "m"}, "count", &out))
	require.True(t, strings.HasSuffix(out.String(), want), out.String())
	require.ErrorContains(t, run(t.Context(), &provider{server.URL, "wrong", "m"}, "count", &out), "400")
}
