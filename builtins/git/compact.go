package git

import "github.com/limpet-sh/limpet/internal/linediff"

// compaction moves the runs of changed lines of one side to where readers expect
// them: next to a change of the other side, or else where indentation says that a
// block begins.
type compaction struct {
	lines   []string
	class   []int32
	changed []bool // with a false at either end: line i is changed[i+1]
	other   []bool // the same of the other side
}

// A hunkRun is a run of changed lines, which may be empty.
type hunkRun struct{ start, end int }

func (c *compaction) at(i int) bool { return c.changed[i+1] }

// first returns the first run of a side.
func firstRun(changed []bool) hunkRun {
	r := hunkRun{}
	for changed[r.end+1] {
		r.end++
	}
	return r
}

// nextRun goes to the run behind r, and reports whether there is one.
func nextRun(changed []bool, r *hunkRun) bool {
	if r.end == len(changed)-2 {
		return false
	}
	r.start = r.end + 1
	r.end = r.start
	for changed[r.end+1] {
		r.end++
	}
	return true
}

// previousRun goes to the run before r.
func previousRun(changed []bool, r *hunkRun) {
	if r.start == 0 {
		return
	}
	r.end = r.start - 1
	r.start = r.end
	for r.start > 0 && changed[r.start] {
		r.start--
	}
}

// up moves r by a line, if the line above it is the same as its last, and joins it
// with the run that it meets.
func (c *compaction) up(r *hunkRun) bool {
	if r.start == 0 || c.class[r.start-1] != c.class[r.end-1] {
		return false
	}
	r.start--
	r.end--
	c.changed[r.start+1], c.changed[r.end+1] = true, false
	for r.start > 0 && c.at(r.start-1) {
		r.start--
	}
	return true
}

// down moves r by a line towards the end.
func (c *compaction) down(r *hunkRun) bool {
	if r.end == len(c.class) || c.class[r.start] != c.class[r.end] {
		return false
	}
	c.changed[r.start+1], c.changed[r.end+1] = false, true
	r.start++
	r.end++
	for r.end < len(c.class) && c.at(r.end) {
		r.end++
	}
	return true
}

// settle moves all runs.
func (c *compaction) settle(poll func(int) error) error {
	r, o := firstRun(c.changed), firstRun(c.other)
	for {
		if err := poll(1 + r.end - r.start); err != nil {
			return err
		}
		if r.end > r.start {
			c.settleRun(&r, &o)
		}
		if !nextRun(c.changed, &r) {
			return nil
		}
		nextRun(c.other, &o)
	}
}

// settleRun moves one run; o is the run of the other side at the same place.
func (c *compaction) settleRun(r, o *hunkRun) {
	var earliest, matching int
	for size := -1; size != r.end-r.start; {
		size = r.end - r.start
		matching = -1
		for c.up(r) {
			previousRun(c.other, o)
		}
		earliest = r.end
		if o.end > o.start {
			matching = r.end
		}
		for c.down(r) {
			nextRun(c.other, o)
			if o.end > o.start {
				matching = r.end
			}
		}
	}
	switch {
	case r.end == earliest:
	case matching >= 0:
		for o.end == o.start {
			if !c.up(r) {
				break
			}
			previousRun(c.other, o)
		}
	default:
		size := r.end - r.start
		best, bestScore := -1, splitScore{}
		for shift := max(earliest, r.end-size-1, r.end-100); shift <= r.end; shift++ {
			score := splitScore{}
			score.add(c.measure(shift))
			score.add(c.measure(shift - size))
			if best < 0 || score.compare(bestScore) <= 0 {
				best, bestScore = shift, score
			}
		}
		for r.end > best && c.up(r) {
			previousRun(c.other, o)
		}
	}
}

// A split is the place between two lines, as indentation has it.
type split struct {
	end        bool // of the file
	indent     int  // of the line behind the place; -1 where it is blank
	preBlank   int  // blank lines above
	preIndent  int  // of the line above those
	postBlank  int  // blank lines below
	postIndent int  // of the line below those
}

const (
	maxIndent = 200
	maxBlanks = 20
)

// indentOf returns how far a line is indented, or -1 where it is blank.
func indentOf(line string) int {
	n := 0
	for i := range len(line) {
		switch c := line[i]; {
		case c == '\t':
			n += 8 - n%8
		case c == ' ':
			n++
		case '\n' <= c && c <= '\r':
		default:
			return n
		}
		if n >= maxIndent {
			return maxIndent
		}
	}
	return -1
}

