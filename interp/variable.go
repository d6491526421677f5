package interp

import (
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/limits"
)

// Attributes and states of a variable.
const (
	vSet      = 1 << iota // has a scalar value
	vStr                  // str holds it
	vNum                  // num holds it: str, where valid, is its decimal form
	vNaN                  // str is known not to be a plain integer
	vReadonly             // declare -r
	vExport               // declare -x
	vInteger              // declare -i
	vLower                // declare -l
	vUpper                // declare -u
	vCapital              // declare -c
	vNameref              // declare -n
	vTrace                // declare -t
	vIndexed              // declare -a
	vAssoc                // declare -A
	vDynamic              // computed when it is read, such as RANDOM
	vHook                 // assigning to it has an effect, such as OPTIND
	vLocal                // made by local in the function that is running
	vDeclared             // named by declare without a value
	vNull                 // given one by declare that could not be had; it is listed by ${!prefix@}
)

const (
	// vSlowRead are the flags with which a read is not of str and num.
	vSlowRead = vNameref | vIndexed | vAssoc | vDynamic
	// vSlowWrite are those with which a write is not to str and num, or not to
	// them alone: commands inherit an exported variable.
	vSlowWrite = vSlowRead | vReadonly | vExport | vInteger | vLower | vUpper | vCapital | vHook
	vAttrs     = vReadonly | vExport | vInteger | vLower | vUpper | vCapital | vNameref | vTrace | vIndexed | vAssoc | vDynamic | vHook | vLocal | vDeclared | vNull
	vCase      = vLower | vUpper | vCapital
)

// A variable is the value of one name in one shell. Subshells share variables
// until they write them: only the shell whose owner mark is that of the
// variable may change it, even to cache a conversion.
type variable struct {
	owner uint64
	flags uint32
	str   string
	num   int64
	buf   *strings.Builder // holds str, where it was built by appending
	arr   *array
	assoc *assoc
	dyn   *dynamic
}

// unsetVariable stands for every name that has no variable. Nobody owns it.
var unsetVariable = &variable{}

// smallInts holds the texts of the numbers that scripts format most.
var smallInts = func() (texts [1024]string) {
	for i := range texts {
		texts[i] = strconv.Itoa(i)
	}
	return texts
}()

func itoa(n int64) string {
	if uint64(n) < uint64(len(smallInts)) {
		return smallInts[n]
	}
	return strconv.FormatInt(n, 10)
}

// plainInt parses a decimal integer in the form that itoa writes; all other
// texts, octal and hexadecimal among them, are for the expression parser.
func plainInt(s string) (int64, bool) {
	i, neg := 0, false
	if s != "" && s[0] == '-' {
		neg, i = true, 1
	}
	if i >= len(s) || len(s)-i > 18 || s[i] == '0' && len(s) > 1 {
		return 0, false
	}
	var n int64
	for ; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	if neg {
		n = -n
	}
	return n, true
}

// isSet reports whether v has a value as a scalar: for an array, whether
// element 0 is set.
func (v *variable) isSet() bool {
	switch {
	case v.flags&vIndexed != 0:
		_, ok := v.arr.get(0)
		return ok
	case v.flags&vAssoc != 0:
		return v.assoc.find("0") >= 0
	}
	return v.flags&(vSet|vDynamic) != 0
}

// exists reports whether v is declared at all, with or without a value.
func (v *variable) exists() bool { return v != unsetVariable && v.flags&(vSet|vAttrs) != 0 }

// text returns the scalar value of v to the shell sh.
func (v *variable) text(sh *Shell) string {
	if v.flags&(vStr|vSlowRead) == vStr {
		return v.str
	}
	return v.slowText(sh)
}

func (v *variable) slowText(sh *Shell) string {
	switch {
	case v.flags&vDynamic != 0:
		return v.dyn.get(sh)
	case v.flags&vIndexed != 0:
		e, _ := v.arr.get(0)
		return e.text()
	case v.flags&vAssoc != 0:
		if i := v.assoc.find("0"); i >= 0 {
			return v.assoc.entries[i].value
		}
		return ""
	case v.flags&vNameref != 0:
		return v.str
	case v.flags&vSet == 0:
		return ""
	}
	s := itoa(v.num)
	if v.owner == sh.owner {
		v.str = s
		v.flags |= vStr
	}
	return s
}

// setText sets the scalar value of v, which sh owns and whose flags are none of
// vSlowWrite.
func (v *variable) setText(sh *Shell, s string) {
	if n := charged(s) - v.textSize(); n != 0 {
		sh.hold(n)
	}
	v.str = s
	v.buf = nil
	v.flags = v.flags&^(vNum|vNaN) | vSet | vStr
}

