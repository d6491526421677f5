package sqlite

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// errFailed is the end of a dot-command that has said what is wrong.
var errFailed = errors.New("dot-command failed")

// errQuit ends the input that has the dot-command.
var errQuit = errors.New("quit")

// An exitStatus ends the command, which has said what there is to say.
type exitStatus int

// Error returns the status in words.
func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// A dotCommand is a command that begins with a dot.
type dotCommand struct {
	name   string
	least  int    // how many letters of the name are enough
	args   string // as the help shows them
	help   string
	unsafe bool // refused in safe mode
	run    func(s *shell, args []string) error
}

// dotCommands returns the commands in the order in which a beginning of a name
// is looked up.
func dotCommands() []dotCommand {
	return []dotCommand{
		{name: "backup", least: 3, args: "?DB? FILE", help: `Back up DB (default "main") to FILE`, unsafe: true, run: (*shell).dotBackup},
		{name: "save", least: 3, args: "?OPTIONS? FILE", help: "Write the database to FILE: the same as .backup", unsafe: true, run: (*shell).dotBackup},
		{name: "bail", least: 3, args: "on|off", help: "Stop after an error, or go on", run: flag("bail", func(s *shell) *bool { return &s.bail })},
		{name: "binary", least: 3, args: "on|off", help: "Has no effect: output is always binary", run: flag("binary", func(*shell) *bool { return new(bool) })},
		{name: "cd", least: 2, args: "DIRECTORY", help: "Change the working directory", unsafe: true, run: (*shell).dotCd},
		{name: "changes", least: 3, args: "on|off", help: "Show how many rows each statement has changed", run: flag("changes", func(s *shell) *bool { return &s.changes })},
		{name: "clone", least: 2, args: "NEWDB", help: "Copy the content of the database into a new one", unsafe: true, run: (*shell).dotClone},
		{name: "connection", least: 2, args: "[close] [#]", help: "Open, choose or close another connection", run: (*shell).dotConnection},
		{name: "databases", least: 2, help: "List the databases and their files", run: (*shell).dotDatabases},
		{name: "dbconfig", least: 3, args: "?OP? ?VAL?", help: "Show or change the configuration of the connection", run: (*shell).dotConfig},
		{name: "dbinfo", least: 3, args: "?DB?", help: "Has nothing to show: it needs a table that is not compiled in", run: (*shell).dotInfo},
		{name: "dump", least: 1, args: "?OBJECTS?", help: "Print the content of the database as SQL", run: (*shell).dotDump},
		{name: "echo", least: 1, args: "on|off", help: "Print commands before they run", run: flag("echo", func(s *shell) *bool { return &s.echo })},
		{name: "eqp", least: 3, args: "on|off|full|...", help: "Print the plan of each query", run: (*shell).dotEqp},
		{name: "exit", least: 3, args: "?CODE?", help: "Exit with CODE", run: (*shell).dotExit},
		{name: "explain", least: 3, args: "?on|off|auto?", help: "Choose how EXPLAIN is printed", run: (*shell).dotExplain},
		{name: "fullschema", least: 1, args: "?--indent?", help: "Print the schema and the statistics", run: (*shell).dotFullSchema},
		{name: "headers", least: 1, args: "on|off", help: "Print the names of columns, or not", run: (*shell).dotHeaders},
		{name: "help", least: 1, args: "?-all? ?PATTERN?", help: "Print this", run: (*shell).dotHelp},
		{name: "import", least: 1, args: "FILE TABLE", help: "Read rows of TABLE from FILE", unsafe: true, run: (*shell).dotImport},
		{name: "indices", least: 2, run: (*shell).dotTables},
		{name: "indexes", least: 2, args: "?TABLE?", help: "List indexes", run: (*shell).dotTables},
		{name: "limit", least: 5, args: "?LIMIT? ?VAL?", help: "Show or change a limit of SQLite", run: (*shell).dotLimit},
		{name: "load", least: 1, args: "FILE ?ENTRY?", help: "Always fails: there are no extensions to load", unsafe: true, run: (*shell).dotLoad},
		{name: "mode", least: 1, args: "MODE ?OPTIONS?", help: "Choose how rows are printed", run: (*shell).dotMode},
		{name: "nonce", least: 5, args: "STRING", help: "Leave safe mode for one command if STRING is its nonce", run: (*shell).dotNonce},
		{name: "nullvalue", least: 1, args: "STRING", help: "Print STRING for NULL", run: (*shell).dotNullValue},
		{name: "open", least: 1, args: "?OPTIONS? ?FILE?", help: "Close the database and open another", run: (*shell).dotOpen},
		{name: "output", least: 1, args: "?FILE?", help: "Send output to FILE, or to standard output", unsafe: true, run: (*shell).dotOutput},
		{name: "once", least: 2, args: "?FILE?", help: "Send the output of one command to FILE", unsafe: true, run: (*shell).dotOutput},
		{name: "parameter", least: 3, args: "CMD ...", help: "Change or list the values of parameters", run: (*shell).dotParameter},
		{name: "print", least: 3, args: "STRING...", help: "Print STRING", run: (*shell).dotPrint},
		{name: "prompt", least: 1, args: "MAIN CONTINUE", help: "Has no effect: there is no prompt", run: func(*shell, []string) error { return nil }},
		{name: "quit", least: 1, help: "Exit", run: func(*shell, []string) error { return errQuit }},
		{name: "read", least: 3, args: "FILE", help: "Run what FILE, or a command behind |, has", unsafe: true, run: (*shell).dotRead},
		{name: "restore", least: 3, args: "?DB? FILE", help: `Replace DB (default "main") by what FILE has`, unsafe: true, run: (*shell).dotRestore},
		{name: "scanstats", least: 2, args: "on|off", help: "Has no effect: nothing is counted", run: (*shell).dotScanStats},
		{name: "schema", least: 3, args: "?PATTERN?", help: "Print the CREATE statements that match PATTERN", run: (*shell).dotSchema},
		{name: "separator", least: 3, args: "COL ?ROW?", help: "Choose the separators of columns and rows", run: (*shell).dotSeparator},
		{name: "shell", least: 3, args: "CMD ARGS...", help: "Run CMD in a shell", unsafe: true, run: (*shell).dotShell},
		{name: "system", least: 3, args: "CMD ARGS...", help: "Run CMD in a shell", unsafe: true, run: (*shell).dotShell},
		{name: "show", least: 2, help: "Show the settings", run: (*shell).dotShow},
		{name: "tables", least: 2, args: "?TABLE?", help: "List tables", run: (*shell).dotTables},
		{name: "timeout", least: 5, args: "MS", help: "Wait MS milliseconds for locked tables", run: (*shell).dotTimeout},
		{name: "timer", least: 5, args: "on|off", help: "Show how long statements take", run: flag("timer", func(s *shell) *bool { return &s.timer })},
		{name: "version", least: 1, help: "Show the version", run: (*shell).dotVersion},
		{name: "width", least: 1, args: "NUM1 NUM2 ...", help: "Set the widths of columns; negative ones are at the right", run: (*shell).dotWidth},
	}
}

