package jq

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A Value is a JSON value: nil, a bool, a float64, a [Literal], a string, an
// [*Array] or an [*Object]. Values do not change once they have been made.
type Value any

// A Literal is a number of the input that a float64 cannot hold: it is printed
// as it was written until something is computed from it.
type Literal struct {
	n    float64
	text string
}

// An Array is a JSON array.
type Array struct {
	v    []Value
	room *int // how much of the memory behind v is in use, by all who share it
	info
}

// An info is what a container knows of what it holds.
type info struct {
	size  int // bytes, roughly
	depth int // levels of containers
	born  int // order of its making
	owner int // the reduction that may change it; 0 for none
}

// Sizes of things, as memory is charged for them.
const (
	slotSize  = 24 // of an element
	entrySize = 56 // of a member, without its key
	tooLarge  = math.MaxInt / 4
)

func sizeOf(v Value) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case *Array:
		return v.size
	case *Object:
		return v.size
	}
	return 0
}

func depthOf(v Value) int {
	switch v := v.(type) {
	case *Array:
		return v.depth
	case *Object:
		return v.depth
	}
	return 0
}

// add counts v as part of the container.
func (i *info) add(v Value) {
	i.size = min(i.size+sizeOf(v), tooLarge)
	i.depth = max(i.depth, 1+depthOf(v))
}

// newArray returns an array of v, which the caller gives up.
func newArray(v []Value) *Array {
	a := &Array{v: v, info: info{size: slotSize * (1 + len(v)), depth: 1}}
	for _, e := range v {
		a.add(e)
	}
	return a
}

func array(v ...Value) *Array { return newArray(v) }

// append returns a with the elements of v behind it. That takes no longer than
// copying v if nothing has been appended to a before.
func (a *Array) append(v ...Value) *Array {
	out := &Array{info: a.info, room: a.room}
	out.owner = 0
	out.size = min(out.size+slotSize*len(v), tooLarge)
	for _, e := range v {
		out.add(e)
	}
	if a.room == nil || *a.room != len(a.v) || cap(a.v) < len(a.v)+len(v) {
		out.room = new(int)
		out.v = append(make([]Value, 0, 2*(len(a.v)+len(v))), a.v...)
	} else {
		out.v = a.v
	}
	out.v = append(out.v, v...)
	*out.room = len(out.v)
	return out
}

// with returns a with element i, which may lie behind its end, replaced.
func (a *Array) with(i int, v Value) *Array {
	if i == len(a.v) {
		return a.append(v)
	}
	w := make([]Value, max(len(a.v), i+1))
	copy(w, a.v)
	w[i] = v
	out := &Array{v: w, info: a.info}
	out.owner = 0
	out.size = min(a.size+slotSize*(len(w)-len(a.v))+sizeOf(v), tooLarge)
	if i < len(a.v) {
		out.size -= min(sizeOf(a.v[i]), out.size/2)
	}
	out.depth = max(a.depth, 1+depthOf(v))
	return out
}

// kindOf returns the type of v, as the function type names it.
func kindOf(v Value) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64, Literal:
		return "number"
	case string:
		return "string"
	case *Array:
		return "array"
	}
	return "object"
}

// number returns v as a number, and whether it is one.
func number(v Value) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case Literal:
		return v.n, true
	}
	return 0, false
}

// truthy reports whether v counts as true: all but null and false does.
func truthy(v Value) bool {
	b, ok := v.(bool)
	return v != nil && (!ok || b)
}

// rank returns the place of v's type in the order of types.
func rank(v Value) int {
	switch v := v.(type) {
	case nil:
		return 0
	case bool:
		if !v {
			return 1
		}
		return 2
	case float64, Literal:
		return 3
	case string:
		return 4
	case *Array:
		return 5
	}
	return 6
}

// compare returns the order of a and b.
func (m *machine) compare(a, b Value) int {
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case float64, Literal:
		x, _ := number(a)
		y, _ := number(b)
		if x != x || x < y { // nan is less than any number, itself included
			return -1
		}
		return int(toFloat(x > y)) // equal where y is nan cannot be
	case string:
		if n := min(len(a), len(b.(string))); n > 1<<10 {
			m.work(n >> 6)
		}
		return strings.Compare(a, b.(string))
	case *Array:
		return m.compareArrays(a, b.(*Array))
	case *Object:
		return m.compareObjects(a, b.(*Object))
	}
	return 0
}

func toFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (m *machine) compareArrays(a, b *Array) int {
	m.work(1)
	for i := range min(len(a.v), len(b.v)) {
		if c := m.compare(a.v[i], b.v[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a.v), len(b.v))
}

// compareObjects compares the sorted keys first, and then the values.
func (m *machine) compareObjects(a, b *Object) int {
	m.work(1 + (len(a.e)+len(b.e))/8)
	x, y := a.keys(), b.keys()
	if c := slices.Compare(x, y); c != 0 {
		return c
	}
	for _, key := range x {
		v, _ := a.get(key)
		w, _ := b.get(key)
		if c := m.compare(v, w); c != 0 {
			return c
		}
	}
	return 0
}

func (m *machine) equal(a, b Value) bool { return m.compare(a, b) == 0 }
