package tools

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// Bounds of read_file.
const (
	readBytes   = 51_200    // of text, in one call
	readLines   = 2000      // where no limit is given
	readBase64  = 5_000_000 // bytes of a file that is read as base64
	maximumEdit = 536_870_912
)

type readInput struct {
	Path     string `json:"path" jsonschema:"The file: absolute, relative to the workspace, or of the home directory with ~"`
	Offset   int    `json:"offset,omitempty" arg:"shown=0,default=0" jsonschema:"The first line to read, counted from 0"`
	Limit    *int   `json:"limit,omitempty" arg:"min=1,default=null" jsonschema:"How many lines to read; 2000 unless given"`
	Encoding string `json:"encoding,omitempty" arg:"enum=text|base64,default=\"text\"" jsonschema:"An extension: base64 reads images and other binary files whole"`
}

type readOutput struct {
	Path          string `json:"path"`
	Content       string `json:"content"`
	FileSizeBytes int64  `json:"file_size_bytes"`
	ReturnedBytes int    `json:"returned_bytes"`
	Offset        int    `json:"offset"`
	LinesRead     int    `json:"lines_read"`
	WasTruncated  bool   `json:"was_truncated"`

	Charset  string `json:"charset,omitempty" jsonschema:"An extension: how the file is written, where that is not UTF-8"`
	MIMEType string `json:"mime_type,omitempty" jsonschema:"An extension: what a file is that was read as base64"`
}

// Text returns the content, and notes about what is not there.
func (o readOutput) Text() string {
	if o.MIMEType != "" {
		return fmt.Sprintf("%s: %s, %d bytes, as base64:\n%s", o.Path, o.MIMEType, o.FileSizeBytes, o.Content)
	}
	var notes []string
	switch {
	case o.FileSizeBytes == 0:
		notes = append(notes, "the file is empty")
	case o.LinesRead == 0:
		notes = append(notes, fmt.Sprintf("the file ends before line %d", o.Offset))
	case o.WasTruncated:
		notes = append(notes, fmt.Sprintf("lines %d to %d, %d of %d bytes; read on with offset %d", o.Offset, o.Offset+o.LinesRead-1, o.ReturnedBytes, o.FileSizeBytes, o.Offset+o.LinesRead))
	}
	if o.Charset != "" {
		notes = append(notes, "not UTF-8; shown as "+o.Charset)
	}
	if len(notes) == 0 {
		return o.Content
	}
	return o.Content + ending(o.Content) + "[" + strings.Join(notes, "; ") + "]"
}

// ending returns the newline that a text lacks at its end.
func ending(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return ""
	}
	return "\n"
}

var readFile = define(Tool{
	Name: "file_system.read_file", Flat: "read_file", Title: "Read a file", ReadOnly: true, Idempotent: true,
	Description: "Reads a text file, at most 51200 bytes and, unless limit says otherwise, 2000 lines in one call. offset is the first line, counted from 0. " +
		"was_truncated says that there is more.",
	needs: 1,
}, func(ctx context.Context, b *Toolbox, _ Call, in readInput) (readOutput, error) {
	if in.Path == "" {
		return readOutput{}, failf("Path cannot be empty")
	}
	if in.Offset < -1 {
		return readOutput{}, failf("offset must be greater than or equal to 0, or -1 to read the last line")
	}
	e, err := b.regular(ctx, in.Path, true)
	if err != nil {
		return readOutput{}, err
	}
	out := readOutput{Path: e.path, FileSizeBytes: e.size, Offset: in.Offset}
	b.seen.note(e)
	if in.Encoding == "base64" {
		return out, b.readBase64(ctx, in, e, &out)
	}
	p := &page{offset: in.Offset, limit: readLines}
	if in.Limit != nil {
		p.limit = *in.Limit
	}
	r := &textReader{page: p}
	err = b.store.copy(ctx, e.path, r)
	if err == nil || errors.Is(err, errEnough) {
		err = r.finish()
	}
	if errors.Is(err, errBinary) {
		return out, binaryError(in.Path, r.head, e.size)
	}
	if err != nil {
		return out, b.fileError(in.Path, err)
	}
	r.fill(&out)
	return out, nil
})

