package text

import "github.com/limpet-sh/limpet/builtins"

// A blockQueue holds the end of a stream in blocks, and knows how many lines
// end in each. What it holds is charged.
type blockQueue struct {
	call   *builtins.Call
	blocks []queuedBlock
	bytes  int // in all blocks
	lines  int
	spare  []byte // for the next block
	held   int    // bytes charged
}

// A queuedBlock is a part of the stream: data is what is left of it, at the end
// of what buf holds.
type queuedBlock struct {
	buf, data []byte
	lines     int // that end in data
}

// push adds a copy of b, in which lines end.
func (q *blockQueue) push(b []byte, lines int) error {
	q.bytes += len(b)
	q.lines += lines
	if n := len(q.blocks); n > 0 {
		last := &q.blocks[n-1]
		if cap(last.data)-len(last.data) >= len(b) {
			last.data = append(last.data, b...)
			last.lines += lines
			return nil
		}
	}
	if cap(q.spare) < len(b) {
		size := max(len(b), 8<<10)
		if err := q.call.Alloc(size); err != nil {
			return err
		}
		q.call.Free(cap(q.spare))
		q.held += size - cap(q.spare)
		q.spare = make([]byte, 0, size)
	}
	buf := append(q.spare[:0], b...)
	q.spare = nil
	q.blocks = append(q.blocks, queuedBlock{buf: buf, data: buf, lines: lines})
	return nil
}

// first returns the first block. The queue must not be empty.
func (q *blockQueue) first() *queuedBlock { return &q.blocks[0] }

// pop removes the first block.
func (q *blockQueue) pop() {
	b := q.first()
	q.bytes -= len(b.data)
	q.lines -= b.lines
	q.call.Free(cap(q.spare))
	q.held -= cap(q.spare)
	q.spare = b.buf[:0]
	*b = queuedBlock{}
	q.blocks = q.blocks[1:]
}

// skip removes the first n bytes, less than there are in the first block, in
// which lines end.
func (q *blockQueue) skip(n, lines int) {
	b := q.first()
	b.data = b.data[n:]
	b.lines -= lines
	q.bytes -= n
	q.lines -= lines
}

// writeTo writes all blocks.
func (q *blockQueue) writeTo(out *output) error {
	for _, b := range q.blocks {
		if err := out.write(b.data); err != nil {
			return err
		}
	}
	return nil
}

// drop gives the memory back.
func (q *blockQueue) drop() {
	q.call.Free(q.held)
	*q = blockQueue{call: q.call}
}
