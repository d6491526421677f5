package git

import (
	"strconv"
	"strings"
)

// formatRef replaces the placeholders of a format of for-each-ref.
func (g *git) formatRef(format string, r ref) (string, error) {
	var b strings.Builder
	for {
		open := strings.IndexByte(format, '%')
		if open < 0 || open+1 == len(format) {
			b.WriteString(format)
			return b.String(), nil
		}
		b.WriteString(format[:open])
		rest := format[open+1:]
		switch {
		case rest[0] == '%':
			b.WriteByte('%')
			format = rest[1:]
		case rest[0] == '(' && strings.IndexByte(rest, ')') > 0:
			end := strings.IndexByte(rest, ')')
			text, err := g.refField(rest[1:end], r)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
			format = rest[end+1:]
		case len(rest) >= 2 && isHex(rest[:2]):
			v, _ := strconv.ParseUint(rest[:2], 16, 8)
			b.WriteByte(byte(v))
			format = rest[2:]
		default:
			b.WriteByte('%')
			format = rest
		}
	}
}

func isHex(text string) bool {
	return strings.Trim(strings.ToLower(text), "0123456789abcdef") == ""
}

// A refInfo is a reference and the object that it names.
type refInfo struct {
	ref
	object                    object
	commit                    *commit
	author, committer, tagger signature
	message                   string
}

// info reads the object of a reference; with deref, what an annotated tag is of.
func (g *git) info(r ref, deref bool) (*refInfo, error) {
	i := &refInfo{ref: r, commit: &commit{}}
	for {
		o, err := g.objects.read(i.hash)
		if err != nil {
			return nil, fatalf("missing object %s for %s", i.hash, r.name)
		}
		g.objects.free(o)
		i.object = o
		switch {
		case o.kind == "commit":
			if i.commit, err = g.objects.commit(i.hash); err != nil {
				return nil, err
			}
			i.author, i.committer, i.message = i.commit.author, i.commit.committer, i.commit.message
		case o.kind == "tag" && deref:
			i.hash = parseTag(o.data).target
			continue
		case o.kind == "tag":
			t := parseTag(o.data)
			i.tagger, i.message = t.tagger, t.message
		}
		return i, nil
	}
}

// refField returns a field of a reference. One that begins with "*" is of what an
// annotated tag is of.
func (g *git) refField(field string, r ref) (string, error) {
	name, deref := strings.CutPrefix(field, "*")
	name, option, _ := strings.Cut(name, ":")
	i, err := g.info(r, false)
	if err != nil {
		return "", err
	}
	if deref {
		if i.object.kind != "tag" {
			return "", nil
		}
		if i, err = g.info(r, true); err != nil {
			return "", err
		}
	}
	if text, ok := g.personField(i, name, option); ok {
		return text, nil
	}
	if text, ok := g.objectField(i, name, option); ok {
		return text, nil
	}
	if text, ok := g.nameField(i, name, option); ok {
		return text, nil
	}
	return "", fatalf("unknown field name: %s", field)
}

// personField returns a field that is about somebody.
func (g *git) personField(i *refInfo, name, option string) (string, bool) {
	creator := i.committer
	if i.object.kind == "tag" {
		creator = i.tagger
	}
	for prefix, sig := range map[string]signature{"author": i.author, "committer": i.committer, "tagger": i.tagger, "creator": creator} {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || rest != "" && rest != "name" && rest != "email" && rest != "date" {
			continue
		}
		switch {
		case sig.when.IsZero():
			return "", true
		case rest == "":
			return sig.String(), true
		case rest == "name":
			return sig.name, true
		case rest == "email" && option == "trim":
			return sig.email, true
		case rest == "email":
			return "<" + sig.email + ">", true
		}
		return g.formatDate(sig.when, option), true
	}
	return "", false
}

// objectField returns a field that is about the object.
func (g *git) objectField(i *refInfo, name, option string) (string, bool) {
	switch {
	case name == "objectname" && option == "short":
		return g.abbrev(i.hash), true
	case name == "objectname":
		return i.hash.String(), true
	case name == "objecttype":
		return i.object.kind, true
	case name == "objectsize":
		return itoa(len(i.object.data)), true
	case name == "subject", name == "contents" && option == "subject":
		return subjectOf(i.message), true
	case name == "body", name == "contents" && option == "body":
		return bodyOf(i.message), true
	case name == "contents":
		return i.message, true
	case name == "tree":
		return i.commit.tree.String(), true
	case name == "parent":
		var list []string
		for _, p := range i.commit.parents {
			list = append(list, p.String())
		}
		return strings.Join(list, " "), true
	}
	return "", false
}

// nameField returns a field that is about the reference itself.
func (g *git) nameField(i *refInfo, name, option string) (string, bool) {
	switch name {
	case "refname":
		if option == "short" {
			return shortRef(i.name), true
		}
		return stripRef(i.name, option), true
	case "HEAD":
		if i.name == g.head() {
			return "*", true
		}
		return " ", true
	case "upstream":
		up, ok := g.upstream(i.name)
		switch {
		case !ok || !strings.HasPrefix(i.name, "refs/heads/"):
			return "", true
		case option == "short":
			return shortRef(up), true
		case option == "":
			return up, true
		}
	}
	return "", false
}

// stripRef applies the options lstrip and rstrip.
func stripRef(name, option string) string {
	key, value, _ := strings.Cut(option, "=")
	n, _ := strconv.Atoi(value)
	parts := strings.Split(name, "/")
	if n < 0 {
		n = max(len(parts)+n, 0)
	}
	switch {
	case n >= len(parts):
		n = len(parts) - 1
	}
	switch key {
	case "lstrip", "strip":
		return strings.Join(parts[n:], "/")
	case "rstrip":
		return strings.Join(parts[:len(parts)-n], "/")
	}
	return name
}
