package parse_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/internal/parse"
)

func TestCommandsBeforeAnErrorAreDelivered(t *testing.T) {
	prog, err := parse.File("echo a; echo b\nfi\n", parse.Mode{})
	var serr *parse.SyntaxError
	require.ErrorAs(t, err, &serr)
	require.Equal(t, "line 2: syntax error near unexpected token `fi'\nline 2: `fi'", serr.Error())
	require.Len(t, prog.Stmts, 2)
	require.Len(t, prog.Lines(), 1)
}

func TestDeepSourceIsRefused(t *testing.T) {
	for _, open := range []string{"$(", "{ ", "if ", "${x:-", "f() { ", "while ", "<(", "$((", "\"$("} {
		_, err := parse.File(strings.Repeat(open, 1_000_000), parse.Mode{})
		require.ErrorIs(t, err, parse.ErrTooDeep, open)
	}
}
