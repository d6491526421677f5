package tools

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/limpet-sh/limpet"
)

// A Tool is something that a model can call.
type Tool struct {
	Name        string // with the group, such as file_system.bash; what Config.Disabled matches
	Flat        string // for providers that allow no dots, such as bash
	Title       string
	Description string
	Input       *jsonschema.Schema // an object
	Output      *jsonschema.Schema // an object

	ReadOnly    bool // it changes nothing
	Destructive bool // it may undo what was there
	Idempotent  bool // a second time changes nothing more
	OpenWorld   bool // it may reach what is outside the sandbox

	Extension bool // it is limpet's own, and not of the common contract
	Hidden    bool // it can be called, and models are not told of it

	needs    limpet.Access
	missing  func(*Toolbox) error // nil, or says why the sandbox cannot have it
	describe func(*Toolbox) string
	schemas  func() (input, output *jsonschema.Schema) // made once they are wanted: a program that has no tools does not pay for them
	call     func(context.Context, *Toolbox, Call) (any, error)
}

// define makes a tool of a function, all but its schemas. In and Out are structs with tags for the names
// of fields, their descriptions and bounds.
func define[In, Out any](t Tool, do func(context.Context, *Toolbox, Call, In) (Out, error)) *Tool {
	t.schemas = func() (input, output *jsonschema.Schema) {
		input, output = schemaOf(reflect.TypeFor[In](), true), schemaOf(reflect.TypeFor[Out](), true)
		output.AdditionalProperties = nil // so that a field may be added one day
		return input, output
	}
	accepted := sync.OnceValue(func() *jsonschema.Schema { return schemaOf(reflect.TypeFor[In](), false) })
	t.call = func(ctx context.Context, b *Toolbox, c Call) (any, error) {
		var in In
		if errs := decode(accepted(), c.Arguments, &in); errs != nil {
			return nil, invalid(t.Name, errs...)
		}
		out, err := do(ctx, b, c, in)
		if err != nil {
			return nil, err
		}
		return out, nil
	}
	return &t
}

// A Call is a call of a tool.
type Call struct {
	Name      string // either name of the tool
	ID        string // the provider's; part of the names of files for large results
	Arguments json.RawMessage

	// Progress, if it is not nil, gets what a command prints, while it does.
	Progress func(text []byte)
}
