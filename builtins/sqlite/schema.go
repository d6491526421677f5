package sqlite

import (
	"fmt"
	"strings"
)

// A schemaEntry is a row of sqlite_schema.
type schemaEntry struct{ kind, name, table, sql string }

// entries calls do for what a schema has, except what SQLite makes by itself.
func (d *database) entries(schema, where string, do func(schemaEntry) error) error {
	table := quoteName(schema) + ".sqlite_schema"
	return d.each("SELECT type, name, tbl_name, sql FROM "+table+" AS o "+where, nil, func(q *query) error {
		return do(schemaEntry{cstring(q.ColumnText(0)), cstring(q.ColumnText(1)), cstring(q.ColumnText(2)), cstring(q.ColumnText(3))})
	})
}

// A schemaFile is a database of a connection.
type schemaFile struct{ name, file string }

// schemas returns the databases of a connection.
func (d *database) schemas() (list []schemaFile, err error) {
	err = d.each("PRAGMA database_list", nil, func(q *query) error {
		list = append(list, schemaFile{cstring(q.ColumnText(1)), cstring(q.ColumnText(2))})
		return nil
	})
	return list, err
}

func (s *shell) dotDatabases([]string) error {
	d, err := s.db()
	if err != nil {
		return err
	}
	list, err := d.schemas()
	if err != nil {
		return err
	}
	for _, schema := range list {
		access := "r/w"
		if readOnly, _ := d.conn.ReadOnly(schema.name); readOnly {
			access = "r/o"
		}
		file := schema.file
		if file == "" {
			file = `""`
		}
		fmt.Fprintf(s.out, "%s: %s %s\n", schema.name, file, access)
	}
	return nil
}

// dotTables lists the tables and views, or the indexes.
func (s *shell) dotTables(args []string) error {
	d, err := s.db()
	if err != nil {
		return err
	}
	if len(args) > 2 {
		if strings.HasPrefix(args[0], "i") {
			return s.fail("Usage: .indexes ?LIKE-PATTERN?")
		}
		args = args[:2]
	}
	list, err := d.schemas()
	if err != nil {
		return err
	}
	where, column := "type IN ('table','view') AND name NOT LIKE 'sqlite_%'", "name"
	if strings.HasPrefix(args[0], "i") {
		where, column = "type='index'", "tbl_name"
	}
	var parts []string
	for _, schema := range list {
		name := "name"
		if schema.name != "main" {
			name = quoteSQL(schema.name) + "||'.'||name"
		}
		parts = append(parts, "SELECT "+name+" FROM "+quoteName(schema.name)+".sqlite_schema WHERE "+where+" AND "+column+" LIKE ?1")
	}
	pattern := "%"
	if len(args) > 1 {
		pattern = args[1]
	}
	var names []string
	held, width := 0, 0
	defer func() { s.Free(held) }()
	err = d.each(strings.Join(parts, " UNION ALL ")+" ORDER BY 1", []any{pattern}, func(q *query) error {
		name := cstring(q.ColumnText(0))
		if err := s.Alloc(len(name) + 16); err != nil {
			return err
		}
		held += len(name) + 16
		width = max(width, len(name))
		names = append(names, name)
		return nil
	})
	if err != nil {
		return err
	}
	columns := max(80/(width+2), 1)
	rows := (len(names) + columns - 1) / columns
	for i := range rows {
		for j := i; j < len(names); j += rows {
			if j > i {
				s.out.WriteString("  ")
			}
			fmt.Fprintf(s.out, "%-*s", width, names[j])
		}
		s.out.WriteByte('\n')
	}
	return nil
}

// printSQL prints a CREATE statement.
func (s *shell) printSQL(sql, end string) {
	if rest, ok := strings.CutPrefix(sql, "CREATE TABLE "); ok && rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		sql = "CREATE TABLE IF NOT EXISTS " + rest
	}
	if strings.HasPrefix(end, ";") && endsInComment(sql) {
		sql += "\n"
	}
	s.out.WriteString(sql + end)
}

// endsInComment reports whether what follows sql would be part of a comment.
func endsInComment(sql string) bool {
	i := strings.LastIndex(sql, "--")
	return i >= 0 && !strings.Contains(sql[i:], "\n") && !(&statement{text: []byte(sql)}).complete(";")
}

