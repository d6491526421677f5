// Package scan reads Bash as bash itself does, without building a tree: token
// by token, with bash's rules for reserved words, assignments, here-documents
// and aliases (parse.y of bash 5.2). It tells how far a complete command
// reaches, what bash says when there is none, and where the places are that
// other parsers stumble over.
package scan

// maxDepth bounds the nesting of commands and expansions.
const maxDepth = 1500

// A Site is a place in the source that may need to be rewritten before a
// parser other than bash's accepts it. Sites are reported innermost first.
type Site struct {
	Kind       SiteKind
	Start, End int

	// At the body and the end of a here-document, where its delimiter stands
	// and what it is.
	Word      int
	Delimiter string
}

// A SiteKind says what a [Site] is.
type SiteKind uint8

const (
	Param            SiteKind = iota // ${…}, braces included
	Arith                            // the expression in $((…))
	ArithBracket                     // the expression in $[…]
	ArithCommand                     // the expression in ((…))
	ArithFor                         // the expressions in for ((…))
	Subshells                        // (( or $(( that opens two subshells: between the parentheses
	Backquotes                       // what is between backquotes
	QuotedBackquotes                 // the same within double quotes
	Unparsed                         // commands in $(…) that bash parses only when it runs them
	Subscript                        // what is between the brackets of an assignment
	FuncName                         // the name of a function
	DashEnd                          // between the - of >&- and a word
	FuncParens                       // behind a name that is followed by a subshell
	ListEqual                        // = behind a quoted string or an expansion, in a list
	LoopName                         // the variable of for and select
	LoopEnd                          // behind the variable, where only a brace follows on another line
	SelectBrace                      // { and } around the body of select
	HereWord                         // the delimiter of a here-document
	HereBody                         // the body of a here-document that is expanded
	HereEnd                          // the line that ends a here-document, if any
	Bang                             // a ! to remove
	BangInsert                       // where a ! is missing
	BangAlone                        // after a ! without a pipeline
	BangParen                        // !( that begins a negated subshell: between the two
	TimeIgnore                       // -- after time -p
	PlainWord                        // the name of a command that is a reserved word elsewhere
	DeclWord                         // name=value with a bad name, after declare and alike
	PlainList                        // name=(…) that is an argument like others
	EnvAssign                        // an assignment in front of a command
	ListElement                      // name[…] in front of =(…)
	EmptyGlob                        // within @() and the like
	Chained                          // a function or coprocess, which || and the like follow
	CondOrder                        // [[ ]] where the precedence of operators matters
	PlainQuote                       // a single quote without a meaning, in POSIX mode
	Regexp                           // the right side of =~
	ExtGlob                          // an extended pattern outside [[ ]]
	Joined                           // escaped newlines behind a dollar sign, < or >
)

// A Warning is something that bash reports while it reads.
type Warning struct {
	Line int
	Text string
	At   int // a line that follows Text, and is followed by Rest; 0 for none
	Rest string
}

// A Command is a complete command: what bash reads before it runs any of it.
type Command struct {
	Start, End int // offsets into [Scanner.Source]
	Line       int // the line on which it starts
	Sites      []Site
	Warnings   []Warning
	Empty      bool // nothing but blank lines and comments
}

// A Scanner divides a source into complete commands.
type Scanner struct {
	ExtGlob bool // extended patterns outside [[ ]] are on
	Posix   bool

	// Alias returns the value of an alias. Nil: aliases are not expanded.
	Alias func(name string) (value string, ok bool)
	// Limit bounds the source with its aliases expanded; zero does not.
	Limit int
	// Poll is called now and then; an error that it returns ends the scan.
	// Nil: nothing ends it.
	Poll func() error
	// More returns what follows when the source is exhausted in the midst of
	// a command. Nil: nothing.
	More func() (string, bool)

	src       string
	grown     Text
	given     int
	pos       int
	begin     int // where the current command starts
	firstLine int // the number of its line

	state
	depth    int
	tokens   int
	repeated int // bytes that were read more than once
	sites    []Site
	warnings []Warning
	active   []expansion
	reread   []span // what bash reads a second time, as a line of its own
}

// state is what a nested list of commands starts anew.
type state struct {
	ahead  token // the token that was read and not taken
	peeked bool

	last, before, twoAgo kind // kinds of the tokens that were read last

	casePattern bool // in front of the ) of a case clause
	caseWord    bool
	openBrace   bool // { begins the body of a function
	assignOK    bool // a=(…) is an assignment among the arguments
	declares    bool // the command is declare or alike
	redirList   bool // only redirections so far in a simple command
	compound    bool // within a=(…)
	regexp      bool // after =~
	pattern     bool // after == within [[ ]]
	condExpr    bool // within [[ ]]
	aliasNext   bool // the last alias ended in a blank
	esacs       int
	braces      int
	expectIn    int
	closer      byte // what ends the list, if it is not a command of its own
	heredocs    []heredoc
}

// New returns a scanner of src from an offset on, which is on the given line.
func New(src string, offset, line int) *Scanner {
	return &Scanner{src: src, given: len(src), pos: offset, begin: offset, firstLine: line}
}

// Given returns how many bytes New and More have given.
func (s *Scanner) Given() int { return s.given }

