package file

import (
	"bufio"
	"fmt"
	"io/fs"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/walk"
)

// clobber says what to do about a destination that exists.
type clobber uint8

const (
	overwrite clobber = iota
	overwriteForced
	overwriteAsked
	overwriteNever
)

// copyOptions are the ways of cp, mv and install to copy.
type copyOptions struct {
	recursive   bool
	move        bool // rename where that can be done
	asRegular   bool // read what is no regular file rather than make its like
	removeFirst bool // --remove-destination
	force       bool // remove a destination that cannot be opened
	hardLink    bool
	symLink     bool
	update      bool
	oneFS       bool
	attributes  bool // --attributes-only
	clone       bool // --reflink=always, which no file system here can do
	verbose     bool
	follow      walk.Follow
	clobber     clobber
	preserve    preserve
	backup      backup
	sparse      string  // "auto", "always" or "never"
	mode        *uint32 // of the copy; install's
}

// A copier copies or moves files, trees too.
type copier struct {
	copyOptions
	c   *builtins.Call
	out *bufio.Writer

	sources map[identity]string // operands that were copied, by name
	created map[identity]string // files that operands became
	copied  map[identity]string // where files with several names went
	buffer  []byte

	// Of the operand that is being copied:
	src, dst string
	top      identity    // the directory that dst became
	stop     bool        // it is being copied into itself
	faulty   bool        // something was not copied
	crossed  bool        // to another file system, so that the operand remains to be removed
	dirs     []copiedDir // by depth
}

// A copiedDir is a directory whose content is being copied.
type copiedDir struct {
	made bool
	bits uint32 // the permissions it shall have in the end
}

func newCopier(c *builtins.Call) *copier {
	out := bufio.NewWriter(c.Stdout)
	return &copier{
		c: c, out: out,
		copyOptions: copyOptions{sparse: "auto"},
		sources:     map[identity]string{},
		created:     map[identity]string{},
		copied:      map[identity]string{},
	}
}

// close gives back the memory that the copier holds.
func (k *copier) close() {
	k.c.Free(len(k.buffer) + recordCost*(len(k.sources)+len(k.created)+len(k.copied)))
}

// recordCost is what an entry of the copier's maps costs, names aside.
const recordCost = 96

func (k *copier) record(m map[identity]string, id identity, name string) error {
	if _, ok := m[id]; !ok {
		if err := k.c.Alloc(recordCost); err != nil {
			return err
		}
	}
	m[id] = name
	return nil
}

// copy copies or moves src to dst. It warns of what fails; the error is one
// that ends the call.
func (k *copier) copy(src, dst string) error {
	k.src, k.dst, k.top, k.stop, k.faulty, k.crossed, k.dirs = src, dst, identity{}, false, false, false, k.dirs[:0]
	return walk.Tree(k.c, src, walk.Options{Follow: k.follow, OneFS: k.oneFS}, k.visit)
}

// visit copies one file, or one directory without its content. Errors of files
// are warned of here, and end nothing but the copy of what is below them.
func (k *copier) visit(e *walk.Entry) error {
	dst := k.destination(e)
	if e.Post {
		return k.leave(e, dst)
	}
	if k.stop {
		return walk.Skip
	}
	descend, err := k.entry(e, dst)
	if err != nil {
		if err := k.warn(err); err != nil {
			return err
		}
	}
	if !descend {
		return walk.Skip
	}
	return nil
}

// warn warns of err, unless it ends the call.
func (k *copier) warn(err error) error {
	k.faulty = true
	return warn(k.c, err)
}

func (k *copier) destination(e *walk.Entry) string {
	if e.Depth == 0 {
		return k.dst
	}
	return walk.Join(k.dst, strings.TrimLeft(e.Path[len(k.src):], "/"))
}

func (k *copier) entry(e *walk.Entry, dst string) (descend bool, err error) {
	info, err := e.Info()
	if err == nil && isLink(info) && (k.follow == walk.Always || k.follow == walk.Operand && e.Depth == 0) {
		_, err = k.c.FS.Stat(e.Path)
	}
	switch {
	case err == walk.ErrCycle:
		return false, fmt.Errorf("cannot copy cyclic symbolic link %s", builtins.Quote(e.Path))
	case err != nil:
		return false, fmt.Errorf("cannot stat %s: %w", builtins.Quote(e.Path), reason(err))
	case info.IsDir() && !k.recursive && k.mode != nil:
		return false, fmt.Errorf("omitting directory %s", builtins.Quote(e.Path))
	case info.IsDir() && !k.recursive:
		return false, fmt.Errorf("-r not specified; omitting directory %s", builtins.Quote(e.Path))
	}
	j := &copyJob{copier: k, src: e.Path, dst: dst, info: info, depth: e.Depth}
	if done, err := j.seen(); done || err != nil {
		return false, err
	}
	if done, err := j.prepare(); done || err != nil {
		return false, err
	}
	if descend, err = j.perform(); err != nil && j.kept != "" {
		_ = k.c.FS.Rename(j.kept, dst)
	}
	return descend, err
}

// leave gives a directory the attributes that it shall have.
func (k *copier) leave(e *walk.Entry, dst string) error {
	if e.Err != nil {
		if err := k.warn(fmt.Errorf("cannot access %s: %w", builtins.Quote(e.Path), reason(e.Err))); err != nil {
			return err
		}
	}
	info, err := e.Info()
	if info == nil {
		return err
	}
	d := k.dirs[e.Depth]
	if err := k.keepAttributes(dst, info, d.made, d.bits); err != nil {
		return k.warn(err)
	}
	return nil
}

// announce says that src went to dst, as -v wants it.
func (k *copier) announce(verb, src, dst, kept string) {
	fmt.Fprintf(k.out, "%s%s -> %s", verb, builtins.Quote(src), builtins.Quote(dst))
	if kept != "" {
		fmt.Fprintf(k.out, " (backup: %s)", builtins.Quote(kept))
	}
	k.out.WriteByte('\n')
}

// plainBits returns the permissions of a copy of which none are to be kept.
func (k *copier) plainBits(info fs.FileInfo) uint32 {
	switch {
	case k.mode != nil:
		return *k.mode
	case k.preserve.modeRefused && info.IsDir():
		return 0o777
	case k.preserve.modeRefused:
		return 0o666
	case info.IsDir():
		return filemode.Bits(info.Mode()) & (filemode.Perm | filemode.Sticky)
	}
	return filemode.Bits(info.Mode()) & filemode.Perm
}
