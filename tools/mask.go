package tools

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/limpet-sh/limpet"
)

// A mask replaces the secrets of a sandbox. The zero mask has none.
type mask struct {
	replacer *strings.Replacer // nil where there are none
	values   []string
}

// maskOf returns that of a sandbox.
func maskOf(s limpet.Sandbox) (m mask) {
	secrets := limpet.SecretsOf(s)
	names := slices.SortedFunc(maps.Keys(secrets), func(a, b string) int { // a secret that is part of another comes later
		return cmp.Or(cmp.Compare(len(secrets[b]), len(secrets[a])), cmp.Compare(a, b))
	})
	var pairs []string
	for _, name := range names {
		pairs = append(pairs, secrets[name], "[secret "+name+"]")
		m.values = append(m.values, secrets[name])
	}
	if pairs != nil {
		m.replacer = strings.NewReplacer(pairs...)
	}
	return m
}

// text returns s without secrets.
func (m mask) text(s string) string {
	if m.replacer == nil {
		return s
	}
	return m.replacer.Replace(s)
}

// value returns v with all texts in it without secrets: in place where it refers to them.
func (m mask) value(v any) any {
	if m.replacer == nil || v == nil {
		return v
	}
	c := reflect.New(reflect.TypeOf(v)).Elem()
	c.Set(reflect.ValueOf(v))
	m.walk(c)
	return c.Interface()
}

// walk masks the texts of v, which can be set.
func (m mask) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(m.text(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			m.walk(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(reflect.ValueOf(m.value(v.Interface())))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				m.walk(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			m.walk(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			v.SetMapIndex(key, reflect.ValueOf(m.value(v.MapIndex(key).Interface())))
		}
	default: // no text
	}
}

// progress returns what passes output on to f without secrets, and what passes on the
// rest in the end: a secret may come in parts. What the first returns is safe for
// concurrent use.
func (m mask) progress(f func([]byte)) (masked func([]byte), end func()) {
	if m.replacer == nil || f == nil {
		return f, func() {}
	}
	var mu sync.Mutex
	held := ""
	masked = func(b []byte) {
		mu.Lock()
		defer mu.Unlock()
		text := m.text(held + string(b))
		n := len(text) - m.begun(text)
		if held = text[n:]; n > 0 {
			f([]byte(text[:n]))
		}
	}
	return masked, func() {
		mu.Lock()
		defer mu.Unlock()
		if held != "" {
			f([]byte(held))
		}
	}
}

// begun returns how much of the end of text is the beginning of a secret.
func (m mask) begun(text string) (n int) {
	for _, value := range m.values {
		for k := min(len(value)-1, len(text)); k > n; k-- {
			if strings.HasSuffix(text, value[:k]) {
				n = k
				break
			}
		}
	}
	return n
}
