package sqlite

import (
	"fmt"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/ncruces/go-sqlite3"
)

func (s *shell) dotHeaders(args []string) error {
	if len(args) != 2 {
		return s.fail("Usage: .headers on|off")
	}
	s.setHeaders(s.boolean(args[1]))
	return nil
}

func (s *shell) dotNullValue(args []string) error {
	if len(args) != 2 {
		return s.fail("Usage: .nullvalue STRING")
	}
	s.null = args[1]
	return nil
}

func (s *shell) dotSeparator(args []string) error {
	if len(args) < 2 || len(args) > 3 {
		return s.fail("Usage: .separator COL ?ROW?")
	}
	s.columnSep = args[1]
	if len(args) == 3 {
		s.rowSep = args[2]
	}
	return nil
}

func (s *shell) dotWidth(args []string) error {
	s.widths = nil
	for _, arg := range args[1:] {
		s.widths = append(s.widths, int(integer(arg)))
	}
	return nil
}

func (s *shell) dotPrint(args []string) error {
	_, err := fmt.Fprintln(s.out, strings.Join(args[1:], " "))
	return err
}

func (s *shell) dotExit(args []string) error {
	if len(args) > 1 {
		if status := int(integer(args[1])) & 0xff; status != 0 {
			return exitStatus(status)
		}
	}
	return errQuit
}

func (s *shell) dotEqp(args []string) error {
	if len(args) != 2 {
		return s.fail("Usage: .eqp off|on|trace|trigger|full")
	}
	switch args[1] {
	case "full", "trigger", "trace":
		s.eqp = args[1]
	default:
		s.eqp = ""
		if s.boolean(args[1]) {
			s.eqp = "on"
		}
	}
	return nil
}

func (s *shell) dotExplain(args []string) error {
	if len(args) > 1 && args[1] == "auto" {
		s.autoExplain = true
		return nil
	}
	s.autoExplain = len(args) == 1 || s.boolean(args[1])
	return nil
}

func (s *shell) dotTimeout(args []string) error {
	d, err := s.db()
	if err != nil {
		return err
	}
	ms := int64(0)
	if len(args) > 1 {
		ms = integer(args[1])
	}
	return d.conn.BusyTimeout(time.Duration(ms) * time.Millisecond)
}

func (s *shell) dotNonce(args []string) error {
	if len(args) != 2 {
		return s.fail("Usage: .nonce NONCE")
	}
	if s.nonce == "" || s.nonce != args[1] {
		return s.refuse(fmt.Sprintf("incorrect nonce: \"%s\"", args[1]))
	}
	s.safe = false
	return nil
}

func (s *shell) dotCd(args []string) error {
	if len(args) != 2 {
		return s.fail("Usage: .cd DIRECTORY")
	}
	dir, err := vfs.Resolve(s.FS.FS, s.FS.Abs(args[1]), true)
	if err == nil {
		info, statErr := s.FS.Stat(dir)
		if err = statErr; err == nil && info.IsDir() {
			view := *s.FS
			view.Dir = dir
			s.FS = &view
			return nil
		}
	}
	return s.fail("Cannot change to directory \"%s\"", args[1])
}

func (s *shell) dotScanStats(args []string) error {
	if len(args) != 2 {
		return s.fail("Usage: .scanstats on|off")
	}
	s.boolean(args[1])
	fmt.Fprintln(s.Stderr, "Warning: .scanstats not available in this build.")
	return nil
}

func (s *shell) dotVersion([]string) error {
	_, err := fmt.Fprintf(s.out, "SQLite %s\n", release)
	return err
}

func (s *shell) dotLoad(args []string) error {
	if len(args) < 2 {
		return s.fail("Usage: .load FILE ?ENTRYPOINT?")
	}
	return s.fail("Error: %s.so: cannot open shared object file: No such file or directory", args[1])
}

func (s *shell) dotInfo([]string) error { return s.fail("error: no such table: sqlite_dbpage") }

