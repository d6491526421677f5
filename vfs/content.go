package vfs

import (
	"bytes"
	"math/bits"
)

const (
	pageSize  = 64 << 10
	blockSize = 4096 // what Linux's file systems allocate in
)

// A content is the bytes of a regular file, in pages that forks share until one
// of them writes. What no page holds is in a lower file, and zero from limit on.
// The zero content is empty.
type content struct {
	size   int64
	pages  array[page]
	limit  int64   // how much of the lower file is in use; 0 if there is none
	lower  *source // the lower file
	held   int64   // what the pages are charged for
	blocks int64   // of blockSize, that were written to
}

// A page holds pageSize bytes; those beyond data are zero.
type page struct {
	own     *owner
	data    []byte
	written uint16 // one bit a block
}

// blockMask has a bit for each block of a page between two offsets in it.
func blockMask(from, to int) uint16 {
	first, last := from/blockSize, (to-1)/blockSize
	return uint16(1<<(last+1)-1) &^ uint16(1<<first-1)
}

// readAt copies to p what c holds from off on, up to its end. Where it comes to
// bytes that are in the lower file it stops, and returns how many there are too.
func (c *content) readAt(p []byte, off int64) (n, below int) {
	if off >= c.size {
		return 0, 0
	}
	p = p[:min(int64(len(p)), c.size-off)]
	for n < len(p) {
		i, at := uint64(off+int64(n))/pageSize, int(uint64(off+int64(n))%pageSize)
		part := p[n:min(len(p), n+pageSize-at)]
		pg := c.pages.get(i)
		if pg == nil && off+int64(n) < c.limit {
			return n, c.below(off+int64(n), len(p)-n)
		}
		got := 0
		if pg != nil && at < len(pg.data) {
			got = copy(part, pg.data[at:])
		}
		clear(part[got:])
		n += len(part)
	}
	return n, 0
}

// below returns how many of the n bytes at off are in the lower file, at least
// in one piece.
func (c *content) below(off int64, n int) int {
	end := min(off+int64(n), c.limit)
	first, last := uint64(off)/pageSize, uint64(end-1)/pageSize
	if i, pg := c.pages.next(first); pg != nil && i <= last {
		end = int64(i) * pageSize
	}
	return int(end - off)
}

// lacks reports whether a write of n bytes at off leaves bytes of its page as they
// are that are in the lower file, and returns which bytes the page has there.
func (c *content) lacks(off int64, n int) (from int64, length int, ok bool) {
	i := uint64(off) / pageSize
	from = int64(i) * pageSize
	length = int(min(c.limit-from, pageSize))
	if length <= 0 || c.pages.get(i) != nil {
		return 0, 0, false
	}
	return from, length, off > from || off+int64(n) < from+int64(length)
}

// ends returns how many of the n bytes at off are in the first page that holds
// some of them, and how many in the last, 0 if that is the same.
func ends(off int64, n int) (first, last int) {
	first = int(min(int64(n), pageSize-off%pageSize))
	if n > first {
		last = (n-first-1)%pageSize + 1
	}
	return first, last
}

// lacksAny is lacks for a write to any number of pages.
func (c *content) lacksAny(off int64, n int) bool {
	if c.limit == 0 {
		return false
	}
	first, last := ends(off, n)
	_, _, lacks := c.lacks(off, first)
	if !lacks && last > 0 {
		_, _, lacks = c.lacks(off+int64(n-last), last)
	}
	return lacks
}

// lift makes data, which is from the lower file, the page at from.
func (c *content) lift(own *owner, q *quota, data []byte, from int64) error {
	i := uint64(from) / pageSize
	if err := q.chargeBytes(pageCharge(i, len(data))); err != nil {
		return err
	}
	c.held += pageCharge(i, len(data))
	c.pages.set(own, i, &page{own: own, data: data, written: c.lowerBlocks(i)})
	return nil
}

// lowerBlocks returns the blocks that the lower file has for page i. They are
// counted from the start.
func (c *content) lowerBlocks(i uint64) uint16 {
	length := min(c.limit-int64(i)*pageSize, pageSize)
	if length <= 0 {
		return 0
	}
	return blockMask(0, int(length))
}

// writeAt copies p to c from off on. It writes less, and fails, where q has no
// room.
func (c *content) writeAt(own *owner, q *quota, p []byte, off int64) (int, error) {
	for n := 0; n < len(p); {
		i, at := uint64(off+int64(n))/pageSize, int(uint64(off+int64(n))%pageSize)
		part := p[n:min(len(p), n+pageSize-at)]
		pg, room, err := c.grow(own, q, i, at, len(part))
		if room > 0 {
			copy(pg.data[at:], part[:room])
			if mask := blockMask(at, at+room); mask&^pg.written != 0 {
				c.blocks += int64(bits.OnesCount16(mask &^ pg.written))
				pg.written |= mask
			}
			n += room
			c.size = max(c.size, off+int64(n))
		}
		if err != nil {
			return n, err
		}
	}
	return len(p), nil
}

