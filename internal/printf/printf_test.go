package printf

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A call is a call of printf: its arguments, what it writes, what it says, and
// whether it succeeds.
type call struct {
	args   []string
	out    string
	stderr string
	ok     bool
}

var builtin = []call{
	{[]string{`%d\n`, "1", "2"}, "1\n2\n", "", true},
	{[]string{"a\n", "1"}, "a\n", "", true},
	{[]string{"%s %d|", "a", "1", "b"}, "a 1|b 0|", "", true},
	{[]string{"%d|%d|%d|%x|%i", "0x1f", "010", "'é", "-1", " 12"}, "31|8|233|ffffffffffffffff|12", "", true},
	{[]string{"%d %d %d %d", "12abc", "09", "0xg", "1.5"}, "12 0 0 1", "12abc: invalid number\n09: invalid octal number\n0xg: invalid hex number\n1.5: invalid number\n", false},
	{[]string{"%d %u %d", "99999999999999999999", "99999999999999999999", "-99999999999999999999"}, "9223372036854775807 18446744073709551615 -9223372036854775808",
		"warning: 99999999999999999999: Numerical result out of range\nwarning: 99999999999999999999: Numerical result out of range\nwarning: -99999999999999999999: Numerical result out of range\n", true},
	{[]string{"%05d|%+d|% d|%#x|%#o|%-5d|%.3d|%5.3d|%.0d|%08.3d", "1", "1", "1", "255", "8", "1", "5", "5", "0", "5"}, "00001|+1| 1|0xff|010|1    |005|  005||     005", "", true},
	{[]string{"%ld%hhd%Lf", "1", "300", "1"}, "13001.000000", "", true},
	{[]string{"%*d|%-*d|%*d|%.*f|%.*f", "5", "1", "5", "1", "-5", "1", "2", "3.14159", "-2", "3.14159"}, "    1|1    |1    |3.14|3.141590", "", true},
	{[]string{"%5s|%-5s|%.2s|%5.1s|%5s|%.1s|%05s", "abc", "abc", "abc", "abc", "é", "é", "a"}, "  abc|abc  |ab|    a|   é|\xc3|    a", "", true},
	{[]string{"%c|%3c|%-3c|%.0c|%c|%2c", "abc", "a", "a", "a", "é", ""}, "a|  a|a  |a|\xc3| \x00", "", true},
	{[]string{"%b|%.2b|%5b|", `a\tb`, "abc", `\x41`}, "a\tb|ab|    A|", "", true},
	{[]string{"%b|%s", `x\cy`, "z"}, "x", "", true},
	{[]string{"%q|%10q|%.2q|%.2Q|%q", "a b", "a b", "a bc", "a bc", ""}, `a\ b|      a\ b|a\|a\ |''`, "", true},
	{[]string{`\x41\101\u00e9\c\z\"`}, `AAé\c\z"`, "", true},
	{[]string{`a\x|\u`}, `a\x|\u`, "missing hex digit for \\x\nmissing unicode digit for \\u\n", true},
	{[]string{"%f|%e|%g|%G|%a|%F", "1.5", "12345.678", "0.0001", "1e-5", "1", "inf"}, "1.500000|1.234568e+04|0.0001|1E-05|0x8p-3|INF", "", true},
	{[]string{"%.20f|%.0f|%.0f|%#.0f|%#g|%.3a", "0.1", "0.5", "1.5", "1", "1", "0.1"}, "0.10000000000000000000|0|2|1.|1.00000|0xc.ccdp-7", "", true},
	{[]string{"%f|%f|%010.2f|%-8.1f|%+.1e", "1e40", "nan(x)", "-3.14159", "2", "0"}, "9999999999999999999783686092270256259072.000000|nan|-000003.14|2.0     |+0.0e+00", "", true},
	{[]string{"%g %g %g", "abc", "1e5000", "1e-5000"}, "0 inf 0", "abc: invalid number\nwarning: 1e5000: Numerical result out of range\nwarning: 1e-5000: Numerical result out of range\n", false},
	{[]string{"%a|%a|%.0e", "1e-4945", "3.3e-4940", "0"}, "0x0.000000000042f9dp-16385|0x0.000001514028911p-16385|0e+00", "warning: 1e-4945: Numerical result out of range\nwarning: 3.3e-4940: Numerical result out of range\n", true},
	{[]string{"a%"}, "a", "`%': missing format character\n", false},
	{[]string{"a%-5l"}, "a", "`%-5l': missing format character\n", false},
	{[]string{"a%y", "1"}, "a", "`y': invalid format character\n", false},
	{[]string{"%1$s", "1"}, "", "`$': invalid format character\n", false},
	{[]string{"%5%"}, "", "`%': invalid format character\n", false},
	{[]string{"x%3000000000sy", "a"}, "xy", "", true},
	{[]string{"%(%Y-%m-%d)T|%(%s)T|%8(%Y)T|%-8(%Y)T|%.2(%Y)T|%()T", "86400", "1", "0", "0", "0", "0"}, "1970-01-02|1|    1970|1970    |19|00:00:00", "", true},
	{[]string{"%(%127n)T|%(%128n)T", "0", "0"}, strings.Repeat(" ", 126) + "\n|", "", true},
	{[]string{"%(%Y)T", "abc"}, "1970", "abc: invalid number\n", false},
	{[]string{"%(%Y)T", "9223372036854775807"}, "1970", "", true},
	{[]string{"%(%Y)x", "0"}, "%(", "warning: `x': invalid time format specification\n`Y': invalid format character\n", false},
}