// dot runs a dot-command.
func (s *shell) dot(text string) error {
	args := words(text[1:])
	if len(args) == 0 {
		return nil
	}
	for _, c := range dotCommands() {
		if len(args[0]) < c.least || !strings.HasPrefix(c.name, args[0]) {
			continue
		}
		if c.unsafe && s.safe {
			return s.refuse("cannot run ." + c.name + " in safe mode")
		}
		err := s.explained(c.run(s, args))
		if err == nil || err == errFailed {
			if after := s.afterDot(); after != nil {
				return after
			}
		}
		return err
	}
	return s.fail("Error: unknown command or invalid arguments:  \"%s\". Enter \".help\" for help", args[0])
}

// explained prints an error of SQLite's that a dot-command has met.
func (s *shell) explained(err error) error {
	if d := s.connections[s.current]; d != nil && d.account.err != nil {
		return d.account.err
	}
	if err == nil || codeOf(err) == 0 {
		return err
	}
	return s.fail("Error: %s", messageOf(err))
}

// afterDot does what is due after a dot-command.
func (s *shell) afterDot() error {
	s.safe = s.safeAlways
	if s.once > 0 {
		if s.once--; s.once == 0 {
			return s.resetOutput()
		}
	}
	return nil
}

// fail prints a message and returns errFailed.
func (s *shell) fail(format string, args ...any) error {
	fmt.Fprintf(s.Stderr, format+"\n", args...)
	return errFailed
}

// refuse says what safe mode does not allow, and ends the command.
func (s *shell) refuse(what string) error {
	fmt.Fprintf(s.Stderr, "line %d: %s\n", s.line, what)
	return exitStatus(1)
}

// flag returns a command that turns something on or off.
func flag(name string, of func(*shell) *bool) func(*shell, []string) error {
	return func(s *shell, args []string) error {
		if len(args) != 2 {
			return s.fail("Usage: .%s on|off", name)
		}
		*of(s) = s.boolean(args[1])
		return nil
	}
}

// boolean returns what a word means.
func (s *shell) boolean(text string) bool {
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return n != 0
	}
	switch strings.ToLower(text) {
	case "on", "yes":
		return true
	case "off", "no":
		return false
	}
	fmt.Fprintf(s.Stderr, "ERROR: Not a boolean value: \"%s\". Assuming \"no\".\n", text)
	return false
}

// integer returns the number that text begins with, with its suffix: KB is 1000,
// KiB is 1024 and so on.
func integer(text string) int64 {
	negative := strings.HasPrefix(text, "-")
	text = strings.TrimLeft(text, "+-")
	end := 0
	for end < len(text) && '0' <= text[end] && text[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(text[:end], 10, 64)
	if rest, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		n, err = strconv.ParseInt(rest, 16, 64)
		end = len(text)
	}
	if err != nil {
		return 0
	}
	scale := map[string]int64{"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "kb": 1e3, "mb": 1e6, "gb": 1e9, "k": 1e3, "m": 1e6, "g": 1e9}
	if factor, ok := scale[strings.ToLower(text[end:])]; ok {
		n *= factor
	}
	if negative {
		return -n
	}
	return n
}

// words splits the text of a dot-command. A word between double quotes has the
// escapes of C, one between single quotes has none.
func words(text string) (list []string) {
	for {
		text = text[skipBlanks(text):]
		if text == "" {
			return list
		}
		quote := text[0]
		if quote != '"' && quote != '\'' {
			end := strings.IndexAny(text, " \t\n\v\f\r")
			if end < 0 {
				end = len(text)
			}
			list, text = append(list, unescape(text[:end])), text[end:]
			continue
		}
		end := 1
		for end < len(text) && text[end] != quote {
			if quote == '"' && text[end] == '\\' && end+1 < len(text) {
				end++
			}
			end++
		}
		word := text[1:min(end, len(text))]
		if quote == '"' {
			word = unescape(word)
		}
		list, text = append(list, word), text[min(end+1, len(text)):]
	}
}

// like reports whether text matches a pattern of LIKE.
func (s *shell) like(pattern, text string) bool {
	d, err := s.db()
	if err != nil {
		return false
	}
	w := wildcards{matcher: &matcher{database: d}, many: '%', one: '_', set: -1, escape: '\\', fold: true}
	return w.match([]byte(pattern), []byte(text))
}
