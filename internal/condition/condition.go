// Package condition evaluates the conditions of the shell: the primaries that
// test, [ and [[ share, and the arguments of test and [ (bash manual, 6.4).
package condition

import (
	"io/fs"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// An Env answers what conditions ask.
type Env interface {
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	Access(name string, mode Access) bool
	IsTerminal(descriptor int) bool
	VarSet(name string) bool // a variable, or an element of an array
	RefSet(name string) bool // a nameref
	OptSet(name string) bool // an option of set -o
	IDs() (uid, gid int)     // that files are created with
}

// Access is a way to use a file, as the argument of access(2) has it.
type Access uint8

const (
	Execute Access = 1
	Write   Access = 2
	Read    Access = 4
)

// IsUnary reports whether op is the operator of one operand.
func IsUnary(op string) bool {
	return len(op) == 2 && op[0] == '-' && strings.IndexByte("abcdefghknoprstuvwxzGLNORS", op[1]) >= 0
}

// IsBinary reports whether op is the operator of two operands. -a and -o, which
// join conditions, are not.
func IsBinary(op string) bool {
	switch op {
	case "=", "==", "!=", "<", ">", "-nt", "-ot", "-ef":
		return true
	}
	return isNumeric(op)
}

func isNumeric(op string) bool {
	switch op {
	case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return true
	}
	return false
}

// Unary evaluates an operator of one operand (see [IsUnary]).
func Unary(env Env, op, s string) bool {
	switch op[1] {
	case 'z':
		return s == ""
	case 'n':
		return s != ""
	case 'o':
		return env.OptSet(s)
	case 'v':
		return env.VarSet(s)
	case 'R':
		return env.RefSet(s)
	case 't':
		n, ok := Integer(s)
		return ok && n >= 0 && n < 1<<31 && env.IsTerminal(int(n))
	case 'r':
		return env.Access(s, Read)
	case 'w':
		return env.Access(s, Write)
	case 'x':
		return env.Access(s, Execute)
	case 'h', 'L':
		info, err := env.Lstat(s)
		return err == nil && info.Mode()&fs.ModeSymlink != 0
	}
	info, err := env.Stat(s)
	return err == nil && file(env, op[1], info)
}

// file evaluates an operator on a file that exists.
func file(env Env, op byte, info fs.FileInfo) bool {
	mode := info.Mode()
	switch op {
	case 'a', 'e':
		return true
	case 's':
		return info.Size() > 0
	case 'f':
		return mode.IsRegular()
	case 'd':
		return mode.IsDir()
	case 'p':
		return mode&fs.ModeNamedPipe != 0
	case 'S':
		return mode&fs.ModeSocket != 0
	case 'b':
		return mode&fs.ModeDevice != 0 && mode&fs.ModeCharDevice == 0
	case 'c':
		return mode&fs.ModeCharDevice != 0
	case 'u':
		return mode&fs.ModeSetuid != 0
	case 'g':
		return mode&fs.ModeSetgid != 0
	case 'k':
		return mode&fs.ModeSticky != 0
	case 'N':
		return info.ModTime().After(vfs.StatOf(info).Atime)
	case 'O':
		uid, _ := env.IDs()
		return vfs.StatOf(info).UID == uid
	case 'G':
		_, gid := env.IDs()
		return vfs.StatOf(info).GID == gid
	}
	return false
}

// Files evaluates -nt, -ot and -ef. A file that does not exist is older than
// one that does.
func Files(env Env, op, a, b string) bool {
	x, errA := env.Stat(a)
	y, errB := env.Stat(b)
	switch op {
	case "-nt":
		return errA == nil && (errB != nil || x.ModTime().After(y.ModTime()))
	case "-ot":
		return errB == nil && (errA != nil || x.ModTime().Before(y.ModTime()))
	}
	return errA == nil && errB == nil && vfs.SameFile(x, y)
}

// Compare evaluates -eq and its kin.
func Compare(op string, a, b int64) bool {
	switch op {
	case "-eq":
		return a == b
	case "-ne":
		return a != b
	case "-lt":
		return a < b
	case "-le":
		return a <= b
	case "-gt":
		return a > b
	}
	return a >= b
}

// Integer parses a decimal number as builtins of bash take it: with a sign, and
// with white space around it.
func Integer(s string) (int64, bool) {
	s = strings.TrimRight(strings.TrimLeft(s, " \t\n\v\f\r"), " \t")
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strings.IndexByte(s, '_') < 0
}