var program = []call{
	{[]string{`%d\n`, "1", "2"}, "1\n2\n", "", true},
	{[]string{"a\n", "1"}, "a\n", "warning: ignoring excess arguments, starting with ‘1’\n", true},
	{[]string{"%d %d %d %d", "abc", "12abc", "09", "'"}, "0 12 0 0", "‘abc’: expected a numeric value\n‘12abc’: value not completely converted\n‘09’: value not completely converted\n‘'’: expected a numeric value\n", false},
	{[]string{"%d %d", "'ab", ""}, "97 0", "warning: b: character(s) following character constant have been ignored\n", true},
	{[]string{"%d", "99999999999999999999"}, "9223372036854775807", "‘99999999999999999999’: Numerical result out of range\n", false},
	{[]string{"%q %q %b", "a b", "it's", `a\tb`}, `'a b' "it's" a` + "\tb", "", true},
	{[]string{"%q|%s|"}, "||", "", true},
	{[]string{"a%5b", "x"}, "a", "%5b: invalid conversion specification\n", false},
	{[]string{"%n"}, "", "%n: invalid conversion specification\n", false},
	{[]string{"%05s", "x"}, "", "%05s: invalid conversion specification\n", false},
	{[]string{"%.1c", "x"}, "", "%.1c: invalid conversion specification\n", false},
	{[]string{"%#d", "1"}, "", "%#d: invalid conversion specification\n", false},
	{[]string{"%'x", "1"}, "", "%'x: invalid conversion specification\n", false},
	{[]string{"%"}, "", "%: invalid conversion specification\n", false},
	{[]string{`x\cy`, "z"}, "x", "", true},
	{[]string{`\x`}, "", "missing hexadecimal number in escape\n", false},
	{[]string{"%b", `\ud800`}, "", `invalid universal character name \ud800` + "\n", false},
	{[]string{"%*d", "99999999999", "1"}, "", "invalid field width: ‘99999999999’\n", false},
	{[]string{"%.*d|", "-99999999999", "1"}, "1|", "", true},
	{[]string{"%.*d|", "99999999999", "1"}, "", "invalid precision: ‘99999999999’\n", false},
}

