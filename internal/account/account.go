// Package account knows the users and groups of a sandbox: what its /etc/passwd
// and /etc/group say.
package account

import (
	"strconv"
	"strings"

	"github.com/spf13/afero"

	"github.com/limpet-sh/limpet/vfs"
)

// A Table maps the names of users or of groups to their numbers, and back. The
// first of several lines for one name or one number counts.
type Table struct {
	names map[int]string
	rows  map[string][]string
}

// Users reads /etc/passwd. A file that cannot be read has no users.
func Users(fsys afero.Fs) *Table { return read(fsys, "/etc/passwd") }

// Groups reads /etc/group. A file that cannot be read has no groups.
func Groups(fsys afero.Fs) *Table { return read(fsys, "/etc/group") }

func read(fsys afero.Fs, name string) *Table {
	t := &Table{names: map[int]string{}, rows: map[string][]string{}}
	data, _ := vfs.ReadFile(fsys, name)
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), ":")
		if len(fields) < 3 {
			continue
		}
		id, err := strconv.Atoi(fields[2])
		if err != nil {
			continue
		}
		if _, ok := t.rows[fields[0]]; !ok {
			t.rows[fields[0]] = fields
		}
		t.Add(fields[0], id)
	}
	return t
}

// Add adds a name, unless the table has the name or the number already.
func (t *Table) Add(name string, id int) {
	if name == "" {
		return
	}
	if _, ok := t.rows[name]; !ok {
		t.rows[name] = []string{name, "x", strconv.Itoa(id)}
	}
	if _, ok := t.names[id]; !ok {
		t.names[id] = name
	}
}

// Name returns the name of the number id.
func (t *Table) Name(id int) (string, bool) {
	name, ok := t.names[id]
	return name, ok
}

// Show returns the name of the number id, or its digits where it has none.
func (t *Table) Show(id int) string {
	if name, ok := t.names[id]; ok {
		return name
	}
	return strconv.Itoa(id)
}

// ID returns the number of name.
func (t *Table) ID(name string) (int, bool) {
	row, ok := t.rows[name]
	if !ok {
		return 0, false
	}
	id, err := strconv.Atoi(row[2])
	return id, err == nil
}

// Parse returns the number of name, which may also be a number in decimal
// digits that no name stands for.
func (t *Table) Parse(name string) (int, bool) {
	if id, ok := t.ID(name); ok {
		return id, true
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(name, "+"), 10, 32)
	return int(n), err == nil && n < 1<<32-1
}

// Row returns the fields of the line of name, or nil.
func (t *Table) Row(name string) []string { return t.rows[name] }

// Names returns the names, in no order.
func (t *Table) Names() []string {
	names := make([]string, 0, len(t.rows))
	for name := range t.rows {
		names = append(names, name)
	}
	return names
}
