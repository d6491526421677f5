package system

import (
	"slices"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/account"
	"github.com/limpet-sh/limpet/vfs"
)

// users returns the users of the sandbox, who runs c among them.
func users(c *builtins.Call) *account.Table {
	t := account.Users(c.FS)
	t.Add(c.User.Name, c.User.UID)
	return t
}

// groups returns the groups of the sandbox, that of who runs c among them.
func groups(c *builtins.Call) *account.Table {
	t := account.Groups(c.FS)
	t.Add(c.User.Group, c.User.GID)
	return t
}

// current returns who runs c, with the primary group first among the groups.
func current(c *builtins.Call) builtins.User {
	u := c.User
	u.Groups = append([]int{u.GID}, slices.DeleteFunc(slices.Clone(u.Groups), func(g int) bool { return g == u.GID })...)
	return u
}

// lookupUser finds a user of the sandbox by name or number.
func lookupUser(c *builtins.Call, name string) (builtins.User, bool) {
	table := users(c)
	uid, ok := table.Parse(name)
	if !ok {
		return builtins.User{}, false
	}
	login, ok := table.Name(uid)
	if !ok {
		return builtins.User{}, false
	}
	if login == c.User.Name {
		return current(c), true
	}
	u := builtins.User{Name: login, UID: uid, GID: uid}
	if row := table.Row(login); len(row) > 5 {
		u.GID, _ = strconv.Atoi(row[3])
		u.Home = row[5]
	}
	u.Groups = append([]int{u.GID}, memberships(c, login, u.GID)...)
	return u, true
}

// memberships returns the groups other than primary that list name as a member.
func memberships(c *builtins.Call, name string, primary int) []int {
	var list []int
	data, _ := vfs.ReadFile(c.FS, "/etc/group")
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), ":")
		if len(fields) < 4 || !slices.Contains(strings.Split(fields[3], ","), name) {
			continue
		}
		if gid, err := strconv.Atoi(fields[2]); err == nil && gid != primary {
			list = append(list, gid)
		}
	}
	return list
}
