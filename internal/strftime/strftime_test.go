package strftime

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A zone is a time zone as TZ has it and as Go has it.
type zone struct {
	tz, name string
	offset   int
}

var (
	utc      = zone{"UTC0", "UTC", 0}
	india    = zone{"<+0530>-5:30:15", "+0530", 5*3600 + 1815}
	newYork  = zone{"<-05>5:00", "-05", -5 * 3600}
	negative = zone{"<-0000>0", "-0000", 0}
)

// tests has what date shows, and what strftime of the C library does, which
// bash's printf calls. The latter is "" where nobody can see it.
var tests = []struct {
	zone         zone
	unix         int64
	format       string
	date, printf string
}{
	{utc, 981173106, "%a|%A|%b|%B|%h|%p|%P|%Z|%%|%n|%t|", "Sat|Saturday|Feb|February|Feb|AM|am|UTC|%|\n|\t|", "Sat|Saturday|Feb|February|Feb|AM|am|UTC|%|\n|\t|"},
	{utc, 981173106, "%c|%D|%F|%r|%R|%T|%x|%X", "Sat Feb  3 04:05:06 2001|02/03/01|2001-02-03|04:05:06 AM|04:05|04:05:06|02/03/01|04:05:06", "Sat Feb  3 04:05:06 2001|02/03/01|2001-02-03|04:05:06 AM|04:05|04:05:06|02/03/01|04:05:06"},
	{utc, 981173106, "%C|%d|%e|%g|%G|%H|%I|%j|%k|%l|%m|%M|%s|%S|%u|%U|%V|%w|%W|%y|%Y", "20|03| 3|01|2001|04|04|034| 4| 4|02|05|981173106|06|6|04|05|6|05|01|2001", "20|03| 3|01|2001|04|04|034| 4| 4|02|05|981173106|06|6|04|05|6|05|01|2001"},
	{utc, 1230768000, "%G-W%V-%u|%U|%W|%g|%j|%q", "2009-W01-4|00|00|09|001|1", "2009-W01-4|00|00|09|001|%q"},
	{utc, 981173106, "%^a|%#a|%#p|%^P|%#Z|%^c|%#c", "SAT|SAT|am|am|utc|SAT FEB  3 04:05:06 2001|Sat Feb  3 04:05:06 2001", "SAT|SAT|am|am|utc|SAT FEB  3 04:05:06 2001|Sat Feb  3 04:05:06 2001"},
	{utc, 981173106, "%10a|%010a|%-10a|%5d|%_5d|%-5d|%-d|%_d|%0e|%-e|%5j", "       Sat|0000000Sat|Sat|00003|    3|3|3| 3|03|3|00034", "       Sat|0000000Sat|       Sat|00003|    3|    3|3| 3|03|3|00034"},
	{utc, 981173106, "%20D|%020T|%_10F|%12F|%5n|%12s|%_C", "            02/03/01|00000000000004:05:06|2001-02-03|002001-02-03|    \n|000981173106|20", "            02/03/01|00000000000004:05:06|2001-02-03|  2001-02-03|    \n|   981173106|20"},
	{utc, 981173106, "%EY|%Od|%Ex|%Ed|%OY|%5Ed|%E", "2001|03|02/03/01|%Ed|%OY| %5Ed|%E", "2001|03|02/03/01|%Ed|%OY| %5Ed|%E"},
	{utc, 981173106, "%Q|%5i|%5%|%|a%", "%Q|  %5i|   %5%|%|a%", "%Q|  %5i|    %|%|a%"},
	{utc, 981173106, "%+5Y|%+Y|%+6Y|%+F|%+C", "+2001|2001|+02001|2001-02-03|20", "%+5Y|%+Y|%+6Y|%+F|%+C"},
	{utc, 253402300800, "%Y|%F|%C|%+Y|%y|%D", "10000|+10000-01-01|100|+10000|00|01/01/00", "10000|10000-01-01|100|%+Y|00|01/01/00"},
	{utc, -59040144000, "%Y|%F|%-Y|%_Y|%C|%c", "0099|0099-02-03|99|  99|00|Tue Feb  3 00:00:00 99", "99|99-02-03|99|99|0|Tue Feb  3 00:00:00 99"},
	{utc, -62167219300, "%Y|%C|%y|%F|%x", "-001|-0|01|-001-12-31|12/31/99", "-1|-1|99|-1-12-31|12/31/99"},
	{india, 0, "%z|%:z|%::z|%:::z|%-z|%_z|%10z|%_10:z", "+0530|+05:30|+05:30:15|+05:30:15|+530| +530|+000000530|     +5:30", "+0530|%:z|%::z|%:::z|+530|+ 530|         +0000000530|     %_10:z"},
	{newYork, 0, "%z|%:::z|%:a|%:|%Z", "-0500|-05|%:a|%:|-05", "-0500|%:::z|%:a|%:|-05"},
	{negative, 0, "%z|%:z", "-0000|-00:00", "+0000|%:z"},
}

func TestAppend(t *testing.T) {
	for _, tt := range tests {
		at := time.Unix(tt.unix, 0).In(time.FixedZone(tt.zone.name, tt.zone.offset))
		for _, f := range []struct {
			format Format
			want   string
			script string
		}{
			{Format{Date: true}, tt.date, `date -d "@$1" "+$2"`},
			{Format{}, tt.printf, `printf "%($2)T\n" "$1"`},
		} {
			got, err := f.format.Append(nil, tt.format, at)
			require.NoError(t, err)
			require.Equal(t, f.want, string(got), "%v %s", f.format.Date, tt.format)
			if os.Getenv("CONFIRM") != "" {
				cmd := exec.Command("bash", "-c", f.script, "bash", strconv.FormatInt(tt.unix, 10), tt.format)
				cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin", "TZ=" + tt.zone.tz}
				out, err := cmd.Output()
				require.NoError(t, err)
				require.Equal(t, f.want+"\n", string(out), f.script)
			}
		}
	}
}

func TestNanoseconds(t *testing.T) {
	at := time.Unix(0, 1203000)
	got, err := Format{Date: true}.Append([]byte("x"), "%N|%3N|%-N|%_N|%-12N|%12N|%1N", at)
	require.NoError(t, err)
	require.Equal(t, "x001203000|001|001203000|001203   |001203|001203000000|0", string(got))
}

func TestGrow(t *testing.T) {
	stop := errors.New("stop")
	asked := 0
	f := Format{Date: true, Grow: func(n int) error { asked += n; return stop }}
	for _, format := range []string{"%999999999999d", "%2000000000F", "%1000000a", "%1000000N", "%1000000n"} {
		_, err := f.Append(nil, format, time.Unix(0, 0))
		require.ErrorIs(t, err, stop, format)
	}
	require.Greater(t, asked, 1<<31)
}
