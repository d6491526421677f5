package git

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

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

// configFile is where a configuration is.
type configFile struct{ scope, path string }

// configFiles returns the files of the configuration, the more important last.
// There is no file of the system.
func (g *git) configFiles() (list []configFile) {
	home := g.Getenv("HOME")
	if xdg := g.Getenv("XDG_CONFIG_HOME"); xdg != "" {
		list = append(list, configFile{"global", xdg + "/git/config"})
	} else if home != "" {
		list = append(list, configFile{"global", home + "/.config/git/config"})
	}
	if path, ok := g.Env.Lookup("GIT_CONFIG_GLOBAL"); ok {
		list = []configFile{{"global", path}}
	} else if home != "" {
		list = append(list, configFile{"global", home + "/.gitconfig"})
	}
	if g.repo != nil {
		list = append(list, configFile{"local", g.repo.common + "/config"})
	}
	return list
}

// settings returns the whole configuration.
func (g *git) settings() ([]setting, error) {
	if g.repo != nil && g.repo.settings != nil {
		return g.repo.settings, nil
	}
	var all []setting
	for _, file := range g.configFiles() {
		list, err := g.readConfig(file)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	all = append(all, g.given...)
	n, _ := strconv.Atoi(g.Getenv("GIT_CONFIG_COUNT"))
	for i := range min(n, 1000) {
		key, ok := g.Env.Lookup(fmt.Sprintf("GIT_CONFIG_KEY_%d", i))
		if ok {
			all = append(all, setting{key: normalKey(key), value: g.Getenv(fmt.Sprintf("GIT_CONFIG_VALUE_%d", i)), scope: "command"})
		}
	}
	if g.repo != nil {
		g.repo.settings = all
	}
	return all, nil
}

// readConfig reads one file; one that is not there is empty.
func (g *git) readConfig(file configFile) ([]setting, error) {
	data, err := vfs.ReadFile(g.FS, file.path)
	if err != nil {
		return nil, nil
	}
	return parseConfig(string(data), file.path, file.scope)
}

// config returns the value of a key.
func (g *git) config(key string) (value string, ok bool) {
	list, err := g.settings()
	if err != nil {
		return "", false
	}
	for _, s := range list {
		if s.key == key {
			value, ok = s.value, true
		}
	}
	return value, ok
}

// configBool returns a setting that is on or off.
func (g *git) configBool(key string, missing bool) bool {
	value, ok := g.config(key)
	if !ok {
		return missing
	}
	on, _ := parseBool(value)
	return on
}

// parseBool returns what a word means.
func parseBool(text string) (on, ok bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "on":
		return true, true
	case "", "false", "no", "off":
		return false, true
	}
	n, err := strconv.Atoi(text)
	return n != 0, err == nil
}

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

// configure is git config.
func (g *git) configure(args []string) error {
	c := configRun{git: g}
	f := g.options("[<options>] [<name> [<value>]]")
	f.do("global", func() { c.scope = "global" })
	f.do("local", func() { c.scope = "local" })
	f.do("system", func() { c.scope = "system" })
	f.string(&c.file, "f,file")
	for _, action := range []string{"get", "get-all", "get-regexp", "unset", "unset-all", "add", "replace-all", "rename-section", "remove-section"} {
		f.do(action, func() { c.action = action })
	}
	f.do("l,list", func() { c.action = "list" })
	f.do("bool", func() { c.kind = "bool" })
	f.do("int", func() { c.kind = "int" })
	f.do("path", func() { c.kind = "path" })
	f.string(&c.kind, "type")
	f.string(&c.fallback, "default")
	f.bool(&c.nul, "z,null")
	f.bool(&c.showOrigin, "show-origin")
	f.bool(&c.showScope, "show-scope")
	f.bool(&c.nameOnly, "name-only")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	g.name = ""
	if err := g.discover(); err != nil && c.scope == "local" {
		return fatal("--local can only be used inside a git repository")
	}
	return c.run(append(args, rest...))
}

// A configRun is one run of git config.
type configRun struct {
	*git
	scope, file, action, kind, fallback  string
	nul, showOrigin, showScope, nameOnly bool
}

