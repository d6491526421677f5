package awk

// A token is a lexical class.
type token uint8

const (
	tEOF token = iota
	tNewline
	tSemicolon
	tNumber
	tString
	tRegexp
	tStrongRegexp // @/…/
	tName
	tFuncName // a name directly before a parenthesis
	tBuiltin
	tIndirect // @name before a parenthesis

	// Keywords.
	tBegin
	tEnd
	tBeginFile
	tEndFile
	tFunction
	tIf
	tElse
	tWhile
	tFor
	tDo
	tSwitch
	tCase
	tDefault
	tBreak
	tContinue
	tNext
	tNextFile
	tExit
	tReturn
	tDelete
	tIn
	tGetline
	tPrint
	tPrintf

	// Punctuation.
	tLbrace
	tRbrace
	tLparen
	tRparen
	tLbracket
	tRbracket
	tComma
	tQuestion
	tColon
	tDollar
	tNot
	tAnd
	tOr
	tMatch
	tNoMatch
	tLess
	tLessEq
	tEqual
	tNotEqual
	tGreater
	tGreaterEq
	tAppend
	tPipe
	tCoprocess
	tPlus
	tMinus
	tTimes
	tDivide
	tModulo
	tPower
	tIncrement
	tDecrement
	tAssign
	tAddAssign
	tSubAssign
	tMulAssign
	tDivAssign
	tModAssign
	tPowAssign
)

var keywords = map[string]token{
	"BEGIN": tBegin, "END": tEnd, "BEGINFILE": tBeginFile, "ENDFILE": tEndFile,
	"function": tFunction, "func": tFunction, "if": tIf, "else": tElse, "while": tWhile,
	"for": tFor, "do": tDo, "switch": tSwitch, "case": tCase, "default": tDefault,
	"break": tBreak, "continue": tContinue, "next": tNext, "nextfile": tNextFile,
	"exit": tExit, "return": tReturn, "delete": tDelete, "in": tIn, "getline": tGetline,
	"print": tPrint, "printf": tPrintf,
}

// operators has the punctuation, longest first where one begins another.
var operators = []struct {
	text string
	tok  token
}{
	{"**=", tPowAssign},
	{"**", tPower}, {"*=", tMulAssign}, {"^=", tPowAssign}, {"+=", tAddAssign}, {"-=", tSubAssign},
	{"/=", tDivAssign}, {"%=", tModAssign}, {"++", tIncrement}, {"--", tDecrement},
	{"&&", tAnd}, {"||", tOr}, {"|&", tCoprocess}, {"!~", tNoMatch}, {"!=", tNotEqual},
	{"==", tEqual}, {"<=", tLessEq}, {">=", tGreaterEq}, {">>", tAppend},
	{"{", tLbrace}, {"}", tRbrace}, {"(", tLparen}, {")", tRparen}, {"[", tLbracket},
	{"]", tRbracket}, {",", tComma}, {"?", tQuestion}, {":", tColon}, {"$", tDollar},
	{"!", tNot}, {"~", tMatch}, {"<", tLess}, {">", tGreater}, {"|", tPipe}, {"+", tPlus},
	{"-", tMinus}, {"*", tTimes}, {"/", tDivide}, {"%", tModulo}, {"^", tPower}, {"=", tAssign},
	{";", tSemicolon}, {"\n", tNewline},
}
