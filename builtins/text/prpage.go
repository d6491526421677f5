package text

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/strftime"
	"github.com/limpet-sh/limpet/internal/width"
	"github.com/limpet-sh/limpet/internal/zone"
)

// A prSource is a file of pr, from which lines are read up to the end of a page.
type prSource struct {
	name  string
	lines *builtins.LineReader
	close func() error
	rest  []byte // of a line with a form feed
	more  bool   // rest is a line
	held  keptLine
	done  bool
	open  bool // the last line has no newline
}

// open opens a file. It returns nil, after a warning, where it cannot.
func (p *paginator) open(name string) *prSource {
	in, err := openInput(p.call, name)
	if err != nil {
		p.call.Fail()
		if !p.quiet {
			p.call.Warn(builtins.FileError(name, err))
		}
		return nil
	}
	return &prSource{name: name, lines: p.call.Lines(in, '\n'), close: in.close, held: keptLine{call: p.call}}
}

func (s *prSource) drop() {
	s.lines.Close()
	s.held.drop()
	_ = s.close()
}

// next returns the next line; feed is whether a form feed comes after it, or
// instead of it where there is no line.
func (s *prSource) next() (line []byte, ok, feed bool, err error) {
	if s.more {
		line, s.more = s.rest, false
	} else {
		line, err = s.lines.Next()
		if err == io.EOF {
			s.done = true
			return nil, false, false, nil
		}
		if err != nil {
			return nil, false, false, readError(s.name, err)
		}
		var ended bool
		line, ended = bytes.CutSuffix(line, newline)
		s.open = !ended
	}
	i := bytes.IndexByte(line, '\f')
	if i < 0 {
		return line, true, false, nil
	}
	if err := s.held.keep(line); err != nil {
		return nil, false, false, err
	}
	line, s.rest = s.held.text[:i], bytes.Clone(s.held.text[i+1:])
	s.more = len(s.rest) > 0
	return line, i > 0, true, nil
}

// file prints the pages of a file.
func (p *paginator) file(name string) error {
	s := p.open(name)
	if s == nil {
		return nil
	}
	defer s.drop()
	p.begin(name)
	var rows growing // the lines of a page, each with a newline
	rows.call = p.call
	defer rows.drop()
	for p.page < p.last {
		rows.data = rows.data[:0]
		count, capacity, feed, open := 0, p.bodyLines*p.columns, false, false
		for count < capacity && !feed {
			line, ok, ff, err := s.next()
			if err != nil {
				return err
			}
			if feed, open = ff, ff || s.open; ok {
				count++
				if err := rows.add(append(line[:len(line):len(line)], '\n')); err != nil {
					return err
				}
			}
			if s.done {
				break
			}
			open = open && ok
		}
		if count == 0 && !feed {
			return nil
		}
		if err := p.printPage(bytes.Split(bytes.TrimSuffix(rows.data, newline), newline)[:count], feed, open); err != nil {
			return err
		}
	}
	return nil
}

// begin begins with the pages of a file.
func (p *paginator) begin(name string) {
	p.page, p.nextNumber = 0, p.startNumber
	when, title := p.call.Clock.Now(), name
	if name == "-" {
		title = ""
	} else if info, err := p.call.FS.Stat(name); err == nil {
		when = info.ModTime()
	}
	p.setHeader(when, title)
}

func (p *paginator) setHeader(when time.Time, title string) {
	if p.headerSet {
		title = p.header
	}
	date, err := strftime.Format{Date: true}.Append(nil, p.dateFormat, when.In(zone.Load(p.call.Getenv("TZ"))))
	if err != nil {
		date = []byte(p.dateFormat)
	}
	p.headerText = [2]string{string(date), title}
}

