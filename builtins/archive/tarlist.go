package archive

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// humanBytes returns a number of bytes as tar's totals have it: rounded up, in
// units of 1024.
func humanBytes(n float64) string {
	const units = "KMGTPE"
	unit := -1
	for n >= 1024 && unit+1 < len(units) {
		n /= 1024
		unit++
	}
	switch {
	case unit < 0:
		return fmt.Sprintf("%.0fB", math.Ceil(n))
	case n < 10 && n != math.Trunc(n):
		return fmt.Sprintf("%.1f%ciB", math.Ceil(n*10)/10, units[unit])
	}
	return fmt.Sprintf("%.0f%ciB", math.Ceil(n), units[unit])
}

func sortedNames(m map[string]string) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// unquoted returns a line of -T with its escapes resolved.
func (j *tarJob) unquoted(line string) string {
	if !j.names.quoted || !strings.Contains(line, `\`) {
		return line
	}
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		if line[i] != '\\' || i+1 == len(line) {
			b.WriteByte(line[i])
			continue
		}
		i++
		const letters, values = `abfnrtv?\`, "\a\b\f\n\r\t\v\x7f\\"
		if k := strings.IndexByte(letters, line[i]); k >= 0 {
			b.WriteByte(values[k])
			continue
		}
		end := i
		for end < len(line) && end < i+3 && line[end] >= '0' && line[end] <= '7' {
			end++
		}
		n, err := strconv.ParseUint(line[i:end], 8, 16)
		if err != nil {
			b.WriteString(line[i-1 : i+1])
			continue
		}
		b.WriteByte(byte(n))
		i = end - 1
	}
	return b.String()
}
