// Package sqlite has the command sqlite3: SQLite, compiled to Go, on the files
// of the sandbox, behind a command line that prints what the one of SQLite 3.40
// does.
package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var commands builtins.Set

// Commands returns the commands of this package.
func Commands() []*builtins.Command { return commands.Commands() }

var _ = commands.Add(&builtins.Command{
	Name:     "sqlite3",
	Synopsis: "[OPTIONS] FILENAME [SQL]",
	Summary:  "run SQL on a database in a file",
	Run:      run,
})

// release is what the command behaves like.
const release = "3.40.1 2022-12-28 14:03:47 df5c253c0b3dd24916e4ec7cf77d3db5294cc9fd45ae7b9c5e82ad8197f3alt1"

func run(ctx context.Context, c *builtins.Call) (err error) {
	s := &shell{
		Call: c, ctx: ctx, stdout: bufio.NewWriterSize(c.Stdout, 4096),
		format: format{mode: modeList, columnSep: "|", rowSep: "\n"}, table: "table", autoExplain: true,
	}
	s.out = s.stdout
	defer s.close()
	status, err := s.main()
	s.resetOutput()
	if flush := s.stdout.Flush(); err == nil {
		err = flush
	}
	if err == nil && status != 0 {
		err = builtins.Exit(status)
	}
	return err
}

// An option is one of the command line, without its dashes.
type option struct {
	value string // what it takes, if it takes something
	help  string
	early bool // it matters before the database is opened
	run   func(s *shell, value string) error
}

// options returns the options of the command line by name.
func options() map[string]option {
	list := map[string]option{
		"batch":     {help: "force batch I/O", early: true},
		"readonly":  {help: "open the database read-only", early: true, run: func(s *shell, _ string) error { s.readOnly = true; return nil }},
		"safe":      {help: "enable safe-mode", early: true, run: func(s *shell, _ string) error { s.safe, s.safeAlways = true, true; return nil }},
		"nonce":     {value: "STRING", help: "set the safe-mode escape nonce", early: true, run: func(s *shell, v string) error { s.nonce = v; return nil }},
		"init":      {value: "FILENAME", help: "read/process named file", early: true, run: func(s *shell, v string) error { s.initFile, s.hasInit = v, true; return nil }},
		"bail":      {help: "stop after hitting an error", early: true, run: func(s *shell, _ string) error { s.bail = true; return nil }},
		"echo":      {help: "print inputs before execution", run: func(s *shell, _ string) error { s.echo = true; return nil }},
		"header":    {help: "turn headers on", run: func(s *shell, _ string) error { s.setHeaders(true); return nil }},
		"noheader":  {help: "turn headers off", run: func(s *shell, _ string) error { s.setHeaders(false); return nil }},
		"separator": {value: "SEP", help: "set output column separator. Default: '|'", run: func(s *shell, v string) error { s.columnSep = v; return nil }},
		"newline":   {value: "SEP", help: `set output row separator. Default: '\n'`, run: func(s *shell, v string) error { s.rowSep = v; return nil }},
		"nullvalue": {value: "TEXT", help: "set text string for NULL values. Default ''", run: func(s *shell, v string) error { s.null = v; return nil }},
		"cmd":       {value: "COMMAND", help: `run "COMMAND" before reading stdin`, run: (*shell).runOption},
		"version":   {help: "show SQLite version", run: func(s *shell, _ string) error { return s.version() }},
		"help":      {help: "show this message", run: func(s *shell, _ string) error { return s.usage() }},
	}
	for name, m := range map[string]mode{
		"ascii": modeASCII, "box": modeBox, "column": modeColumn, "csv": modeCSV, "html": modeHTML, "json": modeJSON, "line": modeLine,
		"list": modeList, "markdown": modeMarkdown, "quote": modeQuote, "table": modeTable, "tabs": modeList,
	} {
		list[name] = option{help: "set output mode to '" + name + "'", run: func(s *shell, _ string) error { s.modeOption(name, m); return nil }}
	}
	return list
}

// modeOption sets the mode of output as an option does, which leaves separators
// alone where a dot-command would not.
func (s *shell) modeOption(name string, m mode) {
	s.mode = m
	switch name {
	case "csv":
		s.columnSep = ","
	case "tabs":
		s.columnSep = "\t"
	case "ascii":
		s.columnSep, s.rowSep = "\x1f", "\x1e"
	case "quote":
		s.columnSep, s.rowSep = ",", "\n"
	}
}

// An argument is an option as it was given.
type argument struct {
	option
	name, text string
}

