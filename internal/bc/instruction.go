package bc

import (
	"fmt"
	"math"
	"strings"

	"github.com/limpet-sh/limpet/internal/decimal"
)

// step executes one instruction.
func (m *machine) step(f *frame, o *op) error {
	switch o.code {
	case opNumber:
		return m.constant(o)
	case opZero:
		return m.push(decimal.Num{})
	case opOne:
		return m.push(decimal.Int(1))
	case opLoad:
		return m.push(m.load(o.arg))
	case opStore:
		return m.store(o, o.arg, m.top())
	case opIncr:
		return m.store(o, o.arg, decimal.Add(m.load(o.arg), decimal.Int(1)))
	case opDecr:
		return m.store(o, o.arg, decimal.Sub(m.load(o.arg), decimal.Int(1)))
	case opLoadAt, opStoreAt, opIncrAt, opDecrAt:
		return m.element(o)
	case opDup:
		return m.push(m.top())
	case opExchange:
		n := len(m.stack)
		m.stack[n-1], m.stack[n-2] = m.stack[n-2], m.stack[n-1]
	case opPop:
		m.pop()
	case opNeg:
		return m.push(m.pop().Neg())
	case opNot:
		return m.push(truth(m.pop().Sign() == 0))
	case opCompare:
		b, a := m.pop(), m.pop()
		return m.push(truth(compare(o.text, a.Cmp(b))))
	case opJump:
		f.next = o.arg
	case opIfZero:
		if m.pop().Sign() == 0 {
			f.next = o.arg
		}
	case opIfTrue:
		if m.pop().Sign() != 0 {
			f.next = o.arg
		}
	case opPrint, opWrite:
		return m.print(o)
	case opText:
		m.out.text(o.text)
	case opEscaped:
		m.out.text(unescape(o.text))
	case opCall:
		return m.call(o)
	case opArray:
		m.stack = append(m.stack, value{array: m.arrays[o.arg]})
	case opReturn:
		return m.giveBack()
	case opHalt:
		return errHalt
	case opLimits:
		m.out.text(limits)
	default:
		return m.compute(o)
	}
	return nil
}

func truth(b bool) decimal.Num {
	if b {
		return decimal.Int(1)
	}
	return decimal.Num{}
}

func compare(relation string, n int) bool {
	switch relation {
	case "==":
		return n == 0
	case "!=":
		return n != 0
	case "<":
		return n < 0
	case "<=":
		return n <= 0
	case ">":
		return n > 0
	}
	return n >= 0
}

// constant pushes a number, read in the current base.
func (m *machine) constant(o *op) error {
	if o.base != int(m.ibase) {
		n, err := decimal.ParseBase(o.text, int(m.ibase))
		if err != nil {
			return err
		}
		o.num, o.base = n, int(m.ibase)
	}
	return m.push(o.num)
}

// load returns the value of a variable.
func (m *machine) load(slot int) decimal.Num {
	switch slot {
	case slotIbase:
		return decimal.Int(m.ibase)
	case slotObase:
		return decimal.Int(m.obase)
	case slotScale:
		return decimal.Int(int64(m.scale))
	}
	return m.vars[slot]
}

// store sets a variable. Those of the language take only what makes sense.
func (m *machine) store(o *op, slot int, n decimal.Num) error {
	i, fits := n.Int64()
	if !fits {
		i = math.MaxInt64 * int64(n.Sign())
	}
	switch slot {
	case slotIbase:
		m.ibase = m.bounded(o, "ibase", i, 36)
	case slotObase:
		m.obase = m.bounded(o, "obase", i, math.MaxInt32)
	case slotScale:
		if i < 0 {
			m.warn(o, "negative scale, set to 0")
		} else if i > math.MaxInt32 {
			m.warn(o, fmt.Sprintf("scale too large, set to %d", math.MaxInt32))
		}
		m.scale = int(min(max(i, 0), math.MaxInt32))
	default:
		return m.keep(&m.vars[slot], n)
	}
	return nil
}

func (m *machine) bounded(o *op, name string, n, most int64) int64 {
	switch {
	case n < 2:
		m.warn(o, name+" too small, set to 2")
		return 2
	case n > most:
		m.warn(o, fmt.Sprintf("%s too large, set to %d", name, most))
		return most
	}
	return n
}

