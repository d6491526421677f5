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

// refField returns a field of a reference.
func (g *git) refField(field string, r ref) (string, error) {
	deref := strings.HasPrefix(field, "*")
	name, option, _ := strings.Cut(strings.TrimPrefix(field, "*"), ":")
	o, err := g.objects.read(r.hash)
	if err != nil {
		return "", fatalf("missing object %s for %s", r.hash, r.name)
	}
	g.objects.free(o)
	h := r.hash
	if deref {
		if o.kind != "tag" {
			return "", nil
		}
		if h, _, err = g.objects.peel(h); err != nil {
			return "", err
		}
		if o, err = g.objects.read(h); err != nil {
			return "", err
		}
		g.objects.free(o)
	}
	var author, committer, tagger signature
	message := ""
	c := &commit{}
	switch o.kind {
	case "commit":
		if c, err = g.objects.commit(h); err != nil {
			return "", err
		}
		author, committer, message = c.author, c.committer, c.message
	case "tag":
		t := parseTag(o.data)
		tagger, message = t.tagger, t.message
	}
	creator := committer
	if o.kind == "tag" {
		creator = tagger
	}
	for prefix, sig := range map[string]signature{"author": author, "committer": committer, "tagger": tagger, "creator": creator} {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		if sig.when.IsZero() {
			return "", nil
		}
		switch rest {
		case "":
			return sig.String(), nil
		case "name":
			return sig.name, nil
		case "email":
			if option == "trim" {
				return sig.email, nil
			}
			return "<" + sig.email + ">", nil
		case "date":
			return g.formatDate(sig.when, option), nil
		}
	}
	switch name {
	case "refname":
		if option == "short" {
			return shortRef(r.name), nil
		}
		return stripRef(r.name, option), nil
	case "objectname":
		if option == "short" {
			return g.abbrev(h), nil
		}
		return h.String(), nil
	case "objecttype":
		return o.kind, nil
	case "objectsize":
		return itoa(len(o.data)), nil
	case "subject":
		return subjectOf(message), nil
	case "body":
		return bodyOf(message), nil
	case "contents":
		if option == "subject" {
			return subjectOf(message), nil
		}
		if option == "body" {
			return bodyOf(message), nil
		}
		return message, nil
	case "tree":
		return c.tree.String(), nil
	case "parent":
		var list []string
		for _, p := range c.parents {
			list = append(list, p.String())
		}
		return strings.Join(list, " "), nil
	case "HEAD":
		if r.name == g.head() {
			return "*", nil
		}
		return " ", nil
	case "upstream":
		up, ok := g.upstream(r.name)
		if !ok || !strings.HasPrefix(r.name, "refs/heads/") {
			return "", nil
		}
		if option == "short" {
			return shortRef(up), nil
		}
		if option == "" {
			return up, nil
		}
	}
	return "", fatalf("unknown field name: %s", field)
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
