// Package dc runs programs of dc, the calculator in reverse Polish notation, as
// GNU dc does.
package dc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"

	"github.com/limpet-sh/limpet/internal/decimal"
)

// A Budget is asked before memory is used and work done. Its errors end the
// program.
type Budget interface {
	Poll(steps int) error
	Alloc(bytes int) error
	Free(bytes int)
}

// A value is a number or a string.
type value struct {
	num  decimal.Num
	str  string
	text bool
}

func (v value) size() int { return v.num.Size() + len(v.str) }

// A register is a stack, whose top is what s and l use, with an array for each
// level of it.
type register struct {
	levels []level
}

type level struct {
	value value
	set   bool
	array map[int64]value
}

// A Calculator runs programs, one after the other.
type Calculator struct {
	budget       Budget
	stdin        *bufio.Reader
	out          *bufio.Writer
	stderr       io.Writer
	width        int
	column       int
	stack        []value
	registers    [256]*register
	scale        int
	ibase, obase int64
	held         int

	// frames are the texts that run, the innermost last.
	frames []*frame
}

// A frame is a text that runs.
type frame struct {
	in   io.ByteScanner
	cost int
}

// New returns a calculator that reads lines for ? from stdin and breaks lines
// of output at width, or not where that is 0.
func New(b Budget, stdin *bufio.Reader, out *bufio.Writer, stderr io.Writer, width int) *Calculator {
	return &Calculator{budget: b, stdin: stdin, out: out, stderr: stderr, width: width, ibase: 10, obase: 10}
}

// errQuit ends the program.
var errQuit = errors.New("quit")

// A mistake is an error of the program, which goes on after it.
type mistake string

func (m mistake) Error() string { return string(m) }

const errEmpty mistake = "stack empty"

// Run runs the program that in holds. It reports whether the program has not
// ended the calculator.
func (c *Calculator) Run(in io.ByteScanner) (more bool, err error) {
	c.frames = []*frame{{in: in}}
	for len(c.frames) > 0 {
		f := c.frames[len(c.frames)-1]
		b, err := f.in.ReadByte()
		if err == io.EOF {
			c.leave()
			continue
		}
		if err == nil {
			err = c.budget.Poll(1)
		}
		if err == nil {
			err = c.command(b, f)
		}
		var m mistake
		switch {
		case errors.As(err, &m):
			c.complain(string(m))
		case errors.Is(err, decimal.ErrTooLarge):
			c.complain("number too large")
		case errors.Is(err, errQuit):
			return false, nil
		case err != nil:
			return false, err
		}
	}
	return true, nil
}

// Close gives back the memory of the stack and the registers.
func (c *Calculator) Close() {
	for len(c.frames) > 0 {
		c.leave()
	}
	c.budget.Free(c.held)
}

func (c *Calculator) leave() {
	last := len(c.frames) - 1
	c.budget.Free(c.frames[last].cost)
	c.frames = c.frames[:last]
}

func (c *Calculator) complain(text string) {
	_ = c.out.Flush()
	fmt.Fprintf(c.stderr, "dc: %s\n", text)
}

// hold charges the memory of a value that is kept, and gives back that of the
// one that it replaces.
func (c *Calculator) hold(n, old int) error {
	if err := c.budget.Alloc(n); err != nil {
		return err
	}
	c.budget.Free(old)
	c.held += n - old
	return nil
}

func (c *Calculator) push(v value) error {
	if err := c.hold(v.size(), 0); err != nil {
		return err
	}
	c.stack = append(c.stack, v)
	return nil
}

func (c *Calculator) pushNum(n decimal.Num) error { return c.push(value{num: n}) }
func (c *Calculator) pushInt(n int64) error       { return c.pushNum(decimal.Int(n)) }

func (c *Calculator) pop() (value, error) {
	if len(c.stack) == 0 {
		return value{}, errEmpty
	}
	v := c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	_ = c.hold(0, v.size())
	return v, nil
}

