package git

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A hash is the name of an object.
type hash [20]byte

// String returns the name in hexadecimal digits.
func (h hash) String() string { return hex.EncodeToString(h[:]) }

// parseHash returns the hash that forty digits are.
func parseHash(text string) (h hash, ok bool) {
	if len(text) != 40 {
		return h, false
	}
	_, err := hex.Decode(h[:], []byte(text))
	return h, err == nil
}

// emptyTree is the tree without entries.
var emptyTree = hash{0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6, 0x92, 0x88, 0xfb, 0xee, 0x49, 0x04}

// An object is what a repository stores.
type object struct {
	kind string // blob, tree, commit or tag
	data []byte
}

// Modes of the entries of trees and of the index.
const (
	modeDir     = 0o040000
	modeFile    = 0o100644
	modeExec    = 0o100755
	modeLink    = 0o120000
	modeGitlink = 0o160000
)

// A treeEntry is an entry of a tree.
type treeEntry struct {
	name string
	mode uint32
	hash hash
}

// parseTree returns the entries of a tree.
func parseTree(data []byte) (list []treeEntry, err error) {
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		nul := bytes.IndexByte(data, 0)
		if space < 0 || nul < space || len(data) < nul+21 {
			return nil, fatal("corrupt tree object")
		}
		mode, err := strconv.ParseUint(string(data[:space]), 8, 32)
		if err != nil {
			return nil, fatal("corrupt tree object")
		}
		e := treeEntry{name: string(data[space+1 : nul]), mode: uint32(mode)}
		copy(e.hash[:], data[nul+1:])
		list, data = append(list, e), data[nul+21:]
	}
	return list, nil
}

// formatTree returns the content of a tree, whose entries it sorts.
func formatTree(list []treeEntry) []byte {
	key := func(e treeEntry) string {
		if e.mode == modeDir {
			return e.name + "/"
		}
		return e.name
	}
	slices.SortFunc(list, func(a, b treeEntry) int { return cmp.Compare(key(a), key(b)) })
	var b bytes.Buffer
	for _, e := range list {
		fmt.Fprintf(&b, "%o %s\x00", e.mode, e.name)
		b.Write(e.hash[:])
	}
	return b.Bytes()
}

// A commit is a parsed commit.
type commit struct {
	hash      hash
	tree      hash
	parents   []hash
	author    signature
	committer signature
	message   string
}

// parseCommit parses the content of a commit.
func parseCommit(h hash, data []byte) (*commit, error) {
	c := &commit{hash: h}
	header, message, _ := strings.Cut(string(data), "\n\n")
	c.message = message
	for line := range strings.SplitSeq(header, "\n") {
		key, value, _ := strings.Cut(line, " ")
		ok := true
		switch key {
		case "tree":
			c.tree, ok = parseHash(value)
		case "parent":
			var p hash
			p, ok = parseHash(value)
			c.parents = append(c.parents, p)
		case "author":
			c.author = parseSignature(value)
		case "committer":
			c.committer = parseSignature(value)
		}
		if !ok {
			return nil, fatalf("bad commit %s", h)
		}
	}
	return c, nil
}

// format returns the content of the commit.
func (c *commit) format() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", c.tree)
	for _, p := range c.parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", c.author, c.committer, c.message)
	return b.Bytes()
}

// subject returns the first paragraph of a message on one line.
func subjectOf(message string) string {
	message = strings.TrimLeft(message, "\n")
	paragraph, _, _ := strings.Cut(message, "\n\n")
	lines := strings.Split(strings.TrimRight(paragraph, "\n"), "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			lines = lines[:i]
			break
		}
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.Join(lines, " ")
}

// bodyOf returns what follows the first paragraph of a message.
func bodyOf(message string) string {
	message = strings.TrimLeft(message, "\n")
	_, body, _ := strings.Cut(message, "\n\n")
	return strings.TrimLeft(body, "\n")
}

// A tagObject is a parsed annotated tag.
type tagObject struct {
	target  hash
	kind    string
	name    string
	tagger  signature
	message string
}

// parseTag parses the content of an annotated tag.
func parseTag(data []byte) tagObject {
	var t tagObject
	header, message, _ := strings.Cut(string(data), "\n\n")
	t.message = message
	for line := range strings.SplitSeq(header, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "object":
			t.target, _ = parseHash(value)
		case "type":
			t.kind = value
		case "tag":
			t.name = value
		case "tagger":
			t.tagger = parseSignature(value)
		}
	}
	return t
}
