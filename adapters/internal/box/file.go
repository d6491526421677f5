package box

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/internal/quote"
	"github.com/limpet-sh/limpet/vfs"
)

// Path returns the absolute name of a file.
func (b *Box) Path(name string) string {
	if name == "" || path.IsAbs(name) {
		return name
	}
	return path.Join(b.opts.Workspace, name)
}

const readScript = `F=%s
if [ -d "$F" ]; then echo 'Is a directory'
elif [ ! -e "$F" ]; then echo 'No such file or directory'
elif [ ! -f "$F" ]; then echo 'not a regular file'
elif [ ! -r "$F" ]; then echo 'Permission denied'
else echo ok; cat < "$F"; fi`

// ReadFile returns the content of a regular file.
func (b *Box) ReadFile(ctx context.Context, name string) ([]byte, error) {
	end, err := b.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	fail := func(err error) ([]byte, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: err} }
	if err := checkName(name); err != nil {
		return fail(err)
	}
	out, err := b.call(ctx, fmt.Sprintf(readScript, quote.Single(b.Path(name))), nil)
	if err != nil {
		return nil, err
	}
	line, data, _ := bytes.Cut(out, []byte("\n"))
	if string(line) != "ok" {
		return fail(reason(string(line)))
	}
	return data, nil
}

// The content goes to a file of the supervisor's first, so that one that was cut on
// the way harms nothing.
const writeScript = `F=%s T=%s
D=${F%%/*}
umask 077; cat > "$T"; [ $(wc -c < "$T") = %d ] || { rm -f "$T"; echo cut; exit; }
umask 022
[ ! -d "$F" ] || { rm -f "$T"; echo 'Is a directory'; exit; }
new=; [ -e "$F" ] || new=1
e=$({ mkdir -p -- "${D:-/}" && cat "$T" > "$F" && { [ -z "$new" ] || chmod %o -- "$F"; }; } 2>&1) && e=ok
rm -f "$T"
printf '%%s\n' "$e"`

// WriteFile makes data the content of a regular file.
func (b *Box) WriteFile(ctx context.Context, name string, data []byte, perm fs.FileMode) error {
	end, err := b.begin()
	if err != nil {
		return err
	}
	defer end()
	fail := func(err error) error { return &fs.PathError{Op: "open", Path: name, Err: err} }
	if err := checkName(name); err != nil {
		return fail(err)
	}
	script := fmt.Sprintf(writeScript, quote.Single(b.Path(name)), quote.Single(b.opts.Control+"/upload."+newName()), len(data), perm.Perm())
	for range tries {
		out, err := b.call(ctx, script, data)
		if err != nil {
			return fmt.Errorf("%s: whether %s was written is not known: %w", b.opts.Kind, quote.C(name), err)
		}
		switch text := strings.TrimSpace(string(out)); text {
		case "ok":
			return nil
		case "cut":
			if _, err := b.install(ctx); err != nil {
				return fail(err)
			}
		default:
			return fail(reason(text))
		}
	}
	return fail(errors.New("the content could not be sent to the sandbox whole"))
}

// checkName fails where a name is none.
func checkName(name string) error {
	if name == "" {
		return vfs.ENOENT
	}
	if strings.ContainsRune(name, 0) {
		return vfs.EINVAL
	}
	return nil
}

// reason makes an error of what a command of the sandbox says.
func reason(text string) error {
	for _, e := range []vfs.Errno{vfs.ENOENT, vfs.EISDIR, vfs.ENOTDIR, vfs.EACCES, vfs.ENOSPC, vfs.EROFS, vfs.ENAMETOOLONG, vfs.EEXIST} {
		if strings.HasSuffix(text, e.Error()) {
			return e
		}
	}
	return errors.New(text)
}
