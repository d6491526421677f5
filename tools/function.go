package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
)

// A Function is a function of the host that scripts of a [limpet.Shell] can call as a
// command: arguments come as --NAME VALUE, or as one JSON object on standard input, and
// the result goes out as JSON, for jq. So a model composes many calls in one script.
// Other sandboxes have no such commands: they run the programs of an operating system.
//
//	f := tools.NewFunction("weather", "Tells the weather.", func(ctx context.Context, in struct {
//		City string `json:"city"`
//	}) (Weather, error) { … })
//	sh, err := limpet.New(limpet.Config{Extra: []*builtins.Command{f.Command()}})
type Function struct {
	// Name is what scripts call it. One with slashes, such as mcp/github/search, is a
	// program at that path below the root.
	Name        string
	Description string

	// Input is the schema of the arguments, an object.
	Input *jsonschema.Schema

	// Timeout bounds one call. Zero means 30 seconds.
	Timeout time.Duration

	// Approve, if it is not nil, is asked before each call. Its error is that of the
	// command.
	Approve func(ctx context.Context, args json.RawMessage) error

	// Log, if it is not nil, is told of each call when it has ended.
	Log func(FunctionCall)

	// Call does it. The result is written as JSON. A call whose time is up is left
	// behind if it does not heed its context, and its result is dropped.
	Call func(ctx context.Context, args json.RawMessage) (any, error)
}

// A FunctionCall is a call of a [Function] that has ended.
type FunctionCall struct {
	Name      string
	Arguments json.RawMessage
	Err       error // nil where it has succeeded
	Time      time.Duration
}

const functionTimeout = 30 * time.Second

// NewFunction returns a function whose schema is that of In: a struct whose tags say names
// and descriptions of fields.
func NewFunction[In, Out any](name, description string, do func(context.Context, In) (Out, error)) Function {
	return Function{
		Name: name, Description: description, Input: schemaOf(reflect.TypeFor[In](), true),
		Call: func(ctx context.Context, args json.RawMessage) (any, error) {
			var in In
			if err := json.Unmarshal(args, &in); err != nil {
				return nil, err
			}
			return do(ctx, in)
		},
	}
}

// Statuses of commands that stand for functions.
const (
	functionUsage   builtins.Exit = 2
	functionTimeOut builtins.Exit = 124
	functionDenied  builtins.Exit = 126
)

// Command returns the command.
func (f Function) Command() *builtins.Command {
	summary, _, _ := strings.Cut(f.Description, "\n")
	return &builtins.Command{
		Name: f.Name, Synopsis: "[--NAME VALUE]... | [-] < JSON", Summary: strings.TrimSuffix(summary, "."), Trouble: 1,
		Run: func(ctx context.Context, c *builtins.Call) error { return f.run(ctx, c) },
	}
}

func (f *Function) run(ctx context.Context, c *builtins.Call) error {
	if slices.Contains(c.Args, "--help") {
		_, err := io.WriteString(c.Stdout, f.help())
		return err
	}
	args, err := f.arguments(c)
	if err != nil {
		c.Warn(err)
		return functionUsage
	}
	began := time.Now()
	out, err := f.call(ctx, args)
	if f.Log != nil {
		f.Log(FunctionCall{f.Name, args, err, time.Since(began)})
	}
	var denied *Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		c.Warn(err)
		return functionTimeOut
	case errors.As(err, &denied) && denied.Code == CodeDenied:
		c.Warn(err)
		return functionDenied
	case err != nil:
		return err
	}
	data, err := json.Marshal(out)
	if err != nil {
		return fmt.Errorf("the result cannot be written: %w", err)
	}
	if err := c.Alloc(len(data)); err != nil {
		return err
	}
	defer c.Free(len(data))
	_, err = c.Stdout.Write(append(data, '\n'))
	return err
}

