package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/limpet-sh/limpet"
	"github.com/reeflective/readline"
)

// An editor reads commands from a terminal.
type editor struct {
	*readline.Shell
	repl *repl
}

// newEditor returns an editor that keeps what is typed in a file, unless that is "".
func newEditor(r *repl, history string) *editor {
	e := &editor{readline.NewShell(), r}
	e.Prompt.Primary(func() string { return r.ask(`printf %s "${PS1@P}"`) })
	e.Prompt.Secondary(func() string { return r.ask(`printf %s "${PS2@P}"`) })
	e.AcceptMultiline = func(line []rune) bool { return !limpet.Incomplete(string(line)) }
	e.Completer = func(line []rune, cursor int) readline.Completions { return r.complete(string(line[:cursor])) }
	if err := keepHistory(e.Shell, history); err != nil {
		fmt.Fprintf(r.errs, "limpet: the history is not kept: %v\n", err)
	}
	return e
}

// keepHistory has an editor keep what is typed in a file, unless that is "".
func keepHistory(e *readline.Shell, name string) error {
	source, err := openHistory(name)
	if err == nil && source != nil {
		e.History.Delete()
		e.History.Add("limpet", source)
	}
	return err
}

// openHistory returns what is in a file, which it makes, or nil where name is "".
func openHistory(name string) (readline.History, error) {
	if name == "" {
		return nil, nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	_ = f.Close()
	return readline.NewHistoryFromFile(name)
}

func (e *editor) read() (string, error) {
	if strings.TrimSpace(e.repl.ask(`printf %s "${PROMPT_COMMAND[*]}"`)) != "" {
		e.repl.prompting()
	}
	line, err := e.Readline()
	if errors.Is(err, readline.ErrInterrupt) {
		err = errInterrupted
	}
	return line, err
}

func (e *editor) rest() io.Reader { return e.repl.terminal }

// historyFile is where the history is unless the user says so.
func historyFile() string {
	dir := os.Getenv("XDG_STATE_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "limpet", "history")
}

// A plainInput reads commands from what is not a terminal: there are no prompts.
type plainInput struct {
	in    *os.File
	lines *bufio.Reader
}

func (p *plainInput) read() (string, error) {
	if p.lines == nil {
		p.lines = bufio.NewReader(p.in)
	}
	var script strings.Builder
	for {
		line, err := p.lines.ReadString('\n')
		script.WriteString(line)
		text := strings.TrimSuffix(script.String(), "\n")
		switch {
		case err == nil && limpet.Incomplete(text):
		case text == "" && err != nil:
			return "", err
		default:
			return text, nil
		}
	}
}

// rest is what follows the command.
func (p *plainInput) rest() io.Reader {
	if p.lines == nil {
		p.lines = bufio.NewReader(p.in)
	}
	return lineByLine{p.lines}
}

// lineByLine reads no more than the rest of a line at a time, as a terminal does, so
// that what a command does not want is there for the next.
type lineByLine struct{ *bufio.Reader }

func (l lineByLine) Read(b []byte) (int, error) {
	if _, err := l.Peek(1); err != nil {
		return 0, err
	}
	ahead, _ := l.Peek(l.Buffered())
	n := len(ahead)
	if i := bytes.IndexByte(ahead, '\n'); i >= 0 {
		n = i + 1
	}
	return l.Reader.Read(b[:min(n, len(b))])
}
