package sqlite

import (
	"fmt"
	"strings"
)

// A dump is one run of .dump.
type dump struct {
	*shell
	db       *database
	dataOnly bool
	noSystem bool
	rowIDs   bool
	writable bool // the output has made the schema writable
	trouble  bool
}

func (s *shell) dotDump(args []string) error {
	u := &dump{shell: s}
	var patterns []string
	newlines := false
	for _, arg := range args[1:] {
		option := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		switch {
		case !strings.HasPrefix(arg, "-"):
			patterns = append(patterns, "name LIKE "+quoteSQL(arg)+" ESCAPE '\\' OR EXISTS (SELECT 1 FROM sqlite_schema WHERE name LIKE "+quoteSQL(arg)+
				" ESCAPE '\\' AND sql LIKE 'CREATE VIRTUAL TABLE%' AND substr(o.name, 1, length(name)+1) == (name||'_'))")
		case option == "preserve-rowids":
			u.rowIDs = true
		case option == "newlines":
			newlines = true
		case option == "data-only":
			u.dataOnly = true
		case option == "nosys":
			u.noSystem = true
		default:
			return s.fail("Unknown option \"%s\" on \".dump\"", arg)
		}
	}
	var err error
	if u.db, err = s.db(); err != nil {
		return err
	}
	saved, table := s.format, s.table
	defer func() { s.format, s.table = saved, table }()
	s.mode, s.headers, s.newlines = modeInsert, false, newlines
	where := "true"
	if len(patterns) > 0 {
		where = strings.Join(patterns, " OR ")
	}
	return u.run(where)
}

// run prints what the condition where chooses.
func (u *dump) run(where string) error {
	if err := u.db.exec("SAVEPOINT dump"); err != nil {
		return err
	}
	defer func() { _ = u.db.exec("RELEASE dump") }()
	if !u.dataOnly {
		u.out.WriteString("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n")
	}
	tables := "WHERE (" + where + ") AND type=='table' AND sql NOT NULL ORDER BY tbl_name='sqlite_sequence', rowid"
	var list []schemaEntry
	held := 0
	defer func() { u.Free(held) }()
	err := u.db.entries("main", tables, func(e schemaEntry) error {
		held += len(e.sql) + 64
		list = append(list, e)
		return u.Alloc(len(e.sql) + 64)
	})
	for i := 0; i < len(list) && err == nil; i++ {
		err = u.table(list[i])
	}
	if err == nil && !u.dataOnly {
		err = u.db.entries("main", "WHERE ("+where+") AND sql NOT NULL AND type IN ('index','trigger','view')", func(e schemaEntry) error {
			if u.noSystem && strings.HasPrefix(e.name, "sqlite_") {
				return nil
			}
			u.printSQL(e.sql, ";\n")
			return nil
		})
	}
	if err != nil {
		return err
	}
	if u.writable {
		u.out.WriteString("PRAGMA writable_schema=OFF;\n")
	}
	if !u.dataOnly {
		u.out.WriteString(map[bool]string{false: "COMMIT;\n", true: "ROLLBACK; -- due to errors\n"}[u.trouble])
	}
	return nil
}

// table prints a table: how it is made, and its rows.
func (u *dump) table(e schemaEntry) error {
	switch {
	case u.noSystem && strings.HasPrefix(e.name, "sqlite_"):
		return nil
	case e.name == "sqlite_sequence":
		if !u.dataOnly {
			u.out.WriteString("DELETE FROM sqlite_sequence;\n")
		}
	case strings.HasPrefix(e.name, "sqlite_stat"):
		if !u.dataOnly {
			u.out.WriteString("ANALYZE sqlite_schema;\n")
		}
	case strings.HasPrefix(e.name, "sqlite_"):
		return nil
	case u.dataOnly:
	case strings.HasPrefix(e.sql, "CREATE VIRTUAL TABLE"):
		if !u.writable {
			u.out.WriteString("PRAGMA writable_schema=ON;\n")
			u.writable = true
		}
		fmt.Fprintf(u.out, "INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table',%s,%s,0,%s);\n",
			quoteSQL(e.name), quoteSQL(e.name), quoteSQL(e.sql))
		return nil
	default:
		u.printSQL(e.sql, ";\n")
	}
	columns, rowID, err := u.columns(e.name)
	if err != nil || len(columns) == 0 {
		return err
	}
	name := quoteName(e.name)
	query := "SELECT " + strings.Join(columns, ",") + " FROM " + name
	if rowID != "" {
		name += "(" + rowID + "," + strings.Join(columns, ",") + ")"
		query = "SELECT " + rowID + "," + strings.Join(columns, ",") + " FROM " + quoteName(e.name)
	}
	err = u.dumpRows(u.db, query, name)
	if err != nil && codeOf(err) == 11 && u.db.account.err == nil {
		u.out.WriteString("/****** CORRUPTION ERROR *******/\n")
		u.trouble = true
		err = u.dumpRows(u.db, query+" ORDER BY rowid DESC", name)
	}
	if err != nil && codeOf(err) != 0 && u.db.account.err == nil {
		fmt.Fprintf(u.out, "/****** ERROR: %s ******/\n", messageOf(err))
		u.trouble = true
		return nil
	}
	return err
}

