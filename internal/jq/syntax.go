package jq

// A node is an expression of the syntax tree.
type node interface{ height() int }

// tall is the height of an expression above the deepest it contains, which is
// bounded: what is made of it recurses by it.
type tall struct{ h int }

func (t tall) height() int { return t.h }

type (
	identity struct{ tall }
	literal  struct {
		tall
		v Value
	}
	// A template is a string with expressions in it, which format renders.
	template struct {
		tall
		format string // without the @; "" for tostring
		parts  []node // literals of strings, and expressions
	}
	formatter struct {
		tall
		name string
	}
	// index is x[i]; x.key is the same with a literal.
	index struct {
		tall
		x, i node
	}
	slice struct {
		tall
		x, from, to node // from and to may be nil
	}
	iterate struct {
		tall
		x node
	}
	variable struct {
		tall
		name string
		line int
	}
	call struct {
		tall
		name string
		args []node
		pos  int
	}
	pipe struct {
		tall
		x, y node
	}
	comma struct {
		tall
		x, y node
	}
	binary struct {
		tall
		op   string // + - * / % == != < <= > >=
		x, y node
		pos  int
	}
	logic struct {
		tall
		and  bool
		x, y node
	}
	alternative struct {
		tall
		x, y node
	}
	negate struct {
		tall
		x node
	}
	assign struct {
		tall
		op   string // = |= //= or an arithmetic operator
		x, y node
	}
	try struct {
		tall
		x, handler node // handler may be nil
	}
	conditional struct {
		tall
		test, yes, no node // no may be nil
	}
	reduce struct {
		tall
		x            node
		patterns     []*pattern
		init, update node
	}
	foreach struct {
		tall
		x                     node
		patterns              []*pattern
		init, update, extract node // extract may be nil
	}
	bind struct {
		tall
		x        node
		patterns []*pattern // alternatives
		body     node
	}
	define struct {
		tall
		fn   *definition
		body node
	}
	label struct {
		tall
		name string
		body node
	}
	breakTo struct {
		tall
		name string
		pos  int
	}
	arrayOf struct {
		tall
		x node
	} // x may be nil
	objectOf struct {
		tall
		members []memberOf
	}
)

// A memberOf is a member of an object to be made.
type memberOf struct{ key, val node }

// A pattern takes a value apart: one of its fields is set.
type pattern struct {
	name   string
	elems  []*pattern
	object []memberPattern
}

type memberPattern struct {
	name string // of a variable for the whole member, or ""
	key  node
	val  *pattern // may be nil
}

// A definition is a function of the program.
type definition struct {
	name   string
	params []string // a $ in front of those that are values
	body   node
}
