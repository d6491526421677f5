package archive

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"time"

	"github.com/spf13/afero"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/internal/zone"
)

// A zipArchive is a zip file that is open for reading.
type zipArchive struct {
	*zip.Reader
	file afero.File
	call *builtins.Call
	held int
}

// openZip opens a zip file, and charges what its directory will occupy.
func openZip(c *builtins.Call, name string) (*zipArchive, error) {
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	a := &zipArchive{file: f, call: c}
	held := directorySize(f, info.Size()) * directoryCost
	if err := c.Alloc(held); err != nil {
		f.Close()
		return nil, err
	}
	a.held = held
	if a.Reader, err = zip.NewReader(f, info.Size()); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// directoryCost is how much memory a byte of a directory takes once it is read.
const directoryCost = 8

// directorySize returns the size that the end of a zip file gives for its
// directory, or that of the file where it does not say.
func directorySize(r io.ReaderAt, size int64) int {
	tail := make([]byte, min(size, 66<<10))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return 0
	}
	i := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if i < 0 || len(tail)-i < 22 {
		return 0
	}
	if n := binary.LittleEndian.Uint32(tail[i+12:]); n != 1<<32-1 {
		return int(min(int64(n), size))
	}
	return int(size)
}

// Close closes the file and gives back the memory.
func (a *zipArchive) Close() {
	a.call.Free(a.held)
	a.held = 0
	a.file.Close()
}

// Numbers of the extra fields that Info-ZIP writes.
const (
	extraTime  = 0x5455
	extraOwner = 0x7875
)

// zipTime returns the time of an entry in the zone loc: the exact one of
// an extra field, or that of the directory, which is local.
func zipTime(h *zip.FileHeader, loc *time.Location) time.Time {
	for extra := h.Extra; len(extra) >= 4; {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if len(extra) < 4+size {
			break
		}
		if id == extraTime && size >= 5 && extra[4]&1 != 0 {
			return time.Unix(int64(int32(binary.LittleEndian.Uint32(extra[5:]))), 0).In(loc)
		}
		extra = extra[4+size:]
	}
	d, t := int(h.ModifiedDate), int(h.ModifiedTime)
	return time.Date(d>>9+1980, time.Month(d>>5&15), d&31, t>>11, t>>5&63, t&31*2, 0, loc)
}

// setZipTime sets the time of an entry, and its owner.
func setZipTime(h *zip.FileHeader, t time.Time, uid, gid int) {
	h.ModifiedDate = uint16(max(t.Year()-1980, 0)<<9 | int(t.Month())<<5 | t.Day())
	h.ModifiedTime = uint16(t.Hour()<<11 | t.Minute()<<5 | t.Second()/2)
	extra := binary.LittleEndian.AppendUint16(nil, extraTime)
	extra = append(extra, 5, 0, 1)
	extra = binary.LittleEndian.AppendUint32(extra, uint32(t.Unix()))
	extra = binary.LittleEndian.AppendUint16(extra, extraOwner)
	extra = append(extra, 11, 0, 1, 4)
	extra = binary.LittleEndian.AppendUint32(extra, uint32(uid))
	extra = append(extra, 4)
	h.Extra = binary.LittleEndian.AppendUint32(extra, uint32(gid))
}

// zipMode returns the st_mode that an entry has, or 0 where it has none.
func zipMode(h *zip.FileHeader) uint32 {
	if h.CreatorVersion>>8 == 3 {
		return h.ExternalAttrs >> 16
	}
	return 0
}

// isSymlink reports whether an entry is a symbolic link.
func isSymlink(h *zip.FileHeader) bool { return zipMode(h)&filemode.Type == filemode.Symlink }

// localZone returns the zone of the script.
func localZone(c *builtins.Call) *time.Location { return zone.Load(c.Getenv("TZ")) }

// A nameFilter chooses entries by patterns, in which * matches slashes too.
type nameFilter struct {
	include, exclude []*pattern.Pattern
	flags            pattern.Flags
}

func (f *nameFilter) add(list *[]*pattern.Pattern, texts []string) {
	for _, text := range texts {
		*list = append(*list, pattern.Compile(text, f.flags))
	}
}

func matchAny(list []*pattern.Pattern, name string) (index int) {
	for i, p := range list {
		if p.Match(name) {
			return i
		}
	}
	return -1
}

// takeLists takes the options whose values are all the words that follow, up to
// the next option or "@", such as -x of zip, from args.
func takeLists(args []string, letters string) (rest []string, lists map[byte][]string) {
	lists = map[byte][]string{}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if len(arg) < 2 || arg[0] != '-' || strings.IndexByte(letters, arg[1]) < 0 {
			rest = append(rest, arg)
			continue
		}
		letter := arg[1]
		if len(arg) > 2 {
			lists[letter] = append(lists[letter], arg[2:])
			continue
		}
		for i+1 < len(args) && args[i+1] != "@" && (args[i+1] == "" || args[i+1][0] != '-') {
			i++
			lists[letter] = append(lists[letter], args[i])
		}
		if i+1 < len(args) && args[i+1] == "@" {
			i++
		}
	}
	return rest, lists
}