// main runs the command line, and returns the exit status.
func (s *shell) main() (int, error) {
	given, sql, err := s.arguments()
	if err != nil {
		fmt.Fprintf(s.Stderr, "%s: Error: %v\n", s.Name, err)
		if strings.HasPrefix(err.Error(), "unknown") {
			fmt.Fprintln(s.Stderr, "Use -help for a list of options.")
		}
		return 1, nil
	}
	for _, a := range given {
		if a.early && a.run != nil {
			_ = a.run(s, a.text)
		}
	}
	if info, err := s.FS.Stat(s.file); err == nil && !info.IsDir() || s.file == ":memory:" {
		if err := s.openDB(); err != nil {
			return outcome(err)
		}
	}
	if err := s.startUp(); err != nil {
		return outcome(err)
	}
	for _, a := range given {
		if a.early || a.run == nil {
			continue
		}
		if err := a.run(s, a.text); err != nil {
			return outcome(err)
		}
	}
	if len(sql) == 0 {
		failed, err := s.process(s.Lines(s.Stdin, '\n'))
		if err == nil && failed {
			err = errFailed
		}
		return outcome(err)
	}
	for _, text := range sql {
		if err := s.argument(text); err != nil {
			return outcome(err)
		}
	}
	return 0, nil
}

// outcome makes an exit status of an error, unless the call must end.
func outcome(err error) (int, error) {
	if status, ok := errors.AsType[exitStatus](err); ok {
		return int(status), nil
	}
	switch err {
	case errQuit:
		return 0, nil
	case errFailed:
		return 1, nil
	}
	return 0, err
}

// arguments sorts the arguments into options and the rest: the name of the
// database, and what to run on it.
func (s *shell) arguments() (given []argument, sql []string, err error) {
	known := options()
	s.file = ":memory:"
	named := false
	for i := 0; i < len(s.Args); i++ {
		arg := s.Args[i]
		if !strings.HasPrefix(arg, "-") {
			if named {
				sql = append(sql, arg)
			} else {
				s.file, named = arg, true
			}
			continue
		}
		name := arg[1:]
		if strings.HasPrefix(name, "-") {
			name = name[1:]
		}
		o, ok := known[name]
		if !ok {
			return nil, nil, fmt.Errorf("unknown option: %s", arg)
		}
		a := argument{option: o, name: name}
		if o.value != "" {
			if i++; i == len(s.Args) {
				return nil, nil, fmt.Errorf("missing argument to %s", arg)
			}
			a.text = s.Args[i]
		}
		given = append(given, a)
	}
	return given, sql, nil
}

// startUp runs the file of -init, or ~/.sqliterc where there is one.
func (s *shell) startUp() error {
	name := s.initFile
	if !s.hasInit {
		home := s.Getenv("HOME")
		if home == "" {
			return nil
		}
		name = home + "/.sqliterc"
	}
	f, err := s.FS.Open(name)
	if err != nil {
		if s.hasInit {
			fmt.Fprintf(s.Stderr, "cannot open: \"%s\"\n", name)
			if s.bail {
				return exitStatus(1)
			}
		}
		return nil
	}
	defer f.Close()
	failed, err := s.process(s.Lines(f, '\n'))
	if err == nil && failed && s.bail {
		return exitStatus(1)
	}
	return err
}

// runOption runs the command of the option -cmd.
func (s *shell) runOption(text string) error {
	if strings.HasPrefix(text, ".") {
		err := s.dot(text)
		if err == errFailed && !s.bail {
			return nil
		}
		return err
	}
	return s.runSQL(text, func(message string, _ int) error {
		fmt.Fprintf(s.Stderr, "Error: %s\n", message)
		if s.bail {
			return exitStatus(1)
		}
		return nil
	})
}

// argument runs an argument: a dot-command or SQL.
func (s *shell) argument(text string) error {
	if strings.HasPrefix(text, ".") {
		return s.dot(text)
	}
	return s.runSQL(text, func(message string, status int) error {
		fmt.Fprintf(s.Stderr, "Error: %s\n", message)
		return exitStatus(max(status, 1))
	})
}

// version prints the version.
func (s *shell) version() error {
	fmt.Fprintln(s.out, release)
	return exitStatus(0)
}

// usage prints the options.
func (s *shell) usage() error {
	list := options()
	names := sortedNames(list)
	fmt.Fprintf(s.Stderr, "Usage: %s [OPTIONS] FILENAME [SQL]\n"+
		"FILENAME is the name of an SQLite database. A new database is created\n"+
		"if the file does not previously exist.\nOPTIONS include:\n", s.Name)
	for _, name := range names {
		o := list[name]
		fmt.Fprintf(s.Stderr, "   -%-20s%s\n", strings.TrimSpace(name+" "+o.value), o.help)
	}
	return exitStatus(1)
}

// close ends whatever the command has open.
func (s *shell) close() {
	for _, d := range s.connections {
		if d != nil {
			d.close()
		}
	}
	if s.sink != nil {
		s.sink.Close()
	}
}
