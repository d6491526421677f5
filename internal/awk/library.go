package awk

import (
	"bytes"
	"math"
	"strings"
	"unicode/utf8"

	"unicode"
)

// A builtin is a function of the language.
type builtin struct {
	min, max int   // number of arguments
	arrays   []int // arguments that are arrays
	changes  bool  // it changes its third argument
	compile  func(*compiler, *builtinExpr) code
}

// library has the functions of the language.
var library = map[string]*builtin{
	"length":  {max: 1, compile: compileLength},
	"substr":  {min: 2, max: 3, compile: compileSubstr},
	"index":   {min: 2, max: 2, compile: compileIndex},
	"split":   {min: 2, max: 4, arrays: []int{1, 3}, compile: compileSplit},
	"sub":     {min: 2, max: 3, changes: true, compile: compileSub},
	"gsub":    {min: 2, max: 3, changes: true, compile: compileSub},
	"gensub":  {min: 3, max: 4, compile: compileGensub},
	"match":   {min: 2, max: 3, arrays: []int{2}, compile: compileMatch},
	"sprintf": {min: 1, max: math.MaxInt, compile: compileSprintf},
	"tolower": {min: 1, max: 1, compile: mapper(unicode.ToLower, 'A', 'Z')},
	"toupper": {min: 1, max: 1, compile: mapper(unicode.ToUpper, 'a', 'z')},

	"sin":   {min: 1, max: 1, compile: math1("sin", math.Sin)},
	"cos":   {min: 1, max: 1, compile: math1("cos", math.Cos)},
	"exp":   {min: 1, max: 1, compile: math1("exp", math.Exp)},
	"log":   {min: 1, max: 1, compile: math1("log", math.Log)},
	"sqrt":  {min: 1, max: 1, compile: math1("sqrt", math.Sqrt)},
	"int":   {min: 1, max: 1, compile: math1("int", math.Trunc)},
	"atan2": {min: 2, max: 2, compile: compileAtan2},
	"rand":  {compile: compileRand},
	"srand": {max: 1, compile: compileSrand},

	"system": {min: 1, max: 1, compile: compileSystem},
	"close":  {min: 1, max: 2, compile: compileClose},
	"fflush": {max: 1, compile: compileFflush},

	"systime":  {compile: compileSystime},
	"strftime": {max: 3, compile: compileStrftime},
	"mktime":   {min: 1, max: 2, compile: compileMktime},

	"asort":    {min: 1, max: 3, arrays: []int{0, 1}, compile: compileAsort},
	"asorti":   {min: 1, max: 3, arrays: []int{0, 1}, compile: compileAsort},
	"patsplit": {min: 2, max: 4, arrays: []int{1, 3}, compile: compilePatsplit},
	"strtonum": {min: 1, max: 1, compile: compileStrtonum},
	"and":      {min: 2, max: math.MaxInt, compile: bitwise("and", func(a, b uint64) uint64 { return a & b })},
	"or":       {min: 2, max: math.MaxInt, compile: bitwise("or", func(a, b uint64) uint64 { return a | b })},
	"xor":      {min: 2, max: math.MaxInt, compile: bitwise("xor", func(a, b uint64) uint64 { return a ^ b })},
	"lshift":   {min: 2, max: 2, compile: shift("lshift", func(a, n uint64) uint64 { return a << n })},
	"rshift":   {min: 2, max: 2, compile: shift("rshift", func(a, n uint64) uint64 { return a >> n })},
	"compl":    {min: 1, max: 1, compile: compileCompl},
	"isarray":  {min: 1, max: 1, compile: compileIsArray},
	"typeof":   {min: 1, max: 1, compile: compileTypeof},
	"mkbool":   {min: 1, max: 1, compile: compileMkbool},
}

// characters returns the number of characters of s; a byte that is not part of
// one counts as one.
func characters[T bytesOrString](s T) int {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return i + utf8.RuneCountInString(string(s[i:]))
		}
	}
	return len(s)
}

// length is characters, with the work counted.
func length[T bytesOrString](m *machine, s T) float64 {
	if len(s) >= counted {
		m.poll(len(s) >> 8)
	}
	return float64(characters(s))
}

func compileLength(c *compiler, x *builtinExpr) code {
	if len(x.args) == 0 {
		return numberCode(func(m *machine) float64 { return length(m, m.rec.bytes()) }, true)
	}
	arg := x.args[0]
	if v, ok := arg.(*varExpr); ok && v.v.special == spNone || ok && !v.v.special.live() {
		ref, str := c.ref(v.v), c.expr(arg).str
		return numberCode(func(m *machine) float64 {
			if p := ref(m); p.k == arrayRef {
				return float64(p.arr.size)
			}
			return length(m, str(m))
		}, true)
	}
	if e, ok := arg.(*indexExpr); ok {
		ref := c.element(e)
		return numberCode(func(m *machine) float64 {
			p := ref(m)
			if p.k == arrayRef {
				return float64(p.arr.size)
			}
			return length(m, m.str(p))
		}, false)
	}
	s := c.expr(arg)
	get := s.bytes()
	return numberCode(func(m *machine) float64 { return length(m, get(m)) }, s.pure)
}

