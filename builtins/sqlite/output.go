package sqlite

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// dotOutput sends output elsewhere: .output for good, .once for one command.
func (s *shell) dotOutput(args []string) error {
	once := strings.HasPrefix("once", args[0])
	name, bom := "", false
	for i, arg := range args[1:] {
		switch option := strings.TrimLeft(arg, "-"); {
		case strings.HasPrefix(name, "|"):
			continue
		case strings.HasPrefix(arg, "|") && name == "":
			name = strings.Join(args[1+i:], " ")
		case strings.HasPrefix(arg, "-") && option == "bom":
			bom = true
		case strings.HasPrefix(arg, "-"):
			return s.misused(args[0], "unknown option: \"%s\". ", arg)
		case name == "" && arg != "off":
			name = arg
		case name == "":
			name = "stdout"
		default:
			return s.misused(args[0], "extra parameter: \"%s\". ", arg)
		}
	}
	if err := s.resetOutput(); err != nil {
		return err
	}
	if name == "" || name == "stdout" {
		return nil
	}
	sink, err := s.openSink(name)
	if err != nil {
		fmt.Fprintf(s.Stderr, "Error: cannot open \"%s\"\n", name)
		return s.fail("Error: cannot write to \"%s\"", name)
	}
	s.sink, s.outTo = sink, name
	s.out = bufio.NewWriterSize(sink, 4096)
	if bom {
		s.out.WriteString("\ufeff")
	}
	if once {
		s.once = 2 // this command, and the next
	}
	return nil
}

// openSink opens a file, or a command behind |, for output.
func (s *shell) openSink(name string) (io.WriteCloser, error) {
	if command, ok := strings.CutPrefix(name, "|"); ok {
		return &piped{shell: s, command: command}, nil
	}
	if name == "stderr" {
		return keptOpen{s.Stderr}, nil
	}
	return s.FS.OpenFile(name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
}

// keptOpen is a stream that is not to be closed.
type keptOpen struct{ io.Writer }

// Close does nothing.
func (keptOpen) Close() error { return nil }

// A piped collects the input of a command, which runs when there is no more.
type piped struct {
	shell   *shell
	command string
	input   bytes.Buffer
}

func (p *piped) Write(b []byte) (int, error) {
	if err := p.shell.Alloc(2 * len(b)); err != nil {
		return 0, err
	}
	return p.input.Write(b)
}

// Close runs the command.
func (p *piped) Close() error {
	defer p.shell.Free(2 * p.input.Len())
	in := bytes.NewReader(p.input.Bytes())
	if err := p.shell.stdout.Flush(); err != nil {
		return err
	}
	_, err := p.shell.Exec(p.shell.ctx, []string{"sh", "-c", p.command}, func(c *builtins.Call) { c.Stdin = in })
	return err
}

// resetOutput sends output to standard output again.
func (s *shell) resetOutput() error {
	if s.sink == nil {
		return nil
	}
	err := s.out.Flush()
	if closed := s.sink.Close(); err == nil {
		err = closed
	}
	s.out, s.sink, s.outTo = s.stdout, nil, ""
	return err
}

// dotShell runs a command in the shell of the sandbox.
func (s *shell) dotShell(args []string) error {
	if len(args) < 2 {
		return s.fail("Usage: .system COMMAND")
	}
	var command strings.Builder
	for i, arg := range args[1:] {
		if i > 0 {
			command.WriteByte(' ')
		}
		if strings.Contains(arg, " ") {
			arg = `"` + arg + `"`
		}
		command.WriteString(arg)
	}
	if err := s.out.Flush(); err != nil {
		return err
	}
	status, err := s.Exec(s.ctx, []string{"sh", "-c", command.String()}, nil)
	if err == nil && status != 0 {
		fmt.Fprintf(s.Stderr, "System command returns %d\n", int(status)<<8)
	}
	return err
}

// dotRead runs the commands of a file, or those that a command prints.
func (s *shell) dotRead(args []string) error {
	if len(args) != 2 {
		return s.fail("Usage: .read FILE")
	}
	in, err := s.source(args[1])
	if err != nil {
		if s.Ends(err) {
			return err
		}
		return s.fail("Error: cannot open \"%s\"", args[1])
	}
	defer in.Close()
	failed, err := s.process(s.Lines(in, '\n'))
	if err == nil && failed {
		err = errFailed
	}
	return err
}
