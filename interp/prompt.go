package interp

import (
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/strftime"
)

// expandPrompt expands a prompt: its backslash escapes first, and then, unless
// promptvars is off, parameters, commands and arithmetic. What an escape gives is
// not expanded. (bash manual, Controlling the Prompt)
func (sh *Shell) expandPrompt(s string) string {
	if sh.pending != ctlNone || !sh.enter() {
		return ""
	}
	defer func() { sh.depth-- }()
	vars := sh.shopt(shoptBit("promptvars"))
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		if sh.step(1) != nil {
			return ""
		}
		i++
		text, used := sh.promptEscape(s[i:])
		if used == 0 { // not an escape
			b.WriteByte('\\')
			b.WriteByte(s[i])
			continue
		}
		i += used - 1
		if vars {
			text = protect(text)
		}
		b.WriteString(text)
	}
	if !vars {
		return b.String()
	}
	return sh.documentText(b.String())(sh)
}

// protect escapes what an expansion would act on.
func protect(s string) string {
	if !strings.ContainsAny(s, "\\$`") {
		return s
	}
	return protection.Replace(s)
}

var protection = strings.NewReplacer(`\`, `\\`, `$`, `\$`, "`", "\\`")

// promptEscape returns what the escape at the beginning of s stands for, and how
// many bytes it has, not counting the backslash.
func (sh *Shell) promptEscape(s string) (text string, used int) {
	now := func(format string) string {
		t := sh.timeAt(-1)
		out, _ := strftime.Format{}.Append(nil, format, t)
		return string(out)
	}
	switch s[0] {
	case 'a':
		return "\a", 1
	case 'e':
		return "\x1b", 1
	case 'n':
		return "\n", 1
	case 'r':
		return "\r", 1
	case '\\':
		return "\\", 1
	case '[', ']':
		return "", 1
	case 'd':
		return now("%a %b %d"), 1
	case 't':
		return now("%H:%M:%S"), 1
	case 'T':
		return now("%I:%M:%S"), 1
	case '@':
		return now("%I:%M %p"), 1
	case 'A':
		return now("%H:%M"), 1
	case 'D':
		if end := strings.IndexByte(s, '}'); len(s) > 1 && s[1] == '{' && end > 0 {
			format := s[2:end]
			if format == "" {
				format = "%X"
			}
			return now(format), end + 1
		}
		return "", 0
	case 'h':
		host, _, _ := strings.Cut(sh.cfg.Host, ".")
		return host, 1
	case 'H':
		return sh.cfg.Host, 1
	case 'j':
		return itoa(int64(len(sh.jobs.list))), 1
	case 'l':
		return "tty", 1
	case 's':
		return sh.name[strings.LastIndexByte(sh.name, '/')+1:], 1
	case 'u':
		return sh.cfg.User.Name, 1
	case 'v':
		return version[:3], 1
	case 'V':
		return version[:strings.IndexByte(version, '(')], 1
	case 'w':
		return sh.tildeDir(sh.dir), 1
	case 'W':
		dir := sh.tildeDir(sh.dir)
		if dir == "/" || dir == "~" {
			return dir, 1
		}
		return dir[strings.LastIndexByte(dir, '/')+1:], 1
	case '!':
		return itoa(int64(max(sh.historyBase+len(sh.history), 1))), 1
	case '#':
		return itoa(int64(max(sh.commands, 1))), 1
	case '$':
		if sh.cfg.User.UID == 0 {
			return "#", 1
		}
		return "$", 1
	}
	return octalEscape(s)
}

// octalEscape returns the byte of up to three octal digits.
func octalEscape(s string) (string, int) {
	n, used := 0, 0
	for used < 3 && used < len(s) && s[used] >= '0' && s[used] <= '7' {
		n = n*8 + int(s[used]-'0')
		used++
	}
	if used == 0 {
		return "", 0
	}
	return string([]byte{byte(n)}), used
}

// documentText compiles text that is expanded as between double quotes.
func (sh *Shell) documentText(src string) text {
	w, err := parse.Document(src, sh.parseMode())
	if err != nil || w == nil {
		return constant(src)
	}
	c := &compiler{names: sh.names, src: src, file: sh.file}
	t := c.parts(w.Parts, inText|inQuotes)
	sh.grow()
	return t
}
