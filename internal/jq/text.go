package jq

import (
	"encoding/base32"
	"encoding/base64"
	"io"
	"strings"
	"unicode/utf8"
)

var textNatives = map[string]*native{
	"ascii_downcase/0": of(func(m *machine, in Value) (Value, error) { return mapASCII(in, 'A', 'Z') }),
	"ascii_upcase/0":   of(func(m *machine, in Value) (Value, error) { return mapASCII(in, 'a', 'z') }),
	"explode/0":        of(explode),
	"implode/0":        of(implode),
	"startswith/1": with(func(_ *machine, in, arg Value) (Value, error) {
		s, t, ok := twoStrings(in, arg)
		if !ok {
			return nil, fail("startswith() requires string inputs")
		}
		return strings.HasPrefix(s, t), nil
	}),
	"endswith/1": with(func(_ *machine, in, arg Value) (Value, error) {
		s, t, ok := twoStrings(in, arg)
		if !ok {
			return nil, fail("endswith() requires string inputs")
		}
		return strings.HasSuffix(s, t), nil
	}),
	"ltrimstr/1": with(func(_ *machine, in, arg Value) (Value, error) {
		s, t, ok := twoStrings(in, arg)
		if !ok {
			return in, nil
		}
		return strings.TrimPrefix(s, t), nil
	}),
	"rtrimstr/1": with(func(_ *machine, in, arg Value) (Value, error) {
		s, t, ok := twoStrings(in, arg)
		if !ok {
			return in, nil
		}
		return strings.TrimSuffix(s, t), nil
	}),
	"trim/0":      of(trimmer(strings.TrimSpace)),
	"ltrim/0":     of(trimmer(func(s string) string { return strings.TrimLeft(s, " \t\n\r\f\v") })),
	"rtrim/0":     of(trimmer(func(s string) string { return strings.TrimRight(s, " \t\n\r\f\v") })),
	"split/1":     with(splitBy),
	"join/1":      with(join),
	"_indices/1":  with(indices),
	"ascii/0":     of(ascii),
	"_strindex/1": with(indices),
}

func twoStrings(a, b Value) (s, t string, ok bool) {
	s, ok1 := a.(string)
	t, ok2 := b.(string)
	return s, t, ok1 && ok2
}

func mapASCII(in Value, low, high byte) (Value, error) {
	s, ok := in.(string)
	if !ok {
		return nil, fail("explode input must be a string")
	}
	b := []byte(s)
	for i, c := range b {
		if c >= low && c <= high {
			b[i] = c ^ 0x20
		}
	}
	return string(b), nil
}

func explode(m *machine, in Value) (Value, error) {
	s, ok := in.(string)
	if !ok {
		return nil, fail("explode input must be a string")
	}
	m.work(1 + len(s)>>4)
	m.room(slotSize * len(s))
	list := make([]Value, 0, len(s))
	for _, r := range s {
		list = append(list, float64(r))
	}
	return m.made(newArray(list)), nil
}

