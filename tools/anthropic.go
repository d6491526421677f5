package tools

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet"
)

// CallAnthropic is Call for the names and arguments of the tools that Claude knows
// without a schema: bash, which may be told to restart, and the text editor.
func (b *Toolbox) CallAnthropic(ctx context.Context, c Call) *Result {
	switch c.Name {
	case "bash":
		c.Name = "anthropic.bash"
	case editorName:
		c.Name = "anthropic.text_editor"
	}
	return b.Call(ctx, c)
}

type claudeBashInput struct {
	Command string `json:"command,omitempty"`
	Restart bool   `json:"restart,omitempty"`
}

// A textOutput is a result that is text alone.
type textOutput struct {
	Content string `json:"content"`
}

// Text returns the content.
func (o textOutput) Text() string { return o.Content }

var claudeBash = define(Tool{
	Name: "anthropic.bash", Flat: "anthropic_bash", Title: "Run a command", Destructive: true, OpenWorld: true, Extension: true, Hidden: true,
	Description: "Bash, as Claude calls it.", needs: limpet.AccessFull, missing: withoutBash,
}, func(ctx context.Context, b *Toolbox, c Call, in claudeBashInput) (textOutput, error) {
	if in.Restart {
		return textOutput{"tool has been restarted."}, b.shells.restart()
	}
	c.Arguments = marshal(map[string]any{"command": in.Command})
	out, err := bash.call(ctx, b, c)
	if err != nil {
		return textOutput{}, err
	}
	return textOutput{out.(bashOutput).Text()}, nil
})

// withoutBash says that bash is switched off, which switches Claude's off too.
func withoutBash(b *Toolbox) error { return b.lacks("bash") }

// withoutEdit says that edit is switched off.
func withoutEdit(b *Toolbox) error { return b.lacks("edit") }

// lacks fails where a tool that comes before in the list of all is not there.
func (b *Toolbox) lacks(flat string) error {
	if b.byName[flat] == nil {
		return fmt.Errorf("%s is switched off", flat)
	}
	return nil
}

type editorInput struct {
	Command    string  `json:"command" arg:"enum=view|create|str_replace|insert"`
	Path       string  `json:"path"`
	ViewRange  []int   `json:"view_range,omitempty"`
	FileText   *string `json:"file_text,omitempty"`
	OldStr     string  `json:"old_str,omitempty"`
	NewStr     string  `json:"new_str,omitempty"`
	InsertLine *int    `json:"insert_line,omitempty" arg:"min=0"`
	InsertText *string `json:"insert_text,omitempty"`
}

var claudeEditor = define(Tool{
	Name: "anthropic.text_editor", Flat: editorName, Title: "Edit text", Destructive: true, Extension: true, Hidden: true,
	Description: "The text editor, as Claude calls it.", needs: limpet.AccessFiles, missing: withoutEdit,
}, func(ctx context.Context, b *Toolbox, c Call, in editorInput) (textOutput, error) {
	switch in.Command {
	case "create":
		if in.FileText == nil {
			return textOutput{}, invalid(editorName, ArgumentError{"file_text", "missing", "is required"})
		}
		return b.through(ctx, c, writeFile, map[string]any{"path": in.Path, "content": *in.FileText})
	case "str_replace":
		return b.through(ctx, c, edit, map[string]any{"file_path": in.Path, "old_string": in.OldStr, "new_string": in.NewStr})
	case "insert":
		return b.insert(ctx, in)
	}
	return b.viewNumbered(ctx, in)
})

// through calls one of our tools and returns what it says.
func (b *Toolbox) through(ctx context.Context, c Call, t *Tool, args map[string]any) (textOutput, error) {
	c.Arguments = marshal(args)
	out, err := t.call(ctx, b, c)
	if err != nil {
		return textOutput{}, err
	}
	return textOutput{out.(interface{ Text() string }).Text()}, nil
}

// viewNumbered shows a file with numbers of lines, from 1, or lists a directory.
func (b *Toolbox) viewNumbered(ctx context.Context, in editorInput) (textOutput, error) {
	e, err := b.locate(ctx, in.Path, true)
	if err == nil && e.kind == directory {
		return b.through(ctx, Call{}, list, map[string]any{"path": in.Path})
	}
	args := map[string]any{"path": in.Path}
	first := 1
	if n := len(in.ViewRange); n > 0 {
		first = max(1, in.ViewRange[0])
		if n != 2 || in.ViewRange[1] != -1 && in.ViewRange[1] < first {
			return textOutput{}, invalid(editorName, ArgumentError{"view_range", "value_error", "should be the first and the last line, or -1 for the end"})
		}
		args["offset"] = first - 1
		if in.ViewRange[1] > 0 {
			args["limit"] = in.ViewRange[1] - first + 1
		}
	}
	out, err := readFile.call(ctx, b, Call{Arguments: marshal(args)})
	if err != nil {
		return textOutput{}, err
	}
	o := out.(readOutput)
	var text strings.Builder
	for line := range strings.Lines(o.Content) {
		fmt.Fprintf(&text, "%6d\t%s", first, line)
		first++
	}
	o.Content = text.String()
	if len(in.ViewRange) > 0 {
		o.WasTruncated = false // it was asked for
	}
	return textOutput{o.Text()}, nil
}

// insert puts text behind a line.
func (b *Toolbox) insert(ctx context.Context, in editorInput) (textOutput, error) {
	if in.InsertLine == nil || in.InsertText == nil {
		return textOutput{}, invalid(editorName, ArgumentError{"insert_line", "missing", "insert_line and insert_text are required"})
	}
	e, err := b.regular(ctx, in.Path, false)
	if err != nil {
		return textOutput{}, err
	}
	data, err := collect(ctx, b.store, e.path, maximumEdit)
	if err != nil {
		return textOutput{}, b.fileError(in.Path, err)
	}
	d, ok := newDocument(data)
	if !ok || d.charset.unit > 1 {
		return textOutput{}, failf("Binary files are not supported: %s", in.Path)
	}
	text, err := d.charset.encode(*in.InsertText)
	if err != nil {
		return textOutput{}, failf("%s: %v", in.Path, err)
	}
	lines := bytes.SplitAfter(d.data, []byte("\n"))
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	if *in.InsertLine > len(lines) {
		return textOutput{}, failf("insert_line is %d; %s has %d lines", *in.InsertLine, in.Path, len(lines))
	}
	before, after := bytes.Join(lines[:*in.InsertLine], nil), bytes.Join(lines[*in.InsertLine:], nil)
	newline := map[bool]string{false: "\n", true: "\r\n"}[d.crlf]
	if len(before) > 0 && !bytes.HasSuffix(before, []byte("\n")) {
		before = append(before, newline...)
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, newline...)
	}
	d.data = bytes.Join([][]byte{before, text, after}, nil)
	if err := b.put(ctx, e.path, d.bytes()); err != nil {
		return textOutput{}, b.fileError(in.Path, err)
	}
	return textOutput{fmt.Sprintf("inserted behind line %d of %s", *in.InsertLine, e.path)}, nil
}
