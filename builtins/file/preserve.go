package file

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/vfs"
)

// preserve says which attributes of a file its copy gets.
type preserve struct {
	mode, owner, times, links bool
	modeRefused               bool // --no-preserve=mode
}

// preserveNames are the words of --preserve.
var preserveNames = []string{"mode", "timestamps", "ownership", "links", "context", "xattr", "all"}

// set turns the attributes of list, as --preserve has them, on or off.
func (p *preserve) set(list string, on bool, option string) error {
	for word := range strings.SplitSeq(list, ",") {
		var name string
		if err := builtins.Choose(&name, word, option, preserveNames); err != nil {
			return err
		}
		all := name == "all"
		if name == "mode" || all {
			p.mode, p.modeRefused = on, !on
		}
		if name == "timestamps" || all {
			p.times = on
		}
		if name == "ownership" || all {
			p.owner = on
		}
		if name == "links" || all {
			p.links = on
		}
		if name == "context" && on {
			return errors.New("cannot preserve security context without an SELinux-enabled kernel")
		}
	}
	return nil
}

// keepAttributes gives dst, a copy of the file that info describes, the
// attributes that it shall have: those of info that are preserved, and for the
// rest bits, as the umask leaves them, if the copy was made for this.
func (k *copier) keepAttributes(dst string, info fs.FileInfo, made bool, bits uint32) error {
	st := vfs.StatOf(info)
	link := isLink(info)
	if k.preserve.times {
		if err := k.c.FS.Lchtimes(dst, st.Atime, info.ModTime()); err != nil {
			return fmt.Errorf("preserving times for %s: %w", builtins.Quote(dst), reason(err))
		}
	}
	if k.preserve.owner {
		if err := k.c.FS.Lchown(dst, st.UID, st.GID); err != nil && (k.c.User.UID == 0 || reason(err) != vfs.EPERM) {
			return fmt.Errorf("failed to preserve ownership for %s: %w", builtins.Quote(dst), reason(err))
		}
	}
	switch {
	case link:
		return nil
	case k.preserve.mode:
		bits = filemode.Bits(info.Mode())
	case !made:
		return nil
	case k.mode == nil:
		bits &^= filemode.Bits(k.c.FS.Umask)
	}
	now, err := k.c.FS.Lstat(dst)
	if err == nil && filemode.Bits(now.Mode()) == bits {
		return nil
	}
	if err := k.c.FS.Chmod(dst, filemode.Mode(bits)); err != nil {
		return fmt.Errorf("preserving permissions for %s: %w", builtins.Quote(dst), reason(err))
	}
	return nil
}