// measure describes the place before line at.
func (c *compaction) measure(at int) split {
	m := split{preIndent: -1, postIndent: -1, indent: -1}
	if at >= len(c.lines) {
		m.end = true
	} else {
		m.indent = indentOf(c.lines[at])
	}
	for i := at - 1; i >= 0; i-- {
		if m.preIndent = indentOf(c.lines[i]); m.preIndent != -1 {
			break
		}
		if m.preBlank++; m.preBlank == maxBlanks {
			m.preIndent = 0
			break
		}
	}
	for i := at + 1; i < len(c.lines); i++ {
		if m.postIndent = indentOf(c.lines[i]); m.postIndent != -1 {
			break
		}
		if m.postBlank++; m.postBlank == maxBlanks {
			m.postIndent = 0
			break
		}
	}
	return m
}

// A splitScore says how bad a place is; less is better.
type splitScore struct{ indent, penalty int }

// The weights of what makes a place good or bad, which were found by looking at
// what people prefer.
const (
	startPenalty             = 1
	endPenalty               = 21
	totalBlankWeight         = -30
	postBlankWeight          = 6
	relativeIndentPenalty    = -4
	relativeIndentWithBlank  = 10
	relativeOutdentPenalty   = 24
	relativeOutdentWithBlank = 17
	relativeDedentPenalty    = 23
	relativeDedentWithBlank  = 17
	indentWeight             = 60
)

// add adds what a place is worth.
func (s *splitScore) add(m split) {
	if m.preIndent == -1 && m.preBlank == 0 {
		s.penalty += startPenalty
	}
	if m.end {
		s.penalty += endPenalty
	}
	postBlank := 0
	if m.indent == -1 {
		postBlank = 1 + m.postBlank
	}
	total := m.preBlank + postBlank
	s.penalty += totalBlankWeight*total + postBlankWeight*postBlank
	indent := m.indent
	if indent == -1 {
		indent = m.postIndent
	}
	blanks := total != 0
	s.indent += indent
	weigh := func(plain, blank int) {
		if blanks {
			s.penalty += blank
		} else {
			s.penalty += plain
		}
	}
	switch {
	case indent == -1 || m.preIndent == -1 || indent == m.preIndent:
	case indent > m.preIndent:
		weigh(relativeIndentPenalty, relativeIndentWithBlank)
	case m.postIndent != -1 && m.postIndent > indent:
		weigh(relativeOutdentPenalty, relativeOutdentWithBlank)
	default:
		weigh(relativeDedentPenalty, relativeDedentWithBlank)
	}
}

// compare returns a negative number where s is better than o.
func (s splitScore) compare(o splitScore) int {
	order := 0
	switch {
	case s.indent > o.indent:
		order = 1
	case s.indent < o.indent:
		order = -1
	}
	return indentWeight*order + s.penalty - o.penalty
}

// A textDiff is two texts and how they differ.
type textDiff struct {
	old, new []string // lines, with their newlines
	changes  []linediff.Change
}

// diffLines compares two texts. fold gives the form in which lines are compared;
// nil means as they are.
func (g *git) diffLines(old, new []byte, fold func(string) string) (*textDiff, error) {
	d := &textDiff{old: splitLines(old), new: splitLines(new)}
	size := 64 * (len(d.old) + len(d.new))
	if err := g.Alloc(size); err != nil {
		return nil, err
	}
	defer g.Free(size)
	classes := map[string]int32{}
	classify := func(lines []string) []int32 {
		list := make([]int32, len(lines))
		for i, line := range lines {
			if fold != nil {
				line = fold(line)
			}
			n, ok := classes[line]
			if !ok {
				n = int32(len(classes))
				classes[line] = n
			}
			list[i] = n
		}
		return list
	}
	a, b := classify(d.old), classify(d.new)
	changes, err := linediff.Compare(a, b, false, g.Poll)
	if err != nil {
		return nil, err
	}
	oldChanged, newChanged := make([]bool, len(a)+2), make([]bool, len(b)+2)
	for _, c := range changes {
		for i := range c.Del {
			oldChanged[c.A+i+1] = true
		}
		for i := range c.Ins {
			newChanged[c.B+i+1] = true
		}
	}
	for _, side := range []compaction{{d.old, a, oldChanged, newChanged}, {d.new, b, newChanged, oldChanged}} {
		if err := side.settle(g.Poll); err != nil {
			return nil, err
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); i, j = i+1, j+1 {
		c := linediff.Change{A: i, B: j}
		for oldChanged[i+1] {
			i++
		}
		for newChanged[j+1] {
			j++
		}
		if c.Del, c.Ins = i-c.A, j-c.B; c.Del > 0 || c.Ins > 0 {
			d.changes = append(d.changes, c)
		}
	}
	return d, nil
}

// splitLines returns the lines of a text, with their newlines.
func splitLines(data []byte) (list []string) {
	text := string(data)
	for len(text) > 0 {
		end := 0
		for end < len(text) && text[end] != '\n' {
			end++
		}
		end = min(end+1, len(text))
		list, text = append(list, text[:end]), text[end:]
	}
	return list
}