// Source returns the text to which offsets refer: what New was given, with
// what More added, and with aliases expanded.
func (s *Scanner) Source() string { return s.src }

// Next reads a complete command. It returns false at the end of the source.
// An error is an [*Error], [ErrTooDeep], [ErrTooLong] or one of Poll.
func (s *Scanner) Next() (cmd Command, ok bool, err error) {
	s.firstLine = s.lineOf(s.pos)
	s.begin = s.pos
	s.state, s.sites, s.warnings, s.depth, s.reread = state{}, nil, nil, 0, nil
	cmd = Command{Start: s.pos, Line: s.firstLine}
	defer func() {
		if v := recover(); v != nil {
			b, isBail := v.(bail)
			if !isBail {
				panic(v)
			}
			err, ok = b.err, false
		}
		cmd.End, cmd.Sites, cmd.Warnings = s.pos, s.sites, s.warnings
	}()
	switch s.peek().kind {
	case eof:
		return cmd, false, nil
	case newline:
		s.take()
		cmd.Empty = true
		return cmd, true, nil
	}
	s.simpleList()
	return cmd, true, nil
}

// at returns the byte at offset i, or 0 at the end. Source holds no NUL.
func (s *Scanner) at(i int) byte {
	if i < len(s.src) {
		return s.src[i]
	}
	return s.beyond(i)
}

// beyond asks for more source.
func (s *Scanner) beyond(i int) byte {
	for i >= len(s.src) {
		if s.More == nil {
			return 0
		}
		text, ok := s.More()
		if !ok {
			s.More = nil
			return 0
		}
		s.src = s.grown.Append(s.src, text)
		s.given += len(text)
	}
	return s.src[i]
}

// skipContinuations passes backslash-newline pairs at the current position.
func (s *Scanner) skipContinuations() {
	for s.at(s.pos) == '\\' && s.at(s.pos+1) == '\n' {
		s.pos += 2
	}
}

// cur returns the byte at the current position, after escaped newlines.
func (s *Scanner) cur() byte {
	c := s.at(s.pos)
	if c == '\\' {
		s.skipContinuations()
		c = s.at(s.pos)
	}
	return c
}

// following returns the byte after the current one, past escaped newlines.
func (s *Scanner) following() byte {
	i := s.pos + 1
	for s.at(i) == '\\' && s.at(i+1) == '\n' {
		i += 2
	}
	return s.at(i)
}

// advance moves past the current byte and what continues its line.
func (s *Scanner) advance() {
	s.pos++
	s.skipContinuations()
}

func (s *Scanner) site(kind SiteKind, start, end int) {
	s.sites = append(s.sites, Site{Kind: kind, Start: start, End: end})
}

// enter and leave bracket every recursion.
func (s *Scanner) enter() {
	if s.depth++; s.depth > maxDepth {
		panic(bail{ErrTooDeep})
	}
}

func (s *Scanner) leave() { s.depth-- }

// again accounts for n bytes that are read a second time, which nesting can
// make each time it occurs.
func (s *Scanner) again(n int) {
	if s.repeated += n; s.repeated > 64*len(s.src)+1<<20 {
		panic(bail{ErrTooDeep})
	}
}

// peek returns the next token without taking it.
func (s *Scanner) peek() token {
	if !s.peeked {
		if s.tokens++; s.tokens%256 == 0 && s.Poll != nil {
			if err := s.Poll(); err != nil {
				panic(bail{err})
			}
		}
		s.ahead, s.peeked = s.lex(), true
		s.twoAgo, s.before, s.last = s.before, s.last, s.ahead.kind
	}
	return s.ahead
}

// take consumes the next token.
func (s *Scanner) take() token {
	t := s.peek()
	s.peeked = false
	return t
}

// expect consumes a token of the given kind.
func (s *Scanner) expect(k kind) token {
	t := s.take()
	if t.kind != k {
		s.unexpected(t)
	}
	return t
}

// A class is a set of properties of a byte.
type class uint8

const (
	blank class = 1 << iota
	meta
	breaks  // ends a word
	name    // may be part of a name
	special // may mean something within a word
	active  // may mean something within double quotes and braces
)

var classes = func() (t [256]class) {
	set := func(bytes string, c class) {
		for i := range len(bytes) {
			t[bytes[i]] |= c
		}
	}
	set(" \t", blank|breaks)
	set("()<>;&|", meta|breaks)
	set("\n\x00", breaks)
	set("_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", name)
	set("\\'\"`$[=?*+@!()<>;&| \t\n\x00", special)
	set("\\'\"`$()[]{}#\n\x00", active)
	return t
}()

func isBlank(c byte) bool    { return classes[c]&blank != 0 }
func isMeta(c byte) bool     { return classes[c]&meta != 0 }
func isBreak(c byte) bool    { return classes[c]&breaks != 0 }
func isNameByte(c byte) bool { return classes[c]&name != 0 }

// skipAll moves past bytes that have none of the given properties.
func (s *Scanner) skipAll(c class) {
	i := s.pos
	for i < len(s.src) && classes[s.src[i]]&c == 0 {
		i++
	}
	s.pos = i
}

// isName reports whether text is the name of a variable.
func isName(text string) bool {
	for i := range len(text) {
		if !isNameByte(text[i]) {
			return false
		}
	}
	return text != "" && (text[0] < '0' || text[0] > '9')
}