func (c *configRun) run(args []string) error {
	if c.action == "list" {
		return c.list()
	}
	if len(args) == 0 {
		return usage("error: no action specified\nusage: git config [<options>]")
	}
	if c.action == "" {
		c.action = map[int]string{1: "get", 2: "set", 3: "set"}[len(args)]
	}
	key := args[0]
	if c.action != "get-regexp" && !strings.HasSuffix(c.action, "section") {
		if !strings.Contains(key, ".") {
			return c.fail(1, "key does not contain a section: %s", key)
		}
		if name := key[strings.LastIndexByte(key, '.')+1:]; name == "" || !('a' <= name[0]|0x20 && name[0]|0x20 <= 'z') {
			if name == "" {
				return c.fail(2, "key does not contain variable name: %s", key)
			}
			return c.fail(1, "invalid key: %s", key)
		}
	}
	switch c.action {
	case "get", "get-all", "get-regexp":
		return c.get(args)
	case "set", "add", "replace-all", "unset", "unset-all":
		return c.change(args)
	case "remove-section", "rename-section":
		return c.section(args)
	}
	return usage("error: wrong number of arguments\nusage: git config [<options>]")
}

// fail prints an error and returns a status.
func (g *git) fail(status int, format string, args ...any) error {
	fmt.Fprintf(g.Stderr, "error: "+format+"\n", args...)
	return exitStatus(status)
}

// chosen returns the settings of the chosen file, or of all.
func (c *configRun) chosen() ([]setting, error) {
	if c.file != "" {
		if _, err := c.FS.Stat(c.file); err != nil {
			return nil, fatalf("unable to read config file '%s': %v", c.file, vfs.ErrnoOf(err))
		}
		return c.readConfig(configFile{"command", c.file})
	}
	all, err := c.settings()
	if c.scope == "" || err != nil {
		return all, err
	}
	var list []setting
	for _, s := range all {
		if s.scope == c.scope {
			list = append(list, s)
		}
	}
	return list, nil
}

// print prints one setting.
func (c *configRun) print(s setting, withKey bool) error {
	value, err := c.typed(s)
	if err != nil {
		return err
	}
	end, between := "\n", "="
	if c.action == "get-regexp" {
		between = " "
	}
	if c.nul {
		end, between = "\x00", "\n"
	}
	if c.showScope {
		scope := s.scope
		if scope == "" {
			scope = "command"
		}
		c.out.WriteString(scope + "\t")
	}
	if c.showOrigin {
		origin := "file:" + s.origin
		if s.origin == "" {
			origin = "command line:"
		} else if c.repo != nil {
			origin = "file:" + c.relative(s.origin)
		}
		c.out.WriteString(origin + "\t")
	}
	switch {
	case withKey && c.nameOnly:
		c.out.WriteString(s.key)
	case withKey:
		c.out.WriteString(s.key + between + value)
	default:
		c.out.WriteString(value)
	}
	c.out.WriteString(end)
	return nil
}

// relative returns a name in the repository as git shows it: relative to the top
// of the working tree.
func (g *git) relative(path string) string {
	if rest, ok := strings.CutPrefix(path, g.repo.tree+"/"); ok && g.repo.tree != "" {
		return rest
	}
	return path
}

// typed returns the value as the chosen type has it.
func (c *configRun) typed(s setting) (string, error) {
	switch c.kind {
	case "bool":
		on, ok := parseBool(s.value)
		if !ok {
			return "", fatalf("bad boolean config value '%s' for '%s'", s.value, s.key)
		}
		return strconv.FormatBool(on), nil
	case "int":
		digits := strings.ToLower(s.value)
		scale := 1
		if n := len(digits); n > 0 && strings.IndexByte("kmg", digits[n-1]) >= 0 {
			scale = 1 << (10 * (1 + strings.IndexByte("kmg", digits[n-1])))
			digits = digits[:n-1]
		}
		n, err := strconv.Atoi(digits)
		if err != nil {
			return "", fatalf("bad numeric config value '%s' for '%s': invalid unit", s.value, s.key)
		}
		return strconv.Itoa(n * scale), nil
	case "path":
		if rest, ok := strings.CutPrefix(s.value, "~/"); ok {
			return c.Getenv("HOME") + "/" + rest, nil
		}
	}
	return s.value, nil
}

