package sqlite

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/ncruces/go-sqlite3"
)

// A database is a connection to one.
type database struct {
	conn    *sqlite3.Conn
	account *account
	files   *fileSystem
	broken  bool // by a lack of memory in the midst of something
	vacuum  bool // the statement that runs is a VACUUM
	wal     bool // the statement that was prepared asks for a write-ahead log
	deny    func(action sqlite3.AuthorizerActionCode, name string) bool
	refused bool // deny has said that something is not allowed
}

// openDatabase opens a database; an empty name, or ":memory:", is one in memory.
// With readOnly, so is one that is not there.
func openDatabase(ctx context.Context, c *builtins.Call, name string, readOnly bool) (_ *database, err error) {
	a := &account{Context: ctx, call: c}
	limit, err := a.open()
	if err != nil {
		return nil, err
	}
	d := &database{account: a}
	d.files = register(c, a.Err)
	defer func() {
		if outOfMemory(recover()) {
			err = a.exhausted()
		}
		if err != nil {
			d.close()
		}
	}()
	uri, path, err := d.uri(name, readOnly)
	if err != nil {
		return nil, err
	}
	d.conn, err = sqlite3.OpenContext(sqlite3.WithMaxMemory(a, limit), uri)
	if err != nil {
		return nil, err
	}
	a.watch(d.conn)
	d.conn.SetInterrupt(a)
	return d, d.configure(path)
}

// errVFS refuses a name that leads out of the sandbox.
var errVFS = errors.New("no such vfs")

// uri returns name as SQLite is to see it: with the sandbox's files, and without
// the parameters that would choose others. path is the file's name alone.
func (d *database) uri(name string, readOnly bool) (uri, path string, err error) {
	query := url.Values{"vfs": {d.files.name}}
	path = name
	if rest, ok := strings.CutPrefix(name, "file:"); ok {
		rest, _, _ = strings.Cut(rest, "#")
		file, params, _ := strings.Cut(rest, "?")
		if strings.HasPrefix(file, "//") {
			host, tail, _ := strings.Cut(file[2:], "/")
			if host != "" && host != "localhost" {
				return "", "", sqlite3.CANTOPEN
			}
			file = "/" + tail
		}
		values, err := url.ParseQuery(params)
		if err != nil {
			return "", "", sqlite3.CANTOPEN
		}
		if values.Has("vfs") {
			return "", "", errVFS
		}
		for _, key := range []string{"mode", "cache", "immutable", "nolock", "psow"} {
			if values.Has(key) {
				query.Set(key, values.Get(key))
			}
		}
		if path, err = url.PathUnescape(file); err != nil {
			return "", "", sqlite3.CANTOPEN
		}
	}
	if readOnly {
		query.Set("mode", "ro")
		if _, err := d.files.call.FS.Stat(path); err != nil && path != "" {
			path = ":memory:"
		}
	}
	if path == ":memory:" {
		query.Del("mode")
	}
	if strings.HasPrefix(path, "//") { // which would begin with a host
		path = "/" + strings.TrimLeft(path, "/")
	}
	return "file:" + strings.ReplaceAll(url.PathEscape(path), "%2F", "/") + "?" + query.Encode(), path, nil
}

// configure makes a connection behave as the command's does, and confines it.
func (d *database) configure(path string) error {
	for _, c := range []struct {
		op sqlite3.DBConfig
		on bool
	}{
		{sqlite3.DBCONFIG_ENABLE_FKEY, false}, {sqlite3.DBCONFIG_DQS_DDL, true},
		{sqlite3.DBCONFIG_DQS_DML, true}, {sqlite3.DBCONFIG_TRUSTED_SCHEMA, true},
	} {
		if _, err := d.conn.Config(c.op, c.on); err != nil {
			return err
		}
	}
	if err := d.conn.SetAuthorizer(d.authorize); err != nil {
		return err
	}
	if err := d.functions(); err != nil {
		return err
	}
	if d.isWAL(path) {
		return d.exclusive()
	}
	return nil
}

// isWAL reports whether the file has a write-ahead log.
func (d *database) isWAL(path string) bool {
	f, err := d.files.call.FS.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var header [20]byte
	n, _ := f.ReadAt(header[:], 0)
	return n == len(header) && header[18] == 2 && header[19] == 2
}

// exclusive keeps others out of the database: its write-ahead log has an index
// that processes cannot share here.
func (d *database) exclusive() error { return d.conn.Exec("PRAGMA locking_mode=EXCLUSIVE") }

// authorize refuses what leads out of the sandbox: a database whose name chooses
// other files than its own, or whose name is not known yet.
func (d *database) authorize(action sqlite3.AuthorizerActionCode, name, arg, _, _ string) sqlite3.AuthorizerReturnCode {
	if d.deny != nil && d.deny(action, arg) {
		d.refused = true
		return sqlite3.AUTH_DENY
	}
	switch action {
	case sqlite3.AUTH_ATTACH:
		if name == "" && !d.vacuum || !d.confined(name) {
			return sqlite3.AUTH_DENY
		}
	case sqlite3.AUTH_PRAGMA:
		switch strings.ToLower(name) {
		case "temp_store_directory", "data_store_directory", "hard_heap_limit", "soft_heap_limit", "mmap_size":
			if arg != "" {
				return sqlite3.AUTH_DENY
			}
		case "journal_mode":
			d.wal = strings.EqualFold(arg, "wal")
		}
	case sqlite3.AUTH_FUNCTION:
		if strings.EqualFold(arg, "load_extension") {
			return sqlite3.AUTH_DENY
		}
	}
	return sqlite3.AUTH_OK
}

