package search

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// A scriptPart is the argument of an -e, or the file of an -f.
type scriptPart struct {
	text string
	file string // where text comes from, if it is a file
}

// A sedCommand is a command of a script.
type sedCommand struct {
	name   byte
	negate bool
	from   sedAddress
	to     sedAddress
	ranged bool
	state  rangeState
	end    int64 // the last line of a range that has begun

	jump   int // where b, t, T and { go
	number int // the status of q, the width of l; -1 if there is none
	text   []byte
	file   string // of r, R, w, W
	label  string // of b, t, T and, for --debug, :
	out    *sedOutput
	subst  *substitution
	table  *transliteration
}

// A sedParser compiles one part of a script.
type sedParser struct {
	*sed
	src    string
	pos    int
	where  string // names the part in messages
	isFile bool
	first  bool // this is the first part

	*sedProgram
}

// A sedProgram is what the parts of a script have in common.
type sedProgram struct {
	blocks []openBlock
	labels map[string]int
	jumps  []sedJump
	text   *sedCommand // its text goes on in the next part
}

type openBlock struct {
	command int
	where   string
}

type sedJump struct {
	command int
	label   string
}

// compile compiles the script.
func (s *sed) compile(parts []scriptPart) error {
	program := &sedProgram{labels: make(map[string]int)}
	expressions := 0
	for i, part := range parts {
		p := &sedParser{sed: s, src: part.text, first: i == 0, sedProgram: program, isFile: part.file != ""}
		if p.isFile {
			text, err := s.scriptFile(part.file)
			if err != nil {
				return err
			}
			p.src, p.where = text, "file "+part.file
		} else {
			expressions++
			p.where = fmt.Sprintf("-e expression #%d", expressions)
		}
		if err := p.commands(); err != nil {
			return err
		}
	}
	if n := len(program.blocks); n > 0 {
		return &sedError{sedBadUsage, program.blocks[n-1].where + ": unmatched `{'"}
	}
	for _, j := range program.jumps {
		target := len(s.script)
		if j.label != "" {
			at, ok := program.labels[j.label]
			if !ok {
				return &sedError{sedPanic, "can't find label for jump to `" + j.label + "'"}
			}
			target = at
		}
		s.script[j.command].jump = target
	}
	return nil
}

// scriptFile returns the content of a script file. Its memory is charged until
// the call ends.
func (s *sed) scriptFile(name string) (string, error) {
	r := s.Stdin
	if name != "-" {
		f, err := s.Open(name)
		if err != nil {
			return "", &sedError{sedPanic, fmt.Sprintf("couldn't open file %s: %v", name, vfs.ErrnoOf(err))}
		}
		defer f.Close()
		r = f
	}
	var all bytes.Buffer
	buf := make([]byte, 16<<10)
	for {
		n, err := r.Read(buf)
		if err := errors.Join(s.Poll(1), s.Alloc(n)); err != nil {
			return "", err
		}
		s.closers = append(s.closers, func() { s.Free(n) })
		all.Write(buf[:n])
		switch {
		case err == io.EOF:
			return strings.TrimSuffix(all.String(), "\n"), nil
		case err != nil:
			return "", &sedError{sedPanic, fmt.Sprintf("read error on %s: %v", name, vfs.ErrnoOf(err))}
		}
	}
}

// commands compiles the part.
func (p *sedParser) commands() error {
	if c := p.sedProgram.text; c != nil {
		p.sedProgram.text = nil
		p.readText(c, false)
	}
	for {
		ch := p.next()
		for ch == ';' || ch != eof && isSpace(ch) {
			ch = p.next()
		}
		if ch == eof {
			return nil
		}
		if err := p.Poll(1); err != nil {
			return err
		}
		if err := p.command(ch); err != nil {
			return err
		}
	}
}

// command compiles one command, of which ch has been read.
func (p *sedParser) command(ch int) error {
	c := sedCommand{number: -1}
	ch, err := p.addresses(&c, ch)
	if err != nil {
		return err
	}
	if ch == '!' {
		c.negate = true
		if ch = p.nextNonblank(); ch == '!' {
			return p.bad("multiple `!'s")
		}
	}
	if ch == eof {
		return p.bad("missing command")
	}
	c.name = byte(ch)
	keep, err := p.arguments(&c)
	if err == nil && keep {
		p.script = append(p.script, c)
		if n := len(p.script) - 1; c.name == 'a' || c.name == 'i' || c.name == 'c' {
			if p.sedProgram.text != nil {
				p.sedProgram.text = &p.script[n]
			}
		}
	}
	return err
}

