package find

import (
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

// listWidths are the widths of the columns of -ls, which grow when something
// does not fit.
type listWidths struct{ inode, blocks, links, owner, group, size int }

// halfYear is how long a time counts as recent.
const halfYear = 31556952 / 2 * time.Second

// listTo returns the action that prints files as ls -dils does.
func (f *finder) listTo(o *output) test {
	return func(e *walk.Entry) bool {
		info, ok := f.info(e)
		if !ok {
			return true
		}
		st, w := vfs.StatOf(info), &f.list
		o.WriteString(column(&w.inode, strconv.FormatUint(st.Ino, 10)))
		o.WriteString(" " + column(&w.blocks, strconv.FormatInt((st.Blocks+1)/2, 10)))
		o.WriteString(" " + filemode.Letters(filemode.Unix(info.Mode())))
		o.WriteString(" " + column(&w.links, strconv.FormatUint(st.Nlink, 10)))
		o.WriteString(" " + left(&w.owner, f.userTable().Show(st.UID)))
		o.WriteString(" " + left(&w.group, f.groupTable().Show(st.GID)))
		if info.Mode()&fs.ModeDevice != 0 {
			major, minor := vfs.DevNumbers(st.Rdev)
			fmt.Fprintf(o, " %*s%3d, %3d", w.size-8, "", major, minor)
		} else {
			o.WriteString(" " + column(&w.size, strconv.FormatInt(info.Size(), 10)))
		}
		o.WriteString(" " + f.listTime(info.ModTime()) + " " + escapeName(e.Path))
		if info.Mode().Type() == fs.ModeSymlink {
			target, err := f.c.FS.Readlink(e.Path)
			if err != nil {
				f.warnFile(e.Path, err)
			}
			o.WriteString(" -> " + escapeName(target))
		}
		f.wrote(o, o.WriteByte('\n'))
		return true
	}
}

// column puts text at the right of a column, which it widens if need be.
func column(width *int, text string) string {
	*width = max(*width, len(text))
	return fmt.Sprintf("%*s", *width, text)
}

// left puts text at the left of a column, which it widens if need be.
func left(width *int, text string) string {
	*width = max(*width, len(text))
	return fmt.Sprintf("%-*s", *width, text)
}

func (f *finder) listTime(t time.Time) string {
	if t.After(f.now.Add(-halfYear)) && !t.After(f.now.Add(time.Hour)) {
		return t.In(f.zone).Format("Jan _2 15:04")
	}
	return t.In(f.zone).Format("Jan _2  2006")
}

// escapeName writes a name with C's escapes for spaces, quotes and what is not
// printable ASCII.
func escapeName(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\\' || c == '"' || c == ' ':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\b':
			b = append(b, `\b`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\f':
			b = append(b, `\f`...)
		case c > ' ' && c < 127:
			b = append(b, c)
		default:
			b = fmt.Appendf(b, `\%03o`, c)
		}
	}
	return string(b)
}
