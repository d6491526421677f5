package regex

import (
	"bytes"
	"unicode/utf8"
)

// A backtracker runs a program by trying one way after the other.
type backtracker struct {
	prog    *program
	matcher *Matcher
	text    []byte
	slots   []int
	stack   []frame
	best    []int // the longest match so far, where all have to be tried
	end     int   // where the match must end; -1 for anywhere
	limit   int   // no match goes beyond
	longest bool  // try all ways, keep the longest match
	charged int   // bytes of the stack and of what was tried
	steps   int

	// What has been tried at a position need not be tried again, where the
	// outcome depends on nothing but the position (tried) or that and the
	// groups (triedWith).
	tried     []uint64
	base      int
	width     int
	triedWith map[uint64]struct{}
	patience  int // how many steps may be run without triedWith

	first []bool // classes that a match can begin with; nil if it may be empty
}

// maxPatience is how long a search goes on without remembering.
const maxPatience = 1 << 12

// A frame is a way that has not been tried, or a slot to be restored.
type frame struct {
	kind frameKind
	pc   int32 // of frameSlot: the slot
	pos  int
	low  int // frameRun: the least position
}

type frameKind uint8

const (
	frameWay  frameKind = iota // go on at pc
	frameRun                   // give back one character of a run
	frameLazy                  // take one more character into a run
	frameSlot                  // restore the slot to pos
)

const frameSize = 32

func newBacktracker(m *Matcher) *backtracker {
	p := m.re.back
	m.alloc(8 * p.slots)
	return &backtracker{prog: p, matcher: m, slots: make([]int, p.slots), first: p.first()}
}

// within finds the groups of the match between start and end.
func (r *backtracker) within(b []byte, start, end int) []int {
	r.text, r.longest, r.end, r.limit, r.best = b, false, end, end, nil
	if r.matcher.re.perl {
		r.end = -1
	}
	defer r.release()
	r.remember(start, end)
	if _, ok := r.begin(start); !ok {
		return nil
	}
	return r.slots[:2*(r.matcher.re.groups+1)]
}

// search finds the first match that begins at or after start.
func (r *backtracker) search(b []byte, start int) []int {
	r.text, r.longest, r.end, r.limit = b, !r.matcher.re.perl, -1, len(b)
	r.tried, r.width = nil, 0
	defer r.release()
	for pos := start; r.matcher.err == nil; {
		if pos = r.candidate(pos); pos < 0 {
			return nil
		}
		r.best, r.triedWith, r.patience = nil, nil, r.steps+maxPatience
		if _, ok := r.begin(pos); ok && r.best == nil {
			return r.slots[:2*(r.matcher.re.groups+1)]
		}
		if r.best != nil {
			return r.best
		}
		if pos >= len(b) {
			return nil
		}
		_, n := r.prog.alphabet.next(b[pos:])
		pos += n
	}
	return nil
}

// candidate returns the next position at which a match may begin, or -1.
func (r *backtracker) candidate(pos int) int {
	if r.first == nil {
		return pos
	}
	begin := pos
	for pos < len(r.text) {
		class, n := r.prog.alphabet.next(r.text[pos:])
		if r.first[class] {
			r.matcher.work(pos - begin)
			return pos
		}
		pos += n
	}
	r.matcher.work(pos - begin)
	return -1
}

// remember prepares to remember what was tried between start and end.
func (r *backtracker) remember(start, end int) {
	r.triedWith = nil
	r.tried = nil
	if r.prog.special {
		return
	}
	r.base, r.width = start, end-start+1
	n := (r.width*(r.prog.memos+1) + 63) / 64
	r.charge(8 * n)
	if r.matcher.err == nil {
		r.tried = make([]uint64, n)
	}
}

func (r *backtracker) charge(n int) {
	r.charged += n
	r.matcher.alloc(n)
}

// release gives back the memory of a search.
func (r *backtracker) release() {
	r.matcher.free(r.charged)
	r.charged = 0
	r.triedWith = nil
	if cap(r.stack) > 1<<12 {
		r.stack = nil
	}
}

// begin runs the program at pos.
func (r *backtracker) begin(pos int) (end int, ok bool) {
	for i := range r.slots {
		r.slots[i] = -1
	}
	r.stack = r.stack[:0]
	r.slots[0] = pos
	end, ok = r.run(r.prog.start, pos, true)
	if ok && r.best == nil {
		r.slots[1] = end
	}
	return end, ok
}

