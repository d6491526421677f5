package text

import (
	"bufio"
	"fmt"
	"io"

	"github.com/limpet-sh/limpet/builtins"
)

// A chooser makes random choices as GNU's randint does, so that the same random
// source gives the same choices. It keeps what a choice leaves of the
// randomness it has read.
type chooser struct {
	in       *bufio.Reader
	name     string // of the source, in messages
	num, max uint64 // a random number, and the largest that it could be
}

// openChooser returns a chooser that reads the named file, or the randomness of
// the sandbox for "". The caller closes it.
func openChooser(c *builtins.Call, name string) (*chooser, func(), error) {
	if name == "" {
		return &chooser{in: bufio.NewReaderSize(c.Rand, 512)}, func() {}, nil
	}
	f, err := c.Open(name)
	if err != nil {
		return nil, nil, builtins.FileError(name, err)
	}
	return &chooser{in: bufio.NewReader(f), name: name}, func() { _ = f.Close() }, nil
}

// choose returns a number below n, which is not 0.
func (r *chooser) choose(n uint64) (uint64, error) { return r.upTo(n - 1) }

// upTo returns a number that is at most limit.
func (r *chooser) upTo(limit uint64) (uint64, error) {
	num, most, choices := r.num, r.max, limit+1
	for {
		for most < limit {
			b, err := r.in.ReadByte()
			if err == io.EOF {
				return 0, fmt.Errorf("%s: end of file", builtins.QuoteLocale(r.name))
			}
			if err != nil {
				return 0, readError(r.name, err)
			}
			num = num<<8 + uint64(b)
			most = most<<8 + 255
		}
		if most == limit {
			r.num, r.max = 0, 0
			return num, nil
		}
		excess := most - limit
		unusable := excess % choices
		last := most - unusable
		if num <= last {
			r.num, r.max = num/choices, excess/choices
			return num % choices, nil
		}
		num -= last + 1
		most = unusable - 1
	}
}

// A permutation is the beginning of a random order of the numbers below n.
type permutation struct {
	chooser *chooser
	n       uint64
	done    uint64
	dense   []uint64          // the numbers, unless n is large
	sparse  map[uint64]uint64 // those that are not in their place
	call    *builtins.Call
	held    int
}

// permute returns a permutation of which count numbers will be wanted.
func permute(c *builtins.Call, r *chooser, n, count uint64) (*permutation, error) {
	p := &permutation{chooser: r, n: n, call: c}
	if n >= 128<<10 && n/max(count, 1) >= 32 {
		p.sparse = make(map[uint64]uint64)
		return p, nil
	}
	if err := p.alloc(8 * int(n)); err != nil {
		return nil, err
	}
	p.dense = make([]uint64, n)
	for i := range p.dense {
		p.dense[i] = uint64(i)
	}
	return p, nil
}

func (p *permutation) alloc(n int) error {
	err := p.call.Alloc(n)
	if err == nil {
		p.held += n
	}
	return err
}

// next returns the next number.
func (p *permutation) next() (uint64, error) {
	if err := p.call.Poll(1); err != nil {
		return 0, err
	}
	i := p.done
	p.done++
	j := i
	if p.n-i > 1 {
		k, err := p.chooser.choose(p.n - i)
		if err != nil {
			return 0, err
		}
		j += k
	}
	if p.dense != nil {
		p.dense[i], p.dense[j] = p.dense[j], p.dense[i]
		return p.dense[i], nil
	}
	if err := p.alloc(48); err != nil {
		return 0, err
	}
	at := func(k uint64) uint64 {
		if v, ok := p.sparse[k]; ok {
			return v
		}
		return k
	}
	chosen := at(j)
	p.sparse[j] = at(i)
	delete(p.sparse, i)
	return chosen, nil
}

// drop gives the memory back.
func (p *permutation) drop() { p.call.Free(p.held) }