// onOff returns a setting in words.
func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func (s *shell) dotShow([]string) error {
	eqp, explain := s.eqp, "off"
	if eqp == "" {
		eqp = "off"
	}
	if s.autoExplain {
		explain = "auto"
	}
	out := s.outTo
	if out == "" {
		out = "stdout"
	}
	mode := modes[s.mode]
	if s.columnar() {
		mode += " " + s.columnSettings()
	}
	var widths strings.Builder
	for _, w := range s.widths {
		fmt.Fprintf(&widths, "%d ", w)
	}
	for _, line := range [][2]string{
		{"echo", onOff(s.echo)}, {"eqp", eqp}, {"explain", explain}, {"headers", onOff(s.headers)}, {"mode", mode},
		{"nullvalue", quoteC(s.null)}, {"output", out}, {"colseparator", quoteC(s.columnSep)}, {"rowseparator", quoteC(s.rowSep)},
		{"stats", "off"}, {"width", widths.String()}, {"filename", s.file},
	} {
		fmt.Fprintf(s.out, "%12s: %s\n", line[0], line[1])
	}
	return nil
}

// columnar reports whether the mode prints columns.
func (s *shell) columnar() bool {
	return s.mode == modeColumn || s.mode == modeTable || s.mode == modeBox || s.mode == modeMarkdown
}

// columnSettings returns the options of the modes that print columns, in words.
func (s *shell) columnSettings() string {
	quote := "--noquote"
	if s.columns.quote {
		quote = "--quote"
	}
	return fmt.Sprintf("--wrap %d --wordwrap %s %s", s.columns.wrap, onOff(s.columns.words), quote)
}

func (s *shell) dotMode(args []string) error {
	name, table := "", ""
	options := columnOptions{wrap: 60}
	for i := 1; i < len(args); i++ {
		arg := args[i]
		word := strings.TrimLeft(arg, "-")
		dashed := len(arg) > 1 && arg[0] == '-'
		switch {
		case dashed && word == "wrap" && i+1 < len(args):
			i++
			options.wrap = int(integer(args[i]))
		case dashed && word == "ww":
			options.words = true
		case dashed && word == "wordwrap" && i+1 < len(args):
			i++
			options.words = s.boolean(args[i])
		case dashed && word == "quote":
			options.quote = true
		case dashed && word == "noquote":
			options.quote = false
		case name == "":
			name = arg
			if strings.HasPrefix("qbox", arg) && len(arg) >= 2 {
				name, options = "box", columnOptions{wrap: 60, quote: true}
			}
		case table == "":
			table = arg
		case dashed:
			fmt.Fprintf(s.Stderr, "unknown option: %s\n", arg)
			return s.fail("options:\n  --noquote\n  --quote\n  --wordwrap on/off\n  --wrap N\n  --ww")
		default:
			return s.fail("extra argument: \"%s\"", arg)
		}
	}
	if name == "" {
		return s.showMode()
	}
	return s.setMode(name, table, options)
}

// showMode prints the mode.
func (s *shell) showMode() error {
	text := modes[s.mode]
	if s.columnar() {
		text += " " + s.columnSettings()
	}
	_, err := fmt.Fprintf(s.out, "current output mode: %s\n", text)
	return err
}

// setMode chooses the mode whose name begins with name.
func (s *shell) setMode(name, table string, options columnOptions) error {
	is := func(full string) bool { return strings.HasPrefix(full, name) }
	mode, column, row := modeList, s.columnSep, s.rowSep
	switch {
	case len(name) >= 2 && (is("lines") || is("line")):
		mode, row = modeLine, "\n"
	case is("columns"):
		mode, row = modeColumn, "\n"
		if !s.headersSet {
			s.headers = true
		}
	case len(name) >= 3 && is("list"):
		column, row = "|", "\n"
	case is("html"):
		mode = modeHTML
	case len(name) >= 2 && is("tcl"):
		mode, column, row = modeTcl, " ", "\n"
	case is("csv"):
		mode, column, row = modeCSV, ",", "\r\n"
	case is("tabs"):
		column = "\t"
	case is("insert"):
		mode = modeInsert
		if table == "" {
			table = "table"
		}
		s.table = quoteName(table)
	case is("quote"):
		mode, column, row = modeQuote, ",", "\n"
	case is("ascii"):
		mode, column, row = modeASCII, "\x1f", "\x1e"
	case is("markdown"):
		mode = modeMarkdown
	case is("table"):
		mode = modeTable
	case is("box"):
		mode = modeBox
	case is("json"):
		mode = modeJSON
	case is("off"):
		mode = modeOff
	default:
		return s.fail("Error: mode should be one of: ascii box column csv html insert json line list markdown qbox quote table tabs tcl")
	}
	s.mode, s.columnSep, s.rowSep = mode, column, row
	if s.columnar() {
		s.columns = options
	}
	return nil
}

