package fuzz

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed bash.grammar
var bashGrammar string

// A Grammar says what generated scripts look like: it has alternatives, with
// weights, for each nonterminal. The comment at the head of bash.grammar is the
// description of the form. A Grammar is safe for concurrent use.
type Grammar struct {
	rules    map[string][]*rule
	features []string
}

// A rule is an alternative of a nonterminal.
type rule struct {
	weight int
	needs  []string // features
	parts  []part
}

// A part is a piece of the text of a rule: text as it is, or an action.
type part struct {
	text   string
	action action
	low    int // of a number
	high   int
}

// An action is what a part stands for.
type action byte

const (
	literal    action = iota
	expand            // «name»
	repeat            // «name*»
	oneLine           // «name!»
	asWord            // «name'»
	backquoted        // «name`»
	number            // «1..9»
	counter           // «counter»
	sameName          // «=counter»
	define            // «define»
	defined           // «defined»
	call              // «call»
	document          // «<<name»
	lines             // «name+»
	lineEnd           // ¶
	lineBreak         // ·
)

// StandardGrammar returns the grammar of this package, that of Bash scripts.
var StandardGrammar = sync.OnceValue(func() *Grammar {
	g, err := ParseGrammar(bashGrammar)
	if err != nil {
		panic(err) // it is part of the program
	}
	return g
})

// ParseGrammar reads a grammar. Its scripts are what the nonterminal "script"
// stands for.
func ParseGrammar(text string) (*Grammar, error) {
	g := &Grammar{rules: map[string][]*rule{}}
	name := ""
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.TrimSpace(line) == "" || line[0] == '#':
		case line[0] != '\t':
			name = line
		default:
			r, err := parseRule(line[1:])
			if err != nil {
				return nil, fmt.Errorf("fuzz: grammar line %d: %w", number, err)
			}
			g.rules[name] = append(g.rules[name], r)
			for _, f := range r.needs {
				if !slices.Contains(g.features, f) {
					g.features = append(g.features, f)
				}
			}
		}
	}
	slices.Sort(g.features)
	return g, g.check()
}

// Features returns the names of the features that alternatives of the grammar
// need, in order.
func (g *Grammar) Features() []string { return slices.Clone(g.features) }

// Select returns the features that names, separated by commas, stand for. The name
// all is every feature of the grammar; one after a minus sign is taken out again, as
// in "all,-traps".
func (g *Grammar) Select(names string) ([]string, error) {
	set := map[string]bool{}
	for _, name := range strings.Split(names, ",") {
		name, without := strings.CutPrefix(name, "-")
		chosen := []string{name}
		if name == "all" {
			chosen = g.features
		} else if !slices.Contains(g.features, name) {
			return nil, fmt.Errorf("fuzz: the grammar has no feature %q; there are %s", name, strings.Join(g.features, ", "))
		}
		for _, f := range chosen {
			set[f] = !without
		}
	}
	return slices.DeleteFunc(g.Features(), func(f string) bool { return !set[f] }), nil
}

func parseRule(line string) (*rule, error) {
	head, text, ok := strings.Cut(line, "| ")
	if head, bare := strings.CutSuffix(line, "|"); !ok && bare {
		return parseHead(head, nil)
	}
	if !ok {
		return nil, fmt.Errorf("no bar in %q", line)
	}
	parts, err := parseParts(text)
	if err != nil {
		return nil, err
	}
	return parseHead(head, parts)
}

func parseHead(head string, parts []part) (*rule, error) {
	fields := strings.Fields(head)
	if len(fields) == 0 {
		return nil, fmt.Errorf("no weight before the bar")
	}
	weight, err := strconv.Atoi(fields[0])
	if err != nil || weight <= 0 {
		return nil, fmt.Errorf("%q is not a weight", fields[0])
	}
	return &rule{weight: weight, needs: fields[1:], parts: parts}, nil
}

func parseParts(text string) (parts []part, err error) {
	for text != "" {
		i := strings.IndexAny(text, "«¶·")
		if i < 0 {
			return append(parts, part{text: text}), nil
		}
		if i > 0 {
			parts = append(parts, part{text: text[:i]})
		}
		mark, size := utf8.DecodeRuneInString(text[i:])
		text = text[i+size:]
		switch mark {
		case '¶':
			parts = append(parts, part{action: lineEnd})
		case '·':
			parts = append(parts, part{action: lineBreak})
		default:
			name, after, ok := strings.Cut(text, "»")
			if !ok || name == "" {
				return nil, fmt.Errorf("« without a name and » before %q", text)
			}
			parts = append(parts, parseAction(name))
			text = after
		}
	}
	return parts, nil
}

// actions are those that have a name of their own.
var actions = map[string]action{
	"counter": counter, "=counter": sameName, "define": define, "defined": defined, "call": call,
}

// suffixes say how a nonterminal is expanded.
var suffixes = map[byte]action{'*': repeat, '!': oneLine, '\'': asWord, '`': backquoted, '+': lines}

func parseAction(name string) part {
	if a, ok := actions[name]; ok {
		return part{action: a}
	}
	if low, high, ok := strings.Cut(name, ".."); ok {
		l, _ := strconv.Atoi(low)
		h, _ := strconv.Atoi(high)
		return part{action: number, low: l, high: h}
	}
	if name, ok := strings.CutPrefix(name, "<<"); ok {
		return part{action: document, text: name}
	}
	if a, ok := suffixes[name[len(name)-1]]; ok {
		return part{action: a, text: name[:len(name)-1]}
	}
	return part{action: expand, text: name}
}

// nonterminal returns the name of the nonterminal that the part stands for, or "".
func (p *part) nonterminal() string {
	if p.action == literal {
		return ""
	}
	return p.text
}

// check reports a nonterminal that has no alternatives.
func (g *Grammar) check() error {
	if g.rules["script"] == nil {
		return fmt.Errorf("fuzz: the grammar has no nonterminal %q", "script")
	}
	for name, rules := range g.rules {
		for _, r := range rules {
			for i := range r.parts {
				if to := r.parts[i].nonterminal(); to != "" && g.rules[to] == nil {
					return fmt.Errorf("fuzz: the grammar uses %q in %q and does not say what it is", to, name)
				}
			}
		}
	}
	return nil
}

// A choice is the alternatives of a nonterminal that a set of features leaves.
type choice struct {
	rules  []*choiceRule
	height int // of the lowest rule
}

// A choiceRule is a rule and the least depth of nonterminals below it.
type choiceRule struct {
	*rule
	height int
}

// infinite is the height of a rule that has no end.
const infinite = math.MaxInt32

// narrow returns the grammar that a set of features leaves: the rules that need no
// other and have an end.
func (g *Grammar) narrow(features []string) map[string]*choice {
	choices := map[string]*choice{}
	for name, rules := range g.rules {
		c := &choice{height: infinite}
		for _, r := range rules {
			if !slices.ContainsFunc(r.needs, func(f string) bool { return !slices.Contains(features, f) }) {
				c.rules = append(c.rules, &choiceRule{r, infinite})
			}
		}
		choices[name] = c
	}
	for changed := true; changed; {
		changed = false
		for _, c := range choices {
			for _, r := range c.rules {
				h := 1
				for i := range r.parts {
					if to := r.parts[i].nonterminal(); to != "" {
						h = max(h, min(infinite, choices[to].height+1))
					}
				}
				if h < r.height {
					r.height, changed = h, true
				}
				c.height = min(c.height, h)
			}
		}
	}
	for _, c := range choices {
		c.rules = slices.DeleteFunc(c.rules, func(r *choiceRule) bool { return r.height == infinite })
	}
	return choices
}
