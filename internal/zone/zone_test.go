package zone_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/internal/zone"
)

// The expectations are what date(1) prints under the same TZ.
func TestLoad(t *testing.T) {
	winter := time.Date(2023, 1, 15, 12, 0, 0, 0, time.UTC)
	summer := time.Date(2023, 7, 15, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct{ tz, winter, summer string }{
		{"", "12:00 +0000 UTC", "12:00 +0000 UTC"},
		{":UTC", "12:00 +0000 UTC", "12:00 +0000 UTC"},
		{"America/New_York", "07:00 -0500 EST", "08:00 -0400 EDT"},
		{"Asia/Kolkata", "17:30 +0530 IST", "17:30 +0530 IST"},
		{"/usr/share/zoneinfo/Asia/Tokyo", "21:00 +0900 JST", "21:00 +0900 JST"},
		{"EST5EDT,M3.2.0,M11.1.0", "07:00 -0500 EST", "08:00 -0400 EDT"},
		{"CET-1CEST,M3.5.0,M10.5.0/3", "13:00 +0100 CET", "14:00 +0200 CEST"},
		{"AEST-10AEDT,M10.1.0,M4.1.0/3", "23:00 +1100 AEDT", "22:00 +1000 AEST"},
		{"ABC5:30DEF", "06:30 -0530 ABC", "07:30 -0430 DEF"},
		{"<+05>-5", "17:00 +0500 +05", "17:00 +0500 +05"},
		{"UTC+3", "09:00 -0300 UTC", "09:00 -0300 UTC"},
		{"ABC-25", "12:00 +2400 ABC", "12:00 +2400 ABC"},
		{"Foo/Bar", "12:00 +0000 Foo", "12:00 +0000 Foo"},
		{"x5", "12:00 +0000 ", "12:00 +0000 "},
	} {
		loc := zone.Load(test.tz)
		for _, p := range []struct {
			at   time.Time
			want string
		}{{winter, test.winter}, {summer, test.summer}} {
			at := p.at.In(loc)
			name, _ := at.Zone()
			require.Equal(t, p.want, at.Format("15:04 -0700 ")+name, "TZ=%s", test.tz)
		}
	}
}
