package yq

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// A Format is a way to write documents.
type Format uint8

// The formats.
const (
	YAML Format = iota
	JSON
	Props
	CSV
	TSV
	XML
	Base64
	Base64URL
	URI
	TOML
	Shell
	INI
	Sh // only as an operator
)

// formats has the names of formats, and the ends of the names of their files.
var formats = []struct {
	format Format
	names  string
	files  string
}{
	{YAML, "yaml y yml", "yaml yml"}, {JSON, "json j", "json"}, {Props, "props p properties", "properties"},
	{CSV, "csv c", "csv"}, {TSV, "tsv t", "tsv"}, {XML, "xml x", "xml"}, {Base64, "base64", ""},
	{Base64URL, "base64url", ""}, {URI, "uri", ""}, {TOML, "toml", "toml"}, {Shell, "shell s sh", ""},
	{INI, "ini i", "ini"},
}

// ParseFormat finds a format by its name.
func ParseFormat(name string) (Format, error) {
	for _, f := range formats {
		for n := range strings.FieldsSeq(f.names) {
			if n == name {
				return f.format, nil
			}
		}
	}
	return 0, fmt.Errorf("unknown format '%s' please use [yaml|y|json|j|props|p|csv|c|tsv|t|xml|x|base64|base64url|uri|toml|shell|s|ini|i]", name)
}

// FormatOf returns the format that the name of a file tells; YAML if it tells
// none.
func FormatOf(name string) Format {
	end := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	for _, f := range formats {
		for e := range strings.FieldsSeq(f.files) {
			if e == end {
				return f.format
			}
		}
	}
	return YAML
}

// A Decoder reads documents one by one. The error is io.EOF after the last.
type Decoder interface {
	Next() (*Node, error)
}

// An Encoder writes documents.
type Encoder interface {
	// Encode writes one document.
	Encode(w io.Writer, n *Node) error

	// Separate writes what stands between two documents, and Lead what was
	// before one.
	Separate(w io.Writer) error
	Lead(w io.Writer, text string) error

	// Aliases reports whether the format has them; see [Machine.Explode].
	Aliases() bool
}

// plainText is the part of an Encoder that formats without separators share.
type plainText struct{}

func (plainText) Separate(io.Writer) error     { return nil }
func (plainText) Lead(io.Writer, string) error { return nil }
func (plainText) Aliases() bool                { return false }

// NewDecoder returns a decoder of what r has. header says that comments before
// the first document belong to it.
func (m *Machine) NewDecoder(f Format, r io.Reader, header bool) Decoder {
	in := &input{m: m, r: r}
	switch f {
	case JSON:
		return newJSONDecoder(m, in)
	case Props:
		return &propsDecoder{m: m, in: in}
	case CSV:
		return &csvDecoder{m: m, in: in, comma: m.comma()}
	case TSV:
		return &csvDecoder{m: m, in: in, comma: '\t'}
	case XML:
		return &xmlDecoder{m: m, in: in}
	case Base64, Base64URL, URI:
		return &textDecoder{m: m, in: in, format: f}
	case TOML:
		return &tomlDecoder{m: m, in: in}
	case INI:
		return &iniDecoder{m: m, in: in}
	case Shell, Sh:
		return failingDecoder{errors.New("no support for shell input format")}
	}
	return newYAMLDecoder(m, in, header)
}

func (m *Machine) comma() rune {
	if m.CSVSeparator == 0 {
		return ','
	}
	return m.CSVSeparator
}

// A failingDecoder reads nothing.
type failingDecoder struct{ err error }

// Next returns the error.
func (d failingDecoder) Next() (*Node, error) { return nil, d.err }

// EncodeOptions say how documents are shown.
type EncodeOptions struct {
	Indent      int
	Unwrap      bool // scalars are shown without quotes
	NoSeparator bool
	CompactList bool // "- " counts as indentation
}

// NewEncoder returns an encoder.
func (m *Machine) NewEncoder(f Format, o EncodeOptions) Encoder {
	switch f {
	case JSON:
		return &jsonEncoder{m: m, EncodeOptions: o}
	case Props:
		return &propsEncoder{m: m, EncodeOptions: o}
	case CSV:
		return &csvEncoder{m: m, comma: m.comma()}
	case TSV:
		return &csvEncoder{m: m, comma: '\t'}
	case XML:
		return &xmlEncoder{m: m, indent: o.Indent}
	case Base64, Base64URL, URI, Sh:
		return &textEncoder{format: f}
	case TOML:
		return &tomlEncoder{m: m}
	case Shell:
		return &shellEncoder{m: m, EncodeOptions: o}
	case INI:
		return &iniEncoder{m: m}
	}
	return &yamlEncoder{m: m, EncodeOptions: o}
}