// columns returns the names of a table's columns as SQL has them, and a name for
// its row number where that is to be kept.
func (u *dump) columns(table string) (columns []string, rowID string, err error) {
	keys, integer := 0, false
	used := map[string]bool{}
	err = u.db.each("PRAGMA table_info="+quoteSQL(table), nil, func(q *query) error {
		name := cstring(q.ColumnText(1))
		columns = append(columns, quoteName(name))
		used[strings.ToLower(name)] = true
		if q.ColumnInt(5) > 0 {
			keys++
			integer = strings.EqualFold(q.ColumnText(2), "INTEGER")
		}
		return nil
	})
	if err != nil || !u.rowIDs || keys == 1 && integer {
		return columns, "", err
	}
	for _, name := range []string{"rowid", "_rowid_", "oid"} {
		if used[name] {
			continue
		}
		_, probe := u.db.one("SELECT " + name + " FROM " + quoteName(table) + " LIMIT 0")
		if probe == nil {
			return columns, name, nil
		}
		if u.db.account.err != nil {
			return nil, "", probe
		}
	}
	return columns, "", nil
}

// dumpRows prints the rows of a query as INSERT statements into a table.
func (s *shell) dumpRows(d *database, sql, table string) error {
	stmt, _, err := d.prepare(sql)
	if err != nil || stmt == nil {
		return err
	}
	q := d.run(stmt)
	defer q.close()
	saved, name := s.format, s.table
	defer func() { s.format, s.table = saved, name }()
	s.mode, s.headers, s.table = modeInsert, false, table
	return s.print(q)
}

// dotBackup copies a database into a file.
func (s *shell) dotBackup(args []string) error {
	var names []string
	for _, arg := range args[1:] {
		switch option := strings.TrimLeft(arg, "-"); {
		case !strings.HasPrefix(arg, "-"):
			names = append(names, arg)
		case option == "async":
		default:
			return s.fail("unknown option: %s", arg)
		}
	}
	schema := "main"
	switch len(names) {
	case 0:
		return s.fail("missing FILENAME argument on .backup")
	case 1:
	case 2:
		schema, names = names[0], names[1:]
	default:
		return s.fail("Usage: .backup ?DB? ?OPTIONS? FILENAME")
	}
	return s.copyDatabase(names[0], func(d *database, uri string) error { return d.conn.Backup(schema, uri) })
}

// dotRestore replaces a database by what a file has.
func (s *shell) dotRestore(args []string) error {
	schema, name := "main", ""
	switch len(args) {
	case 2:
		name = args[1]
	case 3:
		schema, name = args[1], args[2]
	default:
		return s.fail("Usage: .restore ?DB? FILE")
	}
	return s.copyDatabase(name, func(d *database, uri string) error { return d.conn.Restore(schema, uri) })
}

// copyDatabase has do copy between the database and the one called name.
func (s *shell) copyDatabase(name string, do func(d *database, uri string) error) (err error) {
	d, err := s.db()
	if err != nil {
		return err
	}
	uri, _, err := d.uri(name, false)
	if err != nil {
		return s.fail("Error: cannot open \"%s\"", name)
	}
	defer d.recover(&err)
	err = do(d, uri)
	if codeOf(err) == 14 && d.account.err == nil {
		return s.fail("Error: cannot open \"%s\"", name)
	}
	return err
}

// dotClone copies the content of the database, statement by statement, into a
// new one.
func (s *shell) dotClone(args []string) error {
	if len(args) != 2 {
		return s.fail("Usage: .clone FILENAME")
	}
	if _, err := s.FS.Stat(args[1]); err == nil {
		return s.fail("File \"%s\" already exists.", args[1])
	}
	d, err := s.db()
	if err != nil {
		return err
	}
	to, err := openDatabase(s.ctx, s.Call, args[1], false)
	if err != nil {
		if s.Ends(err) {
			return err
		}
		return s.fail("Cannot create output database: %s", messageOf(err))
	}
	defer to.close()
	if err := to.exec("BEGIN EXCLUSIVE"); err != nil {
		return err
	}
	for _, where := range []string{"WHERE type='table' AND sql NOT NULL ORDER BY rowid", "WHERE type!='table' AND sql NOT NULL ORDER BY rowid"} {
		err := d.entries("main", where, func(e schemaEntry) error { return s.cloneEntry(d, to, e) })
		if err != nil {
			return err
		}
	}
	return to.exec("COMMIT")
}

// cloneEntry makes what e describes in another database.
func (s *shell) cloneEntry(from, to *database, e schemaEntry) error {
	fmt.Fprintf(s.out, "%s... ", e.name)
	if err := to.exec(e.sql); err != nil {
		if to.account.err != nil || codeOf(err) == 0 {
			return err
		}
		fmt.Fprintf(s.Stderr, "Error: %s\nSQL: [%s]\n", messageOf(err), e.sql)
	}
	if e.kind == "table" {
		var r row
		rows := `SELECT * FROM "` + strings.ReplaceAll(e.name, `"`, `""`) + `"`
		err := from.each(rows, nil, func(q *query) error {
			if err := s.load(q, &r); err != nil {
				return err
			}
			values := make([]string, len(r.cells))
			for i := range r.cells {
				values[i] = s.literal(&r.cells[i], true)
			}
			return to.exec("INSERT OR IGNORE INTO " + quoteName(e.name) + " VALUES(" + strings.Join(values, ",") + ")")
		})
		if err != nil {
			if to.account.err != nil || from.account.err != nil || codeOf(err) == 0 {
				return err
			}
			fmt.Fprintf(s.Stderr, "Error %d: %s on [%s]\n", codeOf(err), messageOf(err), rows)
		}
	}
	_, err := s.out.WriteString("done\n")
	return err
}
