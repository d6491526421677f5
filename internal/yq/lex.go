package yq

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A token is a word of an expression.
type token struct {
	kind tokenKind
	text string // as written, without space around it
	word string // of a path, a variable or a string: its text
	tag  string // of a value
	opt  bool   // a path, or a closing bracket, ends in ?
	op   *operator
	set  *operator // what it is before an assignment
	args string    // between the brackets that belong to the word itself
}

type tokenKind uint8

const (
	tokenEnd       tokenKind = iota
	tokenOperator            // op says which
	tokenPath                // .name
	tokenIndex               // .[
	tokenOpen                // (
	tokenClose               // )
	tokenOpenList            // [
	tokenCloseList           // ]
	tokenOpenMap             // {
	tokenCloseMap            // }
	tokenIf                  // if
	tokenEndIf               // end
	tokenThen                // then
	tokenElse                // else
	tokenElif                // elif
	tokenValue               // a number, true, false or null
	tokenString              // "…"
	tokenVariable            // $name
)

// What words begin with, in the order in which they are tried.
var (
	variableText = regexp.MustCompile(`^\$[a-zA-Z_\-0-9]+`)
	numberText   = regexp.MustCompile(`^(0[xX][0-9A-Fa-f]+|-?[1-9](\.\d+)?[Ee][-+]?\d+|-?\d+(\.\d+)?)`)
	stringText   = regexp.MustCompile(`^"([^"\\]*(\\(?s:.)[^"\\]*)*)"`)
	quotedPath   = regexp.MustCompile(`^\."[^"]+"\??`)
	plainPath    = regexp.MustCompile(`^\.[^ ;}{:\[\],|.()=\n!]+`)
	wordText     = regexp.MustCompile(`^(@[a-z0-9]+|[A-Za-z][A-Za-z_]*)`)
	mergeText    = regexp.MustCompile(`^\*(=?)([+|?cdn]*)`)
	commentText  = regexp.MustCompile(`^#.*`)
	commentsText = regexp.MustCompile(`^comments\s*(\|?=)`)
	argsText     = map[string]*regexp.Regexp{
		"env":      regexp.MustCompile(`^\([^)]+\)`),
		"strenv":   regexp.MustCompile(`^\([^)]+\)`),
		"envsubst": regexp.MustCompile(`^\((ne|nu|ff| |,)+\)`),
		"flatten":  regexp.MustCompile(`^\([0-9]+\)`),
		"parent":   regexp.MustCompile(`^\(-?[0-9]+\)`),
		"toyaml":   regexp.MustCompile(`^\([0-9]+\)`),
		"tojson":   regexp.MustCompile(`^\([0-9]+\)`),
		"toxml":    regexp.MustCompile(`^\([0-9]+\)`),
	}
)

// punctuation is what other operators are written as, longer ones first.
var punctuation = []string{"...", "..", "//", "==", "!=", ">=", "<=", ">", "<", "|=", "+=", "-=", "=", "|", ",", ";", ":", "+", "-", "/", "%"}

// brackets are the tokens of one character.
var brackets = map[byte]tokenKind{'(': tokenOpen, ')': tokenClose, '[': tokenOpenList, '{': tokenOpenMap, '}': tokenCloseMap}

// keywords are the words of conditions.
var keywords = map[string]tokenKind{"if": tokenIf, "then": tokenThen, "elif": tokenElif, "else": tokenElse, "end": tokenEndIf}

// A lexer splits an expression into tokens.
type lexer struct {
	src   string
	pos   int
	words map[string]word
	out   []token
	open  int // brackets that are not closed yet
}

// lex returns the tokens of src.
func (m *Machine) lex(src string) []token {
	l := &lexer{src: src, words: words()}
	for l.pos < len(src) {
		m.poll(1)
		l.next()
	}
	return l.out
}

// take consumes what re matches here.
func (l *lexer) take(re *regexp.Regexp) (string, bool) {
	text := re.FindString(l.src[l.pos:])
	l.pos += len(text)
	return text, text != ""
}

func (l *lexer) emit(t token) {
	switch t.kind {
	case tokenOpen, tokenOpenList, tokenOpenMap, tokenIndex:
		l.open++
	case tokenClose, tokenCloseList, tokenCloseMap:
		l.open--
	}
	if l.open > maxNesting {
		fail("the expression is nested too deeply") // before there are tokens for all of it
	}
	l.out = append(l.out, t)
}

// next reads one token.
func (l *lexer) next() {
	rest := strings.TrimLeft(l.src[l.pos:], " \t\n")
	if l.pos = len(l.src) - len(rest); rest == "" {
		return
	}
	if strings.HasPrefix(rest, ".[") {
		l.pos += 2
		l.emit(token{kind: tokenIndex, text: ".["})
		return
	}
	if kind, ok := brackets[rest[0]]; ok {
		l.pos++
		l.emit(token{kind: kind, text: rest[:1]})
		return
	}
	if rest[0] == ']' {
		t := token{kind: tokenCloseList, text: "]", opt: strings.HasPrefix(rest, "]?")}
		l.pos++
		if t.opt {
			l.pos++
		}
		l.emit(t)
		return
	}
	if l.literal() || l.word() || l.path(rest) || l.operator() {
		return
	}
	if _, ok := l.take(commentText); ok {
		return
	}
	line := 1 + strings.Count(l.src[:l.pos], "\n")
	column := l.pos - strings.LastIndexByte(l.src[:l.pos], '\n')
	fail("%d:%d: lexer: invalid input text %s", line, column, strconv.Quote(excerpt(rest)))
}

