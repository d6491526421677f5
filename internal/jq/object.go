package jq

import "slices"

// An Object is a JSON object. Its members keep the order in which they were
// added.
type Object struct {
	e     []member
	index map[string]int // where members are, and perhaps others have been; nil where there are few
	room  *int           // how much of the memory behind e is in use, by all who share it
	info
}

type member struct {
	key string
	val Value
}

// fewMembers is how many members are searched one by one.
const fewMembers = 8

func newObject(n int) *Object {
	return &Object{e: make([]member, 0, n), info: info{size: entrySize, depth: 1}}
}

// find returns where the member key is, or -1.
func (o *Object) find(key string) int {
	if o.index != nil {
		// The index is shared with objects that have other members.
		if i, ok := o.index[key]; ok && i < len(o.e) && o.e[i].key == key {
			return i
		}
		return -1
	}
	for i := range o.e {
		if o.e[i].key == key {
			return i
		}
	}
	return -1
}

func (o *Object) get(key string) (Value, bool) {
	if i := o.find(key); i >= 0 {
		return o.e[i].val, true
	}
	return nil, false
}

// put sets a member of o itself, which must not have been shared.
func (o *Object) put(key string, v Value) {
	o.add(v)
	if i := o.find(key); i >= 0 {
		o.e[i].val = v
		return
	}
	o.size = min(o.size+entrySize+len(key), tooLarge)
	o.e = append(o.e, member{key, v})
	switch {
	case o.index != nil:
		o.index[key] = len(o.e) - 1
	case len(o.e) > fewMembers:
		o.reindex()
	}
}

func (o *Object) reindex() {
	o.index = make(map[string]int, 2*len(o.e))
	for i := range o.e {
		o.index[o.e[i].key] = i
	}
}

// with returns o with a member set. A new one takes no longer than that if
// nothing has been added to o before.
func (o *Object) with(key string, v Value) *Object {
	out := &Object{index: o.index, info: o.info}
	out.owner = 0
	if i := o.find(key); i >= 0 {
		out.e = slices.Clone(o.e)
		out.size -= min(sizeOf(o.e[i].val), out.size/2)
		out.add(v)
		out.e[i].val = v
		return out
	}
	if o.room != nil && *o.room == len(o.e) && cap(o.e) > len(o.e) {
		out.e, out.room = o.e, o.room
	} else {
		out.e = append(make([]member, 0, 2*len(o.e)+4), o.e...)
		out.room = new(int)
		if o.index != nil {
			out.reindex()
		}
	}
	out.put(key, v)
	*out.room = len(out.e)
	return out
}

// without returns o without a member.
func (o *Object) without(key string) *Object {
	i := o.find(key)
	if i < 0 {
		return o
	}
	out := newObject(len(o.e))
	for j := range o.e {
		if j != i {
			out.put(o.e[j].key, o.e[j].val)
		}
	}
	return out
}

// keys returns the keys, sorted.
func (o *Object) keys() []string {
	keys := make([]string, len(o.e))
	for i := range o.e {
		keys[i] = o.e[i].key
	}
	slices.Sort(keys)
	return keys
}
