package parse

import (
	"reflect"

	"mvdan.cc/sh/v3/syntax"
)

var posType = reflect.TypeFor[syntax.Pos]()

// A visitor changes a tree in place.
type visitor struct {
	pos  func(syntax.Pos) syntax.Pos // nil leaves positions as they are
	text func(string) string         // nil leaves texts as they are
	node func(n any)                 // called with each node, before its fields; may be nil
}

// visit walks over everything below root, a pointer, without recursion: trees
// can be deep where they lean to the left.
func (v *visitor) visit(root any) {
	stack := []reflect.Value{reflect.ValueOf(root)}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch x.Kind() {
		case reflect.Interface:
			if !x.IsNil() {
				stack = append(stack, x.Elem())
			}
		case reflect.Pointer:
			if x.IsNil() {
				continue
			}
			if v.node != nil {
				v.node(x.Interface())
			}
			stack = append(stack, x.Elem())
		case reflect.Slice:
			for i := range x.Len() {
				stack = append(stack, x.Index(i))
			}
		case reflect.Struct:
			if x.Type() == posType {
				if pos := x.Interface().(syntax.Pos); v.pos != nil && pos.IsValid() {
					x.Set(reflect.ValueOf(v.pos(pos)))
				}
				continue
			}
			for i := range x.NumField() {
				stack = append(stack, x.Field(i))
			}
		case reflect.String:
			if v.text != nil {
				x.SetString(v.text(x.String()))
			}
		}
	}
}