// numbers pops n numbers, of which the last was on top. Where they are not
// there, the stack stays as it is.
func (c *Calculator) numbers(n int) ([]decimal.Num, error) {
	if len(c.stack) < n {
		return nil, errEmpty
	}
	list := make([]decimal.Num, n)
	for i, v := range c.stack[len(c.stack)-n:] {
		if v.text {
			return nil, mistake("non-numeric value")
		}
		list[i] = v.num
	}
	for range n {
		_, _ = c.pop()
	}
	return list, nil
}

// command executes the command b.
func (c *Calculator) command(b byte, f *frame) error {
	switch {
	case b >= '0' && b <= '9', b >= 'A' && b <= 'F', b == '.', b == '_':
		return c.number(b, f)
	case strings.IndexByte("+-*/%^~|v", b) >= 0:
		return c.arithmetic(b)
	case strings.IndexByte("pnPf", b) >= 0:
		return c.print(b)
	case strings.IndexByte("slSL:;", b) >= 0:
		return c.registerCommand(b, f)
	case strings.IndexByte("<>=", b) >= 0:
		return c.compare(b, false, f)
	case strings.IndexByte("iokIOK", b) >= 0:
		return c.parameter(b)
	case strings.IndexByte("xq?Q", b) >= 0:
		return c.control(b)
	case strings.IndexByte("cdrRzZXa", b) >= 0:
		return c.shuffle(b)
	}
	switch b {
	case ' ', '\t', '\n', '\r', '\f', '\v':
	case '#':
		return skipLine(f.in)
	case '[':
		return c.str(f)
	case '!':
		next, err := f.in.ReadByte()
		if err == nil && strings.IndexByte("<>=", next) >= 0 {
			return c.compare(next, true, f)
		}
		_ = skipLine(f.in)
		return mistake("'!' (041) unimplemented")
	case ']':
		return mistake("unbalanced ]")
	default:
		return mistake(fmt.Sprintf("'%c' (%#o) unimplemented", b, b))
	}
	return nil
}

