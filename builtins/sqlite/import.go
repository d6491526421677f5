package sqlite

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// source opens what .read and .import read: a file, or a command behind |.
func (s *shell) source(name string) (io.ReadCloser, error) {
	command, ok := strings.CutPrefix(name, "|")
	if !ok {
		info, err := s.FS.Stat(name)
		if err == nil && info.IsDir() {
			return nil, errFailed
		}
		return s.Open(name)
	}
	out := &kept{shell: s}
	_, err := s.Exec(s.ctx, []string{"sh", "-c", command}, func(c *builtins.Call) { c.Stdout = out })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// A kept is the output of a command, for as long as it is read.
type kept struct {
	shell *shell
	text  bytes.Buffer
	held  int
}

func (k *kept) Write(b []byte) (int, error) {
	if err := k.shell.Alloc(2 * len(b)); err != nil {
		return 0, err
	}
	k.held += 2 * len(b)
	return k.text.Write(b)
}

func (k *kept) Read(b []byte) (int, error) { return k.text.Read(b) }

// Close gives back the memory.
func (k *kept) Close() error {
	k.shell.Free(k.held)
	return nil
}

// An importer reads rows into a table.
type importer struct {
	*shell
	db             *database
	in             *bufio.Reader
	file           string
	table, schema  string
	column, row    byte // separators
	quoted         bool // as CSV is
	skip           int
	verbose        bool
	lines          int
	rows, failures int

	field []byte
	term  int // what ended the field; -1 is the end of the input
	steps int
}

func (s *shell) dotImport(args []string) error {
	m := &importer{shell: s, quoted: s.mode != modeASCII}
	own := true // the separators are those of the output
	for i := 1; i < len(args); i++ {
		arg := args[i]
		option := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		switch {
		case !strings.HasPrefix(arg, "-") && m.file == "":
			m.file = arg
		case !strings.HasPrefix(arg, "-") && m.table == "":
			m.table = arg
		case !strings.HasPrefix(arg, "-"):
			return s.misused("import", "extra argument: \"%s\". ", arg)
		case option == "v":
			m.verbose = true
		case option == "schema" && i < len(args)-1:
			i++
			m.schema = args[i]
		case option == "skip" && i < len(args)-1:
			i++
			m.skip = int(integer(args[i]))
		case option == "ascii":
			m.column, m.row, m.quoted, own = 0x1f, 0x1e, false, false
		case option == "csv":
			m.column, m.row, m.quoted, own = ',', '\n', true, false
		default:
			return s.misused("import", "unknown option: \"%s\". ", arg)
		}
	}
	if m.table == "" {
		what := "TABLE"
		if m.file == "" {
			what = "FILE"
		}
		return s.misused("import", "missing %s argument.", what)
	}
	if own {
		if err := m.separators(); err != nil {
			return err
		}
	}
	return m.run()
}

// separators takes those of the output, which must be single characters.
func (m *importer) separators() error {
	s := m.shell
	if s.mode == modeCSV && s.rowSep == "\r\n" {
		s.rowSep = "\n"
	}
	for _, sep := range []struct{ name, text string }{{"column", s.columnSep}, {"row", s.rowSep}} {
		switch {
		case sep.text == "":
			return s.fail("Error: non-null %s separator required for import", sep.name)
		case len(sep.text) > 1:
			return s.fail("Error: multi-character %s separators not allowed for import", sep.name)
		}
	}
	m.column, m.row = s.columnSep[0], s.rowSep[0]
	return nil
}

func (m *importer) run() (err error) {
	if m.db, err = m.shell.db(); err != nil {
		return err
	}
	name := m.file
	in, err := m.source(name)
	if err != nil {
		if err != errFailed && m.Ends(err) {
			return err
		}
		return m.fail("Error: cannot open \"%s\"", name)
	}
	defer in.Close()
	if strings.HasPrefix(name, "|") {
		m.file = "<pipe>"
	}
	m.in, m.lines = bufio.NewReader(in), 1
	defer func() { m.Free(cap(m.field)) }()
	for range m.skip {
		for {
			if _, err := m.next(); err != nil {
				return err
			}
			if m.term != int(m.column) {
				break
			}
		}
	}
	columns, err := m.target()
	if err != nil {
		return err
	}
	return m.fill(columns)
}

// fullName returns the name of the table as SQL has it.
func (m *importer) fullName() string {
	name := `"` + strings.ReplaceAll(m.table, `"`, `""`) + `"`
	if m.schema != "" {
		name = `"` + strings.ReplaceAll(m.schema, `"`, `""`) + `".` + name
	}
	return name
}

// target returns how many columns the table has. Where there is no table, the
// first row of the input names the columns of a new one.
func (m *importer) target() (int, error) {
	count := func() (n int, err error) {
		stmt, _, err := m.db.prepare("SELECT * FROM " + m.fullName())
		if err != nil || stmt == nil {
			return 0, err
		}
		n = stmt.ColumnCount()
		return n, stmt.Close()
	}
	n, err := count()
	if err == nil || !strings.Contains(err.Error(), "no such table: ") {
		return n, err
	}
	var names []string
	for {
		field, err := m.next()
		if err != nil {
			return 0, err
		}
		if field == nil && len(names) == 0 {
			return 0, m.fail("%s: empty file", m.file)
		}
		names = append(names, string(field))
		if m.term != int(m.column) {
			break
		}
	}
	create := "CREATE TABLE " + m.fullName() + m.define(names)
	if m.verbose {
		fmt.Fprintf(m.out, "%s\n\n", create)
	}
	if err := m.db.exec(create); err != nil {
		if m.db.account.err != nil {
			return 0, err
		}
		return 0, m.fail("%s failed:\n%s", create, messageOf(err))
	}
	return count()
}

// define returns the definitions of columns with the given names, made unique.
func (m *importer) define(names []string) string {
	count := map[string]int{}
	for i, name := range names {
		if name == "" {
			names[i] = "?"
		}
		count[strings.ToLower(names[i])]++
	}
	digits := 1
	for n := len(names); n >= 10; n /= 10 {
		digits++
	}
	var renamed []string
	var b strings.Builder
	b.WriteString("(\n")
	for i, name := range names {
		if count[strings.ToLower(name)] > 1 {
			unique := fmt.Sprintf("%s_%0*d", name, digits, i+1)
			renamed = append(renamed, fmt.Sprintf("\"%s\" to \"%s\"", name, unique))
			name = unique
		}
		switch {
		case i > 0 && i%4 == 0:
			b.WriteString(",\n ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(`"` + strings.ReplaceAll(name, `"`, `""`) + `" TEXT`)
	}
	if len(renamed) > 0 {
		fmt.Fprintf(m.Stderr, "Columns renamed during .import %s due to duplicates:\n%s\n", m.file, strings.Join(renamed, ",\n"))
	}
	return b.String() + ")"
}

// fill inserts the rows.
func (m *importer) fill(columns int) error {
	if columns == 0 {
		return nil
	}
	own := m.db.conn.GetAutocommit()
	if own {
		if err := m.db.exec("BEGIN"); err != nil {
			return err
		}
	}
	stmt, _, err := m.db.prepare("INSERT INTO " + m.fullName() + " VALUES(?" + strings.Repeat(",?", columns-1) + ")")
	if err != nil {
		return err
	}
	q := m.db.run(stmt)
	for err == nil {
		err = m.insert(q, columns)
		if m.term < 0 {
			break
		}
	}
	q.close()
	if err != nil {
		return err
	}
	if own {
		err = m.db.exec("COMMIT")
	}
	if m.verbose {
		fmt.Fprintf(m.out, "Added %d rows with %d errors using %d lines of input\n", m.rows, m.failures, m.lines-1)
	}
	return err
}

// insert reads one row and inserts it.
func (m *importer) insert(q *query, columns int) error {
	start := m.lines
	values := make([]any, columns)
	i := 0
	for ; i < columns; i++ {
		field, err := m.next()
		if err != nil {
			return err
		}
		if i == 0 && (field == nil || !m.quoted && len(field) == 0) {
			return nil
		}
		if field != nil {
			values[i] = string(field)
		}
		if i < columns-1 && m.term != int(m.column) {
			fmt.Fprintf(m.Stderr, "%s:%d: expected %d columns but found %d - filling the rest with NULL\n", m.file, start, columns, i+1)
			i = columns
			break
		}
	}
	if m.term == int(m.column) {
		for m.term == int(m.column) {
			if _, err := m.next(); err != nil {
				return err
			}
			i++
		}
		fmt.Fprintf(m.Stderr, "%s:%d: expected %d columns but found %d - extras ignored\n", m.file, start, columns, i)
	}
	if err := q.bind(values); err != nil {
		return err
	}
	_, err := q.step()
	if reset := q.reset(); err == nil {
		err = reset
	}
	switch {
	case err == nil:
		m.rows++
	case m.db.account.err != nil:
		return err
	default:
		fmt.Fprintf(m.Stderr, "%s:%d: INSERT failed: %s\n", m.file, start, messageOf(err))
		m.failures++
	}
	return nil
}
