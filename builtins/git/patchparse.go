package git

import (
	"strconv"
	"strings"
)

// A patchFile is what a patch does to one file.
type patchFile struct {
	old, new         string // names without their first elements; empty is none
	oldMode, newMode uint32
	rename, copied   bool
	binary           bool
	hunks            []patchHunk
}

// A patchHunk is a piece of a patch.
type patchHunk struct {
	oldLine, newLine int
	lines            []string // with the sign before each; a missing newline is missing
	at               int      // of the patch
}

// parsePatch parses the files of a patch.
func parsePatch(text string, strip int) (list []*patchFile, err error) {
	lines := strings.SplitAfter(text, "\n")
	var f *patchFile
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSuffix(lines[i], "\n")
		switch {
		case strings.HasPrefix(line, "diff --git "):
			f = &patchFile{}
			list = append(list, f)
			f.gitNames(line[11:], strip)
		case f != nil && len(f.hunks) == 0 && f.header(line):
		case strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ "):
			if f == nil || len(f.hunks) > 0 {
				f = &patchFile{}
				list = append(list, f)
			}
			f.old = stripName(line[4:], strip)
			f.new = stripName(strings.TrimSuffix(lines[i+1][4:], "\n"), strip)
			i++
		case strings.HasPrefix(line, "@@ -") && f != nil:
			h, n, err := parseHunk(lines[i:], i+1)
			if err != nil {
				return nil, err
			}
			f.hunks = append(f.hunks, h)
			i += n - 1
		}
	}
	return list, nil
}

// gitNames takes the names of a line "diff --git a/x b/x" in which both are equal.
func (f *patchFile) gitNames(text string, strip int) {
	half := len(text) / 2
	if len(text)%2 == 1 && text[half] == ' ' {
		a, b := stripName(text[:half], strip), stripName(text[half+1:], strip)
		if a == b {
			f.old, f.new = a, b
		}
	}
}

// header takes a line of git's between the names and the text.
func (f *patchFile) header(line string) bool {
	mode := func(text string) uint32 {
		n, _ := strconv.ParseUint(strings.TrimSpace(text), 8, 32)
		return uint32(n)
	}
	for _, h := range []struct {
		prefix string
		set    func(string)
	}{
		{"new file mode ", func(v string) { f.newMode, f.old = mode(v), "" }},
		{"deleted file mode ", func(v string) { f.oldMode, f.new = mode(v), "" }},
		{"old mode ", func(v string) { f.oldMode = mode(v) }},
		{"new mode ", func(v string) { f.newMode = mode(v) }},
		{"rename from ", func(v string) { f.old, f.rename = v, true }},
		{"rename to ", func(v string) { f.new, f.rename = v, true }},
		{"copy from ", func(v string) { f.old, f.copied = v, true }},
		{"copy to ", func(v string) { f.new, f.copied = v, true }},
		{"similarity index ", func(string) {}},
		{"dissimilarity index ", func(string) {}},
		{"index ", func(string) {}},
		{"GIT binary patch", func(string) { f.binary = true }},
		{"Binary files ", func(string) { f.binary = true }},
	} {
		if v, ok := strings.CutPrefix(line, h.prefix); ok {
			h.set(v)
			return true
		}
	}
	return false
}

// stripName takes elements from the beginning of a name.
func stripName(name string, strip int) string {
	name, _, _ = strings.Cut(name, "\t")
	name = strings.TrimSuffix(name, "\r")
	if name == "/dev/null" {
		return ""
	}
	if strings.HasPrefix(name, `"`) {
		if text, err := strconv.Unquote(name); err == nil {
			name = text
		}
	}
	for range strip {
		_, rest, ok := strings.Cut(name, "/")
		if !ok {
			break
		}
		name = rest
	}
	return name
}

// parseHunk parses a hunk, and returns how many lines it takes.
func parseHunk(lines []string, at int) (h patchHunk, n int, err error) {
	corrupt := func(n int) error { return fatalf("corrupt patch at line %d", at+n) }
	var oldCount, newCount int
	header, _, _ := strings.Cut(strings.TrimPrefix(lines[0], "@@ -"), " @@")
	oldText, newText, ok := strings.Cut(header, " +")
	if !ok {
		return h, 0, corrupt(0)
	}
	for _, part := range []struct {
		text        string
		line, count *int
	}{{oldText, &h.oldLine, &oldCount}, {newText, &h.newLine, &newCount}} {
		first, count, has := strings.Cut(part.text, ",")
		*part.count = 1
		if *part.line, err = strconv.Atoi(first); err != nil {
			return h, 0, corrupt(0)
		}
		if has {
			if *part.count, err = strconv.Atoi(count); err != nil {
				return h, 0, corrupt(0)
			}
		}
	}
	h.at = at
	for n = 1; oldCount > 0 || newCount > 0; n++ {
		if n >= len(lines) || lines[n] == "" {
			return h, 0, corrupt(n)
		}
		line := lines[n]
		switch line[0] {
		case '\n':
			line = " \n"
			fallthrough
		case ' ':
			oldCount--
			newCount--
		case '-':
			oldCount--
		case '+':
			newCount--
		case '\\':
			h.lines[len(h.lines)-1] = strings.TrimSuffix(h.lines[len(h.lines)-1], "\n")
			continue
		default:
			return h, 0, corrupt(n)
		}
		h.lines = append(h.lines, line)
	}
	if n < len(lines) && strings.HasPrefix(lines[n], `\`) {
		h.lines[len(h.lines)-1] = strings.TrimSuffix(h.lines[len(h.lines)-1], "\n")
		n++
	}
	return h, n, nil
}

// reversed turns a patch around.
func (f *patchFile) reversed() {
	f.old, f.new = f.new, f.old
	f.oldMode, f.newMode = f.newMode, f.oldMode
	for i := range f.hunks {
		h := &f.hunks[i]
		h.oldLine, h.newLine = h.newLine, h.oldLine
		for k, line := range h.lines {
			switch line[0] {
			case '-':
				h.lines[k] = "+" + line[1:]
			case '+':
				h.lines[k] = "-" + line[1:]
			}
		}
	}
}

// shown returns the name that messages have.
func (f *patchFile) shown() string {
	if f.rename {
		return displayRename(f.old, f.new)
	}
	if f.new != "" {
		return f.new
	}
	return f.old
}

func (f *patchFile) shownOld() string {
	if f.old != "" {
		return f.old
	}
	return f.new
}
