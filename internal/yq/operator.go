package yq

import "strings"

// The operators that the grammar itself knows.
var (
	identity      = &operator{name: ".", prec: 55, run: func(_ *Machine, s scope, _ *Expr) []*Node { return s.nodes }}
	nothing       = &operator{name: "empty", prec: 50, run: func(*Machine, scope, *Expr) []*Node { return nil }}
	constant      = &operator{name: "value", prec: 50, run: runConstant}
	variable      = &operator{name: "$", prec: 55, run: runVariable}
	member        = &operator{name: ".name", prec: 55, run: runMember}
	indexed       = &operator{name: "[]", prec: 50, arity: 2, run: runIndex}
	slicing       = &operator{name: ":", prec: 15, arity: 2, run: runPairs}
	chained       = &operator{name: "|", prec: 45, arity: 2, run: runPipe}
	piped         = &operator{name: "|", prec: 30, arity: 2, run: runPipe}
	union         = &operator{name: ",", prec: 10, arity: 2, run: runUnion}
	block         = &operator{name: ";", prec: 10, arity: 2, run: func(*Machine, scope, *Expr) []*Node { return nil }}
	collecting    = &operator{name: "[", prec: 50, run: runCollect}
	collectingMap = &operator{name: "{", prec: 50, run: runCollectMap}
	conditional   = &operator{name: "if", prec: 50, run: runIf}
	interpolated  = &operator{name: "string", prec: 50, run: runInterpolated}
	bindingOp     = &operator{name: "as", prec: 40, arity: 2, run: runUnbound}
	refOp         = &operator{name: "ref", prec: 40, arity: 2, run: runUnbound}
	assignPlain   = &operator{name: "=", prec: 40, arity: 2, run: assigning(false, assign{})}
	assignEach    = &operator{name: "|=", prec: 40, arity: 2, run: assigning(true, assign{})}
)

// symbol returns an operator that is no word.
func symbol(text string) *operator {
	binary := func(prec int, run func(*Machine, scope, *Expr) []*Node) *operator {
		return &operator{name: text, prec: prec, arity: 2, run: run}
	}
	switch text {
	case "...":
		return &operator{name: text, prec: 50, run: descending(true)}
	case "..":
		return &operator{name: text, prec: 50, run: descending(false)}
	case "//":
		return binary(42, runAlternative)
	case "==":
		return binary(40, comparing(false))
	case "!=":
		return binary(40, comparing(true))
	case ">=", "<=", ">", "<":
		return binary(40, ordering(text[0] == '>', len(text) == 2))
	case "=":
		return assignPlain
	case "|=":
		return assignEach
	case "+=":
		return binary(40, compound(runAdd, assign{}))
	case "-=":
		return binary(40, compound(runSubtract, assign{}))
	case "|":
		return piped
	case ",":
		return union
	case ";":
		return block
	case ":":
		return slicing
	case "+":
		return binary(42, runAdd)
	case "-":
		return binary(42, runSubtract)
	case "/":
		return binary(42, arithmetic(divide))
	case "%":
		return binary(42, arithmetic(modulo))
	}
	return binary(40, assigning(text[0] == '|', assign{retag: true})) // =c and |=c
}

// multiplication returns * or *= with its flags.
func multiplication(assigns bool, flags string) *operator {
	f := mergeFlags{
		appendLists: strings.Contains(flags, "+"),
		onlyOld:     strings.Contains(flags, "?"),
		deepLists:   strings.Contains(flags, "d"),
		assign:      assign{nullOnly: strings.Contains(flags, "n"), retag: strings.Contains(flags, "c")},
	}
	if assigns {
		return &operator{name: "*=" + flags, prec: 42, arity: 2, run: compound(multiplying(f), assign{retag: f.assign.retag})}
	}
	return &operator{name: "*" + flags, prec: 42, arity: 2, run: multiplying(f)}
}

// A set of operators that are words.
type wordList map[string]word

func (l wordList) add(names string, op *operator) *operator {
	list := strings.Fields(names)
	op.name = list[0]
	for _, n := range list {
		l[n] = word{name: strings.ReplaceAll(list[0], "_", ""), op: op}
	}
	return op
}