// printPage prints a page with the lines of one file. feed is whether a form feed
// has ended it, open whether its last line has that or nothing at its end.
func (p *paginator) printPage(lines [][]byte, feed, open bool) error {
	p.page++
	visible := p.page >= p.first
	rows := (len(lines) + p.columns - 1) / p.columns
	starts := make([]int, p.columns+1) // of columns, among the lines
	for i := range p.columns {
		starts[i+1] = starts[i] + len(lines)/p.columns
		if i < len(lines)%p.columns {
			starts[i+1]++
		}
	}
	if p.number && p.columns > 1 && !p.across || !visible {
		defer func() { p.nextNumber += int64(len(lines)) }()
	}
	if !visible {
		return nil
	}
	p.printHeader()
	for row := range rows {
		p.line.begin()
		for column := range p.columns {
			i := starts[column] + row
			if p.across {
				i = row*p.columns + column
			}
			if i < len(lines) && (p.across || i < starts[column+1]) {
				number := p.nextNumber + int64(i)
				if p.columns == 1 {
					number = p.nextNumber + int64(row)
				}
				p.line.cell(column, lines[i], number)
			}
			p.line.separators++
		}
		last := row == rows-1 && (open || p.columns > 1 && !p.across && rows < p.bodyLines)
		if err := p.endRow(last && p.bare); err != nil {
			return err
		}
	}
	if p.columns == 1 || p.across {
		p.nextNumber += int64(len(lines))
	}
	return p.printFooter(rows, feed)
}

// endRow ends a line of a page. last is whether it is known to be the last one
// of all.
func (p *paginator) endRow(last bool) error {
	p.out.buf = append(p.out.buf, '\n')
	if p.double && !last {
		p.out.buf = append(p.out.buf, '\n')
	}
	if err := cmp.Or(p.line.err, p.call.Poll(1+p.line.position>>6)); err != nil {
		return err
	}
	return p.out.spill()
}

// printHeader prints what comes before the body of a page.
func (p *paginator) printHeader() {
	if p.bare {
		return
	}
	date, title, page := p.headerText[0], p.headerText[1], "Page "+strconv.FormatUint(p.page, 10)
	space := max(p.width-width.Bytes([]byte(date))-width.Bytes([]byte(title))-len(page), 0)
	left := max(space/2, 1)
	right := max(space-space/2, 1)
	margin := strings.Repeat(" ", p.margin)
	p.out.buf = append(p.out.buf, margin+"\n\n"...)
	p.out.buf = append(p.out.buf, margin+date+strings.Repeat(" ", left)+title+strings.Repeat(" ", right)+page+"\n\n\n"...)
}

// printFooter prints what comes after a body of so many rows.
func (p *paginator) printFooter(rows int, feed bool) error {
	switch {
	case p.formFeed && !p.bare, p.keepFeeds && feed:
		p.out.buf = append(p.out.buf, '\f')
	case !p.bare:
		if p.double {
			rows *= 2
		}
		left := p.pageLines - prHeaderLines - rows
		p.out.buf = append(p.out.buf, strings.Repeat("\n", left)...)
	}
	return p.out.spill()
}

// mergeFiles prints the pages of files next to each other.
func (p *paginator) mergeFiles(names []string) error {
	var sources []*prSource
	defer func() {
		for _, s := range sources {
			s.drop()
		}
	}()
	for _, name := range names {
		s := p.open(name)
		if s == nil {
			p.columns--
			continue
		}
		sources = append(sources, s)
	}
	p.setHeader(p.call.Clock.Now(), "")
	for p.page < p.last && len(sources) > 0 {
		p.page++
		visible, rows := p.page >= p.first, 0
		held := make([]bool, len(sources)) // until the next page
		for rows < p.bodyLines {
			more, err := p.mergeRow(sources, held, visible, rows == 0)
			if err != nil {
				return err
			}
			if !more {
				break
			}
			rows++
		}
		if rows == 0 && !slices.Contains(held, true) {
			return nil
		}
		if visible {
			if err := p.printFooter(rows, slices.Contains(held, true)); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeRow prints a line of each file, and reports whether there was any.
func (p *paginator) mergeRow(sources []*prSource, held []bool, visible, first bool) (more bool, err error) {
	p.line.begin()
	empty := 0 // columns without a line before the first with one
	for i, s := range sources {
		var line []byte
		ok := false
		if !s.done && !held[i] {
			var feed bool
			if line, ok, feed, err = s.next(); err != nil {
				return false, err
			}
			held[i] = feed
		}
		switch {
		case ok:
			if !more {
				more = true
				if visible && first {
					p.printHeader()
				}
				for j := range empty {
					p.line.align(j)
					if p.number && j == 0 {
						p.line.number(p.nextNumber)
					}
					p.line.separators = 1
				}
			}
			p.line.cell(i, line, p.nextNumber)
		case more:
			p.line.align(i)
		default:
			empty++
			continue
		}
		p.line.separators++
	}
	if !more {
		return false, nil
	}
	p.nextNumber++
	if !visible {
		p.out.buf = p.out.buf[:p.line.start]
		return true, nil
	}
	return true, p.endRow(false)
}
