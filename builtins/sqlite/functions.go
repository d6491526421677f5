package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/ncruces/go-sqlite3"
)

// functions defines the functions of SQL that the command has besides SQLite's,
// and those of SQLite's own that would reach the host or could not be stopped.
func (d *database) functions() error {
	pure := sqlite3.DETERMINISTIC | sqlite3.INNOCUOUS
	m := matcher{database: d}
	for _, f := range []struct {
		name  string
		args  int
		flags sqlite3.FunctionFlag
		run   sqlite3.ScalarFunction
	}{
		{"like", 2, pure, m.like},
		{"like", 3, pure, m.like},
		{"glob", 2, pure, m.glob},
		{"regexp", 2, pure, m.regexp(0)},
		{"regexpi", 2, pure, m.regexp(regex.IgnoreCase)},
		{"instr", 2, pure, d.instr},
		{"random", 0, sqlite3.INNOCUOUS, d.random},
		{"randomblob", 1, sqlite3.INNOCUOUS, d.randomBlob},
		{"readfile", 1, sqlite3.DIRECTONLY, d.readFile},
		{"writefile", -1, sqlite3.DIRECTONLY, d.writeFile},
		{"lsmode", 1, pure, lsMode},
	} {
		if err := d.conn.CreateFunction(f.name, f.args, f.flags, f.run); err != nil {
			return err
		}
	}
	return nil
}

// instr finds one string, or blob, in another.
func (d *database) instr(ctx sqlite3.Context, arg ...sqlite3.Value) {
	x, y := arg[0], arg[1]
	if x.Type() == sqlite3.NULL || y.Type() == sqlite3.NULL {
		return
	}
	if x.Type() == sqlite3.BLOB && y.Type() == sqlite3.BLOB {
		ctx.ResultInt(bytes.Index(x.RawBlob(), y.RawBlob()) + 1)
		return
	}
	text := x.RawText()
	at := bytes.Index(text, y.RawText())
	if at < 0 {
		ctx.ResultInt(0)
		return
	}
	ctx.ResultInt(characters(text[:at]) + 1)
}

// characters counts the characters of text as SQLite does.
func characters[T string | []byte](text T) (n int) {
	for i := range len(text) {
		if text[i]&0xc0 != 0x80 {
			n++
		}
	}
	return n
}

func (d *database) random(ctx sqlite3.Context, _ ...sqlite3.Value) {
	var b [8]byte
	if _, err := io.ReadFull(d.account.call.Rand, b[:]); err != nil {
		ctx.ResultError(err)
		return
	}
	ctx.ResultInt64(int64(binary.LittleEndian.Uint64(b[:])))
}

func (d *database) randomBlob(ctx sqlite3.Context, arg ...sqlite3.Value) {
	n := max(arg[0].Int64(), 1)
	if n > int64(d.conn.Limit(sqlite3.LIMIT_LENGTH, -1)) {
		ctx.ResultError(sqlite3.TOOBIG)
		return
	}
	if d.account.call.Alloc(int(n)) != nil || d.account.ensure(int(n)) != nil {
		ctx.ResultError(sqlite3.INTERRUPT)
		return
	}
	defer d.account.call.Free(int(n))
	blob := make([]byte, n)
	if _, err := io.ReadFull(d.account.call.Rand, blob); err != nil {
		ctx.ResultError(err)
		return
	}
	ctx.ResultBlob(blob)
}

// readFile returns the content of a file, or NULL where it cannot be read.
func (d *database) readFile(ctx sqlite3.Context, arg ...sqlite3.Value) {
	name := arg[0].Text()
	info, err := d.account.call.FS.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	if info.Size() > int64(d.conn.Limit(sqlite3.LIMIT_LENGTH, -1)) {
		ctx.ResultError(sqlite3.TOOBIG)
		return
	}
	n := int(info.Size())
	if d.account.call.Alloc(n) != nil || d.account.ensure(n) != nil {
		ctx.ResultError(sqlite3.INTERRUPT)
		return
	}
	defer d.account.call.Free(n)
	data, err := vfs.ReadFile(d.account.call.FS, name)
	if err != nil {
		return
	}
	if data == nil {
		data = []byte{}
	}
	ctx.ResultBlob(data)
}

// writeFile writes a file, and returns how many bytes it wrote.
func (d *database) writeFile(ctx sqlite3.Context, arg ...sqlite3.Value) {
	if len(arg) != 2 {
		ctx.ResultError(errors.New("wrong number of arguments to function writefile()"))
		return
	}
	name, data := arg[0].Text(), arg[1].RawBlob()
	if arg[1].Type() == sqlite3.TEXT {
		data = arg[1].RawText()
	}
	if err := vfs.WriteFile(d.account.call.FS, name, data, 0o666); err != nil {
		ctx.ResultError(errors.New("failed to write file: " + name))
		return
	}
	ctx.ResultInt(len(data))
}

// lsMode shows the mode of a file as ls does.
func lsMode(ctx sqlite3.Context, arg ...sqlite3.Value) {
	ctx.ResultText(filemode.Letters(uint32(arg[0].Int())))
}
