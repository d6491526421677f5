package system

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// parseDuration reads a number of seconds as strtod does, with the suffix s, m,
// h or d that sleep and timeout allow. What is too long is the longest there
// is.
func parseDuration(text string) (time.Duration, bool) {
	number, unit := text, 1.0
	if n := len(text); n > 0 && !isHex(text) {
		if i := strings.IndexByte("smhd", text[n-1]); i >= 0 {
			number, unit = text[:n-1], []float64{1, 60, 3600, 86400}[i]
		}
	}
	seconds, ok := parseFloat(number)
	if !ok || !(seconds >= 0) {
		return 0, false
	}
	if seconds *= unit * 1e9; seconds >= math.MaxInt64 {
		return math.MaxInt64, true
	}
	return time.Duration(math.Ceil(seconds)), true
}

// isHex reports whether text is hexadecimal, where d is a digit.
func isHex(text string) bool {
	text = strings.ToLower(strings.TrimLeft(text, " \t\n\v\f\r+-"))
	return strings.HasPrefix(text, "0x") && !strings.HasSuffix(text, "s") && !strings.HasSuffix(text, "m") &&
		!strings.HasSuffix(text, "h")
}

// parseFloat reads a number as strtod does.
func parseFloat(text string) (float64, bool) {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	if strings.ContainsAny(text, "_") {
		return 0, false
	}
	lower := strings.ToLower(text)
	if strings.Contains(lower, "0x") && !strings.Contains(lower, "p") {
		text += "p0"
	}
	x, err := strconv.ParseFloat(text, 64)
	if ne, ok := err.(*strconv.NumError); ok && ne.Err == strconv.ErrRange {
		return x, true
	}
	return x, err == nil
}