// call asks for approval and calls the function within its time.
func (f *Function) call(ctx context.Context, args json.RawMessage) (any, error) {
	if f.Approve != nil {
		if err := f.Approve(ctx, args); err != nil {
			return nil, &Error{Code: CodeDenied, Message: fmt.Sprintf("permission denied: %v", err)}
		}
	}
	limit := cmp.Or(f.Timeout, functionTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("timed out after %v: %w", limit, context.DeadlineExceeded))
	defer cancel()
	type result struct {
		out any
		err error
	}
	done := make(chan result, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- result{err: fmt.Errorf("the function panicked: %v", v)}
			}
		}()
		out, err := f.Call(ctx, args)
		done <- result{out, err}
	}()
	select {
	case r := <-done:
		return r.out, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// arguments returns the JSON object of a command line, or of standard input where that is
// empty.
func (f *Function) arguments(c *builtins.Call) (json.RawMessage, error) {
	values := map[string]any{}
	switch {
	case len(c.Args) == 1 && c.Args[0] == "-", len(c.Args) == 0 && len(f.Input.Properties) > 0:
		data, err := readAll(c)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &values); err != nil {
			return nil, fmt.Errorf("standard input is not one JSON object: %w", err)
		}
	default:
		if err := f.flags(c.Args, values); err != nil {
			return nil, err
		}
	}
	var in json.RawMessage
	if errs := decode(f.Input, marshal(values), &in); errs != nil {
		list := make([]string, len(errs))
		for i, e := range errs {
			list[i] = strings.TrimPrefix(fmt.Sprintf("--%s %s", e.Location, e.Message), "-- ")
		}
		return nil, errors.New(strings.Join(list, "; "))
	}
	return in, nil
}

// readAll reads standard input, as much as the limits allow.
func readAll(c *builtins.Call) ([]byte, error) {
	var data []byte
	buf := make([]byte, 32<<10)
	for {
		n, err := c.Stdin.Read(buf)
		if err := c.Meter.Charge(limits.Memory, int64(n)); err != nil {
			return nil, err
		}
		data = append(data, buf[:n]...)
		if err == io.EOF {
			c.Free(len(data))
			if len(strings.TrimSpace(string(data))) == 0 {
				return []byte("{}"), nil
			}
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if err := c.Poll(1 + n/1024); err != nil {
			return nil, err
		}
	}
}

// flags reads --NAME VALUE and --NAME=VALUE. One for an array may come again; one for a
// boolean needs no value.
func (f *Function) flags(args []string, values map[string]any) error {
	for i := 0; i < len(args); i++ {
		name, ok := strings.CutPrefix(args[i], "--")
		if !ok {
			return fmt.Errorf("unexpected argument %q: arguments are --NAME VALUE; see --help", args[i])
		}
		name, value, inline := strings.Cut(name, "=")
		p := f.Input.Properties[name]
		if p == nil {
			if p = f.Input.Properties[strings.ReplaceAll(name, "-", "_")]; p != nil {
				name = strings.ReplaceAll(name, "-", "_")
			}
		}
		switch {
		case p == nil:
			return fmt.Errorf("unknown option --%s; see --help", name)
		case !inline && isType(p, "boolean"):
			value = "true"
		case !inline:
			if i++; i == len(args) {
				return fmt.Errorf("option --%s needs a value", name)
			}
			value = args[i]
		}
		if isType(p, "array") && !strings.HasPrefix(strings.TrimSpace(value), "[") {
			list, _ := values[name].([]any)
			values[name] = append(list, typed(p.Items, value))
		} else {
			values[name] = typed(p, value)
		}
	}
	return nil
}

func isType(s *jsonschema.Schema, name string) bool {
	return s != nil && (s.Type == name || slices.Contains(s.Types, name))
}

// typed makes a JSON value of the text of an argument, as its schema has it. What does
// not fit stays text, which the schema then refuses.
func typed(s *jsonschema.Schema, text string) any {
	if s == nil || isType(s, "string") {
		return text
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

// help is what --help prints.
func (f *Function) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s [--NAME VALUE]...\n  or:  %s [-] < JSON\n%s\nThe result is JSON.\n", f.Name, f.Name, f.Description)
	for _, name := range propertyNames(f.Input) {
		p := f.Input.Properties[name]
		kind := cmp.Or(p.Type, strings.Join(p.Types, "|"), "any")
		fmt.Fprintf(&b, "  --%s %s", name, strings.ToUpper(kind))
		if p.Description != "" {
			fmt.Fprintf(&b, "  %s", p.Description)
		}
		if slices.Contains(f.Input.Required, name) {
			b.WriteString(" (required)")
		}
		if p.Default != nil {
			fmt.Fprintf(&b, " (default %s)", p.Default)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// propertyNames returns the names of arguments in the order of the schema.
func propertyNames(s *jsonschema.Schema) []string {
	names := slices.Clone(s.PropertyOrder)
	var rest []string
	for name := range s.Properties {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(names, rest...)
}
