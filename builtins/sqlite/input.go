package sqlite

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// process runs the lines of an input, and reports whether any of them failed.
func (s *shell) process(lines *builtins.LineReader) (failed bool, err error) {
	defer lines.Close()
	if s.depth++; s.depth > 25 {
		s.depth--
		fmt.Fprintf(s.Stderr, "Input nesting limit (25) reached at line %d. Check recursion.\n", s.line)
		return true, nil
	}
	outer := s.line
	s.line = 0
	defer func() { s.depth, s.line = s.depth-1, outer }()
	var sql statement
	defer func() { s.Free(sql.held) }()
	for !failed || !s.bail {
		raw, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return failed, err
		}
		line := strings.TrimSuffix(string(bytes.TrimSuffix(raw, []byte("\n"))), "\r")
		line, _, _ = strings.Cut(line, "\x00")
		s.line++
		bad, err := s.accept(&sql, line)
		if err == errQuit {
			return failed, nil
		}
		if err != nil {
			return failed, err
		}
		failed = failed || bad
	}
	if len(sql.text) > 0 && !(failed && s.bail) {
		bad, err := s.statement(string(sql.text), sql.line)
		return failed || bad, err
	}
	return failed, nil
}

// A statement is SQL that has been read and may not be complete.
type statement struct {
	text  []byte
	line  int // that it began at
	held  int
	state scanner
}

// accept takes one more line of input.
func (s *shell) accept(sql *statement, line string) (failed bool, err error) {
	if sql.state.plain() && isTerminator(line) && sql.complete(";") {
		line = ";"
	}
	sql.state = sql.state.scan(line)
	if len(sql.text) == 0 {
		if sql.state.blank() {
			s.echoLine(line)
			sql.state = scanner{}
			return false, nil
		}
		if line != "" && (line[0] == '.' || line[0] == '#') {
			s.echoLine(line)
			sql.state = scanner{}
			if line[0] == '#' {
				return false, nil
			}
			err := s.dot(line)
			if err == errFailed {
				return true, nil
			}
			return false, err
		}
	}
	if err := s.Alloc(len(line) + 1); err != nil {
		return false, err
	}
	sql.held += len(line) + 1
	if len(sql.text) == 0 {
		sql.text = append(sql.text, line[skipBlanks(line):]...)
		sql.line = s.line
	} else {
		sql.text = append(append(sql.text, '\n'), line...)
	}
	switch {
	case sql.state.ended && sql.complete(""):
		text := string(sql.text)
		s.reset(sql)
		failed, err = s.statement(text, sql.line)
		if err == nil {
			err = s.afterOne()
		}
	case sql.state.blank():
		s.echoLine(string(sql.text))
		s.reset(sql)
	}
	return failed, err
}

// reset forgets a statement.
func (s *shell) reset(sql *statement) {
	s.Free(sql.held)
	sql.text, sql.held, sql.state = sql.text[:0], 0, scanner{}
}

// afterOne does what is due after each statement or dot-command of an input.
func (s *shell) afterOne() error {
	s.safe = s.safeAlways
	if s.once > 0 {
		s.once = 0
		return s.resetOutput()
	}
	return nil
}

func (s *shell) echoLine(line string) {
	if s.echo {
		fmt.Fprintln(s.out, line)
	}
}

// statement runs SQL that was read, and prints what is wrong with it.
func (s *shell) statement(sql string, line int) (failed bool, err error) {
	s.echoLine(sql)
	start := s.Clock.Now()
	err = s.runSQL(sql, func(message string, _ int) error {
		failed = true
		kind := "Error"
		if rest, ok := strings.CutPrefix(message, "in prepare, "); ok {
			kind, message = "Parse error", rest
		} else if rest, ok := strings.CutPrefix(message, "stepping, "); ok {
			kind, message = "Runtime error", rest
		}
		fmt.Fprintf(s.Stderr, "%s near line %d: %s\n", kind, line, message)
		return nil
	})
	if err != nil {
		return failed, err
	}
	if s.timer {
		fmt.Fprintf(s.out, "Run Time: real %.3f user %.6f sys %.6f\n", s.Clock.Now().Sub(start).Seconds(), 0.0, 0.0)
	}
	if s.changes && !failed {
		if d := s.connections[s.current]; d != nil {
			fmt.Fprintf(s.out, "changes: %d   total_changes: %d\n", d.conn.Changes(), d.conn.TotalChanges())
		}
	}
	return failed, nil
}

// isTerminator reports whether a line ends a statement as Oracle's or SQL
// Server's tools have it.
func isTerminator(line string) bool {
	word := strings.TrimSpace(line)
	return word == "/" || strings.EqualFold(word, "go")
}