// grow returns page i, made so that own may write n bytes at an offset of it,
// and how many of the n bytes it has room for. It fails if they are fewer.
func (c *content) grow(own *owner, q *quota, i uint64, at, n int) (_ *page, room int, err error) {
	old := c.pages.get(i)
	var held []byte
	capacity := 0
	if old != nil {
		held = old.data
		if old.own == own {
			capacity = cap(held)
		}
	}
	length := len(held)
	end := max(at+n, length)
	if end > length {
		whole := old == nil && int64(i)*pageSize < c.limit // or it would hide what is below
		if end, err = c.charge(q, i, length, at, end, whole); end <= at {
			return old, 0, err
		}
		n = min(n, end-at)
	}
	pg := old
	if pg == nil || pg.own != own {
		pg = newPage(end)
		pg.own, pg.written, capacity = own, c.lowerBlocks(i), cap(pg.data)
		if old != nil {
			pg.written = old.written
		}
		c.pages.set(own, i, pg)
	}
	switch {
	case end > capacity:
		pg.data = make([]byte, length, c.pageCap(i, length, end))
		copy(pg.data, held)
	case pg != old:
		pg.data = append(pg.data, held...)
	}
	if end > length {
		pg.data = pg.data[:end] // what was never in use is zero
	}
	return pg, n, err
}

// newPage returns a page with room for n bytes if they are few: then they are in
// the same piece of memory.
func newPage(n int) *page {
	switch {
	case n <= 24:
		p := &struct {
			page
			buf [24]byte
		}{}
		p.data = p.buf[:0]
		return &p.page
	case n <= 56:
		p := &struct {
			page
			buf [56]byte
		}{}
		p.data = p.buf[:0]
		return &p.page
	case n <= 120:
		p := &struct {
			page
			buf [120]byte
		}{}
		p.data = p.buf[:0]
		return &p.page
	case n <= 216:
		p := &struct {
			page
			buf [216]byte
		}{}
		p.data = p.buf[:0]
		return &p.page
	}
	return &page{}
}

// pageCharge returns what a page that holds n bytes is charged for. Every page
// but the first is charged as a block at least, which pays for its place in the
// array too.
func pageCharge(i uint64, n int) int64 {
	if i == 0 || n == 0 {
		return int64(n)
	}
	return int64(max(n, blockSize))
}

// charge charges c for page i to hold end bytes in place of length. Where q has
// no room for that, it fails and charges for fewer, unless they are wanted whole.
// It returns for how many, and charges nothing if they are not more than at.
func (c *content) charge(q *quota, i uint64, length, at, end int, whole bool) (int, error) {
	base := pageCharge(i, length)
	got, err := q.takeBytes(pageCharge(i, end) - base)
	if err != nil {
		end = int(base + got)
		if whole || end <= at || i > 0 && end < blockSize {
			q.freeBytes(got)
			return at, err
		}
	}
	c.held += got
	return end, err
}

// pageCap returns the capacity to give to page i, which has length bytes and is
// to hold end of them. It is at most twice what is charged, or a page behind
// one that is full.
func (c *content) pageCap(i uint64, length, end int) int {
	if i > 0 {
		if before := c.pages.get(i - 1); before != nil && len(before.data) == pageSize {
			return pageSize
		}
	}
	if length == 0 {
		return end
	}
	return min(max(end, 2*length), pageSize)
}

// truncate makes size the size of c. It never fails: what it adds is a hole.
func (c *content) truncate(own *owner, q *quota, size int64) {
	if size < c.size {
		c.cutLower(size)
		first, at := uint64(size)/pageSize, int(uint64(size)%pageSize)
		if pg := c.pages.get(first); pg != nil && at > 0 {
			c.cut(own, q, first, pg, at)
			first++
		}
		for i, pg := c.pages.next(first); pg != nil; i, pg = c.pages.next(i) {
			c.drop(q, pageCharge(i, len(pg.data)), pg.written)
			c.pages.set(own, i, nil)
		}
	}
	c.size = size
}

// cutLower leaves size bytes of the lower file.
func (c *content) cutLower(size int64) {
	for i := uint64(size) / pageSize; size < c.limit && int64(i)*pageSize < c.limit; i++ {
		if c.pages.get(i) != nil {
			continue
		}
		gone := c.lowerBlocks(i)
		if at := size - int64(i)*pageSize; at > 0 {
			gone &^= blockMask(0, int(at))
		}
		c.blocks -= int64(bits.OnesCount16(gone))
	}
	if c.limit = min(c.limit, size); c.limit == 0 {
		c.lower = nil
	}
}

// cut leaves at bytes of page i.
func (c *content) cut(own *owner, q *quota, i uint64, pg *page, at int) {
	keep := blockMask(0, at)
	data := pg.data[:min(at, len(pg.data))]
	c.drop(q, pageCharge(i, len(pg.data))-pageCharge(i, len(data)), pg.written&^keep)
	c.pages.set(own, i, &page{own: own, data: bytes.Clone(data), written: pg.written & keep})
}

// drop accounts for bytes and blocks that c no longer holds.
func (c *content) drop(q *quota, held int64, written uint16) {
	c.held -= held
	c.blocks -= int64(bits.OnesCount16(written))
	q.freeBytes(held)
}
