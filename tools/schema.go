package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaOf returns the schema of a type. Besides the tags of the library there is
// arg, with what bounds a field: min=N, max=N, shown=N (a minimum), default=JSON, enum=A|B, length=N (at
// least), separated by commas. told says that the schema is to be shown to models.
func schemaOf(t reflect.Type, told bool) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, nil)
	if err != nil {
		panic(fmt.Sprintf("tools: %v", err)) // a type of this module
	}
	refine(s, t, told)
	return s
}

// refine adds what the tags say to the schema of a type.
func refine(s *jsonschema.Schema, t reflect.Type, told bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		if t.Kind() == reflect.Slice {
			s = s.Items
		}
		t = t.Elem()
	}
	if s == nil {
		return
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := s.Properties[name]
		if p == nil {
			continue
		}
		// A nil slice or map is written as an empty one by the types of this package.
		if f.Type.Kind() == reflect.Slice || f.Type.Kind() == reflect.Map {
			p.Types = slices.DeleteFunc(p.Types, func(t string) bool { return t == "null" })
			p.Type, p.Types = strings.Join(append(p.Types, p.Type), ""), nil
		}
		for part := range strings.SplitSeq(f.Tag.Get("arg"), ",") {
			if part != "" {
				bound(p, part, told)
			}
		}
		refine(p, f.Type, told)
	}
}

// bound adds one bound to the schema of a field.
func bound(p *jsonschema.Schema, part string, told bool) {
	key, value, _ := strings.Cut(part, "=")
	number := func() *float64 {
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			panic("tools: tag " + part)
		}
		return &n
	}
	switch key {
	case "min":
		p.Minimum = number()
	case "shown": // a bound that models are told of, and that the tool itself knows exceptions from
		if told {
			p.Minimum = number()
		}
	case "max":
		p.Maximum = number()
	case "length":
		n := int(*number())
		p.MinLength = &n
	case "default":
		p.Default = json.RawMessage(value)
	case "enum":
		for v := range strings.SplitSeq(value, "|") {
			p.Enum = append(p.Enum, v)
		}
	default:
		panic("tools: tag " + part)
	}
}

// decode reads arguments into v, which is a pointer to a struct of the schema, and
// puts defaults where something is missing.
func decode(s *jsonschema.Schema, args json.RawMessage, v any) []ArgumentError {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil || d.More() {
		return []ArgumentError{{Type: "json_invalid", Message: "the arguments are not one JSON value"}}
	}
	var c checker
	value = c.check("", s, value)
	if len(c.errs) > 0 {
		return c.errs
	}
	if !c.changed && json.Unmarshal(args, v) == nil {
		return nil
	}
	if err := json.Unmarshal(marshal(value), v); err != nil {
		return []ArgumentError{{Type: "json_invalid", Message: err.Error()}}
	}
	return nil
}

// zero reports whether a default is what a field is anyway.
func zero(def json.RawMessage) bool {
	switch string(def) {
	case "0", `""`, "false", "null":
		return true
	}
	return false
}

// A checker compares a value with a schema: the part of JSON Schema that the
// arguments of tools use. It says all that is wrong, in words that help to mend it.
type checker struct {
	errs    []ArgumentError
	changed bool // a default was put in
}

func (c *checker) fail(at, kind, format string, args ...any) {
	c.errs = append(c.errs, ArgumentError{at, kind, fmt.Sprintf(format, args...)})
}

// check returns the value with defaults.
func (c *checker) check(at string, s *jsonschema.Schema, value any) any {
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	if kind := kindOf(value); len(types) > 0 && !slices.Contains(types, kind) && !(kind == "integer" && slices.Contains(types, "number")) {
		want := strings.Join(types, " or ")
		c.fail(at, want+"_type", "should be a valid %s, not %s", want, article(kind))
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		return c.object(at, s, v)
	case []any:
		if s.Items != nil {
			for i := range v {
				v[i] = c.check(join(at, strconv.Itoa(i)), s.Items, v[i])
			}
		}
		if s.MinItems != nil && len(v) < *s.MinItems {
			c.fail(at, "too_short", "should have at least %d items", *s.MinItems)
		}
	case string:
		c.text(at, s, v)
	case json.Number:
		n, _ := v.Float64()
		if s.Minimum != nil && n < *s.Minimum {
			c.fail(at, "greater_than_equal", "should be greater than or equal to %v", *s.Minimum)
		}
		if s.Maximum != nil && n > *s.Maximum {
			c.fail(at, "less_than_equal", "should be less than or equal to %v", *s.Maximum)
		}
		if kindOf(value) == "integer" && strings.ContainsAny(string(v), ".eE") && math.Abs(n) < 1<<53 {
			return json.Number(strconv.FormatInt(int64(n), 10)) // 3.0 is an integer
		}
	}
	return value
}

// text checks a string.
func (c *checker) text(at string, s *jsonschema.Schema, v string) {
	if s.MinLength != nil && utf8.RuneCountInString(v) < *s.MinLength {
		c.fail(at, "string_too_short", "should have at least %d character", *s.MinLength)
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, any(v)) {
		c.fail(at, "enum", "should be one of %s", strings.Trim(fmt.Sprint(s.Enum), "[]"))
	}
}

// object checks a map.
func (c *checker) object(at string, s *jsonschema.Schema, v map[string]any) any {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			c.fail(join(at, name), "missing", "is required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		p := s.Properties[name]
		switch {
		case p != nil:
			v[name] = c.check(join(at, name), p, v[name])
		case s.AdditionalProperties == nil:
		case s.AdditionalProperties.Not != nil: // the schema that nothing matches
			c.fail(join(at, name), "extra_forbidden", "is not an argument of this tool")
		default:
			v[name] = c.check(join(at, name), s.AdditionalProperties, v[name])
		}
	}
	for name, p := range s.Properties {
		if _, ok := v[name]; !ok && p.Default != nil {
			v[name] = p.Default
			c.changed = c.changed || !zero(p.Default)
		}
	}
	return v
}

// kindOf returns the type of a JSON value, as schemas name it.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if n, err := v.Float64(); err == nil && n == math.Trunc(n) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func article(kind string) string {
	switch kind {
	case "null":
		return kind
	case "integer", "array", "object":
		return "an " + kind
	}
	return "a " + kind
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