// An input is what a decoder reads: it is charged, and ends when the call must.
type input struct {
	m *Machine
	r io.Reader
}

// Read reads as the input does.
func (in *input) Read(p []byte) (int, error) {
	n, err := in.r.Read(p)
	if e := in.m.call.Poll(1 + n/64); e != nil {
		return 0, e
	}
	return n, err
}

// all reads the rest of the input, and charges it.
func (in *input) all() ([]byte, error) {
	var b bytes.Buffer
	block := make([]byte, 16<<10)
	for {
		n, err := in.Read(block)
		if e := in.m.call.Alloc(2 * n); e != nil {
			return nil, e
		}
		in.m.held += 2 * n
		b.Write(block[:n])
		if err == io.EOF {
			return b.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// encoded returns n in a format.
func (m *Machine) encoded(n *Node, f Format, indent int) string {
	o := EncodeOptions{Indent: indent, Unwrap: f != JSON}
	enc := m.NewEncoder(f, o)
	if !enc.Aliases() {
		m.explode(n)
	}
	var b strings.Builder
	check(enc.Lead(&b, n.Lead))
	check(enc.Encode(&b, n))
	m.grow(b.Len())
	return b.String()
}

func encoding(f Format, indent int) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, e *Expr) []*Node {
		indent := indent
		if e.args != "" {
			fmt.Sscan(e.args, &indent)
		}
		return s.one(func(n *Node) *Node {
			text := m.encoded(n, f, indent)
			if old, ok := s.lookup("decoded: " + n.placeName()); ok && strings.Count(text, "\n") == 1 && !strings.HasSuffix(old[0].Value, "\n") {
				text = strings.TrimRight(text, "\n")
			}
			if f == JSON && indent == 0 || f == CSV || f == TSV {
				text = strings.TrimRight(text, "\n")
			}
			return m.str(n, text)
		})
	}
}

func decoding(f Format) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, _ *Expr) []*Node {
		return s.one(func(n *Node) *Node {
			out, err := m.NewDecoder(f, strings.NewReader(n.Value), true).Next()
			check(err)
			out.key, out.parent = n.key, n.parent
			return out
		})
	}
}

// loadEach makes a node of each file that e names.
func (m *Machine) loadEach(s scope, e *Expr, load func(name string) (*Node, error)) []*Node {
	if m.NoFiles {
		fail("file operations have been disabled")
	}
	return s.each(func(s scope, n *Node) []*Node {
		name := m.first(s.reading(), e.right)
		if name == nil {
			fail("filename expression returned nil")
		}
		out, err := load(name.Value)
		if err != nil {
			fail("failed to load %s: %w", name.Value, err)
		}
		return []*Node{out}
	})
}

// OpenError is err as messages show that a file cannot be opened.
func OpenError(name string, err error) error {
	return fmt.Errorf("open %s: %s", name, lowerFirst(vfs.ErrnoOf(err).Error()))
}

func lowerFirst(s string) string { return strings.ToLower(s[:min(1, len(s))]) + s[min(1, len(s)):] }

func loading(f Format) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, e *Expr) []*Node {
		return m.loadEach(s, e, func(name string) (*Node, error) {
			r, err := m.call.Open(name)
			if err != nil {
				return nil, OpenError(name, err)
			}
			defer r.Close()
			docs, err := m.Documents(m.NewDecoder(f, r, false), name, 0)
			switch {
			case err != nil:
				return nil, err
			case len(docs) == 0:
				return scalar(tagNull, ""), nil
			case len(docs) == 1:
				return docs[0], nil
			}
			return m.gather(docs, 0), nil
		})
	}
}

func runLoadText(m *Machine, s scope, e *Expr) []*Node {
	return m.loadEach(s, e, func(name string) (*Node, error) {
		r, err := m.call.Open(name)
		if err != nil {
			return nil, OpenError(name, err)
		}
		defer r.Close()
		text, err := (&input{m: m, r: r}).all()
		if err != nil {
			return nil, err
		}
		return scalar(tagStr, string(text)), nil
	})
}

// Documents reads all documents of one file.
func (m *Machine) Documents(d Decoder, name string, file int) ([]*Node, error) {
	var docs []*Node
	for {
		n, err := d.Next()
		if err == io.EOF {
			return docs, nil
		}
		if err != nil {
			return nil, BadFile(name, err)
		}
		n.Place(len(docs), file, name, true)
		docs = append(docs, n)
	}
}

// BadFile is err as messages show that a file cannot be read.
func BadFile(name string, err error) error { return fmt.Errorf("bad file '%s': %w", name, err) }
