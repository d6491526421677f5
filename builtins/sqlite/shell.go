package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/limpet-sh/limpet/builtins"
)

// A shell is one run of the command.
type shell struct {
	*builtins.Call
	format
	ctx context.Context

	connections [5]*database // see .connection
	files       [5]string    // of the databases that are not current
	current     int
	file        string // the database's, as given
	readOnly    bool
	initFile    string
	hasInit     bool

	stdout *bufio.Writer
	out    *bufio.Writer  // standard output, or where .output and .once direct it
	sink   io.WriteCloser // behind out, unless that is standard output
	outTo  string         // its name
	once   int            // statements until output goes back to standard output

	table       string // of mode insert
	echo        bool
	bail        bool
	changes     bool
	timer       bool
	eqp         string // of .eqp: "", on, trigger, full or trace
	autoExplain bool
	safe        bool // for the next command
	safeAlways  bool
	nonce       string
	line        int // of the input
	depth       int // of files that read files
}

// A format says how rows are printed.
type format struct {
	mode       mode
	headers    bool
	headersSet bool // by the user
	columnSep  string
	rowSep     string
	null       string
	widths     []int
	columns    columnOptions
	newlines   bool // strings of mode insert have them as they are
}

// setHeaders turns headers on or off.
func (s *shell) setHeaders(on bool) { s.headers, s.headersSet = on, true }

// db returns the database, opening it first where that has not been done.
func (s *shell) db() (*database, error) {
	if d := s.connections[s.current]; d != nil {
		return d, nil
	}
	if err := s.openDB(); err != nil {
		return nil, err
	}
	return s.connections[s.current], nil
}

// openDB opens the database, or ends the command.
func (s *shell) openDB() error {
	d, err := openDatabase(s.ctx, s.Call, s.file, s.readOnly)
	if err != nil {
		if s.Ends(err) {
			return err
		}
		fmt.Fprintf(s.Stderr, "Error: unable to open database \"%s\": %s\n", s.file, messageOf(err))
		return exitStatus(1)
	}
	d.deny = s.denies
	s.connections[s.current] = d
	if s.safeAlways {
		return d.exec("PRAGMA trusted_schema=OFF")
	}
	return nil
}

// sortedNames returns the keys of m in order.
func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
