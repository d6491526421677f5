// Package transcript runs shell transcripts: files that show commands and what
// they print, and are documentation and test at once.
//
// A transcript looks like this:
//
//	# head prints ten lines unless told otherwise.
//	$ head -n 2 fruit
//	apple
//	banana
//
//	$ head -n 1 nosuch
//	! head: cannot open 'nosuch' for reading: No such file or directory
//	? 1
//
//	-- fruit --
//	apple
//	banana
//	cherry
//
// The beginning of a line says what it is:
//
//	$ text    a command
//	> text    more of the command
//	text      a line of standard output
//	| text    the same, for text that looks like something else
//	! text    a line of standard error
//	? number  the exit status, where it is not 0
//	# text    prose
//	#~ text   why bash does not confirm the next command; see [Confirm]
//
// A lone "|", ">" or "!" stands for an empty line of its kind, and a backslash
// after "|" or "!", as in "|\ text", says that no newline ends the text. Blank
// lines are free. What follows the first line such as "-- fruit --" are files,
// in the format of txtar, that exist when the transcript begins.
package transcript

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// A File is a parsed transcript.
type File struct {
	Steps []Step
	Files map[string]string // by name, relative to the working directory

	tail string // what follows the last step, up to the end of the file
}

// A Step is one command of a transcript and its outcome.
type Step struct {
	Line    int    // of the command
	Script  string // without a final newline
	Exempt  string // why bash does not confirm it, or ""
	Outcome Outcome

	prose, command, outcome string // the text as it stands in the file
}

// An Outcome is what a command did.
type Outcome struct {
	Stdout, Stderr string
	Status         int
}

// Parse parses a transcript.
func Parse(data []byte) (*File, error) {
	body, archive := split(string(data))
	f := &File{Files: files(archive)}
	prose, exempt := "", ""
	var step *Step
	number := 0
	for line := range strings.Lines(body) {
		number++
		kind, text := classify(line)
		switch kind {
		case '#', 0:
			prose += line
			if reason, ok := strings.CutPrefix(line, "#~"); ok {
				exempt = strings.TrimSpace(reason)
			}
			continue
		case '$':
			f.Steps = append(f.Steps, Step{
				Line: number, Script: strings.TrimSuffix(text, "\n"), Exempt: exempt,
				prose: prose, command: line,
			})
			step, prose, exempt = &f.Steps[len(f.Steps)-1], "", ""
			continue
		}
		if step == nil {
			return nil, fmt.Errorf("line %d: output before any command", number)
		}
		if err := step.add(kind, text, prose+line); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		prose = ""
	}
	f.tail = prose + archive
	return f, nil
}

// add adds a line that belongs to the command. raw is the line as it stands in
// the file.
func (s *Step) add(kind byte, text, raw string) (err error) {
	if kind == '>' {
		s.Script += "\n" + strings.TrimSuffix(text, "\n")
		s.command += raw
		return nil
	}
	s.outcome += raw
	switch kind {
	case '|':
		s.Outcome.Stdout += text
	case '!':
		s.Outcome.Stderr += text
	case '?':
		s.Outcome.Status, err = strconv.Atoi(strings.TrimSpace(text))
	}
	return err
}

// classify returns what a line is, as its marker, and its text. A blank line is
// nothing.
func classify(line string) (kind byte, text string) {
	bare := strings.TrimSuffix(line, "\n")
	switch {
	case bare == "":
		return 0, ""
	case line[0] == '#' && len(bare) == 1, strings.HasPrefix(line, "#~"):
		return '#', ""
	case len(bare) == 1 && strings.IndexByte("|>!", line[0]) >= 0:
		return line[0], "\n"
	case strings.HasPrefix(line, `|\ `), strings.HasPrefix(line, `!\ `):
		return line[0], bare[3:]
	case len(bare) > 1 && line[1] == ' ' && strings.IndexByte("$>!?#|", line[0]) >= 0:
		return line[0], line[2:]
	}
	return '|', line
}

// Format returns the transcript as a file holds it. What was parsed and has not
// changed keeps its form.
func (f *File) Format() []byte {
	var b bytes.Buffer
	for _, s := range f.Steps {
		b.WriteString(s.prose)
		b.WriteString(s.command)
		b.WriteString(s.outcome)
	}
	b.WriteString(f.tail)
	return b.Bytes()
}

// SetOutcome makes o the outcome of the step, in the file's text too.
func (s *Step) SetOutcome(o Outcome) {
	if s.Outcome == o {
		return
	}
	s.Outcome = o
	var b strings.Builder
	for line := range strings.Lines(o.Stdout) {
		writeLine(&b, '|', line)
	}
	for line := range strings.Lines(o.Stderr) {
		writeLine(&b, '!', line)
	}
	if o.Status != 0 {
		fmt.Fprintf(&b, "? %d\n", o.Status)
	}
	s.outcome = b.String()
}

// writeLine writes a line of output so that it is read back as kind.
func writeLine(b *strings.Builder, kind byte, line string) {
	bare, ended := strings.CutSuffix(line, "\n")
	switch k, text := classify(line); {
	case !ended:
		fmt.Fprintf(b, "%c\\ %s\n", kind, bare)
	case bare == "":
		fmt.Fprintf(b, "%c\n", kind)
	case kind == '|' && k == '|' && text == line && !isHeader(line):
		b.WriteString(line)
	default:
		fmt.Fprintf(b, "%c %s", kind, line)
	}
}

// split separates a transcript from the files after it.
func split(data string) (body, archive string) {
	at := 0
	for line := range strings.Lines(data) {
		if isHeader(line) {
			return data[:at], data[at:]
		}
		at += len(line)
	}
	return data, ""
}

func isHeader(line string) bool {
	line = strings.TrimSuffix(line, "\n")
	return strings.HasPrefix(line, "-- ") && strings.HasSuffix(line, " --") && len(line) > len("--  --")
}

// files returns the files of a txtar archive.
func files(archive string) map[string]string {
	list := make(map[string]string)
	name := ""
	for line := range strings.Lines(archive) {
		if isHeader(line) {
			name = strings.TrimSpace(line[3 : len(line)-len(" --\n")])
			list[name] = ""
			continue
		}
		list[name] += line
	}
	return list
}
