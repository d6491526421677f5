package search

import (
	"bytes"
	"strconv"
	"strings"
)

// expand adds to dst the replacement of a match, in which $n and ${name} stand
// for groups.
func (r *ripgrep) expand(dst, text []byte, loc []int) []byte {
	with := r.replace
	for len(with) > 0 {
		i := bytes.IndexByte(with, '$')
		if i < 0 || i+1 == len(with) {
			return append(dst, with...)
		}
		dst = append(dst, with[:i]...)
		with = with[i+1:]
		if with[0] == '$' {
			dst, with = append(dst, '$'), with[1:]
			continue
		}
		name, n := groupName(string(with))
		if n == 0 {
			dst = append(dst, '$')
			continue
		}
		with = with[n:]
		group, err := strconv.Atoi(name)
		ok := err == nil
		if !ok {
			group, ok = r.matcher.Regexp().Group(name)
		}
		if ok && 2*group+1 < len(loc) && loc[2*group] >= 0 {
			dst = append(dst, text[loc[2*group]:loc[2*group+1]]...)
		}
	}
	return dst
}

// groupName returns the name of a group that s begins with, in braces or not,
// and how much of s that is; 0 if there is none.
func groupName(s string) (string, int) {
	if rest, ok := strings.CutPrefix(s, "{"); ok {
		name, _, ok := strings.Cut(rest, "}")
		if !ok {
			return "", 0
		}
		return name, len(name) + 2
	}
	n := len(s) - len(strings.TrimLeft(s, "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	return s[:n], n
}
