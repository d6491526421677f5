package git

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

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
