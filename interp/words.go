package interp

import "unsafe"

// light is how many bytes of words a command may have that nothing is charged for: they are
// bounded by the depth of calls.
const light = 1 << 10

// weigh returns how many bytes the words of a command hold besides what the positional
// parameters do already.
func (sh *Shell) weigh(words []string) int {
	n := 16 * len(words)
	for i, s := range words {
		if len(s) < light || !sh.isParam(s, i) {
			n += len(s)
		}
	}
	if n < light {
		return 0
	}
	return n
}

// holdWords charges the words of a command, or of a loop, while it runs, and returns how much
// that is.
func (sh *Shell) holdWords(words []string) (held int, ok bool) {
	held = sh.weigh(words)
	ok = held == 0 || sh.hold(held)
	sh.unreserve()
	return held, ok
}

// isParam reports whether s, the word i of a command, is the text of a positional parameter,
// and no copy of it.
func (sh *Shell) isParam(s string, i int) bool {
	for _, at := range [...]int{i - 1, i, 0, 1, 2, 3} {
		if at >= 0 && at < len(sh.params) && len(sh.params[at]) == len(s) && unsafe.StringData(sh.params[at]) == unsafe.StringData(s) {
			return true
		}
	}
	return false
}

// holdText charges a text that is held while commands run, where it is long, and returns how
// much that is.
func (sh *Shell) holdText(s string) (held int, ok bool) {
	if len(s) >= light {
		held = len(s)
	}
	ok = held == 0 || sh.hold(held)
	sh.unreserve()
	return held, ok
}