func TestAppend(t *testing.T) {
	for _, kind := range []struct {
		gnu   bool
		calls []call
		argv  []string
		name  string // before each line of stderr
	}{
		{false, builtin, []string{"bash", "-c", `printf -- "$@"`, "bash"}, "bash: line 1: printf: "},
		{true, program, []string{"/usr/bin/printf", "--"}, "/usr/bin/printf: "},
	} {
		for _, c := range kind.calls {
			var lines strings.Builder
			p := &Printer{
				GNU:  kind.gnu,
				Warn: func(line string) { lines.WriteString(line + "\n") },
				Time: func(n int64) time.Time { return time.Unix(n, 0).UTC() },
			}
			out, ok, err := p.Append([]byte("x"), c.args[0], c.args[1:])
			require.NoError(t, err)
			require.Equal(t, c, call{c.args, string(out[1:]), lines.String(), ok})
			if os.Getenv("CONFIRM") != "" {
				cmd := exec.Command(kind.argv[0], append(kind.argv[1:], c.args...)...)
				cmd.Env = []string{"LC_ALL=C.UTF-8", "TZ=UTC0"}
				var stderr strings.Builder
				cmd.Stderr = &stderr
				out, err := cmd.Output()
				require.Equal(t, c, call{c.args, string(out), strings.ReplaceAll(stderr.String(), kind.name, ""), err == nil})
			}
		}
	}
}

func TestAssign(t *testing.T) {
	set := map[string]int{}
	p := &Printer{Assign: func(name string, n int) bool { set[name] = n; return name != "1x" }}
	out, ok, err := p.Append([]byte("..."), "ab%n%s%n", []string{"x", "é", "y"})
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "...abé", string(out))
	require.Equal(t, map[string]int{"x": 2, "y": 4}, set)
	out, ok, err = p.Append(nil, "a%nb", []string{"1x"})
	require.NoError(t, err)
	require.False(t, ok)
	require.Equal(t, "a", string(out))
}

// TestGrow has all memory asked for before it is used.
func TestGrow(t *testing.T) {
	refused := errors.New("refused")
	for _, args := range [][]string{
		{"%1000000d", "1"}, {"%.1000000d", "1"}, {"%1000000s", "x"}, {"%.1000000f", "1"}, {"%#.1000000g", "1"}, {"%.1000000e", "1"}, {"%.1000000a", "1"},
		{"%1000000b", "x"}, {"%1000000c", "x"}, {"%1000000q", "x"}, {"%1000000(%d)T", "0"}, {"%*d", "1000000", "1"},
		{"%s", strings.Repeat("x", 1<<20)}, {strings.Repeat("x", 1<<20)},
	} {
		held := 0
		p := &Printer{
			Grow: func(n int) error {
				if held += n; held > 1<<19 {
					return refused
				}
				return nil
			},
			Time: func(n int64) time.Time { return time.Unix(n, 0) },
		}
		out, _, err := p.Append(nil, args[0], args[1:])
		require.ErrorIs(t, err, refused, args[0])
		require.LessOrEqual(t, cap(out), 1<<19)
	}
}

func TestReal(t *testing.T) {
	d := &Directive{Precision: -1, Verb: 'g'}
	for _, tt := range []struct {
		x    Real
		want string
	}{{Int(-5), "-5"}, {Float(0.1), "0.1"}, {Float(math.Inf(-1)), "-inf"}, {Float(math.NaN()), "nan"}, {Float(math.Copysign(0, -1)), "-0"}, {Real{}, "0"}} {
		require.Equal(t, tt.want, string(d.AppendReal(nil, tt.x)))
	}
	start := time.Now()
	x, n, outOfRange := ParseReal("0." + strings.Repeat("1", 1<<20) + "e999999999")
	require.Equal(t, 1<<20+2+len("e999999999"), n)
	require.True(t, outOfRange)
	require.Equal(t, "inf", string(d.AppendReal(nil, x)))
	x, _, outOfRange = ParseReal(strings.Repeat("1", 1<<20) + "e-1048576")
	require.False(t, outOfRange)
	require.Equal(t, "0.111111", string(d.AppendReal(nil, x)))
	require.Less(t, time.Since(start), 10*time.Second)
}

func BenchmarkBuiltin(b *testing.B) {
	p := &Printer{}
	var out []byte
	for b.Loop() {
		out, _, _ = p.Append(out[:0], `%s: %5d %x\n`, []string{"name", "42", "255"})
	}
}

func BenchmarkFloat(b *testing.B) {
	p := &Printer{}
	var out []byte
	for b.Loop() {
		out, _, _ = p.Append(out[:0], "%.2f", []string{"3.14159"})
	}
}
