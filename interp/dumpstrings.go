package interp

import (
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"mvdan.cc/sh/v3/syntax"
)

// dumpStrings prints the strings of a script that are to be translated, those of $"…",
// as bash -D does; where po is true, in the form of catalogues.
func (sh *Shell) dumpStrings(src, file string, po bool) {
	prog, err := parse.FileContext(sh.proc.ctx, src, 0, sh.parseMode())
	var b strings.Builder
	for _, s := range prog.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			q, ok := n.(*syntax.DblQuoted)
			if !ok || !q.Dollar || len(q.Parts) == 0 {
				return true
			}
			text := prog.Source[q.Left.Offset()+2 : q.Right.Offset()]
			if po {
				fmt.Fprintf(&b, "#: %s:%d\nmsgid %s\nmsgstr \"\"\n", file, q.Left.Line(), catalogued(text))
			} else {
				b.WriteString("\"" + text + "\"\n")
			}
			return true
		})
	}
	sh.print("", b.String())
	sh.status = 0
	if err != nil {
		sh.syntaxError(err, 0)
	}
}

// catalogued quotes a string as catalogues have it, one line of it a line.
func catalogued(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s)
	if !strings.Contains(s, "\n") {
		return `"` + s + `"`
	}
	return "\"\"\n\"" + strings.ReplaceAll(s, "\n", "\\n\"\n\"") + `"`
}
