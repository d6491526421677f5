package file

import (
	"bytes"
	"fmt"
)

// elfMachines are the processors of programs, by number.
var elfMachines = map[uint64]string{
	2: "SPARC", 3: "Intel 80386", 8: "MIPS", 20: "PowerPC or cisco 4500", 21: "64-bit PowerPC or cisco 7500", 22: "IBM S/390",
	40: "ARM", 62: "x86-64", 183: "ARM aarch64", 243: "UCB RISC-V", 247: "eBPF", 258: "LoongArch",
}

// An elf reads the headers of a program.
type elf struct {
	head  []byte
	wide  bool // 64 bits
	order func(p []byte, i, size int) uint64
}

func (e elf) number(i, size int) uint64 { return e.order(e.head, i, size) }

// word returns the number at one of two places, by the width of the program.
func (e elf) word(narrow, wide int) uint64 {
	if e.wide {
		return e.number(wide, 8)
	}
	return e.number(narrow, 4)
}

func elfDetail(h, _ []byte) string {
	e := elf{head: h, order: little}
	text := ""
	switch at(h, 4) {
	case 1:
		text = " 32-bit"
	case 2:
		text, e.wide = " 64-bit", true
	}
	switch at(h, 5) {
	case 1:
		text += " LSB"
	case 2:
		text += " MSB"
		e.order = big
	}
	interpreter, dynamic, build := e.segments()
	switch e.number(16, 2) {
	case 1:
		text += " relocatable"
	case 2:
		text += " executable"
	case 3:
		text += " shared object"
		if interpreter != "" {
			text = text[:len(text)-len("shared object")] + "pie executable"
		}
	case 4:
		text += " core file"
	}
	machine, ok := elfMachines[e.number(18, 2)]
	if !ok {
		machine = fmt.Sprintf("*unknown arch %#x*", e.number(18, 2))
	}
	text += ", " + machine + ","
	if v := e.number(20, 4); v == 1 {
		text += " version 1"
	}
	text += map[int]string{0: " (SYSV)", 3: " (GNU/Linux)", 9: " (FreeBSD)"}[at(h, 7)]
	if e.number(16, 2) == 1 {
		return text + build + e.symbols()
	}
	switch {
	case dynamic:
		text += ", dynamically linked"
	case e.word(28, 32) != 0:
		text += ", statically linked"
	}
	if interpreter != "" {
		text += ", interpreter " + interpreter
	}
	return text + build + e.symbols()
}

// segments looks at the program headers: for the interpreter, for whether the
// program is linked dynamically, and for the build's identity.
func (e elf) segments() (interpreter string, dynamic bool, build string) {
	start, size, count := e.word(28, 32), e.number(42, 2), e.number(44, 2)
	if e.wide {
		size, count = e.number(54, 2), e.number(56, 2)
	}
	for i := range count {
		at := start + i*size
		if at > uint64(len(e.head)) {
			break
		}
		if e.number(int(at), 4) == 2 {
			dynamic = true
		}
		offset, length := e.number(int(at)+4, 4), e.number(int(at)+16, 4)
		if e.wide {
			offset, length = e.number(int(at)+8, 8), e.number(int(at)+32, 8)
		}
		if offset > uint64(len(e.head)) || length > uint64(len(e.head))-offset {
			continue
		}
		content := e.head[offset : offset+length]
		switch e.number(int(at), 4) {
		case 3:
			name, _, _ := bytes.Cut(content, []byte{0})
			interpreter = string(name)
		case 4:
			build += e.notes(content)
		}
	}
	return interpreter, dynamic, build
}

// notes returns what a segment of notes tells: the identity of the build, and
// the system that the program is for.
func (e elf) notes(notes []byte) (text string) {
	for len(notes) >= 12 {
		names, size, kind := e.order(notes, 0, 4), e.order(notes, 4, 4), e.order(notes, 8, 4)
		end := 12 + (names+3)&^3
		if end+size > uint64(len(notes)) || end < names {
			break
		}
		note := notes[end : end+size]
		switch gnu := bytes.HasPrefix(notes[12:], []byte("GNU\x00")); {
		case gnu && kind == 3 && size == 20:
			text += fmt.Sprintf(", BuildID[sha1]=%x", note)
		case gnu && kind == 1 && size >= 16 && e.order(note, 0, 4) == 0:
			text += fmt.Sprintf(", for GNU/Linux %d.%d.%d", e.order(note, 4, 4), e.order(note, 8, 4), e.order(note, 12, 4))
		}
		next := end + (size+3)&^3
		if next > uint64(len(notes)) {
			break
		}
		notes = notes[next:]
	}
	return text
}

// symbols says whether the symbols of a program have been removed. It says
// nothing where they are too far from the beginning to tell.
func (e elf) symbols() string {
	start, size, count := e.word(32, 40), e.number(46, 2), e.number(48, 2)
	if e.wide {
		size, count = e.number(58, 2), e.number(60, 2)
	}
	if start+size*count > uint64(len(e.head)) || start == 0 {
		return ""
	}
	for i := range count {
		if e.number(int(start+i*size)+4, 4) == 2 {
			return ", not stripped"
		}
	}
	return ", stripped"
}

// elfMIME returns the type of a program as MIME has it.
func elfMIME(h []byte) string {
	e := elf{head: h, order: little, wide: at(h, 4) == 2}
	if at(h, 5) == 2 {
		e.order = big
	}
	switch e.number(16, 2) {
	case 1:
		return "application/x-object"
	case 3:
		if interpreter, _, _ := e.segments(); interpreter != "" {
			return "application/x-pie-executable"
		}
		return "application/x-sharedlib"
	case 4:
		return "application/x-coredump"
	}
	return "application/x-executable"
}
