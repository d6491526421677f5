package file

import (
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/wchar"
	"github.com/limpet-sh/limpet/internal/width"
	"github.com/limpet-sh/limpet/vfs"
)

// print lists files in the format of the options.
func (l *lister) print(files []*lsFile) error {
	someQuoted := false
	for _, f := range files {
		name := l.quote(f.name)
		f.quoted = name != f.name && (name[0] == '\'' || name[0] == '"')
		f.shown = l.show(name)
		someQuoted = someQuoted || f.quoted
	}
	if l.align && someQuoted {
		for _, f := range files {
			if !f.quoted {
				f.shown = " " + f.shown
			}
		}
	}
	if l.format == lsLong {
		return l.printLong(files)
	}
	inodes, blocks := l.fieldWidths(files)
	if l.format != lsOne {
		for _, f := range files {
			f.width = l.entryWidth(f, inodes, blocks)
		}
	}
	switch {
	case l.format == lsOne:
		return l.printOne(files, inodes, blocks)
	case l.format == lsCommas:
		return l.printCommas(files)
	case l.width == 0:
		return l.printWide(files, inodes, blocks)
	case l.format == lsColumns:
		return l.printColumns(files, inodes, blocks)
	}
	return l.printAcross(files, inodes, blocks)
}

// fieldWidths returns the widths of the columns of -i and -s.
func (l *lister) fieldWidths(files []*lsFile) (inodes, blocks int) {
	for _, f := range files {
		if l.inode {
			inodes = max(inodes, len(l.inodeOf(f)))
		}
		if l.blocks {
			blocks = max(blocks, len(l.blocksOf(f)))
		}
	}
	return inodes, blocks
}

func (l *lister) inodeOf(f *lsFile) string {
	if f.info == nil {
		return "?"
	}
	return strconv.FormatUint(vfs.StatOf(f.info).Ino, 10)
}

func (l *lister) blocksOf(f *lsFile) string {
	if f.info == nil {
		return "?"
	}
	return l.blockUnit.formatBlocks(uint64(vfs.StatOf(f.info).Blocks), 512)
}

// entryWidth returns how many columns an entry takes.
func (l *lister) entryWidth(f *lsFile, inodes, blocks int) int {
	n := displayWidth(f.shown)
	if l.indicatorOf(f) != 0 {
		n++
	}
	if l.inode {
		if l.format == lsCommas {
			inodes = len(l.inodeOf(f))
		}
		n += inodes + 1
	}
	if l.blocks {
		if l.format == lsCommas {
			blocks = len(l.blocksOf(f))
		}
		n += blocks + 1
	}
	return n
}

// entry prints a name with what -i, -s and the indicator add to it. at is the
// column where it begins.
func (l *lister) printEntry(f *lsFile, inodes, blocks, at int) {
	if l.inode {
		l.pad(l.inodeOf(f), inodes)
		l.out.WriteByte(' ')
	}
	if l.blocks {
		l.pad(l.blocksOf(f), blocks)
		l.out.WriteByte(' ')
	}
	l.printName(f, at)
	if b := l.indicatorOf(f); b != 0 {
		l.out.WriteByte(b)
	}
}

func (l *lister) printName(f *lsFile, at int) {
	if l.colors == nil {
		l.out.WriteString(f.shown)
		return
	}
	l.paint(l.colors.of(f), f.shown, at, f.width)
}

// pad prints text at the right of a field.
func (l *lister) pad(text string, width int) {
	for n := len(text); n < width; n++ {
		l.out.WriteByte(' ')
	}
	l.out.WriteString(text)
}

func (l *lister) printOne(files []*lsFile, inodes, blocks int) error {
	for _, f := range files {
		if err := l.c.Poll(1); err != nil {
			return err
		}
		l.printEntry(f, inodes, blocks, 0)
		if err := l.out.WriteByte(lineEnd(l.zero)); err != nil {
			return writeError(err)
		}
	}
	return nil
}

// printCommas prints as many files on a line as fit.
func (l *lister) printCommas(files []*lsFile) error {
	at := 0
	for i, f := range files {
		if err := l.c.Poll(1); err != nil {
			return err
		}
		if i > 0 {
			if l.width == 0 || at+f.width+2 < l.width {
				at += 2
				l.out.WriteString(", ")
			} else {
				at = 0
				l.out.WriteString(",\n")
			}
		}
		l.printEntry(f, 0, 0, at)
		at += f.width
	}
	l.endLine()
	return nil
}

