package sqlite

import (
	"fmt"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// denies refuses, in safe mode, what reaches files besides the database. It says
// so, and the command ends.
func (s *shell) denies(action sqlite3.AuthorizerActionCode, name string) bool {
	if !s.safe {
		return false
	}
	switch action {
	case sqlite3.AUTH_ATTACH:
		_ = s.refuse("cannot run ATTACH in safe mode")
		return true
	case sqlite3.AUTH_FUNCTION:
		switch name := strings.ToLower(name); name {
		case "edit", "fts3_tokenizer", "load_extension", "readfile", "writefile", "zipfile", "zipfile_cds":
			_ = s.refuse("cannot use the " + name + "() function in safe mode")
			return true
		}
	}
	return false
}

// dotOpen closes the database and opens another.
func (s *shell) dotOpen(args []string) error {
	name, fresh, readOnly := "", false, false
	for _, arg := range args[1:] {
		switch option := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"); {
		case !strings.HasPrefix(arg, "-") && name == "":
			name = arg
		case !strings.HasPrefix(arg, "-"):
			return s.fail("extra argument: \"%s\"", arg)
		case option == "new":
			fresh = true
		case option == "readonly":
			readOnly = true
		default:
			return s.fail("unknown option: %s", arg)
		}
	}
	if s.safe && name != "" && name != ":memory:" {
		return s.refuse("cannot open disk-based database files in safe mode")
	}
	s.disconnect(s.current)
	s.readOnly = readOnly
	if name == "" {
		s.file = ":memory:"
		return s.openDB()
	}
	if fresh && !strings.HasPrefix(name, ":") {
		_ = s.FS.Remove(name)
	}
	s.file = name
	err := s.openDB()
	if _, failed := err.(exitStatus); failed {
		s.file = ":memory:"
		if opened := s.openDB(); opened != nil {
			return opened
		}
		s.file = name
		return errFailed
	}
	return err
}

// disconnect closes one of the connections.
func (s *shell) disconnect(i int) {
	if d := s.connections[i]; d != nil {
		d.close()
		s.connections[i] = nil
	}
}

// dotConnection opens, chooses, closes or lists connections.
func (s *shell) dotConnection(args []string) error {
	number := func(text string) (int, bool) {
		if len(text) == 1 && '0' <= text[0] && int(text[0]-'0') < len(s.connections) {
			return int(text[0] - '0'), true
		}
		return 0, false
	}
	switch {
	case len(args) == 1:
		return s.listConnections()
	case len(args) == 2:
		if i, ok := number(args[1]); ok {
			s.files[s.current] = s.file
			s.current = i
			s.file = s.files[i]
			return nil
		}
	case len(args) == 3 && args[1] == "close":
		if i, ok := number(args[2]); ok {
			if i == s.current {
				return s.fail("cannot close the active database connection")
			}
			s.disconnect(i)
			return nil
		}
	}
	return s.fail("Usage: .connection [close] [CONNECTION-NUMBER]")
}

// listConnections prints the connections that there are.
func (s *shell) listConnections() error {
	for i, d := range s.connections {
		name := s.files[i]
		if i == s.current {
			name = s.file
		}
		switch {
		case d == nil && i != s.current:
			continue
		case name == "":
			name = "(memory)"
		}
		active := "      "
		if i == s.current {
			active = "ACTIVE"
		}
		fmt.Fprintf(s.out, "%s %d: %s\n", active, i, name)
	}
	return nil
}