// plain adds operators without an operand, and chain those that a path may
// follow; prefix adds operators with one.
func (l wordList) plain(names string, run func(*Machine, scope, *Expr) []*Node) {
	l.add(names, &operator{prec: 50, run: run})
}

func (l wordList) chain(names string, run func(*Machine, scope, *Expr) []*Node) {
	l.add(names, &operator{prec: 52, chain: true, run: run})
}

func (l wordList) prefix(prec int, names string, run func(*Machine, scope, *Expr) []*Node) {
	l.add(names, &operator{prec: prec, arity: 1, chain: prec == 52, run: run})
}

// settable adds operators that an assignment changes.
func (l wordList) settable(names string, get func(*Machine, scope, *Expr) []*Node, set func(*Machine, *Node, string)) {
	l.plain(names, get)
	for _, n := range strings.Fields(names) {
		w := l[n]
		w.set = &operator{name: w.name, prec: 40, arity: 2, run: attribute(set)}
		l[n] = w
	}
}

// assignmentOf returns op as an assignment of what each node makes of itself, if
// each, or else of one value.
func assignmentOf(op *operator, each bool) *operator {
	if !each {
		return op
	}
	o := *op
	o.name += " |="
	run := op.run
	o.run = func(m *Machine, s scope, e *Expr) []*Node {
		e = &Expr{op: op, left: e.left, right: e.right, opt: true}
		return run(m, s, e)
	}
	return &o
}

// assignment returns the operator that sets all the comments of nodes.
func assignment(set func(*Machine, *Node, string), each bool) *operator {
	return assignmentOf(&operator{name: "comments", prec: 40, arity: 2, run: attribute(set)}, each)
}

// words returns the operators that are words, by all their names.
func words() wordList {
	l := wordList{}
	l.settable("line_comment linecomment lineComment", commentOf(func(n *Node) *string { return &n.Line }), setLine)
	l.settable("head_comment headcomment headComment", runHeadComment, setHead)
	l.settable("foot_comment footcomment footComment", commentOf(func(n *Node) *string { return &n.Foot }), setFoot)
	l.settable("style", runStyle, setStyle)
	l.settable("tag type", runTag, setTag)
	l.settable("anchor", runAnchor, setAnchor)
	l.settable("alias", runAliasName, setAlias)
	l.structureWords()
	l.sequenceWords()
	l.textWords()
	l.formatWords()
	return l
}

func (l wordList) structureWords() {
	l.add("as", bindingOp)
	l["as"] = word{name: "as", op: bindingOp}
	l["ref"] = word{name: "ref", op: refOp}
	l["ireduce"] = word{name: "ireduce", op: &operator{name: "ireduce", prec: 35, arity: 2, run: runReduce}}
	l["or"] = word{name: "or", op: &operator{name: "or", prec: 20, arity: 2, run: logical(true)}}
	l["and"] = word{name: "and", op: &operator{name: "and", prec: 20, arity: 2, run: logical(false)}}
	l.plain("not", runNot)
	l.plain("length", runLength)
	l.plain("line", position(func(n *Node) int { return n.row }))
	l.plain("column", position(func(n *Node) int { return n.col }))
	l.plain("kind", runKind)
	l.plain("key", runKey)
	l.plain("is_key iskey", runIsKey)
	l.plain("parents", runParents)
	l.chain("parent", runParent)
	l.plain("root", runRoot)
	l.plain("file_name filename fileName", placeOf(tagStr, func(n *Node) any { return n.name }))
	l.plain("file_index fileindex fileIndex fi", placeOf(tagInt, func(n *Node) any { return n.file }))
	l.plain("document_index documentindex documentIndex di", placeOf(tagInt, func(n *Node) any { return n.doc }))
	l.chain("split_doc splitdoc splitDoc", runSplitDoc)
	l.chain("path", runPath)
	l.prefix(50, "set_path setpath", runSetPath)
	l.prefix(52, "del_paths delpaths", runDelPaths)
	l.prefix(40, "del", runDelete)
	l.prefix(52, "with", runWith)
	l.prefix(52, "select", runSelect)
	l.prefix(50, "has", runHas)
	l.prefix(50, "contains", runContains)
	l.prefix(52, "eval", runEval)
	l.prefix(50, "error", runError)
	l.prefix(52, "explode", runExplode)
	l.prefix(50, "collect", runCollect)
	l.chain("to_entries toentries toEntries", runToEntries)
	l.plain("from_entries fromentries fromEntries", runFromEntries)
	l.prefix(50, "with_entries withentries withEntries", runWithEntries)
	l.prefix(52, "pick", runPick)
	l.prefix(52, "omit", runOmit)
	l.chain("keys", runKeys)
	l.prefix(52, "sort_keys sortkeys sortKeys", runSortKeys)
	l.prefix(52, "map_values mapvalues", runMapValues)
	l.plain("array_to_map array_tomap arrayto_map arraytomap", runArrayToMap)
}

