// Package filemode converts the modes of files: to and from the bits that Unix
// keeps, to the letters that ls shows, and as chmod's notation changes them.
package filemode

import "io/fs"

// The bits of st_mode.
const (
	SetUID = 0o4000
	SetGID = 0o2000
	Sticky = 0o1000
	Perm   = 0o777
	All    = SetUID | SetGID | Sticky | Perm

	Type    = 0o170000
	Socket  = 0o140000
	Symlink = 0o120000
	Regular = 0o100000
	Block   = 0o060000
	Dir     = 0o040000
	Char    = 0o020000
	FIFO    = 0o010000
)

// Bits returns the permissions of m with the set-id and sticky bits, as Unix
// has them.
func Bits(m fs.FileMode) uint32 {
	bits := uint32(m & fs.ModePerm)
	if m&fs.ModeSetuid != 0 {
		bits |= SetUID
	}
	if m&fs.ModeSetgid != 0 {
		bits |= SetGID
	}
	if m&fs.ModeSticky != 0 {
		bits |= Sticky
	}
	return bits
}

// Unix returns m as st_mode has it: [Bits] and the type of the file.
func Unix(m fs.FileMode) uint32 {
	bits := Bits(m)
	switch m.Type() {
	case fs.ModeDir:
		return bits | Dir
	case fs.ModeSymlink:
		return bits | Symlink
	case fs.ModeNamedPipe:
		return bits | FIFO
	case fs.ModeSocket:
		return bits | Socket
	case fs.ModeDevice:
		return bits | Block
	case fs.ModeDevice | fs.ModeCharDevice, fs.ModeCharDevice:
		return bits | Char
	}
	return bits | Regular
}

// Mode returns the permissions, set-id and sticky bits of bits for [fs.FS]
// and its like. It ignores the type.
func Mode(bits uint32) fs.FileMode {
	m := fs.FileMode(bits & Perm)
	if bits&SetUID != 0 {
		m |= fs.ModeSetuid
	}
	if bits&SetGID != 0 {
		m |= fs.ModeSetgid
	}
	if bits&Sticky != 0 {
		m |= fs.ModeSticky
	}
	return m
}

// Letters returns the ten characters that ls -l shows for bits of st_mode.
func Letters(bits uint32) string {
	b := []byte("?rwxrwxrwx")
	b[0] = TypeLetter(bits)
	for i := range 9 {
		if bits&(0o400>>i) == 0 {
			b[i+1] = '-'
		}
	}
	special := func(at int, bit uint32, with, without byte) {
		switch {
		case bits&bit == 0:
		case b[at] == 'x':
			b[at] = with
		default:
			b[at] = without
		}
	}
	special(3, SetUID, 's', 'S')
	special(6, SetGID, 's', 'S')
	special(9, Sticky, 't', 'T')
	return string(b)
}

// TypeLetter returns the letter by which ls -l shows the type in bits.
func TypeLetter(bits uint32) byte {
	switch bits & Type {
	case Dir:
		return 'd'
	case Symlink:
		return 'l'
	case FIFO:
		return 'p'
	case Socket:
		return 's'
	case Block:
		return 'b'
	case Char:
		return 'c'
	}
	return '-'
}