func compileSubstr(c *compiler, x *builtinExpr) code {
	s, from := c.expr(x.args[0]), c.expr(x.args[1])
	pure := s.pure && from.pure
	size := func(*machine) float64 { return math.Inf(1) }
	if len(x.args) == 3 {
		n := c.expr(x.args[2])
		size, pure = n.num, pure && n.pure
	}
	get, at := s.bytes(), from.num
	if !pure {
		get = func(m *machine) []byte { return view(s.str(m)) }
	}
	part := func(m *machine) []byte {
		b := get(m)
		i := at(m)
		return substr(b, i, size(m))
	}
	out := stringCode(func(m *machine) string { return m.string(part(m)) }, pure)
	if pure {
		out.view = part
	}
	return out
}

// substr returns at most length characters of b, from the position from on. The
// first is at 1.
func substr(b []byte, from, length float64) []byte {
	if from != from || length != length || length < -math.MaxFloat64 {
		return nil
	}
	from = max(from, 1) // as gawk 5.2 has it; POSIX would shorten the string
	if length < 1 || from > float64(len(b)) {
		return nil
	}
	skip, n := int(from)-1, int(clamp(length, 0, float64(len(b))))
	if ascii(b[:min(len(b), skip+n)]) {
		return b[skip:min(len(b), skip+n)]
	}
	b = b[prefixLen(b, skip):]
	return b[:prefixLen(b, n)]
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func compileIndex(c *compiler, x *builtinExpr) code {
	if _, ok := x.args[1].(*regexpLit); ok {
		return valueCode(func(m *machine) value {
			m.fatal("index: regexp constant as second argument is not allowed")
			return value{}
		}, false)
	}
	s, t := c.expr(x.args[0]), c.expr(x.args[1])
	find := t.str
	get := s.bytes()
	if !t.pure {
		get = func(m *machine) []byte { return view(s.str(m)) }
	}
	return numberCode(func(m *machine) float64 {
		b := get(m)
		t := find(m)
		m.poll(len(b) >> 8)
		if m.ignorecase {
			return float64(index(bytes.ToLower(b), strings.ToLower(t)))
		}
		return float64(index(b, t))
	}, s.pure && t.pure)
}

// mapper returns the function that maps characters; low to high are the ASCII
// letters that change.
func mapper(to func(rune) rune, low, high byte) func(*compiler, *builtinExpr) code {
	change := func(s string) string {
		b := make([]byte, 0, len(s))
		for i := 0; i < len(s); {
			if c := s[i]; c < utf8.RuneSelf {
				if c >= low && c <= high {
					c ^= 0x20
				}
				b = append(b, c)
				i++
				continue
			}
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				b = append(b, s[i])
			} else {
				b = utf8.AppendRune(b, to(r))
			}
			i += n
		}
		return string(b)
	}
	return func(c *compiler, x *builtinExpr) code {
		s := c.expr(x.args[0])
		get := s.str
		return stringCode(func(m *machine) string {
			s := get(m)
			m.room(2 * len(s))
			m.poll(len(s) >> 8)
			return change(s)
		}, s.pure)
	}
}

func compileSprintf(c *compiler, x *builtinExpr) code {
	args := c.values(x.args)
	return stringCode(func(m *machine) string {
		base := len(m.stack)
		args(m)
		layout := m.str(&m.stack[base])
		start := len(m.scratch)
		m.scratch = m.sprintf(m.scratch, layout, m.stack[base+1:])
		s := m.string(m.scratch[start:])
		m.trim(start)
		m.pop(base)
		return s
	}, false)
}

// values compiles the evaluation of expressions, which pushes their values.
func (c *compiler) values(list []expr) func(*machine) {
	vals := make([]func(*machine) value, len(list))
	for i, x := range list {
		vals[i] = c.expr(x).val
	}
	return func(m *machine) {
		for _, val := range vals {
			m.push(val(m))
		}
	}
}

// pop drops the values from base on.
func (m *machine) pop(base int) {
	for i := range m.stack[base:] {
		m.resize(len(m.stack[base+i].s), 0)
		m.stack[base+i] = value{}
	}
	m.stack = m.stack[:base]
}

func compileSystem(c *compiler, x *builtinExpr) code {
	command := c.expr(x.args[0]).str
	return numberCode(func(m *machine) float64 { return float64(m.system(command(m))) }, false)
}

func compileClose(c *compiler, x *builtinExpr) code {
	if len(x.args) == 2 {
		return valueCode(func(m *machine) value {
			m.fatal("close: two-way pipes are not supported")
			return value{}
		}, false)
	}
	name := c.expr(x.args[0]).str
	return numberCode(func(m *machine) float64 { return float64(m.closeNamed(name(m))) }, false)
}

func compileFflush(c *compiler, x *builtinExpr) code {
	if len(x.args) == 0 {
		return numberCode(func(m *machine) float64 {
			m.flushAll()
			return 0
		}, false)
	}
	get := c.expr(x.args[0]).str
	return numberCode(func(m *machine) float64 {
		name := get(m)
		if name == "" {
			m.flushAll()
			return 0
		}
		if o := m.outputs[name]; o != nil {
			o.flush()
			return 0
		}
		if m.inputs[name] != nil {
			m.warn("fflush: cannot flush: file `%s' opened for reading, not writing", name)
		} else {
			m.warn("fflush: `%s' is not an open file, pipe or co-process", name)
		}
		return -1
	}, false)
}
