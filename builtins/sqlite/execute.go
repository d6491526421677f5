package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/limits"
	"github.com/ncruces/go-sqlite3"
)

// runSQL runs the statements of sql up to the first that fails, of which it
// calls fail with the message and SQLite's number for the error. It returns what
// fail returns, or why the call must end.
func (s *shell) runSQL(sql string, fail func(message string, status int) error) error {
	d, err := s.db()
	if err != nil {
		return err
	}
	for {
		sql = sql[skipBlanks(sql):]
		if sql == "" {
			return nil
		}
		stmt, tail, err := d.prepare(sql)
		if err != nil {
			return s.failed(d, "in prepare", sql, err, fail)
		}
		if stmt == nil {
			return nil
		}
		text := sql[:len(sql)-len(tail)]
		if err := s.runStatement(d, stmt, strings.TrimSpace(text)); err != nil {
			return s.failed(d, "stepping", "", err, fail)
		}
		sql = tail
	}
}

// failed reports an error of the statement that sql begins with.
func (s *shell) failed(d *database, phase, sql string, err error, fail func(string, int) error) error {
	if d.account.err != nil {
		return d.account.err
	}
	if err := s.Meter.Err(); err != nil {
		return err
	}
	if d.refused {
		return exitStatus(1)
	}
	code := codeOf(err)
	if code == 0 || errors.Is(err, limits.ErrExceeded) {
		return err // not SQLite's
	}
	message := phase + ", " + messageOf(err)
	if code > 1 {
		message += fmt.Sprintf(" (%d)", code)
	}
	if e, ok := errors.AsType[*sqlite3.Error](err); ok && sql != "" && e.SQL() != "" {
		message += errorContext(sql, len(sql)-len(e.SQL()))
	}
	return fail(message, code)
}

// codeOf returns SQLite's number for an error, or 0 where it is another's.
func codeOf(err error) int {
	if e, ok := errors.AsType[*sqlite3.Error](err); ok {
		return int(e.Code())
	}
	if e, ok := errors.AsType[sqlite3.ExtendedErrorCode](err); ok {
		return int(e) & 0xff
	}
	if e, ok := errors.AsType[sqlite3.ErrorCode](err); ok {
		return int(e)
	}
	return 0
}

// messageOf returns an error in SQLite's words.
func messageOf(err error) string {
	text := strings.TrimPrefix(err.Error(), "sqlite3: ")
	if e, ok := errors.AsType[*sqlite3.Error](err); ok {
		kind := strings.TrimPrefix(e.Code().Error(), "sqlite3: ")
		if detail, ok := strings.CutPrefix(text, kind+": "); ok && errors.Unwrap(e) == nil {
			text = detail
		} else {
			text = kind
		}
	}
	// What releases after 3.40 add.
	text, _, _ = strings.Cut(text, " - should this be a string literal in single-quotes?")
	return text
}

// errorContext shows where in sql an error is.
func errorContext(sql string, offset int) string {
	if offset < 0 || offset >= len(sql) {
		return ""
	}
	for offset > 50 {
		n := 1
		for n < len(sql) && sql[n]&0xc0 == 0x80 {
			n++
		}
		offset, sql = offset-n, sql[n:]
	}
	if n := len(sql); n > 78 {
		for n = 78; sql[n]&0xc0 == 0x80; {
			n--
		}
		sql = sql[:n]
	}
	line := strings.Map(func(r rune) rune {
		if r == ' ' || '\t' <= r && r <= '\r' {
			return ' '
		}
		return r
	}, sql)
	if offset < 25 {
		return fmt.Sprintf("\n  %s\n  %*s^--- error here", line, offset, "")
	}
	return fmt.Sprintf("\n  %s\n  %*serror here ---^", line, offset-14, "")
}

// runStatement runs one statement and prints its rows.
func (s *shell) runStatement(d *database, stmt *sqlite3.Stmt, text string) error {
	q := d.run(stmt)
	defer q.close()
	if s.eqp != "" && s.eqp != "trace" && !explains(text) {
		if err := s.plan(d, text); err != nil {
			return err
		}
	}
	if d.wal {
		if err := d.exclusive(); err != nil {
			return err
		}
	}
	if err := s.bindParameters(d, q); err != nil {
		return err
	}
	saved := s.format
	if word := tokens(text, 2); len(word) > 0 && strings.EqualFold(word[0], "EXPLAIN") && s.autoExplain {
		if len(word) > 1 && strings.EqualFold(word[1], "QUERY") {
			s.mode = modePlan
		} else {
			s.mode = modeExplain
		}
	}
	err := s.print(q)
	s.format = saved
	return err
}

// explains reports whether a statement explains another.
func explains(sql string) bool {
	word := tokens(sql, 1)
	return len(word) > 0 && strings.EqualFold(word[0], "EXPLAIN")
}

// tokens returns the first n tokens of sql.
func tokens(sql string, n int) (list []string) {
	for len(list) < n {
		sql = sql[skipSpace(sql):]
		if sql == "" {
			break
		}
		word := tokenOf(sql)
		list, sql = append(list, word), sql[len(word):]
	}
	return list
}

// plan prints the plan of a query before it runs, for .eqp.
func (s *shell) plan(d *database, sql string) error {
	explained := func(prefix string, m mode) error {
		stmt, _, err := d.prepare(prefix + sql)
		if err != nil || stmt == nil {
			return err
		}
		q := d.run(stmt)
		defer q.close()
		saved := s.format
		defer func() { s.format = saved }()
		s.mode = m
		return s.print(q)
	}
	if err := explained("EXPLAIN QUERY PLAN ", modePlan); err != nil || s.eqp != "full" {
		return err
	}
	return explained("EXPLAIN ", modeExplain)
}

// A planNode is a row of EXPLAIN QUERY PLAN.
type planNode struct {
	id, parent int
	text       string
}

// printPlan prints the rows of EXPLAIN QUERY PLAN as a tree.
func (s *shell) printPlan(q *query) error {
	var nodes []planNode
	held := 0
	defer func() { s.Free(held) }()
	for {
		more, err := q.step()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		n := planNode{q.ColumnInt(0), q.ColumnInt(1), cstring(q.ColumnText(3))}
		if err := s.Alloc(len(n.text) + 40); err != nil {
			return err
		}
		held += len(n.text) + 40
		nodes = append(nodes, n)
	}
	if len(nodes) == 0 {
		return nil
	}
	if nodes[0].text != "" && nodes[0].text[0] == '-' {
		if len(nodes) == 1 {
			return nil
		}
		fmt.Fprintln(s.out, nodes[0].text[3:])
		nodes = nodes[1:]
	} else {
		fmt.Fprintln(s.out, "QUERY PLAN")
	}
	return s.printPlanLevel(nodes, 0, "", 0)
}

func (s *shell) printPlanLevel(nodes []planNode, parent int, prefix string, depth int) error {
	last := -1
	for i, n := range nodes {
		if n.parent == parent {
			last = i
		}
	}
	for i, n := range nodes {
		if n.parent != parent {
			continue
		}
		if err := s.Poll(len(nodes)); err != nil {
			return err
		}
		branch, below := "|--", "|  "
		if i == last {
			branch, below = "`--", "   "
		}
		fmt.Fprintf(s.out, "%s%s%s\n", prefix, branch, n.text)
		if depth < 100 && slices.ContainsFunc(nodes, func(o planNode) bool { return o.parent == n.id }) && n.id != parent {
			if err := s.printPlanLevel(nodes, n.id, prefix+below, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
