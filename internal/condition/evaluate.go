package condition

import "fmt"

// An Error is a mistake in the arguments of test, in bash's words. The status
// of test is 2 then.
type Error string

func (e Error) Error() string { return string(e) }

// maxNesting bounds the parentheses within one another.
const maxNesting = 10_000

// Bracket evaluates the arguments of [, the closing ] among them.
func Bracket(env Env, args []string) (bool, error) {
	n := len(args) - 1
	if n < 0 || args[n] != "]" {
		return false, Error("missing `]'")
	}
	return Test(env, args[:n])
}

// Test evaluates the arguments of test: as POSIX says where there are at most
// four, and by precedence where there are more. The error is an [Error].
func Test(env Env, args []string) (ok bool, err error) {
	e := &evaluator{env: env, args: args}
	defer func() {
		if r := recover(); r != nil {
			mistake, isError := r.(Error)
			if !isError {
				panic(r)
			}
			ok, err = false, mistake
		}
	}()
	switch len(args) {
	case 0:
		return false, nil
	case 1:
		return args[0] != "", nil
	case 2:
		return e.two(args), nil
	case 3:
		return e.three(args), nil
	case 4:
		switch {
		case args[0] == "!":
			return !e.three(args[1:]), nil
		case args[0] == "(" && args[3] == ")":
			return e.two(args[1:3]), nil
		}
	}
	ok = e.or()
	switch rest := e.args[e.pos:]; {
	case len(rest) > 0 && rest[0] != "" && rest[0][0] == '-':
		return false, Error(fmt.Sprintf("syntax error: `%s' unexpected", rest[0]))
	case len(rest) > 0:
		return false, Error("too many arguments")
	}
	return ok, nil
}

// An evaluator parses and evaluates a condition. It panics with an [Error].
type evaluator struct {
	env   Env
	args  []string
	pos   int
	depth int
}

func fail(format string, args ...any) { panic(Error(fmt.Sprintf(format, args...))) }

func (e *evaluator) two(args []string) bool {
	switch {
	case args[0] == "!":
		return args[1] == ""
	case !IsUnary(args[0]):
		fail("%s: unary operator expected", args[0])
	}
	return Unary(e.env, args[0], args[1])
}

func (e *evaluator) three(args []string) bool {
	a, op, b := args[0], args[1], args[2]
	switch {
	case IsBinary(op):
		return e.binary(op, a, b)
	case op == "-a":
		return a != "" && b != ""
	case op == "-o":
		return a != "" || b != ""
	case a == "!":
		return !e.two(args[1:])
	case a == "(" && b == ")":
		return op != ""
	}
	fail("%s: binary operator expected", op)
	return false
}

func (e *evaluator) binary(op, a, b string) bool {
	switch op {
	case "=", "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case ">":
		return a > b
	case "-nt", "-ot", "-ef":
		return Files(e.env, op, a, b)
	}
	return Compare(op, integer(a), integer(b))
}

func integer(s string) int64 {
	n, ok := Integer(s)
	if !ok {
		fail("%s: integer expression expected", s)
	}
	return n
}

// left returns how many arguments are left.
func (e *evaluator) left() int { return len(e.args) - e.pos }

// next consumes an argument.
func (e *evaluator) next() string {
	if e.left() == 0 {
		fail("argument expected")
	}
	e.pos++
	return e.args[e.pos-1]
}

// takes consumes the next argument if it is arg.
func (e *evaluator) takes(arg string) bool {
	if e.left() == 0 || e.args[e.pos] != arg {
		return false
	}
	e.pos++
	return true
}

func (e *evaluator) or() bool {
	ok := e.and()
	for e.takes("-o") {
		ok = e.and() || ok
	}
	return ok
}

func (e *evaluator) and() bool {
	ok := e.term()
	for e.takes("-a") {
		ok = e.term() && ok
	}
	return ok
}

func (e *evaluator) term() bool {
	negated := false
	for e.takes("!") {
		negated = !negated
	}
	return e.primary() != negated
}

func (e *evaluator) primary() bool {
	switch {
	case e.takes("("):
		return e.parentheses()
	case e.left() >= 3 && IsBinary(e.args[e.pos+1]):
		a, op, b := e.next(), e.next(), e.next()
		return e.binary(op, a, b)
	case e.takes("-t"):
		// Bash: the operand of -t may be missing, and stays where it is
		// if it is not a number.
		if e.left() == 0 {
			return Unary(e.env, "-t", "1")
		}
		if _, ok := Integer(e.args[e.pos]); !ok {
			return false
		}
		return Unary(e.env, "-t", e.next())
	case e.left() >= 2 && IsUnary(e.args[e.pos]):
		op := e.next()
		return Unary(e.env, op, e.next())
	}
	return e.next() != ""
}

func (e *evaluator) parentheses() bool {
	if e.depth++; e.depth > maxNesting {
		fail("too many levels of parentheses")
	}
	ok := e.or()
	switch {
	case e.left() == 0:
		fail("`)' expected")
	case !e.takes(")"):
		fail("`)' expected, found %s", e.args[e.pos])
	}
	e.depth--
	return ok
}