func (c *configRun) list() error {
	list, err := c.chosen()
	if err != nil {
		return err
	}
	for _, s := range list {
		if err := c.print(s, true); err != nil {
			return err
		}
	}
	return nil
}

func (c *configRun) get(args []string) error {
	list, err := c.chosen()
	if err != nil {
		return err
	}
	key := normalKey(args[0])
	match := func(s setting) bool { return s.key == key }
	if c.action == "get-regexp" {
		re, err := compile(args[0])
		if err != nil {
			return c.fail(6, "invalid key pattern: %s", args[0])
		}
		m := re.Matcher(c.Call)
		defer m.Close()
		match = func(s setting) bool { return m.Match([]byte(s.key)) }
	}
	var found []setting
	for _, s := range list {
		if match(s) {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		if c.fallback != "" {
			return c.print(setting{key: key, value: c.fallback}, false)
		}
		return exitStatus(1)
	}
	if c.action == "get" {
		found = found[len(found)-1:]
	}
	for _, s := range found {
		if err := c.print(s, c.action == "get-regexp"); err != nil {
			return err
		}
	}
	return nil
}

// target returns the file that is to be changed.
func (c *configRun) target() (string, error) {
	switch {
	case c.file != "":
		return c.FS.Abs(c.file), nil
	case c.scope == "global":
		if path, ok := c.Env.Lookup("GIT_CONFIG_GLOBAL"); ok {
			return path, nil
		}
		if c.Getenv("HOME") == "" {
			return "", fatal("$HOME not set")
		}
		return c.Getenv("HOME") + "/.gitconfig", nil
	case c.scope == "system":
		return "", mistake("could not lock config file /etc/gitconfig: Permission denied")
	case c.repo == nil:
		return "", fatal("not in a git directory")
	}
	return c.repo.common + "/config", nil
}

func (c *configRun) change(args []string) error {
	path, err := c.target()
	if err != nil {
		return err
	}
	key := args[0]
	unset := strings.HasPrefix(c.action, "unset")
	if !unset && len(args) < 2 {
		return usage("error: wrong number of arguments, should be from 2 to 3\nusage: git config [<options>]")
	}
	status := 0
	err = c.editConfig(path, key, func(same []setting) (bool, *string) {
		switch {
		case unset && len(same) == 0:
			status = 5
		case len(same) > 1 && (c.action == "set" || c.action == "unset"):
			status = 5
			if c.action == "unset" {
				fmt.Fprintf(c.Stderr, "warning: %s has multiple values\n", key)
			} else {
				fmt.Fprintf(c.Stderr, "warning: %s has multiple values\nerror: cannot overwrite multiple values with a single value\n"+
					"       Use a regexp, --add or --replace-all to change %s.\n", key, key)
			}
		case c.action == "add" && len(same) > 0:
			status = -1
		}
		if unset {
			return status == 0, nil
		}
		return status == 0, &args[1]
	})
	if status == -1 {
		return c.append(path, key, args[1])
	}
	if status != 0 {
		return exitStatus(status)
	}
	return err
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

// section removes or renames a section.
func (c *configRun) section(args []string) error {
	path, err := c.target()
	if err != nil {
		return err
	}
	data, _ := vfs.ReadFile(c.FS, path)
	header := sectionHeader(args[0])
	var out []string
	found, inside := false, false
	for _, line := range strings.SplitAfter(string(data), "\n") {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "[") {
			inside = sameSection(trimmed, header)
			if inside && c.action == "rename-section" && len(args) > 1 {
				line, inside = sectionHeader(args[1])+"\n", false
				found = true
			}
			found = found || inside
		}
		if !inside {
			out = append(out, line)
		}
	}
	if !found {
		return fatalf("no such section: %s", args[0])
	}
	return c.writeFile(path, []byte(strings.Join(out, "")))
}
