package git

import (
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// setConfig sets a key in a file, or removes it where value is nil.
func (g *git) setConfig(path, key string, value *string) error {
	return g.editConfig(path, key, func([]setting) (bool, *string) { return true, value })
}

// editConfig changes the settings of a key: decide is given what there is, and
// returns whether that is to be replaced, and by what: nil is nothing.
func (g *git) editConfig(path, key string, decide func([]setting) (bool, *string)) error {
	data, _ := vfs.ReadFile(g.FS, path)
	text := string(data)
	list, err := parseConfig(text, path, "")
	if err != nil {
		return err
	}
	var same []setting
	for _, s := range list {
		if s.key == normalKey(key) {
			same = append(same, s)
		}
	}
	change, value := decide(same)
	if !change {
		return nil
	}
	lines := strings.SplitAfter(text, "\n")
	if len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	section, name := key[:strings.LastIndexByte(key, '.')], key[strings.LastIndexByte(key, '.')+1:]
	line := ""
	if value != nil {
		line = "\t" + name + " = " + quoteConfig(*value) + "\n"
	}
	switch {
	case len(same) > 0:
		for i := len(same) - 1; i >= 0; i-- {
			s := same[i]
			replace := ""
			if i == len(same)-1 {
				replace = line
			}
			lines[s.line] = replace
			for k := s.line + 1; k <= s.last; k++ {
				lines[k] = ""
			}
		}
	case value != nil:
		lines = insertSetting(lines, list, section, line)
	}
	return g.writeFile(path, []byte(strings.Join(lines, "")))
}

// insertSetting puts a new line into its section, at the end of it, or into a new
// section.
func insertSetting(lines []string, list []setting, section, line string) []string {
	header := sectionHeader(section)
	at := -1
	inside := false
	for i, l := range lines {
		trimmed := strings.TrimSpace(l)
		if strings.HasPrefix(trimmed, "[") {
			inside = sameSection(trimmed, header)
		}
		if inside && trimmed != "" {
			at = i
		}
	}
	if at < 0 {
		if len(lines) > 0 && !strings.HasSuffix(lines[len(lines)-1], "\n") {
			lines[len(lines)-1] += "\n"
		}
		return append(lines, header+"\n", line)
	}
	if !strings.HasSuffix(lines[at], "\n") {
		lines[at] += "\n"
	}
	lines[at] += line
	return lines
}

// sameSection reports whether two headers are of one section.
func sameSection(a, b string) bool {
	name := func(h string) string {
		end := sectionEnd(h)
		if end < 0 {
			return ""
		}
		section, sub, _ := strings.Cut(h[1:end], `"`)
		return strings.ToLower(strings.TrimSpace(section)) + "\x00" + sub
	}
	return name(a) == name(b)
}

// sectionHeader returns the header of a section.
func sectionHeader(section string) string {
	name, sub, ok := strings.Cut(section, ".")
	if !ok {
		return "[" + name + "]"
	}
	return "[" + name + ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(sub) + `"]`
}

// quoteConfig returns a value as a configuration file has it.
func quoteConfig(value string) string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(value)
	if strings.HasPrefix(value, " ") || strings.HasSuffix(value, " ") || strings.ContainsAny(value, ";#") {
		return `"` + quoted + `"`
	}
	return quoted
}

// append adds another value of a key that has one.
func (g *git) append(path, key, value string) error {
	data, err := vfs.ReadFile(g.FS, path)
	if err != nil {
		return err
	}
	list, err := parseConfig(string(data), path, "")
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(string(data), "\n")
	at := 0
	for _, s := range list {
		if s.key == normalKey(key) {
			at = s.last
		}
	}
	lines[at] += "\t" + key[strings.LastIndexByte(key, '.')+1:] + " = " + quoteConfig(value) + "\n"
	return g.writeFile(path, []byte(strings.Join(lines, "")))
}