// seen reports whether instruction memo has been tried at pos, and notes that
// it has.
func (r *backtracker) seen(memo int32, pos int) bool {
	if r.tried != nil {
		bit := int(memo)*r.width + pos - r.base
		if pos < r.base || pos-r.base >= r.width {
			return true // beyond the match
		}
		word, mask := bit>>6, uint64(1)<<(bit&63)
		if r.tried[word]&mask != 0 {
			return true
		}
		r.tried[word] |= mask
		return false
	}
	if r.triedWith == nil {
		// The outcome of a part that is run on its own depends on what for.
		if r.steps < r.patience || r.prog.looks {
			return false
		}
		r.triedWith = make(map[uint64]struct{})
	}
	key := mix(uint64(memo)<<32 ^ uint64(pos))
	for _, at := range r.slots {
		key = mix(key ^ uint64(at))
	}
	if _, ok := r.triedWith[key]; ok {
		return true
	}
	r.charge(32)
	r.triedWith[key] = struct{}{}
	return false
}

func (r *backtracker) push(f frame) {
	if len(r.stack) == cap(r.stack) {
		grow := max(64, cap(r.stack))
		r.charge(grow * frameSize)
		r.stack = append(make([]frame, 0, cap(r.stack)+grow), r.stack...)
	}
	r.stack = append(r.stack, f)
}

// store sets a slot so that it is restored when this way fails.
func (r *backtracker) store(slot int32, pos int) {
	r.push(frame{kind: frameSlot, pc: slot, pos: r.slots[slot]})
	r.slots[slot] = pos
}

// pollEvery is how many instructions are run before the budget is asked.
const pollEvery = 1 << 10

// run runs the program from pc at pos up to a match, and returns its end. Whole
// says that it is the whole expression and not a look-around.
func (r *backtracker) run(pc int32, pos int, whole bool) (end int, ok bool) {
	floor := len(r.stack)
	for ok = true; ; {
		if r.steps++; r.steps%pollEvery == 0 {
			r.matcher.work(4 * pollEvery)
		}
		if r.matcher.err != nil {
			return 0, false
		}
		if !ok {
			if pc, pos, ok = r.retry(floor); !ok {
				return 0, false
			}
		}
		i := &r.prog.code[pc]
		if i.code == codeMatch {
			if ok = r.accept(pos, whole); ok {
				return pos, true
			}
			continue
		}
		pc, pos, ok = r.step(i, pc, pos)
	}
}

// accept decides whether the end of the program at pos is a match.
func (r *backtracker) accept(pos int, whole bool) bool {
	if r.end >= 0 && pos != r.end {
		return false
	}
	if !whole || !r.longest {
		return true
	}
	if r.best == nil || pos > r.best[1] {
		r.best = append(r.best[:0], r.slots[:2*(r.matcher.re.groups+1)]...)
		r.best[1] = pos
	}
	return pos == len(r.text)
}

// retry takes the latest way that has not been tried.
func (r *backtracker) retry(floor int) (pc int32, pos int, ok bool) {
	for len(r.stack) > floor {
		f := &r.stack[len(r.stack)-1]
		switch f.kind {
		case frameSlot:
			r.slots[f.pc] = f.pos
			r.stack = r.stack[:len(r.stack)-1]
			continue
		case frameWay:
			pc, pos = f.pc, f.pos
			r.stack = r.stack[:len(r.stack)-1]
			return pc, pos, true
		}
		i := &r.prog.code[f.pc]
		if f.kind == frameRun {
			_, n := r.prog.alphabet.last(r.text[:f.pos])
			f.pos -= n
		} else if pos, ok = r.take(i, f.pos); ok {
			f.pos = pos
		} else {
			r.stack = r.stack[:len(r.stack)-1]
			continue
		}
		at := f.pos
		if f.kind == frameRun && f.pos <= f.low {
			r.stack = r.stack[:len(r.stack)-1]
		}
		if !r.seen(i.memo, at) {
			return i.out, at, true
		}
	}
	return 0, 0, false
}

// take consumes one character of i's set.
func (r *backtracker) take(i *inst, pos int) (int, bool) {
	if pos >= len(r.text) {
		return pos, false
	}
	p := r.prog
	class, n := p.ascii[r.text[pos]], 1
	if r.text[pos] >= utf8.RuneSelf && !p.bytes {
		class, n = p.alphabet.next(r.text[pos:])
	}
	return pos + n, p.consumes(i, int32(class))
}

