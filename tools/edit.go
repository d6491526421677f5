package tools

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

type editInput struct {
	FilePath   string `json:"file_path" jsonschema:"The file to change"`
	OldString  string `json:"old_string" arg:"length=1" jsonschema:"The text to replace, exactly as the file has it; it must be there once unless replace_all is true"`
	NewString  string `json:"new_string" jsonschema:"The text to put there, literally"`
	ReplaceAll bool   `json:"replace_all,omitempty" arg:"default=false" jsonschema:"Replace every occurrence"`
}

type replaceInput struct {
	Path    string         `json:"path,omitempty" jsonschema:"The file to change"`
	File    string         `json:"file_path,omitempty" jsonschema:"Another name for path"`
	Content []replaceBlock `json:"content" jsonschema:"What to replace, one after the other: all of it or nothing"`
}

type replaceBlock struct {
	OldStr     string `json:"old_str" arg:"length=1"`
	NewStr     string `json:"new_str"`
	ReplaceAll bool   `json:"replace_all,omitempty" arg:"default=false"`
}

type editOutput struct {
	File         string   `json:"file"`
	LinesChanged int      `json:"lines_changed"`
	Warnings     []string `json:"warnings"`

	blocks []editedBlock
}

// An editedBlock is where a replacement was made; lines count from 1.
type editedBlock struct {
	OldStartLine int `json:"old_start_line"`
	NewStartLine int `json:"new_start_line"`
	OldLines     int `json:"old_lines"`
	NewLines     int `json:"new_lines"`
}

// metaBlocks is the key of the metadata of an edit.
const metaBlocks = "mistralai.vibe.sdk.search_replace"

// Meta returns where replacements were made.
func (o editOutput) Meta() map[string]any {
	return map[string]any{metaBlocks: map[string]any{"blocks": o.blocks}}
}

// Text says what was done.
func (o editOutput) Text() string {
	text := fmt.Sprintf("edited %s: %d replacement", o.File, len(o.blocks))
	if len(o.blocks) != 1 {
		text += "s"
	}
	text += fmt.Sprintf(", %d lines changed", o.LinesChanged)
	for _, w := range o.Warnings {
		text += "\nwarning: " + w
	}
	return text
}

var edit = define(Tool{
	Name: "file_system.search_replace", Flat: "edit", Title: "Edit a file", Destructive: true,
	Description: "Replaces text in a file. old_string must be in the file exactly once, unless replace_all is true; add lines around it until it is. " +
		"Nothing is special in either string, and all other bytes of the file stay as they are.",
	needs: 1,
}, func(ctx context.Context, b *Toolbox, _ Call, in editInput) (editOutput, error) {
	return b.edit(ctx, in.FilePath, []replaceBlock{{in.OldString, in.NewString, in.ReplaceAll}})
})

var searchReplace = define(Tool{
	Name: "file_system.search_replace", Flat: "search_replace", Title: "Edit a file", Destructive: true, Hidden: true,
	Description: "Replaces several pieces of text in a file, in their order: all of them or none.",
	needs:       1,
}, func(ctx context.Context, b *Toolbox, _ Call, in replaceInput) (editOutput, error) {
	if in.Path == "" {
		in.Path = in.File
	}
	return b.edit(ctx, in.Path, in.Content)
})

// edit replaces blocks in a file.
func (b *Toolbox) edit(ctx context.Context, name string, blocks []replaceBlock) (editOutput, error) {
	e, err := b.regular(ctx, name, false)
	if err != nil {
		return editOutput{}, err
	}
	if e.size > maximumEdit {
		return editOutput{}, failf("File exceeds %d byte edit limit: %s", maximumEdit, name)
	}
	before, err := collect(ctx, b.store, e.path, maximumEdit)
	if err != nil {
		return editOutput{}, b.fileError(name, err)
	}
	d, ok := newDocument(before)
	if !ok {
		return editOutput{}, failf("Binary files are not supported: %s", name)
	}
	out := editOutput{File: e.path, Warnings: []string{}}
	for i, block := range blocks {
		if err := d.replace(&out, block); err != nil {
			err.Message = fmt.Sprintf("block %d: %s", i, strings.ReplaceAll(err.Message, "\x00", name))
			return editOutput{}, err
		}
	}
	if b.seen.stale(e) {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s has changed since it was last read", name))
	}
	after := d.bytes()
	if bytes.Equal(before, after) {
		out.Warnings = append(out.Warnings, "search/replace blocks leave the file unchanged")
		return out, nil
	}
	if err := b.put(ctx, e.path, after); err != nil {
		return editOutput{}, b.fileError(name, err)
	}
	return out, nil
}