func (l wordList) sequenceWords() {
	l.prefix(52, "map", runMap)
	l.prefix(52, "filter", runFilter)
	l.chain("flatten", runFlatten)
	l.plain("min", extreme(false))
	l.plain("max", extreme(true))
	l.plain("any", quantified(true))
	l.plain("all", quantified(false))
	l.prefix(50, "any_c", quantified(true))
	l.prefix(50, "all_c", quantified(false))
	l.chain("sort", runSort)
	l.prefix(52, "sort_by sortby", runSort)
	l.prefix(52, "first", runFirst)
	l.chain("reverse", runReverse)
	l.chain("shuffle", runShuffle)
	l.chain("unique", runUnique)
	l.prefix(52, "unique_by uniqueby", runUnique)
	l.prefix(52, "group_by groupby", runGroup)
	l.chain("pivot", runPivot)
}

func (l wordList) textWords() {
	l.prefix(50, "join", runJoin)
	l.prefix(52, "split", runSplit)
	l.prefix(50, "sub", runSub)
	l.prefix(50, "match", runMatch)
	l.prefix(50, "capture", runCapture)
	l.prefix(50, "test", runTest)
	l.plain("upcase ascii_upcase asciiupcase", changing("change case with", strings.ToUpper))
	l.plain("downcase ascii_downcase asciidowncase", changing("change case with", strings.ToLower))
	l.plain("trim", changing("trim", strings.TrimSpace))
	l.plain("to_string tostring", runToString)
	l.plain("to_number tonumber", runToNumber)
	l.chain("strenv", runEnv(true))
	l.chain("env", runEnv(false))
	l.plain("envsubst", runEnvsubst)
	l.plain("now", runNow)
	l.prefix(50, "tz", runZone)
	l.plain("from_unix fromunix", runFromUnix)
	l.plain("to_unix tounix", runToUnix)
	l.prefix(50, "with_dtf", runWithLayout)
	l.prefix(50, "format_datetime", runFormatTime)
	l.prefix(50, "system", func(*Machine, scope, *Expr) []*Node {
		fail("system operations are disabled, use --security-enable-system-operator flag to enable")
		return nil
	})
}

func (l wordList) formatWords() {
	for _, f := range []struct {
		encode, decode string
		format         Format
		indent         int
	}{
		{"to_yaml toyaml @yaml", "from_yaml fromyaml @yamld from_json fromjson @jsond", YAML, 2},
		{"to_json tojson", "", JSON, 2},
		{"@json", "", JSON, 0},
		{"to_props toprops @props", "from_props fromprops @propsd", Props, 2},
		{"to_xml toxml", "from_xml fromxml @xmld", XML, 2},
		{"@xml", "", XML, 0},
		{"to_csv tocsv @csv", "from_csv fromcsv @csvd", CSV, 0},
		{"to_tsv totsv @tsv", "from_tsv fromtsv @tsvd", TSV, 0},
		{"@base64", "@base64d", Base64, 0},
		{"@base64url", "@base64urld", Base64URL, 0},
		{"@uri", "@urid", URI, 0},
		{"@sh", "", Sh, 0},
	} {
		l.plain(f.encode, encoding(f.format, f.indent))
		if f.decode != "" {
			l.plain(f.decode, decoding(f.format))
		}
	}
	l.prefix(52, "load", loading(YAML))
	l.prefix(52, "load_xml loadxml xml_load xmlload", loading(XML))
	l.prefix(52, "load_props loadprops", loading(Props))
	l.prefix(52, "load_base64 loadbase64", loading(Base64))
	l.prefix(52, "load_str loadstr str_load strload", runLoadText)
}
