package bc

import "github.com/limpet-sh/limpet/internal/decimal"

// An opcode is an instruction of the machine.
type opcode byte

const (
	opNumber opcode = iota // push text in the current base
	opZero
	opOne
	opLoad    // push variable arg
	opStore   // set variable arg to the top
	opLoadAt  // replace the index on top by the element of array arg
	opStoreAt // set the element of array arg at the index below the top
	opIncr    // add 1 to variable arg
	opDecr
	opIncrAt // add 1 to the element of array arg at the index on top
	opDecrAt
	opDup
	opExchange // push what is below the top, taking it from there
	opPop
	opAdd
	opSub
	opMul
	opDiv
	opMod
	opPow
	opNeg
	opNot
	opCompare // text is the relation
	opJump    // to arg
	opIfZero  // pop, jump if it is 0
	opIfTrue  // pop, jump unless it is 0
	opPrint   // pop, print with a newline, keep as last
	opWrite   // pop, print, keep as last
	opText    // print text as it is
	opEscaped // print text with its escapes
	opCall    // function arg with the arguments that text describes
	opArray   // push array arg, as an argument
	opReturn
	opHalt
	opLength
	opScale
	opSqrt
	opRead
	opRandom
	opLimits
)

// An op is one instruction.
type op struct {
	code opcode
	arg  int
	text string
	num  decimal.Num // of opNumber
	base int         // in which num was read
	end  int         // the address after it in the code of GNU bc, for messages
}

// A code is a sequence of instructions.
type code struct {
	ops  []op
	size int // in the code of GNU bc
}

// emit appends an instruction that takes size bytes in the code of GNU bc, and
// returns its position.
func (c *code) emit(o op, size int) int {
	c.size += size
	o.end = c.size
	c.ops = append(c.ops, o)
	return len(c.ops) - 1
}

// patch makes the jump at position at go to the next instruction.
func (c *code) patch(at int) { c.ops[at].arg = len(c.ops) }
