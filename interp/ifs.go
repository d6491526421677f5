package interp

import (
	"strings"
	"unicode/utf8"
)

// Classes of characters of IFS.
const (
	ifsSpace = 1 + iota // white space
	ifsOther
	ifsWide // the first byte of a character of several bytes
)

// An ifsCache holds what follows from the value of IFS.
type ifsCache struct {
	valid   bool
	value   string
	classes [256]byte
	first   string   // what "$*" is joined with
	mixed   bool     // a character that is not white space is in IFS
	number  bool     // a digit or a minus is in IFS
	wide    []string // characters of several bytes
}

// wideAt returns the size of the character of IFS that s begins with, or 0.
func (c *ifsCache) wideAt(s string) int {
	for _, w := range c.wide {
		if strings.HasPrefix(s, w) {
			return len(w)
		}
	}
	return 0
}

// table returns the class of every byte.
func (c *ifsCache) table(sh *Shell) *[256]byte {
	v := sh.vars[idIFS]
	value := " \t\n"
	if v.flags&vSet != 0 {
		value = v.text(sh)
	}
	if !c.valid || c.value != value {
		c.set(value, sh.bytes)
	}
	return &c.classes
}

func (c *ifsCache) set(value string, bytes bool) {
	*c = ifsCache{valid: true, value: value}
	for i := 0; i < len(value); i++ {
		b := value[i]
		if r, size := utf8.DecodeRuneInString(value[i:]); size > 1 && r != utf8.RuneError && !bytes {
			c.classes[b] = ifsWide
			c.wide = append(c.wide, value[i:i+size])
			i += size - 1
			continue
		}
		c.classes[b] = ifsOther
		if b == ' ' || b == '\t' || b == '\n' {
			c.classes[b] = ifsSpace
		} else {
			c.mixed = true
		}
		c.number = c.number || b == '-' || b >= '0' && b <= '9'
	}
	if value != "" {
		if c.first = value[:skipChars(value, 1)]; bytes {
			c.first = value[:1]
		}
	}
}

// digits reports whether a number is always one field.
func (c *ifsCache) digits(sh *Shell) bool {
	c.table(sh)
	return !c.number
}

// joiner returns what "$*" is joined with: the first character of IFS.
func (c *ifsCache) joiner(sh *Shell) string {
	c.table(sh)
	return c.first
}
