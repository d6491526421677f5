package filemode

import (
	"errors"
	"strconv"
	"strings"
)

// ErrInvalid reports a mode that is neither octal nor symbolic.
var ErrInvalid = errors.New("invalid mode")

// A Change is a mode in chmod's notation, octal (755) or symbolic (u+x,go=).
type Change struct{ steps []step }

// A step is one operator of a symbolic mode with what it applies to.
type step struct {
	op        byte   // '+', '-' or '='
	affected  uint32 // by the letters ugoa; zero where there are none
	value     uint32
	mentioned uint32 // bits that the mode names, which also change on directories
	kind      byte   // 0, 'c' to copy the bits of value, 'X'
}

// Parse parses a mode.
func Parse(s string) (Change, error) {
	if s != "" && s[0] >= '0' && s[0] <= '7' {
		n, err := octal(s)
		if err != nil {
			return Change{}, err
		}
		mentioned := uint32(All)
		if len(s) < 5 {
			mentioned = n&(SetUID|SetGID|Sticky) | Perm
		}
		return Change{[]step{{op: '=', affected: All, value: n, mentioned: mentioned}}}, nil
	}
	var c Change
	for clause := range strings.SplitSeq(s, ",") {
		steps, err := parseClause(clause)
		if err != nil {
			return Change{}, err
		}
		c.steps = append(c.steps, steps...)
	}
	return c, nil
}

func octal(s string) (uint32, error) {
	n, err := strconv.ParseUint(s, 8, 32)
	if err != nil || n > All {
		return 0, ErrInvalid
	}
	return uint32(n), nil
}

func parseClause(s string) ([]step, error) {
	who := uint32(0)
	for ; s != ""; s = s[1:] {
		bits := affects(s[0])
		if bits == 0 {
			break
		}
		who |= bits
	}
	var steps []step
	for s != "" {
		st := step{op: s[0], affected: who}
		if !strings.ContainsRune("+-=", rune(st.op)) {
			return nil, ErrInvalid
		}
		var err error
		if s, err = st.operand(s[1:]); err != nil {
			return nil, err
		}
		steps = append(steps, st)
	}
	if len(steps) == 0 {
		return nil, ErrInvalid
	}
	return steps, nil
}

func affects(letter byte) uint32 {
	switch letter {
	case 'u':
		return SetUID | 0o700
	case 'g':
		return SetGID | 0o070
	case 'o':
		return Sticky | 0o007
	case 'a':
		return All
	}
	return 0
}

// operand parses what follows the operator, and returns the rest of s.
func (st *step) operand(s string) (string, error) {
	switch {
	case s != "" && s[0] >= '0' && s[0] <= '7':
		n, err := octal(s)
		if err != nil || st.affected != 0 {
			return "", ErrInvalid
		}
		st.value, st.affected, st.mentioned = n, All, All
		return "", nil
	case s != "" && strings.IndexByte("ugo", s[0]) >= 0:
		st.kind, st.value = 'c', affects(s[0])&Perm
		s = s[1:]
	default:
		s = st.letters(s)
	}
	st.mentioned = st.value
	if st.affected != 0 {
		st.mentioned &= st.affected
	}
	return s, nil
}

func (st *step) letters(s string) string {
	for ; s != ""; s = s[1:] {
		switch s[0] {
		case 'r':
			st.value |= 0o444
		case 'w':
			st.value |= 0o222
		case 'x':
			st.value |= 0o111
		case 'X':
			st.kind = 'X'
		case 's':
			st.value |= SetUID | SetGID
		case 't':
			st.value |= Sticky
		default:
			return s
		}
	}
	return s
}

// Apply returns the bits that the change makes of old. A step without any of
// the letters ugoa leaves alone what umask has. The set-id bits of a directory
// change only where the mode names them.
func (c Change) Apply(old uint32, dir bool, umask uint32) uint32 {
	mode := old & All
	for _, st := range c.steps {
		value := st.value
		switch {
		case st.kind == 'c':
			value = spread(value & mode)
		case st.kind == 'X' && (dir || mode&0o111 != 0):
			value |= 0o111
		}
		keep := uint32(0)
		if dir {
			keep = (SetUID | SetGID) &^ st.mentioned
		}
		if st.affected != 0 {
			value &= st.affected
		} else {
			value &^= umask
		}
		value &^= keep
		switch st.op {
		case '=':
			if st.affected != 0 {
				keep |= ^st.affected
			}
			mode = mode&keep | value
		case '+':
			mode |= value
		case '-':
			mode &^= value
		}
	}
	return mode & All
}

// spread gives everybody the permissions that somebody has in bits.
func spread(bits uint32) uint32 {
	var all uint32
	for _, p := range []uint32{0o444, 0o222, 0o111} {
		if bits&p != 0 {
			all |= p
		}
	}
	return all
}
