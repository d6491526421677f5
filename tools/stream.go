package tools

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"
)

// spillBytes is how much of a stream is kept in a file.
const spillBytes = 16 << 20

// A streamRest is what a result leaves out of a stream.
type streamRest struct {
	Bytes   int64  `json:"bytes" jsonschema:"How much there was in all"`
	Lines   int64  `json:"lines" jsonschema:"How many lines there were in all"`
	Tail    string `json:"tail" jsonschema:"The end of it"`
	Path    string `json:"path,omitempty" jsonschema:"The file that has all of it"`
	Missing int64  `json:"missing,omitempty" jsonschema:"How many bytes that file lacks at its end"`
	Note    string `json:"note,omitempty" jsonschema:"Why there is no file"`

	left      int64 // bytes between the head and the tail
	leftLines int64
}

// withRest shows the beginning and the end of a stream, with what is between them
// counted, in no more than streamBytes and a line.
func withRest(head string, r *streamRest) string {
	if r == nil {
		return head
	}
	short := cutText(head, streamBytes-tailBytes)
	marker := fmt.Sprintf("[%d bytes, %d lines left out", r.left+int64(len(head)-len(short)), r.leftLines+int64(strings.Count(head[len(short):], "\n")))
	switch {
	case r.Path == "":
		marker += "; " + r.Note
	case r.Missing > 0:
		marker += fmt.Sprintf("; all but the last %d bytes are in %s: use sed -n, grep or read_file", r.Missing, r.Path)
	default:
		marker += fmt.Sprintf("; all of it is in %s: use sed -n, grep or read_file with an offset", r.Path)
	}
	return short + ending(short) + marker + "]\n" + r.Tail
}

// A stream is the output of a command: its beginning, its end, and what is between
// them up to spillBytes.
type stream struct {
	progress func([]byte)

	mu    sync.Mutex
	data  []byte
	tail  []byte // the last bytes, once data is full
	total int64
	lines int64
}

func newStream(progress func([]byte)) *stream { return &stream{progress: progress} }

// Write keeps b.
func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	s.total += int64(len(b))
	s.lines += int64(bytes.Count(b, []byte("\n")))
	keep := min(spillBytes-len(s.data), len(b))
	s.data = append(s.data, b[:keep]...)
	if rest := b[keep:]; len(rest) > 0 {
		s.tail = append(s.tail, rest...)
		if len(s.tail) > 4*tailBytes {
			s.tail = append(s.tail[:0], s.tail[len(s.tail)-2*tailBytes:]...)
		}
	}
	s.mu.Unlock()
	if s.progress != nil {
		s.progress(b)
	}
	return len(b), nil
}

// result returns the beginning of the stream, and what that leaves out, of which it
// makes a file.
func (s *stream) result(ctx context.Context, b *Toolbox, c Call, name string) (string, *streamRest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.total <= streamBytes {
		return validText(s.data), nil
	}
	end := s.data
	if s.total > int64(len(s.data)) {
		end = append(bytes.Clone(s.data[max(0, len(s.data)-2*tailBytes):]), s.tail...)
	}
	raw := trimPartial(s.data[:streamBytes], true)
	head := cutText(validText(raw), streamBytes)
	from := max(int64(len(raw)), s.total-tailBytes)
	back := end[int64(len(end))-(s.total-from):]
	for skip := 0; skip < utf8.UTFMax && len(back) > 0 && from > int64(len(raw)) && !utf8.RuneStart(back[0]); skip++ {
		back, from = back[1:], from+1
	}
	r := &streamRest{Bytes: s.total, Lines: s.lines, Tail: validText(back)}
	r.left = from - int64(len(raw))
	r.leftLines = max(0, s.lines-int64(bytes.Count(raw, []byte("\n")))-int64(bytes.Count(back, []byte("\n"))))
	r.Missing = s.total - int64(len(s.data))
	file, err := b.spill(ctx, spillName(c, name, ".txt"), s.data)
	if err != nil {
		r.Note, r.Missing = "there is no file with the rest: "+reason(err), 0
		return head, r
	}
	r.Path = file
	return head, r
}

// invalid reports whether the stream has bytes that are no text.
func (s *stream) invalid() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !utf8.Valid(trimPartial(s.data, s.total > int64(len(s.data))))
}

// spillDir is where large results are kept in the sandbox.
func (b *Toolbox) spillDir() string {
	return "/tmp/limpet-session-" + url.PathEscape(b.cfg.Session)
}

// spillName returns the name of the file for a result of a call.
func spillName(c Call, part, suffix string) string {
	name := url.PathEscape(c.Name) + "-" + url.PathEscape(c.ID)
	if part != "" {
		name += "-" + part
	}
	return cutText(name, 200) + suffix
}

// spill writes a file with a large result, and returns its name.
func (b *Toolbox) spill(ctx context.Context, name string, data []byte) (string, error) {
	dir := b.spillDir() + "/tool-results"
	ctx = context.WithoutCancel(ctx) // what there was until a call was cancelled is kept too
	for _, d := range []string{b.spillDir(), dir} {
		if err := b.store.private(ctx, d); err != nil {
			return "", err
		}
	}
	return dir + "/" + name, b.store.replace(ctx, dir+"/"+name, data)
}
