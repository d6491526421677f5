package interp

import (
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"mvdan.cc/sh/v3/syntax"
)

// record adds what has just been read to the history, where the option is on: the
// comments in front of a command, each a line, and the command, whose lines become one.
// (bash manual, Bash History Facilities)
func (sh *Shell) record(prog *parse.Program) {
	if !sh.is(optHistory) || sh.evals > 0 || len(sh.frames) > 0 || len(prog.Stmts) == 0 {
		return
	}
	ends := prog.LineEnds()
	start, end := prog.Start, ends[len(ends)-1]
	first := int(prog.Stmts[0].Pos().Offset())
	for start < first {
		line, _, ok := strings.Cut(prog.Source[start:first], "\n")
		if !ok {
			break
		}
		sh.remember(line)
		start += len(line) + 1
	}
	if n := sh.historyBase + len(sh.history); start < end {
		sh.remember(oneLine(prog, start, end))
		sh.recorded = sh.historyBase+len(sh.history) > n
	}
}

// oneLine returns a command as the history has it: its lines are joined with what stands
// for a newline there, but for newlines in quotes, substitutions and here-documents.
func oneLine(prog *parse.Program, start, end int) string {
	kept := keptNewlines(prog, start)
	var b strings.Builder
	for start < end {
		line, _, ok := strings.Cut(prog.Source[start:end], "\n")
		at := start + len(line) // of the newline
		start = at + 1
		b.WriteString(line)
		switch {
		case !ok || start >= end && !kept(at):
		case kept(at):
			b.WriteByte('\n')
		case strings.HasSuffix(line, `\`):
			joined := strings.TrimSuffix(b.String(), `\`)
			b.Reset()
			b.WriteString(joined)
		case strings.TrimSpace(line) == "":
		default:
			b.WriteString(delimiter(line))
		}
	}
	return b.String()
}

// keptNewlines returns what reports whether the newline at an offset belongs to the text
// of a word or of a here-document.
func keptNewlines(prog *parse.Program, start int) func(at int) bool {
	type span struct{ from, to int }
	var spans []span
	add := func(n syntax.Node) { spans = append(spans, span{int(n.Pos().Offset()), int(n.End().Offset())}) }
	for _, s := range prog.Stmts {
		if int(s.End().Offset()) < start {
			continue
		}
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.SglQuoted, *syntax.DblQuoted, *syntax.CmdSubst, *syntax.ParamExp, *syntax.ArithmExp:
				add(n)
				return false
			case *syntax.Redirect:
				if n.Hdoc != nil {
					from := strings.IndexByte(prog.Source[n.Word.End().Offset():], '\n')
					spans = append(spans, span{int(n.Word.End().Offset()) + from, len(prog.Source)})
				}
			}
			return true
		})
	}
	return func(at int) bool {
		for _, s := range spans {
			if s.from <= at && at < s.to {
				return true
			}
		}
		return false
	}
}

// delimiter returns what stands for the newline behind a line: a semicolon, unless a
// command cannot end there.
func delimiter(line string) string {
	line = strings.TrimRight(line, " \t")
	word := line[strings.LastIndexAny(line, " \t;&|(){}")+1:]
	switch word {
	case "case", "do", "else", "if", "in", "then", "until", "while":
		return " "
	case "":
		if !strings.HasSuffix(line, "}") && (!strings.HasSuffix(line, ")") || strings.HasSuffix(line, "()")) {
			return " "
		}
	}
	if strings.Contains(line, "=(") && !strings.Contains(line, ")") { // in a list of values
		return " "
	}
	return "; "
}
