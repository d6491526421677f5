package parse_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"github.com/limpet-sh/limpet/internal/parse"
)

// read parses a script that is correct.
func read(t *testing.T, src string) *parse.Program {
	prog, err := parse.File(src, parse.Mode{})
	require.NoError(t, err, src)
	return prog
}

// find returns the first node of a type.
func find[T syntax.Node](t *testing.T, prog *parse.Program) T {
	var found T
	done := false
	for _, s := range prog.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if x, ok := n.(T); ok && !done {
				found, done = x, true
			}
			return !done
		})
	}
	require.True(t, done, "no node in %q", prog.Source)
	return found
}

// raw requires that x is the text of an expression as it is.
func raw(t *testing.T, prog *parse.Program, want string, x syntax.ArithmExpr) {
	w, ok := x.(*syntax.Word)
	require.True(t, ok)
	require.Equal(t, want, w.Lit())
	require.Equal(t, want, prog.Text(w.Pos(), w.End()))
}

func TestExpressionsThatAreWrongOnlyWhenRun(t *testing.T) {
	for _, body := range []string{"1.5", "a b", "", " ", "$a=1", "1 +", "a[", "x@y", "\n a b\n"} {
		prog := read(t, "(("+body+"))\necho $LINENO")
		raw(t, prog, body, find[*syntax.ArithmCmd](t, prog).X)
		prog = read(t, "echo $(("+body+")) b")
		raw(t, prog, body, find[*syntax.ArithmExp](t, prog).X)
		prog = read(t, "for ((i=0;"+body+";i++)); do :; done")
		if loop := find[*syntax.CStyleLoop](t, prog); loop.Cond != nil {
			raw(t, prog, body, loop.Cond)
		}
	}
	prog := read(t, "echo $[a b]")
	raw(t, prog, "a b", find[*syntax.ArithmExp](t, prog).X)
}

func TestSubscriptsOfAnyText(t *testing.T) {
	for _, key := range []string{"/etc/hosts", "a b", "foo.bar", "a:b", "1.5", "", " x ", "$k.x", `"a]b"`, "@x", "é/", "$(a b)/"} {
		prog := read(t, "m["+key+"]=v")
		a := find[*syntax.Assign](t, prog)
		require.Equal(t, key, prog.Subscript(a.Index))
		require.Equal(t, "v", a.Value.Lit())
		prog = read(t, "m["+key+"]+=v w; echo ok")
		require.Len(t, prog.Stmts, 2)
		prog = read(t, "m=(["+key+"]=v [x]=y)")
		e := find[*syntax.ArrayElem](t, prog)
		require.Equal(t, key, prog.Subscript(e.Index))
		prog = read(t, "echo \"${m["+key+"]}\" ${m["+key+"]:-d}")
		p := find[*syntax.ParamExp](t, prog)
		if text, bad := parse.BadSubstitution(p); bad {
			require.Equal(t, "${m["+key+"]}", text)
			continue
		}
		require.Equal(t, key, prog.Subscript(p.Index))
	}
}

func TestElementsThatAppend(t *testing.T) {
	prog := read(t, "m=([k]+=v [l]=w)")
	elems := find[*syntax.ArrayExpr](t, prog).Elems
	require.True(t, parse.Appends(elems[0]))
	require.False(t, parse.Appends(elems[1]))
	require.Equal(t, "v", elems[0].Value.Lit())
}

func TestEqualsSignsInLists(t *testing.T) {
	prog := read(t, `a=("$k"="$v" $x==y [k]="a"=b '='=)`)
	elems := find[*syntax.ArrayExpr](t, prog).Elems
	require.Len(t, elems, 4)
	require.Equal(t, "=", elems[0].Value.Parts[1].(*syntax.Lit).Value)
	require.Equal(t, "==y", elems[1].Value.Parts[1].(*syntax.Lit).Value)
	require.Equal(t, "=b", elems[2].Value.Parts[1].(*syntax.Lit).Value)
}

func TestListForAnElement(t *testing.T) {
	prog := read(t, "a[1]=(b c)")
	a := find[*syntax.Assign](t, prog)
	raw(t, prog, "1", a.Index)
	require.Len(t, a.Array.Elems, 2)
}

