package yq

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// A textDecoder reads a document that is one string in another form.
type textDecoder struct {
	m      *Machine
	in     *input
	format Format
	done   bool
}

// Next reads the only document.
func (d *textDecoder) Next() (*Node, error) {
	if d.done {
		return nil, io.EOF
	}
	d.done = true
	b, err := d.in.all()
	if err != nil {
		return nil, err
	}
	text := string(b)
	if d.format == URI {
		text, err = url.QueryUnescape(text)
		return scalar(tagStr, text), err
	}
	code := base64.RawStdEncoding
	if d.format == Base64URL {
		code = base64.RawURLEncoding
	}
	b, err = code.DecodeString(strings.TrimRight(strings.TrimSpace(text), "="))
	return scalar(tagStr, string(b)), err
}

// A textEncoder writes strings in another form.
type textEncoder struct {
	plainText
	format Format
}

// Encode writes a string.
func (e *textEncoder) Encode(w io.Writer, n *Node) error {
	what := " as URI, can only operate on strings. Please first pipe through another encoding operator to convert the value to a string"
	text := ""
	switch e.format {
	case Base64:
		what, text = " as base64, can only operate on strings", base64.StdEncoding.EncodeToString([]byte(n.Value))
	case Base64URL:
		what, text = " as base64, can only operate on strings", base64.URLEncoding.EncodeToString([]byte(n.Value))
	case URI:
		text = url.QueryEscape(n.Value)
	default:
		text = shellWord(n.Value)
	}
	if n.guess() != tagStr {
		return fmt.Errorf("cannot encode %s%s", n.Tag, what)
	}
	_, err := io.WriteString(w, text)
	return err
}

// shellWord quotes a text for a shell: from the first character that needs it to
// the next single quote, which has a backslash.
func shellWord(text string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\'':
			if quoted {
				b.WriteByte('\'')
				quoted = false
			}
			b.WriteByte('\\')
		case !quoted && !strings.ContainsRune("_@%+=:,./-", rune(c)) && !alphanumeric(rune(c)):
			b.WriteByte('\'')
			quoted = true
		}
		b.WriteByte(c)
	}
	if quoted {
		b.WriteByte('\'')
	}
	return b.String()
}

func alphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
