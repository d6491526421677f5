package dateparse_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/internal/dateparse"
	"github.com/limpet-sh/limpet/internal/zone"
)

const invalid = ""

// The expectations are what date(1) printed at the time that now is.
func TestParse(t *testing.T) {
	now := time.Date(2026, 11, 29, 13, 50, 29, 0, time.UTC)
	for tz, table := range map[string][][2]string{
		"UTC": {
			{"", "2026-11-29 00:00:00 +0000"},
			{"now + 3 hours", "2026-11-29 16:50:29 +0000"},
			{"- 3 days", "2026-11-26 13:50:29 +0000"},
			{"(a (nested) comment) yesterday 10:00", "2026-11-28 10:00:00 +0000"},
			{"fri", "2026-12-04 00:00:00 +0000"},
			{"last sunday", "2026-11-22 00:00:00 +0000"},
			{"sunday", "2026-11-29 00:00:00 +0000"},
			{"next sunday", "2026-12-06 00:00:00 +0000"},
			{"sat next week", "2026-12-12 00:00:00 +0000"},
			{"monday, 5pm", "2026-11-30 17:00:00 +0000"},
			{"1 week ago 10am", "2026-11-22 10:00:00 +0000"},
			{"eleventh month", "2027-10-29 13:50:29 +0000"},
			{"1 fortnight", "2026-12-13 13:50:29 +0000"},
			{"@-1.5", "1969-12-31 23:59:58.5 +0000"},
			{"@1e3", invalid},
			{"2024-01-15T10:30Z", "2024-01-15 10:30:00 +0000"},
			{"2024-01-15t10:30:15,5", "2024-01-15 10:30:15.5 +0000"},
			{"2024-01-15T10", invalid},
			{"2024-01-15 10:30:15.123456789+05:30", "2024-01-15 05:00:15.123456789 +0000"},
			{"2024-01-15 10:00:00 +2 days", "2024-01-16 08:00:00 +0000"},
			{"2024-01-15 +2 days", "2024-01-17 00:00:00 +0000"},
			{"20240115 1030", "2024-01-15 10:30:00 +0000"},
			{"20240115T103000", invalid},
			{"1/2/99", "1999-01-02 00:00:00 +0000"},
			{"2023/12/25", "2023-12-25 00:00:00 +0000"},
			{"17-JUN-1992", "1992-06-17 00:00:00 +0000"},
			{"Jan-5-2023", "2023-01-05 00:00:00 +0000"},
			{"Jan 5, 2023 12am", "2023-01-05 00:00:00 +0000"},
			{"Mon Jan 15 10:30:00 EST 2024", "2024-01-15 15:30:00 +0000"},
			{"Mon, 15 Jan 2024 10:30:00 +0000", "2024-01-15 10:30:00 +0000"},
			{"5pm est dst", "2026-11-29 21:00:00 +0000"},
			{"10:00 T", "2026-11-29 17:00:00 +0000"},
			{"2023-01-31 +1 month", "2023-03-03 00:00:00 +0000"},
			{"2024-02-29 1 year ago", "2023-03-01 00:00:00 +0000"},
			{"2024-01-01 1.5 sec ago", "2023-12-31 23:59:58.5 +0000"},
			{"2024-01-01 1.5 hours", invalid},
			{`TZ="America/New_York" 2024-07-01 12:00`, "2024-07-01 16:00:00 +0000"},
			{`TZ="unclosed 12:00`, invalid},
			{"2023-02-29", invalid},
			{"24:00", invalid},
			{"13pm", invalid},
			{"noon", invalid},
			{"5 Jan 10:30", invalid},
			{"monday tuesday", invalid},
			{"99999999999999999999", invalid},
			{"2024-01-01 10000000000 days", invalid},
		},
		"America/New_York": {
			{"2023-03-12 02:30", invalid},
			{"2023-03-12 02:30 UTC", "2023-03-11 21:30:00 -0500"},
			{"2023-03-11 02:30 1 day", "2023-03-12 03:30:00 -0400"},
			{"2023-11-05 01:30", "2023-11-05 01:30:00 -0400"},
			{"2023-11-05 01:30 EST", "2023-11-05 01:30:00 -0500"},
			{"2023-07-15 12:00 EST", invalid},
			{"6 months ago", "2026-05-29 09:50:29 -0400"},
			{"2024-01-01 12:00 UTC +3 hours", "2024-01-01 10:00:00 -0500"},
		},
		"Europe/Berlin": {
			{"2023-10-29 02:30", "2023-10-29 02:30:00 +0100"},
			{"2023-03-26 02:30", invalid},
		},
	} {
		for _, row := range table {
			got, ok := dateparse.Parse(row[0], now.In(zone.Load(tz)))
			require.Equal(t, row[1] != invalid, ok, "%s under TZ=%s", row[0], tz)
			if ok {
				require.Equal(t, row[1], got.Format("2006-01-02 15:04:05.999999999 -0700"), "%s under TZ=%s", row[0], tz)
			}
		}
	}
}

// FuzzParse looks for texts that make the parser hang or panic.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"2024-01-15T10:30:00.5+01:00", `TZ="UTC" 3 fridays ago`, "((", "1 2 3 4", "@1", "-+-1,5.5 sec ago"} {
		f.Add(s)
	}
	now := time.Date(2026, 11, 29, 13, 50, 29, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		if got, ok := dateparse.Parse(s, now); ok {
			require.Equal(t, time.UTC, got.Location())
		}
	})
}