// excerpt shortens text for a message.
func excerpt(text string) string {
	if r := []rune(text); len(r) > 16 {
		return string(r[:16]) + "..."
	}
	return text
}

// literal reads a variable, a number or a string.
func (l *lexer) literal() bool {
	if text, ok := l.take(variableText); ok {
		l.emit(token{kind: tokenVariable, text: text, word: text[1:]})
		return true
	}
	if text, ok := l.take(numberText); ok {
		tag := tagInt
		if strings.ContainsAny(text, ".eE") && !strings.HasPrefix(strings.ToLower(text), "0x") {
			tag = tagFloat
		}
		l.emit(token{kind: tokenValue, text: text, word: text, tag: tag})
		return true
	}
	if text, ok := l.take(stringText); ok {
		l.emit(token{kind: tokenString, text: text, word: unescape(text[1 : len(text)-1])})
		return true
	}
	if l.src[l.pos] == '~' {
		l.pos++
		l.emit(token{kind: tokenValue, text: "~", word: "~", tag: tagNull})
		return true
	}
	return false
}

// word reads an operator that is a word.
func (l *lexer) word() bool {
	rest := l.src[l.pos:]
	if found := commentsText.FindStringSubmatch(rest); found != nil {
		l.pos += len(found[0])
		l.emit(token{kind: tokenOperator, text: found[0], op: assignment(commentAll, found[1] == "|=")})
		return true
	}
	text := wordText.FindString(rest)
	if text == "" {
		return false
	}
	if kind, ok := keywords[text]; ok {
		l.pos += len(text)
		l.emit(token{kind: kind, text: text})
		return true
	}
	switch lower := strings.ToLower(text); lower {
	case "true", "false":
		l.pos += len(text)
		l.emit(token{kind: tokenValue, text: text, word: lower, tag: tagBool})
		return true
	case "null":
		l.pos += len(text)
		l.emit(token{kind: tokenValue, text: text, word: text, tag: tagNull})
		return true
	}
	w, ok := l.words[text]
	if !ok {
		return false
	}
	l.pos += len(text)
	t := token{kind: tokenOperator, text: text, op: w.op, set: w.set}
	if re := argsText[w.name]; re != nil {
		args := re.FindString(l.src[l.pos:])
		if args == "" && (w.name == "env" || w.name == "strenv") {
			l.pos -= len(text)
			return false
		}
		if args != "" {
			l.pos += len(args)
			t.args = args[1 : len(args)-1]
		}
	}
	l.emit(t)
	return true
}

// path reads .name or ."name".
func (l *lexer) path(rest string) bool {
	if rest[0] != '.' || strings.HasPrefix(rest, "..") {
		return false
	}
	text, quoted := l.take(quotedPath)
	if !quoted {
		text, _ = l.take(plainPath)
	}
	if text == "" {
		l.pos++
		l.emit(token{kind: tokenOperator, text: ".", op: identity})
		return true
	}
	name, opt := strings.CutSuffix(text[1:], "?")
	if quoted {
		name = name[1 : len(name)-1]
	}
	l.emit(token{kind: tokenPath, text: text, word: name, opt: opt})
	return true
}

// operator reads an operator that is no word.
func (l *lexer) operator() bool {
	rest := l.src[l.pos:]
	if found := mergeText.FindStringSubmatch(rest); found != nil {
		l.pos += len(found[0])
		l.emit(token{kind: tokenOperator, text: found[0], op: multiplication(found[1] != "", found[2])})
		return true
	}
	for _, p := range punctuation {
		if !strings.HasPrefix(rest, p) {
			continue
		}
		l.pos += len(p)
		text := p
		if p == "=" || p == "|=" {
			for strings.HasPrefix(l.src[l.pos:], "c") {
				l.pos++
				text += "c"
			}
		}
		l.emit(token{kind: tokenOperator, text: text, op: symbol(text)})
		return true
	}
	return false
}

// unescape resolves the escapes of a string. Those before a bracket are left:
// they belong to an interpolation.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	simple := strings.NewReplacer(`\\(`, `\\(`, `\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t", `\r`, "\r",
		`\f`, "\f", `\v`, "\v", `\b`, "\b", `\a`, "\a")
	return simple.Replace(s)
}

// integer reads a number as YAML writes it.
func integer(text string) (int, error) {
	_, n, err := integerForm(text)
	return int(n), err
}

// integerForm is integer that also returns how to write another like it.
func integerForm(text string) (format string, n int64, err error) {
	text = strings.ReplaceAll(text, "_", "")
	sign, digits := "", text
	if digits != "" && (digits[0] == '+' || digits[0] == '-') {
		sign, digits = digits[:1], digits[1:]
	}
	switch {
	case strings.HasPrefix(digits, "0x"), strings.HasPrefix(digits, "0X"):
		n, err = strconv.ParseInt(sign+digits[2:], 16, 64)
		return "0x%X", n, err
	case strings.HasPrefix(digits, "0o"):
		n, err = strconv.ParseInt(sign+digits[2:], 8, 64)
		return "0o%o", n, err
	}
	n, err = strconv.ParseInt(text, 10, 64)
	return "%d", n, err
}

// number writes a float as yq does.
func number(f float64) string { return fmt.Sprint(f) }