// keep puts n into a variable and charges the memory.
func (m *machine) keep(at *decimal.Num, n decimal.Num) error {
	if grown := n.Size() - at.Size(); grown != 0 {
		if err := m.budget.Alloc(max(grown, 0)); err != nil {
			return err
		}
		m.budget.Free(max(-grown, 0))
		m.held += grown
	}
	*at = n
	return nil
}

// element executes an instruction on an element of an array.
func (m *machine) element(o *op) error {
	var n decimal.Num
	if o.code == opStoreAt {
		n = m.pop()
	}
	i, ok := m.pop().Int64()
	if !ok || i < 0 || i > maxIndex {
		for name, slot := range m.arraySlots {
			if slot == o.arg {
				return mistake("Array " + name + " subscript out of bounds.")
			}
		}
	}
	a := *m.arrays[o.arg]
	old, had := a[i]
	switch o.code {
	case opLoadAt:
		return m.push(old)
	case opIncrAt:
		n = decimal.Add(old, decimal.Int(1))
	case opDecrAt:
		n = decimal.Sub(old, decimal.Int(1))
	}
	if !had {
		cost := elementCost + old.Size()
		if err := m.budget.Alloc(cost); err != nil {
			return err
		}
		m.held += cost
	}
	if err := m.keep(&old, n); err != nil {
		return err
	}
	a[i] = n
	if o.code == opStoreAt {
		return m.push(n)
	}
	return nil
}

const (
	maxIndex    = 16777215
	elementCost = 96 // about what an element of an array occupies
	frameCost   = 256
)

// print pops a number and prints it.
func (m *machine) print(o *op) error {
	if v := m.stack[len(m.stack)-1]; v.array == voidResult {
		m.pop()
		return nil
	}
	n := m.pop()
	if err := m.budget.Poll(n.Size() / 64); err != nil {
		return err
	}
	m.out.number(n, m.obase)
	if o.code == opPrint {
		m.out.text("\n")
	}
	return m.keep(&m.vars[slotLast], n)
}

// compute executes an arithmetic instruction.
func (m *machine) compute(o *op) error {
	n, err := m.arithmetic(o)
	if err != nil {
		return err
	}
	if err := m.budget.Poll(n.Size() / 256); err != nil {
		return err
	}
	return m.push(n)
}

func (m *machine) arithmetic(o *op) (n decimal.Num, err error) {
	switch o.code {
	case opLength:
		return decimal.Int(int64(m.pop().Length())), nil
	case opScale:
		return decimal.Int(int64(m.pop().Scale())), nil
	case opSqrt:
		if n, err = decimal.Sqrt(m.pop(), m.scale); err == decimal.ErrNegative {
			err = mistake("Square root of a negative number")
		}
		return n, err
	case opRead:
		return m.readNumber()
	case opRandom:
		return decimal.Int(m.nextRandom()), nil
	}
	b, a := m.pop(), m.pop()
	switch o.code {
	case opAdd:
		return decimal.Add(a, b), nil
	case opSub:
		return decimal.Sub(a, b), nil
	case opMul:
		return decimal.Mul(a, b, m.scale)
	case opDiv:
		if n, err = decimal.Div(a, b, m.scale); err == decimal.ErrDivide {
			err = mistake("Divide by zero")
		}
	case opMod:
		if n, err = decimal.Mod(a, b, m.scale); err == decimal.ErrDivide {
			err = mistake("Modulo by zero")
		}
	case opPow:
		if b.Trunc(0).Cmp(b) != 0 || b.Scale() > 0 {
			m.warn(o, "non-zero scale in exponent")
		}
		switch n, err = decimal.Pow(a, b, m.scale); err {
		case decimal.ErrDivide:
			err = mistake("divide by zero")
		case decimal.ErrExponent, decimal.ErrTooLarge:
			err = mistake("exponent too large in raise")
		}
	}
	return n, err
}

// limits is what the statement of that name prints.
const limits = "BC_BASE_MAX     = 2147483647\nBC_DIM_MAX      = 16777215\nBC_SCALE_MAX    = 2147483647\n" +
	"BC_STRING_MAX   = 2147483647\nMAX Exponent    = 9223372036854775807\nNumber of vars  = 32767\n"

// unescape replaces the sequences of print.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if j := strings.IndexByte(`abfnqrt\`, s[i]); j >= 0 {
			b.WriteByte("\a\b\f\n\"\r\t\\"[j])
		}
	}
	return b.String()
}
