package network

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/limits"
)

// A globbed URL is one of those that a pattern stands for, and what its parts
// stand for there.
type globbed struct {
	url   string
	parts []string
}

// name puts the parts in the place of #1, #2 and so on in the name of a file.
func (g globbed) name(pattern string, off bool) string {
	if off || !strings.Contains(pattern, "#") {
		return pattern
	}
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		end := i + 1
		for end < len(pattern) && pattern[end] >= '0' && pattern[end] <= '9' {
			end++
		}
		n, err := strconv.Atoi(pattern[i+1 : end])
		if pattern[i] == '#' && err == nil && n > 0 && n <= len(g.parts) {
			b.WriteString(g.parts[n-1])
			i = end - 1
			continue
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// maxURLs bounds what one pattern stands for.
const maxURLs = 100000

// expandGlob returns the URLs that a pattern with {a,b} and [1-9] stands for.
func expandGlob(cu *curl, pattern string) ([]globbed, error) {
	list := []globbed{{}}
	add := func(texts []string, part bool) error {
		if len(list)*len(texts) > maxURLs {
			return curlErrorf(3, "range overflow in URL")
		}
		var next []globbed
		for _, g := range list {
			for _, t := range texts {
				if err := cu.Meter.Charge(limits.Steps, 1); err != nil {
					return err
				}
				n := globbed{url: g.url + t, parts: g.parts}
				if part {
					n.parts = append(g.parts[:len(g.parts):len(g.parts)], t)
				}
				next = append(next, n)
			}
		}
		list = next
		return nil
	}
	for i := 0; i < len(pattern); {
		var texts []string
		var err error
		end, part := i+1, false
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern) && strings.IndexByte("{}[]", pattern[i+1]) >= 0:
			texts, end = []string{pattern[i+1 : i+2]}, i+2
		case c == '{':
			texts, end, err = globSet(pattern, i)
			part = true
		case c == '[' && !isAddress(pattern[i:]):
			texts, end, err = globRange(pattern, i)
			part = true
		case c == '[':
			end = i + strings.IndexByte(pattern[i:], ']') + 1
			texts = []string{pattern[i:end]}
		case c == '}' || c == ']':
			err = globError(pattern, i, "unmatched close brace/bracket")
		default:
			for end < len(pattern) && strings.IndexByte(`\{}[]`, pattern[end]) < 0 {
				end++
			}
			texts = []string{pattern[i:end]}
		}
		if err == nil {
			err = add(texts, part)
		}
		if err != nil {
			return nil, err
		}
		i = end
	}
	return list, nil
}

// isAddress reports whether text begins with an IPv6 address in brackets.
func isAddress(text string) bool {
	end := strings.IndexByte(text, ']')
	return end > 0 && strings.Count(text[:end], ":") > 1 && strings.Trim(text[1:end], "0123456789abcdefABCDEF:.%") == ""
}

// globError shows a mistake in a pattern.
func globError(pattern string, at int, what string) error {
	return curlErrorf(3, "%s in URL position %d:\n%s\n%s^", what, at+1, pattern, strings.Repeat(" ", at))
}

func globSet(pattern string, at int) ([]string, int, error) {
	end := strings.IndexByte(pattern[at:], '}')
	if end < 0 {
		return nil, 0, globError(pattern, at, "unmatched brace")
	}
	inner := pattern[at+1 : at+end]
	if i := strings.IndexAny(inner, "{["); i >= 0 {
		return nil, 0, globError(pattern, at+1+i, "nested brace")
	}
	if inner == "" {
		return nil, 0, globError(pattern, at+1, "empty string within braces")
	}
	return strings.Split(inner, ","), at + end + 1, nil
}

func globRange(pattern string, at int) ([]string, int, error) {
	bad := globError(pattern, at+1, "bad range")
	end := strings.IndexByte(pattern[at:], ']')
	if end < 0 && at+1 < len(pattern) && pattern[at+1] >= '0' && pattern[at+1] <= '9' {
		return nil, 0, globError(pattern, len(pattern), "bad range")
	}
	if end < 0 {
		return nil, 0, bad
	}
	span, stepText, hasStep := strings.Cut(pattern[at+1:at+end], ":")
	from, to, ok := strings.Cut(span, "-")
	step := 1
	if hasStep {
		n, err := strconv.Atoi(stepText)
		if err != nil || n < 1 {
			return nil, 0, bad
		}
		step = n
	}
	if !ok || from == "" || to == "" {
		return nil, 0, bad
	}
	var list []string
	if len(from) == 1 && len(to) == 1 && (from[0] < '0' || from[0] > '9') {
		for c := int(from[0]); c <= int(to[0]); c += step {
			list = append(list, string([]byte{byte(c)}))
		}
	} else {
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || first > last || (last-first)/step > maxURLs {
			return nil, 0, bad
		}
		width := 0
		if from[0] == '0' {
			width = len(from)
		}
		for n := first; n <= last; n += step {
			list = append(list, fmt.Sprintf("%0*d", width, n))
		}
	}
	if list == nil {
		return nil, 0, bad
	}
	return list, at + end + 1, nil
}