// step runs one instruction.
func (r *backtracker) step(i *inst, pc int32, pos int) (int32, int, bool) {
	switch i.code {
	case codeSet:
		next, ok := r.take(i, pos)
		return i.out, next, ok
	case codeRun:
		return r.runSet(i, pc, pos)
	case codeSplit:
		if r.seen(i.memo, pos) {
			return 0, 0, false
		}
		r.push(frame{kind: frameWay, pc: i.arg, pos: pos})
	case codeSave, codeMark:
		r.store(i.arg, pos)
	case codeKeep:
		r.store(0, pos)
	case codeAssert:
		return i.out, pos, i.at.holds(r.prog.before(r.text, pos), r.prog.after(r.text, pos))
	case codeProgress:
		return i.out, pos, pos != r.slots[i.arg]
	case codeBackref:
		next, ok := r.backref(i, pos)
		return i.out, next, ok
	case codeIf:
		return i.out, pos, (r.slots[2*i.arg+1] >= 0) != i.negative
	case codeLook:
		return i.out, pos, r.look(i, pos) != i.negative
	case codeAtomic:
		next, ok := r.inside(i.arg, pos, -1, false)
		return i.out, next, ok
	default:
		return 0, 0, false
	}
	return i.out, pos, true
}

// runSet begins a run of characters.
func (r *backtracker) runSet(i *inst, pc int32, pos int) (int32, int, bool) {
	if r.seen(i.memo-1, pos) {
		return 0, 0, false
	}
	if i.lazy {
		r.push(frame{kind: frameLazy, pc: pc, pos: pos})
		return i.out, pos, !r.seen(i.memo, pos)
	}
	last := pos
	for last < r.limit {
		next, ok := r.take(i, last)
		if !ok {
			break
		}
		last = next
	}
	r.steps += (last - pos) / 8
	r.matcher.work(last - pos)
	if last > pos {
		r.push(frame{kind: frameRun, pc: pc, pos: last, low: pos})
	}
	return i.out, last, !r.seen(i.memo, last)
}

// backref consumes what a group matched.
func (r *backtracker) backref(i *inst, pos int) (int, bool) {
	from, to := r.slots[2*i.arg], r.slots[2*i.arg+1]
	if from < 0 || to < from {
		return pos, false
	}
	want, have := r.text[from:to], r.text[pos:]
	r.matcher.work(len(want))
	if bytes.HasPrefix(have, want) {
		return pos + len(want), true
	}
	if !i.fold {
		return pos, false
	}
	for len(want) > 0 {
		if len(have) == 0 {
			return pos, false
		}
		a, n := decode(want, r.prog.bytes)
		b, k := decode(have, r.prog.bytes)
		if a != b && !single(a).fold().has(b) {
			return pos, false
		}
		want, have, pos = want[n:], have[k:], pos+k
	}
	return pos, true
}

// look reports whether the look-around i finds what it looks for.
func (r *backtracker) look(i *inst, pos int) bool {
	if !i.back {
		_, ok := r.inside(i.arg, pos, -1, i.negative)
		return ok
	}
	at := pos
	for n := int32(0); n <= i.max; n++ {
		if n >= i.min {
			if _, ok := r.inside(i.arg, at, pos, i.negative); ok {
				return true
			}
		}
		if at == 0 {
			return false
		}
		_, width := r.prog.alphabet.last(r.text[:at])
		at -= width
	}
	return false
}

// inside runs a part of the program on its own. The groups that it sets stay
// set, unless forget is true, until the way that led here fails.
func (r *backtracker) inside(pc int32, pos, end int, forget bool) (int, bool) {
	floor, outer := len(r.stack), r.end
	r.end = end
	pos, ok := r.run(pc, pos, false)
	r.end = outer
	if forget {
		for len(r.stack) > floor {
			if f := r.stack[len(r.stack)-1]; f.kind == frameSlot {
				r.slots[f.pc] = f.pos
			}
			r.stack = r.stack[:len(r.stack)-1]
		}
		return pos, ok
	}
	kept := r.stack[:floor]
	for _, f := range r.stack[floor:] {
		if f.kind == frameSlot {
			kept = append(kept, f)
		}
	}
	r.stack = kept
	return pos, ok
}
