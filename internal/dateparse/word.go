package dateparse

import "strings"

// calendar has the names of months and days; three letters of one, with or
// without a period, stand for it.
var calendar = []struct {
	name string
	kind kind
	n    int64
}{
	{"JANUARY", month, 1}, {"FEBRUARY", month, 2}, {"MARCH", month, 3}, {"APRIL", month, 4},
	{"MAY", month, 5}, {"JUNE", month, 6}, {"JULY", month, 7}, {"AUGUST", month, 8},
	{"SEPTEMBER", month, 9}, {"SEPT", month, 9}, {"OCTOBER", month, 10}, {"NOVEMBER", month, 11},
	{"DECEMBER", month, 12},
	{"SUNDAY", weekday, 0}, {"MONDAY", weekday, 1}, {"TUESDAY", weekday, 2}, {"TUES", weekday, 2},
	{"WEDNESDAY", weekday, 3}, {"WEDNES", weekday, 3}, {"THURSDAY", weekday, 4}, {"THUR", weekday, 4},
	{"THURS", weekday, 4}, {"FRIDAY", weekday, 5}, {"SATURDAY", weekday, 6},
}

// words has the words that are never abbreviated.
var words = map[string]token{
	"AM": {kind: meridian, value: 0}, "A.M.": {kind: meridian, value: 0},
	"PM": {kind: meridian, value: 12}, "P.M.": {kind: meridian, value: 12},
	"DST":   {kind: dst},
	"TODAY": {kind: shift}, "NOW": {kind: shift},
	"TOMORROW": {kind: shift, value: 1}, "YESTERDAY": {kind: shift, value: -1},
	"AGO": {kind: ago, value: -1}, "HENCE": {kind: ago, value: 1},
	"LAST": {kind: ordinal, value: -1}, "THIS": {kind: ordinal, value: 0}, "NEXT": {kind: ordinal, value: 1},
	"FIRST": {kind: ordinal, value: 1}, "THIRD": {kind: ordinal, value: 3}, "FOURTH": {kind: ordinal, value: 4},
	"FIFTH": {kind: ordinal, value: 5}, "SIXTH": {kind: ordinal, value: 6}, "SEVENTH": {kind: ordinal, value: 7},
	"EIGHTH": {kind: ordinal, value: 8}, "NINTH": {kind: ordinal, value: 9}, "TENTH": {kind: ordinal, value: 10},
	"ELEVENTH": {kind: ordinal, value: 11}, "TWELFTH": {kind: ordinal, value: 12},
}

// units has the units of time; each may end in S.
var units = map[string]token{
	"YEAR": {kind: unit, unit: 'y', value: 1}, "MONTH": {kind: unit, unit: 'M', value: 1},
	"FORTNIGHT": {kind: unit, unit: 'd', value: 14}, "WEEK": {kind: unit, unit: 'd', value: 7},
	"DAY": {kind: unit, unit: 'd', value: 1}, "HOUR": {kind: unit, unit: 'h', value: 1},
	"MINUTE": {kind: unit, unit: 'm', value: 1}, "MIN": {kind: unit, unit: 'm', value: 1},
	"SECOND": {kind: unit, unit: 's', value: 1}, "SEC": {kind: unit, unit: 's', value: 1},
}

// zones has the zones that go by name, in minutes east of UTC; a plus marks
// those of daylight saving time, whose standard time is given.
var zones = map[string]int64{
	"WET": 0, "WEST+": 0, "BST+": 0, "ART": -180, "BRT": -180, "BRST+": -180, "NST": -210, "NDT+": -210,
	"AST": -240, "ADT+": -240, "CLT": -240, "CLST+": -240, "EST": -300, "EDT+": -300, "CST": -360,
	"CDT+": -360, "MST": -420, "MDT+": -420, "PST": -480, "PDT+": -480, "AKST": -540, "AKDT+": -540,
	"HST": -600, "HAST": -600, "HADT+": -600, "SST": -720, "WAT": 60, "CET": 60, "CEST+": 60, "MET": 60,
	"MEZ": 60, "MEST+": 60, "MESZ+": 60, "EET": 120, "EEST+": 120, "CAT": 120, "SAST": 120, "EAT": 180,
	"MSK": 180, "MSD+": 180, "IST": 330, "SGT": 480, "KST": 540, "JST": 540, "GST": 600, "NZST": 720,
	"NZDT+": 720,
}

// military has the letters of the zones from one hour east on, and from one
// hour west on. J is not used, Z is UTC.
const (
	eastern = "ABCDEFGHIKLM"
	western = "NOPQRSTUVWXY"
)

func (l *lexer) lookup(word string) token {
	if t := words[word]; t.kind == meridian {
		return t
	}
	abbreviated := len(word) == 3 || len(word) == 4 && word[3] == '.'
	for _, row := range calendar {
		if row.name == word || abbreviated && row.name[:3] == word[:3] {
			return token{kind: row.kind, value: row.n}
		}
	}
	if t, ok := l.zone(word); ok {
		return t
	}
	if t, ok := units[word]; ok {
		return t
	}
	if t, ok := units[strings.TrimSuffix(word, "S")]; ok {
		return t
	}
	if t, ok := words[word]; ok {
		return t
	}
	if len(word) == 1 {
		return militaryZone(word)
	}
	if t, ok := l.zone(strings.ReplaceAll(word, ".", "")); ok {
		return t
	}
	return token{kind: unknown}
}

func (l *lexer) zone(word string) (token, bool) {
	switch word {
	case "GMT", "UT", "UTC":
		return token{kind: zoneName}, true
	}
	if isDST, ok := l.local[word]; ok {
		return token{kind: zoneLocal, value: isDST}, true
	}
	if minutes, ok := zones[word]; ok {
		return token{kind: zoneName, value: minutes * 60}, true
	}
	minutes, ok := zones[word+"+"]
	return token{kind: zoneDST, value: minutes*60 + 3600}, ok
}

func militaryZone(word string) token {
	switch i, j := strings.Index(eastern, word), strings.Index(western, word); {
	case word == "T":
		return token{kind: tee, value: -7 * 3600}
	case word == "Z":
		return token{kind: zoneName}
	case i >= 0:
		return token{kind: zoneName, value: int64(i+1) * 3600}
	case j >= 0:
		return token{kind: zoneName, value: int64(-j-1) * 3600}
	}
	return token{kind: unknown}
}