// skipBlanks returns how many bytes of white space text begins with.
func skipBlanks(text string) int { return len(text) - len(strings.TrimLeft(text, " \t\n\v\f\r")) }

// skipSpace returns how many bytes of white space and comments sql begins with.
func skipSpace(sql string) int {
	i := 0
	for {
		i += skipBlanks(sql[i:])
		switch {
		case strings.HasPrefix(sql[i:], "--"):
			end := strings.IndexByte(sql[i:], '\n')
			if end < 0 {
				return len(sql)
			}
			i += end + 1
		case strings.HasPrefix(sql[i:], "/*"):
			end := strings.Index(sql[i+2:], "*/")
			if end < 0 {
				return len(sql)
			}
			i += end + 4
		default:
			return i
		}
	}
}

// A scanner finds out, line by line, whether a semicolon ends the text.
type scanner struct {
	open  byte // of what the text is within: a quote, '[' or '*' for a comment
	dark  bool // something is there besides white space and comments
	ended bool // the last such thing is a semicolon
}

// plain reports whether the text is within nothing.
func (s scanner) plain() bool { return s.open == 0 }

// blank reports whether there was nothing but white space and comments.
func (s scanner) blank() bool { return s.open == 0 && !s.dark }

// scan continues with one more line.
func (s scanner) scan(line string) scanner {
	for i := 0; i < len(line); i++ {
		c := line[i]
		if s.open != 0 {
			switch {
			case s.open == '*' && c == '*' && strings.HasPrefix(line[i:], "*/"):
				s.open = 0
				i++
			case s.open == '[' && c == ']', s.open != '*' && s.open != '[' && c == s.open:
				s.open = 0
			}
			continue
		}
		switch {
		case c == ' ' || '\t' <= c && c <= '\r':
			continue
		case c == '-' && strings.HasPrefix(line[i:], "--"):
			return s
		case c == '/' && strings.HasPrefix(line[i:], "/*"):
			s.open = '*'
			i++
			continue
		case c == '\'' || c == '"' || c == '`' || c == '[':
			s.open = c
		}
		s.dark, s.ended = true, c == ';'
	}
	return s
}

// complete reports whether the statement is one from end to end, once tail has
// been added: one that creates a trigger ends with END and a semicolon.
func (t *statement) complete(tail string) bool {
	sql := string(t.text) + tail
	const (
		start = iota
		normal
		explain
		create
		trigger
		semi
		end
	)
	state := start
	last := false // the last token is the semicolon that ends it
	for {
		sql = sql[skipSpace(sql):]
		if sql == "" {
			return last || state == start
		}
		word := tokenOf(sql)
		sql = sql[len(word):]
		last = false
		upper := strings.ToUpper(word)
		switch {
		case word == ";":
			switch state {
			case trigger:
				state = semi
			case semi:
			default:
				state, last = start, true
			}
		case state == start && upper == "EXPLAIN":
			state = explain
		case (state == start || state == explain) && upper == "CREATE":
			state = create
		case state == create && (upper == "TEMP" || upper == "TEMPORARY"):
		case state == create && upper == "TRIGGER":
			state = trigger
		case state == semi && upper == "END":
			state = end
		case state == semi || state == end:
			state = trigger
		case state == trigger:
		case state == explain && (upper == "QUERY" || upper == "PLAN"):
		default:
			state = normal
		}
	}
}

// tokenOf returns the first token of sql.
func tokenOf(sql string) string {
	switch c := sql[0]; {
	case c == '\'' || c == '"' || c == '`' || c == '[':
		if c == '[' {
			c = ']'
		}
		end := strings.IndexByte(sql[1:], c)
		if end < 0 {
			return sql
		}
		return sql[:end+2]
	case isWord(c):
		n := 1
		for n < len(sql) && isWord(sql[n]) {
			n++
		}
		return sql[:n]
	}
	return sql[:1]
}

// isWord reports whether c may be part of a name.
func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// unescape replaces the escapes of C in text.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '\\' || i+1 == len(text) {
			b.WriteByte(c)
			continue
		}
		i++
		if at := strings.IndexByte(`abtnvfr`, text[i]); at >= 0 {
			b.WriteByte("\a\b\t\n\v\f\r"[at])
			continue
		}
		if c = text[i]; c < '0' || c > '7' {
			b.WriteByte(c)
			continue
		}
		value := c - '0'
		for k := 0; k < 2 && i+1 < len(text) && '0' <= text[i+1] && text[i+1] <= '7'; k++ {
			i++
			value = value<<3 + text[i] - '0'
		}
		b.WriteByte(value)
	}
	return b.String()
}
