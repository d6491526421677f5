package file

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/account"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/strftime"
	"github.com/limpet-sh/limpet/internal/zone"
	"github.com/limpet-sh/limpet/vfs"
)

// An lsLongWriter prints the lines of -l of one list of files.
type lsLongWriter struct {
	*lister
	now  time.Time
	zone *time.Location

	inodes, blockWidth, links int // widths
	owners, groupWidth, sizes int
	authors, majors, minors   int
	users, groups             map[int]string
	userNumbers, groupNumbers map[int]bool // that have no name
}

// printLong lists files as -l does.
func (l *lister) printLong(files []*lsFile) error {
	w := &lsLongWriter{
		lister: l, zone: zone.Load(l.c.Getenv("TZ")), now: l.c.Clock.Now(),
		users: map[int]string{}, groups: map[int]string{},
		userNumbers: map[int]bool{}, groupNumbers: map[int]bool{},
	}
	for _, f := range files {
		if err := l.c.Poll(1); err != nil {
			return err
		}
		w.measure(f)
	}
	w.sizes = max(w.sizes, w.deviceWidth())
	for _, f := range files {
		if err := l.c.Poll(1); err != nil {
			return err
		}
		w.line(f)
		if err := l.out.WriteByte(lineEnd(l.zero)); err != nil {
			return writeError(err)
		}
	}
	return nil
}

func isDevice(info fs.FileInfo) bool { return info.Mode()&fs.ModeDevice != 0 }

func (w *lsLongWriter) deviceWidth() int {
	if w.majors == 0 {
		return 0
	}
	return w.majors + 2 + w.minors
}

// measure widens the columns for f.
func (w *lsLongWriter) measure(f *lsFile) {
	if w.inode {
		w.inodes = max(w.inodes, len(w.inodeOf(f)))
	}
	if w.lister.blocks {
		w.blockWidth = max(w.blockWidth, len(w.blocksOf(f)))
	}
	if f.info == nil {
		w.links, w.owners, w.groupWidth, w.sizes = max(w.links, 1), max(w.owners, 1), max(w.groupWidth, 1), max(w.sizes, 1)
		return
	}
	st := vfs.StatOf(f.info)
	w.links = max(w.links, len(strconv.FormatUint(st.Nlink, 10)))
	w.owners = max(w.owners, len(w.name(w.users, w.userNumbers, w.lister.users, st.UID)))
	w.groupWidth = max(w.groupWidth, len(w.name(w.groups, w.groupNumbers, w.lister.groups, st.GID)))
	if isDevice(f.info) {
		major, minor := vfs.DevNumbers(st.Rdev)
		w.majors = max(w.majors, len(strconv.FormatUint(uint64(major), 10)))
		w.minors = max(w.minors, len(strconv.FormatUint(uint64(minor), 10)))
		return
	}
	w.sizes = max(w.sizes, len(w.sizeUnit.format(uint64(f.info.Size()))))
}

// name returns the name of a user or group, or its number. It notes in numbers
// whether that is one, which stands at the right of its column.
func (w *lsLongWriter) name(cache map[int]string, numbers map[int]bool, table *account.Table, id int) string {
	if name, ok := cache[id]; ok {
		return name
	}
	name, ok := table.Name(id)
	if w.numeric || !ok {
		name, numbers[id] = strconv.Itoa(id), true
	}
	cache[id] = name
	return name
}