func TestBadSubstitutions(t *testing.T) {
	for _, text := range []string{"${(%):-%x}", "${x&y}", "${#x:-y}", "${}", "${x y}", "${x;y}", "${-x}", "${x:}", "${x@}", "${x!}", "${ echo hi;}", "${|x;}", "${@[1]}", "${x@Z}"} {
		prog := read(t, "echo a"+text+"b \""+text+"\"")
		p := find[*syntax.ParamExp](t, prog)
		got, bad := parse.BadSubstitution(p)
		require.True(t, bad, text)
		require.Equal(t, text, got)
		require.Equal(t, text, prog.Text(p.Pos(), p.End()))
	}
}

func TestParametersThatOnlyBashHas(t *testing.T) {
	for text, check := range map[string]func(p *syntax.ParamExp) bool{
		"${x~}":      func(p *syntax.ParamExp) bool { return p.Exp.Op == parse.ToggleFirst && p.Exp.Word == nil },
		"${x~~}":     func(p *syntax.ParamExp) bool { return p.Exp.Op == parse.ToggleAll },
		"${x~[a-c]}": func(p *syntax.ParamExp) bool { return p.Exp.Op == parse.ToggleFirst && p.Exp.Word.Lit() == "[a-c]" },
		"${###}": func(p *syntax.ParamExp) bool {
			return p.Param.Value == "#" && !p.Length && p.Exp.Op == syntax.RemLargePrefix
		},
		"${##2}":      func(p *syntax.ParamExp) bool { return p.Param.Value == "#" && p.Exp.Op == syntax.RemSmallPrefix },
		"${#}":        func(p *syntax.ParamExp) bool { return p.Param.Value == "#" && !p.Length },
		"${##}":       func(p *syntax.ParamExp) bool { return p.Param.Value == "#" && p.Length },
		"${a[@]::}":   func(p *syntax.ParamExp) bool { return p.Slice != nil && p.Slice.Length != nil },
		"${a[@]: :2}": func(p *syntax.ParamExp) bool { return p.Slice != nil && p.Slice.Length != nil },
		"${x:a b}":    func(p *syntax.ParamExp) bool { return p.Slice.Offset.(*syntax.Word).Lit() == "a b" },
	} {
		p := find[*syntax.ParamExp](t, read(t, "echo "+text))
		_, bad := parse.BadSubstitution(p)
		require.False(t, bad, text)
		require.True(t, check(p), text)
	}
}

func TestParenthesesThatOpenSubshells(t *testing.T) {
	for src, want := range map[string]string{
		"((echo a; echo b) | cat)":                   "subshell",
		"((a) && (b))":                               "subshell",
		"((a) || (b))":                               "subshell",
		"((1 + (2)))":                                "arithmetic",
		"echo $((echo a; echo b) | wc -l)":           "command",
		"echo $((1 + (2)))":                          "arithmetic",
		"echo $(( (1) + (2) ))":                      "arithmetic",
		"echo \"$((a) && (b); c)\"":                  "command",
		"if ((a); (b)); then c; fi":                  "subshell",
		"x=$(( (echo a) | tr a b) | cat)":            "command",
		"for f in $((a; b) 2>/dev/null); do :; done": "command",
	} {
		prog := read(t, src)
		switch want {
		case "subshell":
			find[*syntax.Subshell](t, prog)
		case "command":
			find[*syntax.Subshell](t, prog)
			c := find[*syntax.CmdSubst](t, prog)
			require.Equal(t, "$(", prog.Text(c.Left, c.Left)+prog.Source[c.Left.Offset():c.Left.Offset()+2])
		default:
			switch src[0] {
			case '(':
				find[*syntax.ArithmCmd](t, prog)
			default:
				find[*syntax.ArithmExp](t, prog)
			}
		}
	}
}

func TestCommandsParsedOnlyWhenRun(t *testing.T) {
	for src, want := range map[string]string{
		"echo `fi`; a":       "fi",
		"echo \"`if a`\"":    "if a",
		"echo $((a; fi) b)":  "(a; fi) b",
		"x=`m[a b]=c; fi` y": "m[a b]=c; fi",
	} {
		text, ok := parse.Unparsed(find[*syntax.CmdSubst](t, read(t, src)))
		require.True(t, ok, src)
		require.Equal(t, want, text)
	}
}

