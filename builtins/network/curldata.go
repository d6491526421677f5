package network

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
)

// A dataKind is how an option gives data.
type dataKind int

const (
	plainData   dataKind = iota // @file without its line breaks
	binaryData                  // @file as it is
	rawData                     // no files
	encodedData                 // name=text, name@file
	jsonData                    // @file as it is, and headers for JSON
)

func dataOption(kind dataKind) setter {
	return func(cu *curl, o *operation, v string, _ bool) error {
		part, err := readData(cu, o, kind, v)
		if err != nil {
			return err
		}
		if o.hasData && kind != jsonData {
			o.data = append(o.data, '&')
		}
		o.data, o.hasData = append(o.data, part...), true
		o.isJSON = o.isJSON || kind == jsonData
		return cu.Alloc(len(part))
	}
}

// readData returns the data that the value of an option stands for.
func readData(cu *curl, o *operation, kind dataKind, v string) ([]byte, error) {
	name, file := strings.CutPrefix(v, "@")
	switch {
	case kind == encodedData:
		text, err := encodedQuery(cu, v)
		return []byte(text), err
	case !file || kind == rawData:
		return []byte(v), nil
	}
	data, err := cu.readInput(name)
	if err != nil {
		if cu.Ends(err) {
			return nil, err
		}
		cu.warn(o, "Couldn't read data from file \"%s\", this makes an empty POST.", name)
	}
	if kind == plainData {
		data = bytes.Map(func(r rune) rune {
			if r == '\r' || r == '\n' || r == 0 {
				return -1
			}
			return r
		}, data)
	}
	return data, nil
}

// encodedQuery encodes text, =text, name=text, @file or name@file.
func encodedQuery(cu *curl, v string) (string, error) {
	at := strings.IndexAny(v, "=@")
	if at < 0 {
		return encode([]byte(v)), nil
	}
	name, text := v[:at], []byte(v[at+1:])
	if v[at] == '@' {
		data, err := cu.readInput(v[at+1:])
		if err != nil {
			return "", fmt.Errorf("error encountered when reading a file")
		}
		text = data
	}
	if name != "" {
		name += "="
	}
	return name + encode(text), nil
}

// encode escapes all but the characters that are never special; a space is a plus
// sign.
func encode(text []byte) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		case c == ' ':
			b.WriteByte('+')
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// lowerEscapes writes the percent signs of a query as curl does with -G.
func lowerEscapes(text string) string {
	b := []byte(text)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(text[i+1:i+3]))
		}
	}
	return string(b)
}

// A formPart is a -F option.
type formPart struct {
	text    string
	literal bool
}

func formOption(literal bool) setter {
	return func(_ *curl, o *operation, v string, _ bool) error {
		if !strings.Contains(v, "=") {
			return &curlError{2, "Illegally formatted input field"}
		}
		o.form = append(o.form, formPart{v, literal})
		return nil
	}
}

// makeForm makes the body of a multipart form.
func (o *operation) makeForm(cu *curl) error {
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return err
	}
	boundary := strings.Repeat("-", 24) + hex.EncodeToString(id[:])
	var b bytes.Buffer
	for _, part := range o.form {
		name, value, _ := strings.Cut(part.text, "=")
		if err := o.addPart(cu, &b, boundary, name, value, part.literal); err != nil {
			return err
		}
	}
	fmt.Fprintf(&b, "--%s--\r\n", boundary)
	o.body, o.kind = b.Bytes(), "multipart/form-data; boundary="+boundary
	return nil
}

// addPart adds a part, which may be several files.
func (o *operation) addPart(cu *curl, b *bytes.Buffer, boundary, name, value string, literal bool) error {
	kind, fileName, hasName := "", "", false
	var names []string
	upload := !literal && strings.HasPrefix(value, "@")
	content := []byte(value)
	if !literal {
		fields := splitForm(value)
		content = []byte(fields[0])
		for _, f := range fields[1:] {
			key, v, _ := strings.Cut(f, "=")
			switch strings.TrimSpace(key) {
			case "type":
				kind = v
			case "filename":
				fileName, hasName = v, true
			case "encoder", "headers":
				return &curlError{2, "form parts with " + strings.TrimSpace(key) + "= are not supported"}
			default: // as curl takes it: part of the type or of the value
				if kind != "" {
					kind += ";" + f
				} else {
					content = append(append(content, ';'), f...)
				}
			}
		}
		if upload {
			names = strings.Split(string(content[1:]), ",")
		}
	}
	if strings.ContainsAny(kind, "\r\n") {
		return curlErrorf(3, "a form part whose type has a line break")
	}
	if !literal && strings.HasPrefix(value, "<") {
		data, err := cu.readInput(string(content[1:]))
		if err != nil {
			return curlErrorf(26, "Failed to open/read local data from file/application")
		}
		content = data
	}
	if !upload {
		writePart(b, boundary, name, fileName, hasName, kind, content)
		return cu.Alloc(len(content))
	}
	for _, n := range names {
		data, err := cu.readInput(n)
		if err != nil {
			return curlErrorf(26, "Failed to open/read local data from file/application")
		}
		shown := fileName
		if !hasName {
			shown = n[strings.LastIndexByte(n, '/')+1:]
		}
		k := kind
		if k == "" && n != "-" {
			k = typeOf(n)
		}
		writePart(b, boundary, name, shown, true, k, data)
	}
	return nil
}

func writePart(b *bytes.Buffer, boundary, name, fileName string, hasFile bool, kind string, content []byte) {
	fmt.Fprintf(b, "--%s\r\nContent-Disposition: form-data; name=\"%s\"", boundary, escapeField(name))
	if hasFile {
		fmt.Fprintf(b, "; filename=\"%s\"", escapeField(fileName))
	}
	b.WriteString("\r\n")
	if kind != "" {
		fmt.Fprintf(b, "Content-Type: %s\r\n", kind)
	}
	b.WriteString("\r\n")
	b.Write(content)
	b.WriteString("\r\n")
}

// escapeField escapes what would end a field, as browsers do.
func escapeField(s string) string {
	return strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A").Replace(s)
}

// splitForm splits a value at its semicolons that are not within quotes.
func splitForm(value string) []string {
	var list []string
	var b strings.Builder
	quoted := false
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case c == '\\' && quoted && i+1 < len(value):
			i++
			b.WriteByte(value[i])
		case c == '"' && (quoted || b.Len() == 0 || strings.HasSuffix(b.String(), "=") || b.String() == "@" || b.String() == "<"):
			quoted = !quoted
		case c == ';' && !quoted:
			list = append(list, b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	return append(list, b.String())
}

// typeOf returns the media type of a file by its name, as curl guesses it.
func typeOf(name string) string {
	for ext, kind := range map[string]string{
		".gif": "image/gif", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".svg": "image/svg+xml",
		".txt": "text/plain", ".htm": "text/html", ".html": "text/html", ".pdf": "application/pdf", ".xml": "application/xml",
	} {
		if len(name) >= len(ext) && strings.EqualFold(name[len(name)-len(ext):], ext) {
			return kind
		}
	}
	return "application/octet-stream"
}
