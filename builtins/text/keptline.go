package text

import "github.com/limpet-sh/limpet/builtins"

// A keptLine is a copy of a line. What it holds is charged.
type keptLine struct {
	call *builtins.Call
	text []byte
	set  bool // there is a line
	held int
}

// keep makes l a copy of text.
func (l *keptLine) keep(text []byte) error {
	if len(text) > l.held {
		size := max(2*l.held, len(text), 256)
		if err := l.call.Alloc(size - l.held); err != nil {
			return err
		}
		l.held = size
		l.text = make([]byte, 0, size)
	}
	l.text = append(l.text[:0], text...)
	l.set = true
	return nil
}

// drop gives the memory back.
func (l *keptLine) drop() {
	l.call.Free(l.held)
	*l = keptLine{call: l.call}
}