func implode(m *machine, in Value) (Value, error) {
	a, ok := in.(*Array)
	if !ok {
		return nil, fail("implode input must be an array")
	}
	m.work(1 + len(a.v)>>4)
	var b []byte
	for _, e := range a.v {
		n, ok := number(e)
		if !ok {
			return nil, fail("Unicode codepoint must be numeric")
		}
		r := rune(toInt(n))
		if !utf8.ValidRune(r) {
			r = utf8.RuneError
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b), nil
}

func ascii(_ *machine, in Value) (Value, error) {
	n, ok := number(in)
	if !ok {
		return nil, fail("ascii input must be a number")
	}
	return string(rune(toInt(n))), nil
}

func trimmer(f func(string) string) func(*machine, Value) (Value, error) {
	return func(m *machine, in Value) (Value, error) {
		s, ok := in.(string)
		if !ok {
			return nil, fail("%s cannot be trimmed", m.shown(in))
		}
		return f(s), nil
	}
}

func splitBy(m *machine, in, arg Value) (Value, error) {
	s, sep, ok := twoStrings(in, arg)
	if !ok {
		return nil, fail("split input and separator must be strings")
	}
	return m.split(s, sep), nil
}

func join(m *machine, in, arg Value) (Value, error) {
	a, ok := in.(*Array)
	if !ok {
		return nil, fail("Cannot iterate over %s", m.shown(in))
	}
	if len(a.v) == 0 {
		return "", nil
	}
	sep, ok := arg.(string)
	if !ok && arg != nil {
		if len(a.v) == 1 {
			return nil, fail("%s and %s cannot be added", m.shown(""), m.shown(arg))
		}
		return nil, fail("%s and %s cannot be added", m.shown(m.text(a.v[0])), m.shown(arg))
	}
	var b []byte
	held := 0
	defer func() { m.hold(-held) }()
	for i, e := range a.v {
		m.work(1)
		if i > 0 {
			b = append(b, sep...)
		}
		was := len(b)
		switch e := e.(type) {
		case nil:
		case string:
			b = append(b, e...)
		case bool, float64, Literal:
			b = append(b, m.text(e)...)
		default:
			return nil, fail("%s and %s cannot be added", m.shown(string(b)), m.shown(e))
		}
		m.hold(len(b) - was)
		held += len(b) - was
	}
	return string(b), nil
}

// indices returns where arg is in the input.
func indices(m *machine, in, arg Value) (Value, error) {
	s, t, ok := twoStrings(in, arg)
	if !ok {
		if in == nil {
			return nil, nil
		}
		if a, ok := in.(*Array); ok {
			if _, list := arg.(*Array); !list {
				return m.positions(a, array(arg)), nil
			}
		}
		return m.index(in, arg)
	}
	if t == "" {
		return nil, nil
	}
	var list []Value
	for at, chars := 0, 0; ; {
		i := strings.Index(s[at:], t)
		m.work(1 + max(i, 0)>>8)
		if i < 0 {
			return m.made(newArray(list)), nil
		}
		chars += m.length(s[at : at+i])
		at += i
		list = append(list, float64(chars))
		_, n := utf8.DecodeRuneInString(s[at:])
		at += n
		chars++
	}
}

// text returns v as tostring does.
func (m *machine) text(v Value) string {
	if s, ok := v.(string); ok {
		return s
	}
	return m.compact(v)
}

// formats are the names of the formats, without the @.
var formats = map[string]bool{
	"text": true, "json": true, "csv": true, "tsv": true, "html": true, "uri": true, "sh": true,
	"base64": true, "base64d": true, "base32": true, "base32d": true,
}

var (
	htmlEscapes = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "'", "&apos;", `"`, "&quot;")
	tsvEscapes  = strings.NewReplacer("\t", `\t`, "\r", `\r`, "\n", `\n`, `\`, `\\`)
)

// format returns v in a format.
func (m *machine) format(name string, v Value) (Value, error) {
	if n := sizeOf(v); n > 1<<10 {
		m.work(n >> 6)
		m.room(2 * n)
	}
	if !formats[name] {
		return nil, fail("%s is not a valid format", name)
	}
	switch name {
	case "text":
		return m.text(v), nil
	case "json":
		return m.compact(v), nil
	case "csv", "tsv":
		return m.row(name, v)
	case "sh":
		return m.quoted(v)
	case "html":
		return htmlEscapes.Replace(m.text(v)), nil
	case "uri":
		return escapeURI(m.text(v)), nil
	case "base64":
		return base64.StdEncoding.EncodeToString([]byte(m.text(v))), nil
	case "base32":
		return base32.StdEncoding.EncodeToString([]byte(m.text(v))), nil
	case "base32d":
		b, err := base32.StdEncoding.DecodeString(m.text(v))
		if err != nil {
			return nil, fail("%s is not valid base32 data", m.shown(m.text(v)))
		}
		return valid(string(b)), nil
	}
	return m.decodeBase64(m.text(v))
}

func (m *machine) decodeBase64(s string) (Value, error) {
	trimmed := strings.TrimRight(s, "=")
	if len(trimmed)%4 == 1 {
		return nil, fail("%s trailing base64 byte found", m.shown(s))
	}
	b, err := base64.RawStdEncoding.DecodeString(trimmed)
	if err != nil {
		return nil, fail("%s is not valid base64 data", m.shown(s))
	}
	return valid(string(b)), nil
}

func (m *machine) row(name string, v Value) (Value, error) {
	a, ok := v.(*Array)
	if !ok {
		return nil, fail("%s cannot be %s-formatted, only array", m.shown(v), name)
	}
	var b strings.Builder
	for i, e := range a.v {
		if i > 0 {
			b.WriteByte(map[string]byte{"csv": ',', "tsv": '\t'}[name])
		}
		switch e := e.(type) {
		case nil:
		case string:
			if name == "csv" {
				b.WriteString(`"` + strings.ReplaceAll(e, `"`, `""`) + `"`)
			} else {
				b.WriteString(tsvEscapes.Replace(e))
			}
		case bool, float64, Literal:
			b.WriteString(m.text(e))
		default:
			return nil, fail("%s is not valid in a csv row", m.shown(e))
		}
	}
	return b.String(), nil
}

// quoted returns v quoted for a shell; an array as several words.
func (m *machine) quoted(v Value) (Value, error) {
	a, ok := v.(*Array)
	if !ok {
		a = array(v)
	}
	var b strings.Builder
	for i, e := range a.v {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch e := e.(type) {
		case string:
			b.WriteString(`'` + strings.ReplaceAll(e, `'`, `'\''`) + `'`)
		case *Array, *Object:
			return nil, fail("%s can not be escaped for shell", m.shown(e))
		default:
			b.WriteString(m.text(e))
		}
	}
	return b.String(), nil
}

func escapeURI(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || isDigit(c) || strings.IndexByte("-_.~!*'()", c) >= 0 {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

func toNumber(m *machine, in Value) (Value, error) {
	if _, ok := number(in); ok {
		return in, nil
	}
	s, ok := in.(string)
	if !ok {
		return nil, fail("%s cannot be parsed as a number", m.shown(in))
	}
	v, err := m.parseJSON(s)
	if err != nil {
		return nil, err
	}
	if _, ok := number(v); !ok {
		return nil, fail("%s cannot be parsed as a number", m.shown(in))
	}
	return v, nil
}

func fromJSON(m *machine, in Value) (Value, error) {
	s, ok := in.(string)
	if !ok {
		return nil, fail("%s only strings can be parsed", m.shown(in))
	}
	return m.parseJSON(s)
}

// parseJSON returns the only value of a JSON text.
func (m *machine) parseJSON(s string) (Value, error) {
	r := newReader(m, strings.NewReader(s))
	defer r.close()
	while := func(err error) error { return fail("%s (while parsing '%s')", err.Error(), s) }
	v, err := r.read()
	if err == io.EOF {
		return nil, fail("Expected JSON value (while parsing '%s')", s)
	}
	if err != nil {
		return nil, while(err)
	}
	switch _, err := r.read(); {
	case err == io.EOF:
		return v, nil
	case err != nil:
		return nil, while(err)
	}
	return nil, fail("Unexpected extra JSON values (while parsing '%s')", s)
}
