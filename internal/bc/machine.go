package bc

import (
	"errors"
	"fmt"

	"github.com/limpet-sh/limpet/internal/decimal"
)

// A param is a parameter or an automatic variable of a function.
type param struct {
	name      string
	slot      int
	array     bool
	reference bool
}

// A function is a function that the program, or the library, defines.
type function struct {
	name    string
	void    bool
	params  []param
	autos   []param
	code    *code
	library func(m *machine, args []decimal.Num) (decimal.Num, error)
}

// An array has the elements that are not zero.
type array map[int64]decimal.Num

// A value is a number or, as an argument, an array.
type value struct {
	num   decimal.Num
	array *array
}

// A frame is a call of a function.
type frame struct {
	function *function
	code     *code
	next     int     // instruction
	saved    []saved // what the caller's variables were
}

// A saved is the value of a variable that a call hides.
type saved struct {
	param param
	num   decimal.Num
	array *array
}

// The slots of the variables that are part of the language.
const (
	slotIbase = iota
	slotObase
	slotScale
	slotLast
	firstSlot
)

// A machine runs compiled programs.
type machine struct {
	budget     Budget
	out        *output
	report     func(string)
	readNumber func() (decimal.Num, error)

	slots, arraySlots, functionSlots map[string]int
	vars                             []decimal.Num
	arrays                           []*array
	functions                        []*function
	names                            []string // of functions, by slot
	ibase, obase                     int64
	scale                            int
	stack                            []value
	frames                           []frame
	held                             int // bytes of memory that variables hold
	random                           *random
}

func newMachine(b Budget) *machine {
	m := &machine{
		budget: b, slots: map[string]int{}, arraySlots: map[string]int{}, functionSlots: map[string]int{},
		ibase: 10, obase: 10,
	}
	for i, name := range []string{"ibase", "obase", "scale", "last"} {
		m.slots[name] = i
	}
	m.vars = make([]decimal.Num, firstSlot)
	m.arrays = make([]*array, firstSlot)
	return m
}

// slot returns the number of a variable.
func (m *machine) slot(name string) int {
	n, ok := m.slots[name]
	if !ok {
		n = len(m.vars)
		m.slots[name] = n
		m.vars = append(m.vars, decimal.Num{})
	}
	return n
}

func (m *machine) arraySlot(name string) int {
	n, ok := m.arraySlots[name]
	if !ok {
		n = len(m.arrays)
		m.arraySlots[name] = n
		m.arrays = append(m.arrays, &array{})
	}
	return n
}

func (m *machine) functionSlot(name string) int {
	n, ok := m.functionSlots[name]
	if !ok {
		n = len(m.functions)
		m.functionSlots[name] = n
		m.functions = append(m.functions, nil)
		m.names = append(m.names, name)
	}
	return n
}

func (m *machine) define(f *function) { m.functions[m.functionSlot(f.name)] = f }

// A runtimeError stops the program's current line.
type runtimeError struct {
	text string
	skip int // how far the address is behind the instruction's
}

func (e runtimeError) Error() string { return e.text }

// mistake returns the error that text describes.
func mistake(text string) error { return runtimeError{text: text} }

// errHalt ends the program.
var errHalt = errors.New("halt")

// where returns the place that messages name.
func (m *machine) where(o *op, skip int) string {
	name := "(main)"
	if f := m.frames[len(m.frames)-1].function; f != nil {
		name = f.name
	}
	return fmt.Sprintf("(func=%s, adr=%d)", name, o.end+skip)
}

func (m *machine) warn(o *op, text string) {
	m.report("Runtime warning " + m.where(o, 0) + ": " + text + "\n")
}

// run runs the code of a line. Mistakes in the program are reported; the error
// is one that ends the whole program.
func (m *machine) run(c *code) error {
	m.frames = append(m.frames[:0], frame{code: c})
	for len(m.frames) > 0 {
		f := &m.frames[len(m.frames)-1]
		if f.next >= len(f.code.ops) {
			break
		}
		o := &f.code.ops[f.next]
		f.next++
		if err := m.budget.Poll(1); err != nil {
			return err
		}
		err := m.step(f, o)
		if err == nil {
			continue
		}
		var runtime runtimeError
		switch {
		case errors.As(err, &runtime):
			m.report("Runtime error " + m.where(o, runtime.skip) + ": " + runtime.text + "\n")
		case errors.Is(err, decimal.ErrTooLarge):
			m.report("Runtime error " + m.where(o, 0) + ": Number too large\n")
		default:
			return err
		}
		for len(m.frames) > 0 {
			m.leave()
		}
		break
	}
	m.drop(0)
	return nil
}

// push puts a number on the stack, and charges what large ones occupy.
func (m *machine) push(n decimal.Num) error {
	if size := n.Size(); size > 256 {
		if err := m.budget.Alloc(size); err != nil {
			return err
		}
	}
	m.stack = append(m.stack, value{num: n})
	return nil
}

func (m *machine) pop() decimal.Num {
	v := m.stack[len(m.stack)-1]
	m.drop(len(m.stack) - 1)
	return v.num
}

// drop removes the stack above a height.
func (m *machine) drop(height int) {
	for i := height; i < len(m.stack); i++ {
		if size := m.stack[i].num.Size(); size > 256 && m.stack[i].array == nil {
			m.budget.Free(size)
		}
		m.stack[i] = value{}
	}
	m.stack = m.stack[:height]
}

func (m *machine) top() decimal.Num { return m.stack[len(m.stack)-1].num }
