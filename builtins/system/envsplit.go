package system

import (
	"fmt"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// splitArgs replaces each option -S in the arguments of env by the words of its
// value, as often as those bring options -S of their own.
func splitArgs(c *builtins.Call) error {
	debug := false
	args := slices.Clone(c.Args)
	for i := 0; i < len(args); i++ {
		before, value, used := splitOption(args[i:], &debug)
		switch used {
		case 0:
			c.Args = args
			return nil
		case -1:
			i++
			fallthrough
		case 1:
			if value == nil {
				continue
			}
		}
		words, err := splitString(c, *value)
		if err != nil {
			c.Warn(err)
			return c.Command.Trouble
		}
		if debug {
			logSplit(c, *value, words)
		}
		if before != "" {
			words = append([]string{before}, words...)
		}
		args = slices.Replace(args, i, i+used, words...)
		if i--; before != "" {
			i++
		}
	}
	c.Args = args
	return nil
}

// splitOption looks at the option at the start of args. It returns the value of
// -S and the letters before it where it is that, and how many arguments the
// option takes: 0 where there is no option, -1 for two that are not -S.
func splitOption(args []string, debug *bool) (before string, value *string, used int) {
	arg := args[0]
	next := func(attached string) (*string, int) {
		if attached != "" || len(args) < 2 {
			return &attached, 1
		}
		return &args[1], 2
	}
	if long, ok := strings.CutPrefix(arg, "--"); ok {
		name, attached, inline := strings.Cut(long, "=")
		switch {
		case name == "":
			return "", nil, 0
		case strings.HasPrefix("split-string", name) && inline:
			return "", &attached, 1
		case strings.HasPrefix("split-string", name) && len(args) > 1:
			return "", &args[1], 2
		case strings.HasPrefix("debug", name):
			*debug = true
		case !inline && (strings.HasPrefix("unset", name) || strings.HasPrefix("chdir", name)):
			return "", nil, -1
		}
		return "", nil, 1
	}
	if len(arg) < 2 || arg[0] != '-' {
		return "", nil, 0
	}
	for i := 1; i < len(arg); i++ {
		switch arg[i] {
		case 'v':
			*debug = true
		case 'u', 'C':
			if i+1 == len(arg) {
				return "", nil, -1
			}
			return "", nil, 1
		case 'S':
			if i+1 == len(arg) && len(args) < 2 {
				return "", nil, 1
			}
			if i > 1 {
				before = arg[:i]
			}
			value, used = next(arg[i+1:])
			return before, value, used
		}
	}
	return "", nil, 1
}

func logSplit(c *builtins.Call, text string, words []string) {
	fmt.Fprintf(c.Stderr, "split -S:  %s\n", builtins.QuoteLocale(text))
	lead := " into:    "
	for _, word := range words {
		fmt.Fprintf(c.Stderr, "%s%s\n", lead, builtins.QuoteLocale(word))
		lead = "     &    "
	}
}

// A splitter divides the value of -S into words.
type splitter struct {
	call   *builtins.Call
	words  []string
	word   strings.Builder
	inWord bool
	quote  byte // the quotation mark that is open, or 0
}

// splitString divides text as env -S does.
func splitString(c *builtins.Call, text string) ([]string, error) {
	s := splitter{call: c}
	for i := 0; i < len(text); {
		n, err := s.step(text[i:])
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		i += n
	}
	if s.quote != 0 {
		return nil, fmt.Errorf("no terminating quote in -S string")
	}
	s.end()
	return s.words, nil
}

// step takes the next character or sequence of text, and returns its length; 0
// where the rest does not count.
func (s *splitter) step(text string) (int, error) {
	switch c := text[0]; {
	case (c == '\'' || c == '"') && s.quote == 0:
		s.quote, s.inWord = c, true
	case c == s.quote && c != 0:
		s.quote = 0
	case strings.IndexByte(" \t\n\v\f\r", c) >= 0 && s.quote == 0:
		s.end()
	case c == '#' && s.quote == 0 && !s.inWord:
		return 0, nil
	case c == '\\' && s.quote == '\'' && len(text) > 1 && text[1] != '\\' && text[1] != '\'':
		s.add("\\")
	case c == '\\':
		return s.escape(text)
	case c == '$' && s.quote != '\'':
		return s.variable(text)
	default:
		s.add(text[:1])
	}
	return 1, nil
}

func (s *splitter) add(text string) {
	s.inWord = true
	s.word.WriteString(text)
}

func (s *splitter) end() {
	if s.inWord {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.inWord = false
}

func (s *splitter) escape(text string) (int, error) {
	if len(text) < 2 {
		return 0, fmt.Errorf("invalid backslash at end of string in -S")
	}
	switch c := text[1]; c {
	case '"', '#', '$', '\'', '\\':
		s.add(text[1:2])
	case '_':
		if s.quote == 0 {
			s.end()
		} else {
			s.add(" ")
		}
	case 'c':
		if s.quote == '"' {
			return 0, fmt.Errorf(`'\c' must not appear in double-quoted -S string`)
		}
		return 0, nil
	case 'f', 'n', 'r', 't', 'v':
		s.add(string("\f\n\r\t\v"[strings.IndexByte("fnrtv", c)]))
	default:
		return 0, fmt.Errorf(`invalid sequence '\%c' in -S`, c)
	}
	return 2, nil
}

func (s *splitter) variable(text string) (int, error) {
	name, _, ok := strings.Cut(strings.TrimPrefix(text, "${"), "}")
	if !ok || !strings.HasPrefix(text, "${") || !isName(name) {
		return 0, fmt.Errorf("only ${VARNAME} expansion is supported, error at: %s", text)
	}
	s.add(s.call.Getenv(name))
	return len("${}") + len(name), nil
}

// isName reports whether s can name a variable.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