func skipLine(in io.ByteScanner) error {
	for {
		b, err := in.ReadByte()
		if err == io.EOF || b == '\n' {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

const maxToken = 1 << 20

// number reads a number that begins with b.
func (c *Calculator) number(b byte, f *frame) error {
	negative := b == '_'
	text := []byte{}
	point := false
	if !negative {
		text, point = append(text, b), b == '.'
	}
	for len(text) < maxToken {
		d, err := f.in.ReadByte()
		if err != nil {
			break
		}
		if d >= '0' && d <= '9' || d >= 'A' && d <= 'F' || d == '.' && !point {
			point = point || d == '.'
			text = append(text, d)
			continue
		}
		_ = f.in.UnreadByte()
		break
	}
	n, err := c.parse(string(text))
	if err != nil {
		return err
	}
	if negative {
		n = n.Neg()
	}
	return c.pushNum(n)
}

// parse returns the number that text stands for. Digits keep their value,
// whatever the base is.
func (c *Calculator) parse(text string) (decimal.Num, error) {
	if c.ibase == 10 && strings.Trim(text, "0123456789.") == "" {
		return decimal.Parse(text)
	}
	whole, fraction, _ := strings.Cut(text, ".")
	n, base := new(big.Int), big.NewInt(c.ibase)
	for i := range len(whole) {
		n.Add(n.Mul(n, base), big.NewInt(digitValue(whole[i])))
		if n.BitLen() > decimal.MaxBits {
			return decimal.Num{}, decimal.ErrTooLarge
		}
	}
	if fraction == "" {
		return decimal.New(n, 0), nil
	}
	part, divisor := new(big.Int), big.NewInt(1)
	for i := range len(fraction) {
		part.Add(part.Mul(part, base), big.NewInt(digitValue(fraction[i])))
		divisor.Mul(divisor, base)
	}
	rest, err := decimal.Div(decimal.New(part, 0), decimal.New(divisor, 0), len(fraction))
	return decimal.Add(decimal.New(n, 0), rest), err
}

func digitValue(b byte) int64 {
	if b >= 'A' {
		return int64(b-'A') + 10
	}
	return int64(b - '0')
}

// str reads a string up to the bracket that closes it.
func (c *Calculator) str(f *frame) error {
	var text []byte
	for depth := 1; ; {
		b, err := f.in.ReadByte()
		if err == io.EOF {
			return mistake("unterminated string")
		}
		if err == nil {
			err = c.budget.Poll(1)
		}
		if err != nil {
			return err
		}
		if len(text) > maxToken {
			return decimal.ErrTooLarge
		}
		switch b {
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth == 0 {
			return c.push(value{str: string(text), text: true})
		}
		text = append(text, b)
	}
}

func (c *Calculator) arithmetic(b byte) error {
	count := 2
	switch b {
	case 'v':
		count = 1
	case '|':
		count = 3
	}
	if b == '/' || b == '%' || b == '~' {
		if n := len(c.stack); n >= 2 && !c.stack[n-1].text && c.stack[n-1].num.Sign() == 0 {
			return mistake(map[byte]string{'/': "divide by zero", '%': "remainder by zero", '~': "divide by zero"}[b])
		}
	}
	x, err := c.numbers(count)
	if err != nil {
		return err
	}
	var n decimal.Num
	switch b {
	case '+':
		n = decimal.Add(x[0], x[1])
	case '-':
		n = decimal.Sub(x[0], x[1])
	case '*':
		n, err = decimal.Mul(x[0], x[1], c.scale)
	case '/':
		n, err = decimal.Div(x[0], x[1], c.scale)
	case '%':
		n, err = decimal.Mod(x[0], x[1], c.scale)
	case '~':
		var q decimal.Num
		if q, n, err = decimal.DivMod(x[0], x[1], c.scale); err == nil {
			err = c.pushNum(q)
		}
	case '^':
		n, err = c.power(x[0], x[1])
	case 'v':
		if n, err = decimal.Sqrt(x[0], c.scale); err == decimal.ErrNegative {
			err = mistake("square root of negative number")
		}
	case '|':
		n, err = modularPower(x[0], x[1], x[2])
	}
	if err != nil {
		return err
	}
	if err := c.budget.Poll(n.Size() / 256); err != nil {
		return err
	}
	return c.pushNum(n)
}

func (c *Calculator) power(x, y decimal.Num) (decimal.Num, error) {
	if y.Trunc(0).Cmp(y) != 0 {
		c.complain("warning: non-zero scale in exponent")
	}
	n, err := decimal.Pow(x, y, c.scale)
	switch err {
	case decimal.ErrDivide:
		return n, mistake("divide by zero")
	case decimal.ErrExponent:
		return n, mistake("exponent too large in raise")
	}
	return n, err
}

func modularPower(base, exponent, modulus decimal.Num) (decimal.Num, error) {
	b, e, m := base.Trunc(0), exponent.Trunc(0), modulus.Trunc(0)
	switch {
	case m.Sign() == 0:
		return decimal.Num{}, mistake("remainder by zero")
	case e.Sign() < 0:
		return decimal.Num{}, mistake("negative exponent")
	}
	n := new(big.Int).Exp(b.Unscaled(), e.Unscaled(), new(big.Int).Abs(m.Unscaled()))
	if b.Sign() < 0 && e.Unscaled().Bit(0) == 1 && n.Sign() != 0 {
		n.Sub(n, new(big.Int).Abs(m.Unscaled()))
	}
	return decimal.New(n, 0), nil
}

// parameter executes the commands about bases and scale.
func (c *Calculator) parameter(b byte) error {
	switch b {
	case 'I':
		return c.pushInt(c.ibase)
	case 'O':
		return c.pushInt(c.obase)
	case 'K':
		return c.pushInt(int64(c.scale))
	}
	x, err := c.numbers(1)
	if err != nil {
		return err
	}
	n, ok := x[0].Int64()
	switch {
	case b == 'i' && (!ok || n < 2 || n > 16):
		return mistake("input base must be a number between 2 and 16 (inclusive)")
	case b == 'o' && (!ok || n < 2 || n > math.MaxInt32):
		return mistake("output base must be a number greater than 1")
	case b == 'k' && (!ok || n < 0 || n > math.MaxInt32):
		return mistake("scale must be a nonnegative number")
	case b == 'i':
		c.ibase = n
	case b == 'o':
		c.obase = n
	default:
		c.scale = int(n)
	}
	return nil
}