func (s *shell) dotSchema(args []string) error {
	pattern, indent, noSystem := "", false, false
	for _, arg := range args[1:] {
		switch option := strings.TrimLeft(arg, "-"); {
		case strings.HasPrefix(arg, "-") && option == "indent":
			indent = true
		case strings.HasPrefix(arg, "-") && option == "nosys":
			noSystem = true
		case strings.HasPrefix(arg, "-"):
			return s.fail("Unknown option: \"%s\"", arg)
		case pattern == "":
			pattern = arg
		default:
			return s.fail("Usage: .schema ?--indent? ?--nosys? ?LIKE-PATTERN?")
		}
	}
	d, err := s.db()
	if err != nil {
		return err
	}
	if lower := strings.ToLower(pattern); lower == "sqlite_schema" || lower == "sqlite_master" || lower == "sqlite_temp_schema" || lower == "sqlite_temp_master" {
		temp := map[bool]string{true: "TEMP "}[strings.Contains(lower, "temp")]
		s.printSQL("CREATE "+temp+"TABLE "+pattern+" (\n  type text,\n  name text,\n  tbl_name text,\n  rootpage integer,\n  sql text\n)", ";\n")
		return nil
	}
	list, err := d.schemas()
	if err != nil {
		return err
	}
	where := "WHERE sql NOT NULL ORDER BY rowid"
	if noSystem {
		where = "WHERE sql NOT NULL AND name NOT LIKE 'sqlite__%' ESCAPE '_' ORDER BY rowid"
	}
	for _, schema := range list {
		err := d.entries(schema.name, where, func(e schemaEntry) error {
			if pattern != "" && !s.matchesTable(pattern, schema.name, e.table) {
				return nil
			}
			return s.printEntry(d, schema.name, e, indent)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// matchesTable reports whether a pattern, which may name a schema, is of a table.
func (s *shell) matchesTable(pattern, schema, table string) bool {
	if strings.Contains(pattern, ".") {
		return s.like(pattern, schema+"."+table)
	}
	return s.like(pattern, table)
}

// printEntry prints the statement that made what a schema has.
func (s *shell) printEntry(d *database, schema string, e schemaEntry, indent bool) error {
	sql := e.sql
	if schema != "main" {
		for _, kind := range []string{"TABLE ", "INDEX ", "UNIQUE INDEX ", "VIEW ", "TRIGGER ", "VIRTUAL TABLE "} {
			if rest, ok := strings.CutPrefix(sql, "CREATE "+kind); ok {
				temp := ""
				if strings.EqualFold(schema, "temp") {
					sql = "CREATE TEMP " + kind + rest
				} else {
					sql = "CREATE " + temp + kind + quoteName(schema) + "." + rest
				}
				break
			}
		}
	}
	if e.kind == "view" || strings.HasPrefix(e.sql, "CREATE VIRTUAL TABLE") {
		columns, err := d.columnsOf(schema, e.name)
		if err == nil && len(columns) > 0 {
			for i, c := range columns {
				columns[i] = quoteName(c)
			}
			prefix := ""
			if schema != "main" {
				prefix = quoteName(schema) + "."
			}
			sql += "\n/* " + prefix + quoteName(e.name) + "(" + strings.Join(columns, ",") + ") */"
		}
	}
	if indent && e.kind != "view" && e.kind != "trigger" {
		sql = indented(sql)
	}
	s.printSQL(sql, ";\n")
	return nil
}

// columnsOf returns the names of a table's columns.
func (d *database) columnsOf(schema, table string) (names []string, err error) {
	err = d.each("PRAGMA "+quoteName(schema)+".table_info="+quoteSQL(table), nil, func(q *query) error {
		names = append(names, cstring(q.ColumnText(1)))
		return nil
	})
	return names, err
}

// indented breaks a CREATE TABLE with several columns into lines.
func indented(sql string) string {
	open := strings.IndexByte(sql, '(')
	if open < 0 || len(sql) < 79 {
		return sql
	}
	var b strings.Builder
	depth, blank := 0, false
	for i := 0; i < len(sql); {
		word := sql[i : i+1]
		if c := sql[i]; c == '\'' || c == '"' || c == '`' || c == '[' && i > open {
			word = tokenOf(sql[i:])
		}
		i += len(word)
		switch {
		case isBlank(word[0]):
			blank = true
			continue
		case word == ")":
			if depth--; depth == 0 {
				b.WriteByte('\n')
				blank = false
			}
		}
		if blank && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n  ") {
			b.WriteByte(' ')
		}
		blank = false
		b.WriteString(word)
		switch {
		case word == "(":
			if depth++; depth == 1 {
				b.WriteString("\n  ")
			}
		case word == "," && depth == 1:
			b.WriteString("\n  ")
		}
	}
	return b.String()
}

func (s *shell) dotFullSchema(args []string) error {
	d, err := s.db()
	if err != nil {
		return err
	}
	indent := len(args) == 2 && strings.TrimLeft(args[1], "-") == "indent"
	if len(args) > 1 && !indent {
		return s.fail("Usage: .fullschema ?--indent?")
	}
	err = d.entries("main", "WHERE sql NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid", func(e schemaEntry) error {
		sql := e.sql
		if indent {
			sql = indented(sql)
		}
		s.printSQL(sql, ";\n")
		return nil
	})
	if err != nil {
		return err
	}
	statistics, err := d.one("SELECT 1 FROM sqlite_schema WHERE name GLOB 'sqlite_stat[134]'")
	if err != nil || statistics == "" {
		s.out.WriteString("/* No STAT tables available */\n")
		return err
	}
	s.out.WriteString("ANALYZE sqlite_schema;\n")
	for _, table := range []string{"sqlite_stat1", "sqlite_stat4"} {
		if found, _ := d.one("SELECT 1 FROM sqlite_schema WHERE name=?", table); found == "" {
			continue
		}
		if err := s.dumpRows(d, "SELECT * FROM "+table, table); err != nil {
			return err
		}
	}
	s.out.WriteString("ANALYZE sqlite_schema;\n")
	return nil
}
