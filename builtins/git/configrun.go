package git

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

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