func TestNegations(t *testing.T) {
	for src, negated := range map[string]bool{
		"!(false)": true, "! ! a": false, "! ! ! a": true, "time ! a": true, "! time a": true, "! time ! a | b": false, "!": true,
		"if !(a); then b; fi": false,
	} {
		prog := read(t, src+"\n:")
		require.Equal(t, negated, prog.Stmts[0].Negated, src)
		require.Len(t, prog.Stmts, 2)
	}
	require.Nil(t, read(t, "!\n").Stmts[0].Cmd)
}

func TestWhatFollowsFunctions(t *testing.T) {
	prog := read(t, "f() { a; } >x && g || h")
	chain := prog.Stmts[0].Cmd.(*syntax.BinaryCmd)
	require.Equal(t, syntax.OrStmt, chain.Op)
	f := chain.X.Cmd.(*syntax.BinaryCmd).X.Cmd.(*syntax.FuncDecl)
	require.IsType(t, &syntax.Block{}, f.Body.Cmd)
	require.Len(t, f.Body.Redirs, 1)
	prog = read(t, "coproc a b | c")
	c := prog.Stmts[0].Cmd.(*syntax.BinaryCmd).X.Cmd.(*syntax.CoprocClause)
	require.Nil(t, c.Name)
	require.Len(t, c.Stmt.Cmd.(*syntax.CallExpr).Args, 2)
	c = find[*syntax.CoprocClause](t, read(t, "coproc a >b"))
	require.Nil(t, c.Name)
	c = find[*syntax.CoprocClause](t, read(t, "coproc N { a; }"))
	require.Equal(t, "N", c.Name.Lit())
}

func TestOrderOfConditions(t *testing.T) {
	or := func(x syntax.TestExpr) *syntax.BinaryTest {
		b, ok := x.(*syntax.BinaryTest)
		require.True(t, ok)
		return b
	}
	x := or(find[*syntax.TestClause](t, read(t, "[[ ! a && b || c ]]")).X)
	require.Equal(t, syntax.OrTest, x.Op)
	and := or(x.X)
	require.Equal(t, syntax.AndTest, and.Op)
	require.Equal(t, syntax.TsNot, and.X.(*syntax.UnaryTest).Op)
	x = or(find[*syntax.TestClause](t, read(t, "[[ a || b && ! ( c || d && e ) ]]")).X)
	require.Equal(t, syntax.OrTest, x.Op)
	inner := or(x.Y).Y.(*syntax.UnaryTest).X.(*syntax.ParenTest).X
	require.Equal(t, syntax.OrTest, or(inner).Op)
}

func TestWordsOfOtherGrammars(t *testing.T) {
	for _, src := range []string{"let a=1 b", "let", "let a=(1+2)", "nameref x", "<f if", ">d [[", "a[a[1]]X", ">f for x in a", "declare -f >x y", "a[1]", "a[b c]"} {
		prog := read(t, src)
		call := find[*syntax.CallExpr](t, prog)
		for _, w := range call.Args {
			if w.Lit() != "" {
				require.Equal(t, prog.Text(w.Pos(), w.End()), w.Lit())
			}
		}
	}
	find[*syntax.DeclClause](t, read(t, "declare a=(1) b"))
	prog := read(t, "export 1a=b $x.y=z 'q'=r")
	require.Len(t, find[*syntax.DeclClause](t, prog).Args, 3)
	prog = read(t, "a=(1 2) b[0]=3 cmd")
	call := find[*syntax.CallExpr](t, prog)
	require.Equal(t, "(1 2)", call.Assigns[0].Value.Lit())
	require.Equal(t, "b[0]", call.Assigns[1].Name.Value)
}

func TestNamesOfFunctions(t *testing.T) {
	for _, name := range []string{"a-b", "a.b", "a:b", "a+b", "1a", "[x]", "@f", "a$b", `"q"`, "$(x)", "é", "a/b", "%", "a,b"} {
		require.Equal(t, name, find[*syntax.FuncDecl](t, read(t, name+"() { :; }")).Name.Value)
		require.Equal(t, name, find[*syntax.FuncDecl](t, read(t, "function "+name+" { :; }")).Name.Value)
	}
	require.Equal(t, "$x", find[*syntax.WordIter](t, read(t, "for $x in a; do :; done")).Name.Value)
}