// binaryError is for a file that is no text: it says what the file is.
func binaryError(name string, head []byte, size int64) *Error {
	return failf("Could not decode text file with supported encodings: %s", name).
		with("mime_type", mimeType(head)).with("file_size_bytes", size).
		with("hint", "read it with encoding base64, or look at it with bash: file, xxd, strings")
}

func (b *Toolbox) readBase64(ctx context.Context, in readInput, e entry, out *readOutput) error {
	data, err := collect(ctx, b.store, e.path, readBase64)
	if errors.Is(err, errTooLarge) {
		return failf("%s has %d bytes; at most %d can be read as base64", in.Path, e.size, readBase64)
	}
	if err != nil {
		return b.fileError(in.Path, err)
	}
	out.Content, out.MIMEType = base64.StdEncoding.EncodeToString(data), mimeType(data)
	out.ReturnedBytes, out.Offset = len(data), 0
	return nil
}

var (
	errEnough = errors.New("enough has been read")
	errBinary = errors.New("binary")
)

// A textReader finds a page in the bytes of a file that are written to it.
type textReader struct {
	page    *page
	head    []byte // what is known of the beginning while the charset is not
	started bool
	charset *charset // nil where the file has no mark
	decoder *transform.Writer
}

// Write takes the next bytes of the file.
func (r *textReader) Write(b []byte) (int, error) {
	if !r.started {
		r.head = append(r.head, b...)
		if len(r.head) < sniffed {
			return len(b), nil
		}
		if err := r.start(); err != nil {
			return 0, err
		}
		return len(b), nil
	}
	return len(b), r.pass(b)
}

// start decides what the file is, and passes on its beginning.
func (r *textReader) start() error {
	r.started = true
	r.charset = markOf(r.head)
	if r.charset == nil {
		if isBinary(r.head) {
			return errBinary
		}
		return r.pass(r.head)
	}
	if r.charset.enc != nil {
		r.decoder = transform.NewWriter(r.page, r.charset.enc.NewDecoder())
	}
	return r.pass(r.head[len(r.charset.mark):])
}

func (r *textReader) pass(b []byte) error {
	if r.decoder != nil {
		_, err := r.decoder.Write(b)
		return err
	}
	_, err := r.page.Write(b)
	return err
}

// finish says that there are no more bytes.
func (r *textReader) finish() error {
	if !r.started {
		if err := r.start(); err != nil && !errors.Is(err, errEnough) {
			return err
		}
	}
	if r.decoder != nil {
		if err := r.decoder.Close(); err != nil && !errors.Is(err, errEnough) {
			return err
		}
	}
	return nil
}

// fill puts the page into the output.
func (r *textReader) fill(out *readOutput) {
	raw, p := r.page.text(), r.page
	c := charsetUTF8
	switch {
	case r.charset != nil:
		if r.charset.name != "utf-8-sig" {
			out.Charset = r.charset.name
		}
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	case p.invalid || !utf8.Valid(trimPartial(raw, p.cut)):
		if c = charsetCP1252; p.undefined || containsByte(raw, undefined) {
			c = charsetLatin1
		}
		out.Charset = c.name
	}
	if c == charsetUTF8 {
		raw = trimPartial(raw, p.cut)
	}
	content := cutText(c.decode(raw), readBytes)
	p.cut = p.cut || len(content) < len(c.decode(raw))
	out.Content, out.ReturnedBytes = content, len(content)
	out.LinesRead = strings.Count(content, "\n")
	if content != "" && !strings.HasSuffix(content, "\n") {
		out.LinesRead++
	}
	out.WasTruncated = p.cut || p.more
	if out.Offset == -1 {
		out.Offset = p.last
	}
}

// trimPartial takes a character that was cut off its end, if it was cut there.
func trimPartial(raw []byte, cut bool) []byte {
	if !cut {
		return raw
	}
	for i := 1; i < utf8.UTFMax && i <= len(raw); i++ {
		if at := len(raw) - i; utf8.RuneStart(raw[at]) {
			if !utf8.FullRune(raw[at:]) {
				return raw[:at]
			}
			break
		}
	}
	return raw
}
