package git

import (
	"container/heap"
	"slices"
)

// A queue is commits, the newest first.
type queue struct {
	list []*queued
	next int
}

// A queued is a commit that waits; of those of one time the first comes first.
type queued struct {
	*commit
	order int
}

func (q *queue) Len() int { return len(q.list) }

func (q *queue) Less(i, j int) bool {
	a, b := q.list[i], q.list[j]
	if !a.committer.when.Equal(b.committer.when) {
		return a.committer.when.After(b.committer.when)
	}
	return a.order < b.order
}

func (q *queue) Swap(i, j int) { q.list[i], q.list[j] = q.list[j], q.list[i] }

// Push is for package heap.
func (q *queue) Push(x any) { q.list = append(q.list, x.(*queued)) }

// Pop is for package heap.
func (q *queue) Pop() any {
	last := q.list[len(q.list)-1]
	q.list = q.list[:len(q.list)-1]
	return last
}

// put adds a commit.
func (q *queue) put(c *commit) {
	q.next++
	heap.Push(q, &queued{c, q.next})
}

// take removes the newest commit.
func (q *queue) take() *commit { return heap.Pop(q).(*queued).commit }

// reach marks every commit that can be reached from some, with one bit.
func (g *git) reach(from []hash, seen map[hash]uint8, bit uint8) error {
	todo := slices.Clone(from)
	for len(todo) > 0 {
		h := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[h]&bit != 0 {
			continue
		}
		if err := g.Poll(1); err != nil {
			return err
		}
		seen[h] |= bit
		c, err := g.objects.commit(h)
		if err != nil {
			return err
		}
		todo = append(todo, c.parents...)
	}
	return nil
}

// mergeBases returns the best common ancestors of two commits.
func (g *git) mergeBases(a, b hash) ([]hash, error) {
	if a == b {
		return []hash{a}, nil
	}
	seen := map[hash]uint8{}
	if err := g.reach([]hash{a}, seen, 1); err != nil {
		return nil, err
	}
	if err := g.reach([]hash{b}, seen, 2); err != nil {
		return nil, err
	}
	var common []*commit
	below := map[hash]uint8{}
	for h, bits := range seen {
		if bits != 3 {
			continue
		}
		c, err := g.objects.commit(h)
		if err != nil {
			return nil, err
		}
		common = append(common, c)
		for _, p := range c.parents {
			below[p] |= 1
		}
	}
	var best []*commit
	for _, c := range common {
		if below[c.hash] == 0 {
			best = append(best, c)
		}
	}
	slices.SortFunc(best, func(x, y *commit) int {
		if d := y.committer.when.Compare(x.committer.when); d != 0 {
			return d
		}
		return slices.Compare(x.hash[:], y.hash[:])
	})
	var list []hash
	for _, c := range best {
		list = append(list, c.hash)
	}
	return list, nil
}

// isAncestor reports whether a can be reached from b.
func (g *git) isAncestor(a, b hash) (bool, error) {
	seen := map[hash]uint8{}
	err := g.reach([]hash{b}, seen, 1)
	return seen[a] != 0, err
}

// aheadBehind counts the commits that only one of two commits has behind it.
func (g *git) aheadBehind(a, b hash) (ahead, behind int, err error) {
	seen := map[hash]uint8{}
	if err := g.reach([]hash{a}, seen, 1); err != nil {
		return 0, 0, err
	}
	if err := g.reach([]hash{b}, seen, 2); err != nil {
		return 0, 0, err
	}
	for _, bits := range seen {
		switch bits {
		case 1:
			ahead++
		case 2:
			behind++
		}
	}
	return ahead, behind, nil
}

// A walker lists the commits of a range, the newest first.
type walker struct {
	g           *git
	excluded    map[hash]uint8
	queued      map[hash]bool
	todo        queue
	firstParent bool
}

// walk begins to list a range.
func (g *git) walk(r *walkRange, firstParent bool) (*walker, error) {
	w := &walker{g: g, excluded: map[hash]uint8{}, queued: map[hash]bool{}, firstParent: firstParent}
	if err := g.reach(r.exclude, w.excluded, 1); err != nil {
		return nil, err
	}
	for _, h := range r.include {
		if err := w.add(h); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *walker) add(h hash) error {
	if w.queued[h] || w.excluded[h] != 0 {
		return nil
	}
	w.queued[h] = true
	c, err := w.g.objects.commit(h)
	if err != nil {
		return err
	}
	w.todo.put(c)
	return nil
}

// next returns the next commit, or nil at the end. parents is what its parents
// are; nil means those that it has.
func (w *walker) next(parents func(*commit) ([]hash, error)) (*commit, error) {
	if w.todo.Len() == 0 {
		return nil, nil
	}
	if err := w.g.Poll(1); err != nil {
		return nil, err
	}
	c := w.todo.take()
	list := c.parents
	if parents != nil {
		var err error
		if list, err = parents(c); err != nil {
			return nil, err
		}
	}
	if w.firstParent && len(list) > 1 {
		list = list[:1]
	}
	for _, p := range list {
		if err := w.add(p); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// topological sorts commits so that none comes before what is made from it, and
// branches are not mixed.
func topological(list []*commit) []*commit {
	index := map[hash]*commit{}
	children := map[hash]int{}
	for _, c := range list {
		index[c.hash] = c
	}
	for _, c := range list {
		for _, p := range c.parents {
			children[p]++
		}
	}
	var stack, out []*commit
	for i := len(list) - 1; i >= 0; i-- {
		if children[list[i].hash] == 0 {
			stack = append(stack, list[i])
		}
	}
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		out = append(out, c)
		for _, p := range c.parents {
			if children[p]--; children[p] == 0 && index[p] != nil {
				stack = append(stack, index[p])
			}
		}
	}
	return out
}