// line prints the line of f, without its end.
func (w *lsLongWriter) line(f *lsFile) {
	if w.inode {
		w.pad(w.inodeOf(f), w.inodes)
		w.out.WriteByte(' ')
	}
	if w.lister.blocks {
		w.pad(w.blocksOf(f), w.blockWidth)
		w.out.WriteByte(' ')
	}
	if f.info == nil {
		w.unknown(f)
		return
	}
	st := vfs.StatOf(f.info)
	w.out.WriteString(filemode.Letters(filemode.Unix(f.info.Mode())))
	w.out.WriteByte(' ')
	w.pad(strconv.FormatUint(st.Nlink, 10), w.links)
	w.out.WriteByte(' ')
	if w.owner {
		w.person(w.users[st.UID], w.userNumbers[st.UID], w.owners)
	}
	if w.group {
		w.person(w.groups[st.GID], w.groupNumbers[st.GID], w.groupWidth)
	}
	if w.author {
		w.person(w.users[st.UID], w.userNumbers[st.UID], w.owners)
	}
	w.size(f)
	w.out.WriteString(w.stamp(w.when(f)))
	w.out.WriteByte(' ')
	w.nameAndTarget(f)
}

// unknown prints the line of a file that could not be looked at.
func (w *lsLongWriter) unknown(f *lsFile) {
	w.out.WriteString(string(filemode.TypeLetter(filemode.Unix(f.kind))) + "????????? ")
	w.pad("?", w.links)
	w.out.WriteByte(' ')
	if w.owner {
		w.person("?", false, w.owners)
	}
	if w.group {
		w.person("?", false, w.groupWidth)
	}
	w.pad("?", w.sizes)
	w.out.WriteByte(' ')
	w.pad("?", len(w.stamp(w.now)))
	w.out.WriteByte(' ')
	w.nameAndTarget(f)
}

// person prints the name or the number of a user or group, and a space.
func (w *lsLongWriter) person(name string, number bool, width int) {
	if number {
		w.pad(name, width)
		w.out.WriteByte(' ')
		return
	}
	fmt.Fprintf(w.out, "%-*s ", width, name)
}

func (w *lsLongWriter) size(f *lsFile) {
	if !isDevice(f.info) {
		w.pad(w.sizeUnit.format(uint64(f.info.Size())), w.sizes)
		w.out.WriteByte(' ')
		return
	}
	major, minor := vfs.DevNumbers(vfs.StatOf(f.info).Rdev)
	w.pad(strconv.FormatUint(uint64(major), 10), w.majors+max(0, w.sizes-w.deviceWidth()))
	w.out.WriteString(", ")
	w.pad(strconv.FormatUint(uint64(minor), 10), w.minors)
	w.out.WriteByte(' ')
}

// stamp shows a time in the style of the options.
func (w *lsLongWriter) stamp(t time.Time) string {
	recent := t.After(w.now.Add(-halfYear)) && !t.After(w.now)
	if w.lister.timeStyle[0] == '+' {
		return w.custom(t.In(w.zone), recent)
	}
	layouts := lsTimes[w.timeStyle]
	if recent {
		return t.In(w.zone).Format(layouts[0])
	}
	return t.In(w.zone).Format(layouts[1])
}

func (w *lsLongWriter) nameAndTarget(f *lsFile) {
	f.width = displayWidth(f.shown)
	w.printName(f, 0)
	if f.target == "" {
		if b := w.indicatorOf(f); b != 0 {
			w.out.WriteByte(b)
		}
		return
	}
	w.out.WriteString(" -> ")
	shown := w.show(w.quote(f.target))
	if w.colors != nil {
		w.paint(w.colors.ofTarget(f), shown, 0, displayWidth(shown))
	} else {
		w.out.WriteString(shown)
	}
	if f.targetInfo != nil {
		if b := w.indicatorFor(f.targetInfo.Mode(), true); b != 0 {
			w.out.WriteByte(b)
		}
	}
}

// custom shows a time as +FORMAT says. A second line of it, if there is one, is
// the format of recent times.
func (w *lsLongWriter) custom(t time.Time, recent bool) string {
	format, second, two := strings.Cut(w.timeStyle[1:], "\n")
	if two && recent {
		format = second
	}
	held := 0
	grow := func(n int) error {
		held += n
		return w.c.Alloc(n)
	}
	text, _ := strftime.Format{Date: true, Grow: grow}.Append(nil, format, t)
	w.c.Free(held)
	return string(text)
}
