package parallel

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// A record is the arguments that one command gets: one of each source, or the
// columns of one.
type record []string

// sources are where arguments come from. A single one is read as it is needed;
// of several, all combinations are made.
type sources struct {
	list   *list
	single *builtins.LineReader
	fields []string   // of a single source that is given on the command line
	table  [][]string // of several
	linked []bool     // those that go along with the one before
	at     []int      // the combination that is next; nil at the end
	ready  []record   // in random order
	open   []io.Closer
}

// inputs reads the sources that the operands after the command name.
func (l *list) inputs(args []string) (*sources, error) {
	s := &sources{list: l}
	var values [][]string
	kinds := []string{}
	for _, a := range args {
		if strings.HasPrefix(a, ":::") && strings.Trim(a, ":+") == "" {
			kinds, values = append(kinds, a), append(values, nil)
			continue
		}
		values[len(values)-1] = append(values[len(values)-1], a)
	}
	for _, name := range l.files {
		kinds, values = append(kinds, "::::"), append(values, []string{name})
	}
	if l.pipe {
		return s, nil
	}
	if len(kinds) == 0 {
		kinds, values = []string{"::::"}, [][]string{{"-"}}
	}
	for i, kind := range kinds {
		plus := strings.HasSuffix(kind, "+")
		if strings.TrimSuffix(kind, "+") == ":::" {
			s.table, s.linked = append(s.table, splitLines(values[i])), append(s.linked, plus)
			continue
		}
		for _, name := range values[i] {
			s.table, s.linked = append(s.table, nil), append(s.linked, plus)
			if len(kinds) == 1 && len(values[i]) == 1 && !l.header {
				return s, s.stream(name)
			}
			lines, err := s.read(name)
			if err != nil {
				return s, err
			}
			s.table[len(s.table)-1] = lines
		}
	}
	return s, s.begin()
}

// splitLines makes lines of arguments that have newlines.
func splitLines(args []string) []string {
	var out []string
	for _, a := range args {
		out = append(out, strings.Split(a, "\n")...)
	}
	return out
}

func (s *sources) reader(name string) (io.Reader, error) {
	if name == "-" {
		return s.list.Stdin, nil
	}
	f, err := s.list.Open(name)
	if err != nil {
		return nil, errors.New("Cannot open input file `" + name + "': " + builtins.FileError("", err).Error()[4:] + ".")
	}
	s.open = append(s.open, f)
	return f, nil
}

// stream makes a file the single source.
func (s *sources) stream(name string) error {
	r, err := s.reader(name)
	if err == nil {
		s.single = s.list.Lines(r, s.list.delimiter)
	}
	if err == nil && s.list.shuffle {
		return s.shuffle()
	}
	return err
}

// read reads all arguments of a file.
func (s *sources) read(name string) ([]string, error) {
	r, err := s.reader(name)
	if err != nil {
		return nil, err
	}
	in := s.list.Lines(r, s.list.delimiter)
	defer in.Close()
	var out []string
	for {
		line, err := in.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if err := s.list.Alloc(len(line) + 16); err != nil {
			return nil, err
		}
		line, _ = builtins.TrimDelim(line, s.list.delimiter)
		out = append(out, string(line))
	}
}

// begin starts the combinations, after taking the names from the sources.
func (s *sources) begin() error {
	for i := range s.table {
		if s.list.header && len(s.table[i]) > 0 {
			s.list.names = append(s.list.names, s.table[i][0])
			s.table[i] = s.table[i][1:]
		}
		if len(s.table[i]) == 0 {
			return nil
		}
	}
	s.at = make([]int, len(s.table))
	if s.list.shuffle {
		return s.shuffle()
	}
	return nil
}

// shuffle reads everything and puts it in random order.
func (s *sources) shuffle() error {
	var all []record
	for {
		r, err := s.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := s.list.Alloc(64); err != nil {
			return err
		}
		all = append(all, r)
	}
	for i := len(all) - 1; i > 0; i-- {
		var b [8]byte
		if _, err := io.ReadFull(s.list.Rand, b[:]); err != nil {
			return err
		}
		j := int(binary.LittleEndian.Uint64(b[:]) % uint64(i+1))
		all[i], all[j] = all[j], all[i]
	}
	s.ready = all
	return nil
}

// next returns the arguments for the next command. The error is io.EOF after the
// last.
func (s *sources) next() (record, error) {
	if err := s.list.Poll(1); err != nil {
		return nil, err
	}
	switch {
	case len(s.ready) > 0:
		r := s.ready[0]
		s.ready = s.ready[1:]
		return r, nil
	case s.single != nil:
		line, err := s.single.Next()
		if err != nil {
			return nil, err
		}
		line, _ = builtins.TrimDelim(line, s.list.delimiter)
		return s.cut(record{string(line)})
	case s.at == nil:
		return nil, io.EOF
	}
	r := make(record, len(s.at))
	for i, j := range s.at {
		r[i] = s.table[i][j]
	}
	s.advance()
	return s.cut(r)
}

// advance goes to the next combination: the last source turns first. Linked
// sources go along with the one before them, to the end of the shortest.
func (s *sources) advance() {
	for i := len(s.at) - 1; i >= 0; {
		first := i
		for first > 0 && s.linked[first] {
			first--
		}
		shortest := len(s.table[first])
		for j := first; j <= i; j++ {
			shortest = min(shortest, len(s.table[j]))
		}
		step := s.at[first] + 1
		if step == shortest {
			step = 0
		}
		for j := first; j <= i; j++ {
			s.at[j] = step
		}
		if step > 0 {
			return
		}
		i = first - 1
	}
	s.at = nil
}

// cut splits a record into columns, and trims it.
func (s *sources) cut(r record) (record, error) {
	l := s.list
	if l.colsep != nil {
		var out record
		for _, arg := range r {
			b, last := []byte(arg), 0
			for from := 0; from <= len(b); {
				loc := l.colsep.Bounds(b, from)
				if l.colsep.Err() != nil {
					return nil, l.colsep.Err()
				}
				if loc == nil {
					break
				}
				if from = loc[1]; loc[0] == loc[1] {
					from++
					continue
				}
				out, last = append(out, arg[last:loc[0]]), loc[1]
			}
			out = append(out, arg[last:])
		}
		r = out
	}
	for i := range r {
		if strings.Contains(l.trim, "l") {
			r[i] = strings.TrimLeft(r[i], " \t\r\n")
		}
		if strings.Contains(l.trim, "r") && l.trim != "l" {
			r[i] = strings.TrimRight(r[i], " \t\r\n")
		}
	}
	return r, nil
}

func (s *sources) close() {
	if s.single != nil {
		s.single.Close()
	}
	for _, f := range s.open {
		_ = f.Close()
	}
}
