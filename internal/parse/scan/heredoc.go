package scan

import (
	"fmt"
	"strings"
)

// A heredoc is a here-document whose body is still to come.
type heredoc struct {
	delimiter string
	word      int // where it stands
	tabs      bool
	quoted    bool
}

// addHeredoc notes a redirection << or <<-.
func (s *Scanner) addHeredoc(op, t token) {
	s.heredocs = append(s.heredocs, heredoc{
		delimiter: unquote(t.text),
		word:      t.start,
		tabs:      op.kind == lessLessDash,
		quoted:    t.quoted,
	})
	s.site(HereWord, t.start, t.end)
}

// unquote removes the quotes of the delimiter of a here-document.
func unquote(text string) string {
	if !strings.ContainsAny(text, "\\'\"") {
		return text
	}
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == 0 && c == '$' && i+1 < len(text) && (text[i+1] == '\'' || text[i+1] == '"'):
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote && quote != 0:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(text) &&
			(quote == 0 || strings.IndexByte("$`\"\\\n", text[i+1]) >= 0):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// readHeredocs reads the bodies that begin on the line which begins here.
func (s *Scanner) readHeredocs() {
	if len(s.heredocs) == 0 {
		return
	}
	pending, start := s.heredocs, s.pos
	s.heredocs = nil
	rest := s.setAside()
	for _, h := range pending {
		s.readHeredoc(h)
	}
	s.putBack(rest, start)
}

func (s *Scanner) readHeredoc(h heredoc) {
	start := s.pos
	for {
		begin := s.pos
		if s.at(begin) == 0 {
			s.unclosed(h, start)
			return
		}
		line, next := s.heredocLine(h)
		text := line
		if h.tabs {
			text = strings.TrimLeft(line, "\t")
		}
		if text == h.delimiter {
			s.heredocBody(h, start, begin)
			s.endHeredoc(begin+len(line)-len(text), begin+len(line), h)
			s.pos = next
			return
		}
		if s.closer != 0 && strings.HasPrefix(text, h.delimiter) && strings.IndexByte(text[len(h.delimiter):], s.closer) >= 0 {
			s.heredocBody(h, start, begin)
			s.pos = begin + len(line) - len(text) + len(h.delimiter)
			s.endHeredoc(s.pos-len(h.delimiter), s.pos, h)
			s.warnUnclosed(h, start, s.lineOf(begin))
			return
		}
		s.pos = next
	}
}

// heredocLine returns the line at the current position, and where the next
// one begins. An escaped newline continues a line of a body that is expanded.
func (s *Scanner) heredocLine(h heredoc) (line string, next int) {
	begin := s.pos
	i := begin
	for c := s.at(i); c != 0 && c != '\n'; c = s.at(i) {
		if c == '\\' && !h.quoted && s.at(i+1) != 0 {
			i++
		}
		i++
	}
	line = s.src[begin:i]
	if !h.quoted {
		line = strings.ReplaceAll(line, "\\\n", "")
	}
	if s.at(i) == '\n' {
		i++
	}
	return line, i
}

// unclosed ends a here-document at the end of the source.
func (s *Scanner) unclosed(h heredoc, start int) {
	s.heredocBody(h, start, s.pos)
	s.endHeredoc(s.pos, s.pos, h)
	s.warnUnclosed(h, start, s.lastLine()-1)
}

func (s *Scanner) endHeredoc(start, end int, h heredoc) {
	s.sites = append(s.sites, Site{HereEnd, start, end, h.word, h.delimiter})
}

func (s *Scanner) warnUnclosed(h heredoc, start, line int) {
	s.warnings = append(s.warnings, Warning{
		Line: line, Text: "here-document at line ", At: s.lineOf(start - 1),
		Rest: fmt.Sprintf(" delimited by end-of-file (wanted `%s')", h.delimiter),
	})
}

// heredocBody looks for expansions in a body. What is wrong in it is an error
// only when bash expands it.
func (s *Scanner) heredocBody(h heredoc, start, end int) {
	if h.quoted {
		return
	}
	mark := len(s.sites)
	body := New(s.src[:end], start, 1)
	body.ExtGlob, body.Posix, body.Alias, body.depth, body.Poll = s.ExtGlob, s.Posix, s.Alias, s.depth, s.Poll
	body.repeated = s.repeated
	body.again(end - start)
	if err := body.try(body.expansions); err != nil {
		if !isSyntax(err) {
			panic(bail{err})
		}
		body.sites = nil
	}
	s.repeated = body.repeated
	s.sites = append(s.sites[:mark], body.sites...)
	s.sites = append(s.sites, Site{HereBody, start, end, h.word, h.delimiter})
}

// expansions passes over text in which expansions are recognised and quotes
// are not.
func (s *Scanner) expansions() {
	for {
		switch c := s.at(s.pos); {
		case c == 0:
			return
		case c == '\\' && s.at(s.pos+1) != 0:
			s.pos += 2
		case c == '`':
			s.backquotes(true)
		case c == '$' && s.at(s.pos+1) == '\\' && s.at(s.pos+2) == '\n':
			start := s.pos
			s.joined()
			if s.advance(); strings.IndexByte("({[", s.at(s.pos)) >= 0 && s.at(s.pos) != 0 {
				s.expansion(start, true)
			}
		case c == '$' && strings.IndexByte("({[", s.at(s.pos+1)) >= 0 && s.at(s.pos+1) != 0:
			s.pos++
			s.expansion(s.pos-1, true)
		default:
			s.pos++
		}
	}
}

// Expansions returns the sites in text in which expansions are recognised and
// quotes are not, such as the body of a here-document. poll may be nil.
func Expansions(text string, extGlob bool, poll func() error) ([]Site, error) {
	s := New(text, 0, 1)
	s.ExtGlob, s.Poll = extGlob, poll
	err := s.try(s.expansions)
	return s.sites, err
}

// SubstitutionEnd returns where the command substitution ends of which text is what follows
// $(, behind the parenthesis. poll may be nil.
func SubstitutionEnd(text string, extGlob bool, poll func() error) (int, error) {
	s := New(text, 0, 1)
	s.ExtGlob, s.Poll = extGlob, poll
	err := s.try(s.commandSubstitution)
	return s.pos, err
}

// ExpansionEnd returns where the backquotes or the ${ end that begin at offset i of the body
// of a here-document, or -1. Bash: there are quotes within ${ in it.
func ExpansionEnd(body string, i int) int {
	closer := byte('}')
	if body[i] == '`' {
		closer = '`'
		i--
	}
	for i += 2; i < len(body); {
		switch c := body[i]; {
		case c == closer:
			return i + 1
		case c == '\\':
			i += 2
		case closer == '`':
			i++
		case c == '\'' || c == '"' || c == '`':
			end := quoteEnd(body, i)
			if end < 0 {
				return -1
			}
			i = end
		case c == '$' && strings.HasPrefix(body[i:], "${"):
			end := ExpansionEnd(body, i)
			if end < 0 {
				return -1
			}
			i = end
		case c == '$' && strings.HasPrefix(body[i:], "$("):
			end, err := SubstitutionEnd(body[i+2:], false, nil)
			if err != nil {
				return -1
			}
			i += 2 + end
		default:
			i++
		}
	}
	return -1
}

// quoteEnd returns where the quotes end that begin at i, or -1.
func quoteEnd(s string, i int) int {
	quote := s[i]
	for i++; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return i + 1
		case s[i] == '\\' && quote != '\'':
			i++
		}
	}
	return -1
}
