package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// charactersPerToken is how many UTF-16 units are counted as a token.
const charactersPerToken = 4

// A Shortened stands for an output that is too large for a model.
type Shortened struct {
	Path   string `json:"path,omitempty"` // the file in the sandbox that has the output as JSON
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"`
	Prefix string `json:"prefix"`           // how the JSON begins
	Suffix string `json:"suffix,omitempty"` // how it ends, where there is no file
	Type   string `json:"type"`             // of the output, in TypeScript
	Note   string `json:"note,omitempty"`   // why there is no file
}

// Text is what a model is given.
func (s *Shortened) Text() string {
	if s.Path == "" {
		return fmt.Sprintf("<truncated-output bytes=\"%d\" tokens=\"%d\">\n%s…\n[%d bytes left out: %s]\n…%s\n</truncated-output>\n<output-type>%s</output-type>",
			s.Bytes, s.Tokens, s.Prefix, s.Bytes-len(s.Prefix)-len(s.Suffix), s.Note, s.Suffix, s.Type)
	}
	return fmt.Sprintf("<tool-output-file path=\"%s\" bytes=\"%d\" tokens=\"%d\" />\n<truncated-output>\n%s…\n</truncated-output>\n<output-type>%s</output-type>\n"+
		"All of the output is JSON in that file. Read what you need of it with jq or grep, for example: jq keys '%s'",
		s.Path, s.Bytes, s.Tokens, s.Prefix, s.Type, s.Path)
}

// prefixCharacters is how much of a large output a model is given at once.
const prefixCharacters = 2000

// shorten puts an output that is too large for a model into a file.
func (b *Toolbox) shorten(ctx context.Context, res *Result, c Call) {
	if m, ok := res.Output.(interface{ Meta() map[string]any }); ok {
		res.Meta = m.Meta()
	}
	if res.Error != nil {
		return
	}
	if _, isImage := res.Image(); isImage {
		return // it is shown as a picture
	}
	limit := b.cfg.ResultTokens * charactersPerToken
	if o, ok := res.Output.(interface{ most() int }); ok && o.most() <= limit {
		return
	}
	data := marshal(res.Output)
	if len(data) <= limit {
		return
	}
	units := utf16Units(data)
	if units <= limit {
		return
	}
	var pretty bytes.Buffer
	_ = json.Indent(&pretty, data, "", "  ") // it is JSON that was just written
	text := pretty.String()
	s := &Shortened{Bytes: len(text), Tokens: (units + charactersPerToken - 1) / charactersPerToken, Type: typeScript(data)}
	c.Name = res.Tool.Name
	file, err := b.spill(ctx, spillName(c, "", ".json"), pretty.Bytes())
	if err == nil {
		s.Path, s.Prefix = file, cutText(text, prefixCharacters)
	} else {
		s.Note = "no file can be written: " + reason(err)
		s.Prefix, s.Suffix = cutText(text, limit/2), tailText(text, limit/2)
	}
	res.Shortened = s
}

// utf16Units counts them.
func utf16Units(data []byte) int {
	n := 0
	for _, r := range string(data) {
		if n++; r > 0xffff && r != utf8.RuneError {
			n++
		}
	}
	return n
}

// typeScript infers the type of a JSON value.
func typeScript(data []byte) string {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return "unknown"
	}
	return typeOf(v)
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		return "number"
	case []any:
		return arrayType(v)
	case map[string]any:
		fields := make([]string, 0, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			key := name
			if !isIdentifier(name) {
				key = strconv.Quote(name)
			}
			fields = append(fields, key+": "+typeOf(v[name]))
		}
		return "{ " + strings.Join(fields, "; ") + " }"
	}
	return "unknown"
}

func arrayType(list []any) string {
	var types []string
	for _, v := range list {
		if t := typeOf(v); !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	switch len(types) {
	case 0:
		return "unknown[]"
	case 1:
		return types[0] + "[]"
	}
	return "(" + strings.Join(types, " | ") + ")[]"
}

func isIdentifier(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}
