package transcript

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `# Prose.
$ printf 'a\n\n$ b'
a
|
|\ $ b

#~ not the oracle's business
$ if true
> then
>
> exit 3; fi
! oops
! ! twice
!\ cut
? 3

# The end.
-- one --
$ not a command
-- sub/two --
`

func TestParse(t *testing.T) {
	f, err := Parse([]byte(sample))
	require.NoError(t, err)
	require.Len(t, f.Steps, 2)
	require.Equal(t, `printf 'a\n\n$ b'`, f.Steps[0].Script)
	require.Equal(t, Outcome{Stdout: "a\n\n$ b"}, f.Steps[0].Outcome)
	require.Equal(t, "if true\nthen\n\nexit 3; fi", f.Steps[1].Script)
	require.Equal(t, 8, f.Steps[1].Line)
	require.Equal(t, "not the oracle's business", f.Steps[1].Exempt)
	require.Equal(t, Outcome{Stderr: "oops\n! twice\ncut", Status: 3}, f.Steps[1].Outcome)
	require.Equal(t, map[string]string{"one": "$ not a command\n", "sub/two": ""}, f.Files)
	require.Equal(t, sample, string(f.Format()))

	_, err = Parse([]byte("stray\n"))
	require.EqualError(t, err, "line 1: output before any command")
}

// TestSetOutcome checks that every outcome that is written is read back.
func TestSetOutcome(t *testing.T) {
	for _, o := range []Outcome{
		{},
		{Status: 1},
		{Stdout: "plain\n"},
		{Stdout: "\n\n"},
		{Stdout: "$ a\n> b\n! c\n? d\n# e\n| f\n|\n#~ g\n|\\ h\n-- i --\n"},
		{Stdout: "no newline", Stderr: "none here"},
		{Stdout: "# no newline", Stderr: "\n\nx\n", Status: 255},
		{Stdout: "#\n>\n!\n$\n?\n \n"},
	} {
		f, err := Parse([]byte("$ old\nout\n! err\n\n# tail\n-- f --\n"))
		require.NoError(t, err)
		f.Steps[0].SetOutcome(o)
		again, err := Parse(f.Format())
		require.NoError(t, err)
		require.Equal(t, o, again.Steps[0].Outcome, "%s", f.Format())
		require.Len(t, again.Steps, 1)
		require.Contains(t, again.Files, "f")
	}
}
