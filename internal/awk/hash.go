package awk

// tableSizes are the sizes that hash tables grow through.
var tableSizes = [...]int{
	13, 127, 1021, 8191, 16381, 32749, 65497, 131101, 262147, 524309, 1048583,
	2097169, 4194319, 8388617, 16777259, 33554467, 67108879, 134217757,
}

// nextSize returns the size that follows n.
func nextSize(n int) int {
	for _, size := range tableSizes {
		if size > n {
			return size
		}
	}
	return n
}

// An element is an element of a hashed array.
type element struct {
	next *element
	hash uint32
	key  string
	val  value
}

// hashOf is the hash function of sdbm, over signed characters.
func hashOf[T bytesOrString](s T) (h uint32) {
	for i := 0; i < len(s); i++ {
		h = h*65599 + uint32(int32(int8(s[i])))
	}
	return h
}

// findHashed returns the element k of a hashed array, or nil.
func (a *array) findHashed(k subscript) *value {
	if len(a.buckets) == 0 {
		return nil
	}
	if n := len(k.s) + len(k.b); n >= counted {
		a.mem.poll(n >> 8)
	}
	if k.b != nil {
		h := hashOf(k.b)
		for e := a.buckets[h%uint32(len(a.buckets))]; e != nil; e = e.next {
			if e.hash == h && e.key == string(k.b) {
				return &e.val
			}
		}
		return nil
	}
	key := k.text()
	h := hashOf(key)
	for e := a.buckets[h%uint32(len(a.buckets))]; e != nil; e = e.next {
		if e.hash == h && e.key == key {
			return &e.val
		}
	}
	return nil
}

func (a *array) insertHashed(k subscript) *value {
	const chainMax = 2
	if size := a.size; len(a.buckets) == 0 || size/len(a.buckets) > chainMax {
		a.growHashed()
	}
	key := k.text()
	a.mem.hold(len(key))
	h := hashOf(key)
	i := h % uint32(len(a.buckets))
	e := &element{next: a.buckets[i], hash: h, key: key, val: value{k: unset}}
	a.buckets[i] = e
	return &e.val
}

// growHashed moves the elements to a larger table. It reverses the order of
// those that stay together, as gawk does.
func (a *array) growHashed() {
	size := nextSize(len(a.buckets))
	if size == len(a.buckets) {
		return
	}
	a.mem.hold(8 * (size - len(a.buckets)))
	table := make([]*element, size)
	for _, e := range a.buckets {
		for e != nil {
			next := e.next
			i := e.hash % uint32(size)
			e.next, table[i] = table[i], e
			e = next
		}
	}
	a.buckets = table
}

func (a *array) dropHashed(k subscript) {
	key := k.text()
	p := &a.buckets[hashOf(key)%uint32(len(a.buckets))]
	for (*p).key != key {
		p = &(*p).next
	}
	*p = (*p).next
	a.mem.hold(-len(key))
}

// A pair is a link in the chains of a sparse array. Only the first of a chain
// may hold one element; the others hold two.
type pair struct {
	next *pair
	n    int
	key  [2]int
	val  [2]value
}

// mix is the hash function of sparse arrays.
func mix(n, size int) int {
	k := uint32(n)
	k ^= k << 3
	k += k >> 5
	k ^= k << 4
	k += k >> 17
	k ^= k << 25
	k += k >> 6
	return int(k % uint32(size))
}

func (a *array) findSparse(n int) *value {
	if len(a.pairs) == 0 {
		return nil
	}
	for p := a.pairs[mix(n, len(a.pairs))]; p != nil; p = p.next {
		for i := range p.n {
			if p.key[i] == n {
				return &p.val[i]
			}
		}
	}
	return nil
}

func (a *array) insertSparse(n int) *value {
	const chainMax = 2
	size := a.size
	if a.rest != nil {
		size -= a.rest.size
	}
	if len(a.pairs) == 0 || size/len(a.pairs) > chainMax {
		a.growSparse()
	}
	v := a.linkSparse(n)
	v.k = unset
	return v
}

func (a *array) linkSparse(n int) *value {
	i := mix(n, len(a.pairs))
	p := a.pairs[i]
	if p == nil || p.n == 2 {
		p = &pair{next: p}
		a.pairs[i] = p
	}
	p.key[p.n] = n
	p.n++
	return &p.val[p.n-1]
}

func (a *array) growSparse() {
	size := nextSize(len(a.pairs))
	if size == len(a.pairs) {
		return
	}
	a.mem.hold(8 * (size - len(a.pairs)))
	old := a.pairs
	a.pairs = make([]*pair, size)
	for _, p := range old {
		for ; p != nil; p = p.next {
			for i := range p.n {
				*a.linkSparse(p.key[i]) = p.val[i]
			}
		}
	}
}

// dropSparse unlinks n and fills the gap from the head of the chain.
func (a *array) dropSparse(n int) {
	head := &a.pairs[mix(n, len(a.pairs))]
	link := head
	at := -1
	for at < 0 {
		for i := range (*link).n {
			if (*link).key[i] == n {
				at = i
			}
		}
		if at < 0 {
			link = &(*link).next
		}
	}
	p := *link
	if at == 0 && p.n == 2 {
		p.key[0], p.val[0] = p.key[1], p.val[1]
	}
	p.n--
	p.val[p.n] = value{}
	switch h := *head; {
	case p.n == 0:
		*link = p.next
	case p != h:
		h.n--
		p.key[1], p.val[1] = h.key[h.n], h.val[h.n]
		p.n = 2
		h.val[h.n] = value{}
		if h.n == 0 {
			*head = h.next
		}
	}
}
