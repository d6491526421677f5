package regex

// Newlines reports what an expression that is compiled without [Lines] has to do
// with newlines: whether it can match one, and whether a part of it matches
// nothing else.
func (r *Regexp) Newlines() (can, must bool) { return r.newline, r.newlineOnly }

// noteNewlines sets what [Regexp.Newlines] returns.
func (r *Regexp) noteNewlines(n *node) {
	if n.op == opSet && n.set.has('\n') {
		r.newline = true
		if _, only := n.set.only(); only {
			r.newlineOnly = true
		}
	}
	if n.op == opLook || n.op == opIf {
		return
	}
	for _, sub := range n.subs {
		r.noteNewlines(sub)
	}
}