// confined reports whether the name of a database cannot choose its files.
func (d *database) confined(name string) bool {
	rest, isURI := strings.CutPrefix(name, "file:")
	if !isURI {
		return true
	}
	_, params, _ := strings.Cut(rest, "?")
	params, _, _ = strings.Cut(params, "#")
	for pair := range strings.SplitSeq(params, "&") {
		key, _, _ := strings.Cut(pair, "=")
		key, err := url.QueryUnescape(key)
		key, _, _ = strings.Cut(key, "\x00") // where SQLite sees its end
		if err != nil || key == "vfs" {
			return false
		}
	}
	return true
}

// close ends the connection, and whatever goes on in it.
func (d *database) close() {
	if d.conn != nil && !d.broken {
		d.conn.SetInterrupt(context.Background())
		for s := range d.conn.Stmts() {
			defer s.Close()
		}
	}
	defer d.account.close()
	defer d.files.unregister()
	if d.conn != nil && !d.broken {
		defer d.conn.Close()
	}
}

// prepare compiles the first statement of sql. There is none where sql has only
// white space and comments.
func (d *database) prepare(sql string) (stmt *sqlite3.Stmt, tail string, err error) {
	d.wal = false
	if err := d.account.ensure(2 * len(sql)); err != nil {
		return nil, "", err
	}
	for {
		stmt, tail, err = d.tryPrepare(sql)
		if !errors.Is(err, errMemory) {
			return stmt, tail, err
		}
		if !d.account.grow() {
			return nil, "", d.account.exhausted()
		}
	}
}

// errMemory says that a connection was not allowed enough memory.
var errMemory = errors.New("out of memory")

func (d *database) tryPrepare(sql string) (stmt *sqlite3.Stmt, tail string, err error) {
	defer d.recover(&err)
	return d.conn.Prepare(sql)
}

// recover makes an error of the panic by which a lack of memory is reported.
func (d *database) recover(err *error) {
	r := recover()
	if r == nil {
		return
	}
	if !outOfMemory(r) {
		d.broken = true
		panic(r)
	}
	*err = errMemory
}

// A query is a statement that runs.
type query struct {
	*sqlite3.Stmt
	database *database
	rows     int
}

// run begins to run a statement.
func (d *database) run(stmt *sqlite3.Stmt) *query {
	d.vacuum = isVacuum(stmt.SQL())
	return &query{Stmt: stmt, database: d}
}

// isVacuum reports whether a statement is a VACUUM.
func isVacuum(sql string) bool {
	sql = sql[skipSpace(sql):]
	return len(sql) >= 6 && strings.EqualFold(sql[:6], "vacuum")
}

// step goes to the next row, and reports whether there is one. Where memory was
// lacking before the first, the statement has done nothing yet, and is tried
// again with more.
func (q *query) step() (bool, error) {
	alone := q.database.conn.GetAutocommit()
	for {
		more, err := q.try()
		switch {
		case err == nil && more:
			q.rows++
			return true, nil
		case !errors.Is(err, errMemory):
			return false, err
		case q.rows > 0 || q.database.conn.GetAutocommit() != alone || !q.database.account.grow():
			return false, q.database.account.exhausted()
		}
		if err := q.reset(); err != nil && !errors.Is(err, errMemory) {
			return false, err
		}
	}
}

func (q *query) try() (more bool, err error) {
	defer q.database.recover(&err)
	more = q.Step()
	return more, q.Err()
}

func (q *query) reset() (err error) {
	defer q.database.recover(&err)
	return q.Reset()
}

// close ends the statement.
func (q *query) close() {
	defer func() {
		if r := recover(); r != nil && !outOfMemory(r) {
			panic(r)
		}
	}()
	q.database.vacuum = false
	_ = q.Close()
}

// exec runs a statement to its end, without regard to its rows.
func (d *database) exec(sql string, args ...any) error {
	return d.each(sql, args, func(*query) error { return nil })
}

// each calls do for each row of a statement.
func (d *database) each(sql string, args []any, do func(*query) error) error {
	stmt, _, err := d.prepare(sql)
	if err != nil || stmt == nil {
		return err
	}
	q := d.run(stmt)
	defer q.close()
	if err := q.bind(args); err != nil {
		return err
	}
	for {
		more, err := q.step()
		if err != nil || !more {
			return err
		}
		if err := do(q); err != nil {
			return err
		}
	}
}

// bind gives the parameters of a statement their values: strings, integers, or
// nil.
func (q *query) bind(args []any) (err error) {
	defer q.database.recover(&err)
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			if err := q.database.account.ensure(len(v)); err != nil {
				return err
			}
			err = q.BindText(i+1, v)
		case int64:
			err = q.BindInt64(i+1, v)
		default:
			err = q.BindNull(i + 1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// one returns the first column of the first row of a query.
func (d *database) one(sql string, args ...any) (text string, err error) {
	err = d.each(sql, args, func(q *query) error {
		if q.rows == 1 {
			text = q.ColumnText(0)
		}
		return nil
	})
	return text, err
}
