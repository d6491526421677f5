package git

import "strings"

// A setting is a line of a configuration.
type setting struct {
	key    string // normalized: section and variable in lower case
	value  string
	origin string // the name of the file
	scope  string
	line   int // in the file, from 0
	last   int // line, where it goes on
}

// normalKey returns the form of a key in which keys are compared.
func normalKey(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last+1] + strings.ToLower(key[last+1:])
}

// parseConfig parses a configuration file.
func parseConfig(text, origin, scope string) (list []setting, err error) {
	section := ""
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		bad := fatalf("bad config line %d in file %s", i+1, origin)
		if strings.HasPrefix(line, "[") {
			end := sectionEnd(line)
			if end < 0 {
				return nil, bad
			}
			name, sub, quoted := strings.Cut(strings.TrimSpace(line[1:end]), "\"")
			section = strings.ToLower(strings.TrimSpace(name))
			if quoted {
				section += "." + strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(strings.TrimSuffix(sub, `"`))
			}
			line = strings.TrimSpace(line[end+1:])
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		name, value, has := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		if section == "" || name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return nil, bad
		}
		s := setting{key: section + "." + strings.ToLower(name), value: "true", origin: origin, scope: scope, line: i}
		if has {
			more := false
			s.value, more = configValue(value)
			for more && i+1 < len(lines) {
				i++
				var rest string
				rest, more = configValue(lines[i])
				s.value += rest
			}
		}
		s.last = i
		list = append(list, s)
	}
	return list, nil
}

// sectionEnd returns where the bracket that closes a section header is.
func sectionEnd(line string) int {
	quoted := false
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '\\' && quoted:
			i++
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ']' && !quoted:
			return i
		}
	}
	return -1
}

// configValue returns a value without its quotes, escapes and comment, and whether
// it goes on in the next line.
func configValue(text string) (value string, more bool) {
	text = strings.TrimLeft(text, " \t")
	var b strings.Builder
	quoted, keep := false, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 == len(text):
			return b.String(), true
		case c == '\\':
			i++
			if at := strings.IndexByte("ntb", text[i]); at >= 0 {
				b.WriteByte("\n\t\b"[at])
			} else {
				b.WriteByte(text[i])
			}
			keep = b.Len()
		case c == '"':
			quoted = !quoted
			keep = b.Len()
		case (c == '#' || c == ';') && !quoted:
			return b.String()[:keep], false
		default:
			b.WriteByte(c)
			if quoted || c != ' ' && c != '\t' && c != '\r' {
				keep = b.Len()
			}
		}
	}
	return b.String()[:keep], false
}
