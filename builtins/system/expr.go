package system

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/limits"
)

var expr = commands.Add(&builtins.Command{
	Name:     "expr",
	Synopsis: "EXPRESSION",
	Summary:  "evaluate expressions",
	Trouble:  3,
	Run:      runExpr,
})

// exprError is the status of expr for expressions that it cannot evaluate.
const exprError builtins.Exit = 2

func runExpr(ctx context.Context, c *builtins.Call) error {
	f := c.Flags()
	args := c.Args
	if len(args) == 0 || len(args) == 1 && (args[0] == "--help" || args[0] == "--version") {
		if _, err := f.Parse(); err != nil {
			return err
		}
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		_ = f.Fail(builtins.Usage("missing operand"))
		return exprError
	}
	e := evaluator{call: c, args: args}
	v, err := e.expression(0, true)
	if err == nil && e.next < len(args) {
		err = e.syntaxError("unexpected argument %s", e.args[e.next])
	}
	if err != nil {
		if c.Ends(err) {
			return err
		}
		c.Warn(err)
		return exprError
	}
	if _, err := io.WriteString(c.Stdout, v.text()+"\n"); err != nil {
		return err
	}
	if v.null() {
		return builtins.Exit(1)
	}
	return nil
}

// An evaluator evaluates an expression while it parses it. Each of its methods
// evaluates nothing, and only parses, where its argument eval is false.
type evaluator struct {
	call *builtins.Call
	args []string
	next int
}

var (
	errNonInteger = errors.New("non-integer argument")
	errDivision   = errors.New("division by zero")
)

func (e *evaluator) syntaxError(format, arg string) error {
	return fmt.Errorf("syntax error: "+format, builtins.QuoteLocale(arg))
}

// accept takes the next argument if it is word.
func (e *evaluator) accept(word string) bool {
	if e.next < len(e.args) && e.args[e.next] == word {
		e.next++
		return true
	}
	return false
}

// more returns an error where there are no more arguments.
func (e *evaluator) more() error {
	if e.next == len(e.args) {
		return e.syntaxError("missing argument after %s", e.args[e.next-1])
	}
	return e.call.Poll(1)
}

// levels has the binary operators, from those that bind least on.
var levels = [][]string{
	{"|"}, {"&"}, {"<", "<=", "=", "==", "!=", ">=", ">"}, {"+", "-"}, {"*", "/", "%"}, {":"},
}

// expression evaluates operators of a level and those that bind more.
func (e *evaluator) expression(level int, eval bool) (exprValue, error) {
	if level == len(levels) {
		return e.function(eval)
	}
	left, err := e.expression(level+1, eval)
	if err != nil {
		return left, err
	}
	for {
		op := e.operator(levels[level])
		if op == "" {
			return left, nil
		}
		need := eval
		if op == "|" || op == "&" {
			need = eval && left.null() == (op == "|")
		}
		right, err := e.expression(level+1, need)
		if err != nil {
			return right, err
		}
		if !eval {
			continue
		}
		if left, err = e.apply(op, left, right); err != nil {
			return left, err
		}
	}
}

func (e *evaluator) operator(ops []string) string {
	for _, op := range ops {
		if e.accept(op) {
			return op
		}
	}
	return ""
}

func (e *evaluator) apply(op string, a, b exprValue) (exprValue, error) {
	switch op {
	case "|":
		switch {
		case !a.null():
			return a, nil
		case b.null():
			return intValue(0), nil
		}
		return b, nil
	case "&":
		if a.null() || b.null() {
			return intValue(0), nil
		}
		return a, nil
	case "+", "-", "*", "/", "%":
		return a.arithmetic(op, b)
	case ":":
		return e.match(a, b)
	}
	return a.compare(op, b), nil
}

// function evaluates the operators that are words, and what they apply to.
func (e *evaluator) function(eval bool) (exprValue, error) {
	if err := e.more(); err != nil {
		return exprValue{}, err
	}
	e.next++
	switch word := e.args[e.next-1]; word {
	case "+":
		if err := e.more(); err != nil {
			return exprValue{}, err
		}
		e.next++
		return stringValue(e.args[e.next-1]), nil
	case "length":
		v, err := e.operands(1, eval)
		if err != nil {
			return exprValue{}, err
		}
		return intValue(charCount(v[0].text())), nil
	case "match":
		v, err := e.operands(2, eval)
		if err != nil || !eval {
			return exprValue{}, err
		}
		return e.match(v[0], v[1])
	case "index":
		v, err := e.operands(2, eval)
		if err != nil {
			return exprValue{}, err
		}
		return intValue(indexAny(v[0].text(), v[1].text())), nil
	case "substr":
		v, err := e.operands(3, eval)
		if err != nil {
			return exprValue{}, err
		}
		return v[0].substring(v[1], v[2]), nil
	}
	e.next--
	return e.primary(eval)
}

// operands evaluates the operands of a function.
func (e *evaluator) operands(n int, eval bool) ([]exprValue, error) {
	if err := e.call.Meter.Charge(limits.Depth, 1); err != nil {
		return nil, err
	}
	defer e.call.Meter.Release(limits.Depth, 1)
	var list []exprValue
	for range n {
		v, err := e.function(eval)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func (e *evaluator) primary(eval bool) (exprValue, error) {
	switch {
	case e.accept("("):
		if err := e.call.Meter.Charge(limits.Depth, 1); err != nil {
			return exprValue{}, err
		}
		defer e.call.Meter.Release(limits.Depth, 1)
		v, err := e.expression(0, eval)
		switch {
		case err != nil:
			return v, err
		case e.next == len(e.args):
			return v, e.syntaxError("expecting ')' after %s", e.args[e.next-1])
		case !e.accept(")"):
			return v, e.syntaxError("expecting ')' instead of %s", e.args[e.next])
		}
		return v, nil
	case e.accept(")"):
		return exprValue{}, errors.New("syntax error: unexpected ')'")
	}
	e.next++
	return stringValue(e.args[e.next-1]), nil
}

// match evaluates text : pattern.
func (e *evaluator) match(text, pattern exprValue) (exprValue, error) {
	re, err := regex.Compile(pattern.text(), regex.Basic, 0)
	if err != nil {
		return exprValue{}, err
	}
	m := re.Matcher(e.call)
	defer m.Close()
	s := text.text()
	group := m.Submatches([]byte(s), 0)
	if err := m.Err(); err != nil {
		return exprValue{}, err
	}
	matched := group != nil && group[0] == 0
	switch {
	case re.Groups() == 0 && matched:
		return intValue(charCount(s[:group[1]])), nil
	case re.Groups() == 0:
		return intValue(0), nil
	case matched && group[2] >= 0:
		return stringValue(s[group[2]:group[3]]), nil
	}
	return stringValue(""), nil
}
