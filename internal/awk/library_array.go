package awk

import (
	"strings"
)

func compileIsArray(c *compiler, x *builtinExpr) code {
	kindOf := c.kindOf(x.args[0])
	return truthCode(func(m *machine) bool { return kindOf(m) == "array" }, false)
}

func compileTypeof(c *compiler, x *builtinExpr) code {
	return stringCode(c.kindOf(x.args[0]), false)
}

func compileMkbool(c *compiler, x *builtinExpr) code {
	test := c.expr(x.args[0]).test
	return truthCode(func(m *machine) bool { return test(m) }, false)
}

// kindOf compiles x to what tells its type, in typeof's words.
func (c *compiler) kindOf(x expr) func(*machine) string {
	if g, ok := x.(*groupExpr); ok && len(g.list) == 1 {
		x = g.list[0]
	}
	switch x := x.(type) {
	case *varExpr:
		if !x.v.special.live() {
			ref := c.ref(x.v)
			return func(m *machine) string { return typeName(ref(m), "untyped") }
		}
	case *indexExpr:
		ref := c.element(x)
		return func(m *machine) string { return typeName(ref(m), "untyped") }
	case *regexpLit:
		if x.strong {
			return func(*machine) string { return "regexp" }
		}
	}
	val := c.expr(x).val
	return func(m *machine) string {
		v := val(m)
		return typeName(&v, "unassigned")
	}
}

func typeName(v *value, none string) string {
	switch v.k {
	case number:
		return "number"
	case text:
		return "string"
	case pattern:
		return "regexp"
	case arrayRef:
		return "array"
	case input:
		if _, ok := looksNumeric(v.s); ok {
			return "strnum"
		}
		if v.n == beyond {
			return "unassigned"
		}
		return "string"
	}
	return none
}

// ordering returns the way to sort that how names: one of those that have a
// name, or a function of the program.
func (m *machine) ordering(how string) ordering {
	if of := orderings[how]; of != nil {
		return of(m)
	}
	fn := m.prog.functions[how]
	if fn == nil || !fn.defined || strings.HasPrefix(how, "@") {
		m.fatal("sort comparison function `%s' is not defined", how)
	}
	return func(a, b *item) int {
		base := len(m.stack)
		for i, v := range []value{keyValue(a.key), a.val, keyValue(b.key), b.val} {
			if i < len(fn.params) {
				m.push(v)
			}
		}
		v := m.invoke(fn, base)
		return order(v.num(), 0)
	}
}

// visiting returns the elements of a in the order in which a for loop is to
// visit them.
func (m *machine) visiting(a *array) []item {
	m.room(a.size * itemSize)
	m.poll(a.size >> 4)
	items := a.list()
	how := m.slot(spPROCINFO).arr.find(subscript{s: "sorted_in"})
	if how == nil || len(items) < 2 {
		return items
	}
	if name := m.str(how); name != "" && name != "@unsorted" {
		m.sort(items, m.ordering(name))
	}
	return items
}

func compileAsort(c *compiler, x *builtinExpr) code {
	byIndex := x.name == "asorti"
	from := c.arrayArg(x, 0)
	to := from
	if len(x.args) > 1 {
		to = c.arrayArg(x, 1)
	}
	how := func(*machine) string {
		if byIndex {
			return "@ind_str_asc"
		}
		return "@val_type_asc"
	}
	if len(x.args) > 2 {
		how = c.expr(x.args[2]).str
	}
	return numberCode(func(m *machine) float64 {
		a := from(m)
		m.room(a.size * itemSize)
		items := a.list()
		m.sort(items, m.ordering(how(m)))
		values := make([]value, len(items))
		for i, it := range items {
			if values[i] = it.val; byIndex {
				values[i] = keyValue(it.key)
			} else if it.val.k == arrayRef {
				m.fatal("asort: array elements that are arrays cannot be sorted")
			}
		}
		dest := to(m)
		dest.clear()
		for i, v := range values {
			m.assign(dest.refInt(i+1), v)
		}
		return float64(len(values))
	}, false)
}