// A document is the bytes of a text file, and how text is written in it.
type document struct {
	charset *charset
	data    []byte // behind the mark
	crlf    bool   // all its lines end in CR LF
}

// newDocument returns the document of a file; ok is false where it is no text.
func newDocument(data []byte) (d *document, ok bool) {
	c := markOf(data)
	if c == nil {
		if isBinary(data) {
			return nil, false
		}
		c = charsetOf(data)
	}
	d = &document{charset: c, data: bytes.Clone(data[len(c.mark):])}
	lf, crlf := 0, 0
	if c.unit == 1 {
		lf, crlf = bytes.Count(d.data, []byte("\n")), bytes.Count(d.data, []byte("\r\n"))
	}
	d.crlf = lf > 0 && lf == crlf
	return d, true
}

// bytes returns the file.
func (d *document) bytes() []byte { return append([]byte(d.charset.mark), d.data...) }

// replace makes one replacement. The zero byte in a message stands for the name of
// the file.
func (d *document) replace(out *editOutput, block replaceBlock) *Error {
	if block.OldStr == block.NewStr {
		return failf("old_str and new_str must differ")
	}
	m := d.find(block)
	switch {
	case len(m.places) == 0:
		return failf("old_str not found in \x00")
	case len(m.places) > 1 && !block.ReplaceAll:
		lines := make([]int, len(m.places))
		for i, at := range m.places {
			lines[i] = 1 + d.newlines(d.data[:at])
		}
		return failf("old_str is not unique; found %d matches in \x00", len(m.places)).with("lines", lines)
	case m.err != nil:
		return failf("new_str cannot be written to \x00: %v", m.err)
	}
	d.splice(out, m)
	return nil
}

// A match is what is to be replaced, as the file has it, and what by.
type match struct {
	old, insert []byte
	places      []int
	err         error // insert cannot be written
}

// find returns the match of a block. A newline may be a CR LF in a file that has no
// others, and text may be UTF-8 in a file that is not all of it.
func (d *document) find(block replaceBlock) (m match) {
	try := func(c *charset, old, text string) bool {
		var err error
		if m.old, err = c.encode(old); err != nil {
			return false
		}
		m.places = d.occurrences(m.old)
		m.insert, m.err = c.encode(text)
		return len(m.places) > 0
	}
	if try(d.charset, block.OldStr, block.NewStr) {
		return m
	}
	if d.crlf && strings.Contains(block.OldStr, "\n") && !strings.Contains(block.OldStr, "\r") {
		text := strings.ReplaceAll(block.NewStr, "\r\n", "\n")
		if try(d.charset, strings.ReplaceAll(block.OldStr, "\n", "\r\n"), strings.ReplaceAll(text, "\n", "\r\n")) {
			return m
		}
	}
	if d.charset.enc != nil && d.charset.unit == 1 {
		try(charsetUTF8, block.OldStr, block.NewStr)
	}
	return m
}

// occurrences returns where something is, without overlaps and between characters.
func (d *document) occurrences(what []byte) (places []int) {
	for at := 0; ; {
		i := bytes.Index(d.data[at:], what)
		if i < 0 {
			return places
		}
		if at += i; at%d.charset.unit != 0 {
			at++
			continue
		}
		places = append(places, at)
		at += len(what)
	}
}

// splice makes the replacements of a match.
func (d *document) splice(out *editOutput, m match) {
	oldLines, newLines := d.lines(m.old), d.lines(m.insert)
	result := make([]byte, 0, len(d.data)+len(m.places)*(len(m.insert)-len(m.old)))
	done, line, shift := 0, 1, 0
	for _, at := range m.places {
		line += d.newlines(d.data[done:at])
		out.blocks = append(out.blocks, editedBlock{line, line + shift, oldLines, newLines})
		result = append(append(result, d.data[done:at]...), m.insert...)
		done = at + len(m.old)
		line += d.newlines(m.old)
		shift += d.newlines(m.insert) - d.newlines(m.old)
	}
	d.data = append(result, d.data[done:]...)
	out.LinesChanged += max(oldLines, newLines) * len(m.places)
}

// lines counts the lines of part of the document, one without a newline too.
func (d *document) lines(data []byte) int {
	text := d.charset.decode(data)
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// newlines counts those in part of the document.
func (d *document) newlines(data []byte) int {
	if d.charset.unit == 1 {
		return bytes.Count(data, []byte("\n"))
	}
	return strings.Count(d.charset.decode(data), "\n")
}