// limitNames are the limits of a connection, in their order.
var limitNames = []string{"length", "sql_length", "column", "expr_depth", "compound_select", "vdbe_op", "function_arg", "attached",
	"like_pattern_length", "variable_number", "trigger_depth", "worker_threads"}

func (s *shell) dotLimit(args []string) error {
	d, err := s.db()
	if err != nil {
		return err
	}
	show := func(id int) {
		fmt.Fprintf(s.out, "%20s %d\n", limitNames[id], d.conn.Limit(sqlite3.LimitCategory(id), -1))
	}
	if len(args) == 1 {
		for id := range limitNames {
			show(id)
		}
		return nil
	}
	if len(args) > 3 {
		return s.fail("Usage: .limit NAME ?NEW-VALUE?")
	}
	found := -1
	for id, name := range limitNames {
		if !strings.HasPrefix(name, strings.ToLower(args[1])) {
			continue
		}
		if found >= 0 {
			return s.fail("ambiguous limit: \"%s\"", args[1])
		}
		found = id
	}
	if found < 0 {
		fmt.Fprintf(s.Stderr, "unknown limit: \"%s\"\n", args[1])
		return s.fail("enter \".limits\" with no arguments for a list.")
	}
	if len(args) == 3 {
		d.conn.Limit(sqlite3.LimitCategory(found), int(integer(args[2])))
	}
	show(found)
	return nil
}

// configNames are the settings of a connection, by name.
var configNames = []struct {
	name string
	op   sqlite3.DBConfig
}{
	{"defensive", sqlite3.DBCONFIG_DEFENSIVE}, {"dqs_ddl", sqlite3.DBCONFIG_DQS_DDL}, {"dqs_dml", sqlite3.DBCONFIG_DQS_DML},
	{"enable_fkey", sqlite3.DBCONFIG_ENABLE_FKEY}, {"enable_qpsg", sqlite3.DBCONFIG_ENABLE_QPSG},
	{"enable_trigger", sqlite3.DBCONFIG_ENABLE_TRIGGER}, {"enable_view", sqlite3.DBCONFIG_ENABLE_VIEW},
	{"legacy_alter_table", sqlite3.DBCONFIG_LEGACY_ALTER_TABLE}, {"legacy_file_format", sqlite3.DBCONFIG_LEGACY_FILE_FORMAT},
	{"no_ckpt_on_close", sqlite3.DBCONFIG_NO_CKPT_ON_CLOSE}, {"reset_database", sqlite3.DBCONFIG_RESET_DATABASE},
	{"trigger_eqp", sqlite3.DBCONFIG_TRIGGER_EQP}, {"trusted_schema", sqlite3.DBCONFIG_TRUSTED_SCHEMA},
	{"writable_schema", sqlite3.DBCONFIG_WRITABLE_SCHEMA},
}

func (s *shell) dotConfig(args []string) error {
	d, err := s.db()
	if err != nil {
		return err
	}
	known := false
	for _, c := range configNames {
		if len(args) > 1 && args[1] != c.name {
			continue
		}
		known = true
		var value []bool
		if len(args) > 2 {
			value = []bool{s.boolean(args[2])}
		}
		on, err := d.conn.Config(c.op, value...)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%19s %s\n", c.name, onOff(on))
	}
	if !known {
		fmt.Fprintf(s.Stderr, "Error: unknown dbconfig \"%s\"\n", args[1])
		fmt.Fprintln(s.Stderr, "Enter \".dbconfig\" with no arguments for a list")
	}
	return nil
}

// misused says what is wrong with the arguments of a dot-command, and what they
// should be.
func (s *shell) misused(name, format string, args ...any) error {
	fmt.Fprintf(s.out, "ERROR: "+format+" Usage:\n", args...)
	_ = s.dotHelp([]string{"help", name})
	return errFailed
}

func (s *shell) dotHelp(args []string) error {
	pattern := ""
	for _, arg := range args[1:] {
		if strings.TrimLeft(arg, "-") != "all" || arg == "all" {
			pattern = arg
		}
	}
	found := false
	for _, c := range dotCommands() {
		if c.help == "" || pattern != "" && !strings.HasPrefix("."+c.name, pattern) && !strings.HasPrefix(c.name, pattern) {
			continue
		}
		found = true
		fmt.Fprintf(s.out, ".%-23s %s\n", strings.TrimSpace(c.name+" "+c.args), c.help)
	}
	if !found {
		fmt.Fprintf(s.out, "Nothing matches '%s'\n", pattern)
	}
	return nil
}
