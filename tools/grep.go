package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet"
)

// Bounds of grep.
const (
	grepMatches = 100
	grepBytes   = 64_000
	grepLine    = 2000 // bytes of one line
	grepTimeout = 60 * time.Second
)

type grepInput struct {
	Pattern    string   `json:"pattern" jsonschema:"A regular expression, as ripgrep has them"`
	Path       string   `json:"path,omitempty" arg:"default=\".\"" jsonschema:"A file or directory; the workspace unless given"`
	Glob       []string `json:"glob,omitempty" arg:"default=[]" jsonschema:"Only files that match one of these, such as *.go; with ! before it, only others"`
	IgnoreCase bool     `json:"ignore_case,omitempty" arg:"default=false"`
	Literal    bool     `json:"literal,omitempty" arg:"default=false" jsonschema:"The pattern is plain text"`
	All        bool     `json:"all,omitempty" arg:"default=false" jsonschema:"Search hidden and ignored files too"`
	MaxMatches int      `json:"max_matches,omitempty" arg:"min=1,max=10000,default=100"`
}

type grepMatch struct {
	Path string `json:"path"`
	Line int    `json:"line" jsonschema:"Counted from 1"`
	Text string `json:"text"`
}

type grepOutput struct {
	Matches      []grepMatch `json:"matches"`
	MatchCount   int         `json:"match_count"`
	WasTruncated bool        `json:"was_truncated"`
	Searched     int         `json:"files_searched"`
	Skipped      int         `json:"files_skipped" jsonschema:"Hidden and ignored files, which all searches too"`
	Notes        []string    `json:"notes" jsonschema:"Files that could not be read, and binary files that match"`
}

// Text is one line a match, and always says what was not searched.
func (o grepOutput) Text() string {
	var b strings.Builder
	for _, m := range o.Matches {
		fmt.Fprintf(&b, "%s:%d:%s\n", m.Path, m.Line, m.Text)
	}
	if len(o.Matches) == 0 && len(o.Notes) == 0 {
		b.WriteString("[no matches]\n")
	}
	for _, n := range o.Notes {
		b.WriteString("[" + n + "]\n")
	}
	if o.WasTruncated {
		fmt.Fprintf(&b, "[%d of %d matches]\n", len(o.Matches), o.MatchCount)
	}
	fmt.Fprintf(&b, "[%d files searched", o.Searched)
	if o.Skipped > 0 {
		fmt.Fprintf(&b, ", %d hidden or ignored files skipped", o.Skipped)
	}
	return b.String() + "]"
}

//go:embed grep.sh
var grepScript string

var grep = define(Tool{
	Name: "file_system.grep", Flat: "grep", Title: "Search in files", ReadOnly: true, Idempotent: true, Extension: true,
	Description: "Searches files for a regular expression, as ripgrep does: hidden files and those that .gitignore names are skipped, and counted, unless all is true or the file is named. " +
		"At most 100 matches, unless max_matches says otherwise.",
	needs: limpet.AccessFiles,
}, func(ctx context.Context, b *Toolbox, _ Call, in grepInput) (grepOutput, error) {
	if in.Pattern == "" {
		return grepOutput{}, failf("Empty search pattern provided.")
	}
	if strings.ContainsAny(in.Pattern, "\x00\n") {
		return grepOutput{}, failf("The pattern contains a newline or a NUL byte, which no line has")
	}
	e, err := b.locate(ctx, in.Path, true)
	if err != nil {
		return grepOutput{}, err
	}
	if e.kind == missing {
		return grepOutput{}, failf("Path does not exist: %s", in.Path)
	}
	res, err := b.sandbox.Exec(ctx, limpet.Request{Script: grepScript, Name: "grep", Args: in.args(e.path), Timeout: grepTimeout, Dir: b.sandbox.Workspace()})
	if err != nil {
		return grepOutput{}, err
	}
	if res.Stopped != nil {
		if errors.Is(res.Stopped, context.DeadlineExceeded) {
			return grepOutput{}, failf("Search timed out after %ds", int(grepTimeout.Seconds()))
		}
		return grepOutput{}, fmt.Errorf("the search was stopped: %w", res.Stopped)
	}
	return in.parse(b, res)
})

// args are those of the script.
func (in *grepInput) args(path string) []string {
	flag := func(b bool) string { return map[bool]string{true: "1"}[b] }
	return append([]string{in.Pattern, path, flag(in.IgnoreCase), flag(in.Literal), flag(in.All)}, in.Glob...)
}

// parse reads what the script has printed: counts, notes and matches, each ended by
// what no name has in it.
func (in *grepInput) parse(b *Toolbox, res *limpet.Result) (grepOutput, error) {
	out := grepOutput{Matches: []grepMatch{}, Notes: []string{}}
	head, body, _ := strings.Cut(string(res.Stdout), "\n")
	counts := strings.Fields(head)
	messages := strings.TrimSpace(string(res.Stderr))
	if len(counts) != 2 || res.Status > 2 || res.Status == 2 && body == "" {
		return out, failf("The search failed with status %d: %s", res.Status, messages)
	}
	out.Searched, _ = strconv.Atoi(counts[0])
	all, _ := strconv.Atoi(counts[1])
	out.Skipped = max(0, all-out.Searched)
	for line := range strings.Lines(messages) {
		out.Notes = append(out.Notes, strings.TrimSpace(line))
	}
	size := 0
	for body != "" {
		name, rest, ok := strings.Cut(body, "\x00")
		if !ok || strings.Contains(name, "\n") && strings.Contains(name, "inary file") { // a line about a binary file
			var note string
			note, body, _ = strings.Cut(body, "\n")
			out.Notes = append(out.Notes, strings.ToValidUTF8(b.short(note), "\uFFFD"))
			continue
		}
		var line string
		line, body, _ = strings.Cut(rest, "\n")
		number, text, ok := strings.Cut(line, ":")
		n, err := strconv.Atoi(number)
		if !ok || err != nil {
			out.Notes = append(out.Notes, strings.ToValidUTF8(b.short(name)+": "+strings.TrimSpace(line), "\uFFFD"))
			continue
		}
		out.MatchCount++
		if len(text) > grepLine {
			text = fmt.Sprintf("%s… [%d bytes left out]", cutText(text, grepLine), len(text)-grepLine)
		}
		if size += len(text); len(out.Matches) < in.MaxMatches && size <= grepBytes {
			out.Matches = append(out.Matches, grepMatch{strings.ToValidUTF8(b.short(name), "\uFFFD"), n, validText([]byte(text))})
		}
	}
	out.WasTruncated = out.MatchCount > len(out.Matches)
	return out, nil
}

// short makes a name relative to the workspace, if it is below it.
func (b *Toolbox) short(name string) string {
	return strings.TrimPrefix(name, strings.TrimSuffix(b.sandbox.Workspace(), "/")+"/")
}
