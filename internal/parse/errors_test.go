package parse_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/internal/parse"
)

func TestErrorsHaveBashsWords(t *testing.T) {
	const name = "testdata/errors.txt"
	for i, c := range confirm(t, name, readCases(t, name), bashErrors) {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			require.Equal(t, c.want, messages(t, c.script), c.script)
		})
	}
}

// messages returns what is wrong with a script, as a shell prints it.
func messages(t *testing.T, script string) string {
	var b strings.Builder
	for offset := 0; ; {
		prog, err := parse.FileContext(t.Context(), script, offset, parse.Mode{})
		for _, w := range prog.Warnings {
			fmt.Fprintf(&b, "line %d: warning: %s\n", w.Line, w.Message(0))
		}
		var syn *parse.SyntaxError
		if !errors.As(err, &syn) {
			require.NoError(t, err)
			return b.String()
		}
		for _, m := range syn.Messages {
			fmt.Fprintf(&b, "line %d: %s\n", m.Line, m.Text)
		}
		if offset = syn.Resume; offset == 0 {
			return b.String()
		}
	}
}
