package sqlite

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// parameterTable has the values of parameters.
const parameterTable = "temp.sqlite_parameters"

// dotParameter changes or lists the values of parameters.
func (s *shell) dotParameter(args []string) error {
	d, err := s.db()
	if err != nil {
		return err
	}
	switch {
	case len(args) == 2 && args[1] == "clear":
		return d.exec("DROP TABLE IF EXISTS " + parameterTable)
	case len(args) == 2 && args[1] == "list":
		return s.listParameters(d)
	case len(args) == 2 && args[1] == "init":
		return d.initParameters()
	case len(args) == 4 && args[1] == "set":
		return s.setParameter(d, args[2], args[3])
	case len(args) == 3 && args[1] == "unset":
		if !d.hasParameters() {
			return nil
		}
		return d.exec("DELETE FROM "+parameterTable+" WHERE key=?", args[2])
	}
	return s.dotHelp([]string{"help", "parameter"})
}

// initParameters makes the table. Its name is one that is otherwise reserved.
func (d *database) initParameters() error {
	writable, err := d.conn.Config(sqlite3.DBCONFIG_WRITABLE_SCHEMA)
	if err != nil {
		return err
	}
	if _, err := d.conn.Config(sqlite3.DBCONFIG_WRITABLE_SCHEMA, true); err != nil {
		return err
	}
	err = d.exec("CREATE TABLE IF NOT EXISTS " + parameterTable + "(key TEXT PRIMARY KEY, value) WITHOUT ROWID")
	_, restored := d.conn.Config(sqlite3.DBCONFIG_WRITABLE_SCHEMA, writable)
	return errors.Join(err, restored)
}

// hasParameters reports whether there is a table of parameters.
func (d *database) hasParameters() bool {
	found, err := d.one("SELECT 1 FROM temp.sqlite_schema WHERE name='sqlite_parameters'")
	return err == nil && found != ""
}

// setParameter gives a parameter a value: that of an expression, or else the
// text.
func (s *shell) setParameter(d *database, key, value string) error {
	if err := d.initParameters(); err != nil {
		return err
	}
	replace := "REPLACE INTO " + parameterTable + "(key,value)VALUES(" + quoteSQL(key) + ","
	err := d.exec(replace + value + ");")
	if err != nil && d.account.err == nil {
		err = d.exec(replace + quoteSQL(value) + ");")
	}
	return err
}

func (s *shell) listParameters(d *database) error {
	if !d.hasParameters() {
		return nil
	}
	width := 0
	err := d.each("SELECT max(length(key)) FROM "+parameterTable, nil, func(q *query) error {
		width = min(q.ColumnInt(0), 40)
		return nil
	})
	if err != nil || width == 0 {
		return err
	}
	return d.each("SELECT key, quote(value) FROM "+parameterTable, nil, func(q *query) error {
		_, err := fmt.Fprintf(s.out, "%-*s %s\n", width, cstring(q.ColumnText(0)), cstring(q.ColumnText(1)))
		return err
	})
}

// bindParameters gives the parameters of a statement their values.
func (s *shell) bindParameters(d *database, q *query) error {
	n := q.BindCount()
	if n == 0 || !d.hasParameters() {
		return nil
	}
	for i := 1; i <= n; i++ {
		name := q.BindName(i)
		if name == "" {
			name = fmt.Sprintf("?%d", i)
		}
		err := d.each("SELECT value FROM "+parameterTable+" WHERE key=?", []any{name}, func(value *query) error {
			return q.BindValue(i, value.ColumnValue(0))
		})
		if err != nil && !strings.Contains(err.Error(), "no such table") {
			return err
		}
	}
	return nil
}
