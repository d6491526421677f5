package text

import "cmp"

// A sortEntry is a line that is to be sorted: where it is, and a number that
// decides how it compares; see sortOrder.prefix.
type sortEntry struct {
	prefix uint64
	place  sortPlace
}

// A sortPlace says in which chunk a line is, at which offset, and whether its
// prefix is exact. Without that, places are in the order of the input.
type sortPlace uint64

const (
	exactPlace  sortPlace = 1 << 63
	offsetBits            = 40
	offsetPlace sortPlace = 1<<offsetBits - 1
)

func (p sortPlace) chunk() int  { return int(p &^ exactPlace >> offsetBits) }
func (p sortPlace) offset() int { return int(p & offsetPlace) }

// order is the place in the input.
func (p sortPlace) order() sortPlace { return p &^ exactPlace }

// comparePrefixes compares the prefixes of entries.
func comparePrefixes(a, b sortEntry) int { return cmp.Compare(a.prefix, b.prefix) }

// comparePlaces compares the places of entries.
func comparePlaces(a, b sortEntry) int { return cmp.Compare(a.place.order(), b.place.order()) }

// insertionSize is how many entries are sorted by insertion.
const insertionSize = 24

// insertionSort sorts a few entries.
func insertionSort(a []sortEntry, compare func(a, b sortEntry) int) {
	for i := 1; i < len(a); i++ {
		e, j := a[i], i
		for ; j > 0 && compare(e, a[j-1]) < 0; j-- {
			a[j] = a[j-1]
		}
		a[j] = e
	}
}

// radixSort sorts a by prefix, in place, by the byte at shift and those below. What
// has the same prefix is in any order. poll is called for the work.
func radixSort(a []sortEntry, shift int, poll func(n int) error) error {
	for len(a) > insertionSize {
		if err := poll(1 + len(a)/16); err != nil {
			return err
		}
		var ends [256]int
		for i := range a {
			ends[byte(a[i].prefix>>shift)]++
		}
		if ends[byte(a[0].prefix>>shift)] < len(a) {
			return radixPass(a, &ends, shift, poll)
		}
		if shift == 0 {
			return nil
		}
		shift -= 8
	}
	insertionSort(a, comparePrefixes)
	return nil
}

// radixPass puts the entries of a into the order of the byte at shift, of which
// counts has how often each value occurs, and sorts those that have the same.
func radixPass(a []sortEntry, counts *[256]int, shift int, poll func(n int) error) error {
	var heads [256]int
	ends, sum := *counts, 0
	for b := range ends {
		heads[b] = sum
		sum += ends[b]
		ends[b] = sum
	}
	for b := range heads {
		for heads[b] < ends[b] {
			e := a[heads[b]]
			for to := byte(e.prefix >> shift); int(to) != b; to = byte(e.prefix >> shift) {
				e, a[heads[to]] = a[heads[to]], e
				heads[to]++
			}
			a[heads[b]] = e
			heads[b]++
		}
	}
	if shift == 0 {
		return nil
	}
	for b, end := range ends {
		if n := counts[b]; n > 1 {
			if err := radixSort(a[end-n:end], shift-8, poll); err != nil {
				return err
			}
		}
	}
	return nil
}
