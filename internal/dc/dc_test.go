package dc_test

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/internal/dc"
)

// A free budget counts the memory that is held.
type free struct{ held int }

func (*free) Poll(int) error      { return nil }
func (f *free) Alloc(n int) error { f.held += n; return nil }
func (f *free) Free(n int)        { f.held -= n }

// The expectations are those of the manual of GNU dc.
func TestRun(t *testing.T) {
	for program, want := range map[string]string{
		"1 2+p":                             "3\n",
		"2 3^p 10 3/p 3k 10 3/p 2vp":        "8\n3\n3.333\n1.414\n",
		"[la1+dsa*pla5>y]sy 0sa1 lyx":       "1\n2\n6\n24\n120\n",
		"16o255p 2o10p 16i FF Ap":           "FF\n1010\n1010\n",
		"1 2 3f c z p":                      "3\n2\n1\n0\n",
		"5 0/ f":                            "dc: divide by zero\n0\n5\n",
		"+":                                 "dc: stack empty\n",
		"[a[b]c]p [x]P 65P":                 "a[b]c\nxA",
		"3 5| 4 13 497|p":                   "dc: stack empty\n445\n",
		"7 3~f":                             "1\n2\n",
		"1 2 3 3Rf":                         "1\n3\n2\n",
		"5 2%p _5p":                         "1\n-5\n",
		"1 0:a 5 1:a 1;ap 0;ap 9;ap":        "5\n1\n0\n",
		"10sa la p lb":                      "10\ndc: register 'b' (0142) is empty\n",
		"3Sa4SaLapLap La":                   "4\n3\ndc: stack register 'a' (0141) is empty\n",
		"[1p q]x 2p":                        "1\n",
		"[[1p 2Q]x 3p]x 4p":                 "1\n4\n",
		"[li1+silip li3>w]sw 0si lwx # end": "1\n2\n3\n",
		"1 2!=a [5p]sa 1 2!=a":              "dc: register 'a' (0141) is empty\n5\n",
		"12.345Zp 12.345Xp [abc]Zp 65ap":    "5\n3\n3\nA\n",
		"y":                                 "dc: 'y' (0171) unimplemented\n",
		"2 240^p":                           "17668470647783843295832975007429185158274838968756189581216062012926\\\n19776\n",
	} {
		var out bytes.Buffer
		var budget free
		w := bufio.NewWriter(&out)
		c := dc.New(&budget, bufio.NewReader(strings.NewReader("")), w, &out, 70)
		_, err := c.Run(strings.NewReader(program))
		require.NoError(t, err)
		require.NoError(t, w.Flush())
		require.Equal(t, want, out.String(), program)
		c.Close()
		require.Zero(t, budget.held, program)
	}
}