func TestHereDocuments(t *testing.T) {
	body := func(prog *parse.Program) string {
		r := find[*syntax.Redirect](t, prog)
		if r.Hdoc == nil {
			return ""
		}
		return r.Hdoc.Lit()
	}
	for src, want := range map[string]string{
		"cat <<E\nabc":                  "abc\n",
		"cat <<E\nabc\n":                "abc\n",
		"cat <<E":                       "",
		"cat <<-E\n\ta\n\tE":            "\ta\n\t",
		"cat <<$x\nfoo\n$x\necho b":     "foo\n",
		"cat <<\"$(a b)\"\nq\n$(a b)\n": "q\n",
		"x=$(cat <<E\nabc\nE)\necho b":  "abc\n",
		"cat <<'E'\n$a `b\nE\n":         "$a `b\n",
		"cat <<E\na ${b\nE\n":           "a ${b\n",
		"cat <<E\na $(b\nE\n:":          "a $(b\n",
		"echo $(cat <<E)\nfoo\nE\n:":    "foo\n",
	} {
		require.Equal(t, want, body(read(t, src)), src)
	}
	prog := read(t, "cat <<A <<B\na\nA\nb")
	require.Len(t, prog.Warnings, 1)
	require.Equal(t, 4, prog.Warnings[0].Line)
	require.Equal(t, "here-document at line 13 delimited by end-of-file (wanted `B')", prog.Warnings[0].Message(10))
}

func TestBytesPassThrough(t *testing.T) {
	for _, text := range []string{"a\rb", "\xff\xfe", "\u00e9\xe9", "\U0010fe41", "\r"} {
		prog := read(t, "echo "+text+" '"+text+"' \""+text+"\" $(x "+text+") # "+text+"\r\necho $LINENO")
		args := prog.Stmts[0].Cmd.(*syntax.CallExpr).Args
		require.Equal(t, text, args[1].Lit())
		require.Equal(t, text, args[2].Parts[0].(*syntax.SglQuoted).Value)
		require.Equal(t, text, args[3].Parts[0].(*syntax.DblQuoted).Parts[0].(*syntax.Lit).Value)
		require.Equal(t, text, prog.Text(args[1].Pos(), args[1].End()))
		require.Equal(t, 2, int(prog.Stmts[1].Pos().Line()))
		require.Equal(t, "echo $LINENO", prog.Text(prog.Stmts[1].Pos(), prog.Stmts[1].End()))
	}
	prog := read(t, "echo a\r\n")
	require.Equal(t, "a\r", prog.Stmts[0].Cmd.(*syntax.CallExpr).Args[1].Lit())
	require.Equal(t, "ab", read(t, "a\x00b").Stmts[0].Cmd.(*syntax.CallExpr).Args[0].Lit())
	w, err := parse.Document("a\r\n$x\xff", parse.Mode{})
	require.NoError(t, err)
	require.Equal(t, "a\r\n", w.Parts[0].(*syntax.Lit).Value)
	require.Equal(t, "\xff", w.Parts[2].(*syntax.Lit).Value)
}

func TestLinesAreWhatBashReadsAtOnce(t *testing.T) {
	for src, want := range map[string][]int{
		"a; b\nc":               {2, 1},
		"a & b;\n\nc # d; e\nf": {2, 1, 1},
		"cat <<E; a\nx\nE\nb":   {2, 1},
		"f() {\na; b\n}; c\nd":  {2, 1},
		"":                      nil,
	} {
		var got []int
		for _, line := range read(t, src).Lines() {
			got = append(got, len(line))
		}
		require.Equal(t, want, got, src)
	}
}

func TestQuotesInPOSIXMode(t *testing.T) {
	prog, err := parse.File("echo \"${x:-it's}\"", parse.Mode{Posix: true})
	require.NoError(t, err)
	require.Equal(t, "it's", find[*syntax.ParamExp](t, prog).Exp.Word.Lit())
	_, err = parse.File("echo \"${x#it's}\"", parse.Mode{Posix: true})
	require.ErrorContains(t, err, "unexpected EOF while looking for matching `''")
}