// setNum is setText for a number.
func (v *variable) setNum(n int64) {
	v.num = n
	v.flags = v.flags&^(vStr|vNaN) | vSet | vNum
}

// appendText appends to the scalar value of v, growing a buffer of its own so
// that many appends take linear time.
func (v *variable) appendText(sh *Shell, s string) {
	old := v.text(sh)
	if len(old)+len(s) < 64 {
		v.setText(sh, old+s)
		return
	}
	before := v.textSize()
	if v.buf == nil || v.buf.Len() != len(old) {
		size := 2 * (len(old) + len(s))
		if !sh.fits(size) || !sh.hold(size-before) {
			return
		}
		v.buf = new(strings.Builder)
		v.buf.Grow(size)
		v.buf.WriteString(old)
	} else if n := v.buf.Len() + len(s); n > v.buf.Cap() {
		if !sh.fits(2*n) || !sh.hold(2*n-before) {
			return
		}
		v.buf.Grow(2*n - v.buf.Len())
	}
	v.buf.WriteString(s)
	v.str = v.buf.String()
	v.flags = v.flags&^(vNum|vNaN) | vSet | vStr
}

// charged is what a text is charged for: short ones are part of their variable.
func charged(s string) int {
	if len(s) < 64 {
		return 0
	}
	return len(s)
}

// textSize returns the bytes that the text of v is charged for.
func (v *variable) textSize() int {
	if v.buf != nil {
		return v.buf.Cap()
	}
	return charged(v.str)
}

// size returns the bytes that v is charged for, besides itself.
func (v *variable) size() int {
	n := v.textSize()
	if v.arr != nil {
		n += v.arr.size()
	}
	if v.assoc != nil {
		n += v.assoc.bytes
	}
	return n
}

// clone returns a copy of v for sh to write.
func (v *variable) clone(sh *Shell) *variable {
	c := *v
	c.owner = sh.owner
	c.buf = nil
	if v.arr != nil {
		sh.hold(v.arr.size())
		c.arr = v.arr.clone()
	}
	if v.assoc != nil {
		sh.hold(v.assoc.bytes)
		c.assoc = v.assoc.clone()
	}
	return &c
}

// hold charges n more bytes of memory, or gives back -n, and reports whether
// they may be used. Small changes gather until they are worth an atomic
// operation.
func (sh *Shell) hold(n int) bool {
	if n >= bulk && sh.reserved > 0 { // what was made is kept
		taken := min(n, sh.reserved)
		sh.reserved -= taken
		sh.charged += taken
		n -= taken
	}
	sh.held += n
	if sh.held > 1<<14 || sh.held < -(1<<14) {
		return sh.settle()
	}
	return true
}

// settle charges what has gathered.
func (sh *Shell) settle() bool {
	n := sh.held
	sh.held = 0
	sh.charged += n
	sh.worked(max(n, -n))
	if err := sh.x.meter.Charge(limits.Memory, int64(n)); err != nil {
		sh.charged -= n
		sh.stop(err)
		return false
	}
	return true
}

// release gives back all that the shell holds, at its end.
func (sh *Shell) release() {
	sh.unreserve()
	sh.x.meter.Release(limits.Memory, int64(sh.charged))
	sh.charged, sh.held = 0, 0
}

// fits reports whether a result of n bytes may be made, and stops the shell where not. It
// is for results whose size is known before they are built. A long one is charged at once, for
// other jobs want memory at the same time: until it is held, or the command ends that it is for.
// A nil shell is that of a constant, which is bounded by its source.
func (sh *Shell) fits(n int) bool {
	if n < 1<<12 || sh == nil {
		return true
	}
	sh.worked(n)
	if n < bulk && sh.made < bulk {
		return true
	}
	more := sh.made + n - sh.reserved
	if more <= 0 {
		return true
	}
	if err := sh.x.meter.Charge(limits.Memory, int64(more)); err != nil {
		sh.stop(err)
		return false
	}
	sh.reserved += more
	return true
}

// makes notes a word of n bytes that a command is going to have, besides those before it.
func (sh *Shell) makes(n int) bool {
	if sh.made += n; sh.made < bulk {
		return true
	}
	return sh.made <= sh.reserved || sh.fits(1<<12)
}

// unreserve gives back what was charged for words and results that are of no use any more, or
// that are held.
func (sh *Shell) unreserve() {
	if sh.reserved > 0 {
		sh.x.meter.Release(limits.Memory, int64(sh.reserved))
	}
	sh.reserved, sh.made = 0, 0
}