// printWide prints all files on one line.
func (l *lister) printWide(files []*lsFile, inodes, blocks int) error {
	at := 0
	for i, f := range files {
		if i > 0 {
			l.out.WriteString("  ")
			at += 2
		}
		l.printEntry(f, inodes, blocks, at)
		at += f.width
	}
	if len(files) > 0 {
		l.endLine()
	}
	return nil
}

// gap is what separates columns.
const gap = 2

// arrange returns the widths of the most columns in which files fit.
func (l *lister) arrange(files []*lsFile, across bool) []int {
	const least = 1 + gap // the width of a column
	limit := l.width / least
	if l.width%least != 0 {
		limit++
	}
	for columns := min(max(limit, 1), len(files)); columns > 1; columns-- {
		if widths := l.fit(files, columns, across); widths != nil {
			return widths
		}
	}
	return []int{0}
}

// fit returns the widths of so many columns, or nil where they do not fit.
func (l *lister) fit(files []*lsFile, columns int, across bool) []int {
	widths := make([]int, columns)
	for i := range widths {
		widths[i] = 1 + gap
	}
	total := columns * (1 + gap)
	rows := (len(files) + columns - 1) / columns
	for i, f := range files {
		at := i / rows
		if across {
			at = i % columns
		}
		need := f.width
		if at < columns-1 {
			need += gap
		}
		if need > widths[at] {
			total += need - widths[at]
			widths[at] = need
		}
		if total >= l.width {
			return nil
		}
	}
	return widths
}

func (l *lister) printColumns(files []*lsFile, inodes, blocks int) error {
	widths := l.arrange(files, false)
	rows := (len(files) + len(widths) - 1) / len(widths)
	for row := range rows {
		at := 0
		for col, i := 0, row; i < len(files); col, i = col+1, i+rows {
			if err := l.c.Poll(1); err != nil {
				return err
			}
			l.printEntry(files[i], inodes, blocks, at)
			if i+rows < len(files) {
				l.indent(at+files[i].width, at+widths[col])
				at += widths[col]
			}
		}
		l.endLine()
	}
	return nil
}

func (l *lister) printAcross(files []*lsFile, inodes, blocks int) error {
	widths := l.arrange(files, true)
	at := 0
	for i, f := range files {
		if err := l.c.Poll(1); err != nil {
			return err
		}
		col := i % len(widths)
		switch {
		case i == 0:
		case col == 0:
			l.endLine()
			at = 0
		default:
			last := at + widths[col-1]
			l.indent(at+files[i-1].width, last)
			at = last
		}
		l.printEntry(f, inodes, blocks, at)
	}
	if len(files) > 0 {
		l.endLine()
	}
	return nil
}

// indent moves from one column to another, with tabs where they help.
func (l *lister) indent(from, to int) {
	for from < to {
		if l.tab > 0 && to/l.tab > (from+1)/l.tab {
			l.out.WriteByte('\t')
			from += l.tab - from%l.tab
		} else {
			l.out.WriteByte(' ')
			from++
		}
	}
}

// indicatorOf returns the character that tells the type of f, or 0.
func (l *lister) indicatorOf(f *lsFile) byte {
	mode := f.kind
	if f.info != nil {
		mode = f.info.Mode()
	}
	return l.indicatorFor(mode, f.info != nil)
}

func (l *lister) indicatorFor(mode fs.FileMode, looked bool) byte {
	switch {
	case l.indicator == "none":
		return 0
	case mode.IsDir():
		return '/'
	case l.indicator == "slash":
		return 0
	case mode.IsRegular():
		if l.indicator == "classify" && looked && filemode.Bits(mode)&0o111 != 0 {
			return '*'
		}
		return 0
	}
	switch mode.Type() {
	case fs.ModeSymlink:
		return '@'
	case fs.ModeNamedPipe:
		return '|'
	case fs.ModeSocket:
		return '='
	}
	return 0
}

// show replaces what a terminal could not show by question marks, for -q.
func (l *lister) show(name string) string {
	if !l.question {
		return name
	}
	var b []byte
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && n <= 1 || !wchar.IsPrint(r) {
			if b == nil {
				b = append(make([]byte, 0, len(name)), name[:i]...)
			}
			b = append(b, '?')
		} else if b != nil {
			b = append(b, name[i:i+n]...)
		}
		i += n
	}
	if b == nil {
		return name
	}
	return string(b)
}

// displayWidth returns how many columns name takes. A byte that is no character
// takes one.
func displayWidth(name string) int {
	if strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
		return len(name)
	}
	n := 0
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		i += size
		if r == utf8.RuneError && size <= 1 {
			n++
			continue
		}
		switch w := width.Rune(r); {
		case w >= 0:
			n += w
		case !wchar.IsCntrl(r):
			n++
		}
	}
	return n
}
