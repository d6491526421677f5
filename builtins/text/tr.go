package text

import (
	"context"
	"errors"
	"fmt"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "tr",
	Synopsis: "[OPTION]... STRING1 [STRING2]",
	Summary:  "translate, squeeze or delete characters of standard input",
	Run:      runTr,
})

// A trJob is what tr does, as its options say.
type trJob struct {
	complement, remove, squeeze, truncate bool

	table    [256]byte // what a byte becomes
	removed  [256]bool
	squeezed [256]bool
}

func runTr(ctx context.Context, c *builtins.Call) (err error) {
	var j trJob
	f := c.Flags()
	f.Ordered = true
	f.Bool(&j.complement, "c,C,complement", "use the bytes that STRING1 leaves out, in their order")
	f.Bool(&j.remove, "d,delete", "delete the bytes of STRING1")
	f.Bool(&j.squeeze, "s,squeeze-repeats", "print one of several equal bytes in a row, if it is in the last string")
	f.Bool(&j.truncate, "t,truncate-set1", "cut STRING1 to the length of STRING2")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if err := j.checkOperands(c, args); err != nil {
		return f.Fail(err)
	}
	if err := j.prepare(c, args); err != nil {
		return f.Fail(err)
	}
	out := newOutput(c)
	defer out.close(&err)
	last := -1 // the byte before
	err = eachBlock(c, c.Stdin, func(b []byte) error {
		switch {
		case j.remove:
			b = j.delete(b)
		case len(args) == 2:
			for i, x := range b {
				b[i] = j.table[x]
			}
		}
		if j.squeeze {
			b, last = j.squeezeBlock(b, last)
		}
		return out.write(b)
	})
	if c.Ends(err) {
		return err
	}
	return errnoError(err, "read error")
}

// checkOperands returns what is wrong with the number of strings.
func (j *trJob) checkOperands(c *builtins.Call, args []string) error {
	least, most := 1, 2
	if j.remove == j.squeeze {
		least = 2
	}
	if j.remove && !j.squeeze {
		most = 1
	}
	switch {
	case len(args) == 0:
		return builtins.Usage("missing operand")
	case len(args) < least && j.squeeze:
		return builtins.Usage("missing operand after %s\nTwo strings must be given when both deleting and squeezing repeats.", builtins.QuoteLocale(args[len(args)-1]))
	case len(args) < least:
		return builtins.Usage("missing operand after %s\nTwo strings must be given when translating.", builtins.QuoteLocale(args[len(args)-1]))
	case len(args) > most && len(args) == 2:
		return builtins.Usage("extra operand %s\nOnly one string may be given when deleting without squeezing repeats.", builtins.QuoteLocale(args[most]))
	case len(args) > most:
		return extraOperand(args[most])
	}
	return nil
}

// prepare makes the tables of the job.
func (j *trJob) prepare(c *builtins.Call, args []string) error {
	warn := func(text string) { fmt.Fprintf(c.Stderr, "%s: warning: %s\n", c.Name, text) }
	var sets [2]trSet
	for i, arg := range args {
		var err error
		if sets[i], err = parseTrSet(arg, warn); err != nil {
			return err
		}
	}
	first, second := sets[0], sets[1]
	if first.indefinite() > 0 {
		return errors.New("the [c*] repeat construct may not appear in string1")
	}
	translate := len(args) == 2 && !j.remove
	original := first
	if j.complement {
		in := first.members()
		first = trSet{{chars: classBytes(func(b byte) bool { return !in[b] })}}
		if len(first[0].chars) == 0 {
			first = nil
		}
	}
	if len(args) == 2 {
		if second.indefinite() > 1 {
			return errors.New("only one [c*] repeat construct may appear in string2")
		}
		if translate {
			if err := j.fit(original, &first, &second); err != nil {
				return err
			}
		} else if second.indefinite() > 0 {
			return errors.New("the [c*] construct may appear in string2 only when translating")
		}
	}
	j.removed = first.members()
	j.squeezed = j.removed
	if len(args) == 2 {
		j.squeezed = second.members()
	}
	if translate {
		j.makeTable(first.runs(), second.runs())
	}
	return nil
}

// fit makes second as long as first, and checks that one can be translated to
// the other. original is the first string before it was complemented.
func (j *trJob) fit(original trSet, first, second *trSet) error {
	hasClass := false
	for _, e := range original {
		hasClass = hasClass || e.class != ""
	}
	for _, e := range *second {
		if e.equiv {
			return errors.New("[=c=] expressions may not appear in string2 when translating")
		}
		if e.class != "" && !e.isCase() {
			return errors.New("when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'")
		}
	}
	if !aligned(original, *second, j.complement) {
		return errors.New("misaligned [:upper:] and/or [:lower:] construct")
	}
	n, m := first.length(), second.length()
	for i := range *second {
		if e := &(*second)[i]; e.count == endless {
			e.count = max(n, m) - m
			m += e.count
		}
	}
	if n > m && !j.truncate {
		if m == 0 {
			return errors.New("when not truncating set1, string2 must be non-empty")
		}
		last := (*second)[len(*second)-1]
		if last.class != "" {
			return errors.New("when translating with string1 longer than string2,\nthe latter string must not end with a character class")
		}
		char := last.char
		if last.chars != nil {
			char = last.chars[len(last.chars)-1]
		}
		*second = append(*second, trElement{char: char, count: n - m})
	}
	if j.complement && hasClass && !(second.length() == n && uniform(*second)) {
		return errors.New("when translating with complemented character classes,\nstring2 must map all characters in the domain to one")
	}
	return nil
}

// uniform reports whether all bytes of s are equal.
func uniform(s trSet) bool {
	runs := s.runs()
	for _, r := range runs {
		if r.char != runs[0].char {
			return false
		}
	}
	return true
}

// aligned reports whether each [:upper:] and [:lower:] of second stands where
// first has one.
func aligned(first, second trSet, complement bool) bool {
	starts := make(map[uint64]bool)
	at := uint64(0)
	for i := range first {
		if first[i].isCase() {
			starts[at] = !complement
		}
		at += first[i].length()
	}
	at = 0
	total, length := first.length(), second.length()
	for i := range second {
		if second[i].isCase() && !starts[at] {
			return false
		}
		if second[i].count == endless && total > length {
			at += total - length
		}
		at += second[i].length()
	}
	return true
}

// makeTable makes the table that translates from to to. Of several
// translations of a byte the last counts.
func (j *trJob) makeTable(from, to []trRun) {
	for b := range j.table {
		j.table[b] = byte(b)
	}
	for len(from) > 0 && len(to) > 0 {
		n := min(from[0].count, to[0].count)
		if n > 0 {
			j.table[from[0].char] = to[0].char
		}
		if from[0].count -= n; from[0].count == 0 {
			from = from[1:]
		}
		if to[0].count -= n; to[0].count == 0 {
			to = to[1:]
		}
	}
}

// delete removes bytes from b, in place.
func (j *trJob) delete(b []byte) []byte {
	n := 0
	for _, x := range b {
		b[n] = x
		if !j.removed[x] {
			n++
		}
	}
	return b[:n]
}

// squeezeBlock removes repeats from b, in place. last is the byte before b, or -1
// if there is none; so is the result.
func (j *trJob) squeezeBlock(b []byte, last int) ([]byte, int) {
	n := 0
	for _, x := range b {
		if int(x) == last && j.squeezed[x] {
			continue
		}
		b[n] = x
		n++
		last = int(x)
	}
	return b[:n], last
}
