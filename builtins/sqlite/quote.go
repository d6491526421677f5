package sqlite

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strings"
)

// quoteSQL returns text as a literal of SQL.
func quoteSQL(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// quoteBlob returns a blob as a literal of SQL, of which prefix is the X.
func quoteBlob(blob []byte, prefix string) string {
	return prefix + "'" + hex.EncodeToString(blob) + "'"
}

// quoteOneLine is quoteSQL, with newlines and carriage returns put into the
// string by SQL's function replace.
func quoteOneLine(text string) string {
	quoted := quoteSQL(text)
	newline, carriage := strings.Contains(text, "\n"), strings.Contains(text, "\r")
	if newline {
		mark := unused(text, `\n`, `\012`)
		quoted = "replace(" + strings.ReplaceAll(quoted, "\n", mark) + ",'" + mark + "',char(10))"
	}
	if carriage {
		mark := unused(text, `\r`, `\015`)
		quoted = "replace(" + strings.ReplaceAll(quoted, "\r", mark) + ",'" + mark + "',char(13))"
	}
	return quoted
}

// unused returns a mark that text does not have: a or b, or else b between
// parentheses with a number.
func unused(text, a, b string) string {
	for _, mark := range []string{a, b} {
		if !strings.Contains(text, mark) {
			return mark
		}
	}
	for i := 0; ; i++ {
		if mark := fmt.Sprintf("(%s%d)", a, i); !strings.Contains(text, mark) {
			return mark
		}
	}
}

// quoteName returns a name as SQL has it: between double quotes where it is not
// a plain word.
func quoteName(name string) string {
	if isPlainName(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// isPlainName reports whether a name is a word and not a keyword.
func isPlainName(name string) bool {
	if name == "" || '0' <= name[0] && name[0] <= '9' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; c != '_' && !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			return false
		}
	}
	return !strings.Contains(keywords, " "+strings.ToUpper(name)+" ")
}

// keywords are those of SQLite's grammar.
const keywords = " ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE BEGIN BETWEEN BY CASCADE CASE CAST " +
	"CHECK COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFAULT " +
	"DEFERRABLE DEFERRED DELETE DESC DETACH DISTINCT DO DROP EACH ELSE END ESCAPE EXCEPT EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL FILTER FIRST " +
	"FOLLOWING FOR FOREIGN FROM FULL GENERATED GLOB GROUP GROUPS HAVING IF IGNORE IMMEDIATE IN INDEX INDEXED INITIALLY INNER INSERT INSTEAD " +
	"INTERSECT INTO IS ISNULL JOIN KEY LAST LEFT LIKE LIMIT MATCH MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL NULLS OF OFFSET ON OR " +
	"ORDER OTHERS OUTER OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY RAISE RANGE RECURSIVE REFERENCES REGEXP REINDEX RELEASE RENAME " +
	"REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS SAVEPOINT SELECT SET TABLE TEMP TEMPORARY THEN TIES TO TRANSACTION TRIGGER UNBOUNDED " +
	"UNION UNIQUE UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH WITHOUT "

// quoteCSV returns text as a field of CSV.
func (s *shell) quoteCSV(text string) string {
	quote := text == "" || s.columnSep != "" && strings.Contains(text, s.columnSep)
	for i := 0; i < len(text) && !quote; i++ {
		c := text[i]
		quote = c <= ' ' || c == '"' || c == '\'' || c >= 0x7f
	}
	if !quote {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}

// quoteC returns text as a string of C.
func quoteC(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\\' || c == '"':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

// quoteJSON returns text as a string of JSON.
func quoteJSON(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		c := text[i]
		if at := strings.IndexByte("\b\f\n\r\t\"\\", c); at >= 0 {
			b.WriteByte('\\')
			b.WriteByte(`bfnrt"\`[at])
		} else if c < ' ' {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

// extended returns x with the precision of an 80-bit floating-point number, in
// which the original formats.
func extended(x float64) *big.Float { return new(big.Float).SetPrec(64).SetFloat64(x) }

// formatReal returns a number with up to twenty digits, as SQLite 3.40 prints it
// with the format %!.20g on processors that have 80-bit arithmetic: the last
// digits are those of that arithmetic.
func formatReal(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Inf"
	case math.IsInf(x, -1):
		return "-Inf"
	case x == 0:
		return "0.0"
	}
	sign := ""
	if x < 0 {
		sign, x = "-", -x
	}
	value, exponent := normalize(x)
	precision := 19
	round := 0.5e-9
	round *= 1.0e-10
	value.Add(value, extended(round))
	if value.Cmp(extended(10)) >= 0 {
		value.Mul(value, extended(0.1))
		exponent++
	}
	scientific := exponent < -4 || exponent > precision
	whole := exponent
	if scientific {
		whole = 0
	} else {
		precision -= exponent
	}
	var b strings.Builder
	digits := 26
	if whole < 0 {
		b.WriteByte('0')
	}
	for i := whole; i >= 0; i-- {
		b.WriteByte(digit(value, &digits))
	}
	b.WriteByte('.')
	for i := whole + 1; i < 0; i++ {
		b.WriteByte('0')
		precision--
	}
	for ; precision > 0; precision-- {
		b.WriteByte(digit(value, &digits))
	}
	text := strings.TrimRight(b.String(), "0")
	if strings.HasSuffix(text, ".") {
		text += "0"
	}
	if scientific {
		text += fmt.Sprintf("e%+03d", exponent)
	}
	return sign + text
}

// normalize returns x as a number from 1 up to 10, and the power of ten that it
// was divided by.
func normalize(x float64) (value *big.Float, exponent int) {
	value, scale := extended(x), extended(1)
	product := extended(0)
	for _, power := range []struct {
		factor float64
		digits int
	}{{1e100, 100}, {1e10, 10}, {10, 1}} {
		factor := extended(power.factor)
		for value.Cmp(product.Mul(factor, scale)) >= 0 && exponent <= 350 {
			scale.Mul(scale, factor)
			exponent += power.digits
		}
	}
	value.Quo(value, scale)
	for value.Cmp(extended(1e-8)) < 0 {
		value.Mul(value, extended(1e8))
		exponent -= 8
	}
	for value.Cmp(extended(1)) < 0 {
		value.Mul(value, extended(10))
		exponent--
	}
	return value, exponent
}

// digit takes the first digit from value, of which there are so many.
func digit(value *big.Float, digits *int) byte {
	if *digits <= 0 {
		return '0'
	}
	*digits--
	d, _ := value.Int64()
	value.Sub(value, extended(float64(d)))
	value.Mul(value, extended(10))
	return '0' + byte(d)
}
