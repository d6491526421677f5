package git

import (
	"slices"
	"strconv"
	"strings"
)

// sortRefs sorts references by fields; a field with "-" before it sorts the other
// way.
func (g *git) sortRefs(list []ref, keys []string) error {
	for _, key := range keys {
		field, reverse := strings.CutPrefix(key, "-")
		version := false
		if rest, ok := strings.CutPrefix(field, "version:"); ok {
			field, version = rest, true
		}
		if rest, ok := strings.CutPrefix(field, "v:"); ok {
			field, version = rest, true
		}
		values := map[string]string{}
		for _, r := range list {
			name := field
			if strings.HasSuffix(field, "date") {
				name += ":unix"
			}
			text, err := g.refField(name, r)
			if err != nil {
				return err
			}
			values[r.name] = text
		}
		numeric := strings.HasSuffix(field, "date") || field == "objectsize"
		slices.SortStableFunc(list, func(a, b ref) int {
			x, y := values[a.name], values[b.name]
			order := strings.Compare(x, y)
			if numeric {
				m, _ := strconv.ParseInt(x, 10, 64)
				n, _ := strconv.ParseInt(y, 10, 64)
				order = int(min(max(m-n, -1), 1))
			}
			if version {
				order = compareVersions(x, y)
			}
			if reverse {
				return -order
			}
			return order
		})
	}
	return nil
}

// compareVersions compares texts in which numbers are compared by value.
func compareVersions(a, b string) int {
	for a != "" && b != "" {
		if isDigit(a[0]) && isDigit(b[0]) {
			i, j := 0, 0
			for i < len(a) && isDigit(a[i]) {
				i++
			}
			for j < len(b) && isDigit(b[j]) {
				j++
			}
			x, y := strings.TrimLeft(a[:i], "0"), strings.TrimLeft(b[:j], "0")
			if len(x) != len(y) {
				return len(x) - len(y)
			}
			if order := strings.Compare(x, y); order != 0 {
				return order
			}
			a, b = a[i:], b[j:]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
