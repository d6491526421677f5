package awk

// An expr is an expression of the syntax tree. Those that contain others
// are [tall].
type expr any

// tall is the height of an expression above the deepest it contains. Height is
// bounded, since the compiler and the closures it makes recurse by it.
type tall struct{ h int }

func (t tall) height() int { return t.h }

func heightOf(x expr) int {
	if t, ok := x.(interface{ height() int }); ok {
		return t.height()
	}
	return 1
}

type (
	// numberLit, stringLit and regexpLit are constants. A regexpLit stands
	// for a match of $0 except where an operator or a function wants a regexp.
	numberLit struct{ n float64 }
	stringLit struct{ s string }
	valueLit  struct{ v value } // made at run time
	regexpLit struct {
		src    string
		strong bool // @/…/
		line   int
	}

	varExpr struct {
		name string
		line int
		v    *variable // set by the resolver
	}
	fieldExpr struct {
		tall
		index expr
	}
	indexExpr struct {
		tall

		array expr // *varExpr or *indexExpr
		subs  []expr
	}

	assignExpr struct {
		tall

		op   token // tAssign, or the arithmetic operator
		lhs  expr
		rhs  expr
		line int
	}
	incExpr struct {
		tall

		lhs  expr
		by   float64
		post bool
	}
	condExpr struct {
		tall
		test, yes, no expr
	}
	logicExpr struct {
		tall

		and  bool
		x, y expr
	}
	binaryExpr struct {
		tall

		op   token
		x, y expr
		line int
	}
	concatExpr struct {
		tall
		parts []expr
	}
	matchExpr struct {
		tall

		x, re expr
		not   bool
	}
	inExpr struct {
		tall

		subs  []expr
		array expr
	}
	unaryExpr struct {
		tall

		op token
		x  expr
	}
	// A groupExpr is what parentheses hold.
	groupExpr struct {
		tall
		list []expr
	}

	callExpr struct {
		tall

		name     string
		indirect *varExpr // @name: a variable that names the function
		args     []expr
		line     int
		fn       *function // set by the resolver
	}
	builtinExpr struct {
		tall

		name string
		fn   *builtin
		args []expr
		line int
	}
	getlineExpr struct {
		tall

		kind getlineKind
		src  expr // the file, or the command
		lhs  expr // or nil for $0
		line int
	}
)

type getlineKind uint8

const (
	fromInput getlineKind = iota
	fromFile
	fromCommand
)

// A stmt is a statement of the syntax tree.
type stmt any

type (
	exprStmt struct{ x expr }
	// A lineStmt is a statement and where it is.
	lineStmt struct {
		at place
		s  stmt
	}
	printStmt struct {
		format bool // printf
		args   []expr
		redir  token // tGreater, tAppend, tPipe, or 0
		dest   expr
		line   int
	}
	ifStmt struct {
		test    expr
		yes, no stmt
	}
	whileStmt struct {
		test expr
		body stmt
		do   bool
	}
	forStmt struct {
		init, post stmt
		test       expr
		body       stmt
	}
	forInStmt struct {
		v     expr
		array expr
		body  stmt
	}
	switchStmt struct {
		x     expr
		cases []switchCase
	}
	blockStmt  struct{ list []stmt }
	jumpStmt   struct{ to control } // break, continue, next, nextfile
	exitStmt   struct{ x expr }
	returnStmt struct{ x expr }
	deleteStmt struct {
		array expr
		subs  []expr // nil for all
	}
)

type switchCase struct {
	x    expr // constant or regexp; nil for default
	body []stmt
}

// A rule is a pattern with its action.
type rule struct {
	kind     token // tBegin, tEnd, tBeginFile, tEndFile, or 0
	from, to expr  // to is set for a range
	body     stmt  // nil means print
	at       place
}

// A function is a function of the program.
type function struct {
	name    string
	params  []*variable
	body    stmt
	line    int
	src     Source
	defined bool
	index   int
	height  int // levels of closures that a call may put on the stack
	run     func(*machine) control
}

// A variable is a global variable or a parameter.
type variable struct {
	name    string
	local   bool
	slot    int
	array   bool // it is used as one
	special special
	fn      *function // of a parameter
	grows   *growing  // nil if the program never appends to it
}
