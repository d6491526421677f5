package search

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/vfs"
)

// grepPatterns are the patterns of a call, and where they come from.
type grepPatterns struct {
	list  []string
	files []patternFile
	given bool // by -e or -f
}

// A patternFile says which patterns come from a file.
type patternFile struct {
	name        string
	first, last int // indexes of patterns
}

// add adds the lines of text as patterns.
func (p *grepPatterns) add(text, file string) {
	p.given = true
	lines := strings.Split(text, "\n")
	p.files = append(p.files, patternFile{file, len(p.list), len(p.list) + len(lines) - 1})
	p.list = append(p.list, lines...)
}

func (g *grep) addPatternFile(name string) error {
	text, err := g.readAll(name)
	if err != nil {
		return err
	}
	g.patterns.given = true
	if text != "" {
		g.patterns.add(strings.TrimSuffix(text, "\n"), name)
	}
	return nil
}

// readAll returns the content of a file that an option names. The memory is
// charged for the rest of the call.
func (g *grep) readAll(name string) (string, error) {
	r := g.Stdin
	if name != "-" {
		f, err := g.Open(name)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, vfs.ErrnoOf(err))
		}
		defer f.Close()
		r = f
	}
	var b strings.Builder
	buf := make([]byte, 16<<10)
	for {
		n, err := r.Read(buf)
		if err := errors.Join(g.Poll(1+n>>8), g.Alloc(n)); err != nil {
			return "", err
		}
		g.held += n
		b.Write(buf[:n])
		switch {
		case err == io.EOF:
			return b.String(), nil
		case err != nil:
			return "", fmt.Errorf("%s: %w", name, vfs.ErrnoOf(err))
		}
	}
}

var grepDialects = map[string]regex.Dialect{
	"": regex.Grep, "G": regex.Grep, "E": regex.Egrep, "F": regex.Literal, "P": regex.Perl,
}

// compile compiles the patterns.
func (g *grep) compile() (*regex.Regexp, error) {
	dialect := grepDialects[g.matcherKind]
	if dialect == regex.Perl && len(g.patterns.list) != 1 {
		return nil, errors.New("the -P option only supports a single pattern")
	}
	flags := localeFlags(g.Call)
	g.bytesOnly = flags&regex.Bytes != 0
	if !g.null {
		flags |= regex.Lines
	}
	if g.ignoreCase {
		flags |= regex.IgnoreCase
	}
	switch {
	case g.line:
		flags |= regex.WholeLine
	case g.word:
		flags |= regex.WholeWord
	}
	cost := compileCost(g.patterns.list)
	if err := g.Alloc(cost); err != nil {
		return nil, err
	}
	defer g.Free(cost)
	re, err := regex.CompileAny(g.patterns.list, dialect, flags)
	if err != nil {
		return nil, g.blame(err, dialect, flags)
	}
	if re.ClassSyntax {
		return nil, regex.ErrClassSyntax
	}
	for _, w := range re.Warnings {
		fmt.Fprintf(g.Stderr, "grep: warning: %s\n", w)
	}
	return re, nil
}

// compileCost is the memory that patterns need while they are compiled.
func compileCost(patterns []string) int {
	const character = 200
	cost := 0
	for _, p := range patterns {
		cost += character * (len(p) + 1)
	}
	return cost
}

// blame returns err with the file and line of the pattern that it is about.
func (g *grep) blame(err error, dialect regex.Dialect, flags regex.Flags) error {
	for _, f := range g.patterns.files {
		for i := f.first; i <= f.last && f.name != ""; i++ {
			if err := g.Poll(64); err != nil {
				return err
			}
			if _, bad := regex.Compile(g.patterns.list[i], dialect, flags); bad != nil {
				return fmt.Errorf("%s:%d: %w", f.name, i-f.first+1, bad)
			}
		}
	}
	return err
}

// grepColors are the sequences that mark parts of the output. An empty one
// leaves the part as it is.
type grepColors struct {
	on                        bool
	match, contextMatch       string // ms, mc
	line, contextLine         string // sl, cx
	file, number, offset, sep string // fn, ln, bn, se
	reverse, noErase          bool   // rv, ne
	reset                     string // what ends a color
}

// parseColors returns the colors that GREP_COLORS sets.
func (g *grep) parseColors() grepColors {
	c := grepColors{on: true, match: "01;31", contextMatch: "01;31", file: "35", number: "32", offset: "32", sep: "36"}
	if old := g.Getenv("GREP_COLOR"); old != "" {
		fmt.Fprintf(g.Stderr, "grep: warning: GREP_COLOR='%s' is deprecated; use GREP_COLORS='mt=%s'\n", old, old)
		c.match, c.contextMatch = old, old
	}
	for _, field := range strings.Split(g.Getenv("GREP_COLORS"), ":") {
		name, value, _ := strings.Cut(field, "=")
		if strings.Trim(value, "0123456789;") != "" {
			break
		}
		switch name {
		case "mt":
			c.match, c.contextMatch = value, value
		case "ms":
			c.match = value
		case "mc":
			c.contextMatch = value
		case "sl":
			c.line = value
		case "cx":
			c.contextLine = value
		case "fn":
			c.file = value
		case "ln":
			c.number = value
		case "bn":
			c.offset = value
		case "se":
			c.sep = value
		case "rv":
			c.reverse = true
		case "ne":
			c.noErase = true
		}
	}
	return c
}

// startColor begins a color, which lasts until the next ends.
func (g *grep) startColor(color string) {
	if color != "" && g.color.on {
		fmt.Fprintf(g.out, "\x1b[%sm%s", color, g.color.erase())
	}
}

// paint writes text in a color.
func (g *grep) paint(color string, text []byte) {
	g.startColor(color)
	_, _ = g.out.Write(text)
	if color != "" && g.color.on {
		fmt.Fprintf(g.out, "\x1b[%sm%s", g.color.reset, g.color.erase())
	}
}

// erase returns the sequence after a change of color that keeps the background
// of the rest of the line.
func (c *grepColors) erase() string {
	if c.noErase {
		return ""
	}
	return "\x1b[K"
}
