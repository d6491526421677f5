package find

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/internal/walk"
)

// A parser reads the arguments that make up an expression.
type parser struct {
	*finder
	args   []string
	tokens []token
	acts   bool   // there is an action, so that none is implied
	last   string // the test before
}

// A predicate is what an argument such as -name starts.
type predicate struct {
	// parse reads the arguments that follow, and returns the test. name is
	// as it was written.
	parse func(p *parser, name string) (test, error)

	action bool // there is no need of -print
}

// operators are the arguments that join others.
var operators = map[string]token{
	"!": {kind: tokenNot}, "-not": {kind: tokenNot}, "(": {kind: tokenOpen}, ")": {kind: tokenClose},
	"-a": {kind: tokenBinary, op: opAnd}, "-and": {kind: tokenBinary, op: opAnd},
	"-o": {kind: tokenBinary, op: opOr}, "-or": {kind: tokenBinary, op: opOr},
	",": {kind: tokenBinary, op: opComma},
}

// parse parses all arguments.
func (p *parser) parse() (*expression, error) {
	for len(p.args) > 0 {
		name := p.args[0]
		if !isExpression(name, false) {
			return nil, p.misplaced(name)
		}
		p.args = p.args[1:]
		switch name {
		case "-help", "--help":
			return nil, p.c.Flags().Help()
		case "-version", "--version":
			return nil, p.c.Flags().Version()
		}
		if t, ok := operators[name]; ok {
			t.name = name
			p.add(t)
			continue
		}
		pred, ok := p.find(name)
		if !ok {
			return nil, fmt.Errorf("unknown predicate `%s'", name)
		}
		test, err := pred.parse(p, name)
		if err != nil {
			return nil, err
		}
		p.acts = p.acts || pred.action
		p.last = name
		p.add(token{kind: tokenTest, name: name, test: test})
	}
	var x *expression
	if len(p.tokens) > 0 {
		b := builder{tokens: p.tokens, acts: p.acts}
		var err error
		if x, err = b.build(); err != nil {
			return nil, err
		}
	}
	if p.acts {
		return x, nil
	}
	printing := &expression{test: p.printTo(p.stdout(), '\n')}
	if x == nil {
		return printing, nil
	}
	return &expression{op: opAnd, list: []*expression{x, printing}}, nil
}

// find returns the predicate called name.
func (p *parser) find(name string) (predicate, bool) {
	if pred, ok := predicates[name]; ok {
		return pred, true
	}
	if rest, ok := strings.CutPrefix(name, "-newer"); ok && len(rest) == 2 {
		return predicate{parse: parseNewerXY}, true
	}
	return predicate{}, false
}

// add adds t after the -and that is implied.
func (p *parser) add(t token) {
	if n := len(p.tokens); n > 0 && t.kind != tokenBinary && t.kind != tokenClose {
		if k := p.tokens[n-1].kind; k == tokenTest || k == tokenClose {
			p.tokens = append(p.tokens, token{kind: tokenBinary, op: opAnd, name: "-a", implied: true})
		}
	}
	p.tokens = append(p.tokens, t)
}

// misplaced explains an argument that is no part of an expression.
func (p *parser) misplaced(arg string) error {
	hint := ""
	if _, err := p.c.FS.Lstat(arg); err == nil && p.last != "" {
		hint = fmt.Sprintf("\n%s: possible unquoted pattern after predicate `%s'?", p.c.Name, p.last)
	}
	return fmt.Errorf("paths must precede expression: `%s'%s", arg, hint)
}

// arg takes the argument of a predicate.
func (p *parser) arg(name string) (string, error) {
	if len(p.args) == 0 {
		return "", fmt.Errorf("missing argument to `%s'", name)
	}
	arg := p.args[0]
	p.args = p.args[1:]
	return arg, nil
}

// badArg is the error of an argument that makes no sense.
func badArg(name, arg string) error { return fmt.Errorf("invalid argument `%s' to `%s'", arg, name) }

// A comparison is how a number is to be compared: n, +n or -n.
type comparison struct {
	sign byte // '+' for more than n, '-' for less, 0 for n
	n    uint64
}

func (k comparison) matches(n uint64) bool {
	switch k.sign {
	case '+':
		return n > k.n
	case '-':
		return n < k.n
	}
	return n == k.n
}

// parseComparison parses n, +n or -n.
func parseComparison(s string) (k comparison, ok bool) {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		k.sign, s = s[0], s[1:]
	}
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return k, false
	}
	n, err := strconv.ParseUint(s, 10, 64)
	k.n = n
	return k, err == nil || errors.Is(err, strconv.ErrRange)
}

// comparison takes an argument that is a number to be compared with.
func (p *parser) comparison(name string) (comparison, error) {
	arg, err := p.arg(name)
	if err != nil {
		return comparison{}, err
	}
	k, ok := parseComparison(arg)
	if !ok {
		return k, badArg(name, arg)
	}
	return k, nil
}

// always is the test that everything passes.
func always(*walk.Entry) bool { return true }

// option returns a predicate that sets an option and passes everything.
func option(set func(f *finder)) predicate {
	return predicate{parse: func(p *parser, _ string) (test, error) {
		set(p.finder)
		return always, nil
	}}
}

// levels returns a predicate that takes a depth.
func levels(set func(f *finder, n int)) predicate {
	return predicate{parse: func(p *parser, name string) (test, error) {
		arg, err := p.arg(name)
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseUint(arg, 10, 31)
		if err != nil || arg[0] == '+' {
			return nil, fmt.Errorf("Expected a positive decimal integer argument to %s, but got ‘%s’", name, arg)
		}
		set(p.finder, int(n))
		return always, nil
	}}
}
