package scan

// A kind is what bash's grammar distinguishes about tokens.
type kind uint8

const (
	none kind = iota // before the first token
	eof
	newline
	word
	assignment // name=value where bash takes it for an assignment
	number     // digits in front of < or >
	redirWord  // {name} in front of < or >
	dash       // - after <& or >&

	semi
	semiSemi
	semiAnd
	semiSemiAnd
	and
	andAnd
	or
	orOr
	orAnd
	lparen
	rparen
	less
	great
	lessLess
	lessLessDash
	lessLessLess
	lessAnd
	lessGreat
	greatGreat
	greatAnd
	greatBar
	andGreat
	andGreatGreat

	arithCommand // (( … ))
	arithFor     // (( … )) after for
	condCommand  // what stands between [[ and ]]

	kwIf
	kwThen
	kwElse
	kwElif
	kwFi
	kwCase
	kwEsac
	kwFor
	kwSelect
	kwWhile
	kwUntil
	kwDo
	kwDone
	kwIn
	kwFunction
	kwTime
	timeOpt    // -p after time
	timeIgnore // -- after time -p
	lbrace
	rbrace
	bang
	condStart
	condEnd
	kwCoproc
)

// reserved returns the kind of a word that bash's grammar knows, or none. (A
// switch is several times faster than a map here.)
func reserved(text string) kind {
	switch text {
	case "if":
		return kwIf
	case "then":
		return kwThen
	case "else":
		return kwElse
	case "elif":
		return kwElif
	case "fi":
		return kwFi
	case "case":
		return kwCase
	case "esac":
		return kwEsac
	case "for":
		return kwFor
	case "select":
		return kwSelect
	case "while":
		return kwWhile
	case "until":
		return kwUntil
	case "do":
		return kwDo
	case "done":
		return kwDone
	case "in":
		return kwIn
	case "function":
		return kwFunction
	case "time":
		return kwTime
	case "{":
		return lbrace
	case "}":
		return rbrace
	case "!":
		return bang
	case "[[":
		return condStart
	case "]]":
		return condEnd
	case "coproc":
		return kwCoproc
	}
	return none
}

// A token is a piece of source.
type token struct {
	kind       kind
	start, end int
	text       string // without escaped newlines
	quoted     bool   // holds a quote or a backslash
	dollar     bool   // holds an expansion
	compound   bool   // an assignment of ( … )
	bracket    bool   // holds a [
}

// isRedirect reports whether a token of kind k begins a redirection.
func (k kind) isRedirect() bool {
	return less <= k && k <= andGreatGreat || k == number || k == redirWord
}

// startsShellCommand reports whether k begins a compound command.
func (k kind) startsShellCommand() bool {
	switch k {
	case kwFor, kwCase, kwWhile, kwUntil, kwSelect, kwIf, lparen, lbrace, arithCommand, condStart:
		return true
	}
	return false
}

// startsCommand reports whether a pipeline can begin with k.
func (k kind) startsCommand() bool {
	switch k {
	case word, assignment, kwFunction, kwCoproc, kwTime, bang:
		return true
	}
	return k.isRedirect() || k.startsShellCommand()
}

// beforeCommand reports whether a reserved word is recognised after k.
func (k kind) beforeCommand() bool {
	switch k {
	case none, newline, semi, lparen, rparen, or, and, lbrace, rbrace, andAnd, orOr, orAnd,
		semiSemi, semiAnd, semiSemiAnd, arithCommand, bang,
		kwDo, kwDone, kwElif, kwElse, kwEsac, kwFi, kwIf, kwThen, kwTime, timeOpt, timeIgnore,
		kwUntil, kwWhile, kwCoproc:
		return true
	}
	return false
}

// beforeTime reports whether time is a reserved word after k.
func (k kind) beforeTime() bool {
	switch k {
	case none, semi, newline, andAnd, orOr, and, kwWhile, kwDo, kwUntil, kwIf, kwThen, kwElif,
		kwElse, lbrace, lparen, rparen, bang, kwTime, timeOpt, timeIgnore:
		return true
	}
	return false
}
