package yq

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A shellEncoder writes scalars as assignments to shell variables.
type shellEncoder struct {
	plainText
	m *Machine
	EncodeOptions
}

// Encode writes one document.
func (e *shellEncoder) Encode(w io.Writer, n *Node) error { return e.write(w, n, "") }

func (e *shellEncoder) write(w io.Writer, n *Node, name string) error {
	switch n.Kind {
	case Sequence:
		for i, c := range n.Content {
			if err := e.write(w, c, e.name(name, fmt.Sprint(i))); err != nil {
				return err
			}
		}
		return nil
	case Mapping:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if err := e.write(w, n.Content[i+1], e.name(name, n.Content[i].Value)); err != nil {
				return err
			}
		}
		return nil
	case Alias:
		return e.write(w, n.resolve(), name)
	}
	if name == "" {
		name = "value"
	}
	text := n.Value
	if !e.Unwrap || strings.ContainsFunc(text, func(r rune) bool { return !alphanumeric(r) && !strings.ContainsRune("_.-/:@+,%", r) }) {
		text = shellValue(text)
	}
	_, err := io.WriteString(w, name+"="+text+"\n")
	return err
}

// shellValue quotes a value that has more than letters and digits.
func shellValue(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r != '_' && !alphanumeric(r) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'"'"'`) + "'"
}

// name adds a key to the name of a variable: accents go, other signs become _.
func (e *shellEncoder) name(before, key string) string {
	key = strings.Map(func(r rune) rune {
		switch {
		case r == '_' || alphanumeric(r):
			return r
		case r < ' ' || r > '~':
			return -1
		}
		return '_'
	}, norm.NFKD.String(key))
	switch {
	case before != "":
		separator := e.m.ShellSeparator
		if separator == "" {
			separator = "_"
		}
		return before + separator + key
	case key == "" || key[0] >= '0' && key[0] <= '9':
		return "_" + key
	}
	return key
}