// arguments compiles what follows the name of a command. It reports whether the
// command does something when it is run.
func (p *sedParser) arguments(c *sedCommand) (keep bool, err error) {
	here := len(p.script)
	if p.posix && strings.IndexByte("FQRTWevz", c.name) >= 0 {
		return false, p.bad("unknown command: `%c'", c.name)
	}
	switch c.name {
	case '#':
		return false, p.comment(c)
	case ':':
		return p.debug, p.label(c)
	case 'v':
		return false, p.version()
	case '{':
		p.blocks = append(p.blocks, openBlock{here, p.blockPlace()})
		return true, nil
	case '}':
		return p.debug, p.endBlock(c)
	case 'a', 'i', 'c':
		return true, p.textOf(c)
	case 'b', 't', 'T':
		c.label = p.readLabel()
		p.jumps = append(p.jumps, sedJump{here, c.label})
		return true, nil
	case 'q', 'Q', 'l', 'L':
		return true, p.numeric(c)
	case '=', 'd', 'D', 'F', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z':
		return true, p.endOfCommand()
	case 'r', 'R', 'w', 'W':
		return true, p.fileOf(c)
	case 's':
		return true, p.substitution(c)
	case 'y':
		return true, p.transliteration(c)
	case 'e':
		return false, p.bad("e/r/w commands disabled in sandbox mode")
	}
	return false, p.bad("unknown command: `%c'", c.name)
}

// blockPlace names the place of a block that may turn out to be unmatched.
func (p *sedParser) blockPlace() string {
	if p.isFile {
		return fmt.Sprintf("%s line %d", p.where, 1+strings.Count(p.src[:p.pos], "\n"))
	}
	return p.where + ", char 0"
}

func (p *sedParser) comment(c *sedCommand) error {
	if c.from.kind != addressNone {
		return p.bad("comments don't accept any addresses")
	}
	ch := p.next()
	if p.first && ch == 'n' && p.pos == 2 {
		p.quiet = true // GNU: whatever follows
	}
	for ch != eof && ch != '\n' {
		ch = p.next()
	}
	return nil
}

func (p *sedParser) label(c *sedCommand) error {
	if c.from.kind != addressNone {
		return p.bad(": doesn't want any addresses")
	}
	name := p.readLabel()
	if name == "" {
		return p.bad("\":\" lacks a label")
	}
	p.labels[name], c.label = len(p.script), name
	return nil
}

// sedVersion is the version of GNU sed whose scripts are understood.
const sedVersion = "4.9"

func (p *sedParser) version() error {
	want := p.readLabel()
	var have, need [3]int
	_, _ = fmt.Sscanf(sedVersion, "%d.%d.%d", &have[0], &have[1], &have[2])
	_, _ = fmt.Sscanf(want, "%d.%d.%d", &need[0], &need[1], &need[2])
	for i := range have {
		if have[i] != need[i] {
			if have[i] < need[i] {
				return p.bad("expected newer version of sed")
			}
			break
		}
	}
	return nil
}

func (p *sedParser) endBlock(c *sedCommand) error {
	n := len(p.blocks)
	if n == 0 {
		return p.bad("unexpected `}'")
	}
	if c.from.kind != addressNone {
		return p.bad("} doesn't want any addresses")
	}
	if err := p.endOfCommand(); err != nil {
		return err
	}
	p.script[p.blocks[n-1].command].jump = len(p.script)
	p.blocks = p.blocks[:n-1]
	return nil
}

func (p *sedParser) numeric(c *sedCommand) error {
	if (c.name == 'q' || c.name == 'Q') && c.ranged {
		return p.bad("command only uses one address")
	}
	if c.name == 'L' {
		return p.bad("unknown command: `L'")
	}
	if ch := p.nextNonblank(); isDigit(ch) && !p.posix {
		c.number = int(p.integer(ch))
	} else {
		p.unread(ch)
	}
	return p.endOfCommand()
}

// textOf compiles the text of a, i and c.
func (p *sedParser) textOf(c *sedCommand) error {
	ch := p.nextNonblank()
	if ch == eof {
		return p.bad("expected \\ after `a', `c' or `i'")
	}
	if ch != '\\' {
		if p.posix {
			return p.bad("expected \\ after `a', `c' or `i'")
		}
		p.unread(ch)
		p.readText(c, false)
		return nil
	}
	ch = p.next()
	if ch == eof {
		p.sedProgram.text = c
		return nil
	}
	oneLine := ch != '\n'
	if oneLine {
		// The text is on the line of the command, whose leading blanks
		// count after a backslash.
		for at := p.pos; ; {
			if isBlank(ch) {
				ch = p.next()
				continue
			}
			if ch != '\n' {
				p.pos = at
				p.unread(ch)
			} else {
				oneLine = false
			}
			break
		}
	}
	p.readText(c, oneLine)
	return nil
}

func (p *sedParser) fileOf(c *sedCommand) (err error) {
	if p.sandbox {
		return p.bad("e/r/w commands disabled in sandbox mode")
	}
	if c.file, err = p.fileName(); err == nil && (c.name == 'w' || c.name == 'W') {
		c.out, err = p.output(c.file)
	}
	return err
}
